#include "graze/polyhedron/turn/rotate.h"

#include <cmath>

namespace graze::polyhedron {
namespace {

// Returns the range of the value over the times t in [0, 1].
Interval value_at(const Curve<Interval>& b, const Interval& t) {
  const Interval u = Interval(1) - t, s{std::max(u.lo, 0.), u.hi};
  const auto times = [](const Interval& x, const Interval& y) {
    return exact::times_nonnegative(x, y);
  };
  return times(times(b[0], s) + times(b[1], t), s) + times(times(b[1], s) + times(b[2], t), t);
}

struct Roots {
  int count = 0;        // -1: unknown
  int first_after = 0;  // the sign after the first root; after the second it is the opposite
  std::array<Interval, 2> time;
};

// Returns brackets of the roots in (0, 1), with exactly one root each.
//
// Let s0, s1, s2 be the signs of the coefficients. All equal: no root. s0 = -s2: one root, whatever
// s1. s0 = s2 = -s1: the parabola has its extremum inside, and two roots if b1^2 > b0 b2, none if
// b1^2 < b0 b2; the latter also holds if s1 is unclear. With f = z / (1 + z) the roots are those of
// b2 z^2 + 2 b1 z + b0 with z > 0, computed in doubles; a change of sign certifies each bracket.
Roots isolate(const Curve<Interval>& b) {
  Roots roots;
  const int s0 = clear_sign(b[0]), s1 = clear_sign(b[1]), s2 = clear_sign(b[2]);
  if (s0 != 0 && s0 == s1 && s0 == s2) return roots;
  roots.count = -1;
  if (s0 == 0 || s2 == 0) return roots;
  const auto middle = [](const Interval& x) { return x.lo / 2 + x.hi / 2; };
  const double b0 = middle(b[0]), b1 = middle(b[1]), b2 = middle(b[2]);
  if (s0 == s2) {
    const Interval discriminant = b[1] * b[1] - b[0] * b[2];
    if (discriminant.hi < 0) {
      roots.count = 0;
      return roots;
    }
    if (!(discriminant.lo > 0) || s1 == 0) return roots;
  }
  const double q = -(b1 + std::copysign(std::sqrt(std::max(0., b1 * b1 - b0 * b2)), b1));
  double z[2] = {b0 / q, q / b2};
  if (s0 == s2 ? z[0] > z[1] : !(z[0] > 0)) std::swap(z[0], z[1]);
  const int wanted = s0 == s2 ? 2 : 1;
  for (int i = 0; i < wanted; ++i) {
    const double f = z[i] / (1 + z[i]);
    const int before = i == 0 ? s0 : -s0;
    bool found = false;
    for (double width = 0x1p-51; !found && width < 0x1p-20; width *= 64) {
      const double lo = std::max(0., f - width), hi = std::min(1., f + width);
      if (!(lo < hi)) return roots;
      found = clear_sign(value_at(b, lo)) == before && clear_sign(value_at(b, hi)) == -before;
      roots.time[static_cast<std::size_t>(i)] = {lo, hi};
    }
    if (!found) return roots;
  }
  if (wanted == 2 && roots.time[0].hi >= roots.time[1].lo) return roots;
  roots.first_after = -s0;
  roots.count = wanted;
  return roots;
}

bool is_negative(const Curve<Interval>& b) {
  return b[0].hi < 0 && b[1].hi < 0 && b[2].hi < 0;
}

template <class SignAt>
Filtered first_of(const Roots& roots, const SignAt& meets_at) {
  for (int i = 0; i < roots.count; ++i) {
    const Interval& time = roots.time[static_cast<std::size_t>(i)];
    const int meets = meets_at(time, i == 0 ? roots.first_after : -roots.first_after);
    if (meets > 0) return {Filtered::touching, time};
    if (meets == 0) return {Filtered::unclear, {}};
  }
  return {Filtered::apart, {}};
}

}  // namespace

Filtered rotate_vertex_facet(const CurveVector<Interval>& x, const Curve<Interval>& weight,
                             const IntervalFacet& facet, bool enters) {
  Curve<Interval> height;
  for (std::size_t i = 0; i < 3; ++i) height[i] = facet.plane.height(x[i], weight[i]);
  const Roots roots = isolate(height);
  if (roots.count == 0) return {Filtered::apart, {}};

  const std::size_t n = facet.corners.size();
  const auto inner = [&](std::size_t e) {
    Curve<Interval> b;
    for (std::size_t i = 0; i < 3; ++i)
      b[i] = facet.plane.inner(facet.corners[e], facet.corners[(e + 1) % n], x[i], weight[i]);
    return b;
  };
  if (roots.count < 0) {
    for (std::size_t e = 0; e < n; ++e)
      if (is_negative(inner(e))) return {Filtered::apart, {}};
    return {Filtered::unclear, {}};
  }
  return first_of(roots, [&](const Interval& time, int after) {
    if (enters && after > 0) return -1;
    const Interval w = value_at(weight, time);
    IntervalPoint there;
    for (std::size_t k = 0; k < 3; ++k) there[k] = value_at({x[0][k], x[1][k], x[2][k]}, time);
    int result = 1;
    for (std::size_t e = 0; e < n; ++e) {
      const int sign = clear_sign(
          facet.plane.inner(facet.corners[e], facet.corners[e + 1 < n ? e + 1 : 0], there, w));
      if (sign < 0) return -1;
      result = std::min(result, sign);
    }
    return result;
  });
}

Filtered rotate_edge_edge(const std::array<Line<Interval>, 3>& a, const CurveVector<Interval>& x0,
                          const CurveVector<Interval>& x1, const Curve<Interval>& weight,
                          const IntervalPoint& b0, const IntervalPoint& b1) {
  const Line<Interval> b = line_through(b0, b1);
  Curve<Interval> coplanarity;
  for (std::size_t i = 0; i < 3; ++i) coplanarity[i] = side(a[i], b);
  const Roots roots = isolate(coplanarity);
  if (roots.count == 0) return {Filtered::apart, {}};
  if (roots.count < 0) return {Filtered::unclear, {}};

  const auto component = [](const IntervalPoint& u, const IntervalPoint& v, std::size_t k) {
    const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
    return u[i] * v[j] - u[j] * v[i];
  };
  // 1: the edges cross, -1: they do not, 0: unknown. exact_edge_edge() derives the signs.
  return first_of(roots, [&](const Interval& time, int) {
    const auto sign_of = [&](const auto& coefficient) {
      return clear_sign(value_at({coefficient(0), coefficient(1), coefficient(2)}, time));
    };
    for (std::size_t k = 0; k < 3; ++k) {
      const int normal = sign_of([&](std::size_t i) { return component(a[i].d, b.d, k); });
      if (normal == 0) continue;
      int result = 1;
      for (std::size_t end = 0; end < 2; ++end) {
        const int expected = end == 0 ? normal : -normal;
        const CurveVector<Interval>& x = end == 0 ? x0 : x1;
        const IntervalPoint& y = end == 0 ? b0 : b1;
        const int of_a = expected * sign_of([&](std::size_t i) {
                           return component(b.d, x[i], k) + b.m[k] * weight[i];
                         });
        const int of_b =
            -expected * sign_of([&](std::size_t i) { return component(a[i].d, y, k) + a[i].m[k]; });
        if (of_a < 0 || of_b < 0) return -1;
        result = std::min(result, std::min(of_a, of_b));
      }
      return result;
    }
    return 0;
  });
}

}  // namespace graze::polyhedron
