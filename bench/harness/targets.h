#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bench/harness/suite.h"

namespace graze::bench {

// A call that runs one SIMD kernel on one thread.
struct Kernel {
  std::string name, data;
  std::size_t items;                    // that one call processes
  std::function<std::uint64_t()> call;  // returns a number that depends on the answers alone
};

// The time of a kernel with each instruction set.
struct KernelTimes {
  std::string name, data;
  std::size_t items;
  std::vector<double> ns_per_item;  // by instruction set, as target_names()
  bool same_answers;                // with every instruction set
};

// The instruction sets that the kernels are compiled for and the processor has, the best one first.
std::vector<std::int64_t> supported_targets();
std::vector<std::string> target_names();
// Makes the kernels use one instruction set; 0: the best one again. Other threads must not use the
// library in the meantime.
void use_target(std::int64_t target);

// Measures the kernels with each instruction set in turns, for about `seconds` for each kernel:
// medians of processor time.
std::vector<KernelTimes> measure_kernels(std::span<const Kernel> kernels, double seconds);

// Returns a result of the suite that has these times only.
Result kernels_result(std::string_view suite, const std::vector<KernelTimes>& times,
                      std::vector<std::string> missing);

}  // namespace graze::bench
