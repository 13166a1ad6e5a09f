#include "graze/sim/line_search.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <tuple>
#include <type_traits>

#include "graze/broad/pair_log.h"
#include "graze/broad/slab_pairs.h"
#include "graze/first_contact.h"
#include "graze/narrow/separation/separation_root.h"
#include "graze/separation.h"
#include "graze/sim/inner_run.h"

namespace graze::sim {
namespace {

bool all_finite(std::span<const Vec3> positions) {
  return std::all_of(positions.begin(), positions.end(),
                     [](const Vec3& x) { return x.allFinite(); });
}

// The search for the step bound. [Wang 2021] validates p against the tolerance and the rounding of
// its separation test and against the error rho of the distance at the start, so that the step is
// positive. Here the test has neither tolerance nor rounding, and rho is not needed: the distance
// that separation_step keeps is proven (its promise (2)), and its step is positive unless the
// primitives touch at the start (promise (1)).
class BoundSearch {
 public:
  BoundSearch(const MovingMesh& moving, const LineSearchOptions& options, const Run& run)
      : moving_(moving), options_(options), run_(inner_run(run)), log_(options.observer) {}

  StepBound run() {
    for (const broad::Slab& slab :
         in_slabs() ? broad::time_slabs(moving_, 1, first_slab) : whole_step()) {
      if (search(slab) == PairStatus::stopped) return stopped_in(slab);
      if (bound_.verdict == Verdict::contact) break;
    }
    log_.show(moving_);
    StepBound bound = bound_;
    if (bound.verdict == Verdict::contact && options_.separation == 0)
      bound.step = std::max(bound.step * options_.fraction, std::min(bound.step, least_time));
    return bound;
  }

 private:
  // Without the cap a pair counts at any distance, not only within the separation, so that slabs do
  // not apply.
  bool in_slabs() const {
    return options_.cut_time && options_.shorten_interval && options_.cap_distance;
  }
  static std::vector<broad::Slab> whole_step() { return {{0, 1}}; }

  // Nothing bounds the step in the slabs before this one.
  StepBound stopped_in(const broad::Slab& slab) const {
    StepBound bound;
    bound.verdict = Verdict::undecided;
    bound.step = slab.begin;
    bound.pairs = bound_.pairs;
    return bound;
  }

  PairStatus search(const broad::Slab& slab) {
    PairOptions pairs = options_.pairs;
    pairs.separation = options_.separation;
    const PairConsumer consumer = [&](Kind kind, std::span<const Pair> block) {
      log_.add(kind, block);
      switch (kind) {
        case Kind::vertex_face:
          return examine(slab, kind, block, &MovingMesh::vertex_face);
        case Kind::edge_edge:
          return examine(slab, kind, block, &MovingMesh::edge_edge);
        case Kind::vertex_edge:
          return examine(slab, kind, block, &MovingMesh::vertex_edge);
        case Kind::vertex_vertex:
          return examine(slab, kind, block, &MovingMesh::vertex_vertex);
        case Kind::edge_face:  // no query
          return;
      }
    };
    const auto& strategy =
        options_.strategy
            ? *options_.strategy
            : default_pair_strategy(in_slabs() ? PairSet::meeting : PairSet::overlapping);
    return broad::find_pairs(moving_, slab, consumer, pairs, run_, strategy);
  }

  template <class Query>
  void examine(const broad::Slab& slab, Kind kind, std::span<const Pair> pairs,
               Query (MovingMesh::*query_of)(std::size_t, std::size_t) const) {
    MethodOptions query;
    query.min_separation =
        options_.cap_distance ? options_.separation : std::numeric_limits<double>::max();
    if (options_.shorten_interval)
      query.t_max = std::max(std::min(best_.load(), slab.end), least_time);
    std::vector<Query> queries(pairs.size());
    std::vector<Impact> impacts(pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i)
      queries[i] = (moving_.*query_of)(pairs[i].a, pairs[i].b);
    if (options_.method)
      return bound_by_method(kind, pairs, std::span<const Query>(queries), query);
    // A pair that stays outside the separation stays outside every smaller distance.
    if (options_.cap_distance)
      narrow::separation_root(std::span<const Query>(queries), query, impacts);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      Impact& impact = impacts[i];
      if (options_.cap_distance && impact.verdict == Verdict::separated) continue;
      if (query.min_separation > 0)
        impact = separation_step(queries[i], options_.fraction, query).impact;
      if (impact.verdict == Verdict::contact) keep(kind, pairs[i], impact.toi);
    }
    const std::lock_guard lock(mutex_);
    bound_.pairs += pairs.size();
  }

  template <class Query>
  void bound_by_method(Kind kind, std::span<const Pair> pairs, std::span<const Query> queries,
                       Options query) {
    if constexpr (std::is_same_v<Query, VertexFace> || std::is_same_v<Query, EdgeEdge>) {
      query.no_zero_toi = true;
      query.distance_tol = options_.query.distance_tol;
      query.time_tol = options_.query.time_tol;
      query.max_checks = options_.query.max_checks;
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        query.t_max = std::max(std::min(best_.load(), query.t_max), least_time);
        const Impact impact = first_within_share(queries[i], query);
        if (impact.verdict != Verdict::separated) keep(kind, pairs[i], impact.toi);
      }
    }
    const std::lock_guard lock(mutex_);
    bound_.pairs += pairs.size();
  }

