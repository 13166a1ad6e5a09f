#pragma once

#include <functional>
#include <span>
#include <vector>

namespace graze::bench {

// Returns seconds since a fixed moment.
using Clock = double (*)();
double processor_seconds();  // processor time of this thread: other processes affect it less
double wall_seconds();

double median(std::vector<double> values);  // NaN for none

// Returns the median time of each pass in seconds. The passes run in turns, so that other processes
// affect all of them alike: at least 3 rounds, at most 31, as many as fit in `seconds`.
std::vector<double> time_in_turns(std::span<const std::function<void()>> passes, double seconds,
                                  Clock clock = processor_seconds);

}  // namespace graze::bench
