#include "graze/narrow/rivals/cubic_root_published.h"

#include <cmath>

#include "graze/core/numeric/unit_roundoff.h"
#include "graze/narrow/batch.h"
#include "graze/narrow/rivals/time_set.h"

namespace graze::narrow {
namespace {

using namespace rivals;

// Complex numbers by the plain formulas: those of std::complex come from a library of the compiler,
// whose last bits differ from version to version.
struct Complex {
  double re = 0, im = 0;

  friend Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
  friend Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
  friend Complex operator*(Complex a, Complex b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  double norm_sq() const { return re * re + im * im; }
  Complex inverse() const { return {re / norm_sq(), -im / norm_sq()}; }
};

// Appends the real parts of all complex roots of p, ascending, by the iteration of [Aberth 1973],
// which corrects all roots at once. DEVIATION: the public code uses the iteration of Jenkins and
// Traub. Both return a double root as two roots or as a complex pair, which rounding separates.
template <std::size_t n>
void append_real_parts(const std::array<double, n>& p, Times<n - 1>& times) {
  std::size_t top = n - 1;
  while (top > 0 && p[top] == 0) --top;
  double radius = 1;  // of a disc around 0 that contains all roots, by Cauchy's bound
  for (std::size_t i = 0; i < top; ++i) radius = std::max(radius, 1 + std::abs(p[i] / p[top]));
  if (top == 0 || !std::isfinite(radius)) return;

  std::array<Complex, n - 1> roots;
  const Complex turn{0.4, 0.9};  // keeps the first roots off the real axis and apart
  roots[0] = Complex{radius} * turn;
  for (std::size_t i = 1; i < top; ++i) roots[i] = roots[i - 1] * turn;
  constexpr int max_rounds = 100;
  bool moved = true;
  for (int round = 0; round < max_rounds && moved; ++round) {
    moved = false;
    for (std::size_t i = 0; i < top; ++i) {
      Complex value{p[top]}, slope, repulsion;
      for (std::size_t j = top; j-- > 0;) {
        slope = slope * roots[i] + value;
        value = value * roots[i] + Complex{p[j]};
      }
      for (std::size_t j = 0; j < top; ++j) {
        const Complex gap = roots[i] - roots[j];
        if (gap.norm_sq() > 0) repulsion = repulsion + gap.inverse();
      }
      const Complex correction = value * (slope - value * repulsion).inverse();
      if (!std::isfinite(correction.norm_sq())) continue;
      roots[i] = roots[i] - correction;
      moved = moved || correction.norm_sq() > numeric::u * numeric::u * roots[i].norm_sq();
    }
  }
  for (std::size_t i = 0; i < top; ++i) times.add(roots[i].re);
}

// Returns the intervals between the real parts of roots of p in which the value in the middle,
// times `sign`, is not negative.
template <std::size_t n>
TimeSet times_of_sign(const std::array<double, n>& p, double sign, double t_max) {
  Times<n - 1> knots;
  append_real_parts(p, knots);
  TimeSet set;
  double lo = 0;
  const auto add_until = [&](double hi) {
    if (value_at(p, lo + (hi - lo) / 2) * sign >= 0) set.add({lo, hi});
    lo = hi;
  };
  for (const double knot : knots)
    if (knot >= 0 && knot <= t_max) add_until(knot);
  add_until(t_max);
  return set;
}

// Returns the conditions of the three planes through a side of the face and along its normal. The
// normal is n0 + t n1 here: the products of the starts and of the velocities, without mixed ones.
std::array<Polynomial<3>, 3> inside_conditions(const VertexFace&, const Motion& m) {
  const VectorPolynomial<1> n{m.z[0].cross(m.y[0]), m.z[1].cross(m.y[1])};
  const VectorPolynomial<1> zero{Vec3::Zero(), Vec3::Zero()};
  return {dot(m.x, cross(n, m.z)), dot(m.x - m.y, cross(n, zero - m.y)),
          dot(m.x - m.z, cross(n, m.y - m.z))};
}
std::array<Polynomial<4>, 4> inside_conditions(const EdgeEdge& query, const Motion& m) {
  return inside(query, m);
}

// The limit 1e-8 of the cross product is that of the public code, in the squared unit of the input.
bool is_skipped(const VertexFace&, const Motion&, double) {
  return false;
}
bool is_skipped(const EdgeEdge&, const Motion& m, double t) {
  const double n = value_at(m.y, t).cross(value_at(m.z, t)).norm();
  return !(n > std::ldexp(1e-8, -2 * m.exponent));
}

// The motion is scaled by a power of two, which changes no answer of the public code as long as
// nothing overflows or underflows there.
template <class Query>
Impact answer_as_published(const Query& query, const Options& options) {
  const Motion motion(differences(query));
  const auto cubic = dot(motion.x, cross(motion.y, motion.z));
  const TimeSet coplanar = times_of_sign(cubic * cubic, -1, options.t_max);
  TimeSet times;
  for (const Interval& interval : coplanar)
    if (!is_skipped(query, motion, interval.lo + (interval.hi - interval.lo) / 2))
      times.add(interval);
  for (const auto& condition : inside_conditions(query, motion)) {
    if (times.empty()) return Impact::separated();
    times = intersection(times, times_of_sign(condition, 1, options.t_max));
  }
  return times.empty() ? Impact::separated() : Impact::contact(times.begin()->lo, options.t_max, 1);
}

}  // namespace

void cubic_root_published(std::span<const VertexFace> queries, const MethodOptions& options,
                          std::span<Impact> impacts) {
  solve_each(queries, options, Norm::none, impacts,
             [&](const VertexFace& query) { return answer_as_published(query, options); });
}
void cubic_root_published(std::span<const EdgeEdge> queries, const MethodOptions& options,
                          std::span<Impact> impacts) {
  solve_each(queries, options, Norm::none, impacts,
             [&](const EdgeEdge& query) { return answer_as_published(query, options); });
}

}  // namespace graze::narrow
