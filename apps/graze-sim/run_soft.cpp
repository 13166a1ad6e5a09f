#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "commands/command.h"
#include "commands/step.h"
#include "graze/generate/models.h"
#include "graze/io/mesh_files.h"
#include "graze/sim/elastic/soft_scenes.h"
#include "graze/sim/elastic/torus_scene.h"
#include "scenes/json_reader.h"
#include "sim.h"
#include "soft_scene.h"
#include "terminal/data_folder.h"
#include "terminal/terminal.h"

namespace graze::command {
namespace {

// Returns the surface that falls, z up: --model, the cow of the data folder, or a generated figure.
io::MeshFrame squash_surface(const SimArguments& arguments) {
  const auto data = data_folder();
  if (arguments.model.empty() && !data) {
    const generate::SurfaceModel figure = generate::bumpy_figure(24, 16);
    return {make_mesh(figure.vertices.size(), figure.faces), figure.vertices};
  }
  const std::string file =
      arguments.model.empty() ? (*data / "models/spot.obj").string() : arguments.model;
  io::MeshFrame frame = io::read_mesh(file);
  if (frame.mesh.faces.empty()) throw io::FileError(file, "has no faces");
  for (Vec3& x : frame.positions) x = {x.x(), -x.z(), x.y()};
  return frame;
}

sim::soft::Model squash(const SimArguments& arguments) {
  const io::MeshFrame frame = squash_surface(arguments);
  sim::soft::Model model = sim::soft::squash_scene(frame.positions, frame.mesh.faces,
                                                   arguments.count > 0 ? arguments.count : 300);
  if (const std::string wrong = problem(model); !wrong.empty())
    throw io::FileError(arguments.model.empty() ? arguments.scene : arguments.model, wrong);
  return model;
}

sim::soft::Model soft_model_of(const SimArguments& arguments) {
  if (arguments.scene == "squash") return squash(arguments);
  if (arguments.scene == "torus")
    return sim::soft::torus_scene(arguments.count > 0 ? arguments.count : 456);
  for (const sim::soft::SoftScene& scene : sim::soft::soft_scenes())
    if (scene.name == arguments.scene) {
      sim::soft::Model model =
          scene.make(arguments.count > 0 ? arguments.count : scene.usual_vertices);
      if (const std::string wrong = problem(model); !wrong.empty()) throw UsageError(wrong);
      return model;
    }
  return read_soft_scene(arguments.scene);
}

sim::LineSearchOptions search_of(const SimArguments& arguments, const sim::soft::Model& model) {
  sim::LineSearchOptions search = sim::soft::default_search(model);
  const Method& method = chosen_method(arguments.ccd, {.min_separation = search.separation});
  if (&method == &default_method({.min_separation = search.separation})) {
    if (arguments.distance_tol)
      throw UsageError("--distance-tol needs a method with a tolerance, as --ccd tight_inclusion");
    return search;
  }
  search.method = &method;
  search.query.distance_tol = arguments.distance_tol.value_or(search.query.distance_tol);
  check_options(search.query, method);
  if (!search.method->min_separation() || !search.method->vertex_face || !search.method->edge_edge)
    throw UsageError(fmt::format("--ccd: the method {} supports no separation", arguments.ccd));
  return search;
}

// Records each body and each obstacle as a body of the recording.
class SoftRecorder {
 public:
  SoftRecorder(io::Recording* recording, const sim::soft::Model& model,
               const sim::soft::ContactSurface& surface, const sim::soft::State& state)
      : recording_(recording), surface_(surface) {
    if (!recording_) return;
    const std::vector<Vec3> positions = surface.positions(state.positions);
    std::vector<io::RecordedBody> bodies(model.bodies.size() + model.obstacles.size());
    firsts_.assign(bodies.size(), 0);
    for (std::uint32_t i = 0; i < positions.size(); ++i) {
      const std::uint32_t body = surface.carriers[i].body;
      if (bodies[body].vertices.empty()) firsts_[body] = i;
      bodies[body].vertices.push_back(positions[i]);
    }
    for (const Face& face : surface.mesh.faces) {
      const std::uint32_t body = surface.carriers[face[0]].body, first = firsts_[body];
      bodies[body].faces.push_back({face[0] - first, face[1] - first, face[2] - first});
    }
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const bool moves = i < model.bodies.size();
      bodies[i].name = moves ? model.bodies[i].name : model.obstacles[i - model.bodies.size()].name;
      if (!moves) bodies[i].color = {0.35F, 0.37F, 0.4F};
      sizes_.push_back(moves ? bodies[i].vertices.size() : 0);
      recording_->add_body(std::move(bodies[i]));
    }
    add_frame(state);
  }

  void add_frame(const sim::soft::State& state) {
    if (!recording_) return;
    const std::vector<Vec3> positions = surface_.positions(state.positions);
    recording_->begin_frame(state.time);
    for (std::uint32_t i = 0; i < sizes_.size(); ++i)
      if (sizes_[i] > 0)
        recording_->set_positions(i, std::span(positions).subspan(firsts_[i], sizes_[i]));
  }

