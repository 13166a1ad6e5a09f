// The floating-point stages of the exact method, compiled once for every SIMD target. A stage
// either proves its answer or passes the query on, so no answer depends on the target.
//
// Throughout: u = 2^-53, differences e = fl(x - y) = (x - y)(1 + d), |d| <= u (also with gradual
// underflow), and every vector e moves linearly from e(0) to e(1).

#if defined(GRAZE_NARROW_EXACT_ROOT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GRAZE_NARROW_EXACT_ROOT_INL_H_
#undef GRAZE_NARROW_EXACT_ROOT_INL_H_
#else
#define GRAZE_NARROW_EXACT_ROOT_INL_H_
#endif

#include <hwy/highway.h>

#include <array>
#include <cstdint>

#include "graze/core/numeric/strict_arithmetic.h"
#include "graze/core/numeric/unit_roundoff.h"
#include "graze/query.h"

HWY_BEFORE_NAMESPACE();
namespace graze::narrow::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using numeric::u;

// ---- numbers, one per lane --------------------------------------------------------------------

using Many = hn::ScalableTag<double>;

template <class Tag>
struct LaneMask {
  hn::Mask<Tag> m;
  friend HWY_INLINE LaneMask operator&(LaneMask a, LaneMask b) { return {hn::And(a.m, b.m)}; }
  friend HWY_INLINE LaneMask operator|(LaneMask a, LaneMask b) { return {hn::Or(a.m, b.m)}; }
  friend HWY_INLINE LaneMask operator!(LaneMask a) { return {hn::Not(a.m)}; }
  HWY_INLINE bool any() const { return !hn::AllFalse(Tag(), m); }
  HWY_INLINE std::uint64_t bits() const {
    std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(Tag(), m, bytes);
    return bytes[0];
  }
};

template <class Tag>
struct Lanes {
  using Mask = LaneMask<Tag>;
  hn::Vec<Tag> v;
  Lanes() = default;
  HWY_INLINE Lanes(hn::Vec<Tag> lanes) : v(lanes) {}
  explicit HWY_INLINE Lanes(double x) : v(hn::Set(Tag(), x)) {}
  friend HWY_INLINE Lanes operator+(Lanes a, Lanes b) { return hn::Add(a.v, b.v); }
  friend HWY_INLINE Lanes operator-(Lanes a, Lanes b) { return hn::Sub(a.v, b.v); }
  friend HWY_INLINE Lanes operator*(Lanes a, Lanes b) { return hn::Mul(a.v, b.v); }
  friend HWY_INLINE Lanes operator/(Lanes a, Lanes b) { return hn::Div(a.v, b.v); }
  friend HWY_INLINE Lanes operator-(Lanes a) { return hn::Neg(a.v); }
  friend HWY_INLINE Mask operator<(Lanes a, Lanes b) { return {hn::Lt(a.v, b.v)}; }
  friend HWY_INLINE Mask operator>(Lanes a, Lanes b) { return {hn::Gt(a.v, b.v)}; }
  friend HWY_INLINE Mask operator>=(Lanes a, Lanes b) { return {hn::Ge(a.v, b.v)}; }
  friend HWY_INLINE Lanes abs_of(Lanes x) { return hn::Abs(x.v); }
  friend HWY_INLINE Lanes larger(Lanes a, Lanes b) { return hn::Max(a.v, b.v); }
  friend HWY_INLINE Lanes square_root(Lanes x) { return hn::Sqrt(x.v); }
  friend HWY_INLINE Lanes smaller(Lanes a, Lanes b) { return hn::Min(a.v, b.v); }
  friend HWY_INLINE Lanes select(Mask c, Lanes a, Lanes b) { return hn::IfThenElse(c.m, a.v, b.v); }
};

#define GRAZE_LANE_INLINE HWY_INLINE
#include "graze/core/numeric/double_double-inl.h"
#include "graze/core/numeric/newton_step-inl.h"
#undef GRAZE_LANE_INLINE
#if HWY_NATIVE_FMA
template <class Tag>
HWY_INLINE Lanes<Tag> product_error(Lanes<Tag> a, Lanes<Tag> b, Lanes<Tag> p) {
  return hn::MulSub(a.v, b.v, p.v);
}
#endif

