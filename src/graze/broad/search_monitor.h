#pragma once

#include <algorithm>
#include <mutex>

#include "graze/options.h"

namespace graze::broad {

// Reads the stop flag and reports the progress of one search. The threads of the search share it.
class SearchMonitor {
 public:
  struct Stopped {};  // thrown by poll()

  // Keeps a reference to `run`.
  explicit SearchMonitor(const Run& run) : run_(run) {}

  // Throws Stopped if the stop flag is set.
  void poll() const {
    if (run_.stop && run_.stop->load(std::memory_order_relaxed)) throw Stopped();
  }

  // Adds a finished fraction of the whole search and reports the sum, about 256 times in all.
  void add(double fraction) {
    if (!run_.progress) return;
    const std::lock_guard lock(mutex_);
    done_ = std::min(done_ + fraction, 1.0);
    if (done_ - reported_ < 1.0 / 256) return;
    reported_ = done_;
    run_.progress(done_);
  }

 private:
  const Run& run_;
  std::mutex mutex_;
  double done_ = 0, reported_ = 0;
};

}  // namespace graze::broad
