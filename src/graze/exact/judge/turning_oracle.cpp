#include "graze/exact/judge/turning_oracle.h"

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "graze/core/numeric/float_environment.h"
#include "graze/exact/judge/curved_condition.h"

namespace graze::exact {
namespace {

using namespace curved_condition;
using Digits = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<100>,
                                             boost::multiprecision::et_off>;
using IntegerVector = std::array<Integer, 3>;

IntegerVector cross_product(const IntegerVector& x, const IntegerVector& y) {
  return {x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]};
}

// The rotations of the two primitives: by `times` theta about `axis`. The axes have equal lengths.
struct Spin {
  double rate = 0;  // of theta, per step
  int times[2] = {0, 0};
  IntegerVector axis[2];
  Integer square = 1;  // of the length of the axes
};

std::optional<Spin> spin_of(const std::array<Turn, 2>& turns) {
  Spin spin;
  if (!(turns[0].way - turns[1].way).isZero(0)) return {};
  for (std::size_t i = 0; i < 2; ++i) {
    const double size = std::abs(turns[i].angle);
    if (size > 0 && (spin.rate == 0 || size < spin.rate)) spin.rate = size;
  }
  if (spin.rate == 0) return spin;
  Integer square[2] = {1, 1};
  for (std::size_t i = 0; i < 2; ++i) {
    if (turns[i].angle == 0) continue;
    const double times = std::abs(turns[i].angle) / spin.rate;
    if (times * spin.rate != std::abs(turns[i].angle) || (times != 1 && times != 2)) return {};
    spin.times[i] = static_cast<int>(times);
    numeric::CommonScale scale;
    scale.include(turns[i].axis);
    Integer divisor = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      spin.axis[i][k] = to_integer(scale.scaled(turns[i].axis[static_cast<int>(k)]));
      divisor = gcd(divisor, spin.axis[i][k]);
    }
    square[i] = 0;
    for (Integer& x : spin.axis[i]) {
      x /= turns[i].angle < 0 ? Integer(-divisor) : divisor;
      square[i] += x * x;
    }
  }
  if (spin.times[0] != 0 && spin.times[1] != 0) {
    // The ratio of the lengths is rational iff both squares, without common factors, are squares.
    const Integer common = gcd(square[0], square[1]);
    const Integer reduced[2] = {square[0] / common, square[1] / common};
    for (std::size_t i = 0; i < 2; ++i) {
      const Integer root = sqrt(reduced[i]);
      if (root * root != reduced[i]) return {};
      for (Integer& x : spin.axis[1 - i]) x *= root;
      square[1 - i] *= reduced[i];
    }
  }
  spin.square = spin.times[0] != 0 ? square[0] : square[1];
  return spin;
}

// About a quarter of a turn: theta = half pi + 2 atan(|n| s / c), where x is in [0, 1]. If `falls`
// is false, (c, s) = (2^scale, x). If it is true, (c, s) = (2^scale x, 1), and x falls with time.
struct Quarter {
  int half;
  bool falls;
};
constexpr Quarter quarters[] = {{0, false}, {0, true}, {1, false}, {1, true}};

