#include "step.h"

#include "graze/mpi.h"

namespace graze::command {
namespace {

// Throws UsageError for options that need the whole mesh in one process.
void refuse_unusable(const SingleStepArguments& arguments) {
  const std::pair<const char*, bool> options[] = {
      {"--device gpu", arguments.device.device == "gpu"},
      {"--dump-queries", !arguments.queries.empty()},
      {"--html", !arguments.html.empty()},
      {"--record", !arguments.record.empty()},
      {"--velocities", !arguments.velocities.empty()}};
  for (const auto& [name, given] : options)
    if (given)
      throw UsageError(std::string(name) +
                       ": graze-mpi cannot do this, since no rank has the whole mesh; use graze");
  if (arguments.first_only && !arguments.all.empty())
    throw UsageError("--all and --first-only exclude each other");
  if (!arguments.all.empty()) check_writable(arguments.all);
}

ShownImpact shown(const mpi::FirstImpact& first) {
  ShownImpact result;
  if (first.impact.verdict != Verdict::contact && first.impact.verdict != Verdict::undecided)
    return result;
  result.found = first;
  result.ids = feature_ids(first.counts, first.kind, first.pair);
  result.point = first.position;
  return result;
}

}  // namespace

int run_step(const SingleStepArguments& arguments, Ranks& ranks) {
  const Stopwatch total;
  StepOptions options;
  ranks.together([&] {
    refuse_unusable(arguments);
    options = arguments.step.options();
  });
  ranks.require_same({arguments.start, arguments.end});
  const mpi::OwnedPart part = mpi::read_motion(MPI_COMM_WORLD, ranks.own_copy(arguments.start),
                                               ranks.own_copy(arguments.end));
  const double load = total.seconds();

  const Run run{.threads = ranks.threads(arguments.step.threads)};
  StepAnswer answer;
  mpi::AllImpacts all;
  if (arguments.first_only) {
    const mpi::FirstImpact first = mpi::earliest_impact(MPI_COMM_WORLD, part.part(), options, run);
    answer = {first.impact.verdict, shown(first), {}, {}, first.work};
  } else {
    all = mpi::all_impacts(MPI_COMM_WORLD, part.part(), options, run);
    answer = {all.verdict, shown(all.first), all.contacts, all.undecided, all.work};
  }
  check_valid(answer.verdict);
  const double seconds = total.seconds();
  if (!arguments.all.empty()) mpi::write_contacts(MPI_COMM_WORLD, arguments.all, all);
  UsedDevice used;
  leave_gpu(arguments.device, ranks_need_cpu, used);
  if (ranks.leads()) print_step(arguments, answer, used, load, seconds);
  return exit_code_of(answer.verdict);
}

}  // namespace graze::command
