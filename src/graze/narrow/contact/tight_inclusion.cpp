#include "graze/narrow/contact/tight_inclusion.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "graze/core/numeric/float_environment.h"
#include "graze/narrow/batch.h"
#include "graze/narrow/check_count.h"
#include "graze/narrow/stop.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "graze/narrow/contact/tight_inclusion.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Definitions shared by all SIMD targets; this file is compiled once for each target.
#ifndef GRAZE_NARROW_TIGHT_INCLUSION_CPP
#define GRAZE_NARROW_TIGHT_INCLUSION_CPP

namespace graze::narrow::inclusion {

// The coefficients of F = a + u b + v c at t = 0 and t = 1 on each axis. a, b, c are linear in t
// for both kinds of queries. The fourth lane is padding: its zeros never exclude a box.
struct Motion {
  alignas(32) double a[2][4] = {}, b[2][4] = {}, c[2][4] = {};
};

inline Motion motion_of(const VertexFace& query) {
  Motion motion;
  for (int k = 0; k < 3; ++k)
    for (const bool end : {false, true}) {
      const auto& x = end ? query.end : query.start;
      motion.a[end][k] = x[0][k] - x[1][k];
      motion.b[end][k] = x[1][k] - x[2][k];
      motion.c[end][k] = x[1][k] - x[3][k];
    }
  return motion;
}

inline Motion motion_of(const EdgeEdge& query) {
  Motion motion;
  for (int k = 0; k < 3; ++k)
    for (const bool end : {false, true}) {
      const auto& x = end ? query.end : query.start;
      motion.a[end][k] = x[0][k] - x[2][k];
      motion.b[end][k] = x[1][k] - x[0][k];
      motion.c[end][k] = x[2][k] - x[3][k];
    }
  return motion;
}

inline double larger(const double (&x)[2][4], int k) {
  return std::max(std::abs(x[0][k]), std::abs(x[1][k]));
}

// Returns the computed maximum of |a| + |b| + |c| over all t on one axis.
inline double reach(const Motion& motion, int k) {
  return larger(motion.a, k) + larger(motion.b, k) + larger(motion.c, k);
}

// Bounds the rounding of the two tests below, on an axis where |a|, |b|, |c| <= A, B, C with
// reach = A + B + C. Let r = 2^-53 be the relative error of one operation and n = 2^-1075 the
// additional absolute error of a product that underflows; sums have none. First order in r. A box
// is [u, u+w] x [v, v+x], all four exact, so u + w <= 1 and v + x <= 1.
//
//   a, b, c at t    A0 (1-t) has four roundings (the difference, 1-t, product, sum) and A1 t
//                   three: 4r(A+B+C). The contribution of b to a bound of F is min or max of u b
//                   and (u+w) b, whose error is at most that of b.
//   w b, x c        exact, w and x being powers of two.
//   lo, hi          a + (min(wb,0) + min(xc,0)): r(wB+xC) and r(A+wB+xC).
//   base            u b + v c: r(uB+vC) for the products and r(uB+vC) for the sum.
//   lo + base       r(A+B+C); or the threshold S - lo instead: r(S+A+wB+xC).
//   S               s + e: r(s+e).
//
// In all A has 6r, B and C have 4 + 3 = 7r, s has 2r, and ten products have n each. So
//   e = 8r reach + 4r s + 32n
// leaves r reach for the terms of second order, for the rounding of reach and of e itself; its own
// two products take 2n.
constexpr double reach_err = 0x1p-50, separation_err = 0x1p-51, underflow_err = 0x1p-1070;

inline double rounding_of(double reach, double min_separation) {
  return reach_err * reach + separation_err * min_separation + underflow_err;
}

// If reach is below this limit, nothing overflows: the largest computed number is kappa_t <= 6
// reach.
constexpr double reach_limit = 0x1p1019;

// Parameters are multiples of their widths, k w with k <= 2^52, and therefore exact doubles.
constexpr double finest = 0x1p-52;

// DEVIATION: a level of more boxes than this is searched in parts, the earliest first; Alg. 2 of
// [Wang 2021] searches all of it. This bounds memory, and if primitives slide in contact, the first
// contact is found without searching the later ones. The other parts are kept on a stack. Each has
// a finer level than the one below it, so there are at most 3 * 52.
constexpr std::size_t max_boxes = 128;

enum { t, u, v, none };

// All boxes of a level have the same widths, because the split depends on widths alone. So a
// level is a sorted list of time slabs, and a box of a slab is given by its lower u and v.
struct Slab {
  double t;
  std::uint32_t boxes;
};

struct Level {
  double width[3];
  std::vector<Slab> slabs;
  std::vector<double> u, v;  // slab after slab
  std::size_t boxes = 0;

