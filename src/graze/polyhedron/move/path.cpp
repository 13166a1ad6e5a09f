#include "graze/polyhedron/move.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace graze::polyhedron {
namespace {

constexpr double max_turns = 250;

// Returns angle mod 2 pi, in [0, 2 pi]. The sine and cosine of half the angle are those of the
// double given, however large it is, so nothing is lost by an inexact 2 pi.
double without_full_turns(double angle) {
  const double half = std::atan2(std::sin(angle / 2), std::cos(angle / 2));
  return 2 * (half < 0 ? half + std::numbers::pi : half);
}

}  // namespace

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
  std::vector<Path> pieces;
  Path path = rotating(start, pivot, start.rotation);
  const auto append = [&](double turn) {
    constexpr double quarter = std::numbers::pi / 2;
    const double count = std::max(std::ceil(std::abs(turn) / (quarter * (1 + 1e-12))), 1.);
    for (double i = 1; i <= count; ++i) {
      // A quaternion and its opposite are the same rotation; the product must be positive.
      path.end = Pose::from_axis_angle(axis, turn * (i / count)).rotation * start.rotation;
      if (path.begin.dot(path.end) < 0) path.end.coeffs() *= -1;
      pieces.push_back(path);
      path.begin = path.end;
    }
  };
  constexpr double full = 2 * std::numbers::pi;
  if (!std::isfinite(angle)) {
    path.end.coeffs().setConstant(std::numeric_limits<double>::quiet_NaN());
    pieces.push_back(path);
  } else if (std::abs(angle) <= max_turns * full * (1 + 1e-12)) {
    append(angle);
  } else {
    append(std::copysign(full, angle));
    append(std::copysign(without_full_turns(std::abs(angle)), angle));
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
