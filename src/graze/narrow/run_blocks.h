#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <mutex>

#include "graze/options.h"

#ifndef GRAZE_SERIAL  // GRAZE_TBB=OFF
#include <tbb/blocked_range.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#endif

namespace graze::narrow {

// Reports the finished fraction of a batch to Run::progress, at most once per hundredth.
class Progress {
 public:
  Progress(const Run& run, std::size_t total) : run_(run), total_(total) {}

  void add(std::size_t count) {
    if (!run_.progress) return;
    const std::lock_guard lock(mutex_);
    done_ += count;
    if (done_ < total_ && done_ - reported_ < total_ / 100) return;
    reported_ = done_;
    run_.progress(static_cast<double>(done_) / static_cast<double>(total_));
  }

 private:
  const Run& run_;
  const std::size_t total_;
  std::size_t done_ = 0, reported_ = 0;
  std::mutex mutex_;
};

// Divides [0, count) into blocks and calls answer(first, size) for each of them, on run.threads
// threads (on the calling thread if built without oneTBB). Once run.stop is set, calls
// skip(first, size) for the blocks that have not begun. A block has at most 1,024 items if the run
// has a stop flag or a progress function. Other runs have longer blocks, which cost less per item.
template <class Answer, class Skip>
void run_blocks(std::size_t count, const Run& run, Answer&& answer, Skip&& skip) {
  if (count == 0) return;
  Progress progress(run, count);
  const auto block = [&](std::size_t first, std::size_t size) {
    if (run.stop && run.stop->load(std::memory_order_relaxed)) return skip(first, size);
    answer(first, size);
    progress.add(size);
  };
#ifdef GRAZE_SERIAL
  constexpr bool on_one_thread = true;
#else
  const bool on_one_thread = run.threads == 1;
#endif
  const bool is_watched = run.stop || run.progress;
  if (on_one_thread) {
    const std::size_t most = is_watched ? 1024 : count;
    for (std::size_t first = 0; first < count; first += most)
      block(first, std::min(most, count - first));
    return;
  }
#ifndef GRAZE_SERIAL
  const int cores = tbb::info::default_concurrency();  // TBB warns if given more
  tbb::task_arena arena(run.threads > 0 ? std::min(run.threads, cores) : cores);
  arena.execute([&] {
    constexpr std::size_t grain = 256;
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, grain), [&](const auto& range) {
      // TBB chooses the length of a range.
      const std::size_t most = is_watched ? 1024 : 4096;
      for (std::size_t first = range.begin(); first < range.end(); first += most)
        block(first, std::min(most, range.end() - first));
    });
  });
#endif
}

}  // namespace graze::narrow