  // Reserves space for one more box than `room`: a box is written before it is known to be kept.
  void clear(std::size_t room) {
    slabs.clear();
    boxes = 0;
    if (u.size() > room) return;
    u.resize(2 * room + 64);
    v.resize(2 * room + 64);
  }
  // Adds `count` boxes, which have been written already, to the level.
  void append(double time, std::size_t count) {
    if (count == 0) return;
    slabs.push_back({time, static_cast<std::uint32_t>(count)});
    boxes += count;
  }
  // Moves all but the first max_boxes to `later`.
  void defer_to(Level& later) {
    const std::size_t surplus = boxes - max_boxes;
    later.clear(surplus);
    std::copy_n(width, 3, later.width);
    std::copy_n(&u[max_boxes], surplus, &later.u[0]);
    std::copy_n(&v[max_boxes], surplus, &later.v[0]);
    while (boxes > max_boxes) {
      Slab& last = slabs.back();
      const std::size_t moved = std::min<std::size_t>(boxes - max_boxes, last.boxes);
      later.append(last.t, moved);
      boxes -= moved;
      last.boxes -= static_cast<std::uint32_t>(moved);
      if (last.boxes == 0) slabs.pop_back();
    }
    std::reverse(later.slabs.begin(), later.slabs.end());
  }
};

// The boxes of one slab and their children: the box itself and, if there are two, the box moved by
// a step. Children are kept if u + v < diagonal at their lower corners (1 for the prism of
// vertex-face, 2 for edge-edge, where it always holds). The sum is exact. DEVIATION: [Wang 2021]
// also keeps boxes with u + v = 1. Such a box shares one point with the prism, and the box before
// it in u contains that point.
struct Boxes {
  const double *u, *v;
  std::size_t count;
  int children;
  double step_u, step_v, diagonal;
};

struct Scratch {
  Level levels[2];
  std::vector<Level> waiting;
};

inline double power_of_two_above(double x) {
  int exponent;
  const double mantissa = std::frexp(x, &exponent);
  return mantissa == 0.5 ? x : std::ldexp(1.0, exponent);
}

struct Search {
  Motion motion;
  alignas(32) double cube[4];  // S = s + e
  MethodOptions options;
  bool prism;       // u + v <= 1
  double kappa[3];  // the largest change of F on an axis along t, u, v: (7) without its factor 3

  // Returns a bound on w(B_F(I)) for every box I of the level: F changes by at most kappa times the
  // width along each parameter.
  double spread(const Level& level) const {
    return level.width[t] * kappa[t] + level.width[u] * kappa[u] + level.width[v] * kappa[v];
  }
};

// Sets the answer `undecided`: nothing is proven from `time` on. `checked` is the level of the last
// checked box that contains `time`.
//
// DEVIATION: the listing of Alg. 2 returns w(I_t) as the reached tolerance; its text, Fig. 7 and
// Sec. 5.1 compare that tolerance with delta, which is w(B_F(I)).
inline void give_up(double time, const Search& search, const Level& checked, Impact& last) {
  last = Impact::undecided(time, search.options.t_max, last.checks);
  last.reached_tol = search.spread(checked);
}

}  // namespace graze::narrow::inclusion

#endif  // GRAZE_NARROW_TIGHT_INCLUSION_CPP

HWY_BEFORE_NAMESPACE();
namespace graze::narrow::inclusion::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A vector of the three axes and the padding, or of as many of them as fit.
using D = hn::CappedTag<double, 4>;

// F over the boxes of a slab at one of its two times: with base = u b + v c for the box at (u,v),
// F ranges over [base + lo, base + hi], the extremes of its four corners at this time. A box is
// dropped if on some axis base > most at both times or base < least at both.
struct Face {
  double t = -1;
  alignas(32) double b[4], c[4], lo[4], hi[4], most[4], least[4];
};

