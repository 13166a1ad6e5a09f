#pragma once

#include <algorithm>
#include <array>
#include <optional>

#include "graze/exact/arena/exact_query.h"
#include "graze/exact/integer.h"

namespace graze::exact {

// The rotations of a query whose two primitives are governed by one parameter: at the angle theta
// primitive i has turned by speeds[i] theta about axes[i], by the right-hand rule. A negative angle
// is a positive one about the opposite axis.
struct SharedTurn {
  double rate = 0;              // of theta, radians per step, >= 0; 0 if nothing turns
  std::array<int, 2> speeds{};  // 0 (rests), 1 or 2; never 2 without 1
  std::array<std::array<Integer, 3>, 2> axes{};  // of those that turn; all of the same length
  Integer length_sq = 1;                         // the square of that length
};

// Returns the rotations by one parameter, if has_one_parameter() (graze/first_contact.h): an angle
// is 0, or the angles are equal, or one is twice the other, up to sign; if both primitives turn,
// the ratio of the lengths of their axes is rational; both ways are equal. Empty otherwise.
std::optional<SharedTurn> shared_turn(const std::array<Turn, 2>& turns);

// Returns the integer in the arena.
ArenaInteger to_arena(Arena& arena, const Integer& x);

// The half-turns of theta, [0, pi] and [pi, 2 pi], and the part of each that a query visits.
//
// On half-turn h, theta = h pi + 2 atan(T), T = |n| s / c with c = 2^K (2^range - y) and s = y for
// a parameter y in [0, 1], |n| the length of the axes and K such that |n| 2^-K is in [0.7, 1.42).
// T rises with y from 0 to |n| 2^-K / (2^range - 1), which is infinite for range = 0.
struct HalfTurn {
  int half = 0;   // h: 0 or 1
  int range = 0;  // >= 0

  static int scale(const Integer& length_sq) {
    return static_cast<int>((msb(length_sq) + 1) / 2);  // K
  }
};

// Returns a range for half-turn 0 that contains all theta <= rate t_max.
//
// With phi = rate t_max / 2 <= 1.1 (up to rounding), T = tan(phi) <= 2 phi, since tan is convex and
// tan(1.1) < 2.2. y = 1 reaches T >= 0.7 / (2^range - 1) > 0.7 2^-range. So range may be any number
// with 2^-range >= 2 phi / 0.7; 3 phi leaves room for the rounding. A range above 40 has no use.
inline int turn_range(double rate, double t_max) {
  const double phi = rate * t_max / 2;
  int range = 0;
  while (range < 40 && 3 * phi <= std::ldexp(1.0, -(range + 1))) ++range;
  return range;
}

// The paths of the corners of a query that turns, on one half-turn, as polynomials in y with a
// common positive weight: corners()[c] is the position of corner c times W(y), which is
// w = c^2 + L s^2, or w^2 where a primitive has the speed 2, up to a constant; L = |n|^2.
//
// With v = x - point, Rodrigues' formula for the rotation by 2 atan(|n| s / c) about n is
//   w R v = (c^2 - L s^2) v + 2 s^2 n (n.v) + 2 c s (n x v),
// and for twice that angle (c, s) is replaced by (c^2 - L s^2, 2 c s). All coefficients are
// integers if the coordinates are. On half-turn 1, v is turned by pi first: 2 n (n.v) - L v, where
// all else is multiplied by L. A turn by 2 pi is none.
template <class Primitives_>
class TurningPaths {
 public:
  using Primitives = Primitives_;
  using Polynomial = ArenaPolynomialUpTo<12>;

  TurningPaths(const Turning<Primitives>& query, const SharedTurn& turn, const HalfTurn& part,
               Arena& arena);

  const std::array<std::array<Polynomial, 3>, 4>& corners() const { return corners_; }
  // Returns an estimate of corner c at y, times a positive number that is the same for all corners.
  Vec3 position(std::size_t c, double y) const;

 private:
  std::array<std::array<Polynomial, 3>, 4> corners_;
  int scale_ = 0;  // bits of the largest coefficient
};

template <class Primitives_>
struct Paths<TurningPaths<Primitives_>> {
  using Primitives = Primitives_;
  static constexpr int max_degree = 12;
  static const auto& corners(const TurningPaths<Primitives>& paths) { return paths.corners(); }
  static Vec3 position(const TurningPaths<Primitives>& paths, std::size_t c, double y) {
    return paths.position(c, y);
  }
};

}  // namespace graze::exact
