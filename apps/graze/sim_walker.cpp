#include <fmt/format.h>

#include <cmath>
#include <set>

#include "graze/generate/level.h"
#include "graze/sim/walker/walker.h"
#include "sim.h"
#include "step.h"
#include "terminal.h"

namespace graze::command {
namespace {

using namespace polyhedron;

void add_model(io::RecordedBody& body, const BrushModel& model) {
  const auto first = static_cast<std::uint32_t>(body.vertices.size());
  body.vertices.insert(body.vertices.end(), model.vertices.begin(), model.vertices.end());
  for (const Facet& facet : model.facets) {
    const auto c = model.corners_of(facet);
    for (std::size_t i = 2; i < c.size(); ++i)
      body.faces.push_back({first + c[0], first + c[i - 1], first + c[i]});
  }
}

// The level without its lid, and the walker.
class WalkRecorder {
 public:
  WalkRecorder(io::Recording* recording, std::span<const Obstacle> world, const BrushModel& hull)
      : recording_(recording) {
    if (!recording_) return;
    io::RecordedBody level, walker;
    level.name = "level";
    walker.name = "walker";
    level.rigid = walker.rigid = true;
    for (std::size_t i = 0; i < world.size(); ++i)
      if (i == 0 || i > 5) add_model(level, world[i].model);
    add_model(walker, hull);
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
  if (arguments.count > 0) throw UsageError("there is one walker; --seed makes other levels");
  std::vector<Obstacle> world;
  for (const auto& corners : generate::level_solids(arguments.seed))
    world.push_back(make_obstacle(convex_hull(corners)));
  const BrushModel hull = convex_hull(generate::player_corners(arguments.seed));
  const double step = arguments.step.value_or(1.0 / 60);
  Walker walker;
  walker.pose.translation = {0, 0, 1};
  Scratch scratch;
  WalkRecorder recorder(arguments.recording, world, hull);
  std::uint64_t moves = 0, stopped = 0, stepped = 0, jumps = 0, in_solid = 0;
  double distance = 0, checking = 0;
  std::set<std::pair<int, int>> visited;
  const Stopwatch total;
  {
    ProgressBar bar("walking");
    const auto wanted = static_cast<std::uint64_t>(std::ceil(arguments.seconds / step - 1e-9));
    while (moves < wanted && in_solid == 0) {
      const generate::WalkWish wish = generate::walk_wish(arguments.seed, moves);
      const Vec3 before = walker.pose.translation;
      jumps += walker.on_ground && wish.jumps;
      const SlideResult result =
          walk(world, hull, walker, wish.velocity, wish.jumps, step, scratch);
      const Vec3& here = walker.pose.translation;
      ++moves;
      stopped += result.verdict == Verdict::contact;
      stepped += result.stepped;
      distance += (here - before).norm();
      visited.insert(
          {static_cast<int>(std::floor(here[0])), static_cast<int>(std::floor(here[1]))});
      recorder.add_frame(static_cast<double>(moves) * step, walker.pose);
      const Stopwatch check;
      in_solid += is_in_solid(world, hull, walker.pose, scratch);
      checking += check.seconds();
      bar("walking", static_cast<double>(moves) / static_cast<double>(wanted));
    }
  }
  const double wall = total.seconds();
  SimSummary summary;
  summary.clean = in_solid == 0;
  summary.json = {{"scene", arguments.scene}, {"solids", world.size()},
                  {"moves", moves},           {"stopped", stopped},
                  {"stepped", stepped},       {"jumps", jumps},
                  {"metres", distance},       {"square_metres_visited", visited.size()},
                  {"in_solid", in_solid},     {"seconds", {{"check", checking}, {"total", wall}}}};
  summary.text = fmt::format(
      "{} moves among {} solids, {:.0f} m on {} square metres: {}\n"
      "{} times something was in the way, {} steps, {} jumps; {:.1f} s, of them {:.1f} s to "
      "check\n",
      io::format_count(moves), world.size(), distance, visited.size(),
      in_solid > 0 ? "IN SOLID" : "never in solid", io::format_count(stopped),
      io::format_count(stepped), io::format_count(jumps), wall, checking);
  return summary;
}

}  // namespace graze::command
