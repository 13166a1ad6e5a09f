#include "graze/gpu/helper_threads.h"

#include <algorithm>
#include <chrono>

namespace graze::gpu {
namespace {

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

}  // namespace

HelperThreads::HelperThreads(int threads) {
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const int count = (threads > 0 ? std::min(threads, cores) : cores) - 1;
  for (int i = 0; i < count; ++i) threads_.emplace_back([this] { loop(); });
}

HelperThreads::~HelperThreads() {
  stop_ = true;
  round_ += 2;
  round_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void HelperThreads::wake() {
  if (round_.load() % 2 == 1) return;
  ++round_;
  round_.notify_all();
}

void HelperThreads::sleep() {
  if (round_.load() % 2 == 1) ++round_;
}

void HelperThreads::run(std::size_t count, const std::function<void(std::size_t)>& work) {
  if (count == 0) return;
  constexpr std::uint64_t low = 0xffffffff;
  work_ = &work;
  done_ = 0;
  left_ = (left_.load() & ~low) + low + 1 + count;  // the next run
  take();
  while (done_.load() < count) pause_briefly();
}

// Works until no call is left. The calls are added to done_ at the end, so all are of one run: no
// run ends before done_ counts the calls that this thread has taken.
void HelperThreads::take() {
  std::uint64_t seen = left_.load(), calls = 0;
  while (static_cast<std::uint32_t>(seen) > 0) {
    if (!left_.compare_exchange_weak(seen, seen - 1)) continue;
    (*work_.load())(static_cast<std::uint32_t>(seen) - 1);
    ++calls;
    seen = left_.load();
  }
  if (calls > 0) done_ += calls;
}

// Waits without sleeping for the end of a round. Returns false if it lasts longer than 0.2 ms.
bool HelperThreads::round_changes_soon(std::uint32_t round) const {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(200);
  do {
    for (int i = 0; i < 16; ++i) {
      if (round_.load() != round) return true;
      pause_briefly();
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

void HelperThreads::loop() {
  while (true) {
    const std::uint32_t round = round_.load();
    if (stop_) return;
    if (round % 2 == 0) {
      if (!round_changes_soon(round)) round_.wait(round);
      continue;
    }
    while (round_.load() == round) {
      take();
      pause_briefly();
    }
  }
}

}  // namespace graze::gpu
