#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "graze/exact/arena/turning_paths.h"

namespace graze::exact {

// Converts the parameter y of a half-turn into time: after `turns` full turns,
// t = (2 turns pi + h pi + 2 atan(T(y))) / rate, rate > 0.
//
// For an algebraic y with t > 0 the time t is not a double: i t rate is a logarithm of an algebraic
// number and not 0, hence transcendental [Lindemann 1882]; if t were a double, t rate would be
// algebraic. So every comparison of t with a double ends once y and the functions of the angle are
// enclosed tightly enough. The tightest doubles around t are therefore found without a tolerance,
// by bisection.
class TurnClock {
 public:
  using Root = IsolatedRootUpTo<12>;

  TurnClock(const SharedTurn& turn, const HalfTurn& part, Arena& arena);

  // Returns the tightest doubles around the time of y; empty if that time is after t_max. Equal
  // doubles mean time 0. Narrows the bracket of y.
  std::optional<std::array<double, 2>> time_of(Root& y, double t_max,
                                               std::uint64_t turns = 0) const;

 private:
  // Returns whether the time of y, which is not 0, is after the double t > 0.
  bool is_after(Root& y, double t, std::uint64_t turns) const;
  // Returns whether h pi / 2 + atan(T(y)) is greater than phi = numerator 2^-shift >= 0; empty if
  // bounds of sin(phi) and cos(phi) with an accuracy of about 2^-bits do not decide.
  std::optional<bool> exceeds(Root& y, const Integer& numerator, unsigned shift,
                              unsigned bits) const;
  double estimate(double y, std::uint64_t turns) const;

  double rate_;
  HalfTurn part_;
  int scale_;
  double length_;  // |n| 2^-scale, approximately
  ArenaInteger length_sq_;
  Arena& arena_;
};

// Bounds of sin(phi) / phi and of cos(phi), each times 2^bits.
struct SineCosine {
  Integer sine_lo, sine_hi, cosine_lo, cosine_hi;
};

// Returns these bounds for phi = numerator 2^-shift in [0, 5], with errors of about 2^10 units.
SineCosine sine_cosine(const Integer& numerator, unsigned shift, unsigned bits);

// Returns a lower and an upper bound of pi times 2^bits, with errors of about 16 times `bits`.
std::array<Integer, 2> pi_bounds(unsigned bits);

}  // namespace graze::exact
