#include "graze/narrow/contact/exact_curved.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <vector>

#include "graze/core/numeric/float_environment.h"
#include "graze/exact/arena/arena_integer.h"
#include "graze/exact/arena/first_contact.h"
#include "graze/narrow/contact/contact_point.h"
#include "graze/narrow/contact/control_differences.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "graze/narrow/contact/exact_curved.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h

#include "graze/narrow/simd/exact_curved-inl.h"

HWY_BEFORE_NAMESPACE();
namespace graze::narrow::HWY_NAMESPACE {

// Answers queries of one degree n.
template <class Query, int n>
class CurvedSolver {
  using T = Lanes<Many>;
  static constexpr std::size_t width = HWY_LANES(double);
  static constexpr int vectors = Layout<Query>::size;
  static constexpr std::size_t points = static_cast<std::size_t>(n) + 1;

  // Integers decide a query that exceeds these limits: its roots are too close to each other or to
  // a border.
  static constexpr int max_level = 10, max_pieces = 48;

 public:
  CurvedSolver(const Curved<Query>* queries, Impact* impacts, double t_max, CurvedTally& tally)
      : queries_(queries), impacts_(impacts), t_max_(t_max), tally_(tally) {
    for (std::size_t lane = 0; lane < width; ++lane) slots_[lane].free = true;
  }

  void solve(const std::size_t* indices, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) arrive(indices[i]);
    if (arrivals_ > 0) examine_arrivals();
    while (busy_ > 0) examine_slots();
    if (times_size_ > 0) find_times();
  }

 private:
  // The control points and bounds of one query per lane.
  struct Columns {
    alignas(64) double e[vectors][n + 1][3][width], m[vectors][3][width];

    void copy(std::size_t to, const Columns& from, std::size_t lane) {
      for (int i = 0; i < vectors; ++i)
        for (int k = 0; k < 3; ++k) {
          for (int j = 0; j <= n; ++j) e[i][j][k][to] = from.e[i][j][k][lane];
          m[i][k][to] = from.m[i][k][lane];
        }
    }
  };

  // Stores a query in the next lane, unless it is invalid, an axis separates it or its size
  // requires integers.
  void arrive(std::size_t index) {
    const Curved<Query>& query = queries_[index];
    if (!is_finite(query)) {
      ++tally_.invalid;
      impacts_[index] = Impact::invalid();
      return;
    }
    if (query.curve != Curve::hermite && hulls_are_apart(query)) {
      ++tally_.direction;
      impacts_[index] = Impact::separated();
      return;
    }
    Columns& columns = arriving_;
    const std::size_t lane = arrivals_;
    double size = 0;
    bool apart = false;
    for (int k = 0; k < 3; ++k) {
      double lowest = Impact::inf, highest = -Impact::inf, slack = 0;
      for (int i = 0; i < vectors; ++i) {
        const ControlDifference x = difference(query, i, k);
        for (int j = 0; j <= n; ++j) {
          const double point = x.point[static_cast<std::size_t>(j)];
          columns.e[i][j][k][lane] = point;
          lowest = std::min(lowest, point);
          highest = std::max(highest, point);
        }
        columns.m[i][k][lane] = x.size;
        slack = std::max(slack, x.size);
      }
      size = std::max(size, slack);
      slack *= 5 * numeric::u;  // control points are off by 4 u size
      apart = apart || lowest > slack || highest < -slack;
    }
    if (!(size < 0x1p120 && size > 0x1p-120)) return settle_with_integers(index);
    if (apart) {
      ++tally_.direction;
      impacts_[index] = Impact::separated();
      return;
    }
    arriving_index_[lane] = index;
    if (++arrivals_ == width) examine_arrivals();
  }

