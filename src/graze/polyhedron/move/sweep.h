#pragma once

#include <algorithm>
#include <cmath>

#include "graze/polyhedron/move.h"

namespace graze::polyhedron {

// A path in double arithmetic. The parameter is f for a translation and r = tan(a/2) for a rotation
// by the angle a ([van Waveren 2005] 4), so no inverse of a sine, cosine or tangent is needed. Both
// may exceed the end of the path; a rotation stays below half a turn.
struct Sweep {
  bool turns;
  Vec3 way, axis, centre;  // the axis of unit length
  double end;              // the parameter at f = 1

  explicit Sweep(const Path& path)
      : turns(path.turns),
        way(path.way),
        axis(Vec3::Zero()),
        centre(path.start * path.pivot),
        end(1),
        begin_size_(path.begin.coeffs().stableNorm()),
        end_size_(path.end.coeffs().stableNorm()) {
    if (!turns) return;
    const Eigen::Quaterniond turn = path.end.normalized() * path.begin.normalized().conjugate();
    axis = turn.vec().stableNormalized();
    sin_ = turn.vec().norm();
    cos_ = turn.w();
    end = sin_ / cos_;
  }

  // q(f) = (1-f) begin + f end has turned by the half angle a/2, out of h in all, where
  //   tan(a/2) = f |end| sin h / ((1-f) |begin| + f |end| cos h).
  double fraction(double at) const {
    if (!turns) return at;
    if (at >= end) return 1;
    const double done = begin_size_ * at;
    return done / (done + end_size_ * (sin_ - at * cos_));
  }
  double parameter(double fraction) const {
    if (!turns) return fraction;
    return fraction * end_size_ * sin_ /
           ((1 - fraction) * begin_size_ + fraction * end_size_ * cos_);
  }
  // Returns the parameter before `at` by `step` (f, or an angle in radians) or a little more; at
  // least 0. With t >= tan(step/2), tan(a/2 - step/2) >= (r - t) / (1 + r t); x / (1 - x^2/2)
  // exceeds tan x for 0 < x <= 1.
  double before(double at, double step) const {
    if (!turns) return std::max(0., at - step);
    const double x = std::min(step / 2, 1.), t = x / (1 - x * x / 2);
    return std::max(0., (at - t) / (1 + at * t));
  }

  // Returns the position of a point that moves with the body; for `sign` = -1, of a point of the
  // world seen from the body.
  Vec3 position(const Vec3& x, double at, double sign) const {
    if (!turns) return x + sign * at * way;
    const Vec3 arm = x - centre, across = axis.cross(arm);
    // sin a = 2 r / (1 + r^2), 1 - cos a = 2 r^2 / (1 + r^2).
    const double scale = 2 * at / (1 + at * at);
    return x + sign * scale * across + at * scale * axis.cross(across);
  }
  Vec3 velocity(const Vec3& x, double sign) const {  // of a point at x
    return turns ? Vec3(sign * axis.cross(x - centre)) : Vec3(sign * way);
  }
  // Returns the largest distance of the arc of a point from its chord up to `at`, for a point at
  // the distance 1 from the axis: 1 - cos(a/2).
  double bulge(double at) const {
    if (!turns) return 0;
    const double secant = std::sqrt(1 + at * at);
    return at / secant * at / (1 + secant);
  }

 private:
  double begin_size_, end_size_;
  double sin_ = 0, cos_ = 1;  // of half the whole angle
};

// Returns the first parameter >= 0 at which start + a sin t - b (1 - cos t), t being the angle, or
// start + a f without a rotation, descends to 0; or a parameter just before its minimum if that is
// at most `reach`. Infinite if there is neither below half a turn.
//   With r = tan(t/2) the height times 1 + r^2 is (start - 2 b) r^2 + 2 a r + start. Of its two
//   roots it descends at the one with (start - 2 b) r + a = -s, s^2 being the discriminant.
inline double first_descent(bool turns, double start, double a, double b, double reach) {
  constexpr double never = HUGE_VAL;
  if (start <= 0 && a < 0) return 0;
  if (!turns) return a < 0 ? start / -a : never;
  const double square = start - 2 * b, discriminant = a * a - square * start;
  if (discriminant >= 0) {
    const double s = std::sqrt(discriminant);
    if (a < 0) return start / (s - a);
    return square < 0 ? (a + s) / -square : never;
  }
  // The lowest point, at tan(t/2) = (size + b) / -a, without cancellation.
  const double size = std::hypot(a, b);
  if (start < 0 || a >= 0 || start - b - size > reach) return never;
  const double lowest = b >= 0 ? (size + b) / -a : -a / (size - b);
  return lowest * (1 - 0x1p-15);
}

}  // namespace graze::polyhedron