  // Returns the first time within min(separation, p * distance) for one pair: lines 7 to 17 of
  // [Wang 2021] Alg. 4. The share p leaves room for the tolerance and for rounding, so that the
  // time is positive. If the method reached a larger tolerance than it was given, the search is
  // repeated with a smaller p.
  //
  // DEVIATION, erratum: the tests of p in lines 8 and 16 are inverted, and line 7 has a minimum.
  // rho is a few roundings of the largest coordinate, where the paper has a constant of 1e-9.
  template <class Query>
  Impact first_within_share(const Query& asked, Options query) const {
    const double distance = closest_points(asked, 0, options_.method->norm).distance;
    double largest = 0;
    for (const auto* side : {&asked.start, &asked.end})
      for (const Vec3& x : *side) largest = std::max(largest, x.cwiseAbs().maxCoeff());
    const double rounding = 64 * std::numeric_limits<double>::epsilon() * largest;  // eps + rho
    double share = options_.fraction, tol = query.distance_tol;
    for (;;) {
      while (share > least_share && !(share * distance < distance - tol - rounding)) share /= 2;
      query.min_separation = std::min(options_.separation, share * distance);
      const Impact impact = first_contact(asked, query, *options_.method);
      const double reached = impact.reached_tol;
      if (impact.verdict == Verdict::separated || !(reached > tol) || !(share > least_share) ||
          share * distance < distance - reached - rounding)
        return impact;
      tol = reached;
    }
  }

  void keep(Kind kind, const Pair& pair, double toi) {
    const std::lock_guard lock(mutex_);
    if (bound_.verdict == Verdict::contact &&
        std::tuple(bound_.step, bound_.kind, bound_.pair) <= std::tuple(toi, kind, pair))
      return;
    bound_.verdict = Verdict::contact;
    bound_.step = toi;
    bound_.kind = kind;
    bound_.pair = pair;
    best_ = toi;
  }

  static constexpr double first_slab = 0.125;     // as in the search for the first impact
  static constexpr double least_share = 0x1p-20;  // of the distance, at which its halving ends

  // t_max must be positive; any positive value finds a contact at 0.
  static constexpr double least_time = std::numeric_limits<double>::denorm_min();

  const MovingMesh& moving_;
  const LineSearchOptions& options_;
  Run run_;
  broad::PairLog log_;
  std::mutex mutex_;
  StepBound bound_;
  std::atomic<double> best_{1};
};

}  // namespace

bool is_sensible(const LineSearchOptions& options) {
  Options query;
  query.min_separation = options.separation;
  return is_sensible(query) && options.fraction > 0 && options.fraction < 1 &&
         (!options.method || (options.method->min_separation() && options.method->vertex_face &&
                              options.method->edge_edge));
}

StepBound step_bound(const MovingMesh& moving, const LineSearchOptions& options, const Run& run) {
  const std::size_t vertices = moving.mesh.vertex_count;
  if (is_sensible(options) && is_sensible(options.pairs, moving.mesh) &&
      moving.start.size() == vertices && moving.end.size() == vertices &&
      all_finite(moving.start) && all_finite(moving.end))
    return BoundSearch(moving, options, run).run();
  StepBound invalid;
  invalid.verdict = Verdict::invalid;
  invalid.step = 0;
  return invalid;
}

LineSearchResult line_search(const Mesh& mesh, std::span<const Vec3> x,
                             std::span<const Vec3> direction, const Energy& energy,
                             const LineSearchOptions& options, const Run& run) {
  LineSearchResult result;
  std::vector<Vec3> target(x.size());
  const auto move_by = [&](double step) {
    for (std::size_t i = 0; i < x.size(); ++i) target[i] = x[i] + step * direction[i];
  };
  // The rounded frame does not lie on the path of the unrounded one, so the motion to it is
  // certified separately.
  StepOptions exactly;
  exactly.pairs = options.pairs;
  exactly.strategy = options.strategy;
  exactly.observer = options.observer;
  exactly.start_check = false;
  const auto is_free = [&] {
    const MovingMesh moving{mesh, x, target};
    return earliest_impact(moving, exactly, inner_run(run)).impact.verdict == Verdict::separated;
  };
  move_by(1);
  result.bound = step_bound({mesh, x, target}, options, run);
  result.energy = energy(x);
  result.positions.assign(x.begin(), x.end());
  if (result.bound.verdict == Verdict::undecided) return result;
  for (double step = result.bound.step; step > options.least_step; step /= 2, ++result.halvings) {
    if (is_stopped(run)) {
      result.bound.verdict = Verdict::undecided;
      break;
    }
    move_by(step);
    if (std::equal(target.begin(), target.end(), x.begin())) break;  // rounds to x
    const double reached = energy(target);
    if (!(reached < result.energy) || !is_free()) continue;
    result.step = step;
    result.energy = reached;
    result.positions = std::move(target);
    break;
  }
  return result;
}

}  // namespace graze::sim