  // Returns whether the control points of the two primitives are on different sides of a plane
  // across an axis. Coordinates are compared without rounding, and every path lies in the hull of
  // its control points, so the primitives then never touch.
  static bool hulls_are_apart(const Curved<Query>& query) {
    constexpr std::size_t corners = std::tuple_size_v<std::decay_t<decltype(query.points[0])>>;
    for (int k = 0; k < 3; ++k) {
      double lo[2] = {Impact::inf, Impact::inf}, hi[2] = {-Impact::inf, -Impact::inf};
      for (std::size_t c = 0; c < corners; ++c)
        for (std::size_t j = 0; j < points; ++j) {
          const std::size_t i = primitive_of<Query>(c);
          const double x = query.points[j][c][k];
          lo[i] = std::min(lo[i], x);
          hi[i] = std::max(hi[i], x);
        }
      if (hi[0] < lo[1] || hi[1] < lo[0]) return true;
    }
    return false;
  }

  static ControlDifference difference(const Curved<Query>& query, int i, int k) {
    const auto [x, y] = coordinates(query, i, k);
    return control_difference(query.curve, x, y);
  }
  // One coordinate of the points of the corners whose difference is vector i.
  static std::array<std::array<double, 4>, 2> coordinates(const Curved<Query>& query, int i,
                                                          int k) {
    const auto [a, b] = Layout<Query>::corners[i];
    std::array<std::array<double, 4>, 2> result{};
    for (std::size_t j = 0; j < points; ++j) {
      result[0][j] = query.points[j][static_cast<std::size_t>(a)][k];
      result[1][j] = query.points[j][static_cast<std::size_t>(b)][k];
    }
    return result;
  }

  static HWY_INLINE Piece<Query, n, T> load(const Columns& columns) {
    const Many tag;
    Piece<Query, n, T> piece;
    for (int i = 0; i < vectors; ++i) {
      for (int j = 0; j <= n; ++j)
        piece.e[i][j] = {hn::Load(tag, columns.e[i][j][0]), hn::Load(tag, columns.e[i][j][1]),
                         hn::Load(tag, columns.e[i][j][2])};
      const auto bound = [&](int k) HWY_ATTR {
        return T(control_err) * T(hn::Load(tag, columns.m[i][k])) + T(control_floor);
      };
      piece.w[i] = {bound(0), bound(1), bound(2)};
    }
    return piece;
  }

  static std::uint64_t lanes_below(std::size_t count) { return (std::uint64_t{1} << count) - 1; }

  // Examines the whole step of the queries that have arrived. Undecided queries move on to
  // the slots, where they are examined by pieces.
  void examine_arrivals() {
    const std::size_t count = arrivals_;
    arrivals_ = 0;
    for (std::size_t lane = count; lane < width; ++lane) arriving_.copy(lane, arriving_, 0);
    Piece<Query, n, T> piece = load(arriving_);
    if (t_max_ < 1) restrict_to(piece, T(0.0), T(t_max_));
    const auto all = T(1.0) > T(0.0);
    const CurvedExamined<T> found = examine_curved(piece, all);
    const Masks masks(found);
    for (std::size_t lane = 0; lane < count; ++lane) {
      const std::size_t index = arriving_index_[lane];
      if (masks.clear >> lane & 1)
        settle_miss(index, masks.by_direction >> lane & 1, masks.rootless >> lane & 1);
      else if (masks.contact >> lane & 1)
        push_contact(index, found, masks, lane, 0, t_max_);
      else
        occupy_slot(index, lane);
    }
  }

  struct Masks {
    std::uint64_t by_direction, rootless, clear, contact, before;
    explicit HWY_INLINE Masks(const CurvedExamined<T>& found)
        : by_direction(found.by_direction.bits()),
          rootless(found.rootless.bits()),
          clear(found.clear.bits()),
          contact(found.contact.bits()),
          before(found.contact.any() ? found.before.bits() : 0) {}
  };

  void settle_miss(std::size_t index, bool by_direction, bool rootless) {
    ++(by_direction ? tally_.direction : rootless ? tally_.coplanarity : tally_.root_miss);
    impacts_[index] = Impact::separated(by_direction || rootless ? 0 : 1);
  }

  // A query under examination by pieces, in the order of time: piece `place` of the 2^level equal
  // parts of [0, t_max].
  struct Slot {
    std::size_t index;
    int level, place, examined;
    bool free;

    double begin(double t_max) const { return t_max * std::ldexp(place, -level); }
    double end(double t_max) const { return t_max * std::ldexp(place + 1, -level); }
    void split() {
      ++level;
      place *= 2;
    }
    // Moves on to the next piece. Returns false if there is none.
    bool next() {
      ++place;
      while (place % 2 == 0 && level > 0) {
        place /= 2;
        --level;
      }
      return level > 0;
    }
  };

