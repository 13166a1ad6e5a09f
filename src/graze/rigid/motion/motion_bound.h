#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "graze/rigid/motion.h"

namespace graze::rigid {

// Bounds on the motion of body points along a direction n, |n| <= 1 up to rounding.
//
// Let w = rotation, r the vector from the axis to a point, and n' the part of n across the axis.
// Then n.p(t) has the derivative n.velocity + (n x w).r(t) and the second derivative -|w|^2
// n'.r(t). The latter is at most |w|^2 |n'| rho in size, where rho is the distance of the point
// from the axis, which is constant. All bounds below follow from these facts.
struct MotionBound {
  explicit MotionBound(const Motion& motion, double reach);

  double error;       // placement_error
  double speed;       // |velocity|
  double turn;        // |rotation|
  Vec3 axis, centre;  // the axis of rotation in body coordinates; `axis` has length 1, or is 0
  Vec3 world_axis;    // the axis in world coordinates

  bool rotates() const { return turn > 0; }

  // Bounds the distance of the points of a ball, in body coordinates, from the axis.
  double axis_distance(const Vec3& ball, double radius) const {
    return (axis.cross(ball - centre).norm() + radius) * (1 + 0x1p-40) + error;
  }
  // Bounds |n.p''| for points at most rho from the axis; without n: for any n of length 1.
  double curvature(double rho) const { return turn * turn * rho * (1 + 0x1p-40); }
  double curvature(const Vec3& n, double rho) const;

  // The directed bound: bounds the speed along n, in both senses, that is due to rotation. The
  // caller adds the velocity of the centre. DEVIATION: [Zhang 2006] Eq. 5 has max |(n x w).r| over
  // the hull at the start of the step. But r rotates with the body, so that bound fails during the
  // step. |n x w| rho holds at all times.
  double directed(const Vec3& n, double rho) const;
};

// Returns the fraction of [t0, t1], from its start, on which a gap is proven positive. The gap is
// at least s0 at t0 and at least s1 at t1; `curvature` = M bounds the sum of the second derivatives
// of its two sides; `duration` = t1 - t0.
//
// A function with f'' <= M lies above its chord minus M (t - t0)(t1 - t)/2. A gap along n is the
// least n.p over the points of one body minus the greatest n.p over those of the other. The chord
// of each such difference lies above the chord of the gaps. So with x = (t - t0)/(t1 - t0) and k =
// M (t1 - t0)^2/2 the gap is at least g(x) = (1-x) s0 + x s1 - k x (1-x). The result is the first
// zero of g in [0, 1], rounded down; 1 if g > 0 on all of [0, 1]; 0 if s0 is not positive.
double gap_lasts(double s0, double s1, double curvature, double duration);

// Returns t0 + share (t1 - t0), rounded down; at least t0, and t1 only for share 1.
inline double time_at(double t0, double t1, double share) {
  if (share >= 1) return t1;
  const double t = std::min(std::nextafter(t0 + share * (t1 - t0), -1.0), std::nextafter(t1, -1.0));
  return std::max(t, t0);
}

}  // namespace graze::rigid
