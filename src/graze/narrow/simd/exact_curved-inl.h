// The floating-point stages of exact_curved, compiled once for every SIMD target. A stage either
// proves its answer or passes the piece of time on, so no answer depends on the target.
//
// u = 2^-53. Every vector e is a Bézier curve of degree n <= 3 on [0, 1]; its control points are
// the rounded differences of corners. For each vector, m bounds the size of all exact and rounded
// control points, and the rounded ones are within 4 u m of the exact ones (control_differences.h).
// The largest component of all m lies between 2^-120 and 2^120.

#if defined(GRAZE_NARROW_EXACT_CURVED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GRAZE_NARROW_EXACT_CURVED_INL_H_
#undef GRAZE_NARROW_EXACT_CURVED_INL_H_
#else
#define GRAZE_NARROW_EXACT_CURVED_INL_H_
#endif

#include "graze/narrow/simd/exact_root-inl.h"

HWY_BEFORE_NAMESPACE();
namespace graze::narrow::HWY_NAMESPACE {

constexpr double binomial(int n, int k) {
  double result = 1;
  for (int i = 1; i <= k; ++i) result = result * (n - k + i) / i;
  return result;
}

// Vectors on a piece of time, in Bernstein form.
template <class Query, int n, class T>
struct Piece {
  static constexpr int size = Layout<Query>::size;
  Vec<T> e[size][n + 1];  // control points
  Vec<T> w[size];         // how far each may be off
};

template <class T>
HWY_INLINE Vec<T> lerp(const Vec<T>& a, const Vec<T>& b, T s, T t) {  // s = 1 - t
  return s * a + t * b;
}

// Restricts the vectors to [a, b]. The new control points are the polar form of the curve at the
// times a (n-j times) and b (j times), by de Casteljau's scheme: per level, 1-t, two products and a
// sum are each off by u relative to m, at most 3 u m; 9 u m over three levels. With 4 u m of the
// given points and second-order terms: 14 u m. Underflow: 2^-1073 per level, below 2^-1060.
template <class Query, int n, class T>
HWY_INLINE void restrict_to(Piece<Query, n, T>& piece, T a, T b) {
  const T sa = T(1.0) - a, sb = T(1.0) - b;
  for (int i = 0; i < piece.size; ++i) {
    Vec<T>* e = piece.e[i];
    if constexpr (n == 1) {
      const Vec<T> begin = lerp(e[0], e[1], sa, a);
      e[1] = lerp(e[0], e[1], sb, b);
      e[0] = begin;
    } else if constexpr (n == 2) {
      const Vec<T> a0 = lerp(e[0], e[1], sa, a), a1 = lerp(e[1], e[2], sa, a);
      const Vec<T> b0 = lerp(e[0], e[1], sb, b), b1 = lerp(e[1], e[2], sb, b);
      e[0] = lerp(a0, a1, sa, a);
      e[1] = lerp(a0, a1, sb, b);
      e[2] = lerp(b0, b1, sb, b);
    } else {
      const Vec<T> a0 = lerp(e[0], e[1], sa, a), a1 = lerp(e[1], e[2], sa, a),
                   a2 = lerp(e[2], e[3], sa, a);
      const Vec<T> b0 = lerp(e[0], e[1], sb, b), b1 = lerp(e[1], e[2], sb, b),
                   b2 = lerp(e[2], e[3], sb, b);
      const Vec<T> aa0 = lerp(a0, a1, sa, a), aa1 = lerp(a1, a2, sa, a);
      const Vec<T> ab0 = lerp(a0, a1, sb, b), ab1 = lerp(a1, a2, sb, b);
      const Vec<T> bb0 = lerp(b0, b1, sb, b), bb1 = lerp(b1, b2, sb, b);
      e[0] = lerp(aa0, aa1, sa, a);
      e[1] = lerp(aa0, aa1, sb, b);
      e[2] = lerp(ab0, ab1, sb, b);
      e[3] = lerp(bb0, bb1, sb, b);
    }
  }
}
// w = control_err m + control_floor, one rounding and underflow included.
inline constexpr double control_err = 15 * u, control_floor = 0x1p-1060;

// Returns whether a direction among x, y, z, x+-y, y+-z, z+-x has all control points strictly on
// one side. A Bézier curve lies in the convex hull of its control points, so all e then stay on
// that side, no convex combination of them vanishes, and there is no contact. x +- y is off by w_x
// + w_y + u (|x| + |y|) <= 1.1 (w_x + w_y), since |x| <= m and w = 15 u m.
template <class Query, int n, class T>
HWY_INLINE typename T::Mask separated_by_direction(const Piece<Query, n, T>& piece) {
  const auto all = T(0.0) > T(-1.0);
  typename T::Mask positive[9], negative[9];
  for (int k = 0; k < 9; ++k) positive[k] = negative[k] = all;
  const auto test = [&](int k, T x, T err) HWY_ATTR {
    positive[k] = positive[k] & (x > err);
    negative[k] = negative[k] & (x < -err);
  };
  for (int i = 0; i < piece.size; ++i) {
    const Vec<T>& w = piece.w[i];
    const T xy = T(1.1) * (w.x + w.y), yz = T(1.1) * (w.y + w.z), zx = T(1.1) * (w.z + w.x);
    for (int j = 0; j <= n; ++j) {
      const Vec<T>& e = piece.e[i][j];
      test(0, e.x, w.x);
      test(1, e.y, w.y);
      test(2, e.z, w.z);
      test(3, e.x + e.y, xy);
      test(4, e.x - e.y, xy);
      test(5, e.y + e.z, yz);
      test(6, e.y - e.z, yz);
      test(7, e.z + e.x, zx);
      test(8, e.z - e.x, zx);
    }
  }
  auto any = positive[0] | negative[0];
  for (int k = 1; k < 9; ++k) any = any | positive[k] | negative[k];
  return any;
}

// D = det(e0, e1, e2) in Bernstein form of degree 3n on the piece, each coefficient off by at most
// `err`.
template <int n, class T>
struct CurvedCoplanarity {
  static constexpr int degree = 3 * n;
  T c[degree + 1];
  T err;       // of each coefficient
  T eval_err;  // of value()
};

// With weighted control points p'_j = binomial(n, j) p_j:
//   binomial(3n, k) c_k = sum of p'_h . (q'_j x r'_l) over h + j + l = k.
// Let L be the componentwise maximum of |e| + w over the control points, and P(A, B, C) = sum_k A_k
// (B_i C_j + B_j C_i). The weights of c_k add up to 1, so P(L0, L1, L2) bounds the sum of the
// absolute values of its terms. Roundings on the way of a term: three weights, product and
// difference of the cross, at most 3 sums of crosses, product and 2 sums of the dot, 3 sums of
// dots, quotient: 15, 17 u P with second-order terms. The control points are off by w, which
// changes c_k by at most P(w0, L1, L2) + P(L0, w1, L2) + P(L0, L1, w2). These bounds have fewer
// than 20 roundings: the factors 20 u and 1 + 2^-40 cover them. Underflow: each vector may be off
// by 2^-1070 more, times 2^244, in fewer than 1000 terms: below 2^-810, covered by 2^-800.
template <class Query, int n, class T>
HWY_INLINE CurvedCoplanarity<n, T> curved_coplanarity(const Piece<Query, n, T>& piece) {
  Vec<T> weighted[3][n + 1], size[3];
  for (int i = 0; i < 3; ++i) {
    size[i] = abs_of(piece.e[i][0]);
    for (int j = 0; j <= n; ++j) {
      weighted[i][j] = j == 0 || j == n ? piece.e[i][j] : T(binomial(n, j)) * piece.e[i][j];
      size[i] = larger(size[i], abs_of(piece.e[i][j]));
    }
    size[i] = size[i] + piece.w[i];
  }
  CurvedCoplanarity<n, T> d;
  Vec<T> normal[2 * n + 1];
  for (int s = 0; s <= 2 * n; ++s)
    for (int j = s > n ? s - n : 0; j <= n && j <= s; ++j) {
      const Vec<T> term = cross(weighted[1][j], weighted[2][s - j]);
      normal[s] = j == (s > n ? s - n : 0) ? term : normal[s] + term;
    }
  for (int k = 0; k <= 3 * n; ++k) {
    const int first = k > 2 * n ? k - 2 * n : 0;
    for (int j = first; j <= n && j <= k; ++j) {
      const T term = dot(weighted[0][j], normal[k - j]);
      d.c[k] = j == first ? term : d.c[k] + term;
    }
    if (k > 0 && k < 3 * n) d.c[k] = d.c[k] / T(binomial(3 * n, k));
  }
  const Vec<T> cross_12 = cross_sum(size[1], size[2]);
  const T p = dot(size[0], cross_12);
  d.err = (T(20 * u) * p + dot(piece.w[0], cross_12) +
           dot(size[0], cross_sum(piece.w[1], size[2]) + cross_sum(size[1], piece.w[2]))) *
              T(1 + 0x1p-40) +
          T(0x1p-800);
  // De Casteljau's scheme: 3 u max|c| per level, with max|c| <= P.
  d.eval_err = d.err + T((3 * d.degree + 2) * u) * p;
  return d;
}

// D and its rate of change at s in [0, 1], by de Casteljau's scheme.
template <class T>
struct ValueAndRate {
  T value, rate;
};
template <int n, class T>
HWY_INLINE ValueAndRate<T> value_and_rate(const CurvedCoplanarity<n, T>& d, T s) {
  const T r = T(1.0) - s;
  constexpr int degree = 3 * n;
  T b[degree + 1];
  for (int i = 0; i <= degree; ++i) b[i] = d.c[i];
  for (int level = degree; level > 1; --level)
    for (int i = 0; i < level; ++i) b[i] = r * b[i] + s * b[i + 1];
  return {r * b[0] + s * b[1], T(1.0 * degree) * (b[1] - b[0])};
}

// Statements about the roots of D that the certified signs of its coefficients prove.
template <class T>
struct SignPattern {
  using Mask = typename T::Mask;
  Mask rootless;  // all of one sign: D has no root
  Mask simple;    // opposite signs at the ends and one change whatever the uncertain signs are: D
                  // has exactly one root, a simple one
  Mask positive;  // the first coefficient is positive

