#include "graze/narrow/contact/exact_root.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <limits>
#include <type_traits>

#include "graze/core/numeric/float_environment.h"
#include "graze/exact/arena/arena_integer.h"
#include "graze/exact/arena/first_contact.h"
#include "graze/narrow/contact/contact_point.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "graze/narrow/contact/exact_root.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h

#include "graze/narrow/simd/exact_root-inl.h"
#include "graze/narrow/simd/exact_root_culls-inl.h"

HWY_BEFORE_NAMESPACE();
namespace graze::narrow::HWY_NAMESPACE {

// A stream of pairs of a mesh, gathered from its vertices. Separated pairs produce no answer.
template <class Query>
struct PairStream {
  static constexpr bool answers_all = false;
  const MovingMesh* moving;
  const Pair* pairs;
  std::vector<IndexedImpact>* answers;

  HWY_INLINE Query query(std::size_t i) const {
    if constexpr (std::is_same_v<Query, VertexFace>)
      return moving->vertex_face(pairs[i].a, pairs[i].b);
    else
      return moving->edge_edge(pairs[i].a, pairs[i].b);
  }
  HWY_INLINE std::array<std::uint32_t, 4> vertices(std::size_t i) const {
    if constexpr (std::is_same_v<Query, VertexFace>) {
      const Face& face = moving->mesh.faces[pairs[i].b];
      return {pairs[i].a, face[0], face[1], face[2]};
    } else {
      const Edge &a = moving->mesh.edges[pairs[i].a], &b = moving->mesh.edges[pairs[i].b];
      return {a[0], a[1], b[0], b[1]};
    }
  }
  HWY_INLINE std::array<const double*, 8> corners(std::size_t i) const {
    const auto vertex = vertices(i);
    std::array<const double*, 8> result;
    for (std::size_t c = 0; c < 4; ++c) {
      result[c] = moving->start[vertex[c]].data();
      result[c + 4] = moving->end[vertex[c]].data();
    }
    return result;
  }
  HWY_INLINE void load(std::size_t i, Corners& corners) const {
    const auto vertex = vertices(i);
    for (std::size_t c = 0; c < 4; ++c) {
      corners[0][c] = load_lone_point(moving->start[vertex[c]].data());
      corners[1][c] = load_lone_point(moving->end[vertex[c]].data());
    }
  }
  HWY_INLINE void prefetch(std::size_t i) const {
    for (const std::uint32_t vertex : vertices(i)) {
      __builtin_prefetch(&moving->start[vertex]);
      __builtin_prefetch(&moving->end[vertex]);
    }
  }
  HWY_INLINE void expect_separated(std::size_t, std::size_t) {}
  HWY_INLINE void answer(std::size_t i, const Impact& impact) {
    if (impact.verdict != Verdict::separated) answers->push_back({i, impact});
  }
};

// ---- stages 2 and 3: the roots of the coplanarity cubic ----

// The certified signs of the Bernstein coefficients of D on [lo, hi].
template <class T>
struct Signs {
  using Mask = typename T::Mask;
  Mask positive[4], negative[4];

