#pragma once

#include <functional>
#include <span>
#include <vector>

namespace graze::bench {

// Seconds since some moment.
using Clock = double (*)();
double processor_seconds();  // of this thread, so that a busy machine counts less
double wall_seconds();

double median(std::vector<double> values);  // NaN for none

// The median time of each pass in seconds. The passes are run in turns, so that what else the
// machine does meets all of them: at least 3 rounds, at most 31, as many as fit in `seconds`.
std::vector<double> time_in_turns(std::span<const std::function<void()>> passes, double seconds,
                                  Clock clock = processor_seconds);

}  // namespace graze::bench
