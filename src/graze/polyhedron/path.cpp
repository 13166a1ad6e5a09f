#include "graze/polyhedron/path.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace graze::polyhedron {

bool Path::is_valid() const {
  if (!start.is_finite() || !way.allFinite() || start.rotation.coeffs().isZero(0)) return false;
  if (!turns) return true;
  return begin.coeffs().allFinite() && end.coeffs().allFinite() && pivot.allFinite() &&
         begin.dot(end) > 0;
}

Path translating(const Pose& start, const Vec3& way) {
  Path path;
  path.start = start;
  path.way = way;
  return path;
}

Path rotating(const Pose& start, const Vec3& pivot, const Eigen::Quaterniond& end) {
  Path path;
  path.start = start;
  path.turns = true;
  path.begin = start.rotation;
  path.end = end;
  path.pivot = pivot;
  return path;
}

std::vector<Path> turning(const Pose& start, const Vec3& point, const Vec3& axis, double angle) {
  const Vec3 pivot =
      start.rotation.normalized().conjugate()._transformVector(Vec3(point - start.translation));
  constexpr double quarter = std::numbers::pi / 2, most = 1000;  // pieces
  const double count = std::clamp(std::ceil(std::abs(angle) / (quarter * (1 + 1e-12))), 1., most);
  std::vector<Path> pieces;
  Path path = rotating(start, pivot, start.rotation);
  for (double i = 1; i <= count; ++i) {
    // The angle of a quaternion and its opposite is the same; the product must be positive.
    path.end = Pose::from_axis_angle(axis, angle * (i / count)).rotation * start.rotation;
    if (path.begin.dot(path.end) < 0) path.end.coeffs() *= -1;
    pieces.push_back(path);
    path.begin = path.end;
  }
  return pieces;
}

Pose pose_at(const Path& path, double f) {
  if (!path.turns) return {path.start.rotation, path.start.translation + f * path.way};
  if (f == 0 && path.begins_at_start()) return path.start;
  const Vec3 centre = path.start * path.pivot;
  const Eigen::Quaterniond q(
      Eigen::Vector4d((1 - f) * path.begin.coeffs() + f * path.end.coeffs()));
  return {q, centre - q.normalized()._transformVector(path.pivot)};
}

}  // namespace graze::polyhedron
