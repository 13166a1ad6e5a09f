#include "graze/spine/curved_step.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <deque>
#include <optional>
#include <utility>

#include "graze/broad/moving/search_scale.h"
#include "graze/broad/per_thread.h"
#include "graze/broad/slab_pairs.h"
#include "graze/broad/with_threads.h"
#include "graze/core/numeric/bezier.h"
#include "graze/core/numeric/float_environment.h"
#include "graze/first_contact.h"
#include "graze/spine/search_step.h"
#include "graze/spine/sorted_impacts.h"
#include "graze/spine/start_piercings.h"

namespace graze {

SlabCurves::SlabCurves(const CurvedMesh& moving, const broad::Slab& slab) {
  const std::size_t vertices = moving.mesh.vertex_count, count = point_count(moving.curve);
  for (std::vector<Vec3>* points : {&start, &inner[0], &inner[1], &end}) points->resize(vertices);
  err.resize(vertices);
  std::atomic<bool> overflow{false};
  broad::for_ranges(vertices, 4096, [&](std::size_t first, std::size_t last) {
    bool safe = true;
    for (std::size_t v = first; v < last; ++v) {
      double most = 0;
      for (int k = 0; k < 3; ++k) {
        std::array<double, 4> points{};
        for (std::size_t i = 0; i < count; ++i) points[i] = moving.points[i][v][k];
        const numeric::PartOfCurve part(moving.curve, points, slab.begin, slab.end);
        start[v][k] = part.point[0];
        inner[0][v][k] = part.point[1];
        inner[1][v][k] = part.point[2];
        end[v][k] = part.point[3];
        most = std::max(most, part.err);
        safe = safe && part.size < 0x1p1000;
      }
      err[v] = most;
    }
    if (!safe) overflow = true;
  });
  if (!overflow) return;
  for (std::vector<Vec3>* points : {&start, &inner[0], &inner[1], &end})
    std::fill(points->begin(), points->end(), Vec3::Zero());
  std::fill(err.begin(), err.end(), 0.0);
}

namespace {

using spine::before, spine::Wanted;

template <class Function>
void for_curved_kind(Kind kind, Function&& function) {
  switch (kind) {
    case Kind::vertex_face:
      return function(Curved<VertexFace>(), &CurvedMesh::vertex_face);
    case Kind::edge_edge:
      return function(Curved<EdgeEdge>(), &CurvedMesh::edge_edge);
    case Kind::vertex_edge:
      return function(Curved<VertexEdge>(), &CurvedMesh::vertex_edge);
    case Kind::vertex_vertex:
      return function(Curved<VertexVertex>(), &CurvedMesh::vertex_vertex);
    case Kind::edge_face:  // no query
      return;
  }
}

class CurvedStep {
 public:
  CurvedStep(const CurvedMesh& moving, const StepOptions& options, const Run& run)
      : moving_(moving),
        options_(options),
        run_(run),
        method_(options.method ? *options.method : default_curved_method()),
        exact_(method_.guarantee == Guarantee::exact),
        strategy_(options.strategy
                      ? *options.strategy
                      : default_pair_strategy(exact_ ? PairSet::meeting : PairSet::overlapping)),
        start_(moving.mesh, moving.points[0], options.pairs.filter) {}

  bool valid() const {
    if (moving_.curve > Curve::hermite || options_.at_start != StartContacts::report) return false;
    const auto finite = [](const Vec3& x) { return x.allFinite(); };
    for (std::size_t i = 0; i < point_count(moving_.curve); ++i) {
      const auto points = moving_.points[i];
      if (points.size() != moving_.mesh.vertex_count ||
          !std::all_of(points.begin(), points.end(), finite))
        return false;
    }
    return options_.query.min_separation == 0 && method_.takes(options_.query) &&
           is_sensible(options_.pairs, moving_.mesh) && method_.has_curved(Kind::vertex_face) &&
           method_.has_curved(Kind::edge_edge);
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
      if (first.impact.verdict == Verdict::separated) continue;
      // The other fields of the impact must not depend on how far the search had come.
      if (exact_ && first.kind != Kind::edge_face)
        first.impact = answers(first.kind, {&first.pair, 1}, options_.query)[0];
      break;
    }
    if (run_.progress && !stopped_) run_.progress(1);
    first.work = work_;
    return first;
  }

