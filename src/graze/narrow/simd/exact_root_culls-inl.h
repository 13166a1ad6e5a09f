// The first two stages of the exact method, and of separation_root: directions that separate a
// query at both ends of the step and hence, as every corner moves on a straight line, at all times
// between. Compiled once for every SIMD target; the answers do not depend on the target.

#if defined(GRAZE_NARROW_EXACT_ROOT_CULLS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GRAZE_NARROW_EXACT_ROOT_CULLS_INL_H_
#undef GRAZE_NARROW_EXACT_ROOT_CULLS_INL_H_
#else
#define GRAZE_NARROW_EXACT_ROOT_CULLS_INL_H_
#endif

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>

#include "graze/impact.h"
#include "graze/narrow/simd/exact_root-inl.h"

HWY_BEFORE_NAMESPACE();
namespace graze::narrow::HWY_NAMESPACE {

// ---- a point: x, y, z side by side ------------------------------------------------------------

#if HWY_MAX_BYTES >= 32 && HWY_TARGET != HWY_SCALAR
using Four = hn::FixedTag<double, 4>;  // the fourth lane is ignored
using Point = Lanes<Four>;

// Reads four doubles.
HWY_INLINE Point load_point(const double* x) {
  return hn::LoadU(Four(), x);
}
// Reads the three doubles before `end`, and the one before these.
HWY_INLINE Point load_point_before(const double* end) {
  alignas(32) static constexpr std::int64_t shift[4] = {1, 2, 3, 0};
  return hn::TableLookupLanes(hn::LoadU(Four(), end - 4), hn::SetTableIndices(Four(), shift));
}
// Reads three doubles.
HWY_INLINE Point load_lone_point(const double* x) {
  return hn::MaskedLoad(hn::FirstN(Four(), 3), Four(), x);
}
// Reads three doubles and writes four.
HWY_INLINE void copy_point(const double* from, double* to) {
  hn::Store(load_lone_point(from).v, Four(), to);
}
HWY_INLINE Point turned(Point p) {  // y, z, x
  alignas(32) static constexpr std::int64_t turn[4] = {1, 2, 0, 3};
  return hn::TableLookupLanes(p.v, hn::SetTableIndices(Four(), turn));
}
HWY_INLINE bool any_of_xyz(Point::Mask mask) {
  return !hn::AllFalse(Four(), hn::And(mask.m, hn::FirstN(Four(), 3)));
}
#else
struct Point {
  struct Mask {
    bool m[3];
    friend HWY_INLINE Mask operator&(Mask a, Mask b) {
      return {{a.m[0] && b.m[0], a.m[1] && b.m[1], a.m[2] && b.m[2]}};
    }
    friend HWY_INLINE Mask operator!(Mask a) { return {{!a.m[0], !a.m[1], !a.m[2]}}; }
    friend HWY_INLINE Mask operator|(Mask a, Mask b) {
      return {{a.m[0] || b.m[0], a.m[1] || b.m[1], a.m[2] || b.m[2]}};
    }
  };
  double v[3];
  Point() = default;
  explicit HWY_INLINE Point(double x) : v{x, x, x} {}
  HWY_INLINE Point(double x, double y, double z) : v{x, y, z} {}
  template <class F>
  static HWY_INLINE Point each(F&& f) {
    return {f(0), f(1), f(2)};
  }
  friend HWY_INLINE Point operator+(Point a, Point b) {
    return each([&](int k) { return a.v[k] + b.v[k]; });
  }
  friend HWY_INLINE Point operator-(Point a, Point b) {
    return each([&](int k) { return a.v[k] - b.v[k]; });
  }
  friend HWY_INLINE Point operator*(Point a, Point b) {
    return each([&](int k) { return a.v[k] * b.v[k]; });
  }
  friend HWY_INLINE Point abs_of(Point a) {
    return each([&](int k) { return a.v[k] < 0 ? -a.v[k] : a.v[k]; });
  }
  friend HWY_INLINE Point smaller(Point a, Point b) {
    return each([&](int k) { return a.v[k] < b.v[k] ? a.v[k] : b.v[k]; });
  }
  friend HWY_INLINE Point larger(Point a, Point b) {
    return each([&](int k) { return a.v[k] > b.v[k] ? a.v[k] : b.v[k]; });
  }
  friend HWY_INLINE Mask operator<(Point a, Point b) {
    return {{a.v[0] < b.v[0], a.v[1] < b.v[1], a.v[2] < b.v[2]}};
  }
  friend HWY_INLINE Mask operator>(Point a, Point b) { return b < a; }
};
HWY_INLINE Point load_point(const double* x) {
  return {x[0], x[1], x[2]};
}
HWY_INLINE Point load_point_before(const double* end) {
  return load_point(end - 3);
}
HWY_INLINE Point load_lone_point(const double* x) {
  return load_point(x);
}
HWY_INLINE void copy_point(const double* from, double* to) {
  for (int k = 0; k < 3; ++k) to[k] = from[k];
}
HWY_INLINE Point turned(Point p) {
  return {p.v[1], p.v[2], p.v[0]};
}
HWY_INLINE bool any_of_xyz(Point::Mask mask) {
  return mask.m[0] || mask.m[1] || mask.m[2];
}
#endif

HWY_INLINE bool is_finite_point(Point p) {
  const Point inf(std::numeric_limits<double>::infinity());
  return !any_of_xyz(!(abs_of(p) < inf));
}

// ---- separating directions --------------------------------------------------------------------

// A finite query passes a stage where none of its directions separates: x, y, z; then x+-y, y+-z,
// z+-x. Let R bound what is compared: the largest |x| of the corners, or |x| + |y|.
//
// Axes, whole step: the coordinates themselves are compared, without an error. Diagonals, whole
// step: x + y is off by u R. Comparing lo > fl(hi + slack) for two such values needs slack >= 2 u
// R, and u (R + slack) for the rounding of the sum: 4 u R. (Where x + y is rounded at all, R >=
// 2^-1021; the slack, at least 2^-1072, may lose 2^-1075 to underflow, and 3.5 u R are left.) At
// t_max < 1: fl(s + t (e - s)) is off by at most 5.1 u M + 2^-1075, M the larger of |s| and |e|: 2
// u M for the difference, as much for the product, u M for the sum. So two values differ from the
// exact ones by at most 12.4 u R + 2^-1073 together, the sum of the diagonal included; with the
// rounding of the comparison 13.5 u R + 2^-1073: slack 16 u R + 2^-1070. Coordinates beyond
// cull_limit, whose differences or sums could overflow, are not decided here. With a distance D to
// be exceeded, the slack is D larger; rounding the larger slack and the sum costs 2 u D + u R more,
// which Distance and the slack of the diagonals (on the axes too) cover.
inline constexpr double cull_limit = 0x1p1020;
inline constexpr double diagonal_slack = 4 * u;
inline constexpr double early_slack = 16 * u;  // with t_max < 1
inline constexpr double early_slack_floor = 0x1p-1070;

// The gap that a separating direction must show: any gap, or more than a distance d.
struct Apart {};
struct Distance {
  double axis, diagonal;  // D along x and along x + y
  // D = norm d for a direction with a dual norm of `norm`, rounded up.
  Distance(double d, double norm)
      : axis(d * (1 + 8 * u) + 0x1p-1070), diagonal(d * (norm * (1 + 8 * u)) + 0x1p-1070) {}
};

using Corners = Point[2][4];  // at the start and the end of the step

template <class Query, bool whole_step, class Gap>
class Ends {
 public:
  HWY_INLINE Ends(const Corners& corners, double t_max, const Gap& gap)
      : gap_(gap), reach_(abs_of(corners[0][0])) {
    for (int time = 0; time < 2; ++time)
      for (int c = 0; c < 4; ++c) {
        at_[time][c] = corners[time][c];
        reach_ = larger(reach_, abs_of(corners[time][c]));
      }
    if constexpr (!whole_step)
      for (int c = 0; c < 4; ++c)
        at_[1][c] = corners[0][c] + Point(t_max) * (corners[1][c] - corners[0][c]);
  }