  HWY_INLINE Signs(const Cubic<T>& d, T lo, T hi) {
    const T c[] = {value(d, lo), blossom(d, lo, lo, hi), blossom(d, lo, hi, hi), value(d, hi)};
    for (int i = 0; i < 4; ++i) {
      positive[i] = c[i] > d.eval_err;
      negative[i] = c[i] < -d.eval_err;
    }
  }
  // All of one sign: D has no root.
  HWY_INLINE Mask rootless() const {
    return (positive[0] & positive[1] & positive[2] & positive[3]) |
           (negative[0] & negative[1] & negative[2] & negative[3]);
  }
  // Opposite signs at the ends and a single sign change, whatever the uncertain signs are: exactly
  // one root.
  HWY_INLINE Mask simple() const {
    return (positive[0] & negative[3] & (positive[1] | negative[2])) |
           (negative[0] & positive[3] & (negative[1] | positive[2]));
  }
};

// Approximates the root of D in [lo, hi], where D changes from `sign` to -sign, by Newton's method
// kept inside that bracket. A lane keeps its value once it has converged, so that its result does
// not depend on the other lanes.
template <class T>
HWY_INLINE T approximate_root(const Cubic<T>& d, T sign, T lo, T hi, typename T::Mask moving) {
  const T a1 = T(3.0) * (d.c1 - d.c0), a2 = T(3.0) * ((d.c0 - d.c1) + (d.c2 - d.c1)),
          a3 = (d.c3 - d.c0) - T(3.0) * (d.c2 - d.c1);
  const T f_lo = value(d, lo), f_hi = value(d, hi);
  T t = lo + (hi - lo) * (f_lo / (f_lo - f_hi));
  for (int i = 0; i < 24 && moving.any(); ++i) {
    const T f = ((a3 * t + a2) * t + a1) * t + d.c0;
    const T rate = (T(3.0) * a3 * t + T(2.0) * a2) * t + a1;
    const auto before = f * sign > T(0.0);
    lo = select(before, t, lo);
    hi = select(before, hi, t);
    T next = t - f / rate;
    // The bracket is closed: a converged step may return one of its ends.
    next = select((next < lo) | (next > hi), T(0.5) * (lo + hi), next);
    const T change = abs_of(next - t);
    t = select(moving, next, t);
    moving = moving & (change > T(8 * u));
  }
  return t;
}

// The result of examining a piece of time, per lane. A lane in no mask is undecided.
template <class T>
struct Examined {
  using Mask = typename T::Mask;
  Mask clear;    // no contact in the piece
  Mask contact;  // a contact at the only root of D in the piece
  Mask before;   // D > 0 before that root
  T t, lo, hi;   // near that root, and a certified bracket around it
};

template <class Query, class T>
HWY_INLINE Examined<T> examine(const Differences<Query, T>& e, const Cubic<T>& d, T lo, T hi,
                               typename T::Mask wanted) {
  const Signs<T> signs(d, lo, hi);
  Examined<T> found;
  found.clear = wanted & signs.rootless();
  found.before = signs.positive[0];
  found.contact = wanted & !wanted;
  const auto simple = wanted & signs.simple();
  if (!simple.any()) return found;
  const T sign = select(found.before, T(1.0), T(-1.0));
  T t = approximate_root(d, sign, lo, hi, simple);
  t = larger(lo, smaller(hi, t - value(d, t) / slope(d, t)));
  const T delta = T(3.0) * d.eval_err / abs_of(slope(d, t)) + T(4 * u);
  found.t = t;
  found.lo = larger(t - delta, lo);
  found.hi = smaller(t + delta, hi);
  const auto bracketed = simple & (value(d, found.lo) * sign > d.eval_err) &
                         (-(value(d, found.hi) * sign) > d.eval_err);
  const SideTest<T> side = side_test(e, t, found.hi - found.lo);
  found.clear = found.clear | (bracketed & side.miss);
  found.contact = bracketed & side.contact;
  return found;
}

// Times s1 <= s2 in [0, 1] between which D is monotone, as far as rounding allows: its critical
// points, or its inflection when it has none. Restricted to such a piece the exact Bernstein
// coefficients are monotone, so they change sign at most once. Proof: D' = k (t-r1)(t-r2); its
// coefficients on [a, b] are D'(a), D'(b) and the blossom k/2 ((a-r1)(b-r2) + (b-r1)(a-r2)), which
// for a, b on one side of each of r1 and r2 (ends included) has the sign of the others; without
// real critical points D' = k ((t-r)^2 + m^2) and on a side of r the blossom
// k ((a-r)(b-r) + m^2) has the sign of k.
template <class T>
struct Split {
  T s1, s2;
  explicit HWY_INLINE Split(const Cubic<T>& d) {
    const T c = d.c1 - d.c0, b = (d.c2 - d.c1) - c, a = (d.c3 - d.c2) - (d.c2 - d.c1) - b;
    const T discriminant = b * b - a * c;
    const auto real = discriminant > T(0.0);
    const T root = square_root(select(real, discriminant, T(0.0)));
    const T q = -(b + select(b < T(0.0), -root, root));
    const T r1 = q / a, r2 = select(real, c / q, r1);
    const T t1 = clamped(r1), t2 = clamped(r2);
    s1 = smaller(t1, t2);
    s2 = larger(t1, t2);
  }
  static HWY_INLINE T clamped(T t) {  // NaN becomes 0
    return select(t > T(0.0), smaller(t, T(1.0)), T(0.0));
  }
};

// A buffer of queries for the next stage, one per lane. Its capacity is one full result of the
// stage before in addition to an incomplete block.
struct Block {
  static constexpr std::size_t width = HWY_LANES(double);
  alignas(64) double x[24][2 * width];
  std::size_t index[2 * width];
  std::size_t size = 0;

