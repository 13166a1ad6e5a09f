#pragma once

#include <mutex>

namespace graze::command {

// Lets Ctrl-C and SIGTERM end the process cleanly and at once, with exit code 130 and 143. Call
// first in main: threads started later must inherit the blocked signals.
void handle_interrupts();

// While one lives, an interrupt waits: files are written whole or not at all. They may nest.
class Uninterrupted {
 public:
  Uninterrupted();

 private:
  std::unique_lock<std::recursive_mutex> lock_;
};

}  // namespace graze::command
