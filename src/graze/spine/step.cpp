#include "graze/step.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <deque>
#include <limits>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

#include "graze/broad/moving/pair_forecast.h"
#include "graze/broad/moving/slab_lengths.h"
#include "graze/broad/moving/time_slabs.h"
#include "graze/broad/pair_log.h"
#include "graze/broad/per_thread.h"
#include "graze/broad/slab_pairs.h"
#include "graze/broad/with_threads.h"
#include "graze/core/numeric/float_environment.h"
#include "graze/first_contact.h"
#include "graze/narrow/collapsed_face.h"
#include "graze/narrow/contact/contact_point.h"
#include "graze/narrow/stop.h"
#include "graze/spine/pair_radii.h"
#include "graze/spine/search_step.h"
#include "graze/spine/sorted_impacts.h"
#include "graze/spine/start_inside.h"
#include "graze/spine/start_piercings.h"
#include "graze/spine/start_sides.h"

namespace graze {
namespace {

using Seconds = std::chrono::duration<double>;
using Clock = std::chrono::steady_clock;
using spine::before, spine::Wanted;

template <class Query>
Query query_of(const MovingMesh& moving, const Pair& pair) {
  if constexpr (std::is_same_v<Query, VertexFace>) return moving.vertex_face(pair.a, pair.b);
  if constexpr (std::is_same_v<Query, EdgeEdge>) return moving.edge_edge(pair.a, pair.b);
  if constexpr (std::is_same_v<Query, VertexEdge>) return moving.vertex_edge(pair.a, pair.b);
  if constexpr (std::is_same_v<Query, VertexVertex>) return moving.vertex_vertex(pair.a, pair.b);
}

// Calls function(Query()) with the query type of that kind.
template <class Function>
void for_kind(Kind kind, Function&& function) {
  switch (kind) {
    case Kind::vertex_face:
      return function(VertexFace());
    case Kind::edge_edge:
      return function(EdgeEdge());
    case Kind::vertex_edge:
      return function(VertexEdge());
    case Kind::vertex_vertex:
      return function(VertexVertex());
    case Kind::edge_face:  // no query
      return;
  }
}

// Returns the query as batch functions accept it: a point or a segment becomes a face without area.
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

// Returns the first true contact of a pair that does not begin at the start of the step.
template <class Query>
Impact contact_after_parting(const Query& query, double t_max) {
  Options options;
  options.t_max = t_max;
  const ContactTimes times = contact_times(query, options);
  for (const ContactInterval& interval : times.intervals) {
    if (interval.begin_hi == 0) continue;
    Impact impact = Impact::contact(interval.begin_lo, interval.begin_hi);
    narrow::locate_contact(as_solved(query), impact);
    return narrow::from_collapsed_face<Query>(impact);
  }
  return Impact::separated();
}

bool is_exact(const Method& method) {
  return method.guarantee == Guarantee::exact;
}

class Step {
 public:
  Step(const MovingMesh& moving, const StepOptions& options, const Run& run,
       const spine::Known& known)
      : moving_(moving),
        options_(options),
        run_(run),
        method_(spine::method_of(options)),
        exact_(is_exact(method_)),
        strategy_(options.strategy
                      ? *options.strategy
                      : default_pair_strategy(exact_ ? PairSet::meeting : PairSet::overlapping)),
        known_(known),
        log_(options_.observer),
        radii_(moving.mesh, options),
        start_(moving.mesh, moving.start, options.pairs.filter) {
    options_.pairs.separation = spine::largest_separation(options);
  }

  bool valid() const {
    const auto finite = [](const Vec3& x) { return x.allFinite(); };
    const Mesh& mesh = moving_.mesh;
    return moving_.start.size() == mesh.vertex_count && moving_.end.size() == mesh.vertex_count &&
           spine::can_answer(options_, {!mesh.edges.empty(), !mesh.faces.empty(),
                                        !mesh.rods.empty(), !mesh.points.empty()}) &&
           spine::radii_fit(options_, mesh) && is_sensible(options_.pairs, mesh) &&
           spine::solids_fit(options_, mesh) &&
           std::all_of(moving_.start.begin(), moving_.start.end(), finite) &&
           std::all_of(moving_.end.begin(), moving_.end.end(), finite);
  }