  HWY_INLINE bool full() const { return size >= width; }
  HWY_INLINE void push(const Block& from, std::size_t lane) {
    for (int k = 0; k < 24; ++k) x[k][size] = from.x[k][lane];
    index[size++] = from.index[lane];
  }
  // Appends the queries of the lanes in `lanes_wanted`.
  HWY_INLINE void append(const Coordinates<Lanes<Many>>& from, const std::size_t* from_index,
                         std::uint64_t lanes_wanted) {
    const Many d;
    alignas(64) std::int64_t lane[width] = {};
    std::size_t count = 0;
    for (std::uint64_t bits = lanes_wanted; bits != 0; bits &= bits - 1) {
      lane[count] = std::countr_zero(bits);
      index[size + count] = from_index[lane[count]];
      ++count;
    }
    const auto table = hn::SetTableIndices(d, lane);
    for (std::size_t k = 0; k < 24; ++k)
      hn::StoreU(hn::TableLookupLanes(from[k].v, table), d, x[k] + size);
    size += count;
  }
  HWY_INLINE std::size_t lanes() const { return std::min(size, width); }
  HWY_INLINE std::uint64_t lane_bits() const { return (std::uint64_t{1} << lanes()) - 1; }
  HWY_INLINE Coordinates<Lanes<Many>> load() {
    for (int k = 0; k < 24; ++k)  // lanes without a query repeat the first
      for (std::size_t lane = size; lane < width; ++lane) x[k][lane] = x[k][0];
    Coordinates<Lanes<Many>> result;
    for (std::size_t k = 0; k < 24; ++k) result[k] = hn::Load(Many(), x[k]);
    return result;
  }
  HWY_INLINE void drop_lanes() {
    size -= lanes();
    if (size == 0) return;
    for (int k = 0; k < 24; ++k) hn::Store(hn::Load(Many(), x[k] + width), Many(), x[k]);
    std::copy_n(index + width, width, index);
  }
};

template <class Query, class Stream>
class Solver {
  using T = Lanes<Many>;

 public:
  Solver(const Stream& stream, double t_max, ExactTally& tally)
      : stream_(stream), t_max_(t_max), tally_(tally) {}

  void solve(std::size_t count, bool culled) {
    if (culled)
      for (std::size_t i = 0; i < count; ++i) {
        stream_.prefetch(std::min(i + 16, count - 1));
        wait_for_signs(i);
      }
    else
      t_max_ == 1 ? cull_all<true>(count) : cull_all<false>(count);
    find_signs();
    while (root_.size > 0) find_root();
    while (pieces_.size > 0) find_pieces();
    find_times();
  }

 private:
  template <bool whole_step>
  HWY_INLINE void cull_all(std::size_t count) {
    cull<Query, whole_step>(stream_, count, t_max_, Apart(), tally_,
                            [&](std::size_t i) { wait_for_signs(i); });
  }

