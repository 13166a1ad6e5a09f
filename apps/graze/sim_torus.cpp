#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "command.h"
#include "graze/sim/elastic/active_set_solver.h"
#include "graze/sim/elastic/crossing_faces.h"
#include "graze/sim/elastic/torus_scene.h"
#include "json_reader.h"
#include "scene_recorder.h"
#include "sim.h"
#include "soft_scene.h"
#include "step.h"
#include "terminal.h"

namespace graze::command {
namespace {

ActiveSetOptions options_of(const SimArguments& arguments) {
  ActiveSetOptions options;
  options.eta = arguments.eta.value_or(options.eta);
  if (!(options.eta > 0 && options.eta <= 0.1))
    throw UsageError("--eta must be above 0 and at most 0.1");
  options.collisions.pairs.threads = arguments.threads;
  options.observer = arguments.observer;
  const std::string ccd = arguments.ccd.empty() ? "separation_root" : arguments.ccd;
  const Method& method = require_method(ccd);
  Options& query = options.collisions.query;
  query.distance_tol = arguments.distance_tol.value_or(query.distance_tol);
  Options asked = query;
  asked.min_separation = options.eta;
  check_options(asked, method);
  check_primitive(method, bench::Kind::vertex_face);
  check_primitive(method, bench::Kind::edge_edge);
  options.collisions.method = &method;
  return options;
}

// Sums over the steps of a run.
struct Totals {
  std::uint64_t steps = 0, iterations = 0, unfinished = 0, dropped = 0;
  std::uint64_t crossing_frames = 0, crossings = 0;
  std::size_t most_constraints = 0, most_pressing = 0;
  double collision_seconds = 0, solver_seconds = 0;

  void add(const ActiveSetReport& report, std::size_t crossing) {
    ++steps;
    iterations += static_cast<std::uint64_t>(report.iterations);
    unfinished += !report.converged;
    dropped += static_cast<std::uint64_t>(report.dropped);
    crossing_frames += crossing > 0;
    crossings += crossing;
    most_constraints = std::max(most_constraints, report.constraints);
    most_pressing = std::max(most_pressing, report.pressing);
    collision_seconds += report.collision_seconds;
    solver_seconds += report.solver_seconds;
  }
};

}  // namespace

SimSummary run_torus(const SimArguments& arguments) {
  const ActiveSetOptions options = options_of(arguments);
  SoftModel model = torus_scene(arguments.count > 0 ? arguments.count : 456);
  const double h = arguments.step.value_or(model.step);
  ActiveSetSolver solver(std::move(model), options);
  const Mesh& mesh = solver.surface().mesh;
  if (!arguments.resume.empty()) solver.restore(read_soft_state(arguments.resume, solver.state()));
  MeshRecorder recorder(arguments.recording, "torus", mesh, solver.surface_positions());

  const double energy_before = solver.energy();
  double most_energy = energy_before;
  Totals totals;
  {
    ProgressBar bar("moving");
    const auto steps = static_cast<std::uint64_t>(std::ceil(arguments.seconds / h - 1e-9));
    while (totals.steps < steps) {
      const ActiveSetReport report = solver.step(h);
      const std::vector<Vec3> frame = solver.surface_positions();
      totals.add(report, crossing_faces(mesh, frame, solver.surface().fixed).size());
      most_energy = std::max(most_energy, solver.energy());
      recorder.add_frame(solver.time(), frame);
      bar(fmt::format("{:.2f} s, {} contacts", solver.time(), report.pressing),
          static_cast<double>(totals.steps) / static_cast<double>(steps));
    }
  }

  if (!arguments.save.empty()) write_json(arguments.save, to_json(solver.state()));

  const double seconds = totals.collision_seconds + totals.solver_seconds;
  SimSummary summary;
  // The method proves nothing; what another one than the exact leads to is what is asked.
  summary.clean = totals.crossings == 0 || !arguments.ccd.empty();
  summary.json = {
      {"scene", arguments.scene},
      {"vertices", solver.positions().size()},
      {"triangles", mesh.faces.size()},
      {"simulated_s", solver.time()},
      {"steps", totals.steps},
      {"ccd", options.collisions.method->name},
      {"eta", options.eta},
      {"iterations", totals.iterations},
      {"unfinished_steps", totals.unfinished},
      {"dropped_constraints", totals.dropped},
      {"most_constraints", totals.most_constraints},
      {"most_pressing", totals.most_pressing},
      {"intersecting_frames", totals.crossing_frames},
      {"intersections", totals.crossings},
      {"energy_J", {{"start", energy_before}, {"end", solver.energy()}, {"most", most_energy}}},
      {"seconds",
       {{"collision", totals.collision_seconds},
        {"solver", totals.solver_seconds},
        {"total", seconds}}}};
  summary.text = fmt::format(
      "{} vertices, {} triangles, {:.4g} s in {} steps: {}\n"
      "{} iterations, up to {} constraints, {} of them with a force; {} steps unfinished\n"
      "{:.1f} s, {:.1f} % of them in collision detection\n",
      io::format_count(solver.positions().size()), io::format_count(mesh.faces.size()),
      solver.time(), io::format_count(totals.steps),
      totals.crossings > 0
          ? fmt::format("{} frames with INTERSECTIONS", io::format_count(totals.crossing_frames))
          : "no intersection in any frame",
      io::format_count(totals.iterations), io::format_count(totals.most_constraints),
      io::format_count(totals.most_pressing), io::format_count(totals.unfinished), seconds,
      100 * totals.collision_seconds / seconds);
  return summary;
}

}  // namespace graze::command