HWY_INLINE void set_face(const Search& search, double time, double width_u, double width_v,
                         Face& face) {
  const D d;
  const auto& [a, b, c] = search.motion;
  const auto later = hn::Set(d, time), sooner = hn::Set(d, 1 - time), zero = hn::Zero(d);
  const auto w = hn::Set(d, width_u), x = hn::Set(d, width_v);
  face.t = time;
  for (std::size_t k = 0; k < 4; k += hn::Lanes(d)) {
    const auto at_t = [&](const double(&ends)[2][4]) HWY_ATTR {
      return hn::Add(hn::Mul(sooner, hn::Load(d, ends[0] + k)),
                     hn::Mul(later, hn::Load(d, ends[1] + k)));
    };
    const auto a_t = at_t(a), b_t = at_t(b), c_t = at_t(c);
    const auto p = hn::Mul(w, b_t), q = hn::Mul(x, c_t);
    const auto lo = hn::Add(a_t, hn::Add(hn::Min(p, zero), hn::Min(q, zero)));
    const auto hi = hn::Add(a_t, hn::Add(hn::Max(p, zero), hn::Max(q, zero)));
    const auto cube = hn::Load(d, search.cube + k);
    hn::Store(b_t, d, face.b + k);
    hn::Store(c_t, d, face.c + k);
    hn::Store(lo, d, face.lo + k);
    hn::Store(hi, d, face.hi + k);
    hn::Store(hn::Sub(cube, lo), d, face.most + k);
    hn::Store(hn::Sub(hn::Neg(cube), hi), d, face.least + k);
  }
}

// Returns whether any box of the slab can be small enough or inside the cube: at each of the two
// times the range of F has the same width for all boxes.
HWY_INLINE bool may_finish(const Search& search, const Face& first, const Face& second,
                           double tol) {
  const D d;
  for (std::size_t k = 0; k < 4; k += hn::Lanes(d)) {
    const auto width0 = hn::Sub(hn::Load(d, first.hi + k), hn::Load(d, first.lo + k));
    const auto width1 = hn::Sub(hn::Load(d, second.hi + k), hn::Load(d, second.lo + k));
    const auto inside = hn::Mul(hn::Set(d, 2.5), hn::Load(d, search.cube + k));
    if (!hn::AllTrue(d, hn::Le(hn::Max(width0, width1), hn::Max(hn::Set(d, tol), inside))))
      return false;
  }
  return true;
}

HWY_INLINE hn::Vec<D> base_of(const Face& face, std::size_t k, hn::Vec<D> us, hn::Vec<D> vs) {
  const D d;
  return hn::Add(hn::Mul(us, hn::Load(d, face.b + k)), hn::Mul(vs, hn::Load(d, face.c + k)));
}

HWY_INLINE bool reaches_cube(const Face& first, const Face& second, double u_lo, double v_lo) {
  const D d;
  const auto us = hn::Set(d, u_lo), vs = hn::Set(d, v_lo);
  bool reaches = true;
  for (std::size_t k = 0; k < 4; k += hn::Lanes(d)) {
    const auto base0 = base_of(first, k, us, vs), base1 = base_of(second, k, us, vs);
    const auto up = hn::Or(hn::Ge(base0, hn::Load(d, first.least + k)),
                           hn::Ge(base1, hn::Load(d, second.least + k)));
    const auto down = hn::Or(hn::Le(base0, hn::Load(d, first.most + k)),
                             hn::Le(base1, hn::Load(d, second.most + k)));
    reaches &= hn::AllTrue(d, hn::And(up, down));
  }
  return reaches;
}

// Copies the children that reach the cube; returns their number.
template <int children>
HWY_INLINE std::size_t keep_reaching(const Face& first, const Face& second, const Boxes& boxes,
                                     double* HWY_RESTRICT kept_u, double* HWY_RESTRICT kept_v) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < boxes.count; ++i)
    for (int child = 0; child < children; ++child) {
      const double u_lo = boxes.u[i] + child * boxes.step_u;
      const double v_lo = boxes.v[i] + child * boxes.step_v;
      kept_u[kept] = u_lo;
      kept_v[kept] = v_lo;
      kept += reaches_cube(first, second, u_lo, v_lo) & (u_lo + v_lo < boxes.diagonal);
    }
  return kept;
}

