#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace graze {

// The processor and the build that results come from.
struct Machine {
  std::string cpu;              // "unknown" where /proc/cpuinfo does not name it
  unsigned cores = 0;           // hardware threads
  std::string instruction_set;  // of the kernels that this process chose, such as AVX2
  std::optional<double> load;   // running processes, mean over the last minute
  std::string compiler, flags, commit, version;
  std::string date;  // UTC, ISO 8601
};

// Returns the description of this machine at the time of the call.
Machine machine();

// Returns one line: processor, cores, compiler, flags, commit and date.
std::string describe(const Machine& machine);

nlohmann::ordered_json json_of(const Machine& machine);

}  // namespace graze
