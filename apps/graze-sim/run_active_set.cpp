#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "commands/command.h"
#include "commands/step.h"
#include "graze/check_mesh.h"
#include "scene_recorder.h"
#include "scenes/json_reader.h"
#include "sim.h"
#include "soft_scene.h"
#include "terminal/terminal.h"

namespace graze::command {
namespace {

sim::soft::Constraints constraints_of(const SimArguments& arguments) {
  sim::soft::Constraints options;
  options.eta = arguments.eta.value_or(options.eta);
  if (!(options.eta > 0 && options.eta <= 0.1))
    throw UsageError("--eta must be above 0 and at most 0.1");
  const std::string ccd = arguments.ccd.empty() ? "separation_root" : arguments.ccd;
  const Method& method = require_method(ccd);
  Options& query = options.collisions.query;
  query.distance_tol = arguments.distance_tol.value_or(query.distance_tol);
  Options asked = query;
  asked.min_separation = options.eta;
  check_options(asked, method);
  check_primitive(method, Kind::vertex_face);
  check_primitive(method, Kind::edge_edge);
  options.collisions.method = &method;
  // Any other method runs as in the paper, so that its errors show.
  options.certified = method.guarantee == Guarantee::exact;
  return options;
}

// Sums over the steps of a run.
struct ActiveSetTotals {
  std::uint64_t steps = 0, iterations = 0, unfinished = 0, dropped = 0;
  std::uint64_t crossing_frames = 0, crossings = 0, parts = 0, stopped = 0;
  std::size_t most_constraints = 0, most_pressing = 0;
  double collision_seconds = 0, check_seconds = 0, solver_seconds = 0;

  void add(const sim::soft::Report& report, std::size_t intersections) {
    ++steps;
    iterations += static_cast<std::uint64_t>(report.iterations);
    unfinished += !report.converged;
    dropped += static_cast<std::uint64_t>(report.dropped);
    crossing_frames += intersections > 0;
    crossings += intersections;
    most_constraints = std::max(most_constraints, report.contacts);
    most_pressing = std::max(most_pressing, report.pressing);
    parts += static_cast<std::uint64_t>(report.parts);
    stopped += static_cast<std::uint64_t>(report.stopped);
    collision_seconds += report.collision_seconds;
    check_seconds += report.check_seconds;
    solver_seconds += report.solver_seconds;
  }
};

}  // namespace

SimSummary run_active_set(const SimArguments& arguments, const sim::soft::Model& model) {
  const sim::soft::Constraints constraints = constraints_of(arguments);
  for (const sim::soft::Body& body : model.bodies)
    for (const sim::soft::Hold& hold : body.holds)
      if (hold.drive.moves())
        throw UsageError(fmt::format("--solver active_set moves no driven vertices: {} has some",
                                     body.name.empty() ? "a body" : body.name));
  sim::soft::Options options;
  options.contacts = constraints;
  options.observer = arguments.observer;
  const Run run{.threads = arguments.threads};
  sim::soft::Workspace workspace(model);
  const sim::soft::ContactSurface& surface = workspace.surface();
  sim::soft::State state = start(model);
  if (!arguments.resume.empty()) state = read_soft_state(arguments.resume, state);
  MeshRecorder recorder(arguments.recording, arguments.scene, surface.mesh,
                        surface.positions(state.positions), state.time);

  // Without barriers the energy has these three parts.
  const auto energy_now = [&] {
    const sim::soft::Energy now = energy(model, state, workspace);
    return now.kinetic + now.gravity + now.elastic;
  };
  // Certified or not: the pairs of faces that intersect.
  const auto intersections_now = [&] {
    return find_intersections(surface.mesh, surface.positions(state.positions), surface.fixed, run)
        .faces.size();
  };
  const double energy_before = energy_now();
  double most_energy = energy_before;
  ActiveSetTotals totals;
  SimSummary summary;
  {
    ProgressBar bar("moving");
    summary.interrupted = run_steps(
        arguments, arguments.step.value_or(model.step), [&](double seconds, double fraction) {
          options.seconds = seconds;
          const sim::soft::Report report = step(model, state, workspace, options, run);
          totals.add(report, intersections_now());
          most_energy = std::max(most_energy, energy_now());
          recorder.add_frame(state.time, surface.positions(state.positions));
          bar(fmt::format("{:.2f} s, {} contacts", state.time, report.pressing), fraction);
          return true;
        });
  }

  if (!arguments.save.empty()) write_json(arguments.save, to_json(state));

  const double seconds = totals.collision_seconds + totals.check_seconds + totals.solver_seconds;
  // The faces that intersect decide, whatever the method.
  summary.clean = totals.crossings == 0;
  if (!summary.clean)
    summary.failure =
        fmt::format("{}: {} frames with intersections, 0 are allowed (--ccd {})", arguments.scene,
                    totals.crossing_frames, constraints.collisions.method->name);
  summary.json = {
      {"scene", arguments.scene},
      {"vertices", state.positions.size()},
      {"triangles", surface.mesh.faces.size()},
      {"simulated_s", state.time},
      {"steps", totals.steps},
      {"ccd", constraints.collisions.method->name},
      {"eta", constraints.eta},
      {"certified", constraints.certified},
      {"parts", totals.parts},
      {"stopped_parts", totals.stopped},
      {"iterations", totals.iterations},
      {"unfinished_steps", totals.unfinished},
      {"dropped_constraints", totals.dropped},
      {"most_constraints", totals.most_constraints},
      {"most_pressing", totals.most_pressing},
      {"intersecting_frames", totals.crossing_frames},
      {"intersections", totals.crossings},
      {"energy_J", {{"start", energy_before}, {"end", energy_now()}, {"most", most_energy}}},
      {"seconds",
       {{"collision", totals.collision_seconds},
        {"check", totals.check_seconds},
        {"solver", totals.solver_seconds},
        {"total", seconds}}}};
  summary.text = fmt::format(
      "{} vertices, {} triangles, {:.4g} s in {} steps: {}\n"
      "{} iterations, up to {} constraints, {} of them with a force; {} steps did not converge\n"
      "{}\n"
      "{:.1f} s, {:.1f} % of them in collision detection\n",
      report::format_count(state.positions.size()), report::format_count(surface.mesh.faces.size()),
      state.time, report::format_count(totals.steps),
      totals.crossings > 0 ? fmt::format("{} frames with INTERSECTIONS",
                                         report::format_count(totals.crossing_frames))
                           : "no intersection in any frame",
      report::format_count(totals.iterations), report::format_count(totals.most_constraints),
      report::format_count(totals.most_pressing), report::format_count(totals.unfinished),
      constraints.certified
          ? fmt::format("certified by exact: {} parts of steps, {} of them ended on the way",
                        report::format_count(totals.parts), report::format_count(totals.stopped))
          : "not certified, as in the paper",
      seconds, 100 * (totals.collision_seconds + totals.check_seconds) / seconds);
  return summary;
}

}  // namespace graze::command
