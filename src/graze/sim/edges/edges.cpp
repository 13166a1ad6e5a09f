#include "graze/sim/edges.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <functional>

#include "graze/separation.h"
#include "graze/sim/contact_stencil.h"
#include "graze/sim/edges/edge_contacts.h"
#include "graze/sim/edges/edge_dynamics.h"
#include "graze/sim/edges/impact_zones.h"
#include "graze/sim/inner_run.h"
#include "graze/sim/monitor.h"

namespace graze::sim::edges {
namespace {

std::vector<double> inverse(const std::vector<double>& masses) {
  std::vector<double> inverses;
  for (const double mass : masses) inverses.push_back(1 / mass);  // infinite: 0
  return inverses;
}

// Returns the energies at positions x and velocities v. A mass whose inverse is 0 counts as
// infinite.
Energy energy_of(const Model& model, std::span<const Vec3> x, std::span<const Vec3> v,
                 double elastic) {
  Energy energy;
  for (std::size_t i = 0; i < model.masses.size(); ++i) {
    if (1 / model.masses[i] == 0) continue;
    energy.kinetic += model.masses[i] / 2 * v[i].squaredNorm();
    energy.gravity -= model.masses[i] * model.gravity.dot(x[i]);
    if (!model.forces.empty()) energy.forces -= model.forces[i].dot(x[i]);
  }
  energy.elastic = elastic;
  return energy;
}

// Impulses ignore springs and may stretch them by any amount. If that adds energy, the step is
// repeated with the impulses applied at its start, so that springs and cables distribute them over
// the particles they join. The changes of successive repeats form nearly a geometric sequence, so
// every other repeat adds its extrapolated sum (Aitken).
constexpr int most_repeats = 20;

// Rounds of impulses. With springs few rounds suffice, or the impulses act on the whole step.
constexpr int most_rounds = 20, most_rounds_at_impact = 4;

class Repeats {
 public:
  explicit Repeats(std::span<const double> masses)
      : masses_(masses), last_(masses.size(), Vec3::Zero()) {}

  // Adds the change that the impulses made, after - before, to the velocities at the start.
  void add(std::span<const Vec3> before, std::span<const Vec3> after, std::span<Vec3> start) {
    std::vector<Vec3> change(masses_.size(), Vec3::Zero());
    double size_sq = 0, product = 0;
    for (std::size_t i = 0; i < change.size(); ++i) {
      if (std::isinf(masses_[i])) continue;
      change[i] = after[i] - before[i];
      size_sq += masses_[i] * change[i].squaredNorm();
      product += masses_[i] * change[i].dot(last_[i]);
    }
    const double ratio = last_size_sq_ > 0 ? std::clamp(product / last_size_sq_, 0.0, 0.7) : 0;
    for (std::size_t i = 0; i < change.size(); ++i) start[i] += change[i] / (1 - ratio);
    last_ = std::move(change);
    last_size_sq_ = ratio > 0 ? 0 : size_sq;
  }

 private:
  std::span<const double> masses_;
  std::vector<Vec3> last_;
  double last_size_sq_ = 0;  // 0: the ratio is unknown
};

// Reads run.stop and remembers that it was set.
class StopFlag {
 public:
  explicit StopFlag(const Run& run) : run_(run) {}

  bool is_set() { return seen_ = seen_ || is_stopped(run_); }

 private:
  const Run& run_;
  bool seen_ = false;
};

// The contacts of one step: changes velocities and ways until nothing meets on the way to the end.
//
// An impulse acts at a time of the step and at the positions of that time: before it a particle
// moves with its old velocity, after it with the new one. So an impulse at the fraction t changes
// the end by (1 - t) h times the change dv of the velocity. With x the positions at the end and
// y = x - (1 - t) h v those at the impulse, the angular momentum changes by
//   sum m (x + (1 - t) h dv) x (v + dv) - sum m x x v = sum y x m dv = (sum weight y) x impulse,
// which is 0 if the impulse is parallel to the vector between the closest points at y (no
// friction). This holds in any order of the impulses.
//
// The later an impulse acts, the less it moves the end. In stiff models with many contacts some
// pairs then still meet, or springs are stretched. As an alternative the impulses of a step act on
// the whole step, that is on the velocities from its start on: the end changes by h dv.
class ContactStep {
 public:
  enum class Act { at_impact, on_whole_step };

