#pragma once

#include <math.h>

#include <cstdint>

#include "graze/core/numeric/strict_arithmetic.h"
#include "graze/core/numeric/unit_roundoff.h"
#include "graze/gpu/device_code.h"

// The floating-point stages of the exact method for one query. The operations and their order are
// those of narrow/simd/exact_root-inl.h, exact_root_culls-inl.h and narrow/contact/exact_root.cpp,
// where every bound is derived. So every stage decides the same queries there and here, and times
// have the same bits. test/gpu/certified_roots_test.cpp compares both on all families.
namespace graze::gpu {

using numeric::u;

GRAZE_HD inline double abs_of(double x) {
  return fabs(x);
}

#ifdef __CUDA_ARCH__
// Without a split of the factors: the fused operation gives the same error.
GRAZE_HD inline double product_error(double a, double b, double p) {
  return fma(a, b, -p);
}
#endif
#define GRAZE_LANE_INLINE GRAZE_HD inline
#include "graze/core/numeric/double_double-inl.h"
#include "graze/core/numeric/newton_step-inl.h"
#undef GRAZE_LANE_INLINE

// The values of the instructions MAXPD and MINPD.
GRAZE_HD inline double larger(double a, double b) {
  return a > b ? a : b;
}
GRAZE_HD inline double smaller(double a, double b) {
  return a < b ? a : b;
}

struct Vec {
  double x, y, z;
};
GRAZE_HD inline Vec operator+(const Vec& a, const Vec& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
GRAZE_HD inline Vec operator-(const Vec& a, const Vec& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
GRAZE_HD inline Vec operator*(double s, const Vec& a) {
  return {s * a.x, s * a.y, s * a.z};
}
GRAZE_HD inline Vec cross(const Vec& a, const Vec& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
GRAZE_HD inline Vec cross_sum(const Vec& a, const Vec& b) {
  return {a.y * b.z + a.z * b.y, a.z * b.x + a.x * b.z, a.x * b.y + a.y * b.x};
}
GRAZE_HD inline double dot(const Vec& a, const Vec& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
GRAZE_HD inline Vec abs_of(const Vec& a) {
  return {abs_of(a.x), abs_of(a.y), abs_of(a.z)};
}
GRAZE_HD inline Vec larger(const Vec& a, const Vec& b) {
  return {larger(a.x, b.x), larger(a.y, b.y), larger(a.z, b.z)};
}

// The two kinds of queries that the device answers, with the numbers of graze::Kind.
enum QueryKind : std::uint32_t { vertex_face_query = 0, edge_edge_query = 1 };

// The corners of a query at the start and at the end, in the order of graze::VertexFace and
// graze::EdgeEdge.
struct MovingCorners {
  Vec at[2][4];
};

// ---- separating directions ----------------------------------------------------------------------

GRAZE_HD inline bool is_finite(const MovingCorners& x) {
  constexpr double largest = 1.7976931348623157e308;
  for (int time = 0; time < 2; ++time)
    for (int c = 0; c < 4; ++c) {
      const Vec a = abs_of(x.at[time][c]);
      if (!(a.x <= largest && a.y <= largest && a.z <= largest)) return false;
    }
  return true;
}

// Returns whether along f one primitive lies beyond the other at both times, by more than `slack`.
template <QueryKind kind, class F>
GRAZE_HD inline bool apart_along(const double (&at)[2][4][3], F&& f, double slack) {
  constexpr int split = kind == edge_edge_query ? 2 : 1;
  bool above = true, below = true;
  for (int time = 0; time < 2; ++time) {
    double lo[2], hi[2];
    lo[0] = hi[0] = f(at[time][0]);
    lo[1] = hi[1] = f(at[time][split]);
    for (int c = 1; c < 4; ++c) {
      if (c == split) continue;
      const double value = f(at[time][c]);
      const int side = c > split;
      lo[side] = smaller(lo[side], value);
      hi[side] = larger(hi[side], value);
    }
    above = above && lo[1] > hi[0] + slack;
    below = below && lo[0] > hi[1] + slack;
  }
  return above || below;
}

// Returns whether a coordinate axis or a diagonal x+-y, y+-z, z+-x separates a finite query during
// [0, t_max], as the first stages of the exact method find it.
template <QueryKind kind>
GRAZE_HD inline bool is_culled(const MovingCorners& x, double t_max) {
  constexpr double cull_limit = 0x1p1020, diagonal_slack = 4 * u, early_slack = 16 * u,
                   early_slack_floor = 0x1p-1070;
  const bool whole_step = t_max == 1;
  double at[2][4][3], reach[3] = {0, 0, 0};
  for (int time = 0; time < 2; ++time)
    for (int c = 0; c < 4; ++c) {
      const Vec& p = x.at[time][c];
      at[time][c][0] = p.x;
      at[time][c][1] = p.y;
      at[time][c][2] = p.z;
      for (int k = 0; k < 3; ++k) reach[k] = larger(reach[k], abs_of(at[time][c][k]));
    }
  if (!whole_step)
    for (int c = 0; c < 4; ++c)
      for (int k = 0; k < 3; ++k) at[1][c][k] = at[0][c][k] + t_max * (at[1][c][k] - at[0][c][k]);
  for (int k = 0; k < 3; ++k) {
    const double slack = whole_step ? 0 : early_slack * reach[k] + early_slack_floor;
    if (!whole_step && !(reach[k] < cull_limit)) continue;
    if (apart_along<kind>(
            at, [k](const double* p) { return p[k]; }, slack))
      return true;
  }
  for (int k = 0; k < 3; ++k) {
    const int l = k == 2 ? 0 : k + 1;
    const double both = reach[k] + reach[l];
    if (!(both < cull_limit)) continue;
    const double slack =
        whole_step ? diagonal_slack * both : early_slack * both + early_slack_floor;
    if (apart_along<kind>(
            at, [k, l](const double* p) { return p[k] + p[l]; }, slack) ||
        apart_along<kind>(
            at, [k, l](const double* p) { return p[k] - p[l]; }, slack))
      return true;
  }
  return false;
}

// ---- the query as difference vectors ------------------------------------------------------------

// corner(i, 0) - corner(i, 1) is the i-th difference vector. The sides and the oriented crosses are
// described in exact_root-inl.h.
template <QueryKind kind>
struct Layout;
template <>
struct Layout<vertex_face_query> {
  static constexpr int size = 3;
  GRAZE_HD static constexpr int corner(int i, int end) { return end == 0 ? i + 1 : 0; }
  GRAZE_HD static constexpr int cross_i(int i) { return i; }
  GRAZE_HD static constexpr int cross_j(int i) { return i == 2 ? 0 : i + 1; }
  GRAZE_HD static constexpr bool cross_positive(int) { return true; }
};
template <>
struct Layout<edge_edge_query> {
  static constexpr int size = 4;
  GRAZE_HD static constexpr int corner(int i, int end) { return end == 0 ? 2 + i % 2 : i / 2; }
  GRAZE_HD static constexpr int cross_i(int i) { return i == 1 ? 2 : i == 3 ? 1 : 0; }
  GRAZE_HD static constexpr int cross_j(int i) { return i == 0 ? 1 : i == 2 ? 2 : 3; }
  GRAZE_HD static constexpr bool cross_positive(int i) { return i == 0 || i == 3; }
};

template <QueryKind kind>
struct Differences {
  Vec start[Layout<kind>::size], end[Layout<kind>::size];

  GRAZE_HD explicit Differences(const MovingCorners& x) {
    for (int i = 0; i < Layout<kind>::size; ++i) {
      const int a = Layout<kind>::corner(i, 0), b = Layout<kind>::corner(i, 1);
      start[i] = x.at[0][a] - x.at[0][b];
      end[i] = x.at[1][a] - x.at[1][b];
    }
  }
  GRAZE_HD bool moderate() const {
    Vec m = larger(abs_of(start[0]), abs_of(end[0]));
    for (int i = 1; i < Layout<kind>::size; ++i)
      m = larger(m, larger(abs_of(start[i]), abs_of(end[i])));
    const double size = larger(larger(m.x, m.y), m.z);
    return size < 0x1p128 && size > 0x1p-128;
  }
};

// ---- the coplanarity cubic ----------------------------------------------------------------------

struct Cubic {
  double c0, c1, c2, c3;
  double err, size, eval_err;
};

template <QueryKind kind>
GRAZE_HD inline Cubic coplanarity_cubic(const Differences<kind>& e) {
  constexpr double cubic_err = 12 * u, cubic_floor = 0x1p-840;
  const Vec &p0 = e.start[0], &q0 = e.start[1], &r0 = e.start[2];
  const Vec &p1 = e.end[0], &q1 = e.end[1], &r1 = e.end[2];
  const Vec n0 = cross(q0, r0), n1 = cross(q1, r1), nm = cross(q0, r1) + cross(q1, r0);
  const Vec a = larger(abs_of(p0), abs_of(p1)), b = larger(abs_of(q0), abs_of(q1)),
            c = larger(abs_of(r0), abs_of(r1));
  Cubic d;
  d.c0 = dot(p0, n0);
  d.c1 = (dot(p1, n0) + dot(p0, nm)) / 3.0;
  d.c2 = (dot(p1, nm) + dot(p0, n1)) / 3.0;
  d.c3 = dot(p1, n1);
  d.size = dot(a, cross_sum(b, c));
  d.err = cubic_err * d.size + cubic_floor;
  d.eval_err = (cubic_err + 11 * u) * d.size + cubic_floor;
  return d;
}

GRAZE_HD inline double between(double a, double b, double t) {
  return (1.0 - t) * a + t * b;
}
GRAZE_HD inline double blossom(const Cubic& d, double t1, double t2, double t3) {
  const double a = between(d.c0, d.c1, t1), b = between(d.c1, d.c2, t1),
               c = between(d.c2, d.c3, t1);
  return between(between(a, b, t2), between(b, c, t2), t3);
}
GRAZE_HD inline double value(const Cubic& d, double t) {
  return blossom(d, t, t, t);
}
GRAZE_HD inline double slope(const Cubic& d, double t) {
  const double s = 1.0 - t;
  const double a = d.c1 - d.c0, b = d.c2 - d.c1, c = d.c3 - d.c2;
  return 3.0 * (s * (s * a + t * b) + t * (s * b + t * c));
}

struct Signs {
  bool positive[4], negative[4];

  GRAZE_HD Signs(const Cubic& d, double lo, double hi) {
    const double c[] = {value(d, lo), blossom(d, lo, lo, hi), blossom(d, lo, hi, hi), value(d, hi)};
    for (int i = 0; i < 4; ++i) {
      positive[i] = c[i] > d.eval_err;
      negative[i] = c[i] < -d.eval_err;
    }
  }
  GRAZE_HD bool rootless() const {
    return (positive[0] && positive[1] && positive[2] && positive[3]) ||
           (negative[0] && negative[1] && negative[2] && negative[3]);
  }
  GRAZE_HD bool simple() const {
    return (positive[0] && negative[3] && (positive[1] || negative[2])) ||
           (negative[0] && positive[3] && (negative[1] || positive[2]));
  }
};

// ---- sides ------------------------------------------------------------------------------------

struct SideTest {
  bool miss, contact;
};

template <QueryKind kind>
GRAZE_HD inline SideTest side_test(const Differences<kind>& e, double t, double h) {
  using L = Layout<kind>;
  Vec at[L::size], wiggle[L::size], bound[L::size];
  for (int i = 0; i < L::size; ++i) {
    const Vec &a = e.start[i], &b = e.end[i];
    at[i] = (1.0 - t) * a + t * b;
    wiggle[i] = h * abs_of(b - a) + (14 * u) * larger(abs_of(a), abs_of(b));
    bound[i] = abs_of(at[i]) + wiggle[i];
  }
  const bool face = kind == vertex_face_query;
  const Vec side_a = face ? at[1] - at[0] : at[0] - at[2];
  const Vec side_b = face ? at[2] - at[0] : at[1] - at[0];
  const Vec normal = cross(side_a, side_b), other = cross(at[0], side_b);
  const bool flat = dot(normal, normal) < 1e-22 * dot(side_a, side_a) * dot(side_b, side_b);
  const Vec d = flat ? other : normal;
  const Vec size = abs_of(d);
  bool any_positive = false, any_negative = false, all_positive = true, all_negative = true;
  for (int i = 0; i < L::size; ++i) {
    const int ci = L::cross_i(i), cj = L::cross_j(i);
    const Vec &a = at[ci], &b = at[cj];
    const double q = dot(d, L::cross_positive(i) ? cross(a, b) : cross(b, a));
    const Vec padded = wiggle[cj] + (9 * u) * bound[cj];
    const double err =
        dot(size, cross_sum(bound[ci], padded) + cross_sum(wiggle[ci], bound[cj])) * (1 + 16 * u) +
        0x1p-660;
    const bool positive = q > err, negative = q < -err;
    any_positive = any_positive || positive;
    any_negative = any_negative || negative;
    all_positive = all_positive && positive;
    all_negative = all_negative && negative;
  }
  return {any_positive && any_negative, all_positive || all_negative};
}

// ---- examining a piece of time ------------------------------------------------------------------

GRAZE_HD inline double approximate_root(const Cubic& d, double sign, double lo, double hi) {
  const double a1 = 3.0 * (d.c1 - d.c0), a2 = 3.0 * ((d.c0 - d.c1) + (d.c2 - d.c1)),
               a3 = (d.c3 - d.c0) - 3.0 * (d.c2 - d.c1);
  const double f_lo = value(d, lo), f_hi = value(d, hi);
  double t = lo + (hi - lo) * (f_lo / (f_lo - f_hi));
  for (int i = 0; i < 24; ++i) {
    const double f = ((a3 * t + a2) * t + a1) * t + d.c0;
    const double rate = (3.0 * a3 * t + 2.0 * a2) * t + a1;
    if (f * sign > 0.0)
      lo = t;
    else
      hi = t;
    double next = t - f / rate;
    if (next < lo || next > hi) next = 0.5 * (lo + hi);
    const double change = abs_of(next - t);
    t = next;
    if (!(change > 8 * u)) break;
  }
  return t;
}

// A certified simple root of the cubic at which the primitives touch: near t, inside [lo, hi].
struct Bracket {
  double t, lo, hi;
};

// The roots of the cubic in a piece of time: none; one, in a certified bracket; not known.
enum class Roots : std::uint8_t { none, one, unknown };

GRAZE_HD inline Roots find_root(const Cubic& d, double lo, double hi, Bracket& root) {
  const Signs signs(d, lo, hi);
  if (signs.rootless()) return Roots::none;
  if (!signs.simple()) return Roots::unknown;
  const double sign = signs.positive[0] ? 1.0 : -1.0;
  double t = approximate_root(d, sign, lo, hi);
  t = larger(lo, smaller(hi, t - value(d, t) / slope(d, t)));
  const double delta = 3.0 * d.eval_err / abs_of(slope(d, t)) + 4 * u;
  root = {t, larger(t - delta, lo), smaller(t + delta, hi)};
  const bool bracketed =
      value(d, root.lo) * sign > d.eval_err && -(value(d, root.hi) * sign) > d.eval_err;
  return bracketed ? Roots::one : Roots::unknown;
}

// The answer of a stage.
enum class Stage : std::uint8_t {
  rootless,  // separated: the cubic has no root
  miss,      // separated at every root
  contact,   // at a certified root
  unknown    // for the next stage; after examine_pieces(): for integers
};

// Examines [0, t_max] as one piece. Sets `root` if the stage is `contact`.
template <QueryKind kind>
GRAZE_HD inline Stage examine_step(const MovingCorners& x, double t_max, Bracket& root) {
  const Differences<kind> e(x);
  if (!e.moderate()) return Stage::unknown;
  const Cubic d = coplanarity_cubic(e);
  switch (find_root(d, 0.0, t_max, root)) {
    case Roots::none:
      return Stage::rootless;
    case Roots::unknown:
      return Stage::unknown;
    default:
      const SideTest side = side_test(e, root.t, root.hi - root.lo);
      return side.miss ? Stage::miss : side.contact ? Stage::contact : Stage::unknown;
  }
}

GRAZE_HD inline double clamped_time(double t) {  // NaN becomes 0
  return t > 0.0 ? smaller(t, 1.0) : 0.0;
}

// Examines the monotone pieces of [0, t_max] in the order of time. Sets `root` if the stage is
// `contact`; if it is `unknown`, root.lo is a time before which there is no contact.
template <QueryKind kind>
GRAZE_HD inline Stage examine_pieces(const MovingCorners& x, double t_max, Bracket& root) {
  root.lo = 0;
  const Differences<kind> e(x);
  if (!e.moderate()) return Stage::unknown;
  const Cubic d = coplanarity_cubic(e);
  const double c = d.c1 - d.c0, b = (d.c2 - d.c1) - c, a = (d.c3 - d.c2) - (d.c2 - d.c1) - b;
  const double discriminant = b * b - a * c;
  const bool real = discriminant > 0.0;
  const double square_root = sqrt(real ? discriminant : 0.0);
  const double q = -(b + (b < 0.0 ? -square_root : square_root));
  const double r1 = q / a, r2 = real ? c / q : r1;
  const double t1 = clamped_time(r1), t2 = clamped_time(r2);
  const double s1 = smaller(smaller(t1, t2), t_max), s2 = smaller(larger(t1, t2), t_max);
  GRAZE_ROLLED
  for (int piece = 0; piece < 3; ++piece) {
    const double lo = piece == 0 ? 0.0 : piece == 1 ? s1 : s2;
    const double hi = piece == 0 ? s1 : piece == 1 ? s2 : t_max;
    if (!(hi > lo)) continue;
    const Roots roots = find_root(d, lo, hi, root);
    bool clear = roots == Roots::none;
    // The sides at the root, then in the whole piece.
    GRAZE_ROLLED
    for (int whole = roots == Roots::one ? 0 : 1; whole < 2 && !clear; ++whole) {
      const SideTest side = side_test(e, whole ? 0.5 * (lo + hi) : root.t,
                                      whole ? 0.5 * (hi - lo) + 2 * u : root.hi - root.lo);
      if (!whole && !side.miss && side.contact) return Stage::contact;
      clear = side.miss;
    }
    if (clear) continue;
    root.lo = lo;
    return Stage::unknown;
  }
  return Stage::miss;
}

// ---- the last bit of the time -------------------------------------------------------------------

template <QueryKind kind>
GRAZE_HD inline DoubleDouble<double> residual(const MovingCorners& x, double t) {
  using Pair = DoubleDouble<double>;
  Pair e[3][3];
  for (int i = 0; i < 3; ++i) {
    const int a = Layout<kind>::corner(i, 0), b = Layout<kind>::corner(i, 1);
    const Vec &a0 = x.at[0][a], &b0 = x.at[0][b], &a1 = x.at[1][a], &b1 = x.at[1][b];
    const auto moved = [t](double p0, double q0, double p1, double q1) {
      const Pair start = two_sum(p0, -q0), end = two_sum(p1, -q1);
      return start + t * (end - start);
    };
    e[i][0] = moved(a0.x, b0.x, a1.x, b1.x);
    e[i][1] = moved(a0.y, b0.y, a1.y, b1.y);
    e[i][2] = moved(a0.z, b0.z, a1.z, b1.z);
  }
  const Pair m0 = e[1][1] * e[2][2] - e[1][2] * e[2][1];
  const Pair m1 = e[1][2] * e[2][0] - e[1][0] * e[2][2];
  const Pair m2 = e[1][0] * e[2][1] - e[1][1] * e[2][0];
  return (e[0][0] * m0 + e[0][1] * m1) + e[0][2] * m2;
}

template <QueryKind kind>
GRAZE_HD inline RootCell<double> root_cell(const MovingCorners& x, const Cubic& d, double t,
                                           double lo, double hi) {
  constexpr double residual_err = 0x1p-94;
  const double rate = slope(d, t);
  const double curvature =
      6.1 * larger(abs_of(d.c0 - d.c1 - d.c1 + d.c2), abs_of(d.c1 - d.c2 - d.c2 + d.c3)) +
      26.0 * d.err;
  const double rate_err = (hi - lo) * curvature + 6.1 * d.err + (100 * u) * d.size;
  const double rate_min = abs_of(rate) - rate_err;
  const DoubleDouble<double> f = residual<kind>(x, t);
  const double f_err = residual_err * d.size + 0x1p-660;
  return newton_step(t, f.hi, f_err, rate, rate_err / rate_min, rate_min);
}

GRAZE_HD inline double neighbour_of(double x, int step) {  // x > 0
  std::int64_t bits;
  static_assert(sizeof(bits) == sizeof(x));
#ifdef __CUDA_ARCH__
  bits = __double_as_longlong(x) + step;
  return __longlong_as_double(bits);
#else
  __builtin_memcpy(&bits, &x, sizeof(bits));
  bits += step;
  __builtin_memcpy(&x, &bits, sizeof(bits));
  return x;
#endif
}

// Finds the tightest doubles around a certified root. Returns false if only integers can decide
// between two doubles.
template <QueryKind kind>
GRAZE_HD inline bool tightest_times(const MovingCorners& x, const Bracket& root, double& toi,
                                    double& toi_hi) {
  const Cubic d = coplanarity_cubic(Differences<kind>(x));
  RootCell<double> cell;
  double t = root.t;
  GRAZE_ROLLED
  for (int steps = 0; steps < 2; ++steps) {
    cell = root_cell<kind>(x, d, t, root.lo, root.hi);
    if (cell.sharp) break;
    t = larger(root.lo, smaller(root.hi, cell.at));
  }
  if (!cell.sharp || cell.above == cell.below) return false;
  const double neighbour = neighbour_of(cell.at, cell.above ? 1 : -1);
  toi = smaller(cell.at, neighbour);
  toi_hi = larger(cell.at, neighbour);
  return true;
}

}  // namespace graze::gpu