 private:
  io::Recording* recording_;
  const sim::soft::ContactSurface& surface_;
  std::vector<std::uint32_t> firsts_;
  std::vector<std::size_t> sizes_;  // of the moving bodies; 0 for obstacles
};

// Sums over the steps of a run.
struct SoftTotals {
  std::uint64_t steps = 0, newton_steps = 0, unfinished = 0, intersections = 0, bound_pairs = 0;
  std::size_t most_contacts = 0;
  double least_bound = 1, off_course = 0;
  double bound_seconds = 0, check_seconds = 0, other_seconds = 0, monitor_seconds = 0;
  double most_energy = 0;

  void add(const sim::soft::Report& report, double energy) {
    ++steps;
    newton_steps += static_cast<std::uint64_t>(report.iterations);
    unfinished += !report.converged;
    bound_pairs += report.bound_pairs;
    most_contacts = std::max(most_contacts, report.contacts);
    least_bound = std::min(least_bound, report.bound);
    off_course = std::max(off_course, report.off_course);
    bound_seconds += report.collision_seconds;
    check_seconds += report.check_seconds;
    other_seconds += report.solver_seconds;
    most_energy = std::max(most_energy, energy);
  }
};

SimSummary run_barriers(const SimArguments& arguments, const sim::soft::Model& model) {
  if (arguments.eta) throw UsageError("--eta needs --solver active_set");
  sim::soft::Options options;
  options.contacts = sim::soft::Barriers{search_of(arguments, model)};
  options.observer = arguments.observer;
  const Run run{.threads = arguments.threads};
  sim::soft::Workspace workspace(model);
  SoftTotals totals;
  options.monitor = [&](const sim::soft::State& before, const sim::soft::State& after) {
    const Stopwatch monitor;
    totals.intersections +=
        find_crossing(workspace.surface(), before, after, run).verdict != Verdict::separated;
    totals.monitor_seconds += monitor.seconds();
  };
  sim::soft::State state = start(model);
  if (!arguments.resume.empty()) state = read_soft_state(arguments.resume, state);
  SoftRecorder recorder(arguments.recording, model, workspace.surface(), state);

  const double energy_before = energy(model, state, workspace).total();
  totals.most_energy = energy_before;
  SimSummary summary;
  {
    ProgressBar bar("moving");
    summary.interrupted = run_steps(
        arguments, arguments.step.value_or(model.step), [&](double seconds, double fraction) {
          options.seconds = seconds;
          const sim::soft::Report report = step(model, state, workspace, options, run);
          totals.add(report, energy(model, state, workspace).total());
          recorder.add_frame(state);
          bar(fmt::format("{:.2f} s, {} contacts", state.time, report.contacts), fraction);
          return totals.intersections == 0;
        });
  }
  if (!arguments.save.empty()) write_json(arguments.save, to_json(state));

  const double energy_after = energy(model, state, workspace).total();
  const double seconds = totals.bound_seconds + totals.check_seconds + totals.other_seconds;
  const double share = 100 * totals.bound_seconds / seconds;
  const std::size_t triangles = workspace.surface().mesh.faces.size();
  summary.clean = totals.intersections == 0;
  if (!summary.clean)
    summary.failure = fmt::format("{}: intersections: {}, at {:.6g} s; 0 are allowed",
                                  arguments.scene, totals.intersections, state.time);
  summary.json = {
      {"scene", arguments.scene},
      {"vertices", state.positions.size()},
      {"triangles", triangles},
      {"simulated_s", state.time},
      {"steps", totals.steps},
      {"newton_steps", totals.newton_steps},
      {"unfinished_steps", totals.unfinished},
      {"most_contacts", totals.most_contacts},
      {"intersections", totals.intersections},
      {"least_bound", totals.least_bound},
      {"bound_pairs", totals.bound_pairs},
      {"off_course_m", totals.off_course},
      {"energy_J", {{"start", energy_before}, {"end", energy_after}, {"most", totals.most_energy}}},
      {"seconds",
       {{"bound", totals.bound_seconds},
        {"check", totals.check_seconds},
        {"other", totals.other_seconds},
        {"monitor", totals.monitor_seconds}}}};
  summary.text = fmt::format(
      "{} vertices, {} triangles, {:.4g} s in {} steps: {}\n"
      "{} Newton steps, up to {} contacts; energy {:.3g} J at the start, at most {:.3g} J, {:.3g} "
      "J at the end\n"
      "{:.1f} s: {:.0f} % to bound steps by collision detection, {:.0f} % to certify them; the "
      "monitor took {:.1f} s more\n",
      report::format_count(state.positions.size()), report::format_count(triangles), state.time,
      report::format_count(totals.steps),
      totals.intersections > 0 ? "INTERSECTED" : "no intersection at any step",
      report::format_count(totals.newton_steps), report::format_count(totals.most_contacts),
      energy_before, totals.most_energy, energy_after, seconds, share,
      100 * totals.check_seconds / seconds, totals.monitor_seconds);
  return summary;
}

}  // namespace

SimSummary run_soft(const SimArguments& arguments) {
  const sim::soft::Model model = soft_model_of(arguments);
  if (!arguments.write_scene.empty()) write_json(arguments.write_scene, to_json(model));
  return arguments.solver == "active_set" ? run_active_set(arguments, model)
                                          : run_barriers(arguments, model);
}

SimSummary run_torus(const SimArguments& arguments) {
  SimArguments own = arguments;
  if (own.solver.empty()) own.solver = "active_set";
  return run_soft(own);
}

}  // namespace graze::command
