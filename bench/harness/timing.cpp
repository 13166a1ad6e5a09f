#include "bench/harness/timing.h"

#include <time.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace graze::bench {
namespace {

double seconds_of(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

double processor_seconds() {
  return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}
double wall_seconds() {
  return seconds_of(CLOCK_MONOTONIC);
}

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return std::midpoint(*std::max_element(values.begin(), middle), *middle);
}

std::vector<double> time_in_turns(std::span<const std::function<void()>> passes, double seconds,
                                  Clock clock) {
  constexpr int least_rounds = 3, most_rounds = 31;
  std::vector<std::vector<double>> times(passes.size());
  const double begin = clock();
  for (int round = 0; round < least_rounds || (round < most_rounds && clock() - begin < seconds);
       ++round)
    for (std::size_t i = 0; i < passes.size(); ++i) {
      const double before = clock();
      passes[i]();
      times[i].push_back(clock() - before);
    }
  std::vector<double> medians;
  for (auto& each : times) medians.push_back(median(std::move(each)));
  return medians;
}

}  // namespace graze::bench
