#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "command.h"
#include "graze/io/mesh_files.h"
#include "graze/sim/elastic/soft_scenes.h"
#include "json_reader.h"
#include "sim.h"
#include "soft_scene.h"
#include "step.h"
#include "terminal.h"

namespace graze::command {
namespace {

SoftModel squash(const SimArguments& arguments) {
  const char* named = std::getenv("GRAZE_DATA");
  const std::string file = !arguments.model.empty() ? arguments.model
                                                    : fmt::format("{}/models/spot.obj",
                                                                  named ? named : "../shared/data");
  io::MeshFrame frame = io::read_mesh(file);
  if (frame.mesh.faces.empty()) throw io::FileError(file, "has no faces");
  for (Vec3& x : frame.positions) x = {x.x(), -x.z(), x.y()};
  SoftModel model =
      squash_scene(frame.positions, frame.mesh.faces, arguments.count > 0 ? arguments.count : 300);
  if (const std::string wrong = problem(model); !wrong.empty()) throw io::FileError(file, wrong);
  return model;
}

SoftModel model_of(const SimArguments& arguments) {
  if (arguments.scene == "squash") return squash(arguments);
  for (const SoftScene& scene : soft_scenes())
    if (scene.name == arguments.scene) {
      SoftModel model = scene.make(arguments.count > 0 ? arguments.count : scene.usual_vertices);
      if (const std::string wrong = problem(model); !wrong.empty()) throw UsageError(wrong);
      return model;
    }
  if (arguments.count > 0) throw UsageError("a scene from a file has its own --count");
  return read_soft_scene(arguments.scene);
}

LineSearchOptions search_of(const SimArguments& arguments, const SoftModel& model) {
  LineSearchOptions search = BarrierSolver::usual_search(model);
  search.observer = arguments.observer;
  if (arguments.ccd.empty() || arguments.ccd == "separation_root") return search;
  search.method = find_method(arguments.ccd);
  if (!search.method)
    throw UsageError(fmt::format("no method is called '{}'; see graze methods", arguments.ccd));
  if (!search.method->min_separation() || !search.method->vertex_face || !search.method->edge_edge)
    throw UsageError(fmt::format("the method {} knows no separation", arguments.ccd));
  return search;
}

// Each body and each obstacle as a body of the recording.
class SoftRecorder {
 public:
  SoftRecorder(io::Recording* recording, const BarrierSolver& solver)
      : recording_(recording), solver_(solver) {
    if (!recording_) return;
    const ContactSurface& surface = solver.surface();
    const SoftModel& model = solver.model();
    const std::vector<Vec3> positions = solver.surface_positions();
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
    add_frame();
  }

  void add_frame() {
    if (!recording_) return;
    const std::vector<Vec3> positions = solver_.surface_positions();
    recording_->begin_frame(solver_.time());
    for (std::uint32_t i = 0; i < sizes_.size(); ++i)
      if (sizes_[i] > 0)
        recording_->set_positions(i, std::span(positions).subspan(firsts_[i], sizes_[i]));
  }

 private:
  io::Recording* recording_;
  const BarrierSolver& solver_;
  std::vector<std::uint32_t> firsts_;
  std::vector<std::size_t> sizes_;  // 0: never moves
};

// Sums over the steps of a run.
struct Totals {
  std::uint64_t steps = 0, newton_steps = 0, unfinished = 0, intersections = 0, bound_pairs = 0;
  std::size_t most_contacts = 0;
  double least_bound = 1, off_course = 0;
  double bound_seconds = 0, check_seconds = 0, other_seconds = 0, monitor_seconds = 0;
  double most_energy;

  void add(const SoftStepReport& report, double energy) {
    ++steps;
    newton_steps += static_cast<std::uint64_t>(report.newton_steps);
    unfinished += !report.converged;
    intersections += report.intersections;
    bound_pairs += report.bound_pairs;
    most_contacts = std::max(most_contacts, report.contacts);
    least_bound = std::min(least_bound, report.bound);
    off_course = std::max(off_course, report.off_course);
    bound_seconds += report.bound_seconds;
    check_seconds += report.check_seconds;
    other_seconds += report.other_seconds;
    monitor_seconds += report.monitor_seconds;
    most_energy = std::max(most_energy, energy);
  }
};

}  // namespace

SimSummary run_soft(const SimArguments& arguments) {
  SoftModel model = model_of(arguments);
  if (!arguments.write_scene.empty()) write_json(arguments.write_scene, to_json(model));
  const LineSearchOptions search = search_of(arguments, model);
  BarrierSolver solver(std::move(model), search);
  solver.set_monitor(true);
  if (!arguments.resume.empty()) solver.restore(read_soft_state(arguments.resume, solver.state()));
  SoftRecorder recorder(arguments.recording, solver);

  const double h = arguments.step.value_or(solver.model().step);
  const double energy_before = solver.energy().total();
  Totals totals;
  totals.most_energy = energy_before;
  {
    ProgressBar bar("moving");
    const auto steps = static_cast<std::uint64_t>(std::ceil(arguments.seconds / h - 1e-9));
    while (totals.steps < steps && totals.intersections == 0) {
      const SoftStepReport report = solver.step(h, arguments.threads);
      totals.add(report, solver.energy().total());
      recorder.add_frame();
      bar(fmt::format("{:.2f} s, {} contacts", solver.time(), report.contacts),
          static_cast<double>(totals.steps) / static_cast<double>(steps));
    }
  }
  if (!arguments.save.empty()) write_json(arguments.save, to_json(solver.state()));

  const double energy_after = solver.energy().total();
  const double seconds = totals.bound_seconds + totals.check_seconds + totals.other_seconds;
  const double share = 100 * totals.bound_seconds / seconds;
  SimSummary summary;
  summary.clean = totals.intersections == 0;
  summary.json = {
      {"scene", arguments.scene},
      {"vertices", solver.positions().size()},
      {"triangles", solver.surface().mesh.faces.size()},
      {"simulated_s", solver.time()},
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
      "J "
      "at the end\n"
      "{:.1f} s, {:.0f} % of them to bound steps by collision detection, {:.0f} % to check them "
      "exactly; {:.1f} s more to check all again\n",
      io::format_count(solver.positions().size()),
      io::format_count(solver.surface().mesh.faces.size()), solver.time(),
      io::format_count(totals.steps),
      totals.intersections > 0 ? "INTERSECTED" : "no intersection at any step",
      io::format_count(totals.newton_steps), io::format_count(totals.most_contacts), energy_before,
      totals.most_energy, energy_after, seconds, share, 100 * totals.check_seconds / seconds,
      totals.monitor_seconds);
  return summary;
}

}  // namespace graze::command
