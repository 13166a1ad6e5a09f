#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "graze/io/report.h"

namespace graze::command {

// Aligned columns; colours where standard output is a terminal and NO_COLOR is not set.
void print(const io::Table& table);

// A line on standard error that tells how far a long job is: shown after the first second and only
// on a terminal, gone when the job ends.
class ProgressBar {
 public:
  ~ProgressBar();
  void operator()(std::string_view doing, double fraction);

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now(), shown_ = start_;
  bool visible_ = false;
};

}  // namespace graze::command
