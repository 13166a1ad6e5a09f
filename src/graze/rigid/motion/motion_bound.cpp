#include "graze/rigid/motion/motion_bound.h"

#include <algorithm>

#include "graze/core/numeric/strict_arithmetic.h"

namespace graze::rigid {

// The lengths have relative errors of a few 2^-53; the factor 1 + 2^-40 of each bound covers them.
// In body coordinates the axis has the direction R^T rotation and passes through R^T (centre -
// translation). Both are off by less than placement_error, which axis_distance() adds.
MotionBound::MotionBound(const Motion& motion, double reach)
    : error(placement_error(motion, reach)),
      speed(motion.velocity.stableNorm()),
      turn(motion.rotation.stableNorm()) {
  const Eigen::Matrix3d start = placement_at(motion, 0).rotation;
  world_axis = turn > 0 ? Vec3(motion.rotation / turn) : Vec3(Vec3::Zero());
  axis = start.transpose() * world_axis;
  centre = start.transpose() * (motion.centre - motion.start.translation);
}

double MotionBound::curvature(const Vec3& n, double rho) const {
  return turn * turn * n.cross(world_axis).norm() * rho * (1 + 0x1p-40);
}

double MotionBound::directed(const Vec3& n, double rho) const {
  return turn * n.cross(world_axis).norm() * rho * (1 + 0x1p-40);
}

// g(x) = k x^2 - b x + s0 with b = s0 + k - s1. If b <= 0, g grows from s0 > 0. If b > 0, its first
// zero is 2 s0/(b + sqrt(b^2 - 4 k s0)), unless there is none or it lies after x = 1.
// Rounding: b has an error of at most 4u(|s0| + |s1| + k). k and b are enlarged by 2^-40 of their
// terms, which makes g smaller on all of [0, 1] because x <= 1. The discriminant is enlarged by
// 2^-40 b^2, which makes the zero earlier. No square underflows if s0 > 2^-500; for smaller gaps
// the result is 0.
double gap_lasts(double s0, double s1, double curvature, double duration) {
  constexpr double slack = 0x1p-40;
  if (!(s0 > 0x1p-500)) return 0;
  const double k = curvature * duration * duration * (0.5 + slack);
  const double b_err = slack * (s0 + k + std::abs(s1));
  const double b = s0 + k - s1 + b_err;
  if (!(b < 0x1p500)) return 0;
  if (b <= 0) return 1;
  const double discriminant = b * b * (1 + slack) - 4 * k * s0;
  // g has no zero, or its minimum lies after x = 1 and g(1) is positive.
  if (discriminant < 0 || (s1 > 0 && b - 2 * b_err >= 2 * k)) return 1;
  const double x = 2 * s0 / (b + std::sqrt(discriminant)) * (1 - slack);
  return std::min(x, 1.0);
}

}  // namespace graze::rigid