// Returns the corners on a quarter as polynomials of x with the weight w^m, w = c^2 + |n|^2 s^2, m
// the larger of spin.times. For a corner with the vector v from the point on the axis,
//   w R v = w v + 2 c s n x v + 2 s^2 n x (n x v).
template <Query Q>
CornerPaths<Q> turning_corners(const Turning<Q>& query, const Spin& spin, const Quarter& quarter,
                               unsigned scale) {
  numeric::CommonScale unit;
  for (const Vec3& corner : query.corners) unit.include(corner);
  for (std::size_t i = 0; i < 2; ++i)
    if (spin.times[i] != 0) unit.include(query.turns[i].point);
  const auto integers = [&](const Vec3& x) {
    return IntegerVector{to_integer(unit.scaled(x[0])), to_integer(unit.scaled(x[1])),
                         to_integer(unit.scaled(x[2]))};
  };
  const auto constant = [](const Integer& x) { return x == 0 ? Coefficients{} : Coefficients{x}; };
  const Integer one = 1;
  const Coefficients x{0, 1}, square = constant(spin.square);
  const Coefficients c = constant(one << scale) * (quarter.falls ? x : constant(one)),
                     s = quarter.falls ? constant(one) : x;
  const Coefficients weight = c * c + square * (s * s);
  const int most = std::max(spin.times[0], spin.times[1]);
  CornerPaths<Q> corners;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const std::size_t body = primitive_of<Q>(i);
    const int times = spin.times[body];
    const IntegerVector &n = spin.axis[body], at = integers(query.corners[i]),
                        point =
                            times == 0 ? IntegerVector{0, 0, 0} : integers(query.turns[body].point);
    IntegerVector v;
    for (std::size_t k = 0; k < 3; ++k) v[k] = at[k] - point[k];
    Integer factor = 1;
    if (quarter.half == 1) {  // all is multiplied by |n|^2; H v = v + 2 n x (n x v) / |n|^2
      factor = spin.square;
      const IntegerVector bend = cross_product(n, cross_product(n, v));
      for (std::size_t k = 0; k < 3; ++k) {
        v[k] *= spin.square;
        if (times == 1) v[k] += 2 * bend[k];
      }
    }
    const IntegerVector across = cross_product(n, v), bend = cross_product(n, across);
    // Twice the angle: (c, s)^2 as a complex number with imaginary unit |n|.
    const Coefficients cosine = times == 2 ? c * c - square * (s * s) : c,
                       sine = times == 2 ? constant(2) * (c * s) : s;
    for (std::size_t k = 0; k < 3; ++k) {
      Coefficients path = constant(v[k]), place = constant(point[k] * factor);
      for (int p = 0; p < times; ++p) path = path * weight;
      for (int p = 0; p < most; ++p) place = place * weight;
      path =
          path + constant(2 * across[k]) * (cosine * sine) + constant(2 * bend[k]) * (sine * sine);
      for (int p = times; p < most; ++p) path = path * weight;
      corners[i][k] = path + place;
    }
  }
  return corners;
}

// Returns the time at which theta has the value of the parameter x, after a number of full turns.
Digits time_at(const Dyadic& x, const Spin& spin, const Quarter& quarter, unsigned scale,
               int turns) {
  const auto exact = [](const Integer& value, int exponent) {
    return ldexp(Digits(value), exponent);
  };
  const Digits length = sqrt(exact(spin.square, -2 * static_cast<int>(scale)));
  const Digits value = exact(x.numerator, -static_cast<int>(x.shift));
  const Digits pi = 4 * atan(Digits(1));
  const Digits theta = quarter.falls ? Digits(pi - 2 * atan(Digits(value / length)))
                                     : Digits(2 * atan(Digits(value * length)));
  return (theta + (quarter.half + 2 * turns) * pi) / Digits(spin.rate);
}

double largest_below(const Digits& x) {
  double result = x.convert_to<double>();
  while (Digits(result) > x) result = std::nextafter(result, 0.0);
  while (Digits(std::nextafter(result, Impact::inf)) <= x)
    result = std::nextafter(result, Impact::inf);
  return result;
}

std::array<double, 2> enclosure_of(SturmRoot& root, const Spin& spin, const Quarter& quarter,
                                   unsigned scale, int turns = 0) {
  for (unsigned bits = 100; bits < 250; bits += 50) {
    const auto [a, b] = root.narrowed(bits);
    if (b.numerator == 0 && quarter.half == 0 && !quarter.falls && turns == 0) return {0, 0};
    // The relative error of each time is below 2^-300.
    const Digits slack = ldexp(Digits(1), -300);
    Digits early = time_at(a, spin, quarter, scale, turns),
           late = time_at(b, spin, quarter, scale, turns);
    if (quarter.falls) std::swap(early, late);
    const double lo = largest_below(early * (1 - slack));
    if (lo == largest_below(late * (1 + slack))) return {lo, std::nextafter(lo, Impact::inf)};
  }
  throw std::runtime_error("turning_oracle: 100 digits do not decide");
}

