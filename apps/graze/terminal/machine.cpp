#include "terminal/machine.h"

#include <fmt/format.h>
#include <hwy/targets.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "commit.h"

namespace graze {
namespace {

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      if (const auto colon = line.find(": "); colon != std::string::npos)
        return line.substr(colon + 2);
  return "unknown";
}

// Returns the target that Highway chooses: the best of those compiled that the processor has.
std::string instruction_set() {
  const std::int64_t best = hwy::SupportedTargets() & HWY_TARGETS;
  return hwy::TargetName(best & -best);
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace

Machine machine() {
  Machine found;
  found.cpu = cpu_name();
  found.cores = std::thread::hardware_concurrency();
  found.instruction_set = instruction_set();
  if (double load = 0; getloadavg(&load, 1) == 1) found.load = load;
#if defined(__clang__)
  found.compiler = fmt::format("clang {}", __clang_version__);
#else
  found.compiler = fmt::format("g++ {}", __VERSION__);
#endif
  found.flags = GRAZE_FLAGS;
  found.commit = GRAZE_COMMIT;
  found.version = GRAZE_VERSION;
  found.date = utc_now();
  return found;
}

std::string describe(const Machine& machine) {
  return fmt::format("{}, {} cores. {}, {}. Commit {}, {}.", machine.cpu, machine.cores,
                     machine.compiler, machine.flags, machine.commit, machine.date);
}

nlohmann::ordered_json json_of(const Machine& machine) {
  using Json = nlohmann::ordered_json;
  return {{"cpu", machine.cpu},
          {"cores", machine.cores},
          {"instruction_set", machine.instruction_set},
          {"load", machine.load ? Json(*machine.load) : Json()},
          {"compiler", machine.compiler},
          {"flags", machine.flags},
          {"commit", machine.commit},
          {"version", machine.version},
          {"date", machine.date}};
}

}  // namespace graze
