// The program behind `graze sim`.
#include <CLI/CLI.hpp>

#include "sim.h"
#include "terminal/program.h"

int main(int argc, char** argv) {
  return graze::command::run_program("graze", [&] {
    CLI::App app("Run a scene of moving bodies and check every step", "graze sim");
    graze::command::add_version(app, "graze");
    int exit_code = 0;
    graze::command::add_sim(app, exit_code);
    if (const int usage = graze::command::parse(app, argc, argv)) return usage;
    return exit_code;
  });
}
