#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <thread>

#include "bench.h"
#include "commands/command.h"
#include "commands/query.h"
#include "graze/mpi.h"
#include "query.h"
#include "ranks.h"
#include "step.h"
#include "terminal/interrupt.h"
#include "terminal/program.h"

namespace graze::command {
namespace {

int run(int argc, char** argv, Ranks& ranks) {
  CLI::App app("Graze on many processes: the commands of graze with the same answers", "graze-mpi");
  app.require_subcommand(1);
  add_version(app, "graze-mpi");
  app.footer(
      "Arguments, output and exit codes are those of graze; every rank returns the same code.\n"
      "{rank} in the name of a file stands for the number of the rank.\n"
      "\nExamples:\n"
      "  mpirun -n 16 graze-mpi step a.ply b.ply --all contacts.csv\n"
      "  mpirun -n 16 graze-mpi steps frames --out steps.json\n"
      "  mpirun -n 16 graze-mpi query edge-edge.npy --out impacts.npy\n"
      "  mpirun -n 16 graze-mpi bench queries --methods all --out results");
  int exit_code = 0;
  add_step(app, exit_code,
           [&](const SingleStepArguments& arguments) { return run_step(arguments, ranks); });
  add_steps(app, exit_code, ranks);
  add_query(app, [&](const QueryArguments& arguments) { run_query(arguments, ranks); });
  add_shared_bench(app, exit_code, ranks);
  if (ranks.leads()) {
    if (const int usage = parse(app, argc, argv)) return usage;
    return exit_code;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {  // printed by rank 0
    return error.get_exit_code() == 0 ? 0 : 2;
  }
  return exit_code;
}

// Returns whether all ranks call this function within a few seconds.
bool all_ranks_fail() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  const Stopwatch watch;
  int all = 0;
  while (watch.seconds() < 5) {
    MPI_Test(&request, &all, MPI_STATUS_IGNORE);
    if (all) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

// Runs the command. An error ends every rank with exit code 2: errors that the ranks share are
// printed by rank 0, and a rank that fails alone prints its error and ends the others.
int run_on_ranks(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of the write
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  Ranks ranks;
  int exit_code = 2;
  try {
    exit_code = run(argc, argv, ranks);
  } catch (const std::exception& exception) {
    if (!all_ranks_fail()) {
      fmt::print(stderr, "graze-mpi: rank {}: {}\n", ranks.rank(), exception.what());
      std::fflush(nullptr);
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (ranks.leads()) report_errors("graze-mpi", []() -> int { throw; });
  }
  // mpirun interrupts all other ranks when the first one returns a code other than 0. They are done
  // too, so they no longer react to it.
  std::fflush(nullptr);
  new Uninterrupted;
  MPI_Finalize();
  return exit_code;
}

}  // namespace
}  // namespace graze::command

// As in graze: Highway's library would measure the resolution of a clock when it is loaded.
namespace hwy::platform {
std::uint64_t TimerResolution();
std::uint64_t TimerResolution() {
  return 1;
}
}  // namespace hwy::platform

int main(int argc, char** argv) {
  // mpirun passes this signal on to all ranks (scripts/mpirun).
  std::signal(SIGUSR1, [](int) { kill(getpid(), SIGINT); });
  return graze::command::run_program("graze-mpi",
                                     [&] { return graze::command::run_on_ranks(argc, argv); });
}