  AllImpacts all() {
    AllImpacts all;
    std::vector<StepImpact> pierced;
    double searched = Impact::inf;  // no impact was overlooked before this time
    for (const broad::Slab& slab : slabs(Wanted::all)) {
      search(slab, Wanted::all);
      if (slab.begin == 0) pierced = piercings(slab, Wanted::all);
      if (!stopped_) continue;
      searched = slab.begin;
      break;
    }
    std::vector<const StepImpact*> found;
    for (const Scratch& scratch : scratch_)
      for (const StepImpact& impact : scratch.found) found.push_back(&impact);
    for (const StepImpact& impact : pierced) found.push_back(&impact);
    broad::with_threads(broad::threads_for(found.size(), run_.threads),
                        [&] { all.impacts = spine::sorted(found); });
    if (!all.impacts.empty()) {
      all.verdict = all.impacts[0].impact.verdict;
      all.toi = all.impacts[0].impact.toi;
    }
    if (stopped_) {
      all.complete = false;
      all.verdict = Verdict::undecided;
      all.toi = searched;
    }
    if (options_.max_contacts > 0 && all.impacts.size() > options_.max_contacts) {
      all.complete = false;
      all.impacts.resize(options_.max_contacts);
    }
    if (run_.progress && !stopped_) run_.progress(1);
    all.work = work_;
    return all;
  }

 private:
  using Seconds = std::chrono::duration<double>;
  using Clock = std::chrono::steady_clock;

  // The data of one thread.
  struct Scratch {
    std::deque<StepImpact> found;  // a deque, since a growing vector would move many large elements
    std::uint64_t pairs = 0;
    Seconds narrow{0};
  };

  // Cuts [0, t_max] into equal slabs. In a slab features move as far as in a slab of straight
  // motion and leave their chords by at most about their own size. Only the answers of exact
  // methods do not change when the step is searched in parts.
  std::vector<broad::Slab> slabs(Wanted wanted) const {
    constexpr double most_motion = 16, most_bend = 1;
    const auto& edges = moving_.mesh.edges;
    const auto n = static_cast<std::size_t>(degree(moving_.curve));
    double motion = 0, bend = 0;
    std::size_t count = 0;
    for (std::size_t e = 0; e < edges.size(); e += broad::edge_sample_stride(edges.size())) {
      const std::uint32_t v = edges[e][0];
      double size = 0, way = 0, away = 0;
      for (int k = 0; k < 3; ++k) {
        std::array<double, 4> p{};
        for (std::size_t i = 0; i <= n; ++i) p[i] = moving_.points[i][v][k];
        p = numeric::bezier_points(moving_.curve, p);
        size = std::max(size, std::abs(p[0] - moving_.points[0][edges[e][1]][k]));
        double length = 0;
        for (std::size_t i = 0; i < n; ++i) {
          length += std::abs(p[i + 1] - p[i]);
          if (i > 0) away = std::max(away, std::abs((p[i + 1] - p[i]) - (p[i] - p[i - 1])));
        }
        way = std::max(way, length);
      }
      motion += way > 0 ? std::min(way / size, most_motion) : 0;
      bend += away > 0 ? std::min(away / size, most_motion) : 0;
      ++count;
    }
    const double t_max = options_.query.t_max;
    if (!exact_ || count == 0) return {{0, t_max}};
    const double edges_seen = static_cast<double>(count);
    auto straight = spine::slabs_of_search(wanted, options_, motion / edges_seen);
    const double parts =
        std::clamp(std::ceil(t_max * std::sqrt(bend / edges_seen / most_bend)), 1.0, 16.0);
    if (static_cast<double>(straight.size()) >= parts) return straight;
    std::vector<broad::Slab> result;
    for (double i = 0; i < parts; ++i)
      result.push_back({t_max * (i / parts), i + 1 < parts ? t_max * ((i + 1) / parts) : t_max});
    return result;
  }

  // Searches a slab; sets stopped_.
  void search(const broad::Slab& slab, Wanted wanted) {
    const auto begin = Clock::now();
    std::optional<SlabCurves> paths;
    broad::with_threads(broad::threads_for(moving_.mesh.vertex_count, run_.threads),
                        [&] { paths.emplace(moving_, slab); });
    const broad::Curves curves = paths->curves();
    const PairConsumer consumer = [&](Kind kind, std::span<const Pair> block) {
      const auto start = Clock::now();
      Scratch& scratch = scratch_.local();
      if (kind == Kind::edge_face) {
        examine_crossings(block, wanted);
      } else {
        scratch.pairs += block.size();
        examine(slab, kind, block, wanted, scratch.found);
      }
      scratch.narrow += Clock::now() - start;
    };
    const bool crossings = options_.start_check && slab.begin == 0 && strategy_.finds_crossings;
    PairOptions pairs = options_.pairs;
    pairs.separation = 0;
    const PairStatus status =
        broad::find_pairs({moving_.mesh, paths->start, paths->end}, {0, 1}, consumer, pairs,
                          {run_.threads, run_.stop, {}}, strategy_,
                          crossings ? broad::Sought::both : broad::Sought::pairs, nullptr,
                          &piercings_.last_edge(), &curves);
    stopped_ = status == PairStatus::stopped || cut_short_;
    Seconds narrow{0};
    for (Scratch& scratch : scratch_) {
      work_.pairs += std::exchange(scratch.pairs, 0);
      narrow += std::exchange(scratch.narrow, Seconds(0));
    }
    ++work_.slabs;
    const auto threads = static_cast<double>(std::max<std::size_t>(scratch_.size(), 1));
    work_.narrow_seconds += narrow.count() / threads;
    work_.broad_seconds += Seconds(Clock::now() - begin).count() - narrow.count() / threads;
    if (run_.progress && !stopped_) run_.progress(slab.end / options_.query.t_max);
  }

