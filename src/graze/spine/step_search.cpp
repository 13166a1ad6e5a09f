#include "graze/step.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "graze/broad/meeting_vertices.h"
#include "graze/broad/moving/pair_forecast.h"
#include "graze/core/numeric/float_environment.h"
#include "graze/spine/pair_radii.h"
#include "graze/spine/search_step.h"

namespace graze {
namespace {

// Limits of a forecast: the number of steps, the allowed deviation in units of the average edge,
// the number of pairs per feature, and the number of steps until the next attempt after a failure.
constexpr int most_steps = 64, most_pause = 31;
constexpr double most_deviation = 0.05, most_pairs = 4;

// Returns the average length of a sample of edges in the maximum norm; 0 without edges.
double average_edge(const Mesh& mesh, std::span<const Vec3> positions) {
  double sum = 0, count = 0;
  for (std::size_t e = 0; e < mesh.edges.size(); e += mesh.edges.size() / 4096 + 1, ++count)
    sum += (positions[mesh.edges[e][0]] - positions[mesh.edges[e][1]]).lpNorm<Eigen::Infinity>();
  return count > 0 ? sum / count : 0;
}

}  // namespace

struct StepSearch::State {
  std::shared_ptr<const Mesh> shared;
  const Mesh& mesh = *shared;
  broad::PairForecast forecast;
  std::vector<Vec3> motion;   // of the last step: end - start
  std::vector<Vec3> ahead;    // the end of a forecast
  int uses = 0;               // of the current forecast
  int steps = 0;              // that the current forecast is made for; 0: there is none
  int limit = most_steps;     // of the steps of the next forecast
  int pause = 0, paused = 0;  // steps between a failed forecast and the next; steps since then
  // Positions at which no edge pierces a face, except where both are static; empty: none known.
  std::array<std::vector<Vec3>, 2> clean;
  std::vector<std::uint8_t> clean_static;  // the static vertices, as in PairFilter
  std::optional<Pair> pierced;  // the first impact, if it was an edge that pierced a face
  Use use;

  explicit State(std::shared_ptr<const Mesh> owned) : shared(std::move(owned)) {}

  // Returns the pairs of a forecast that covers the step; null if there is none.
  const Pairs* forecast_pairs(const MovingMesh& moving, const StepOptions& options, const Run& run);

  // Returns whether it is known that no edge pierces a face at the start of the step.
  bool starts_clean(std::span<const Vec3> start, const PairFilter& filter) const;
  // Stores what the answer of a step proves. `clean_start`: no edge pierces a face at the start.
  void learn(const MovingMesh& moving, const StepOptions& options, bool clean_start,
             Verdict verdict);

