#include "terminal/interrupt.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <string_view>
#include <thread>

namespace graze::command {
namespace {

// Never destroyed: the thread that waits for signals outlives main.
std::recursive_mutex& writing() {
  static auto* mutex = new std::recursive_mutex;
  return *mutex;
}

std::atomic<bool> is_flagged = false;  // an InterruptFlag exists
std::atomic<int> flagged_code = 0;     // the exit code that it recorded

}  // namespace

void handle_interrupts() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals] {
    int signal = 0;
    sigwait(&signals, &signal);
    if (is_flagged) {
      flagged_code = 128 + signal;
      sigwait(&signals, &signal);
    }
    const std::scoped_lock lock(writing());
    constexpr std::string_view clear_line = "\r\033[K", message = "graze: interrupted\n";
    if (isatty(STDERR_FILENO)) (void)!write(STDERR_FILENO, clear_line.data(), clear_line.size());
    (void)!write(STDERR_FILENO, message.data(), message.size());
    _exit(128 + signal);
  }).detach();
}

Uninterrupted::Uninterrupted() : lock_(writing()) {}

InterruptFlag::InterruptFlag() {
  is_flagged = true;
}
InterruptFlag::~InterruptFlag() {
  is_flagged = false;
}
int InterruptFlag::exit_code() const {
  return flagged_code;
}

}  // namespace graze::command
