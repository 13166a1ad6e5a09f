#pragma once

#include <mutex>

namespace graze::command {

// Makes Ctrl-C and SIGTERM end the process with exit code 130 and 143. Must be called first in
// main: threads that start later must inherit the blocked signals.
void handle_interrupts();

// Delays interrupts during its lifetime, so that files are written completely or not at all.
// Objects may nest.
class Uninterrupted {
 public:
  Uninterrupted();

 private:
  std::unique_lock<std::recursive_mutex> lock_;
};

// During the lifetime of an InterruptFlag the first interrupt is recorded instead of ending the
// process, so that a run can end after its current step and keep its results. The second interrupt
// ends the process at once. At most one InterruptFlag may exist at a time.
class InterruptFlag {
 public:
  InterruptFlag();
  ~InterruptFlag();
  InterruptFlag(const InterruptFlag&) = delete;
  InterruptFlag& operator=(const InterruptFlag&) = delete;

  // Returns 0, or after an interrupt the exit code of the process: 130 or 143.
  int exit_code() const;
};

}  // namespace graze::command
