#pragma once

#include <algorithm>
#include <cmath>

#include "graze/polyhedron/move.h"

namespace graze::polyhedron {

// A path in double arithmetic. The parameter is f for a translation and the angle for a rotation;
// both may exceed the end of the path.
struct Sweep {
  bool turns;
  Vec3 way, axis, centre;  // the axis of unit length
  double end;              // the parameter at f = 1
  double begin_size, end_size;

  explicit Sweep(const Path& path)
      : turns(path.turns),
        way(path.way),
        axis(Vec3::Zero()),
        centre(path.start * path.pivot),
        end(1),
        begin_size(path.begin.coeffs().stableNorm()),
        end_size(path.end.coeffs().stableNorm()) {
    if (!turns) return;
    const Eigen::Quaterniond turn = path.end.normalized() * path.begin.normalized().conjugate();
    axis = turn.vec().stableNormalized();
    end = 2 * std::atan2(turn.vec().norm(), turn.w());
  }

  // q(f) = (1-f) begin + f end is at the half angle a, of h in all, where
  //   tan a = f |end| sin h / ((1-f) |begin| + f |end| cos h).
  double fraction(double at) const {
    if (!turns) return at;
    if (at >= end) return 1;
    const double done = begin_size * std::sin(at / 2);
    return done / (done + end_size * std::sin((end - at) / 2));
  }
  double parameter(double fraction) const {
    if (!turns) return fraction;
    const double h = end / 2;
    return 2 * std::atan2(fraction * end_size * std::sin(h),
                          (1 - fraction) * begin_size + fraction * end_size * std::cos(h));
  }

  // Returns the position of a point that moves with the body; for `sign` = -1, of a point of the
  // world seen from the body.
  Vec3 position(const Vec3& x, double at, double sign) const {
    if (!turns) return x + sign * at * way;
    const Vec3 arm = x - centre, across = axis.cross(arm);
    // 1 - cos t = 2 sin^2 (t/2), without cancellation.
    const double half = std::sin(at / 2);
    return x + sign * std::sin(at) * across + 2 * half * half * axis.cross(across);
  }
  Vec3 velocity(const Vec3& x, double sign) const {  // of a point at x
    return turns ? Vec3(sign * axis.cross(x - centre)) : Vec3(sign * way);
  }
};

// Returns the first parameter t >= 0 at which start + a sin t - b (1 - cos t), or start + a t
// without a rotation, descends to 0; or a parameter just before its minimum if that is at most
// `reach`. Infinite if there is neither.
inline double first_descent(bool turns, double start, double a, double b, double reach) {
  constexpr double never = HUGE_VAL;
  if (start <= 0 && a < 0) return 0;
  if (!turns) return a < 0 ? start / -a : never;
  // start - b + size cos(t - phase)
  const double size = std::hypot(a, b), level = b - start;
  if (!(level <= size) || size == 0 || start - b - size > reach) return never;
  constexpr double whole = 2 * 3.141592653589793, lowest = -1 + 0x1p-30;
  const double t = std::atan2(a, b) + std::acos(std::max(level / size, lowest));
  return t < 0 ? t + whole : t;
}

}  // namespace graze::polyhedron
