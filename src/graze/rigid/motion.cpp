#include "graze/rigid/motion.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "graze/core/numeric/rotation.h"
#include "graze/core/numeric/strict_arithmetic.h"
#include "graze/core/numeric/unit_roundoff.h"

namespace graze::rigid {
namespace {

using Eigen::Matrix3d;
using Eigen::Quaterniond;
using numeric::exponential;

// Returns the rotation matrix of a quaternion of length 1 + e, with e of size u; the error is below
// 16u.
Matrix3d matrix(const Quaterniond& q) {
  const double w = q.w(), x = q.x(), y = q.y(), z = q.z();
  Matrix3d m;
  m << w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y),  //
      2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x),   //
      2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z;
  return m;
}

Matrix3d start_rotation(const Motion& motion) {
  const Eigen::Vector4d& q = motion.start.rotation.coeffs();
  const Eigen::Vector4d scaled = q / q.cwiseAbs().maxCoeff();  // q can be denormal or huge
  return matrix(Quaterniond(Eigen::Vector4d(scaled / scaled.norm())));
}

// Returns the same pose with a quaternion whose squared length neither overflows nor underflows.
Pose scaled(Pose pose) {
  const double size = pose.rotation.coeffs().cwiseAbs().maxCoeff();
  if (!(size > 0x1p-400 && size < 0x1p400)) pose.rotation.coeffs() /= size;
  return pose;
}

// Returns the shorter rotation from one pose to the other, as axis times angle.
Vec3 rotation_between(const Pose& from, const Pose& to) {
  Quaterniond q = to.rotation.normalized() * from.rotation.normalized().conjugate();
  if (q.w() < 0) q.coeffs() = -q.coeffs();
  const double sine = q.vec().norm();
  if (sine == 0) return Vec3::Zero();
  return q.vec() * (2 * std::atan2(sine, q.w()) / sine);
}

}  // namespace

Motion resting(const Pose& pose) {
  return {pose, pose.translation, Vec3::Zero(), Vec3::Zero()};
}

Motion translation(const Pose& start, const Vec3& way) {
  return {start, start.translation, way, Vec3::Zero()};
}

Motion rotation_about(const Pose& start, const Vec3& point, const Vec3& rotation) {
  return {start, point, Vec3::Zero(), rotation};
}

Motion linear_motion(const Pose& from, const Pose& to, const Vec3& centre) {
  const Pose start = scaled(from), end = scaled(to);
  const Vec3 moved = start * centre;
  return {start, moved, end * centre - moved, rotation_between(start, end)};
}

// In world coordinates the map from pose to pose is y -> Q y + d. Let a be the axis and d' the part
// of d across it. A point c of the axis moves along the axis: Q c + d = c + (a.d) a. Across the
// axis this is (1 - Q) c = d', whose solution is c = (d' + cot(angle/2) a x d')/2.
Motion screw_motion(const Pose& from, const Pose& to) {
  const Pose start = scaled(from);
  const Vec3 rotation = rotation_between(start, scaled(to));
  const double angle = rotation.norm();
  if (!(angle >= 0x1p-26)) return linear_motion(from, to);
  const Vec3 axis = rotation / angle;
  const Matrix3d turn = matrix(exponential(rotation));
  const Vec3 way = to.translation - turn * from.translation;
  const Vec3 along = axis.dot(way) * axis;
  const Vec3 across = way - along;
  const Vec3 centre = (across + axis.cross(across) / std::tan(angle / 2)) / 2;
  return {start, centre, along, rotation};
}

Placement placement_of(const Pose& pose) {
  return placement_at(resting(pose), 0);
}

Placement placement_at(const Motion& motion, double t) {
  const Matrix3d start = start_rotation(motion);
  const Vec3 moved = motion.centre + t * motion.velocity;
  if (motion.rotation.isZero(0)) {
    return {start, moved + (motion.start.translation - motion.centre)};
  }
  const Matrix3d turn = matrix(exponential(t * motion.rotation));
  return {turn * start, moved + turn * (motion.start.translation - motion.centre)};
}

// Let u = 2^-53 and a = t rotation. The errors are, in the norm of matrices:
//   a is rounded: u|a|, which changes the rotation by as much.
//   The quaternion of a: 10u max(1, 2|a|) (exponential() above), so the matrix twice that, which
//   21u(1 + 2|a|) covers. The rounding of the matrix: each entry is a sum of four products of
//   numbers whose squares sum to 1 and has an error of 4u, so the matrix 12u.
//   The matrix of `start`: 12u, and 16u because its quaternion is rounded twice in every part and
//   in its length. Their product: 3 rounded terms per entry, 9u.
// Together, with slack for products of errors:
//   |rotation - exact| <= (21 + 12 + 28 + 9) u + 43 u|a| <= 80 u (1 + |a|).
// The offset is the rotation of translation - centre, of length L <= |translation| + |centre|, and
// sums with centre and velocity. Its error is (33 + 43|a| + 4) u L + 4u (|centre| + |velocity| +
// L). A dot product n.(rotation x + offset) evaluated in any order, also as (rotation^T n).x +
// n.offset and in fused form, has at most 8 roundings on any path, and sums of absolute values
// below 3|n| (|x| + |offset|): this adds 24u|n|(|x| + L + |centre| + |velocity|).
// The total is below
//   128 u (1 + |a|) (reach + |translation| + 2|centre| + |velocity|).
// Underflow adds at most a few denormals per operation, which 2^-1000 covers. If squares or |a|
// overflow, no bound holds: the result is infinite for lengths from 2^400 and angles from 2^30 on.
double placement_error(const Motion& motion, double reach) {
  constexpr double relative = 128 * numeric::u, absolute = 0x1p-1000;
  const double angle = motion.rotation.stableNorm();
  const double size = reach + motion.start.translation.stableNorm() +
                      2 * motion.centre.stableNorm() + motion.velocity.stableNorm();
  if (!(size < 0x1p400 && angle < 0x1p30)) return std::numeric_limits<double>::infinity();
  return relative * (1 + angle) * size + absolute;
}

Pose pose_at(const Motion& motion, double t) {
  const Placement placement = placement_at(motion, t);
  const Quaterniond start = scaled(motion.start).rotation.normalized();
  const Quaterniond turned = exponential(t * motion.rotation) * start;
  return {turned.normalized(), placement.offset};
}

// With r from the centre to the point, p(t) = p(0) + t velocity + (Rot(t rotation) r - r). The last
// term is at most as long as the arc |rotation| |r|, and at most 2|r|. Three times the error covers
// p(0) twice and the sums below, which lose less than 8u of their terms.
Aabb swept_box(const Motion& motion, const Vec3& point, double radius) {
  const Vec3 from = placement_at(motion, 0) * point;
  const double swing =
      std::min(motion.rotation.stableNorm(), 2.0) * (from - motion.centre).stableNorm();
  const double error = placement_error(motion, point.stableNorm() + radius);
  const double reach = (radius + swing) * (1 + 0x1p-40) + 3 * error;
  const Vec3 to = from + motion.velocity;
  return {from.cwiseMin(to) - Vec3::Constant(reach), from.cwiseMax(to) + Vec3::Constant(reach)};
}

}  // namespace graze::rigid