  HWY_INLINE void wait_for_signs(std::size_t i) {
    signs_.push(i, stream_.corners(i));
    if (signs_.full()) find_signs();
  }

  // Decides queries whose D has no root and passes the others to the next stages. Each stage
  // collects undecided queries until all lanes are in use.
  void find_signs() {
    if (signs_.size == 0) return;
    const Coordinates<T> x = signs_.load();
    const Differences<Query, T> e(x);
    const Signs<T> signs(coplanarity_cubic(e), T(0.0), T(t_max_));
    const auto rootless = e.moderate() & signs.rootless();
    settle_misses(signs_, rootless, true);
    root_.append(x, signs_.index, (!rootless).bits() & signs_.lane_bits());
    signs_.size = 0;
    if (root_.full()) find_root();
  }

  // Examines the step as one piece, which decides queries whose D has a single root in it. Passes
  // the others to find_pieces.
  void find_root() {
    if (root_.size == 0) return;
    const Coordinates<T> x = root_.load();
    const Differences<Query, T> e(x);
    const Examined<T> found = examine(e, coplanarity_cubic(e), T(0.0), T(t_max_), e.moderate());
    settle_misses(root_, found.clear, false);
    push_contacts(root_, found);
    const auto unknown = !(found.clear | found.contact);
    pieces_.append(x, root_.index, unknown.bits() & root_.lane_bits());
    root_.drop_lanes();
    if (pieces_.full()) find_pieces();
  }

  // Examines monotone pieces in the order of time, for queries with several roots or uncertain
  // signs.
  void find_pieces() {
    if (pieces_.size == 0) return;
    const Differences<Query, T> e(pieces_.load());
    const Cubic<T> d = coplanarity_cubic(e);
    const Split<T> split(d);
    const T last(t_max_);
    const T ends[] = {T(0.0), smaller(split.s1, last), smaller(split.s2, last), last};
    const auto moderate = e.moderate();
    auto open = moderate;    // no contact so far
    auto stuck = !moderate;  // not decided in floating point
    for (int piece = 0; piece < 3; ++piece) {
      const T lo = ends[piece], hi = ends[piece + 1];
      const auto wanted = open & (hi > lo);
      if (!wanted.any()) continue;
      const Examined<T> found = examine(e, d, lo, hi, wanted);
      push_contacts(pieces_, found);
      auto unknown = wanted & !(found.clear | found.contact);
      if (unknown.any())
        unknown = unknown & !side_test(e, T(0.5) * (lo + hi), T(0.5) * (hi - lo) + T(2 * u)).miss;
      stuck = stuck | unknown;
      open = open & !(found.contact | unknown);
    }
    settle_misses(pieces_, open, false);
    const std::uint64_t stuck_bits = stuck.bits();
    for (std::size_t lane = 0; lane < pieces_.lanes(); ++lane)
      if (stuck_bits >> lane & 1) settle_with_integers(pieces_.index[lane]);
    pieces_.drop_lanes();
  }

  // The contacts among the lanes of Examined.
  struct Contacts {
    std::uint64_t any, before;
    alignas(64) double t[Block::width], lo[Block::width], hi[Block::width];

    explicit HWY_INLINE Contacts(const Examined<T>& found)
        : any(found.contact.bits()), before(found.before.bits()) {
      if (any == 0) return;
      hn::Store(found.t.v, Many(), t);
      hn::Store(found.lo.v, Many(), lo);
      hn::Store(found.hi.v, Many(), hi);
    }
  };

  HWY_INLINE void push_contacts(const Block& from, const Examined<T>& found) {
    const Contacts contacts(found);
    for (std::size_t lane = 0; lane < from.lanes(); ++lane) {
      if (!(contacts.any >> lane & 1)) continue;
      const std::size_t at = times_.size;
      times_.push(from, lane);
      roots_.t[at] = contacts.t[lane];
      roots_.lo[at] = contacts.lo[lane];
      roots_.hi[at] = contacts.hi[lane];
      roots_.sign[at] = contacts.before >> lane & 1 ? 1 : -1;
      if (times_.full()) find_times();
    }
  }

