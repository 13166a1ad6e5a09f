#pragma once

#include <atomic>

#include "graze/options.h"

namespace graze::sim {

// Returns whether the stop flag of a run is set.
inline bool is_stopped(const Run& run) {
  return run.stop && run.stop->load(std::memory_order_relaxed);
}

// Returns the Run of a call that is one part of the work of `run`: its threads and its stop flag.
// The progress of a part is not the progress of the whole.
inline Run inner_run(const Run& run) {
  return {.threads = run.threads, .stop = run.stop};
}

}  // namespace graze::sim