  ContactStep(const Mesh& mesh, const Model& model, std::span<const Vec3> positions,
              std::span<const double> inverse_mass, const Options& options, const Run& run,
              StopFlag& stop, std::vector<Vec3>& velocities, Report& report)
      : mesh_(mesh),
        model_(model),
        positions_(positions),
        inverse_mass_(inverse_mass),
        h_(options.seconds),
        velocities_(velocities),
        report_(report),
        observer_(options.observer),
        stop_(stop) {
    // A search that stops would return a part of the pairs: only rounds are stopped.
    run_.threads = run.threads;
    fixed_.resize(inverse_mass.size());
    for (std::size_t i = 0; i < fixed_.size(); ++i)
      fixed_[i] = inverse_mass[i] == 0 && velocities[i].isZero(0);
  }

  // Applies impulses, earliest impact first, in rounds until no pair approaches or the run is
  // stopped, or until is_vain() after a round: the caller then discards the end of the step.
  // Returns false if none was needed.
  bool give_impulses(Act act, int rounds_at_most, const std::function<bool()>& is_vain) {
    act_ = act;
    const int before_vain = act_ == Act::at_impact ? 1 : rounds_of_repeat;
    int rounds = 0;
    for (go_straight(); rounds < rounds_at_most && !stop_.is_set() && push_apart();) {
      if (act_ == Act::on_whole_step) go_straight();
      if (++rounds >= before_vain && is_vain()) break;
    }
    report_.rounds += rounds;
    is_done_ = rounds < rounds_at_most;
    return rounds > 0;
  }

  // Returns false if the last rounds ended because there were too many.
  bool is_done() const { return is_done_; }

  const std::vector<Vec3>& end() const { return end_; }

  // Returns whether no two features come within their radii on the straight way to the end.
  bool is_free() { return is_finite() && touching().empty(); }

  // Separates the remaining pairs by rigid zones, then by a smaller part of the motion, and returns
  // the end positions; the result has no meaning if the run is stopped.
  std::vector<Vec3> finish() {
    ImpactZones zones(end_.size());
    for (int tries = 0; tries < most_zones && is_finite() && !stop_.is_set(); ++tries) {
      const auto hard = touching();
      if (hard.empty()) return std::move(end_);
      zones.add(hard, inverse_mass_);
      report_.zones = zones.move_as_one(positions_, end_, inverse_mass_, velocities_);
      for (std::size_t i = 0; i < way_.size(); ++i)
        if (zones.contains(i)) way_[i] = h_ * velocities_[i];
      move();
    }
    while (!stop_.is_set() && !is_free()) {
      report_.part = report_.part > 1e-3 ? report_.part / 2 : 0;
      if (report_.part == 0) {
        // Without motion there is no contact; the velocities of the free particles become 0.
        for (std::size_t i = 0; i < velocities_.size(); ++i)
          if (inverse_mass_[i] > 0) velocities_[i].setZero();
        return {positions_.begin(), positions_.end()};
      }
      move();
    }
    return std::move(end_);
  }

 private:
  static constexpr int most_zones = 10, most_sweeps = 10;
  static constexpr int rounds_of_repeat = 2;  // after these a step may be repeated
  static constexpr double repulsion = 0.1;    // fraction of the missing margin that a step restores

  // Sets the ways of all particles to those of their velocities, without impulses.
  void go_straight() {
    way_.resize(positions_.size());
    for (std::size_t i = 0; i < way_.size(); ++i) way_[i] = h_ * velocities_[i];
    last_.assign(way_.size(), 0);
    place_.resize(way_.size());
    move();
  }

  void move() {
    end_.resize(positions_.size());
    for (std::size_t i = 0; i < end_.size(); ++i) end_[i] = positions_[i] + report_.part * way_[i];
  }

  bool is_finite() const {
    return std::ranges::all_of(end_, [](const Vec3& x) { return x.allFinite(); });
  }

  // Finds the pairs within radii and margin on the way to the end. Most particles have the same end
  // as in the last round: pairs of such particles are kept, only the others are searched. Each pair
  // depends on the ways of its own particles alone, so the result is that of a full search. The
  // impulses on the whole step start from the same ways as those at impact: the first pairs are
  // kept, too.
  void find_near() {
    if (end_ == first_end_) {
      near_ = first_near_;
      near_end_ = end_;
      return;
    }
    std::vector<std::uint8_t> is_kept = fixed_;
    if (near_end_.size() == end_.size()) {
      std::size_t moved = 0;
      for (std::size_t i = 0; i < end_.size(); ++i) {
        is_kept[i] = end_[i] == near_end_[i];
        moved += is_kept[i] == 0;
      }
      if (moved == 0) return;
      std::erase_if(near_, [&](const Contact& pair) {
        const std::span vertices(pair.stencil.vertices.data(), pair.stencil.size);
        return std::ranges::any_of(vertices, [&](std::uint32_t i) { return is_kept[i] == 0; });
      });
    }
    PairOptions options;
    options.filter.is_static = is_kept;
    const std::vector<Contact> found = reached_pairs({mesh_, positions_, end_}, model_.radii,
                                                     model_.margin, options, run_, observer_);
    near_.insert(near_.end(), found.begin(), found.end());
    sort_by_time(near_);
    near_end_ = end_;
    if (first_end_.empty()) {
      first_end_ = end_;
      first_near_ = near_;
    }
  }

