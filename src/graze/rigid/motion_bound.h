#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "graze/rigid/motion.h"

namespace graze {

// How far points of a moving body come along a direction n, |n| <= 1 up to rounding.
//
// With w = rotation and r the vector to a point from the axis, n.p(t) has the derivative
// n.velocity + (n x w).r(t) and the second derivative -|w|^2 n'.r(t), n' being n without its part
// along the axis: at most |w|^2 |n'| rho, where rho is the distance of the point from the axis,
// which stays the same. Everything below follows from these three lines.
struct MotionBound {
  explicit MotionBound(const Motion& motion, double reach);

  double error;       // placement_error
  double speed;       // |velocity|
  double turn;        // |rotation|
  Vec3 axis, centre;  // the axis of rotation in the coordinates of the body; unit, or 0
  Vec3 world_axis;    // in those of the world

  bool rotates() const { return turn > 0; }

  // No point of the ball (in coordinates of the body) comes farther from the axis.
  double axis_distance(const Vec3& ball, double radius) const {
    return (axis.cross(ball - centre).norm() + radius) * (1 + 0x1p-40) + error;
  }
  // Bounds |n.p''| of points at most rho from the axis; n of length 1.
  double curvature(double rho) const { return turn * turn * rho * (1 + 0x1p-40); }
  double curvature(const Vec3& n, double rho) const;

  // The undirected bound: no point moves faster. [Zhang 2006] Eq. 4.
  double undirected(double rho) const { return (speed + turn * rho) * (1 + 0x1p-40); }
  // No point moves faster along n or against it, but for the velocity of the centre.
  // DEVIATION: [Zhang 2006] Eq. 5 has max |(n x w).r| over the hull at the start of the step; but r
  // turns with the body, and the bound is wrong as soon as it does. |n x w| rho holds at all times.
  double directed(const Vec3& n, double rho) const;
};

// The part of the interval [t0, t1] at whose beginning a gap is proven: it has size s0 at t0, s1 at
// t1 (at least), and the second derivatives of its two sides are bounded by curvature, together.
//
// A function with f'' <= M lies above its chord minus M (t - t0)(t1 - t)/2. A gap along n is the
// least n.p of one body's points minus the largest of the other's; the chords of all of them lie
// above the chord of the gaps. So with x = (t - t0)/(t1 - t0) and k = M (t1 - t0)^2/2 the gap is at
// least g(x) = (1-x) s0 + x s1 - k x (1-x), whose first zero in [0, 1] this returns, rounded down;
// 1 where there is none: g > 0 on all of [0, 1]. 0 without a gap at t0.
double gap_lasts(double s0, double s1, double curvature, double duration);

// t0 + share (t1 - t0), rounded down; never below t0, and t1 only for share 1.
inline double time_at(double t0, double t1, double share) {
  if (share >= 1) return t1;
  const double t = std::min(std::nextafter(t0 + share * (t1 - t0), -1.0), std::nextafter(t1, -1.0));
  return std::max(t, t0);
}

}  // namespace graze
