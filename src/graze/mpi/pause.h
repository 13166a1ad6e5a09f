#pragma once

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace graze::mpi {

// The pause between two polls of a rank that waits. The first ones only yield the core, so that a
// message that is on its way is not delayed. Then the rank sleeps, each time a little longer, so
// that other processes can use its core. Where processes share a core, ranks that only yield delay
// each other at every message: each is scheduled again after all others had a slice of time.
class Pause {
 public:
  void operator()() {
    if (yields_ < most_yields) {
      ++yields_;
      sched_yield();
      return;
    }
    std::this_thread::sleep_for(length_);
    length_ = std::min(2 * length_, longest);
  }

  // Begins again, after something has arrived.
  void reset() { *this = {}; }

 private:
  static constexpr int most_yields = 3;
  static constexpr std::chrono::microseconds longest{200};

  int yields_ = 0;
  std::chrono::microseconds length_{10};
};

}  // namespace graze::mpi