  void occupy_slot(std::size_t index, std::size_t lane) {
    while (busy_ == width) examine_slots();
    std::size_t slot = 0;
    while (!slots_[slot].free) ++slot;
    slots_[slot] = {index, 1, 0, 0, false};
    working_.copy(slot, arriving_, lane);
    ++busy_;
  }

  void examine_slots() {
    alignas(64) double begin[width], end[width];
    for (std::size_t lane = 0; lane < width; ++lane) {
      begin[lane] = slots_[lane].free ? 0 : slots_[lane].begin(t_max_);
      end[lane] = slots_[lane].free ? 1 : slots_[lane].end(t_max_);
    }
    std::uint64_t used = 0;
    std::size_t some = 0;
    for (std::size_t lane = 0; lane < width; ++lane)
      if (!slots_[lane].free) {
        used |= std::uint64_t{1} << lane;
        some = lane;
      }
    for (std::size_t lane = 0; lane < width; ++lane)
      if (slots_[lane].free) working_.copy(lane, working_, some);
    Piece<Query, n, T> piece = load(working_);
    restrict_to(piece, T(hn::Load(Many(), begin)), T(hn::Load(Many(), end)));
    const auto all = T(1.0) > T(0.0);
    const CurvedExamined<T> found = examine_curved(piece, all);
    const Masks masks(found);
    for (; used != 0; used &= used - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(used));
      Slot& slot = slots_[lane];
      ++slot.examined;
      if (masks.clear >> lane & 1) {
        if (slot.next()) continue;
        settle_miss(slot.index, false, false);
      } else if (masks.contact >> lane & 1) {
        push_contact(slot.index, found, masks, lane, begin[lane], end[lane]);
      } else if (slot.level < max_level && slot.examined < max_pieces) {
        slot.split();
        continue;
      } else {
        settle_with_integers(slot.index);
      }
      slot.free = true;
      --busy_;
    }
  }

  // Stores a contact whose time is to be found.
  HWY_NOINLINE void push_contact(std::size_t index, const CurvedExamined<T>& found,
                                 const Masks& masks, std::size_t lane, double begin, double end) {
    if (times_size_ == width) find_times();
    const CurvedRoot root = root_of(found, lane);
    const std::size_t to = times_size_++;
    const double length = end - begin;
    const auto time = [&](double x) { return std::min(begin + x * length, end); };
    times_index_[to] = index;
    times_sign_[to] = masks.before >> lane & 1 ? 1 : -1;
    times_.t[to] = time(root.s);
    times_.lo[to] = time(root.lo);
    times_.hi[to] = time(root.hi);
    times_.rate[to] = root.rate / length;
    times_.spread[to] = root.rate_err / root.slowest + 4 * numeric::u;
    times_.slowest[to] = root.slowest / length;
    const Curved<Query>& query = queries_[index];
    double bound[3][3];
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) {
        const auto [x, y] = coordinates(query, i, k);
        const auto pairs = exact_control_difference(query.curve, x, y);
        for (int j = 0; j <= n; ++j) {
          times_.high[i][k][j][to] = pairs[static_cast<std::size_t>(j)].hi;
          times_.low[i][k][j][to] = pairs[static_cast<std::size_t>(j)].lo;
        }
        bound[i][k] = control_difference(query.curve, x, y).size;
      }
    const auto& [a, b, c] = bound;
    times_.size[to] = a[0] * (b[1] * c[2] + b[2] * c[1]) + a[1] * (b[2] * c[0] + b[0] * c[2]) +
                      a[2] * (b[0] * c[1] + b[1] * c[0]);
  }

  // Finds the tightest doubles around the bracketed root of each contact. The root lies strictly
  // inside a piece and therefore before t_max.
  //
  // The bracket in time is rounded: begin + s length is off by 2 u end <= 2^11 u length, since end
  // <= 2^10 length. Both ends and t stay in the piece, where the rates hold within hi - lo + 2^-40
  // of s.
  void find_times() {
    const Many tag;
    for (std::size_t lane = times_size_; lane < width; ++lane) times_.repeat_first(lane);
    DoubleDouble<T> pairs[3][3][n + 1];
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k)
        for (int j = 0; j <= n; ++j)
          pairs[i][k][j] = {T(hn::Load(tag, times_.high[i][k][j])),
                            T(hn::Load(tag, times_.low[i][k][j]))};
    const T t = hn::Load(tag, times_.t), lo = hn::Load(tag, times_.lo),
            hi = hn::Load(tag, times_.hi), rate = hn::Load(tag, times_.rate),
            spread = hn::Load(tag, times_.spread), slowest = hn::Load(tag, times_.slowest);
    const T f_err = T(1.0001 * residual_err) * T(hn::Load(tag, times_.size)) + T(0x1p-640);
    RootCell<T> cell =
        newton_step(t, curved_residual<n>(pairs, t).hi, f_err, rate, spread, slowest);
    if ((!cell.sharp).any()) {  // ill-conditioned: a second step, from a better start
      const T better = select(cell.sharp, t, larger(lo, smaller(hi, cell.at)));
      cell =
          newton_step(better, curved_residual<n>(pairs, better).hi, f_err, rate, spread, slowest);
    }
    alignas(64) double at[width];
    hn::Store(cell.at.v, tag, at);
    const std::uint64_t sharp = cell.sharp.bits(), above = cell.above.bits(),
                        below = cell.below.bits();
    const std::size_t count = times_size_;
    times_size_ = 0;
    for (std::size_t lane = 0; lane < count; ++lane) {
      const std::size_t index = times_index_[lane];
      if (!(sharp >> lane & 1)) {
        settle_with_integers(index);
        continue;
      }
      int side = static_cast<int>(above >> lane & 1) - static_cast<int>(below >> lane & 1);
      if (side == 0) {
        side = times_sign_[lane] * exact::coplanarity_sign(queries_[index], at[lane], arena_);
        ++tally_.rounded_by_integers;
      }
      // at > 0: its neighbours have neighbouring bits.
      const double neighbour = std::bit_cast<double>(std::bit_cast<std::int64_t>(at[lane]) + side);
      ++tally_.root_contact;
      answer_contact(index, std::min(at[lane], neighbour), std::max(at[lane], neighbour),
                     ContactKind::interior, 1);
    }
  }

  void settle_with_integers(std::size_t index) {
    ++tally_.integer;
    const exact::FirstContact first = exact::first_contact(queries_[index], t_max_, arena_);
    const auto checks = static_cast<std::uint32_t>(first.candidates);
    if (first.found)
      answer_contact(index, first.lo, first.hi, first.kind, checks);
    else
      impacts_[index] = Impact::separated(checks);
  }

  void answer_contact(std::size_t index, double lo, double hi, ContactKind kind,
                      std::uint32_t checks) {
    Impact impact = Impact::contact(lo, hi, checks);
    impact.kind = kind;
    locate_contact(queries_[index], impact);
    impacts_[index] = impact;
  }

  const Curved<Query>* queries_;
  Impact* impacts_;
  double t_max_;
  CurvedTally& tally_;
  Columns arriving_, working_;
  std::size_t arriving_index_[width], arrivals_ = 0;
  Slot slots_[width];
  std::size_t busy_ = 0;
  struct Times {
    alignas(64) double high[3][3][n + 1][width], low[3][3][n + 1][width];
    alignas(64) double t[width], lo[width], hi[width], rate[width], spread[width], slowest[width],
        size[width];

    void repeat_first(std::size_t lane) {
      for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
          for (int j = 0; j <= n; ++j) {
            high[i][k][j][lane] = high[i][k][j][0];
            low[i][k][j][lane] = low[i][k][j][0];
          }
      for (double* x : {t, lo, hi, rate, spread, slowest, size}) x[lane] = x[0];
    }
  } times_;
  std::size_t times_index_[width], times_size_ = 0;
  int times_sign_[width];
  exact::Arena arena_;
};