  // Signs relative to that of the first coefficient. A sequence with one change is a row of equal
  // signs, at most one uncertain sign, and a row of opposite signs: `before`, `between` and `after`
  // are set if the coefficients so far are such a sequence and the last one is in that part.
  template <int n>
  explicit HWY_INLINE SignPattern(const CurvedCoplanarity<n, T>& d) {
    positive = d.c[0] > d.err;
    const T sign = select(positive, T(1.0), T(-1.0));
    auto before = positive | (d.c[0] < -d.err);
    auto between = before & !before, after = between;
    for (int i = 1; i <= d.degree; ++i) {
      const T x = sign * d.c[i];
      const auto equal = x > d.err, opposite = x < -d.err;
      after = (before | between | after) & opposite;
      between = before & !(equal | opposite);
      before = before & equal;
    }
    rootless = before;
    simple = after;
  }
};

// Approximates the root of D in [0, 1], where D changes from `sign` to -sign, by Newton's method in
// powers of s, kept inside the bracket. The error is not bounded. A lane keeps its value once it
// has converged, so that its result does not depend on the other lanes.
template <int n, class T>
HWY_INLINE T approximate_curved_root(const CurvedCoplanarity<n, T>& d, T sign,
                                     typename T::Mask moving) {
  constexpr int degree = 3 * n;
  T power[degree + 1];
  for (int i = 0; i <= degree; ++i) power[i] = d.c[i];
  for (int level = 1; level <= degree; ++level)
    for (int i = degree; i >= level; --i) power[i] = power[i] - power[i - 1];
  for (int i = 1; i < degree; ++i) power[i] = T(binomial(degree, i)) * power[i];
  T lo(0.0), hi(1.0), s = d.c[0] / (d.c[0] - d.c[degree]);
  for (int step = 0; step < 24 && moving.any(); ++step) {
    T f = power[degree], rate(0.0);
    for (int i = degree - 1; i >= 0; --i) {
      rate = rate * s + f;
      f = f * s + power[i];
    }
    const auto before = f * sign > T(0.0);
    lo = select(before, s, lo);
    hi = select(before, hi, s);
    T next = s - f / rate;
    // The bracket is closed: a converged step may return one of its ends. NaN is replaced too.
    next = select((next >= lo) & (hi >= next), next, T(0.5) * (lo + hi));
    const T change = abs_of(next - s);
    s = select(moving, next, s);
    moving = moving & (change > T(16 * u));
  }
  return s;
}

// The result of examining a piece of time, per lane. A lane in no mask is undecided.
template <class T>
struct CurvedExamined {
  using Mask = typename T::Mask;
  Mask by_direction, rootless;  // no contact in the piece, by the first two stages
  Mask clear;                   // no contact in the piece
  Mask contact;                 // a contact at the only root of D in the piece
  Mask before;                  // D > 0 before that root
  // A certified bracket of that root in the piece; rates of D there, for one piece of time: every
  // rate is within rate_err of `rate`, and at least `slowest` in size.
  T s, lo, hi, rate, rate_err, slowest;
};

// The root of one lane of CurvedExamined.
struct CurvedRoot {
  double s, lo, hi, rate, rate_err, slowest;
};
template <class T>
HWY_INLINE CurvedRoot root_of(const CurvedExamined<T>& found, std::size_t lane) {
  const auto number = [lane](const T& x) HWY_ATTR {
    alignas(64) double lanes[HWY_LANES(double)];
    hn::Store(x.v, Many(), lanes);
    return lanes[lane];
  };
  return {number(found.s),    number(found.lo),       number(found.hi),
          number(found.rate), number(found.rate_err), number(found.slowest)};
}

// e(s) for one s, with bounds for all times of an interval.
template <class Query, int n, class T>
struct CurvedPlace {
  Vec<T> at[Layout<Query>::size], wiggle[Layout<Query>::size];

