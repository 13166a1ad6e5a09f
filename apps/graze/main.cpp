#include <fmt/format.h>

#include <cstdint>

#include "commands/command.h"
#include "commands/query.h"
#include "commands/step.h"
#include "terminal/program.h"

namespace graze::command {
namespace {

int run(int argc, char** argv) {
  CLI::App app("Graze: exact continuous collision detection", "graze");
  app.require_subcommand(1);
  add_version(app, "graze");
  app.footer(
      "Exit codes: 0 answered (step, steps, rigid, trace, path: proven free; check: clean;\n"
      "verify: valid), 1 contact, fault found or proof refuted, 3 undecided, 4 a check of sim "
      "failed, 2 bad input or bad usage, 130 "
      "interrupted.\n"
      "\nExamples:\n"
      "  graze generate cloth_on_cone --count 1000 --out cloth\n"
      "  graze step cloth/0.ply cloth/1.ply             when does the mesh first touch itself?\n"
      "  graze bench                                    measure all methods, write a report\n"
      "  graze generate lattice2 --kind edge-edge --count 1000 --seed 1 --out lattice.csv\n"
      "  graze query lattice.csv --kind edge-edge       when do these pairs touch?\n"
      "  graze COMMAND --help                           options of a command");
  int exit_code = 0;
  Team alone;
  add_step(app, exit_code, run_step);
  add_steps(app, exit_code, alone);
  add_rigid(app, exit_code);
  add_sim(app);
  add_trace(app, exit_code);
  add_check(app, exit_code);
  add_path(app, exit_code);
  add_verify(app, exit_code);
  add_record(app);
  add_methods(app);
  add_query(app, run_query);
  add_bench(app);
  add_generate(app);
  add_convert(app);
  add_minimize(app);
  const auto is_named = [&](const CLI::App* command) { return command->get_name() == argv[1]; };
  if (argc > 1 && argv[1][0] != '-' && app.get_subcommands(is_named).empty())
    throw UsageError(fmt::format("no command has the name '{}'; see graze --help", argv[1]));
  if (const int usage = parse(app, argc, argv)) return usage;
  return exit_code;
}

}  // namespace
}  // namespace graze::command

// Highway's library measures the resolution of a clock for 3 ms when it is loaded (1.0, for a
// benchmark of its own that Graze does not use) by calling this function, which a program may
// replace.
namespace hwy::platform {
std::uint64_t TimerResolution();
std::uint64_t TimerResolution() {
  return 1;
}
}  // namespace hwy::platform

int main(int argc, char** argv) {
  return graze::command::run_program("graze", [&] { return graze::command::run(argc, argv); });
}
