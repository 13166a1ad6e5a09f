// The commands that are programs of their own, so that the first build of `graze` compiles neither
// the simulators nor the benchmark.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "commands/command.h"
#include "graze/io/file_error.h"

namespace graze::command {
namespace {

// Adds a command that passes all its arguments, --help included, to the program graze-NAME.
void add_program(CLI::App& app, const std::string& name, const std::string& description) {
  auto& command = *app.add_subcommand(name, description);
  command.prefix_command();
  command.set_help_flag();
  command.callback([name, &command] { start_program(name, command.remaining()); });
}

}  // namespace

void start_program(const std::string& name, const std::vector<std::string>& arguments) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const std::string program_name = "graze-" + name;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path() / program_name;
  std::vector<char*> words = {const_cast<char*>(program_name.c_str())};
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  execv(program.c_str(), words.data());
  throw io::FileError(program.string(),
                      fmt::format("cannot be started; build it with: scripts/build release "
                                  "graze_{}_command",
                                  name));
}

void add_bench(CLI::App& app) {
  add_program(app, "bench", "Measure the time and the errors of the methods; write a report");
}

void add_sim(CLI::App& app) {
  add_program(app, "sim", "Run a scene of moving bodies and check every step");
}

}  // namespace graze::command
