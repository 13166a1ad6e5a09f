#include "graze/rigid/path.h"

#include <algorithm>

#include "graze/rigid/model_advance.h"

namespace graze::rigid {
namespace {

bool is_valid(const Pose& pose) {
  return resting(pose).is_finite();
}

bool is_valid(const Body& body, std::span<const Obstacle> world, std::span<const Pose> poses,
              const PathOptions& options) {
  const auto is_usable = [&](const Obstacle& obstacle) {
    AdvanceOptions advance = options.advance;
    advance.margin += obstacle.margin;
    return obstacle.body.status() == Status::ok && is_valid(obstacle.pose) &&
           obstacle.margin >= 0 && is_sensible(advance);
  };
  return !poses.empty() && body.status() == Status::ok && is_sensible(options.advance) &&
         options.advance.t_max == 1 && options.centre.allFinite() &&
         std::all_of(poses.begin(), poses.end(), [](const Pose& pose) { return is_valid(pose); }) &&
         std::all_of(world.begin(), world.end(), [&](const Obstacle& obstacle) {
           return obstacle.allowed || is_usable(obstacle);
         });
}

PathCheck invalid_path() {
  PathCheck check;
  check.verdict = Verdict::invalid;
  check.toi = 0;
  check.impact = BodyImpact::invalid();
  return check;
}

}  // namespace

PathCheck check_path(const Body& body, std::span<const Obstacle> world, std::span<const Pose> poses,
                     const PathOptions& options) {
  if (!is_valid(body, world, poses, options)) return invalid_path();
  PathCheck check;
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
      const BodyImpact found = advance(body, motion, world[i].body, resting(world[i].pose), asked);
      if (found.impact.verdict == Verdict::invalid) return invalid_path();  // the motion overflows
      check.checks += found.impact.checks;
      check.covered.push_back({segment, i, std::min(found.impact.toi, asked.t_max)});
      if (found.impact.verdict == Verdict::separated) continue;
      check.verdict = found.impact.verdict;
      check.segment = segment;
      check.obstacle = i;
      check.toi = found.impact.toi;
      check.impact = found;
      if (!(check.toi > 0)) break;
      asked.t_max = check.toi;  // later contacts with other obstacles need not be found
    }
    if (check.verdict == Verdict::separated) continue;
    for (std::size_t i = first; i < check.covered.size(); ++i)
      check.covered[i].until = std::min(check.covered[i].until, check.toi);
    return check;
  }
  return check;
}

}  // namespace graze::rigid