enum class Fate { drop, split, finish };

// Decides whether a box is dropped, split or finished. lo and hi are within e of the bounds of F,
// so |F| <= S + e + (hi - lo) everywhere in a box that is finished because it is small, and |F| <=
// S + e everywhere in a box inside the cube.
HWY_INLINE Fate fate_of(const Search& search, const Face& first, const Face& second, double tol,
                        double box_u, double box_v) {
  const D d;
  const auto us = hn::Set(d, box_u), vs = hn::Set(d, box_v);
  bool reaches = true, small = true, inside = true;
  for (std::size_t k = 0; k < 4; k += hn::Lanes(d)) {
    const auto base0 = base_of(first, k, us, vs), base1 = base_of(second, k, us, vs);
    const auto lo = hn::Min(hn::Add(base0, hn::Load(d, first.lo + k)),
                            hn::Add(base1, hn::Load(d, second.lo + k)));
    const auto hi = hn::Max(hn::Add(base0, hn::Load(d, first.hi + k)),
                            hn::Add(base1, hn::Load(d, second.hi + k)));
    const auto cube = hn::Load(d, search.cube + k), minus_cube = hn::Neg(cube);
    reaches &= hn::AllTrue(d, hn::And(hn::Le(lo, cube), hn::Ge(hi, minus_cube)));
    small &= hn::AllTrue(d, hn::Lt(hn::Sub(hi, lo), hn::Set(d, tol)));
    inside &= hn::AllTrue(d, hn::And(hn::Ge(lo, minus_cube), hn::Le(hi, cube)));
  }
  return !reaches ? Fate::drop : small || inside ? Fate::finish : Fate::split;
}

// Returns w(B_F(I)) of a box as computed by fate_of.
HWY_INLINE double width_of(const Face& first, const Face& second, double box_u, double box_v) {
  double width = 0;
  for (int k = 0; k < 3; ++k) {
    const double base0 = box_u * first.b[k] + box_v * first.c[k];
    const double base1 = box_u * second.b[k] + box_v * second.c[k];
    width = std::max(width, std::max(base0 + first.hi[k], base1 + second.hi[k]) -
                                std::min(base0 + first.lo[k], base1 + second.lo[k]));
  }
  return width;
}

// Does the same as keep_reaching for slabs with boxes that may be finished. Stops at the first
// finished box, which is then the last one written.
HWY_INLINE std::pair<std::size_t, bool> keep_unfinished(const Search& search, const Face& first,
                                                        const Face& second, double tol,
                                                        const Boxes& boxes, double* kept_u,
                                                        double* kept_v) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < boxes.count; ++i)
    for (int child = 0; child < boxes.children; ++child) {
      kept_u[kept] = boxes.u[i] + child * boxes.step_u;
      kept_v[kept] = boxes.v[i] + child * boxes.step_v;
      if (!(kept_u[kept] + kept_v[kept] < boxes.diagonal)) continue;
      const Fate fate = fate_of(search, first, second, tol, kept_u[kept], kept_v[kept]);
      if (fate == Fate::finish) return {kept, true};
      kept += fate == Fate::split;
    }
  return {kept, false};
}