  // Returns the pairs that come within their radii on the way to the end.
  std::vector<Contact> touching() {
    find_near();
    return still_reached({mesh_, positions_, end_}, model_.radii, 0, near_);
  }

  template <class Query>
  ContactStencil closest(const Contact& pair, const Query& query) const {
    const ClosestPoints at = closest_points(query, 0, Norm::l2);
    return contact_stencil(mesh_, pair.kind, pair.pair, at.u, at.v);
  }

  // Moves the contact to the time at which its impulse acts: the later one of its toi and the last
  // impulses on its particles. At this time the particles are on the ways that the impulses so far
  // have given them, which are straight since the last impulse, so that they are found by going
  // back from the end. Returns the distance of the closest points there, negative if they have
  // changed sides.
  double meet(Contact& pair) {
    const std::span vertices(pair.stencil.vertices.data(), pair.stencil.size);
    bool on_straight_way = true;
    for (const std::uint32_t i : vertices) {
      pair.toi = std::max(pair.toi, last_[i]);
      on_straight_way = on_straight_way && last_[i] == 0;
    }
    for (const std::uint32_t i : vertices)
      place_[i] = end_[i] - (1 - pair.toi) * h_ * velocities_[i];
    if (!on_straight_way) {
      const MovingMesh still{mesh_, place_, place_};
      const auto [a, b] = pair.pair;
      switch (pair.kind) {
        case Kind::vertex_face:
          pair.stencil = closest(pair, still.vertex_face(a, b));
          break;
        case Kind::edge_edge:
          pair.stencil = closest(pair, still.edge_edge(a, b));
          break;
        case Kind::vertex_edge:
          pair.stencil = closest(pair, still.vertex_edge(a, b));
          break;
        case Kind::vertex_vertex:
          pair.stencil = closest(pair, still.vertex_vertex(a, b));
          break;
        case Kind::edge_face:  // no pair of find_pairs()
          break;
      }
    }
    // The impulse must be parallel to the vector between the points, or it has a moment.
    const Vec3 between = pair.stencil.between(place_);
    const double distance = between.norm();
    if (distance == 0) return 0;
    const double side = pair.normal.dot(between) < 0 ? -1 : 1;
    pair.normal = side / distance * between;
    return side * distance;
  }

  // Applies one round of impulses. Returns false if none was needed.
  bool push_apart() {
    if (!is_finite()) return false;
    const std::size_t before = report_.impulses;
    find_near();
    if (act_ == Act::at_impact)
      push_at_impact();
    else
      push_on_whole_step();
    return report_.impulses > before;
  }

  // Gives a pair that approaches and is `gap` apart an impulse. Returns false if none was needed.
  bool push(const Contact& pair, double gap) {
    // Below the speed that gravity adds in two steps a contact is resting: it does not bounce.
    const double resting = 2 * h_ * model_.gravity.norm();
    ImpulseLaw law = model_.law;
    const double approach = -pair.normal.dot(pair.stencil.between(velocities_));
    if (approach < resting) law.restitution = 0;
    law.parting = std::max(0.0, repulsion * (pair.reach - gap) / h_);
    if (approach + law.parting <= 1e-4 * model_.margin / h_) return false;  // negligible
    if (apply_impulse(pair.stencil, pair.normal, law, inverse_mass_, velocities_).isZero(0))
      return false;
    ++report_.impulses;
    return true;
  }

  void push_at_impact() {
    std::vector<std::uint8_t> pushed(way_.size());
    for (Contact pair : near_) {
      const double gap = meet(pair);
      const std::span vertices(pair.stencil.vertices.data(), pair.stencil.size);
      // If the impulses of this round have changed the way to this contact, the next round finds it
      // again at its new time.
      const bool changed =
          std::ranges::any_of(vertices, [&](std::uint32_t i) { return pushed[i] != 0; });
      if (changed && gap > pair.reach * (1 + 1e-6)) continue;
      if (!push(pair, gap)) continue;
      for (const std::uint32_t i : vertices) {
        if (inverse_mass_[i] == 0) continue;
        way_[i] = place_[i] - positions_[i] + (1 - pair.toi) * h_ * velocities_[i];
        end_[i] = positions_[i] + way_[i];
        last_[i] = pair.toi;
        pushed[i] = 1;
      }
      if (report_.repeats == 0) report_.contacts.push_back(pair);
    }
  }