  // Computes the vectors at s by de Casteljau's scheme; they are off by 3 n u L <= w.
  HWY_INLINE void evaluate(const Piece<Query, n, T>& piece, T s) {
    const T r = T(1.0) - s;
    for (int i = 0; i < piece.size; ++i) {
      Vec<T> b[n + 1];
      for (int j = 0; j <= n; ++j) b[j] = piece.e[i][j];
      for (int level = n; level > 0; --level)
        for (int j = 0; j < level; ++j) b[j] = lerp(b[j], b[j + 1], r, s);
      at[i] = b[0];
    }
  }
  // Sets bounds for all times within h of s: the rate of e is at most n max|e_(j+1) - e_j|, off by
  // 2 n w, and the point is off by 2 w. The factor covers the roundings of this line.
  HWY_INLINE void bound_near(const Piece<Query, n, T>& piece, T h) {
    for (int i = 0; i < piece.size; ++i) {
      Vec<T> step = abs_of(piece.e[i][1] - piece.e[i][0]);
      for (int j = 1; j < n; ++j) step = larger(step, abs_of(piece.e[i][j + 1] - piece.e[i][j]));
      const Vec<T>& w = piece.w[i];
      wiggle[i] = T(1 + 0x1p-40) * ((T(1.0 * n) * h) * (step + (w + w)) + (w + w));
    }
  }
  // Sets bounds for the whole piece: the curve lies in the hull of its control points, each off by
  // w, and the point is off by 2 w.
  HWY_INLINE void bound_hull(const Piece<Query, n, T>& piece) {
    for (int i = 0; i < piece.size; ++i) {
      Vec<T> reach = abs_of(piece.e[i][0] - at[i]);
      for (int j = 1; j <= n; ++j) reach = larger(reach, abs_of(piece.e[i][j] - at[i]));
      const Vec<T>& w = piece.w[i];
      wiggle[i] = T(1 + 0x1p-40) * (reach + (w + w) + w);
    }
  }
};

template <class Query, int n, class T>
HWY_INLINE CurvedExamined<T> examine_curved(const Piece<Query, n, T>& piece,
                                            typename T::Mask wanted) {
  CurvedExamined<T> found;
  found.by_direction = wanted & separated_by_direction(piece);
  found.rootless = found.contact = wanted & !wanted;
  found.clear = found.by_direction;
  auto open = wanted & !found.clear;
  if (!open.any()) return found;
  const CurvedCoplanarity<n, T> d = curved_coplanarity(piece);
  const SignPattern<T> signs(d);
  found.rootless = open & signs.rootless;
  found.clear = found.clear | found.rootless;
  found.before = signs.positive;
  open = open & !found.rootless;
  if (!open.any()) return found;
  CurvedPlace<Query, n, T> place;
  const auto simple = open & signs.simple;
  if (simple.any()) {
    const T sign = select(signs.positive, T(1.0), T(-1.0));
    T s = approximate_curved_root(d, sign, simple);
    const auto rough = value_and_rate(d, s);
    s = s - rough.value / rough.rate;
    s = select((s >= T(0.0)) & (T(1.0) >= s), s, T(0.5));
    const T rate = value_and_rate(d, s).rate;
    const T delta = T(3.0) * d.eval_err / abs_of(rate) + T(4 * u);
    found.s = s;
    found.lo = larger(s - delta, T(0.0));
    found.hi = smaller(s + delta, T(1.0));
    const auto bracketed = simple & (value_and_rate(d, found.lo).value * sign > d.eval_err) &
                           (-(value_and_rate(d, found.hi).value * sign) > d.eval_err);
    place.evaluate(piece, s);
    place.bound_near(piece, found.hi - found.lo);
    const SideTest<T> side = side_test(sides<Query>(place.at, place.wiggle));
    found.clear = found.clear | (bracketed & side.miss);
    found.contact = bracketed & side.contact;
    // D'(s) is degree (b1 - b0), off by 2 degree eval_err and two roundings. D'' is at most degree
    // (degree-1) max|c_i - 2 c_(i+1) + c_(i+2)|, where a second difference is off by 4 err and at
    // most 8 u max|c| <= eval_err from its own roundings. The times concerned are within hi - lo of
    // s, and 2^-40 more (see find_times).
    T bend = abs_of((d.c[0] - d.c[1]) + (d.c[2] - d.c[1]));
    for (int i = 1; i + 2 <= d.degree; ++i)
      bend = larger(bend, abs_of((d.c[i] - d.c[i + 1]) + (d.c[i + 2] - d.c[i + 1])));
    constexpr double degree = 3 * n;
    found.rate = rate;
    found.rate_err = T(2.1 * degree) * d.eval_err + T(1.001 * degree * (degree - 1)) *
                                                        (found.hi - found.lo + T(0x1p-40)) *
                                                        (bend + T(5.0) * d.eval_err);
    found.slowest = (abs_of(rate) - found.rate_err) * T(1 - 4 * u);
    open = open & !(found.clear | found.contact);
    if (!open.any()) return found;
  }
  // Opposite sides during the whole piece exclude contact whatever D does.
  place.evaluate(piece, T(0.5));
  place.bound_hull(piece);
  found.clear = found.clear | (open & side_test(sides<Query>(place.at, place.wiggle)).miss);
  return found;
}

// Returns D(t) for exact differences given as pairs hi + lo of control points, off by at most
// residual_err * P(m0, m1, m2) + 2^-640.
//
// The pairs are off by 10 u^2 m (control_differences.h). De Casteljau's scheme a + t (b - a) costs
// at most 24 u^2 m per level (see residual() of straight motions, with |a|, |b| <= m): 72 u^2 m for
// n = 3, 82 u^2 m in all. The determinant: three such factors 246, two products 16, three sums 9:
// below 300 u^2 P. 2^12 u^2 = 2^-94 leaves a margin of 13. Underflow: 2^-1070 in each component,
// times 2^242, in fewer than 100 terms.
template <int n, class T>
HWY_INLINE DoubleDouble<T> curved_residual(const DoubleDouble<T> (&points)[3][3][n + 1], T t) {
  using Pair = DoubleDouble<T>;
  Pair e[3][3];
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) {
      Pair b[n + 1];
      for (int j = 0; j <= n; ++j) b[j] = points[i][k][j];
      for (int level = n; level > 0; --level)
        for (int j = 0; j < level; ++j) b[j] = b[j] + t * (b[j + 1] - b[j]);
      e[i][k] = b[0];
    }
  const auto minor = [&](int k, int l) HWY_ATTR { return e[1][k] * e[2][l] - e[1][l] * e[2][k]; };
  return (e[0][0] * minor(1, 2) + e[0][1] * minor(2, 0)) + e[0][2] * minor(0, 1);
}

}  // namespace graze::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