  // Finds the tightest doubles around the bracketed root of each contact. The root lies strictly
  // inside a piece and therefore before t_max.
  void find_times() {
    if (times_.size == 0) return;
    const Coordinates<T> x = times_.load();
    const Cubic<T> d = coplanarity_cubic(Differences<Query, T>(x));
    const T lo = hn::Load(Many(), roots_.lo), hi = hn::Load(Many(), roots_.hi);
    const T t = hn::Load(Many(), roots_.t);
    RootCell<T> cell = root_cell<Query>(x, d, t, lo, hi);
    if ((!cell.sharp).any()) {  // ill-conditioned: a second step, from a better start
      const T better = larger(lo, smaller(hi, cell.at));
      cell = root_cell<Query>(x, d, select(cell.sharp, t, better), lo, hi);
    }
    alignas(64) double at[Block::width];
    hn::Store(cell.at.v, Many(), at);
    const std::uint64_t sharp = cell.sharp.bits(), above = cell.above.bits(),
                        below = cell.below.bits();
    for (std::size_t lane = 0; lane < times_.size; ++lane) {
      const std::size_t i = times_.index[lane];
      if (!(sharp >> lane & 1)) {
        settle_with_integers(i);
        continue;
      }
      int side = static_cast<int>(above >> lane & 1) - static_cast<int>(below >> lane & 1);
      if (side == 0) {
        side = roots_.sign[lane] * exact::coplanarity_sign(stream_.query(i), at[lane], arena_);
        ++tally_.rounded_by_integers;
      }
      const double neighbour = side == 0 ? at[lane] : next_double(at[lane], side);
      ++tally_.root_contact;
      answer_contact(i, std::min(at[lane], neighbour), std::max(at[lane], neighbour),
                     ContactKind::interior, 1);
    }
    times_.size = 0;
  }

  template <class Waiting>
  HWY_INLINE void settle_misses(const Waiting& from, typename T::Mask mask, bool rootless) {
    std::uint64_t bits = mask.bits() & from.lane_bits();
    (rootless ? tally_.coplanarity : tally_.root_miss) += std::uint64_t(std::popcount(bits));
    if constexpr (Stream::answers_all)
      for (; bits != 0; bits &= bits - 1)
        stream_.answer(from.index[std::countr_zero(bits)], Impact::separated(rootless ? 0 : 1));
  }

  void settle_with_integers(std::size_t i) {
    ++tally_.integer;
    const exact::FirstContact first = exact::first_contact(stream_.query(i), t_max_, arena_);
    const auto checks = static_cast<std::uint32_t>(first.candidates);
    if (first.found)
      answer_contact(i, first.lo, first.hi, first.kind, checks);
    else
      stream_.answer(i, Impact::separated(checks));
  }

  void answer_contact(std::size_t i, double lo, double hi, ContactKind kind, std::uint32_t checks) {
    Impact impact = Impact::contact(lo, hi, checks);
    impact.kind = kind;
    locate_contact(stream_.query(i), impact);
    stream_.answer(i, impact);
  }

  static double next_double(double x, int step) {  // x > 0
    return std::bit_cast<double>(std::bit_cast<std::int64_t>(x) + step);
  }

