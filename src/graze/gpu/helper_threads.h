#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace graze::gpu {

// Threads for a few queries of some microseconds each. To wake a sleeping thread takes longer than
// such a query, so the threads are woken before the queries are known, while the device works, and
// wait for them without sleeping. After sleep() they wait without sleeping for another 0.2 ms, so
// that the next search of a sequence finds them awake.
//
// left_ holds the number of the run in its high half and the number of calls that no thread has
// taken yet in its low half. A thread takes a call by decreasing left_ if it has not changed since
// it was read, so a thread that comes late cannot take a call of another run.
class HelperThreads {
 public:
  // `threads`: all that work, this one included; 0: one per core.
  explicit HelperThreads(int threads);
  ~HelperThreads();
  HelperThreads(const HelperThreads&) = delete;
  HelperThreads& operator=(const HelperThreads&) = delete;

  // The number of threads that work, the caller of run() included.
  std::size_t size() const { return threads_.size() + 1; }
  // Wakes the threads, which then wait for work without sleeping until sleep().
  void wake();
  // Calls work(i) for 0 <= i < count on this thread and those that are awake, and returns when all
  // calls have. The calls must not throw. Precondition: count < 2^32.
  void run(std::size_t count, const std::function<void(std::size_t)>& work);
  void sleep();

 private:
  void loop();
  void take();
  bool round_changes_soon(std::uint32_t round) const;

  // Each group of members has a cache line of its own: threads that change one of them do not slow
  // down those that read another.
  static constexpr std::size_t cache_line = 64;
  alignas(cache_line) std::atomic<std::uint32_t> round_{0};  // odd: awake
  std::atomic<bool> stop_{false};
  alignas(cache_line) std::atomic<std::uint64_t> left_{0};
  std::atomic<const std::function<void(std::size_t)>*> work_{nullptr};
  alignas(cache_line) std::atomic<std::uint64_t> done_{0};
  std::vector<std::thread> threads_;
};

}  // namespace graze::gpu
