#include "graze/earliest_impact.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cassert>
#include <chrono>
#include <cmath>
#include <deque>
#include <mutex>
#include <optional>
#include <tuple>

#include "graze/broad/radix_sort.h"
#include "graze/broad/time_slabs.h"
#include "graze/broad/with_threads.h"
#include "graze/core/float_environment.h"
#include "graze/narrow/contact_point.h"
#include "graze/narrow/contact_times.h"
#include "graze/narrow/exact_root.h"
#include "graze/start_sides.h"

namespace graze {
namespace {

using Seconds = std::chrono::duration<double>;
using Clock = std::chrono::steady_clock;

bool before(const StepImpact& a, const StepImpact& b) {
  return std::tuple(a.impact.toi, a.kind, a.pair) < std::tuple(b.impact.toi, b.kind, b.pair);
}

template <class Query>
Query query_of(const MovingMesh& moving, const Pair& pair) {
  if constexpr (std::is_same_v<Query, VertexFace>) return moving.vertex_face(pair.a, pair.b);
  if constexpr (std::is_same_v<Query, EdgeEdge>) return moving.edge_edge(pair.a, pair.b);
  if constexpr (std::is_same_v<Query, PointEdge>) return moving.vertex_edge(pair.a, pair.b);
  if constexpr (std::is_same_v<Query, PointPoint>) return moving.vertex_vertex(pair.a, pair.b);
}

// Calls function(Query()) with the type of the queries of that kind.
template <class Function>
void for_kind(PairKind kind, Function&& function) {
  switch (kind) {
    case PairKind::vertex_face:
      return function(VertexFace());
    case PairKind::edge_edge:
      return function(EdgeEdge());
    case PairKind::vertex_edge:
      return function(PointEdge());
    case PairKind::vertex_vertex:
      return function(PointPoint());
  }
}

// The query as the methods take it: a point or a segment is a face without area.
const VertexFace& as_solved(const VertexFace& query) {
  return query;
}
const EdgeEdge& as_solved(const EdgeEdge& query) {
  return query;
}
template <class Query>
VertexFace as_solved(const Query& query) {
  return as_vertex_face(query);
}

// And its impact back: u along the segment, no v; neither for a point.
template <class Query>
Impact as_asked(Impact impact) {
  if constexpr (std::is_same_v<Query, PointEdge> || std::is_same_v<Query, PointPoint>) {
    impact.u = std::is_same_v<Query, PointEdge> ? impact.u + impact.v : Impact::nan;
    impact.v = Impact::nan;
  }
  return impact;
}

// The pair's first true contact that does not begin with the step.
template <class Query>
Impact contact_after_parting(const Query& query, double t_max) {
  Options options;
  options.t_max = t_max;
  const auto times = contact_times(query, options);
  for (const ContactInterval& interval : *times) {
    if (interval.begin_hi == 0) continue;
    Impact impact = Impact::contact(interval.begin_lo, interval.begin_hi);
    locate_contact(as_solved(query), impact);
    return as_asked<Query>(impact);
  }
  return Impact::separated();
}

// By `before`. Impacts are large: their times are sorted in their stead, then ties are broken.
std::vector<StepImpact> sorted(const std::vector<const StepImpact*>& impacts) {
  struct Key {
    std::uint64_t toi;  // the bits of a double that is not negative are in the order of its value
    const StepImpact* impact;
  };
  std::vector<Key> keys(impacts.size());
  tbb::parallel_for(std::size_t{0}, keys.size(), [&](std::size_t i) {
    keys[i] = {std::bit_cast<std::uint64_t>(impacts[i]->impact.toi + 0.0), impacts[i]};
  });
  radix_sort(keys, 64, [](const Key& key) { return key.toi; });
  for (auto first = keys.begin(); first != keys.end();) {
    const auto later = [&](const Key& key) { return key.toi != first->toi; };
    const auto last = std::find_if(first + 1, keys.end(), later);
    if (last - first > 1)
      std::sort(first, last,
                [](const Key& a, const Key& b) { return before(*a.impact, *b.impact); });
    first = last;
  }
  std::vector<StepImpact> result(keys.size());
  tbb::parallel_for(std::size_t{0}, keys.size(),
                    [&](std::size_t i) { result[i] = *keys[i].impact; });
  return result;
}

const Method& default_method(const Options& options) {
  return *find_method(options.min_separation > 0 ? "separation_root" : "exact");
}

class Step {
 public:
  Step(const MovingMesh& moving, const StepOptions& options)
      : moving_(moving),
        options_(options),
        method_(options.method ? *options.method : default_method(options.query)),
        exact_(method_.guarantee == Guarantee::exact),
        meeting_(exact_ && !options.strategy) {
    options_.pairs.separation = options.query.min_separation;
  }

  bool valid() const {
    const auto finite = [](const Vec3& x) { return x.allFinite(); };
    return moving_.start.size() == moving_.mesh.vertex_count &&
           moving_.end.size() == moving_.mesh.vertex_count && is_sensible(options_.query) &&
           (options_.query.min_separation == 0 || method_.min_separation()) &&
           (method_.vertex_face || !asks_vertex_face()) &&
           (method_.edge_edge || moving_.mesh.edges.empty()) &&
           std::all_of(moving_.start.begin(), moving_.start.end(), finite) &&
           std::all_of(moving_.end.begin(), moving_.end.end(), finite);
  }

