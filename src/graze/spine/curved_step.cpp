#include "graze/spine/curved_step.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "graze/broad/per_thread.h"
#include "graze/broad/slab_pairs.h"
#include "graze/broad/with_threads.h"
#include "graze/core/numeric/bezier.h"
#include "graze/core/numeric/float_environment.h"
#include "graze/first_contact.h"
#include "graze/spine/start_piercings.h"

namespace graze {

Chords::Chords(const CurvedMesh& moving, const broad::Slab& slab)
    : start(moving.mesh.vertex_count), end(moving.mesh.vertex_count) {
  const std::size_t count = point_count(moving.curve);
  broad::PerThread<double> largest;
  broad::for_ranges(start.size(), 4096, [&](std::size_t first, std::size_t last) {
    double most = 0;
    for (std::size_t v = first; v < last; ++v)
      for (int k = 0; k < 3; ++k) {
        std::array<double, 4> points{};
        for (std::size_t i = 0; i < count; ++i) points[i] = moving.points[i][v][k];
        const numeric::ChordOfCurve chord(moving.curve, points, slab.begin, slab.end);
        start[v][k] = chord.start;
        end[v][k] = chord.end;
        most = std::isfinite(chord.deviation) ? std::max(most, chord.deviation) : Impact::inf;
      }
    double& mine = largest.local();
    mine = std::max(mine, most);
  });
  for (const double part : largest) distance = std::max(distance, part);
  if (distance < 0x1p1000) return;
  std::fill(start.begin(), start.end(), Vec3::Zero());
  std::fill(end.begin(), end.end(), Vec3::Zero());
  distance = 0;
}

namespace {

bool comes_first(const StepImpact& a, const StepImpact& b) {
  return std::tie(a.impact.toi, a.kind, a.pair) < std::tie(b.impact.toi, b.kind, b.pair);
}

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
                      : default_pair_strategy(exact_ ? PairSet::meeting : PairSet::overlapping)) {}

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
    for (const broad::Slab& slab : slabs()) {
      best_toi_ = Impact::inf;
      const std::vector<StepImpact> found = search(slab, true);
      if (stopped_) {
        first.impact = Impact::undecided(slab.begin, options_.query.t_max);
        break;
      }
      if (found.empty()) continue;
      static_cast<StepImpact&>(first) = *std::min_element(found.begin(), found.end(), comes_first);
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
    for (const broad::Slab& slab : slabs()) {
      const std::vector<StepImpact> found = search(slab, false);
      all.impacts.insert(all.impacts.end(), found.begin(), found.end());
      if (!stopped_) continue;
      all.complete = false;
      all.verdict = Verdict::undecided;
      all.toi = slab.begin;
      break;
    }
    std::sort(all.impacts.begin(), all.impacts.end(), comes_first);
    if (!all.impacts.empty() && !stopped_) {
      all.verdict = all.impacts[0].impact.verdict;
      all.toi = all.impacts[0].impact.toi;
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

  struct Scratch {
    std::vector<StepImpact> found;
    std::uint64_t pairs = 0;
    Seconds narrow{0};
  };

  // Cuts [0, t_max] into equal slabs, in which features move by about 1.5 of their own size and
  // leave their chords by about a tenth of it. A method that is not exact gets one slab, since its
  // answers would change if the step were searched in parts.
  std::vector<broad::Slab> slabs() const {
    constexpr double most_motion = 16;
    const auto& edges = moving_.mesh.edges;
    const int n = degree(moving_.curve);
    const std::size_t stride = edges.size() / 4096 + 1;
    double motion = 0, bend = 0;
    std::size_t count = 0;
    for (std::size_t e = 0; e < edges.size(); e += stride, ++count) {
      const std::uint32_t v = edges[e][0];
      double size = 0, way = 0, away = 0;
      for (int k = 0; k < 3; ++k) {
        std::array<double, 4> p{};
        for (std::size_t i = 0; i <= static_cast<std::size_t>(n); ++i)
          p[i] = moving_.points[i][v][k];
        p = numeric::bezier_points(moving_.curve, p);
        size = std::max(size, std::abs(p[0] - moving_.points[0][edges[e][1]][k]));
        for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
          way = std::max(way, n * std::abs(p[i + 1] - p[i]));
          if (i > 0) away = std::max(away, std::abs((p[i + 1] - p[i]) - (p[i] - p[i - 1])));
        }
      }
      motion += way > 0 ? std::min(way / size, most_motion) : 0;
      bend += away > 0 ? std::min(away / size, most_motion) : 0;
    }
    double parts = 1;
    if (exact_ && count > 0) {
      const double t_max = options_.query.t_max, edges_seen = static_cast<double>(count);
      parts = std::max(motion / edges_seen * t_max / 1.5,
                       t_max * std::sqrt(n * bend / edges_seen / 0.1));
      parts = std::clamp(std::ceil(parts), 1.0, 16.0);
    }
    std::vector<broad::Slab> result;
    for (double i = 0; i < parts; ++i)
      result.push_back(
          {options_.query.t_max * (i / parts),
           i + 1 < parts ? options_.query.t_max * ((i + 1) / parts) : options_.query.t_max});
    return result;
  }

  // Returns the impacts of the slab: of pairs that touch during it and of edges that pierce faces
  // at the start. With first_only, impacts after the first may be missing. Sets stopped_.
  //
  // Two features that touch at a time of the slab are at that time within 2 * distance of each
  // other along the chords, in the maximum norm, so find_pairs() reports them.
  std::vector<StepImpact> search(const broad::Slab& slab, bool first_only) {
    const auto begin = Clock::now();
    std::optional<Chords> chords;
    broad::with_threads(broad::threads_for(moving_.mesh.vertex_count, run_.threads),
                        [&] { chords.emplace(moving_, slab); });
    PairOptions pairs = options_.pairs;
    pairs.separation = std::nextafter(2 * chords->distance, Impact::inf);
    broad::PerThread<Scratch> scratches;
    const PairConsumer consumer = [&](Kind kind, std::span<const Pair> block) {
      const auto start = Clock::now();
      Scratch& scratch = scratches.local();
      scratch.pairs += block.size();
      examine(slab, kind, block, first_only, scratch.found);
      scratch.narrow += Clock::now() - start;
    };
    const PairStatus status =
        broad::find_pairs({moving_.mesh, chords->start, chords->end}, {0, 1}, consumer, pairs,
                          {run_.threads, run_.stop, {}}, strategy_);
    stopped_ = status == PairStatus::stopped;
    std::vector<StepImpact> found;
    Seconds narrow{0};
    for (Scratch& scratch : scratches) {
      found.insert(found.end(), scratch.found.begin(), scratch.found.end());
      work_.pairs += scratch.pairs;
      narrow += scratch.narrow;
    }
    if (slab.begin == 0 && options_.start_check && !stopped_) {
      const MovingMesh at_start{moving_.mesh, moving_.points[0], moving_.points[0]};
      const auto pierced =
          start_piercings(at_start, options_.pairs.filter, {run_.threads, run_.stop, {}},
                          first_only ? 1 : any_number);
      found.insert(found.end(), pierced.begin(), pierced.end());
      stopped_ = run_.stop && run_.stop->load();
    }
    ++work_.slabs;
    const auto threads = static_cast<double>(std::max<std::size_t>(scratches.size(), 1));
    work_.narrow_seconds += narrow.count() / threads;
    work_.broad_seconds += Seconds(Clock::now() - begin).count() - narrow.count() / threads;
    if (run_.progress && !stopped_) run_.progress(slab.end / options_.query.t_max);
    return found;
  }

  // Returns the answers to pairs of one kind.
  std::vector<Impact> answers(Kind kind, std::span<const Pair> pairs,
                              const Options& options) const {
    std::vector<Impact> impacts(pairs.size());
    for_curved_kind(kind, [&]<class Query, class Make>(Query, Make make) {
      std::vector<Query> queries;
      queries.reserve(pairs.size());
      for (const Pair& pair : pairs) queries.push_back((moving_.*make)(pair.a, pair.b));
      first_contact(std::span<const Query>(queries), std::span(impacts), options, {.threads = 1},
                    method_);
    });
    return impacts;
  }

  void examine(const broad::Slab& slab, Kind kind, std::span<const Pair> pairs, bool first_only,
               std::vector<StepImpact>& found) {
    Options options = options_.query;
    options.t_max = slab.end;
    // Impacts with the best toi so far are still needed: a later pair may come first in the order
    // of ties.
    if (first_only && exact_)
      options.t_max = std::min(slab.end, std::nextafter(best_toi_.load(), Impact::inf));
    const std::vector<Impact> impacts = answers(kind, pairs, options);
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
  std::atomic<double> best_toi_{Impact::inf};
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
