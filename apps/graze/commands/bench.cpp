#include <unistd.h>

#include <filesystem>
#include <memory>

#include "commands/command.h"
#include "graze/io/file_error.h"

namespace graze::command {

void start_benchmark(const std::vector<std::string>& arguments) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path program =
      fs::read_symlink("/proc/self/exe", ignored).parent_path() / "graze-bench";
  std::vector<char*> words = {const_cast<char*>("graze-bench")};
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  execv(program.c_str(), words.data());
  throw io::FileError(
      program.string(),
      "cannot be started; build the benchmark with: scripts/build release graze_bench_command");
}

void add_bench(CLI::App& app) {
  auto& command = *app.add_subcommand(
      "bench", "Measure the time and the errors of the methods; write a report");
  command.prefix_command();  // graze-bench reads every argument that follows, --help included
  command.set_help_flag();
  command.callback([&command] { start_benchmark(command.remaining()); });
}

}  // namespace graze::command
