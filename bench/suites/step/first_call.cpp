#include "bench/suites/step/first_call.h"

#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/harness/timing.h"
#include "graze/step.h"

extern char** environ;

namespace graze::bench {
namespace {

namespace fs = std::filesystem;

struct Ended {
  std::string output;
  double processor_seconds = 0;
};

// Runs a program until it ends and reads its output. Returns nothing if it cannot be started.
std::optional<Ended> run(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  int ends[2];
  if (pipe(ends) != 0) return std::nullopt;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  pid_t child = 0;
  const int failed =
      posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  Ended ended;
  char part[4096];
  for (ssize_t size = 0; !failed && (size = read(ends[0], part, sizeof part)) > 0;)
    ended.output.append(part, static_cast<std::size_t>(size));
  close(ends[0]);
  rusage usage{};
  if (failed || wait4(child, nullptr, 0, &usage) != child) return std::nullopt;
  for (const timeval& time : {usage.ru_utime, usage.ru_stime})
    ended.processor_seconds +=
        static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  return ended;
}

}  // namespace

std::optional<FirstCall> measure_first_call(const std::array<fs::path, 2>& files,
                                            const MovingMesh& moving, double seconds) {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path() / "graze";
  const std::vector<std::string> words = {
      program.string(), "step",   files[0].string(), files[1].string(),
      "--first-only",   "--json", "--threads",       "1"};
  constexpr std::size_t least_rounds = 5, most_rounds = 31;
  std::vector<double> first, process, warm_wall, warm_processor;
  const double begin = wall_seconds();
  while (first.size() < least_rounds ||
         (first.size() < most_rounds && wall_seconds() - begin < seconds)) {
    const auto ended = run(words);
    if (!ended) return std::nullopt;
    const auto json = nlohmann::json::parse(ended->output, nullptr, false);
    if (!json.is_object()) return std::nullopt;
    const auto& times = json["seconds"];
    first.push_back(times["total"].get<double>() - times["load"].get<double>());
    process.push_back(ended->processor_seconds);
    const double wall = wall_seconds(), processor = processor_seconds();
    earliest_impact(moving, {}, {.threads = 1});
    warm_processor.push_back(processor_seconds() - processor);
    warm_wall.push_back(wall_seconds() - wall);
  }
  warm_wall.erase(warm_wall.begin());
  warm_processor.erase(warm_processor.begin());
  return FirstCall{median(first), median(process), median(warm_wall), median(warm_processor)};
}

}  // namespace graze::bench
