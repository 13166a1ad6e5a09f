#include "graze/rigid/path.h"

#include <algorithm>
#include <limits>

#include "graze/core/numeric/float_environment.h"
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
                     const PathOptions& options, const std::atomic<bool>* stop) {
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
      const BodyImpact found =
          advance(body, motion, world[i].body, resting(world[i].pose), asked, {}, stop);
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

namespace {

// Returns a box that contains the body, and all points within `around` of it, at all times.
Aabb box_of(const MovingBody& moving, double around) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  Vec3 lo = Vec3::Constant(inf), hi = -lo;
  if (moving.body.vertices().empty()) return {hi, lo};  // a shape without a mesh: the whole space
  around += moving.body.radius();
  for (const Vec3& vertex : moving.body.vertices()) {
    lo = lo.cwiseMin(vertex);
    hi = hi.cwiseMax(vertex);
  }
  const Vec3 middle = 0.5 * lo + 0.5 * hi;
  // The norm, the middle and the sum are rounded: less than 2^-48 of the largest coordinate.
  const double reach = std::max(lo.lpNorm<Eigen::Infinity>(), hi.lpNorm<Eigen::Infinity>());
  const double radius = (0.5 * (hi - lo)).norm() + around + 0x1p-48 * (reach + around);
  return swept_box(moving.motion, middle, radius);
}

BodiesImpact invalid_bodies() {
  BodiesImpact result;
  result.impact = BodyImpact::invalid();
  return result;
}

}  // namespace

BodiesImpact first_contact(std::span<const MovingBody> bodies, const AdvanceOptions& options,
                           std::span<const std::array<std::uint32_t, 2>> ignored,
                           const std::atomic<bool>* stop) {
  const FloatEnvironment environment;
  BodiesImpact result;
  result.impact.impact = Impact::separated();
  const auto is_usable = [](const MovingBody& moving) {
    return moving.body.status() == Status::ok && moving.motion.is_finite();
  };
  std::vector<std::array<std::uint32_t, 2>> left_out;
  for (const auto& [a, b] : ignored) {
    if (std::max(a, b) >= bodies.size()) return invalid_bodies();
    left_out.push_back({std::min(a, b), std::max(a, b)});
  }
  if (!is_sensible(options) || !std::all_of(bodies.begin(), bodies.end(), is_usable))
    return invalid_bodies();
  std::sort(left_out.begin(), left_out.end());
  std::vector<Aabb> boxes;
  for (const MovingBody& moving : bodies) boxes.push_back(box_of(moving, options.margin));
  AdvanceOptions asked = options;
  const auto count = static_cast<std::uint32_t>(bodies.size());
  for (std::uint32_t a = 0; a < count; ++a)
    for (std::uint32_t b = a + 1; b < count; ++b) {
      if (!overlap(boxes[a], boxes[b]) ||
          std::binary_search(left_out.begin(), left_out.end(), std::array{a, b}))
        continue;
      const BodyImpact found = advance(bodies[a].body, bodies[a].motion, bodies[b].body,
                                       bodies[b].motion, asked, {}, stop);
      if (found.impact.verdict == Verdict::invalid) return invalid_bodies();
      ++result.pairs;
      result.checks += found.impact.checks;
      if (!(found.impact.toi < result.impact.impact.toi)) continue;
      result.a = a;
      result.b = b;
      result.impact = found;
      if (found.impact.toi == 0) return result;
      asked.t_max = std::min(asked.t_max, found.impact.toi);
    }
  return result;
}

}  // namespace graze::rigid
