#include "graze/spine/candidates.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "graze/core/numeric/float_environment.h"
#include "graze/spine/distance_bound.h"
#include "graze/spine/pair_radii.h"
#include "graze/spine/start_piercings.h"

namespace graze {

Candidates Candidates::find(std::shared_ptr<const Mesh> mesh, const Positions& start,
                            const Positions& end, double margin, const PairOptions& options,
                            const Run& run, bool clean_start) {
  const FloatEnvironment environment;
  const auto state = std::make_shared<State>();
  state->mesh = std::move(mesh);
  state->margin = margin;
  state->selection = broad::SelectedPairs(options);
  PairOptions selected = options;
  selected.separation = margin;
  const auto fits = [&](std::span<const Vec3> positions) {
    return positions.size() == state->mesh->vertex_count &&
           std::all_of(positions.begin(), positions.end(),
                       [](const Vec3& x) { return x.allFinite(); });
  };
  if (!is_sensible(selected, *state->mesh) || !fits(start.rows()) || !fits(end.rows()))
    return Candidates(state);
  const bool made = state->forecast.make({*state->mesh, start.rows(), end.rows()}, selected, margin,
                                         std::numeric_limits<std::size_t>::max(), run);
  state->status = made ? PairStatus::complete : PairStatus::stopped;
  if (!made) return Candidates(state);
  state->forecast.sort(run);
  if (clean_start) state->pierced = std::make_shared<const std::vector<StepImpact>>();
  return Candidates(state);
}

spine::Known Candidates::State::known(const MovingMesh& moving, const StepOptions& options,
                                      const Run& run,
                                      std::shared_ptr<const std::vector<StepImpact>>& keep) const {
  const FloatEnvironment environment;
  spine::Known known;
  if (spine::method_of(options).guarantee == Guarantee::exact &&
      forecast.covers(moving.start, moving.end, spine::largest_separation(options)))
    known.pairs = &forecast.pairs();
  // Equal bits: the sign of a zero may show in the answer.
  const auto first = forecast.first();
  if (!options.start_check || status != PairStatus::complete ||
      first.size() != moving.start.size() ||
      (!first.empty() && std::memcmp(first.data(), moving.start.data(), first.size_bytes()) != 0))
    return known;
  {
    const std::lock_guard lock(mutex);
    keep = pierced;
  }
  if (!keep) {
    auto found = std::make_shared<const std::vector<StepImpact>>(
        start_piercings(moving, options.pairs.filter, {run.threads, run.stop, {}}));
    if (run.stop && run.stop->load()) return known;
    const std::lock_guard lock(mutex);
    if (!pierced) pierced = std::move(found);
    keep = pierced;
  }
  known.piercings = keep.get();
  return known;
}

PairStatus Candidates::status() const {
  return state_->status;
}
const Mesh& Candidates::mesh() const {
  return *state_->mesh;
}
double Candidates::margin() const {
  return state_->margin;
}
const Pairs& Candidates::pairs() const {
  return state_->forecast.pairs();
}

bool Candidates::covers(const Positions& start, const Positions& end, double separation) const {
  const FloatEnvironment environment;
  return separation >= 0 && state_->forecast.covers(start.rows(), end.rows(), separation);
}

// Promise (4): let two features be d apart at `at`, d > k = keep_distance.
// If they are a candidate, no corner moves by more than (d' - k) / 2 < (d - k) / 2, where d' <= d
// is the proven bound. A point of a feature is a convex combination of its corners, so it moves no
// further from the point with the same weights at `at`: the features stay more than k apart. If
// they are no candidate, they are more than `margin` apart at every time of the motion, in the
// maximum norm. `at` is within D of the motion at some time, so at `at` they are more than margin -
// 2 D apart, and a motion by at most (margin - k) / 2 - D keeps them more than k apart, in the
// maximum norm and hence in the Euclidean norm.
// Both halves are computed with two or three roundings of relative size u = 2^-53 each, which the
// factors 1 - 2^-50 cover, and 2^-1070 covers denormal results.
std::vector<double> Candidates::step_bounds(const Positions& at, double keep_distance,
                                            const Run& run) const {
  if (!covers(at, at, keep_distance)) return {};
  const FloatEnvironment environment;
  const auto half = [&](double length) {
    return std::max(0.0, (length - keep_distance) / 2 * (1 - 0x1p-50) - 0x1p-1070);
  };
  const std::span<const Vec3> x = at.rows();
  const double reach = half(state_->margin), deviation = state_->forecast.distance(x);
  const double cap = std::max(0.0, (reach - deviation) * (1 - 0x1p-50));
  std::vector<double> bounds(x.size(), cap);
  const auto lower = [&](std::uint32_t vertex, double bound) {
    const std::atomic_ref<double> current(bounds[vertex]);
    double old = current.load(std::memory_order_relaxed);
    while (bound < old && !current.compare_exchange_weak(old, bound, std::memory_order_relaxed)) {
    }
  };
  const Mesh& mesh = *state_->mesh;
  const PairConsumer consumer = [&](Kind kind, std::span<const Pair> pairs) {
    for (const Pair& pair : pairs) {
      const double bound = half(spine::distance_bound(mesh, x, kind, pair));
      if (!(bound < cap)) continue;
      const auto lower_edge = [&](std::uint32_t edge) {
        for (const std::uint32_t vertex : mesh.edges[edge]) lower(vertex, bound);
      };
      if (kind == Kind::edge_edge)
        lower_edge(pair.a);
      else
        lower(pair.a, bound);
      if (kind == Kind::vertex_face)
        for (const std::uint32_t vertex : mesh.faces[pair.b]) lower(vertex, bound);
      else if (kind == Kind::vertex_vertex)
        lower(pair.b, bound);
      else
        lower_edge(pair.b);
    }
  };
  if (broad::pass_on(pairs(), consumer, run) == PairStatus::stopped) return {};
  return bounds;
}

Candidates find_candidates(Mesh mesh, const Positions& start, const Positions& end, double margin,
                           const PairOptions& options, const Run& run) {
  return Candidates::find(std::make_shared<const Mesh>(std::move(mesh)), start, end, margin,
                          options, run, false);
}

FirstImpact earliest_impact(const Candidates& candidates, const Positions& start,
                            const Positions& end, const StepOptions& options, const Run& run) {
  const Candidates::State& state = *candidates.state_;
  const MovingMesh moving{*state.mesh, start.rows(), end.rows()};
  StepOptions own = options;
  own.pairs = state.selection.options();
  std::shared_ptr<const std::vector<StepImpact>> keep;
  return spine::earliest_impact(moving, own, run, state.known(moving, own, run, keep));
}

AllImpacts all_impacts(const Candidates& candidates, const Positions& start, const Positions& end,
                       const StepOptions& options, const Run& run) {
  const Candidates::State& state = *candidates.state_;
  const MovingMesh moving{*state.mesh, start.rows(), end.rows()};
  StepOptions own = options;
  own.pairs = state.selection.options();
  std::shared_ptr<const std::vector<StepImpact>> keep;
  return spine::all_impacts(moving, own, run, state.known(moving, own, run, keep));
}

double collision_free_step(const Candidates& candidates, const Positions& start,
                           const Positions& end, double keep_distance, const StepOptions& options,
                           const Run& run) {
  StepOptions kept = options;
  kept.query.min_separation = keep_distance;
  return spine::free_step(earliest_impact(candidates, start, end, kept, run).impact, kept);
}

}  // namespace graze
