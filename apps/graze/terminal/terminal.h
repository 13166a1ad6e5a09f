#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <thread>

#include "terminal/report.h"

namespace graze::command {

// Prints aligned columns, in colour where standard output is a terminal and NO_COLOR is not set.
void print(const report::Table& table);

void print(const nlohmann::ordered_json& json);

// A line on standard error with the current task and its progress. It appears after one second,
// only on a terminal, and is erased by the destructor.
class ProgressBar {
 public:
  explicit ProgressBar(std::string doing);
  ~ProgressBar();
  // Sets the task and the finished fraction, in [0, 1]. Before the first call the line shows the
  // task and the elapsed time.
  void operator()(std::string_view doing, double fraction);
  // Prints a line on standard output without mixing it with the bar.
  void print_line(std::string_view line);

 private:
  void draw() const;

  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::condition_variable end_;
  std::string doing_;
  double fraction_ = 0;
  bool ended_ = false;
  std::thread drawer_;  // not running where standard error is not a terminal
};

}  // namespace graze::command