  HWY_INLINE bool pass_axes() const {
    const auto itself = [](Point p) { return p; };
    if constexpr (whole_step && !keeps_distance)
      return !any_of_xyz(apart(itself, [](Point p) { return p; }));
    else
      return !any_of_xyz(apart(itself, widened<1>(reach_)) & (reach_ < Point(cull_limit)));
  }

  HWY_INLINE bool pass_diagonals() const {
    const Point reach = reach_ + turned(reach_);
    const auto plus = apart([](Point p) { return p + turned(p); }, widened<2>(reach));
    const auto minus = apart([](Point p) { return p - turned(p); }, widened<2>(reach));
    return !any_of_xyz((plus | minus) & (reach < Point(cull_limit)));
  }

 private:
  static constexpr int split = std::is_same_v<Query, EdgeEdge> ? 2 : 1;  // of the corners
  static constexpr bool keeps_distance = std::is_same_v<Gap, Distance>;

  template <int axes>
  HWY_INLINE auto widened(Point reach) const {
    Point slack = whole_step ? Point(diagonal_slack) * reach
                             : Point(early_slack) * reach + Point(early_slack_floor);
    if constexpr (keeps_distance) slack = slack + Point(axes == 1 ? gap_.axis : gap_.diagonal);
    return [slack](Point p) { return p + slack; };
  }