template <class Query>
void solve_curved(const Curved<Query>* queries, const std::size_t* indices, std::size_t count,
                  int n, double t_max, Impact* impacts, CurvedTally& tally) {
  if (n == 1)
    CurvedSolver<Query, 1>(queries, impacts, t_max, tally).solve(indices, count);
  else if (n == 2)
    CurvedSolver<Query, 2>(queries, impacts, t_max, tally).solve(indices, count);
  else
    CurvedSolver<Query, 3>(queries, impacts, t_max, tally).solve(indices, count);
}
void solve_curved_vertex_face(const Curved<VertexFace>* queries, const std::size_t* indices,
                              std::size_t count, int n, double t_max, Impact* impacts,
                              CurvedTally& tally) {
  solve_curved(queries, indices, count, n, t_max, impacts, tally);
}
void solve_curved_edge_edge(const Curved<EdgeEdge>* queries, const std::size_t* indices,
                            std::size_t count, int n, double t_max, Impact* impacts,
                            CurvedTally& tally) {
  solve_curved(queries, indices, count, n, t_max, impacts, tally);
}

}  // namespace graze::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::narrow {

HWY_EXPORT(solve_curved_vertex_face);
HWY_EXPORT(solve_curved_edge_edge);

namespace {

template <class Query, class Dispatched>
void solve_batch(std::span<const Curved<Query>> queries, const Options& options,
                 std::span<Impact> impacts, CurvedTally& tally, Dispatched&& dispatched) {
  assert(queries.size() == impacts.size());
  const FloatEnvironment environment;
  if (!is_sensible(options) || options.min_separation > 0) {
    std::fill(impacts.begin(), impacts.end(), Impact::invalid());
    tally.invalid += queries.size();
    return;
  }
  std::array<std::vector<std::size_t>, 4> of_degree;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    if (queries[i].curve > Curve::hermite) {
      impacts[i] = Impact::invalid();
      ++tally.invalid;
    } else {
      of_degree[static_cast<std::size_t>(degree(queries[i].curve))].push_back(i);
    }
  }
  for (const int n : {1, 2, 3}) {
    const auto& indices = of_degree[static_cast<std::size_t>(n)];
    if (!indices.empty())
      dispatched(queries.data(), indices.data(), indices.size(), n, options.t_max, impacts.data(),
                 tally);
  }
}