 private:
  bool can_forecast(const MovingMesh& moving, const StepOptions& options) const;
  double change_of_motion(const MovingMesh& moving);
  bool renew(const MovingMesh& moving, const StepOptions& options, double change, const Run& run);
  void retire();
};

const Pairs* StepSearch::State::forecast_pairs(const MovingMesh& moving, const StepOptions& options,
                                               const Run& run) {
  const FloatEnvironment environment;
  ++use.all;
  if (!can_forecast(moving, options)) return nullptr;
  const double separation = spine::largest_separation(options);
  const bool covered =
      steps > 0 && forecast.covers(moving.start, moving.end, options.pairs, separation);
  const double change = change_of_motion(moving);
  if (!covered && !renew(moving, options, change, run)) return nullptr;
  ++uses;
  ++use.forecast;
  return &forecast.pairs();
}

bool StepSearch::State::can_forecast(const MovingMesh& moving, const StepOptions& options) const {
  return spine::method_of(options).guarantee == Guarantee::exact && !options.strategy &&
         !options.observer && !options.pairs.filter.admits &&
         moving.start.size() == mesh.vertex_count && moving.end.size() == mesh.vertex_count &&
         is_sensible(options.query) && spine::radii_fit(options, mesh);
}

// Returns the largest change, in the maximum norm, of a vertex's motion since the last step, whose
// motions are first scaled by one fitted factor, since steps may differ in length; infinity if it
// is unknown. Stores the motion.
double StepSearch::State::change_of_motion(const MovingMesh& moving) {
  const bool known = motion.size() == moving.start.size();
  motion.resize(moving.start.size());
  double along = 0, length = 0;
  for (std::size_t v = 0; known && v < motion.size(); v += motion.size() / 4096 + 1) {
    along += motion[v].dot(moving.end[v] - moving.start[v]);
    length += motion[v].squaredNorm();
  }
  const double factor = length > 0 ? along / length : 0;
  double change = 0;
  bool finite = true;
  for (std::size_t v = 0; v < motion.size(); ++v) {
    const Vec3 now = moving.end[v] - moving.start[v];
    const double difference = (now - factor * motion[v]).lpNorm<Eigen::Infinity>();
    finite &= std::isfinite(difference);
    change = std::max(change, difference);
    motion[v] = now;
  }
  return known && finite ? change : Impact::inf;
}

// Makes a forecast that begins with this step. Returns whether it covers the step.
//
// If the motion changes by c per step, positions deviate by c k^2 / 2 from a straight motion after
// k steps. The forecast is made for the largest k, a power of two, for which 1.5 times this is
// small compared with the edges, so that it has few pairs. The last term of `allowed` is for the
// rounding of coordinates.
bool StepSearch::State::renew(const MovingMesh& moving, const StepOptions& options, double change,
                              const Run& run) {
  retire();
  if (paused++ < pause) return false;
  const double edge = average_edge(mesh, moving.start);
  const auto deviation = [&](int k) { return 0.75 * change * k * k; };
  int k = limit;
  while (k > 1 && !(deviation(k) <= most_deviation * edge)) k /= 2;
  if (k == 1) return false;

  ahead.resize(motion.size());
  double largest = 0;
  for (std::size_t v = 0; v < motion.size(); ++v) {
    ahead[v] = moving.start[v] + k * motion[v];
    largest = std::max(
        {largest, ahead[v].lpNorm<Eigen::Infinity>(), moving.start[v].lpNorm<Eigen::Infinity>()});
  }
  const double allowed = deviation(k) + 0x1p-40 * largest;
  const auto features =
      static_cast<double>(mesh.vertex_count + mesh.edges.size() + mesh.faces.size());
  if (!forecast.make({mesh, moving.start, ahead}, options.pairs,
                     spine::largest_separation(options) + 2 * allowed,
                     static_cast<std::size_t>(most_pairs * features), run)) {
    limit = std::max(k / 2, 2);
    pause = std::min(2 * pause + 1, most_pause);
    paused = 0;
    return false;
  }
  steps = k;
  return forecast.covers(moving.start, moving.end, options.pairs,
                         spine::largest_separation(options));
}

// Ends the current forecast. Its number of uses determines the length of the next one and the pause
// before it.
void StepSearch::State::retire() {
  if (steps == 0) return;
  if (uses >= 2) {
    limit = std::min(uses >= steps ? 2 * steps : steps, most_steps);
    pause = 0;
  } else {
    pause = std::min(2 * pause + 1, most_pause);
  }
  paused = 0;
  steps = uses = 0;
  forecast.clear();
}

bool StepSearch::State::starts_clean(std::span<const Vec3> start, const PairFilter& filter) const {
  const auto at_start = [&](const std::vector<Vec3>& positions) {
    return !positions.empty() && std::ranges::equal(positions, start);
  };
  return (at_start(clean[0]) || at_start(clean[1])) &&
         std::ranges::equal(clean_static, filter.is_static);
}

// Claim: if no edge pierces a face at the start, and an exact method finds no contact in [0, 1],
// contacts at the start included, then no edge pierces a face at the end. Edges and faces are those
// without a common vertex that are not both static; static vertices do not move.
// Proof: let edge e pierce face f at the end but not at the start. Strict inequalities between
// continuous functions of time decide whether e pierces f, so there is a last time s < 1 at which e
// does not pierce f. The common points of e and f at later times have a limit: a common point x at
// s. If f has no area at s, it is the union of its sides, and e meets one of them. If e lies in the
// plane of f, an end of e is in f or e meets a side of f. Otherwise x is an end of e, or the ends
// of e are on opposite sides of the plane and x, which is not strictly inside f, is on a side of f.
// So an end of e touches f, or e touches a side of f. Such a pair is a contact at s unless it is
// static: if an end of e and f are, that end is in f at all times, and e never pierces f; if e and
// a side of f are, they touch at all times, so e passes through a side of f at the end as well.
// Other filters may admit e and f but leave out such a pair; with them nothing is stored.
void StepSearch::State::learn(const MovingMesh& moving, const StepOptions& options,
                              bool clean_start, Verdict verdict) {
  const PairFilter& filter = options.pairs.filter;
  if (!clean_start || !broad::MeetingVertices(filter).all() || filter.admits) return;
  bool ends_clean = verdict == Verdict::separated &&
                    spine::method_of(options).guarantee == Guarantee::exact &&
                    options.query.t_max == 1 && options.at_start == StartContacts::report;
  for (std::size_t v = 0; ends_clean && v < filter.is_static.size(); ++v)
    ends_clean = filter.is_static[v] == 0 || moving.start[v] == moving.end[v];
  clean_static.assign(filter.is_static.begin(), filter.is_static.end());
  clean[0].assign(moving.start.begin(), moving.start.end());
  clean[1].clear();
  if (ends_clean) clean[1].assign(moving.end.begin(), moving.end.end());
}

StepSearch::StepSearch(Mesh mesh)
    : state_(std::make_unique<State>(std::make_shared<const Mesh>(std::move(mesh)))) {}
StepSearch::~StepSearch() = default;
StepSearch::StepSearch(StepSearch&&) noexcept = default;
StepSearch& StepSearch::operator=(StepSearch&&) noexcept = default;

const Mesh& StepSearch::mesh() const {
  return state_->mesh;
}
StepSearch::Use StepSearch::use() const {
  return state_->use;
}

FirstImpact StepSearch::earliest_impact(const Positions& start, const Positions& end,
                                        const StepOptions& options, const Run& run) {
  const MovingMesh moving{state_->mesh, start.rows(), end.rows()};
  const bool known = state_->starts_clean(moving.start, options.pairs.filter);
  StepOptions needed = options;
  needed.start_check = options.start_check && !known;
  FirstImpact first = spine::earliest_impact(
      moving, needed, run,
      {.pairs = state_->forecast_pairs(moving, options, run), .pierced_guess = state_->pierced});
  state_->pierced.reset();
  if (first.impact.verdict == Verdict::contact && first.kind == Kind::edge_face)
    state_->pierced = first.pair;
  // A contact at 0 of another kind comes before the edges that pierce faces.
  const Verdict verdict = first.impact.verdict;
  const bool clean = options.start_check && (verdict == Verdict::separated ||
                                             (verdict == Verdict::contact && first.impact.toi > 0));
  state_->learn(moving, options, known || clean, verdict);
  return first;
}

AllImpacts StepSearch::all_impacts(const Positions& start, const Positions& end,
                                   const StepOptions& options, const Run& run) {
  const MovingMesh moving{state_->mesh, start.rows(), end.rows()};
  const bool known = state_->starts_clean(moving.start, options.pairs.filter);
  StepOptions needed = options;
  needed.start_check = options.start_check && !known;
  AllImpacts all =
      spine::all_impacts(moving, needed, run, {state_->forecast_pairs(moving, options, run)});
  const bool clean = options.start_check && all.complete &&
                     std::ranges::none_of(all.impacts, [](const StepImpact& found) {
                       return found.kind == Kind::edge_face;
                     });
  state_->learn(moving, options, known || clean, all.verdict);
  return all;
}

double StepSearch::collision_free_step(const Positions& start, const Positions& end,
                                       double keep_distance, const StepOptions& options,
                                       const Run& run) {
  StepOptions kept = options;
  kept.query.min_separation = keep_distance;
  return spine::free_step(earliest_impact(start, end, kept, run).impact, kept);
}

Candidates StepSearch::candidates(const Positions& start, const Positions& end, double margin,
                                  const PairOptions& options, const Run& run) const {
  return Candidates::find(state_->shared, start, end, margin, options, run,
                          state_->starts_clean(start.rows(), options.filter));
}

}  // namespace graze