  // Sweeps over the pairs until none approaches, at the positions of the start; points and normals
  // stay those of toi. A search costs far more than a sweep. After the first sweep, pairs whose
  // particles were not pushed since are skipped, and pairs that stay out of reach along their
  // normal.
  void push_on_whole_step() {
    std::vector<std::uint8_t> given(near_.size());
    std::vector<int> last_sweep(way_.size(), -1);
    bool pushed = true;
    for (int sweep = 0; sweep < most_sweeps && pushed; ++sweep) {
      pushed = false;
      for (std::size_t k = 0; k < near_.size(); ++k) {
        const Contact& pair = near_[k];
        const std::span vertices(pair.stencil.vertices.data(), pair.stencil.size);
        const double gap = pair.normal.dot(pair.stencil.between(positions_));
        if (sweep > 0) {
          const bool changed = std::ranges::any_of(
              vertices, [&](std::uint32_t i) { return last_sweep[i] >= sweep - 1; });
          if (!changed ||
              gap + h_ * pair.normal.dot(pair.stencil.between(velocities_)) > pair.reach)
            continue;
        }
        if (!push(pair, gap)) continue;
        pushed = true;
        for (const std::uint32_t i : vertices) last_sweep[i] = sweep;
        if (report_.repeats == 0 && given[k] == 0) report_.contacts.push_back(pair);
        given[k] = 1;
      }
    }
  }

  const Mesh& mesh_;
  const Model& model_;
  std::span<const Vec3> positions_;
  std::span<const double> inverse_mass_;
  double h_;
  std::vector<Vec3>& velocities_;
  Report& report_;
  const MotionObserver& observer_;
  StopFlag& stop_;
  Run run_;
  std::vector<std::uint8_t> fixed_;
  Act act_ = Act::at_impact;
  bool is_done_ = true;
  std::vector<Vec3> way_;       // displacements over the whole step
  std::vector<Vec3> end_;       // positions after the part of the ways that is taken
  std::vector<Contact> near_;   // pairs within radii and margin on a way, in their order of time
  std::vector<Vec3> near_end_;  // the end of that way; empty: near_ is unknown
  std::vector<Contact> first_near_;  // near_ of the first search
  std::vector<Vec3> first_end_;      // its end_
  std::vector<double> last_;  // fraction of the step at which a particle received its last impulse
  std::vector<Vec3> place_;  // scratch: positions at the time of an impulse, of its particles alone
};

bool is_valid(const Model& model, const State& state, const Mesh& mesh, const Options& options) {
  const auto fit = [&](const std::vector<Vec3>& vectors) {
    return vectors.size() == mesh.vertex_count &&
           std::ranges::all_of(vectors, [](const Vec3& x) { return x.allFinite(); });
  };
  std::size_t springs = model.springs.size();
  for (const Cable& cable : model.cables) springs += cable.particles.size() - 1;
  return std::isfinite(options.seconds) && options.seconds > 0 &&
         model.positions.size() == mesh.vertex_count && fit(state.positions) &&
         fit(state.velocities) && state.tensions.size() == springs &&
         std::ranges::equal(state.frames, model.cables, [](const auto& frames, const Cable& cable) {
           return frames.size() + 1 == cable.particles.size();
         });
}

Report report_of(Verdict verdict) {
  Report report;
  report.verdict = verdict;
  return report;
}

}  // namespace

Mesh mesh_of(const Model& model) {
  std::vector<Edge> edges = model.edges;
  for (const Spring& spring : model.springs) edges.push_back(spring.ends);
  for (const Cable& cable : model.cables)
    for (std::size_t i = 0; i + 1 < cable.particles.size(); ++i)
      edges.push_back({cable.particles[i], cable.particles[i + 1]});
  return make_mesh(model.positions.size(), model.faces, edges);
}

State start(const Model& model) {
  State state{0, model.positions, model.velocities, {}, {}};
  state.tensions.resize(all_springs(model).size());
  for (const Cable& cable : model.cables)
    state.frames.push_back(CableElasticity(cable, model.positions).frames());
  return state;
}

struct Workspace::Data {
  explicit Data(const Model& model)
      : mesh(mesh_of(model)), inverse_mass(inverse(model.masses)), dynamics(model) {}