  Stream stream_;
  double t_max_;
  ExactTally& tally_;
  Arrivals signs_;
  Block root_, pieces_, times_;
  struct {
    alignas(64) double t[Block::width], lo[Block::width], hi[Block::width];
    int sign[Block::width];  // of D before the root
  } roots_{};                // of times_
  exact::Arena arena_;
};

template <class Query, class Stream>
void solve(const Stream& stream, std::size_t count, double t_max, ExactTally& tally,
           bool culled = false) {
  Solver<Query, Stream>(stream, t_max, tally).solve(count, culled);
}
void solve_vertex_face(const VertexFace* queries, std::size_t count, double t_max, Impact* impacts,
                       ExactTally& tally) {
  solve<VertexFace>(QueryStream<VertexFace>{queries, impacts}, count, t_max, tally);
}
void solve_edge_edge(const EdgeEdge* queries, std::size_t count, double t_max, Impact* impacts,
                     ExactTally& tally) {
  solve<EdgeEdge>(QueryStream<EdgeEdge>{queries, impacts}, count, t_max, tally);
}
void solve_vertex_face_pairs(const MovingMesh& moving, std::span<const Pair> pairs, double t_max,
                             bool culled, std::vector<IndexedImpact>& answers, ExactTally& tally) {
  const PairStream<VertexFace> stream{&moving, pairs.data(), &answers};
  solve<VertexFace>(stream, pairs.size(), t_max, tally, culled);
}
void solve_edge_edge_pairs(const MovingMesh& moving, std::span<const Pair> pairs, double t_max,
                           bool culled, std::vector<IndexedImpact>& answers, ExactTally& tally) {
  const PairStream<EdgeEdge> stream{&moving, pairs.data(), &answers};
  solve<EdgeEdge>(stream, pairs.size(), t_max, tally, culled);
}

}  // namespace graze::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::narrow {

HWY_EXPORT(solve_vertex_face);
HWY_EXPORT(solve_edge_edge);
HWY_EXPORT(solve_vertex_face_pairs);
HWY_EXPORT(solve_edge_edge_pairs);

namespace {

template <class Query, class Dispatched>
void solve_batch(std::span<const Query> queries, const Options& options, std::span<Impact> impacts,
                 ExactTally& tally, Dispatched&& dispatched) {
  assert(queries.size() == impacts.size());
  const FloatEnvironment environment;
  if (!is_sensible(options) || options.min_separation > 0) {
    std::fill(impacts.begin(), impacts.end(), Impact::invalid());
    tally.invalid += queries.size();
    return;
  }
  dispatched(queries.data(), queries.size(), options.t_max, impacts.data(), tally);
}

}  // namespace

void exact_root(std::span<const VertexFace> queries, const Options& options,
                std::span<Impact> impacts, ExactTally& tally) {
  solve_batch(queries, options, impacts, tally, HWY_DYNAMIC_DISPATCH(solve_vertex_face));
}
void exact_root(std::span<const EdgeEdge> queries, const Options& options,
                std::span<Impact> impacts, ExactTally& tally) {
  solve_batch(queries, options, impacts, tally, HWY_DYNAMIC_DISPATCH(solve_edge_edge));
}
void exact_root(std::span<const VertexFace> queries, const MethodOptions& options,
                std::span<Impact> impacts) {
  ExactTally tally;
  exact_root(queries, options, impacts, tally);
}
void exact_root(std::span<const EdgeEdge> queries, const MethodOptions& options,
                std::span<Impact> impacts) {
  ExactTally tally;
  exact_root(queries, options, impacts, tally);
}

void exact_root(const MovingMesh& moving, Kind kind, std::span<const Pair> pairs,
                const Options& options, std::vector<IndexedImpact>& answers, ExactTally& tally,
                bool culled) {
  assert(kind == Kind::vertex_face || kind == Kind::edge_edge);
  const FloatEnvironment environment;
  if (!is_sensible(options) || options.min_separation > 0) {
    for (std::size_t i = 0; i < pairs.size(); ++i) answers.push_back({i, Impact::invalid()});
    tally.invalid += pairs.size();
    return;
  }
  (kind == Kind::vertex_face ? HWY_DYNAMIC_DISPATCH(solve_vertex_face_pairs)
                             : HWY_DYNAMIC_DISPATCH(solve_edge_edge_pairs))(
      moving, pairs, options.t_max, culled, answers, tally);
}

}  // namespace graze::narrow
#endif
