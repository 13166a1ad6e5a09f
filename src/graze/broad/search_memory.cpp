#include "graze/broad/search_memory.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <algorithm>
#include <cstdint>
#include <utility>

namespace graze::broad {
namespace {

constexpr std::size_t huge_page = std::size_t{1} << 21;

}  // namespace

void SearchMemory::reserve(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (static_cast<std::size_t>(end_ - next_) < bytes) take_block(bytes);
}

void* SearchMemory::take(std::size_t bytes) {
  const std::size_t size = rounded(bytes, alignment);
  const std::lock_guard lock(mutex_);
  constexpr std::size_t least = std::size_t{1} << 16;
  if (static_cast<std::size_t>(end_ - next_) < size) take_block(std::max(size, least));
  return std::exchange(next_, next_ + size);
}

void SearchMemory::take_block(std::size_t bytes) {
  // Less than a fourth of a huge page is cheaper on small pages.
  const std::size_t huge = (bytes + huge_page * 3 / 4) / huge_page * huge_page;
  const std::size_t unit = huge > 0 ? huge_page : alignment;
  const std::size_t size = std::max(rounded(bytes, alignment), huge);
  // Aligned here, not by the allocator: glibc gives aligned blocks of this size back to the system
  // after each search, and the next search would have all page faults again.
  blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(size + unit));
  const auto address = reinterpret_cast<std::uintptr_t>(blocks_.back().get());
  next_ = blocks_.back().get() + (rounded(address, unit) - address);
  end_ = next_ + size;
#if defined(__linux__)
  if (huge > 0) madvise(next_, huge, MADV_HUGEPAGE);  // a hint, which may fail
#endif
}

}  // namespace graze::broad
