#include "graze/polyhedron/rough_mover.h"

#include <algorithm>
#include <cmath>

#include "graze/core/strict_arithmetic.h"

namespace graze::polyhedron {
namespace {

constexpr double tiny = 8 * std::numeric_limits<double>::min();  // more than all that underflows

Aabb box_of(const RoughMover::Points& points, double err) {
  const Vec3 slack = Vec3::Constant(err);
  return {Vec3(points.colwise().minCoeff()) - slack, Vec3(points.colwise().maxCoeff()) + slack};
}

// Entries of the matrix are sums of at most three products of parts of a unit quaternion, each part
// off by less than 4 u, u = 2^-53: they are off by less than 40 u < 2^-47. A coordinate is the sum
// of three products of these with those of the vertex, and of the translation: off by less than
// 2^-46
// (|x|_1 + |p|_1), or by what underflows.
double fill(const BrushModel& mover, const Pose& pose, RoughMover::Points& points) {
  const Eigen::Vector4d unit = pose.rotation.coeffs().stableNormalized();
  const Eigen::Matrix3d turn = Eigen::Quaterniond(unit).toRotationMatrix();
  points.resize(static_cast<Eigen::Index>(mover.vertices.size()), 3);
  double size = 0;
  for (std::size_t i = 0; i < mover.vertices.size(); ++i) {
    points.row(static_cast<Eigen::Index>(i)) = turn * mover.vertices[i] + pose.translation;
    size = std::max(size, mover.vertices[i].lpNorm<1>());
  }
  return 0x1p-45 * (size + pose.translation.lpNorm<1>()) + tiny;
}

}  // namespace

RoughMover::RoughMover(const BrushModel& mover, const Path& path, Points& points)
    : points_(points), motion_({Vec3::Zero(), Vec3::Zero()}, path.way) {
  err_ = fill(mover, path.start, points);
  motion_ = BoxMotion(box_of(points, err_), path.way);
  size_ = motion_.box.lo.cwiseAbs().cwiseMax(motion_.box.hi.cwiseAbs()).sum();
  way_size_ = path.way.lpNorm<1>();
}

// On one side of the plane at both ends is on one side all the time. Heights are off by what
// PlaneBound says and by |n|_1 times the error of a coordinate.
bool RoughMover::may_touch(const Obstacle& obstacle, std::uint32_t entry) const {
  const std::uint32_t f = obstacle.tree.box_of(entry);
  if (!meets_moving(motion_, obstacle.model.boxes[f], 1)) return false;
  const auto& [n, offset, err_per_length, plane_err] = obstacle.planes[entry];
  const auto heights = (n[0] * points_.col(0) + n[1] * points_.col(1)) + n[2] * points_.col(2);
  const double slope = (n[0] * motion_.way[0] + n[1] * motion_.way[1]) + n[2] * motion_.way[2];
  const double err = (err_per_length * size_ + plane_err + n.lpNorm<1>() * err_) * (1 + 0x1p-40);
  const double end_err = err + err_per_length * way_size_ + plane_err;
  const double lowest = heights.minCoeff() - offset;
  if (lowest > err && lowest + slope > end_err) return false;
  const double highest = heights.maxCoeff() - offset;
  return !(highest < -err && highest + slope < -end_err);
}

bool RoughMover::is_clear(std::span<const Obstacle> world) const {
  double end = 1;
  for (const Obstacle& obstacle : world)
    obstacle.tree.visit(motion_, end, [&](std::uint32_t entry) {
      if (end > 0 && may_touch(obstacle, entry)) end = -1;
    });
  return end > 0;
}

}  // namespace graze::polyhedron