  FirstImpact earliest() {
    FirstImpact first;
    for (const broad::Slab& slab : slabs(Wanted::first)) {
      best_toi_ = Impact::inf;
      search(slab, Wanted::first);
      const std::vector<StepImpact> pierced = piercings(slab, Wanted::first);
      if (stopped_) {
        static_cast<StepImpact&>(first) = {};
        first.impact = Impact::undecided(slab.begin, options_.query.t_max);
        break;
      }
      for (const Scratch& scratch : scratch_)
        for (const StepImpact& found : scratch.found)
          if (before(found, first)) static_cast<StepImpact&>(first) = found;
      if (!pierced.empty() && before(pierced[0], first))
        static_cast<StepImpact&>(first) = pierced[0];
      // The other fields of the impact must not depend on how far the search had come.
      if (exact_ && first.impact.verdict != Verdict::separated && first.kind != Kind::edge_face)
        first.impact = answer_anew(first);
      if (slab.begin == 0)
        for (const StepImpact& inside : spine::start_inside(moving_, options_))
          if (before(inside, first)) static_cast<StepImpact&>(first) = inside;
      if (first.impact.verdict != Verdict::separated) break;
    }
    finish();
    first.work = work_;
    return first;
  }

  AllImpacts all() {
    AllImpacts all;
    std::vector<StepImpact> pierced;
    double searched = Impact::inf;  // no impact before this time is missing
    for (const broad::Slab& slab : slabs(Wanted::all)) {
      if (has_enough(slab.begin)) break;
      search(slab, Wanted::all);
      if (slab.begin == 0) pierced = piercings(slab, Wanted::all);
      if (!stopped_) continue;
      searched = slab.begin;
      break;
    }
    finish();
    std::vector<const StepImpact*> found;
    for (const Scratch& scratch : scratch_)
      for (const StepImpact& impact : scratch.found) found.push_back(&impact);
    std::vector<StepImpact> inside = spine::start_inside(moving_, options_);
    std::erase_if(inside, [&](const StepImpact& impact) {  // pairs that touch
      return std::any_of(found.begin(), found.end(), [&](const StepImpact* other) {
        return other->kind == impact.kind && other->pair == impact.pair;
      });
    });
    for (const StepImpact& impact : inside) found.push_back(&impact);
    for (const StepImpact& impact : pierced) found.push_back(&impact);
    broad::with_threads(broad::threads_for(found.size(), run_.threads),
                        [&] { all.impacts = spine::sorted(found); });
    if (!all.impacts.empty()) {
      all.verdict = all.impacts[0].impact.verdict;
      all.toi = all.impacts[0].impact.toi;
    }
    if (options_.max_contacts > 0 && all.impacts.size() > options_.max_contacts) {
      all.complete = false;
      all.impacts.resize(options_.max_contacts);
    }
    if (searched < Impact::inf) {
      all.complete = false;
      all.verdict = Verdict::undecided;
      all.toi = std::min(all.toi, searched);
    }
    all.work = work_;
    return all;
  }

 private:
  // The data of one thread.
  struct Scratch {
    std::vector<IndexedImpact> answers;
    std::tuple<std::vector<VertexFace>, std::vector<EdgeEdge>, std::vector<VertexEdge>,
               std::vector<VertexVertex>>
        queries;
    std::vector<Impact> impacts;
    std::deque<StepImpact> found;  // a deque, since a growing vector would move many large elements
    std::uint64_t pairs = 0, start_contacts = 0;
    Seconds narrow{0};
  };

  // Returns the slabs of the search. Slabs limit the number of pairs that are found, so candidates
  // need none.
  std::vector<broad::Slab> slabs(Wanted wanted) const {
    if (known_.part) return {known_.part->slab};
    if (known_.pairs) return {{0, options_.query.t_max}};
    return spine::slabs_of_search(wanted, options_, broad::relative_motion(moving_));
  }

  // Returns the edges that pierce faces at the start, sorted, or the first of them; none if the
  // slab does not begin with the step. The search of that slab has found them, unless the strategy
  // cannot find crossings.
  std::vector<StepImpact> piercings(const broad::Slab& slab, Wanted wanted) {
    if (!options_.start_check || slab.begin > 0 || stopped_) return {};
    if (wanted == Wanted::first && best_toi_.load() == 0) return {};  // a touch at 0 comes first
    const std::size_t most = wanted == Wanted::first      ? 1
                             : options_.max_contacts == 0 ? any_number
                                                          : limit();
    if (known_.piercings) {
      const auto first = known_.piercings->begin();
      const std::size_t count = std::min(most, known_.piercings->size());
      return {first, first + static_cast<std::ptrdiff_t>(count)};
    }
    const auto begin = Clock::now();
    std::vector<StepImpact> result;
    if (finds_crossings()) {
      result = piercings_.impacts(most, run_.threads);
    } else {
      result = start_piercings(moving_, options_.pairs.filter, {run_.threads, run_.stop, {}}, most,
                               known_.pierced_guess);
      stopped_ = run_.stop && run_.stop->load();
    }
    work_.broad_seconds += Seconds(Clock::now() - begin).count();
    return result;
  }