  // Returns whether one of the two primitives lies beyond the other, along f, at both times: its
  // least value is above the other's largest, widened.
  template <class F, class Widen>
  HWY_INLINE Point::Mask apart(F&& f, Widen&& widen) const {
    Point::Mask above[2], below[2];
    for (int time = 0; time < 2; ++time) {
      const Point* p = at_[time];
      Point lo[2] = {f(p[0]), f(p[split])}, hi[2] = {lo[0], lo[1]};
      for (int c = 1; c < 4; ++c)
        if (c != split) {
          const Point value = f(p[c]);
          lo[c > split] = smaller(lo[c > split], value);
          hi[c > split] = larger(hi[c > split], value);
        }
      above[time] = lo[1] > widen(hi[0]);
      below[time] = lo[0] > widen(hi[1]);
    }
    return (above[0] & above[1]) | (below[0] & below[1]);
  }

  [[no_unique_address]] Gap gap_;
  Corners at_;
  Point reach_;
};

// ---- many queries ------------------------------------------------------------------------------

// Calls pass(i) for each query of the stream that no direction separates, in order, and answers
// those that are not finite. Counts into tally.axis, diagonal and invalid.
//
// Works block by block, so that a query is read from memory once. There is no branch on the result
// for a query, which no processor could predict. The next block is prefetched meanwhile.
template <class Query, bool whole_step, class Stream, class Gap, class Tally, class Pass>
HWY_INLINE void cull(Stream& stream, std::size_t count, double t_max, const Gap& gap, Tally& tally,
                     Pass&& pass) {
  using QueryEnds = Ends<Query, whole_step, Gap>;
  constexpr std::size_t block = 32;
  std::size_t passed[block];
  const auto keep = [&](std::size_t& kept, std::size_t i, bool stays) {
    passed[kept] = i;
    kept += stays;
  };
  Corners corners;
  for (std::size_t first = 0; first < count; first += block) {
    const std::size_t size = std::min(block, count - first);
    stream.expect_separated(first, size);
    std::size_t on_axes = 0, on_diagonals = 0, invalid = 0;
    Point sum(0.0);  // not finite where a coordinate is not; also where they are huge
    for (std::size_t i = first; i < first + size; ++i) {
      stream.prefetch(std::min(i + block, count - 1));
      stream.load(i, corners);
      for (const auto& p : corners) sum = sum + ((p[0] + p[1]) + (p[2] + p[3]));
      keep(on_axes, i, QueryEnds(corners, t_max, gap).pass_axes());
    }
    if (HWY_UNLIKELY(!is_finite_point(sum))) {
      on_axes = 0;
      for (std::size_t i = first; i < first + size; ++i) {
        if (is_finite(stream.query(i))) {
          stream.load(i, corners);
          keep(on_axes, i, QueryEnds(corners, t_max, gap).pass_axes());
        } else {
          stream.answer(i, Impact::invalid());
          ++invalid;
        }
      }
    }
    for (std::size_t k = 0; k < on_axes; ++k) {
      stream.load(passed[k], corners);
      keep(on_diagonals, passed[k], QueryEnds(corners, t_max, gap).pass_diagonals());
    }
    tally.invalid += invalid;
    tally.axis += size - invalid - on_axes;
    tally.diagonal += on_axes - on_diagonals;
    for (std::size_t k = 0; k < on_diagonals; ++k) pass(passed[k]);
  }
}

// A source of queries and a sink of answers: queries one after the other in memory, one impact for
// each.
template <class Query>
struct QueryStream {
  static constexpr bool answers_all = true;
  const Query* queries;
  Impact* impacts;