  Mesh mesh;
  std::vector<double> inverse_mass;
  EdgeDynamics dynamics;
};

Workspace::Workspace(const Model& model) : data_(std::make_unique<Data>(model)) {
  assert(problem(model).empty());
}
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;
Workspace::~Workspace() = default;

const Mesh& Workspace::mesh() const {
  return data_->mesh;
}

Report step(const Model& model, State& state, Workspace& workspace, const Options& options,
            const Run& run) {
  const Mesh& mesh = workspace.data_->mesh;
  const std::vector<double>& inverse_mass = workspace.data_->inverse_mass;
  EdgeDynamics& dynamics = workspace.data_->dynamics;
  if (!is_valid(model, state, mesh, options)) return report_of(Verdict::invalid);
  StopFlag stop(run);
  if (stop.is_set()) return report_of(Verdict::undecided);
  dynamics.load(state);
  const auto energy_at = [&](std::span<const Vec3> x, std::span<const Vec3> v) {
    return energy_of(model, x, v, dynamics.elastic_energy(x)).total();
  };
  Report report;
  State next = state;  // its velocities are those of the start, with the impulses of repeats
  std::vector<Vec3> velocities = dynamics.velocities(model, next, options.seconds,
                                                     {next.velocities}, report.newton_steps, run);
  const auto begin = std::chrono::steady_clock::now();
  ContactStep contact(mesh, model, state.positions, inverse_mass, options, run, stop, velocities,
                      report);
  const double energy_before = energy_at(state.positions, state.velocities);
  const bool elastic = !model.springs.empty() || !model.cables.empty();
  const std::vector<Vec3> predicted = velocities;
  const auto gains = [&] {
    return elastic && energy_at(contact.end(), velocities) > energy_before;
  };
  const bool pushed = contact.give_impulses(ContactStep::Act::at_impact,
                                            elastic ? most_rounds_at_impact : most_rounds, gains);
  if (pushed && elastic && (gains() || !contact.is_free())) {
    velocities = predicted;
    report.whole_step = true;
    report.impulses = 0;
    report.contacts.clear();
    Repeats repeats(model.masses);
    const auto is_vain = [&] { return report.repeats < most_repeats && gains(); };
    for (std::vector<Vec3> before = velocities;
         contact.give_impulses(ContactStep::Act::on_whole_step, most_rounds, is_vain) &&
         report.repeats < most_repeats && (gains() || !contact.is_done());
         before = velocities, ++report.repeats) {
      repeats.add(before, velocities, next.velocities);
      velocities = dynamics.velocities(model, next, options.seconds, {velocities, before},
                                       report.newton_steps, run);
    }
  }
  std::vector<Vec3> end = contact.finish();
  if (stop.is_set()) return report_of(Verdict::undecided);
  report.contact_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  next.positions = std::move(end);
  next.velocities = std::move(velocities);
  dynamics.carry(next.positions);
  dynamics.store(next);
  next.time += options.seconds;
  if (options.monitor) options.monitor(state, next);
  state = std::move(next);
  return report;
}

Report step(const Model& model, State& state, const Options& options, const Run& run) {
  Workspace workspace(model);
  return step(model, state, workspace, options, run);
}

Crossing find_crossing(const Mesh& mesh, const State& before, const State& after, const Run& run) {
  PairOptions pairs;
  pairs.shared_vertices = true;
  const FirstImpact first = first_crossing({mesh, before.positions, after.positions}, pairs, run);
  return {first.impact.verdict, first.kind, first.pair, first.impact.toi};
}

Energy energy(const Model& model, const State& state) {
  std::vector<CableElasticity> cables;
  for (std::size_t i = 0; i < model.cables.size(); ++i) {
    cables.emplace_back(model.cables[i], model.positions);
    cables.back().set_frames(state.frames[i]);
  }
  return energy_of(model, state.positions, state.velocities,
                   elastic_energy(all_springs(model), cables, state.positions));
}

Vec3 momentum(const Model& model, const State& state) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < model.masses.size(); ++i)
    if (std::isfinite(model.masses[i])) sum += model.masses[i] * state.velocities[i];
  return sum;
}

Vec3 angular_momentum(const Model& model, const State& state) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < model.masses.size(); ++i)
    if (std::isfinite(model.masses[i]))
      sum += model.masses[i] * state.positions[i].cross(state.velocities[i]);
  return sum;
}

}  // namespace graze::sim::edges
