#include "interrupt.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <string_view>
#include <thread>

namespace graze::command {
namespace {

// Never destroyed: the waiting thread outlives main.
std::recursive_mutex& writing() {
  static auto* mutex = new std::recursive_mutex;
  return *mutex;
}

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
    const std::scoped_lock lock(writing());
    constexpr std::string_view clear_line = "\r\033[K", message = "graze: interrupted\n";
    if (isatty(STDERR_FILENO)) (void)!write(STDERR_FILENO, clear_line.data(), clear_line.size());
    (void)!write(STDERR_FILENO, message.data(), message.size());
    _exit(128 + signal);
  }).detach();
}

Uninterrupted::Uninterrupted() : lock_(writing()) {}

}  // namespace graze::command
