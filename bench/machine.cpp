#include "bench/machine.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>
#include <thread>

#include "commit.h"

namespace graze::bench {
namespace {

std::string cpu() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      if (const auto colon = line.find(": "); colon != std::string::npos)
        return line.substr(colon + 2);
  return "unknown";
}

}  // namespace

nlohmann::ordered_json machine() {
  double load = 0;
  const bool known = getloadavg(&load, 1) == 1;
#if defined(__clang__)
  const std::string compiler = fmt::format("clang {}", __clang_version__);
#else
  const std::string compiler = fmt::format("g++ {}", __VERSION__);
#endif
  return {{"cpu", cpu()},
          {"cores", std::thread::hardware_concurrency()},
          {"load", known ? nlohmann::ordered_json(load) : nlohmann::ordered_json()},
          {"compiler", compiler},
          {"flags", GRAZE_FLAGS},
          {"commit", GRAZE_COMMIT},
          {"version", GRAZE_VERSION},
          {"date", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))}};
}

}  // namespace graze::bench