  bool finds_crossings() const {
    return !known_.pairs && !known_.piercings && strategy_.finds_crossings;
  }

  void examine_crossings(std::span<const Pair> crossings, Wanted wanted) {
    const bool first = wanted == Wanted::first;
    if (first && best_toi_.load() == 0) return piercings_.skip_rest();  // a touch at 0 comes first
    piercings_.examine(crossings, first ? 1 : any_number);
  }

  // Searches a slab; sets stopped_.
  void search(const broad::Slab& slab, Wanted wanted) {
    const auto begin = Clock::now();
    const PairConsumer consumer = [&](Kind kind, std::span<const Pair> pairs) {
      const auto start = Clock::now();
      Scratch& scratch = scratch_.local();
      if (kind == Kind::edge_face) {
        examine_crossings(pairs, wanted);
        scratch.narrow += Clock::now() - start;
        return;
      }
      if (known_.part && known_.part->exchange) lower_best(known_.part->exchange(best_toi_.load()));
      scratch.pairs += pairs.size();
      log_.add(kind, pairs);
      examine(slab, kind, pairs, wanted, scratch);
      scratch.narrow += Clock::now() - start;
    };
    Run run{run_.threads, run_.stop, {}};
    if (run_.progress)
      run.progress = [&](double part) {
        run_.progress((slab.begin + part * (slab.end - slab.begin)) / options_.query.t_max);
      };
    const bool crossings = options_.start_check && slab.begin == 0 && finds_crossings();
    const PairStatus status =
        known_.pairs ? broad::pass_on(*known_.pairs, consumer, run)
                     : broad::find_pairs(moving_, slab, consumer, options_.pairs, run, strategy_,
                                         crossings ? broad::Sought::both : broad::Sought::pairs,
                                         known_.part ? &known_.part->scale : nullptr,
                                         &piercings_.last_edge());
    add_work(Seconds(Clock::now() - begin));
    stopped_ = status == PairStatus::stopped || cut_short_;
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

  void finish() {
    log_.show(moving_);
    if (run_.progress && !stopped_) run_.progress(1);
  }

  MethodOptions query_with(double separation) const {
    MethodOptions options{options_.query, run_.stop};
    options.min_separation = separation;
    return options;
  }

  MethodOptions query_options(const broad::Slab& slab, Wanted wanted, double separation) const {
    MethodOptions options = query_with(separation);
    options.t_max = slab.end;
    // Impacts with the best toi so far are still needed: a later pair may come first in the order
    // of ties.
    if (wanted == Wanted::first && exact_) {
      const double best = piercings_.is_any_found() ? 0 : best_toi_.load();
      options.t_max = std::min(slab.end, std::nextafter(best, Impact::inf));
    }
    return options;
  }

  void examine(const broad::Slab& slab, Kind kind, std::span<const Pair> pairs, Wanted wanted,
               Scratch& scratch) {
    radii_.for_each(kind, pairs, [&](double separation, std::span<const Pair> group) {
      examine_within(separation, slab, kind, group, wanted, scratch);
    });
  }

  void examine_within(double separation, const broad::Slab& slab, Kind kind,
                      std::span<const Pair> pairs, Wanted wanted, Scratch& scratch) {
    const MethodOptions options = query_options(slab, wanted, separation);
    const Method& method = options_.method ? method_ : default_method(options);
    scratch.answers.clear();
    for_kind(kind, [&]<class Query>(Query) {
      if (method.pairs)
        method.pairs(
            moving_, kind, pairs, options,
            !known_.pairs && strategy_.set == PairSet::meeting && options.t_max == slab.end,
            scratch.answers);
      else
        solve_queries<Query>(pairs, options, method, scratch);
      if (narrow::is_stopped(options)) cut_short_ = true;
      for (auto& [index, impact] : scratch.answers)
        if (settle<Query>(slab, kind, pairs[index], options.t_max, impact, scratch))
          keep({kind, pairs[index], impact}, wanted, scratch);
    });
  }

  template <class Query>
  void solve_queries(std::span<const Pair> pairs, const MethodOptions& options,
                     const Method& method, Scratch& scratch) const {
    auto& queries = std::get<std::vector<Query>>(scratch.queries);
    queries.resize(pairs.size());
    scratch.impacts.resize(pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) queries[i] = query_of<Query>(moving_, pairs[i]);
    first_contact(std::span<const Query>(queries), std::span(scratch.impacts), options,
                  {.threads = 1, .stop = options.stop}, method);
    for (std::size_t i = 0; i < pairs.size(); ++i)
      if (scratch.impacts[i].verdict != Verdict::separated)
        scratch.answers.push_back({i, scratch.impacts[i]});
  }

  // Returns the impact of the pair for the whole step, as if no other pair existed.
  Impact answer_anew(const StepImpact& found) {
    Scratch scratch;
    const broad::Slab step{0, options_.query.t_max};
    examine(step, found.kind, {&found.pair, 1}, Wanted::all, scratch);
    return scratch.found.at(0).impact;
  }

  // Returns whether the impact is kept. Replaces a contact at the start that is to be skipped with
  // the first contact after the pair has parted; rejects impacts of earlier slabs.
  template <class Query>
  bool settle(const broad::Slab& slab, Kind kind, const Pair& pair, double t_max, Impact& impact,
              Scratch& scratch) {
    const bool at_start = exact_ ? impact.toi_hi == 0 : impact.toi == 0;
    if (options_.at_start == StartContacts::skip && at_start && !go_through_at_start(kind, pair)) {
      scratch.start_contacts += slab.begin == 0;
      impact = contact_after_parting(query_of<Query>(moving_, pair), t_max);
      if (impact.verdict == Verdict::separated) return false;
    }
    if (slab.begin == 0) return true;
    if (exact_) return impact.toi_hi > slab.begin;
    impact.toi = std::max(impact.toi, slab.begin);  // earlier slabs hold no contact
    return true;
  }

  bool go_through_at_start(Kind kind, const Pair& pair) {
    std::call_once(start_sides_made_, [&] { start_sides_.emplace(moving_); });
    return start_sides_->go_through(kind, pair);
  }

  void keep(const StepImpact& impact, Wanted wanted, Scratch& scratch) {
    auto& found = scratch.found;
    if (wanted == Wanted::all) {
      found.push_back(impact);
      if (options_.max_contacts > 0 && found.size() > 2 * limit()) keep_first(found);
      return;
    }
    if (found.empty())
      found.push_back(impact);
    else if (before(impact, found[0]))
      found[0] = impact;
    lower_best(impact.impact.toi);
  }

  void lower_best(double toi) {
    double best = best_toi_.load();
    while (toi < best && !best_toi_.compare_exchange_weak(best, toi)) {
    }
  }

  // The number of impacts to keep: one more than are returned shows that the answer is incomplete.
  std::size_t limit() const {
    return std::min(options_.max_contacts, std::numeric_limits<std::size_t>::max() / 4) + 1;
  }

  // Drops all but the first limit() impacts.
  void keep_first(std::deque<StepImpact>& found) const {
    std::nth_element(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(limit()),
                     found.end(), before);
    found.resize(limit());
  }

  // Returns whether limit() impacts come before every impact of the slabs that begin at this time
  // or later. Such impacts have a toi that is not before the begin of their slab.
  bool has_enough(double slab_begin) const {
    if (options_.max_contacts == 0) return false;
    std::size_t count = 0;
    for (const Scratch& scratch : scratch_)
      for (const StepImpact& impact : scratch.found) count += impact.impact.toi < slab_begin;
    return count >= limit();
  }

  MovingMesh moving_;
  StepOptions options_;
  const Run& run_;
  const Method& method_;
  const bool exact_;
  // For methods that are not exact the default is a strategy that reports all overlapping pairs:
  // such a method may report contact for a pair that is proven apart, and the answer would
  // otherwise depend on the strategy.
  const PairStrategy& strategy_;
  const spine::Known known_;
  broad::PairLog log_;
  const spine::PairRadii radii_;
  const StartPiercings start_;
  PiercingSearch piercings_{start_};
  std::atomic<double> best_toi_{Impact::inf};
  broad::PerThread<Scratch> scratch_;
  std::once_flag start_sides_made_;
  std::optional<StartSides> start_sides_;
  std::atomic<bool> cut_short_{false};  // a method may have ended a query early
  bool stopped_ = false;
  StepWork work_;
};

}  // namespace

// The constants are lengths of slabs, in units of the time in which features move by their own
// size. The search for the first impact starts with a short slab, in which few more boxes overlap
// than at rest. The search for all impacts uses long slabs, since a pair in contact is tested again
// in each slab; with a method that is not exact one slab, since slabs would change its answers.
std::vector<broad::Slab> spine::slabs_of_search(Wanted wanted, const StepOptions& options,
                                                double motion) {
  constexpr double first_slab = 0.125, long_slab = 4;
  const double t_max = options.query.t_max;
  if (wanted == Wanted::first) return broad::slabs_of_motion(motion, t_max, first_slab);
  if (!is_exact(spine::method_of(options))) return {{0, t_max}};
  return broad::slabs_of_motion(motion, t_max, long_slab);
}

bool spine::can_answer(const StepOptions& options, const FeatureKinds& kinds) {
  const Method& method = method_of(options);
  const bool needs_vertex_face =
      kinds.faces || kinds.points || (options.pairs.shared_vertices && kinds.rods);
  Options query = options.query;
  query.min_separation = largest_separation(options);
  return is_sensible(options.query) && method.takes(query) &&
         (method.vertex_face || !needs_vertex_face) && (method.edge_edge || !kinds.edges);
}

FirstImpact spine::earliest_impact(const MovingMesh& moving, const StepOptions& options,
                                   const Run& run, const Known& known) {
  const FloatEnvironment environment;
  Step step(moving, options, run, known);
  if (step.valid()) return step.earliest();
  FirstImpact invalid;
  invalid.impact = Impact::invalid();
  return invalid;
}

AllImpacts spine::all_impacts(const MovingMesh& moving, const StepOptions& options, const Run& run,
                              const Known& known) {
  const FloatEnvironment environment;
  Step step(moving, options, run, known);
  if (step.valid()) return step.all();
  AllImpacts invalid;
  invalid.verdict = Verdict::invalid;
  invalid.toi = 0;
  invalid.complete = false;
  return invalid;
}

// [0, toi] is free of contact if the exact first time t* is after toi. Exact methods enclose t* in
// the tightest doubles, so t* > toi if and only if toi < toi_hi. In all other cases only [0, toi)
// is known to be free, and the double before toi is returned.
double spine::free_step(const Impact& impact, const StepOptions& options) {
  if (impact.verdict == Verdict::separated) return options.query.t_max;
  const bool after_toi = is_exact(spine::method_of(options)) &&
                         impact.verdict == Verdict::contact && impact.toi < impact.toi_hi;
  return impact.toi == 0 || after_toi ? impact.toi : std::nextafter(impact.toi, 0.0);
}

FirstImpact earliest_impact(const MovingMesh& moving, const StepOptions& options, const Run& run) {
  return spine::earliest_impact(moving, options, run, {});
}

AllImpacts all_impacts(const MovingMesh& moving, const StepOptions& options, const Run& run) {
  return spine::all_impacts(moving, options, run, {});
}

double collision_free_step(const MovingMesh& moving, double keep_distance,
                           const StepOptions& options, const Run& run) {
  StepOptions kept = options;
  kept.query.min_separation = keep_distance;
  return spine::free_step(earliest_impact(moving, kept, run).impact, kept);
}

FirstImpact earliest_impact(const Mesh& mesh, const Positions& start, const Positions& end,
                            const StepOptions& options, const Run& run) {
  return earliest_impact({mesh, start.rows(), end.rows()}, options, run);
}
AllImpacts all_impacts(const Mesh& mesh, const Positions& start, const Positions& end,
                       const StepOptions& options, const Run& run) {
  return all_impacts({mesh, start.rows(), end.rows()}, options, run);
}
double collision_free_step(const Mesh& mesh, const Positions& start, const Positions& end,
                           double keep_distance, const StepOptions& options, const Run& run) {
  return collision_free_step({mesh, start.rows(), end.rows()}, keep_distance, options, run);
}

Vec3 contact_position(const MovingMesh& moving, const StepImpact& found) {
  const double t = found.impact.toi, u = found.impact.u, v = found.impact.v;
  const auto at = [&](std::uint32_t vertex) {
    return Vec3((1 - t) * moving.start[vertex] + t * moving.end[vertex]);
  };
  switch (found.kind) {
    case Kind::vertex_face:
    case Kind::edge_face: {
      const Face& face = moving.mesh.faces[found.pair.b];
      return (1 - u - v) * at(face[0]) + u * at(face[1]) + v * at(face[2]);
    }
    case Kind::edge_edge:
    case Kind::vertex_edge: {
      const bool two = found.kind == Kind::edge_edge;
      const Edge& edge = moving.mesh.edges[two ? found.pair.a : found.pair.b];
      return (1 - u) * at(edge[0]) + u * at(edge[1]);
    }
    case Kind::vertex_vertex:
      return at(found.pair.b);
  }
  return Vec3::Constant(Impact::nan);
}

}  // namespace graze
