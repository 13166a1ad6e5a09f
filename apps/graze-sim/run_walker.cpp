#include <fmt/format.h>

#include <cmath>
#include <set>

#include "commands/step.h"
#include "graze/generate/level.h"
#include "graze/sim/walker.h"
#include "sim.h"
#include "terminal/terminal.h"

namespace graze::command {
namespace {

void add_model(io::RecordedBody& body, const polyhedron::Model& model) {
  const auto first = static_cast<std::uint32_t>(body.vertices.size());
  body.vertices.insert(body.vertices.end(), model.vertices.begin(), model.vertices.end());
  for (const polyhedron::Facet& facet : model.facets) {
    const auto c = model.corners_of(facet);
    for (std::size_t i = 2; i < c.size(); ++i)
      body.faces.push_back({first + c[0], first + c[i - 1], first + c[i]});
  }
}

// Records the level without its walls and ceiling (solids 1 to 5), and the walker.
class WalkRecorder {
 public:
  WalkRecorder(io::Recording* recording, const sim::walker::Model& model) : recording_(recording) {
    if (!recording_) return;
    io::RecordedBody level, walker;
    level.name = "level";
    walker.name = "walker";
    level.rigid = walker.rigid = true;
    for (std::size_t i = 0; i < model.world.size(); ++i)
      if (i == 0 || i > 5) add_model(level, model.world[i].model);
    add_model(walker, model.hull);
    recording_->add_body(std::move(level));
    walker_ = recording_->add_body(std::move(walker));
  }
  void add_frame(double time, const Pose& pose) {
    if (!recording_) return;
    recording_->begin_frame(time);
    recording_->set_pose(walker_, pose);
  }

 private:
  io::Recording* recording_;
  std::uint32_t walker_ = 0;
};

}  // namespace

SimSummary run_walker(const SimArguments& arguments) {
  sim::walker::Model model;
  for (const auto& corners : generate::level_solids(arguments.seed))
    model.world.push_back(polyhedron::make_obstacle(polyhedron::convex_hull(corners)));
  model.hull = polyhedron::convex_hull(generate::player_corners(arguments.seed));
  sim::walker::State state;
  state.pose.translation = {0, 0, 1};
  polyhedron::Scratch scratch;
  WalkRecorder recorder(arguments.recording, model);
  std::uint64_t moves = 0, stopped = 0, stepped = 0, jumps = 0, in_solid = 0;
  double distance = 0, checking = 0;
  std::set<std::pair<int, int>> visited;
  sim::walker::Options options;
  options.monitor = [&](const sim::walker::State&, const sim::walker::State& stored) {
    const Stopwatch check;
    in_solid += is_in_solid(model, stored.pose, &scratch);
    checking += check.seconds();
  };
  const Stopwatch total;
  int interrupted = 0;
  {
    ProgressBar bar("walking");
    double time = 0;
    const auto move = [&](double seconds, double fraction) {
      const generate::WalkWish wish = generate::walk_wish(arguments.seed, moves);
      options.seconds = seconds;
      options.wish = wish.velocity;
      options.jump = wish.jumps;
      const Vec3 before = state.pose.translation;
      jumps += state.on_ground && wish.jumps;
      const sim::walker::Report report = step(model, state, scratch, options);
      const Vec3& here = state.pose.translation;
      ++moves;
      time += seconds;
      stopped += report.verdict == Verdict::contact;
      stepped += report.stepped;
      distance += (here - before).norm();
      visited.insert(
          {static_cast<int>(std::floor(here[0])), static_cast<int>(std::floor(here[1]))});
      recorder.add_frame(time, state.pose);
      bar("walking", fraction);
      return in_solid == 0;
    };
    interrupted = run_steps(arguments, arguments.step.value_or(1.0 / 60), move);
  }
  const double wall = total.seconds();
  SimSummary summary;
  summary.clean = in_solid == 0;
  summary.interrupted = interrupted;
  if (!summary.clean)
    summary.failure =
        fmt::format("{}: the walker is inside a solid after move {}, at ({:.6g}, {:.6g}, {:.6g})",
                    arguments.scene, moves, state.pose.translation[0], state.pose.translation[1],
                    state.pose.translation[2]);
  summary.json = {{"scene", arguments.scene}, {"solids", model.world.size()},
                  {"moves", moves},           {"stopped", stopped},
                  {"stepped", stepped},       {"jumps", jumps},
                  {"metres", distance},       {"square_metres_visited", visited.size()},
                  {"in_solid", in_solid},     {"seconds", {{"check", checking}, {"total", wall}}}};
  summary.text = fmt::format(
      "{} moves among {} solids, {:.0f} m on {} square metres: {}\n"
      "{} moves stopped by an obstacle, {} steps up or down, {} jumps\n"
      "{:.1f} s, including {:.1f} s of checks\n",
      report::format_count(moves), model.world.size(), distance, visited.size(),
      in_solid > 0 ? "INSIDE A SOLID" : "never inside a solid", report::format_count(stopped),
      report::format_count(stepped), report::format_count(jumps), wall, checking);
  return summary;
}

}  // namespace graze::command
