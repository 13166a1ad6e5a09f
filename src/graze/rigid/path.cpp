#include "graze/rigid/path.h"

#include <algorithm>

namespace graze {

PathCheck is_path_free(const RigidModel& body, std::span<const Obstacle> world,
                       std::span<const Pose> poses, const PathOptions& options) {
  PathCheck check;
  if (poses.empty()) {
    check.verdict = Verdict::invalid;
    check.toi = 0;
    return check;
  }
  const std::size_t segments = std::max<std::size_t>(poses.size() - 1, 1);
  for (std::uint32_t segment = 0; segment < segments; ++segment) {
    const Pose &from = poses[segment],
               &to = poses[std::min<std::size_t>(segment + 1, poses.size() - 1)];
    const Motion motion = options.motion == PathMotion::screw
                              ? screw_motion(from, to)
                              : linear_motion(from, to, options.centre);
    AdvanceOptions asked = options.advance;
    const std::size_t first = check.covered.size();
    for (std::uint32_t i = 0; i < world.size(); ++i) {
      if (world[i].allowed) continue;
      asked.margin = options.advance.margin + world[i].margin;
      const RigidImpact found =
          advance(body, motion, *world[i].model, resting(world[i].pose), asked);
      check.checks += found.impact.checks;
      check.covered.push_back({segment, i, std::min(found.impact.toi, asked.t_max)});
      if (found.impact.verdict == Verdict::separated) continue;
      check.verdict = found.impact.verdict;
      check.segment = segment;
      check.obstacle = i;
      check.toi = found.impact.toi;
      check.impact = found;
      if (!(check.toi > 0)) break;
      asked.t_max = check.toi;  // what comes later is of no interest
    }
    if (check.verdict == Verdict::separated) continue;
    for (std::size_t i = first; i < check.covered.size(); ++i)
      check.covered[i].until = std::min(check.covered[i].until, check.toi);
    return check;
  }
  return check;
}

}  // namespace graze
