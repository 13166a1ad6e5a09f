#include "graze/rigid/motion_bound.h"

#include <algorithm>

#include "graze/core/strict_arithmetic.h"

namespace graze {

// The lengths are computed with an error of a few 2^-53, against which each bound is multiplied by
// 1 + 2^-40. The axis in the body is the direction of R^T rotation, its centre R^T (centre -
// translation): off by less than placement_error, which axis_distance adds.
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

// g(x) = k x^2 - b x + s0 with b = s0 + k - s1. For b <= 0 it grows from s0 > 0; for b > 0 its
// first zero is 2 s0/(b + sqrt(b^2 - 4 k s0)), if there is one and it is not behind x = 1. The
// rounding of b (4u(|s0| + |s1| + k)) and of the discriminant is covered by making k and b larger
// by 2^-40 of the numbers they come from (g becomes smaller everywhere in [0, 1]: x <= 1), and the
// discriminant by 2^-40 b^2 (the zero comes earlier). No square underflows above 2^-500; below,
// nothing lasts.
double gap_lasts(double s0, double s1, double curvature, double duration) {
  constexpr double slack = 0x1p-40;
  if (!(s0 > 0x1p-500)) return 0;
  const double k = curvature * duration * duration * (0.5 + slack);
  const double b_err = slack * (s0 + k + std::abs(s1));
  const double b = s0 + k - s1 + b_err;
  if (!(b < 0x1p500)) return 0;
  if (b <= 0) return 1;
  const double discriminant = b * b * (1 + slack) - 4 * k * s0;
  // Without a zero; or the lowest point lies behind x = 1, and at x = 1 g is still positive.
  if (discriminant < 0 || (s1 > 0 && b - 2 * b_err >= 2 * k)) return 1;
  const double x = 2 * s0 / (b + std::sqrt(discriminant)) * (1 - slack);
  return std::min(x, 1.0);
}

}  // namespace graze
