#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <type_traits>
#include <vector>

namespace graze::broad {

// The memory of one search. Arrays come from one block, if it was reserved in time, on huge pages
// where the system offers them: fresh memory costs a page fault for each page, and the first search
// of a process would spend a fourth of its time on them.
class SearchMemory {
 public:
  SearchMemory() = default;
  SearchMemory(const SearchMemory&) = delete;

  // Takes a block for arrays of `bytes` bytes in total.
  void reserve(std::size_t bytes);

  // Returns an array without values, aligned to 64 bytes. It lives as long as this object or the
  // Scope in which it was made. Threads may call it at the same time.
  template <class Element>
  std::span<Element> array(std::size_t size) {
    static_assert(std::is_trivially_copyable_v<Element> &&
                  std::is_trivially_destructible_v<Element> && alignof(Element) <= alignment);
    return {static_cast<Element*>(take(size * sizeof(Element))), size};
  }

  // The bytes that an array takes.
  template <class Element>
  static std::size_t bytes(std::size_t size) {
    return rounded(size * sizeof(Element), alignment);
  }

  // Gives back the arrays that were made during its life. No array may be made at the same time
  // that outlives it.
  class Scope {
   public:
    explicit Scope(SearchMemory& memory)
        : memory_(memory), blocks_(memory.blocks_.size()), next_(memory.next_) {}
    ~Scope() {
      if (memory_.blocks_.size() == blocks_) memory_.next_ = next_;
    }
    Scope(const Scope&) = delete;

   private:
    SearchMemory& memory_;
    const std::size_t blocks_;
    std::byte* const next_;
  };

 private:
  static constexpr std::size_t alignment = 64;
  static constexpr std::size_t rounded(std::size_t size, std::size_t unit) {
    return (size + unit - 1) / unit * unit;
  }

  void* take(std::size_t bytes);
  void take_block(std::size_t bytes);

  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::byte *next_ = nullptr, *end_ = nullptr;  // the unused part of the last block
  std::mutex mutex_;
};

}  // namespace graze::broad
