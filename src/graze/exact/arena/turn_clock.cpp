#include "graze/exact/arena/turn_clock.h"

#include <cmath>
#include <numbers>

#include "graze/core/numeric/double_index.h"
#include "graze/core/numeric/strict_arithmetic.h"

namespace graze::exact {
namespace {

// Returns bounds of the series 1 - a_1 + a_2 - ... with a_i = a_(i-1) q / ((2i - 1 + odd)
// (2i + odd)) for odd = 0 (cosine) or 1 (sine over phi), in units of 2^-bits.
//
// q lies in [q_lo, q_hi]; all a_i are positive, so products of lower bounds, rounded down, are
// lower bounds, and products of upper bounds, rounded up, are upper bounds. The sum ends at a term
// with i >= 4 whose lower bound is 0. From i = 4 on the terms fall (q <= 25 < 7 * 8), so the rest
// of the alternating series is at most that term in size.
std::array<Integer, 2> series(const Integer& q_lo, const Integer& q_hi, unsigned bits,
                              unsigned odd) {
  Integer lo = Integer(1) << bits, hi = lo, sum_lo = lo, sum_hi = lo;
  for (unsigned i = 1;; ++i) {
    const unsigned divisor = (2 * i - 1 + odd) * (2 * i + odd);
    lo = ((lo * q_lo) >> bits) / divisor;
    hi = (((hi * q_hi) >> bits) + 1) / divisor + 1;
    if (i % 2 == 1) {
      sum_lo -= hi;
      sum_hi -= lo;
    } else {
      sum_lo += lo;
      sum_hi += hi;
    }
    if (i >= 4 && lo == 0) break;
  }
  // The last term is at most `hi` in size, and so is the rest of the series.
  return {sum_lo - hi, sum_hi + hi};
}

// Returns bounds of atan(1 / q) = 1/q - 1/(3 q^3) + 1/(5 q^5) - ..., q > 1, in units of 2^-bits.
// The terms fall, so the rest of the alternating series is at most the last term in size.
std::array<Integer, 2> inverse_tangent(unsigned q, unsigned bits) {
  Integer lo = (Integer(1) << bits) / q, hi = lo + 1, sum_lo = lo, sum_hi = hi;
  for (unsigned i = 1;; ++i) {
    lo = lo / (q * q);
    hi = hi / (q * q) + 1;
    const Integer term_lo = lo / (2 * i + 1), term_hi = hi / (2 * i + 1) + 1;
    if (i % 2 == 1) {
      sum_lo -= term_hi;
      sum_hi -= term_lo;
    } else {
      sum_lo += term_lo;
      sum_hi += term_hi;
    }
    if (term_lo == 0) return {sum_lo - term_hi, sum_hi + term_hi};
  }
}

}  // namespace

// Machin's formula: pi = 16 atan(1/5) - 4 atan(1/239).
std::array<Integer, 2> pi_bounds(unsigned bits) {
  const auto [fifth_lo, fifth_hi] = inverse_tangent(5, bits);
  const auto [small_lo, small_hi] = inverse_tangent(239, bits);
  return {16 * fifth_lo - 4 * small_hi, 16 * fifth_hi - 4 * small_lo};
}

SineCosine sine_cosine(const Integer& numerator, unsigned shift, unsigned bits) {
  const Integer square = numerator * numerator;  // times 2^(-2 shift)
  const Integer q_lo = 2 * shift >= bits ? Integer(square >> (2 * shift - bits))
                                         : Integer(square << (bits - 2 * shift));
  const Integer q_hi = q_lo + 1;
  const auto [sine_lo, sine_hi] = series(q_lo, q_hi, bits, 1);
  const auto [cosine_lo, cosine_hi] = series(q_lo, q_hi, bits, 0);
  return {sine_lo, sine_hi, cosine_lo, cosine_hi};
}

TurnClock::TurnClock(const SharedTurn& turn, const HalfTurn& part, Arena& arena)
    : rate_(turn.rate),
      part_(part),
      scale_(HalfTurn::scale(turn.length_sq)),
      length_(std::sqrt(approximate(turn.length_sq, -2 * scale_))),
      length_sq_(to_arena(arena, turn.length_sq)),
      arena_(arena) {}

// T^2 = L y^2 / c(y)^2 lies between the values at the ends of the bracket of y.
//
// Half-turn 0: cos(phi) < 0 means phi > pi/2 >= atan(T), since phi <= 3.2. Otherwise tan(phi)^2 is
// compared with T^2:
//   (phi S)^2 c^2 with L y^2 C^2,  S = sin(phi) / phi, C = cos(phi).
// Half-turn 1: cos(phi) > 0 means phi < pi/2. Otherwise S < 0 means phi > pi, and if S > 0 then
// tan(phi - pi/2)^2 = C^2 / (phi S)^2 is compared with T^2.
std::optional<bool> TurnClock::exceeds(Root& y, const Integer& numerator, unsigned shift,
                                       unsigned bits) const {
  // phi > 3.2 > pi
  if (5 * numerator > Integer(16) << shift) return false;
  const SineCosine of_phi = sine_cosine(numerator, shift, bits);
  const bool first = part_.half == 0;
  if (of_phi.cosine_lo > 0 && !first) return true;
  if (of_phi.cosine_hi < 0 && first) return false;
  if (of_phi.sine_hi < 0) return false;
  if (of_phi.sine_lo <= 0 || (of_phi.cosine_lo <= 0 && of_phi.cosine_hi >= 0)) return {};
  // tan of the angle in this quarter is up / down, both positive, with a common factor 2^-bits;
  // one of them has the factor phi.
  const Integer cosine_lo = first ? of_phi.cosine_lo : Integer(-of_phi.cosine_hi);
  const Integer cosine_hi = first ? of_phi.cosine_hi : Integer(-of_phi.cosine_lo);
  const auto square = [&](const Integer& x) { return to_arena(arena_, Integer(x * x)); };
  const Integer phi_sine_lo = numerator * of_phi.sine_lo, phi_sine_hi = numerator * of_phi.sine_hi;
  const ArenaInteger sine_sq_lo = square(phi_sine_lo), sine_sq_hi = square(phi_sine_hi),
                     cosine_sq_lo = square(cosine_lo) << static_cast<int>(2 * shift),
                     cosine_sq_hi = square(cosine_hi) << static_cast<int>(2 * shift);
  const ArenaInteger &up_lo = first ? sine_sq_lo : cosine_sq_lo,
                     &up_hi = first ? sine_sq_hi : cosine_sq_hi,
                     &down_lo = first ? cosine_sq_lo : sine_sq_lo,
                     &down_hi = first ? cosine_sq_hi : sine_sq_hi;
  // Returns L s^2 and c^2 at a dyadic y, on a common scale.
  const auto parameter = [&](const ArenaDyadic& at) {
    const ArenaInteger one(arena_, 1, 0, false);
    const ArenaInteger c = ((one << (part_.range + at.k)) - at.m) << scale_;
    return std::array{length_sq_ * (at.m * at.m), c * c};
  };
  for (unsigned halvings = 0;; halvings += 4) {
    const auto [s_a, c_a] = parameter(y.a);
    const auto [s_b, c_b] = parameter(y.b);
    if ((up_hi * c_a - down_lo * s_a).sign() < 0) return true;
    if ((up_lo * c_b - down_hi * s_b).sign() > 0) return false;
    // A bracket much narrower than the bounds of the angle does not help.
    if (y.exact || halvings >= bits) return {};
    for (int i = 0; i < 4; ++i) halve(y);
  }
}

// The time of y is after t iff phi = rate t / 2, an exact dyadic number, is less than turns pi +
// h pi / 2 + atan(T(y)). Without full turns phi itself is compared. Otherwise phi - turns pi lies
// between two multiples of 2^-bits, which are compared.
bool TurnClock::is_after(Root& y, double t, std::uint64_t turns) const {
  // theta <= 2 pi: 3.2 is above pi by more than the rounding
  if (turns == 0 && rate_ * t / 2 > 3.2) return false;
  const auto [rate_mantissa, rate_exponent] = numeric::decompose(rate_);
  const auto [t_mantissa, t_exponent] = numeric::decompose(t);
  Integer numerator = Integer(rate_mantissa) * t_mantissa;
  int exponent = rate_exponent + t_exponent - 1;
  if (exponent > 0) {
    numerator <<= static_cast<unsigned>(exponent);
    exponent = 0;
  }
  const auto shift = static_cast<unsigned>(-exponent);
  for (unsigned bits = 128;; bits *= 2) {
    if (turns == 0) {
      if (const auto result = exceeds(y, numerator, shift, bits)) return *result;
      continue;
    }
    const auto [pi_lo, pi_hi] = pi_bounds(bits);
    const Integer phi = (numerator << bits) >> shift;
    const Integer least = phi - turns * pi_hi, most = phi + 1 - turns * pi_lo;
    if (most <= 0 || exceeds(y, most, bits, bits).value_or(false)) return true;
    if (least >= 0 && !exceeds(y, least, bits, bits).value_or(true)) return false;
  }
}

double TurnClock::estimate(double y, std::uint64_t turns) const {
  const double tangent_up = length_ * y, tangent_down = std::ldexp(1.0, part_.range) - y;
  const double halves = 2 * static_cast<double>(turns) + part_.half;
  return (2 * std::atan2(tangent_up, tangent_down) + halves * std::numbers::pi) / rate_;
}

std::optional<std::array<double, 2>> TurnClock::time_of(Root& y, double t_max,
                                                        std::uint64_t turns) const {
  if (turns == 0 && part_.half == 0 && y.exact && y.hi == 0) return std::array{0.0, 0.0};
  using numeric::double_of;
  using numeric::index_of;
  // The time is after double_of(lo) and not after double_of(hi), where that is at most t_max.
  const std::uint64_t end = index_of(t_max) + 1;
  std::uint64_t lo = 0, hi = end;
  const auto visit = [&](std::uint64_t i) { (is_after(y, double_of(i), turns) ? lo : hi) = i; };
  refine(y);
  const double hint = estimate(y.lo + (y.hi - y.lo) / 2, turns);
  if (hint > 0) {
    const std::uint64_t first = std::min(index_of(std::min(hint, t_max)), end - 1);
    visit(first);
    // Steps of doubling length away from the hint, until the time is passed.
    const bool upward = lo == first;
    for (std::uint64_t step = 1; step < hi - lo; step *= 2) {
      const std::uint64_t next = upward ? lo + step : hi - step;
      visit(next);
      if ((upward ? hi : lo) == next) break;
    }
  }
  while (hi - lo > 1) visit(lo + (hi - lo) / 2);
  if (hi == end) return {};
  return std::array{double_of(lo), double_of(hi)};
}

}  // namespace graze::exact