  void examine_crossings(std::span<const Pair> crossings, Wanted wanted) {
    const bool first = wanted == Wanted::first;
    if (first && best_toi_.load() == 0) return piercings_.skip_rest();  // a touch at 0 comes first
    piercings_.examine(crossings, first ? 1 : any_number);
  }

  // Returns the edges that pierce faces at the start, sorted, or the first of them; none if the
  // slab does not begin with the step. The search of that slab has found them, unless the strategy
  // cannot find crossings.
  std::vector<StepImpact> piercings(const broad::Slab& slab, Wanted wanted) {
    if (!options_.start_check || slab.begin > 0 || stopped_) return {};
    if (wanted == Wanted::first && best_toi_.load() == 0) return {};  // a touch at 0 comes first
    const std::size_t most = wanted == Wanted::first ? 1 : any_number;
    if (!strategy_.finds_crossings) {
      const MovingMesh at_start{moving_.mesh, moving_.points[0], moving_.points[0]};
      auto result =
          start_piercings(at_start, options_.pairs.filter, {run_.threads, run_.stop, {}}, most);
      stopped_ = run_.stop && run_.stop->load();
      return result;
    }
    return piercings_.impacts(most, run_.threads);
  }

  // Returns the answers to pairs of one kind.
  std::vector<Impact> answers(Kind kind, std::span<const Pair> pairs,
                              const Options& options) const {
    std::vector<Impact> impacts(pairs.size());
    for_curved_kind(kind, [&]<class Query, class Make>(Query, Make make) {
      std::vector<Query> queries;
      queries.reserve(pairs.size());
      for (const Pair& pair : pairs) queries.push_back((moving_.*make)(pair.a, pair.b));
      first_contact(std::span<const Query>(queries), std::span(impacts), options,
                    {.threads = 1, .stop = run_.stop}, method_);
    });
    return impacts;
  }

  void examine(const broad::Slab& slab, Kind kind, std::span<const Pair> pairs, Wanted wanted,
               std::deque<StepImpact>& found) {
    Options options = options_.query;
    options.t_max = slab.end;
    // Impacts with the best toi so far are still needed: a later pair may come first in the order
    // of ties.
    if (wanted == Wanted::first && exact_)
      options.t_max = std::min(slab.end, std::nextafter(best_toi_.load(), Impact::inf));
    const std::vector<Impact> impacts = answers(kind, pairs, options);
    if (run_.stop && run_.stop->load()) cut_short_ = true;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const Impact& impact = impacts[i];
      // A contact of an earlier slab has been reported there.
      if (impact.verdict == Verdict::separated || (slab.begin > 0 && impact.toi_hi <= slab.begin))
        continue;
      found.push_back({kind, pairs[i], impact});
      double best = best_toi_.load();
      while (impact.toi < best && !best_toi_.compare_exchange_weak(best, impact.toi)) {
      }
    }
  }

  const CurvedMesh& moving_;
  const StepOptions& options_;
  const Run& run_;
  const Method& method_;
  const bool exact_;
  const PairStrategy& strategy_;
  const StartPiercings start_;
  PiercingSearch piercings_{start_};
  std::atomic<double> best_toi_{Impact::inf};
  broad::PerThread<Scratch> scratch_;
  std::atomic<bool> cut_short_{false};  // a method may have ended a query early
  bool stopped_ = false;
  StepWork work_;
};

}  // namespace

FirstImpact earliest_impact(const CurvedMesh& moving, const StepOptions& options, const Run& run) {
  const FloatEnvironment environment;
  CurvedStep step(moving, options, run);
  if (step.valid()) return step.earliest();
  FirstImpact invalid;
  invalid.impact = Impact::invalid();
  return invalid;
}

AllImpacts all_impacts(const CurvedMesh& moving, const StepOptions& options, const Run& run) {
  const FloatEnvironment environment;
  CurvedStep step(moving, options, run);
  if (step.valid()) return step.all();
  AllImpacts invalid;
  invalid.verdict = Verdict::invalid;
  invalid.toi = 0;
  invalid.complete = false;
  return invalid;
}

std::vector<Vec3> positions_at(const CurvedMesh& moving, double t) {
  std::vector<Vec3> positions(moving.mesh.vertex_count);
  for (std::size_t v = 0; v < positions.size(); ++v)
    for (int k = 0; k < 3; ++k) {
      std::array<double, 4> p{};
      for (std::size_t i = 0; i < point_count(moving.curve); ++i) p[i] = moving.points[i][v][k];
      positions[v][k] = numeric::polar_form(numeric::bezier_points(moving.curve, p),
                                            degree(moving.curve), {t, t, t});
    }
  return positions;
}

}  // namespace graze