// Checks the halves of all boxes of `parents` across the parameter `split` (or the boxes themselves
// if it is `none`), earliest first. Boxes neither dropped nor finished are appended to `kept`.
// Stops at a finished box, and at last.toi: boxes that begin there or later cannot change the
// answer. Returns false if the budget does not suffice.
//
// DEVIATION: Alg. 2 of [Wang 2021] returns a finished box if it is the first of its level to reach
// the cube and discards it otherwise, which loses its contact if the earlier boxes are dropped
// later. Here a finished box bounds the time: the search continues among boxes that begin earlier.
// DEVIATION: the budget is compared before a slab, not before a box.
HWY_INLINE bool check_level(const Search& search, int split, const Level& parents, Level& kept,
                            Impact& last) {
  const MethodOptions& options = search.options;
  kept.clear(2 * parents.boxes);
  std::copy_n(parents.width, 3, kept.width);
  Boxes boxes{parents.u.data(), parents.v.data(), 0, 1, 0, 0, search.prism ? 1.0 : 2.0};
  if (split != none) kept.width[split] /= 2;
  if (split == u || split == v) {
    boxes.children = 2;
    (split == u ? boxes.step_u : boxes.step_v) = kept.width[split];
  }
  const double width_t = kept.width[t], width_u = kept.width[u], width_v = kept.width[v];
  Face faces[2], *first = &faces[0], *second = &faces[1];
  for (const Slab& parent : parents.slabs) {
    boxes.count = parent.boxes;
    for (const int half : {0, 1}) {
      const double time = parent.t + half * width_t;
      if (half == 1 && (split != t || time >= options.t_max)) break;
      if (time >= last.toi) return true;
      const auto checks = parent.boxes * static_cast<std::uint32_t>(boxes.children);
      const bool too_many = options.max_checks != 0 && checks > options.max_checks - last.checks;
      if (too_many || is_stopped(options)) {
        give_up(kept.slabs.empty() ? time : kept.slabs.front().t, search, parents, last);
        return false;
      }
      count_checks(last.checks, checks);
      std::swap(first, second);
      if (first->t != time) set_face(search, time, width_u, width_v, *first);
      set_face(search, std::min(time + width_t, options.t_max), width_u, width_v, *second);
      const double tol = options.no_zero_toi && time == 0 ? 0 : options.distance_tol;
      double *const kept_u = &kept.u[kept.boxes], *const kept_v = &kept.v[kept.boxes];
      if (!may_finish(search, *first, *second, tol)) {
        kept.append(time, boxes.children == 1
                              ? keep_reaching<1>(*first, *second, boxes, kept_u, kept_v)
                              : keep_reaching<2>(*first, *second, boxes, kept_u, kept_v));
        continue;
      }
      const auto [count, finished] =
          keep_unfinished(search, *first, *second, tol, boxes, kept_u, kept_v);
      if (finished) {
        last = Impact::contact(time, options.t_max, last.checks);
        last.u = kept_u[count];
        last.v = kept_v[count];
        last.reached_tol = width_of(*first, *second, last.u, last.v);
        return true;
      }
      kept.append(time, count);
    }
    boxes.u += parent.boxes;
    boxes.v += parent.boxes;
  }
  return true;
}