  bool asks_vertex_face() const {
    const Mesh& mesh = moving_.mesh;
    return !mesh.faces.empty() || !mesh.points.empty() ||
           (options_.pairs.shared_vertices && !mesh.rods.empty());
  }

  FirstImpact earliest() {
    FirstImpact first;
    for (const Slab& slab : time_slabs(moving_, options_.query.t_max, first_slab)) {
      best_toi_ = Impact::inf;
      search(slab, true);
      for (const Scratch& scratch : scratch_)
        for (const StepImpact& found : scratch.found)
          if (before(found, first)) static_cast<StepImpact&>(first) = found;
      if (first.impact.verdict == Verdict::separated) continue;
      // What else the impact says must not depend on how far the search had come.
      if (exact_) first.impact = answer_anew(first);
      break;
    }
    first.work = work_;
    return first;
  }

  AllImpacts all() {
    AllImpacts all;
    // Only exact answers do not change when they are asked of parts of the step.
    const auto slabs = exact_ ? time_slabs(moving_, options_.query.t_max, long_slab)
                              : std::vector<Slab>{{0, options_.query.t_max}};
    for (const Slab& slab : slabs) search(slab, false);
    std::vector<const StepImpact*> found;
    for (const Scratch& scratch : scratch_)
      for (const StepImpact& impact : scratch.found) found.push_back(&impact);
    with_threads(options_.pairs.threads, [&] { all.impacts = sorted(found); });
    if (!all.impacts.empty()) all.verdict = all.impacts[0].impact.verdict;
    all.work = work_;
    return all;
  }

 private:
  // Slabs of time, in units of the time in which features move by their own size. The search for
  // the first impact starts with a short one, in which hardly more boxes overlap than at rest; the
  // search for all is better off with long ones, since pairs in contact come up in every slab.
  static constexpr double first_slab = 0.125, long_slab = 4;

  struct Scratch {
    std::vector<IndexedImpact> answers;
    std::tuple<std::vector<VertexFace>, std::vector<EdgeEdge>> queries;
    std::vector<Impact> impacts;
    std::deque<StepImpact> found;  // large, and may be many: not moved when they become more
    std::uint64_t pairs = 0, start_contacts = 0;
    Seconds narrow{0};
    ExactTally tally;
  };

  void search(const Slab& slab, bool first_only) {
    const auto begin = Clock::now();
    const PairConsumer consumer = [&](PairKind kind, std::span<const Pair> pairs) {
      const auto start = Clock::now();
      Scratch& scratch = scratch_.local();
      scratch.pairs += pairs.size();
      if (options_.observer) options_.observer(kind, pairs);
      examine(slab, kind, pairs, first_only, scratch);
      scratch.narrow += Clock::now() - start;
    };
    if (meeting_) {
      find_meeting_pairs(moving_, slab, options_.pairs, consumer);
    } else {
      const auto& strategy = options_.strategy ? *options_.strategy : default_pair_strategy();
      find_pairs(strategy, SlabBoxes(moving_, slab).moving(), options_.pairs, consumer);
    }
    add_work(Seconds(Clock::now() - begin));
  }

  void add_work(Seconds wall) {
    ++work_.slabs;
    Seconds narrow{0};
    for (Scratch& scratch : scratch_) {
      work_.pairs += std::exchange(scratch.pairs, 0);
      work_.start_contacts += std::exchange(scratch.start_contacts, 0);
      narrow += std::exchange(scratch.narrow, Seconds(0));
    }
    const auto threads = static_cast<double>(std::max<std::size_t>(scratch_.size(), 1));
    work_.narrow_seconds += narrow.count() / threads;
    work_.broad_seconds += wall.count() - narrow.count() / threads;
  }

  Options query_options(const Slab& slab, bool first_only) const {
    Options options = options_.query;
    options.t_max = slab.end;
    // Impacts with the best toi are still wanted: they may be first by their pair.
    if (first_only && exact_)
      options.t_max = std::min(slab.end, std::nextafter(best_toi_.load(), Impact::inf));
    return options;
  }

  void examine(const Slab& slab, PairKind kind, std::span<const Pair> pairs, bool first_only,
               Scratch& scratch) {
    const Options options = query_options(slab, first_only);
    scratch.answers.clear();
    for_kind(kind, [&]<class Query>(Query) {
      if (method_.name == "exact" && sizeof(Query) == sizeof(VertexFace))
        exact_root(moving_, kind, pairs, options, scratch.answers, scratch.tally,
                   meeting_ && options.t_max == slab.end);
      else
        solve_queries<Query>(pairs, options, scratch);
      for (auto& [index, impact] : scratch.answers)
        if (settle<Query>(slab, kind, pairs[index], options.t_max, impact, scratch))
          keep({kind, pairs[index], impact}, first_only, scratch);
    });
  }