// Answers straight queries as curved ones, in blocks that stay in the cache.
template <class Query>
void solve_lines(std::span<const Query> queries, const MethodOptions& options,
                 std::span<Impact> impacts) {
  std::vector<Curved<Query>> block;
  for (std::size_t first = 0; first < queries.size(); first += block.size()) {
    block.clear();
    const std::size_t count = std::min<std::size_t>(256, queries.size() - first);
    for (const Query& query : queries.subspan(first, count)) block.push_back(as_curved(query));
    exact_curved(block, options, impacts.subspan(first, count));
  }
}

}  // namespace

void exact_curved(std::span<const Curved<VertexFace>> queries, const Options& options,
                  std::span<Impact> impacts, CurvedTally& tally) {
  solve_batch(queries, options, impacts, tally, HWY_DYNAMIC_DISPATCH(solve_curved_vertex_face));
}
void exact_curved(std::span<const Curved<EdgeEdge>> queries, const Options& options,
                  std::span<Impact> impacts, CurvedTally& tally) {
  solve_batch(queries, options, impacts, tally, HWY_DYNAMIC_DISPATCH(solve_curved_edge_edge));
}
void exact_curved(std::span<const Curved<VertexFace>> queries, const MethodOptions& options,
                  std::span<Impact> impacts) {
  CurvedTally tally;
  exact_curved(queries, options, impacts, tally);
}
void exact_curved(std::span<const Curved<EdgeEdge>> queries, const MethodOptions& options,
                  std::span<Impact> impacts) {
  CurvedTally tally;
  exact_curved(queries, options, impacts, tally);
}
void exact_curved(std::span<const VertexFace> queries, const MethodOptions& options,
                  std::span<Impact> impacts) {
  solve_lines(queries, options, impacts);
}
void exact_curved(std::span<const EdgeEdge> queries, const MethodOptions& options,
                  std::span<Impact> impacts) {
  solve_lines(queries, options, impacts);
}

}  // namespace graze::narrow
#endif