HWY_NOINLINE Impact run(const Search& search, Scratch& scratch) {
  const MethodOptions& options = search.options;
  auto& waiting = scratch.waiting;
  std::size_t parts = 0;
  Level *parents = &scratch.levels[0], *kept = &scratch.levels[1];
  parents->clear(1);
  parents->width[t] = power_of_two_above(options.t_max);
  parents->width[u] = parents->width[v] = 1;
  parents->u[0] = parents->v[0] = 0;
  parents->append(0, 1);
  const double finest_width[3] = {std::max(finest * parents->width[t], 0x1p-1074), finest, finest};

  Impact last = Impact::separated();  // the answer when no box is left
  last.reached_tol = 0;
  for (int split = none;;) {
    if (!check_level(search, split, *parents, *kept, last)) {
      for (std::size_t i = 0; i < parts; ++i)
        if (waiting[i].slabs.front().t < last.toi)
          give_up(waiting[i].slabs.front().t, search, waiting[i], last);
      return last;
    }
    if (kept->boxes > max_boxes) {
      if (parts == waiting.size()) waiting.emplace_back();
      kept->defer_to(waiting[parts++]);
    }
    if (kept->slabs.empty()) {
      if (parts == 0) return last;
      std::swap(*kept, waiting[--parts]);
    }
    std::swap(parents, kept);
    double spread[3];
    for (int i = 0; i < 3; ++i) spread[i] = parents->width[i] * search.kappa[i];
    split = static_cast<int>(std::max_element(spread, spread + 3) - spread);
    if (parents->width[split] / 2 < finest_width[split]) {
      if (parents->slabs.front().t < last.toi)
        give_up(parents->slabs.front().t, search, *parents, last);
      parents->clear(0);
    }
  }
}

}  // namespace graze::narrow::inclusion::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::narrow {
namespace inclusion {
HWY_EXPORT(run);

namespace {

Vec3 err_of(const Motion& motion, double min_separation) {
  Vec3 err;
  for (int k = 0; k < 3; ++k) err[k] = rounding_of(reach(motion, k), min_separation);
  return err;
}

// Searches with options.no_zero_toi. DEVIATION: if half of the budget does not prove a positive
// time, [Wang 2021] has no answer, and public code reduces the requested separation. Here the rest
// of the budget is spent on shorter and shorter steps, in which t needs no splitting and all boxes
// are spent on u and v.
Impact run_for_positive_time(const Search& search, Scratch& scratch) {
  constexpr int attempts = 6;
  const MethodOptions& options = search.options;
  if (options.max_checks == 0) return HWY_DYNAMIC_DISPATCH(run)(search, scratch);
  Search shorter = search;
  shorter.options.max_checks = std::max(options.max_checks / 2, 1u);
  Impact impact = HWY_DYNAMIC_DISPATCH(run)(shorter, scratch);
  shorter.options.max_checks = options.max_checks / (2 * attempts);
  for (int i = 0; i < attempts && impact.verdict == Verdict::undecided && impact.toi == 0; ++i) {
    shorter.options.t_max *= 0x1p-8;
    if (shorter.options.max_checks == 0 || shorter.options.t_max == 0) break;
    const Impact attempt = HWY_DYNAMIC_DISPATCH(run)(shorter, scratch);
    impact.toi = std::min(attempt.toi, shorter.options.t_max);
    count_checks(impact.checks, attempt.checks);
    if (attempt.verdict != Verdict::separated) impact.reached_tol = attempt.reached_tol;
  }
  return impact;
}

// Returns the answer for coordinates that are too large for the computation.
Impact unrefined(const Options& options) {
  Impact impact = Impact::undecided(0, options.t_max);
  impact.reached_tol = Impact::inf;
  return impact;
}

constexpr bool is_prism(const VertexFace&) {
  return true;
}
constexpr bool is_prism(const EdgeEdge&) {
  return false;
}

void set_kappa(Search& search) {
  const auto& [a, b, c] = search.motion;
  auto& kappa = search.kappa;
  for (int k = 0; k < 3; ++k) {
    const double da = a[1][k] - a[0][k], db = b[1][k] - b[0][k], dc = c[1][k] - c[0][k];
    kappa[t] = std::max(
        {kappa[t], std::abs(da), std::abs(da + db), std::abs(da + dc), std::abs(da + db + dc)});
    kappa[u] = std::max(kappa[u], larger(b, k));
    kappa[v] = std::max(kappa[v], larger(c, k));
  }
}

template <class Query>
void solve(std::span<const Query> queries, const MethodOptions& options,
           std::span<Impact> impacts) {
  Scratch scratch;
  solve_each(queries, options, Norm::linf, impacts, [&](const Query& query) {
    Search search{motion_of(query), {}, options, is_prism(query), {}};
    const Vec3 err = err_of(search.motion, options.min_separation);
    for (int k = 0; k < 3; ++k) {
      if (!(reach(search.motion, k) <= reach_limit && err[k] <= reach_limit))
        return unrefined(options);
      search.cube[k] = options.min_separation + err[k];
    }
    set_kappa(search);
    return options.no_zero_toi ? run_for_positive_time(search, scratch)
                               : HWY_DYNAMIC_DISPATCH(run)(search, scratch);
  });
}

}  // namespace
}  // namespace inclusion

Vec3 tight_inclusion_err(const VertexFace& query, double min_separation) {
  const FloatEnvironment environment;
  return inclusion::err_of(inclusion::motion_of(query), min_separation);
}
Vec3 tight_inclusion_err(const EdgeEdge& query, double min_separation) {
  const FloatEnvironment environment;
  return inclusion::err_of(inclusion::motion_of(query), min_separation);
}

void tight_inclusion(std::span<const VertexFace> queries, const MethodOptions& options,
                     std::span<Impact> impacts) {
  inclusion::solve(queries, options, impacts);
}
void tight_inclusion(std::span<const EdgeEdge> queries, const MethodOptions& options,
                     std::span<Impact> impacts) {
  inclusion::solve(queries, options, impacts);
}

}  // namespace graze::narrow
#endif  // HWY_ONCE