// Calls examine(x) for all parameters of a quarter at which a contact can be or, for motions in a
// plane, begin or end.
template <class Examine>
void visit_events(const CurvedCondition& condition, const Quarter& quarter, Examine&& examine) {
  const auto examine_roots = [&](const Coefficients& p) {
    if (!p.empty())
      for (const SturmRoot& x : SturmRoot::all(p)) examine(x);
  };
  if (!condition.coplanarity.empty()) return examine_roots(condition.coplanarity);
  // As for curves, contact begins and ends at the beginning of the quarter or where a sign changes.
  // A falling quarter begins where the quarter before it ends.
  if (!quarter.falls) examine(SturmRoot::zero());
  examine_roots(condition.normal_sq);
  for (const Coefficients& p : condition.inside) examine_roots(p);
  for (const SegmentTest& segment : condition.segments) examine_roots(segment.events());
}

unsigned scale_of(const Spin& spin) {
  return (static_cast<unsigned>(msb(spin.square)) + 1) / 2;
}

template <Query Q>
std::optional<Spin> usable_spin(const Turning<Q>& query, const Options& options) {
  if (!is_finite(query) || !is_sensible(options) || options.min_separation > 0) return {};
  return spin_of(query.turns);
}

template <Query Q>
Impact judge_turning(const Turning<Q>& query, const Options& options) {
  const FloatEnvironment environment;
  const std::optional<Spin> spin = usable_spin(query, options);
  if (!spin) return Impact::invalid();
  const unsigned scale = scale_of(*spin);
  Impact impact;
  for (const Quarter& quarter : quarters) {
    if (impact.verdict == Verdict::contact) break;
    const CurvedCondition condition =
        condition_of(static_cast<const Q*>(nullptr), turning_corners(query, *spin, quarter, scale));
    const auto examine = [&](SturmRoot x) {
      ++impact.checks;
      if (!touches_at(x, condition)) return;
      const auto [lo, hi] =
          spin->rate == 0 ? std::array{0.0, 0.0} : enclosure_of(x, *spin, quarter, scale);
      if (hi > options.t_max) return;
      impact.verdict = Verdict::contact;  // rounding is monotone: the earliest has these ends
      impact.toi = std::min(impact.toi, lo);
      impact.toi_hi = std::min(impact.toi_hi, hi);
    };
    if (spin->rate == 0) {  // all polynomials are constant
      if (condition.coplanarity.empty()) examine(SturmRoot::zero());
      break;
    }
    visit_events(condition, quarter, examine);
  }
  return impact;
}

template <Query Q>
std::vector<std::array<double, 2>> all_touching(const Turning<Q>& query, const Options& options) {
  const FloatEnvironment environment;
  std::vector<std::array<double, 2>> times;
  const std::optional<Spin> spin = usable_spin(query, options);
  if (!spin || spin->rate == 0) return times;
  const unsigned scale = scale_of(*spin);
  for (const Quarter& quarter : quarters) {
    const CurvedCondition condition =
        condition_of(static_cast<const Q*>(nullptr), turning_corners(query, *spin, quarter, scale));
    visit_events(condition, quarter, [&](SturmRoot x) {
      if (!touches_at(x, condition)) return;
      for (int turns = 0;; ++turns) {
        const auto time = enclosure_of(x, *spin, quarter, scale, turns);
        if (time[1] > options.t_max) return;
        times.push_back(time);
      }
    });
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

}  // namespace

Impact turning_oracle(const Turning<VertexFace>& query, const Options& options) {
  return judge_turning(query, options);
}
Impact turning_oracle(const Turning<EdgeEdge>& query, const Options& options) {
  return judge_turning(query, options);
}
Impact turning_oracle(const Turning<VertexEdge>& query, const Options& options) {
  return judge_turning(query, options);
}
Impact turning_oracle(const Turning<VertexVertex>& query, const Options& options) {
  return judge_turning(query, options);
}
std::vector<std::array<double, 2>> touching_events(const Turning<VertexFace>& query,
                                                   const Options& options) {
  return all_touching(query, options);
}
std::vector<std::array<double, 2>> touching_events(const Turning<EdgeEdge>& query,
                                                   const Options& options) {
  return all_touching(query, options);
}
std::vector<std::array<double, 2>> touching_events(const Turning<VertexEdge>& query,
                                                   const Options& options) {
  return all_touching(query, options);
}
std::vector<std::array<double, 2>> touching_events(const Turning<VertexVertex>& query,
                                                   const Options& options) {
  return all_touching(query, options);
}

}  // namespace graze::exact