  HWY_INLINE const Query& query(std::size_t i) const { return queries[i]; }
  HWY_INLINE std::array<const double*, 8> corners(std::size_t i) const {
    std::array<const double*, 8> result;
    for (std::size_t c = 0; c < 8; ++c) result[c] = queries[i].start[0].data() + 3 * c;
    return result;
  }
  HWY_INLINE void load(std::size_t i, Corners& corners) const {
    const double* x = queries[i].start[0].data();
    for (int c = 0; c < 7; ++c) corners[c / 4][c % 4] = load_point(x + 3 * c);
    corners[1][3] = load_point_before(x + 24);
  }
  HWY_INLINE void prefetch(std::size_t i) const {
    constexpr int to_read = 0, into_second_cache = 2;
    const double* x = queries[i].start[0].data();
    for (int line = 0; line < 3; ++line)
      __builtin_prefetch(x + 8 * line, to_read, into_second_cache);
  }
  HWY_INLINE void expect_separated(std::size_t first, std::size_t count) {
    std::fill_n(impacts + first, count, Impact::separated());
  }
  HWY_INLINE void answer(std::size_t i, const Impact& impact) { impacts[i] = impact; }
};

// A buffer of queries, stored corner by corner, with one query per lane.
struct Arrivals {
  static constexpr std::size_t width = HWY_LANES(double);
  alignas(64) double x[8][width][4];  // the fourth is unused
  std::size_t index[width];
  std::size_t size = 0;

  HWY_INLINE bool full() const { return size == width; }
  HWY_INLINE void push(std::size_t i, const std::array<const double*, 8>& corners) {
    put(size++, i, corners);
  }
  HWY_INLINE void put(std::size_t lane, std::size_t i,
                      const std::array<const double*, 8>& corners) {
    for (std::size_t c = 0; c < 8; ++c) copy_point(corners[c], x[c][lane]);
    index[lane] = i;
  }
  HWY_INLINE Coordinates<Lanes<Many>> load() {
    for (auto& corner : x)  // lanes without a query repeat the first
      for (std::size_t lane = size; lane < width; ++lane) std::copy_n(corner[0], 3, corner[lane]);
    Coordinates<Lanes<Many>> result;
    for (std::size_t c = 0; c < 8; ++c) {
      hn::Vec<Many> unused;
      hn::LoadInterleaved4(Many(), x[c][0], result[3 * c].v, result[3 * c + 1].v,
                           result[3 * c + 2].v, unused);
    }
    return result;
  }
  HWY_INLINE std::uint64_t lane_bits() const { return (std::uint64_t{1} << size) - 1; }
};

}  // namespace graze::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