// ---- vectors ---------------------------------------------------------------------------------

template <class T>
struct Vec {
  T x, y, z;
  friend HWY_INLINE Vec operator+(const Vec& a, const Vec& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  friend HWY_INLINE Vec operator-(const Vec& a, const Vec& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  friend HWY_INLINE Vec operator*(T s, const Vec& a) { return {s * a.x, s * a.y, s * a.z}; }
};
template <class T>
HWY_INLINE Vec<T> cross(const Vec<T>& a, const Vec<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T>
HWY_INLINE Vec<T> cross_sum(const Vec<T>& a, const Vec<T>& b) {  // cross with every sign +
  return {a.y * b.z + a.z * b.y, a.z * b.x + a.x * b.z, a.x * b.y + a.y * b.x};
}
template <class T>
HWY_INLINE T dot(const Vec<T>& a, const Vec<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
HWY_INLINE Vec<T> abs_of(const Vec<T>& a) {
  return {abs_of(a.x), abs_of(a.y), abs_of(a.z)};
}
template <class T>
HWY_INLINE Vec<T> select(typename T::Mask c, const Vec<T>& a, const Vec<T>& b) {
  return {select(c, a.x, b.x), select(c, a.y, b.y), select(c, a.z, b.z)};
}
template <class T>
HWY_INLINE Vec<T> larger(const Vec<T>& a, const Vec<T>& b) {
  return {larger(a.x, b.x), larger(a.y, b.y), larger(a.z, b.z)};
}
// ---- a query as difference vectors (see exact/arena/exact_query.h for the geometry) -----------

struct CrossTerm {
  int i, j, sign;
};
template <class Query>
struct Layout;
template <>
struct Layout<VertexFace> {
  static constexpr int size = 3;
  static constexpr int corners[3][2] = {{1, 0}, {2, 0}, {3, 0}};
  static constexpr int sides[2][2] = {{1, 0}, {2, 0}};
  static constexpr CrossTerm crosses[3] = {{0, 1, 1}, {1, 2, 1}, {2, 0, 1}};
};
template <>
struct Layout<EdgeEdge> {
  static constexpr int size = 4;
  static constexpr int corners[4][2] = {{2, 0}, {3, 0}, {2, 1}, {3, 1}};
  static constexpr int sides[2][2] = {{0, 2}, {1, 0}};
  static constexpr CrossTerm crosses[4] = {{0, 1, 1}, {2, 3, -1}, {0, 2, -1}, {1, 3, 1}};
};

// The 24 coordinates of a query (or of one per lane), as stored: start, then end.
template <class T>
using Coordinates = std::array<T, 24>;

template <class T>
HWY_INLINE Vec<T> corner(const Coordinates<T>& x, int index, int time) {
  const auto at = static_cast<std::size_t>(12 * time + 3 * index);
  return {x[at], x[at + 1], x[at + 2]};
}

template <class Query, class T>
struct Differences {
  Vec<T> start[Layout<Query>::size], end[Layout<Query>::size];

  explicit HWY_INLINE Differences(const Coordinates<T>& x) {
    for (int i = 0; i < Layout<Query>::size; ++i) {
      const auto [a, b] = Layout<Query>::corners[i];
      start[i] = corner(x, a, 0) - corner(x, b, 0);
      end[i] = corner(x, a, 1) - corner(x, b, 1);
    }
  }
  // Returns whether the bounds below hold: nothing overflows, and their constants cover what
  // underflow loses.
  HWY_INLINE typename T::Mask moderate() const {
    Vec<T> m = larger(abs_of(start[0]), abs_of(end[0]));
    for (int i = 1; i < Layout<Query>::size; ++i)
      m = larger(m, larger(abs_of(start[i]), abs_of(end[i])));
    const T size = larger(larger(m.x, m.y), m.z);
    return (size < T(0x1p128)) & (size > T(0x1p-128));
  }
};

// ---- stage 2: the coplanarity cubic D(t) = det(e0, e1, e2) ------------------------------------

// D in Bernstein form on [0, 1], each coefficient off by at most `err`. (exact::Cubic is D in
// powers of t, of one query, for the methods that solve for its roots.)
//
// With n0 = q0 x r0, n1 = q1 x r1, nm = q0 x r1 + q1 x r0 for p, q, r = e0, e1, e2:
//   c0 = p0.n0,  3 c1 = p1.n0 + p0.nm,  3 c2 = p1.nm + p0.n1,  c3 = p1.n1.
// Let P = sum_k A_k (B_i C_j + B_j C_i) with A, B, C the componentwise maxima over both times of
// |p|, |q|, |r|; P bounds every |c| and every sum of absolute values of their terms. Rounding, in
// units of u relative to such a sum: the three differences 3, products and difference of the cross
// 2, products and two sums of the dot 3: c0 and c3 are off by 8 u P. For 3 c1: p1.n0 by 8 u P; nm
// has one addition more and twice the size, 2 * 9 u P; the last sum 3 u P: 29 u P; so c1 by
// 29/3 u P + u P for the division = 10.7 u P. Second-order terms, and P itself being computed from
// rounded differences with 10 roundings, change this by a factor below 1 + 2^-45: 12 u P.
// Underflow loses at most 2^-1075 per product, times |e| <= 2^128, in fewer than 100 products:
// below 2^-940, covered by 2^-840.
template <class T>
struct Cubic {
  T c0, c1, c2, c3;
  T err;       // of each coefficient
  T size;      // P
  T eval_err;  // of blossom(): err + 10 u max|c| <= 12 u P + 10 u P (1 + 12 u)
};
inline constexpr double cubic_err = 12 * u;
inline constexpr double cubic_floor = 0x1p-840;

template <class Query, class T>
HWY_INLINE Cubic<T> coplanarity_cubic(const Differences<Query, T>& e) {
  const Vec<T>&p0 = e.start[0], &q0 = e.start[1], &r0 = e.start[2];
  const Vec<T>&p1 = e.end[0], &q1 = e.end[1], &r1 = e.end[2];
  const Vec<T> n0 = cross(q0, r0), n1 = cross(q1, r1), nm = cross(q0, r1) + cross(q1, r0);
  const Vec<T> a = larger(abs_of(p0), abs_of(p1)), b = larger(abs_of(q0), abs_of(q1)),
               c = larger(abs_of(r0), abs_of(r1));
  Cubic<T> d;
  d.c0 = dot(p0, n0);
  d.c1 = (dot(p1, n0) + dot(p0, nm)) / T(3.0);
  d.c2 = (dot(p1, nm) + dot(p0, n1)) / T(3.0);
  d.c3 = dot(p1, n1);
  d.size = dot(a, cross_sum(b, c));
  d.err = T(cubic_err) * d.size + T(cubic_floor);
  d.eval_err = T(cubic_err + 11 * u) * d.size + T(cubic_floor);
  return d;
}

// Returns the polar form of D (D(t) is its value at t, t, t) by de Casteljau's scheme on [0, 1]:
// per level, 1-t, two products and a sum are each off by u relative to max|c|, at most 3 u; 9 u
// over three levels, 10 u with second-order terms.
template <class T>
HWY_INLINE T blossom(const Cubic<T>& d, T t1, T t2, T t3) {
  const auto between = [](T a, T b, T t) { return (T(1.0) - t) * a + t * b; };
  const T a = between(d.c0, d.c1, t1), b = between(d.c1, d.c2, t1), c = between(d.c2, d.c3, t1);
  return between(between(a, b, t2), between(b, c, t2), t3);
}
template <class T>
HWY_INLINE T value(const Cubic<T>& d, T t) {
  return blossom(d, t, t, t);
}
template <class T>
HWY_INLINE T slope(const Cubic<T>& d, T t) {
  const T s = T(1.0) - t;
  const T a = d.c1 - d.c0, b = d.c2 - d.c1, c = d.c3 - d.c2;
  return T(3.0) * (s * (s * a + t * b) + t * (s * b + t * c));
}

// ---- stage 3: on which side the crosses lie ---------------------------------------------------

// q_i = d.C_i for the oriented crosses C_i and one fixed vector d, at all times within h of t.
template <class Query, class T>
struct Sides {
  static constexpr int size = Layout<Query>::size;
  Vec<T> d;
  T q[size], err[size];  // q_i at t, and how far it may be off during that time
};

// Computes the sides with d = N(t). Where N(t) is noise (a collapsed face, parallel edges), d is
// the cross of e0 with the second side, which separates a point from a segment and parallel edges
// from each other.
//
// Error: e = at[i] is within w = wiggle[i] of the exact vector at all times of the interval.
// With A = |e| + w bounding the exact vector, the cross of two is off by A_i x+ w_j + w_i x+ A_j
// (x+: the cross with every sign +) and its evaluation and the dot with d by 6 u |d|.(A_i x+ A_j):
// 9 u and the factor 1 + 16 u with the roundings of this bound.
// Underflow changes a component of e(t) or w by up to 2^-1074 each, which the cross multiplies by
// A < 2^130 and the dot by |d| < 2^260, in 12 terms: below 2^-670 (and far less in the products
// that follow), covered by 2^-660.
template <class Query, class T>
HWY_INLINE Sides<Query, T> sides(const Vec<T>* at, const Vec<T>* wiggle) {
  using L = Layout<Query>;
  Vec<T> bound[L::size];
  for (int i = 0; i < L::size; ++i) bound[i] = abs_of(at[i]) + wiggle[i];
  // Two sides of the face, or the two edges.
  const Vec<T> side_a = at[L::sides[0][0]] - at[L::sides[0][1]];
  const Vec<T> side_b = at[L::sides[1][0]] - at[L::sides[1][1]];
  const Vec<T> normal = cross(side_a, side_b), other = cross(at[0], side_b);
  const auto flat = dot(normal, normal) < T(1e-22) * dot(side_a, side_a) * dot(side_b, side_b);
  Sides<Query, T> result;
  result.d = {select(flat, other.x, normal.x), select(flat, other.y, normal.y),
              select(flat, other.z, normal.z)};
  const Vec<T> size = abs_of(result.d);
  for (int i = 0; i < L::size; ++i) {
    const CrossTerm& term = L::crosses[i];
    const Vec<T>&a = at[term.i], &b = at[term.j];
    result.q[i] = dot(result.d, term.sign > 0 ? cross(a, b) : cross(b, a));
    const Vec<T> padded = wiggle[term.j] + T(9 * u) * bound[term.j];
    result.err[i] =
        dot(size, cross_sum(bound[term.i], padded) + cross_sum(wiggle[term.i], bound[term.j])) *
            T(1 + 16 * u) +
        T(0x1p-660);
  }
  return result;
}

// Returns the sides within h of t, h <= 1. With M the componentwise maximum over both times, the
// rounded differences, interpolated exactly, are within u M of the exact vector at every time.
// fl((1-t) e(0) + t e(1)) is off from that by 3 u M more (1-t, product, sum). Within h of t it
// moves by h |e(1)-e(0)| <= 2 M; four roundings (of h, the difference, the product and the sum
// below) make that too small by at most 8 u M. So with second-order terms
// w = h |e(1)-e(0)| + 14 u M bounds it.
template <class Query, class T>
HWY_INLINE Sides<Query, T> sides(const Differences<Query, T>& e, T t, T h) {
  Vec<T> at[Layout<Query>::size], wiggle[Layout<Query>::size];
  for (int i = 0; i < Layout<Query>::size; ++i) {
    const Vec<T>&a = e.start[i], &b = e.end[i];
    at[i] = (T(1.0) - t) * a + t * b;
    wiggle[i] = h * abs_of(b - a) + T(14 * u) * larger(abs_of(a), abs_of(b));
  }
  return sides<Query>(at, wiggle);
}

// The verdict of the sides at a time with D = 0.
template <class T>
struct SideTest {
  using Mask = typename T::Mask;
  // Two q of strictly opposite signs: no contact. (With contact and N != 0 all C_i are nonnegative
  // multiples of N; with contact and N = 0 all C_i vanish.)
  Mask miss;
  // All q of one strict sign: contact. (Then d.N != 0, so N != 0, and C_i = l_i N with l_i > 0.)
  Mask contact;
};

template <class Query, class T>
HWY_INLINE SideTest<T> side_test(const Sides<Query, T>& s) {
  auto any_positive = T(0.0) > T(0.0), any_negative = any_positive;
  auto all_positive = !any_positive, all_negative = all_positive;
  for (int i = 0; i < s.size; ++i) {
    const auto positive = s.q[i] > s.err[i], negative = s.q[i] < -s.err[i];
    any_positive = any_positive | positive;
    any_negative = any_negative | negative;
    all_positive = all_positive & positive;
    all_negative = all_negative & negative;
  }
  return {any_positive & any_negative, all_positive | all_negative};
}
template <class Query, class T>
HWY_INLINE SideTest<T> side_test(const Differences<Query, T>& e, T t, T h) {
  return side_test(sides(e, t, h));
}

// ---- the time of a simple root, to the last bit ------------------------------------------------

// Returns D(t) for the exact coordinates, off by at most residual_err * P + 2^-660.
//
// Each difference is exact as a pair. e(t) = e(0) + t (e(1) - e(0)) costs three operations: at most
// (3*2 + 4*2 + 3*3) u^2 M < 24 u^2 M. The determinant: three such factors 72, two products 16, and
// three sums on the way 9 (each relative to P): below 100 u^2 P. 2^12 u^2 = 2^-94 leaves a margin
// of 40. Underflow: 2^-1072 in each component of e(t), times 2^256, in fewer than 100 terms.
inline constexpr double residual_err = 0x1p-94;

template <class Query, class T>
HWY_INLINE DoubleDouble<T> residual(const Coordinates<T>& x, T t) {
  using Pair = DoubleDouble<T>;
  Pair e[3][3];
  for (int i = 0; i < 3; ++i) {
    const auto [a, b] = Layout<Query>::corners[i];
    for (int k = 0; k < 3; ++k) {
      const auto ia = static_cast<std::size_t>(3 * a + k), ib = static_cast<std::size_t>(3 * b + k);
      const Pair start = two_sum(x[ia], -x[ib]), end = two_sum(x[ia + 12], -x[ib + 12]);
      e[i][k] = start + t * (end - start);
    }
  }
  const auto minor = [&](int k, int l) { return e[1][k] * e[2][l] - e[1][l] * e[2][k]; };
  return (e[0][0] * minor(1, 2) + e[0][1] * minor(2, 0)) + e[0][2] * minor(0, 1);
}

// Takes one interval-Newton step from t for the root of D in [lo, hi], a part of [0, 1] around t.
// D'(t) is computed from coefficients off by err with differences doubling it, factor 3, and 12
// roundings of at most 6 max|c|: off by 6 err + 100 u P in all; over [lo, hi] it changes by at most
// (hi-lo) max|D''|, |D''| <= 6 max|second difference of c|. A second difference is off by
// (8 + 3 * 10.7) u P from the coefficients and (2 + 3 + 4) u P from its own roundings: six times
// that is 295 u P, below 25 err.
template <class Query, class T>
HWY_INLINE RootCell<T> root_cell(const Coordinates<T>& x, const Cubic<T>& d, T t, T lo, T hi) {
  const T rate = slope(d, t);
  const T curvature =
      T(6.1) * larger(abs_of(d.c0 - d.c1 - d.c1 + d.c2), abs_of(d.c1 - d.c2 - d.c2 + d.c3)) +
      T(26.0) * d.err;
  const T rate_err = (hi - lo) * curvature + T(6.1) * d.err + T(100 * u) * d.size;
  const T rate_min = abs_of(rate) - rate_err;
  const DoubleDouble<T> f = residual<Query>(x, t);
  const T f_err = T(residual_err) * d.size + T(0x1p-660);
  return newton_step(t, f.hi, f_err, rate, rate_err / rate_min, rate_min);
}

}  // namespace graze::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
