#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <thread>

#include "graze/io/report.h"

namespace graze::command {

// Aligned columns; colours where standard output is a terminal and NO_COLOR is not set.
void print(const io::Table& table);

void print(const nlohmann::ordered_json& json);

// A line on standard error that tells what a long job does and how far it is: shown after the first
// second and only on a terminal, gone when the job ends.
class ProgressBar {
 public:
  explicit ProgressBar(std::string doing);
  ~ProgressBar();
  // Without a call the line tells only what is done and for how long.
  void operator()(std::string_view doing, double fraction);
  // A line on standard output, where the bar does not run into it.
  void print_line(std::string_view line);

 private:
  void draw() const;

  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::condition_variable end_;
  std::string doing_;
  double fraction_ = 0;
  bool ended_ = false;
  std::thread drawer_;  // none where nothing is to be shown
};

}  // namespace graze::command
