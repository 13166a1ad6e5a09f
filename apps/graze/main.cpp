#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>

#include "bench/machine.h"
#include "command.h"
#include "graze/io/file_error.h"
#include "interrupt.h"

namespace graze::command {
namespace {

// The one line that every failure prints.
int fail(std::string message) {
  std::replace_if(
      message.begin(), message.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  fmt::print(stderr, "{}\n", message);
  return 2;
}

int run(int argc, char** argv) {
  CLI::App app("Graze: exact continuous collision detection", "graze");
  app.require_subcommand(1);
  app.set_version_flag("--version", [] {
    const auto machine = bench::machine();
    return fmt::format("graze {} ({})", machine["version"].get<std::string>(),
                       machine["commit"].get<std::string>());
  });
  app.footer(
      "Exit codes: 0 answered (step, steps, rigid, trace: free), 1 step, steps, rigid, trace:\n"
      "contact, 2 bad input or bad usage, 130 interrupted.\n"
      "\nExamples:\n"
      "  graze generate cloth_on_cone --count 1000 --out cloth\n"
      "  graze step cloth/0.ply cloth/1.ply             when does the mesh first touch itself?\n"
      "  graze bench                                    compare all methods, write a report\n"
      "  graze generate lattice2 --kind edge-edge --count 1000 --seed 1 --out lattice.csv\n"
      "  graze query lattice.csv --kind edge-edge       when do these touch?\n"
      "  graze COMMAND --help                           more on a command");
  int exit_code = 0;
  add_step(app, exit_code);
  add_steps(app, exit_code);
  add_rigid(app, exit_code);
  add_sim(app, exit_code);
  add_trace(app, exit_code);
  add_record(app);
  add_methods(app);
  add_query(app);
  add_bench(app);
  add_generate(app);
  add_convert(app);
  add_minimize(app);
  const auto is_named = [&](const CLI::App* command) { return command->get_name() == argv[1]; };
  if (argc > 1 && argv[1][0] != '-' && app.get_subcommands(is_named).empty())
    throw UsageError(fmt::format("no command is called '{}'; see graze --help", argv[1]));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    return fail(fmt::format("graze: {}; see graze --help", error.what()));
  }
  if (std::fflush(stdout) != 0) return fail("graze: cannot write to standard output");
  return exit_code;
}

}  // namespace
}  // namespace graze::command

int main(int argc, char** argv) {
  using namespace graze::command;
  handle_interrupts();
  try {
    return run(argc, argv);
  } catch (const graze::io::FileError& error) {
    return fail(error.what());
  } catch (const std::bad_alloc&) {
    return fail("graze: out of memory");
  } catch (const std::exception& error) {
    return fail(fmt::format("graze: {}", error.what()));
  }
}