  template <class Query>
  void solve_queries(std::span<const Pair> pairs, const Options& options, Scratch& scratch) const {
    using Solved = std::decay_t<decltype(as_solved(Query()))>;
    auto& queries = std::get<std::vector<Solved>>(scratch.queries);
    queries.resize(pairs.size());
    scratch.impacts.resize(pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i)
      queries[i] = as_solved(query_of<Query>(moving_, pairs[i]));
    if constexpr (std::is_same_v<Solved, VertexFace>)
      method_.vertex_face(queries, options, scratch.impacts);
    else
      method_.edge_edge(queries, options, scratch.impacts);
    for (std::size_t i = 0; i < pairs.size(); ++i)
      if (scratch.impacts[i].verdict != Verdict::separated)
        scratch.answers.push_back({i, as_asked<Query>(scratch.impacts[i])});
  }

  // As if the pair were alone.
  Impact answer_anew(const StepImpact& found) {
    Scratch scratch;
    const Slab step{0, options_.query.t_max};
    examine(step, found.kind, {&found.pair, 1}, false, scratch);
    return scratch.found.at(0).impact;
  }

  // Is it news? Skips contacts at the start and those of slabs before.
  template <class Query>
  bool settle(const Slab& slab, PairKind kind, const Pair& pair, double t_max, Impact& impact,
              Scratch& scratch) {
    const bool at_start = exact_ ? impact.toi_hi == 0 : impact.toi == 0;
    if (options_.at_start == StartContacts::skip && at_start && !go_through_at_start(kind, pair)) {
      scratch.start_contacts += slab.begin == 0;
      impact = contact_after_parting(query_of<Query>(moving_, pair), t_max);
      if (impact.verdict == Verdict::separated) return false;
    }
    if (slab.begin == 0) return true;
    if (exact_) return impact.toi_hi > slab.begin;
    impact.toi = std::max(impact.toi, slab.begin);  // nothing was found before
    return true;
  }

  bool go_through_at_start(PairKind kind, const Pair& pair) {
    std::call_once(start_sides_made_, [&] { start_sides_.emplace(moving_); });
    return start_sides_->go_through(kind, pair);
  }

  void keep(const StepImpact& impact, bool first_only, Scratch& scratch) {
    auto& found = scratch.found;
    if (!first_only || found.empty()) {
      found.push_back(impact);
    } else if (before(impact, found[0])) {
      found[0] = impact;
    }
    double best = best_toi_.load();
    while (impact.impact.toi < best && !best_toi_.compare_exchange_weak(best, impact.impact.toi)) {
    }
  }

  MovingMesh moving_;
  StepOptions options_;
  const Method& method_;
  const bool exact_;
  // Which pairs are asked: those that may meet, or those of a strategy. The latter for other
  // methods, which may see a contact where features are provably apart: not for one strategy alone.
  const bool meeting_;
  std::atomic<double> best_toi_{Impact::inf};
  tbb::enumerable_thread_specific<Scratch> scratch_;
  std::once_flag start_sides_made_;
  std::optional<StartSides> start_sides_;
  StepWork work_;
};

}  // namespace

FirstImpact earliest_impact(const MovingMesh& moving, const StepOptions& options) {
  const FloatEnvironment environment;
  Step step(moving, options);
  if (step.valid()) return step.earliest();
  FirstImpact invalid;
  invalid.impact = Impact::invalid();
  return invalid;
}

AllImpacts all_impacts(const MovingMesh& moving, const StepOptions& options) {
  const FloatEnvironment environment;
  Step step(moving, options);
  if (step.valid()) return step.all();
  AllImpacts invalid;
  invalid.verdict = Verdict::invalid;
  return invalid;
}

FirstImpact earliest_impact(const Mesh& mesh, const Positions& start, const Positions& end,
                            const StepOptions& options) {
  return earliest_impact({mesh, rows_of(start), rows_of(end)}, options);
}
AllImpacts all_impacts(const Mesh& mesh, const Positions& start, const Positions& end,
                       const StepOptions& options) {
  return all_impacts({mesh, rows_of(start), rows_of(end)}, options);
}

Vec3 contact_position(const MovingMesh& moving, const StepImpact& found) {
  const double t = found.impact.toi, u = found.impact.u, v = found.impact.v;
  const auto at = [&](std::uint32_t vertex) {
    return Vec3((1 - t) * moving.start[vertex] + t * moving.end[vertex]);
  };
  switch (found.kind) {
    case PairKind::vertex_face: {
      const Face& face = moving.mesh.faces[found.pair.b];
      return (1 - u - v) * at(face[0]) + u * at(face[1]) + v * at(face[2]);
    }
    case PairKind::edge_edge:
    case PairKind::vertex_edge: {
      const bool two = found.kind == PairKind::edge_edge;
      const Edge& edge = moving.mesh.edges[two ? found.pair.a : found.pair.b];
      return (1 - u) * at(edge[0]) + u * at(edge[1]);
    }
    case PairKind::vertex_vertex:
      return at(found.pair.b);
  }
  return Vec3::Constant(Impact::nan);
}

}  // namespace graze
