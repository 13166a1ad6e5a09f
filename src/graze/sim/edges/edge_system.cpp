#include "graze/sim/edges/edge_system.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>

#include "graze/earliest_impact.h"
#include "graze/sim/edges/edge_contacts.h"
#include "graze/sim/edges/edge_dynamics.h"
#include "graze/sim/edges/impact_zones.h"

namespace graze {
namespace {

std::vector<double> inverse(const std::vector<double>& masses) {
  std::vector<double> inverses;
  for (const double mass : masses) inverses.push_back(1 / mass);  // infinite: 0
  return inverses;
}

// Impulses know nothing of springs, and stretch by any amount what they push. Where that makes
// energy the step is taken anew with the impulses given at its start, so that springs and cables
// share them among the particles they join. What one such repeat changes is about a fixed part of
// what the one before did; every other time all that would follow is given at once (Aitken).
constexpr int most_repeats = 20;

class Repeats {
 public:
  explicit Repeats(std::span<const double> masses)
      : masses_(masses), last_(masses.size(), Vec3::Zero()) {}

  // To the velocities of the start, what impulses have changed in those of the end.
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
  double last_size_sq_ = 0;  // 0: no ratio can be told
};

// Contacts of one step: from positions along velocities to velocities that keep apart.
class ContactStep {
 public:
  ContactStep(const Mesh& mesh, const EdgeModel& model, std::span<const double> inverse_mass,
              double seconds, int threads, std::vector<Vec3>& velocities, EdgeStepReport& report,
              const MotionObserver& observer)
      : mesh_(mesh),
        model_(model),
        inverse_mass_(inverse_mass),
        h_(seconds),
        velocities_(velocities),
        report_(report),
        observer_(observer) {
    options_.threads = threads;
    fixed_.resize(inverse_mass.size());
    for (std::size_t i = 0; i < fixed_.size(); ++i)
      fixed_[i] = inverse_mass[i] == 0 && velocities[i].isZero(0);
    options_.filter.fixed = fixed_;
  }

  // Changes velocities, earliest impact first, in rounds until nothing approaches. False where none
  // was needed.
  bool give_impulses() {
    int rounds = 0;
    for (move(); rounds < most_rounds && push_apart(); ++rounds) move();
    report_.rounds += rounds;
    return rounds > 0;
  }

  const std::vector<Vec3>& end() const { return end_; }

  // Sees to it that nothing is within reach at any time, and returns the end.
  std::vector<Vec3> finish() {
    ImpactZones zones(end_.size());
    for (int tries = 0; tries < most_zones; ++tries) {
      const auto hard = reached(0);
      if (hard.empty()) return std::move(end_);
      zones.add(hard, inverse_mass_);
      report_.zones = zones.move_as_one(model_.positions, inverse_mass_, velocities_);
      move();
    }
    while (!reached(0).empty()) {
      report_.part = report_.part > 1e-3 ? report_.part / 2 : 0;
      if (report_.part == 0) {
        // What has not moved has not touched. What stops all stops itself.
        for (std::size_t i = 0; i < velocities_.size(); ++i)
          if (inverse_mass_[i] > 0) velocities_[i].setZero();
        return model_.positions;
      }
      move();
    }
    return std::move(end_);
  }

 private:
  static constexpr int most_rounds = 20, most_zones = 10;
  static constexpr double repulsion = 0.1;  // of what is missing to the margin, made up per step

  void move() {
    end_.resize(model_.positions.size());
    for (std::size_t i = 0; i < end_.size(); ++i)
      end_[i] = model_.positions[i] + report_.part * h_ * velocities_[i];
  }

  std::vector<ReachedPair> reached(double margin) const {
    return reached_pairs({mesh_, model_.positions, end_}, model_.radii, margin, options_,
                         observer_);
  }

  // One round of impulses; false where none was needed.
  bool push_apart() {
    const std::size_t before = report_.impulses;
    // What gravity does in a step is no impact: things at rest do not bounce.
    const double resting = 2 * h_ * model_.gravity.norm();
    for (const ReachedPair& pair : reached(model_.margin)) {
      ImpulseLaw law = model_.law;
      const double approach = -pair.normal.dot(pair.stencil.between(velocities_));
      if (approach < resting) law.restitution = 0;
      const double gap = pair.normal.dot(pair.stencil.between(model_.positions));
      law.parting = std::max(0.0, repulsion * (pair.reach - gap) / h_);
      if (approach + law.parting <= 1e-4 * model_.margin / h_) continue;  // near enough
      if (apply_impulse(pair.stencil, pair.normal, law, inverse_mass_, velocities_).isZero(0))
        continue;
      ++report_.impulses;
      if (report_.repeats == 0) report_.pushed.push_back(pair);
    }
    return report_.impulses > before;
  }

  const Mesh& mesh_;
  const EdgeModel& model_;
  std::span<const double> inverse_mass_;
  double h_;
  std::vector<Vec3>& velocities_;
  EdgeStepReport& report_;
  const MotionObserver& observer_;
  PairOptions options_;
  std::vector<std::uint8_t> fixed_;
  std::vector<Vec3> end_;
};

}  // namespace

Mesh mesh_of(const EdgeModel& model) {
  std::vector<Edge> edges = model.edges;
  for (const Spring& spring : model.springs) edges.push_back(spring.ends);
  for (const CableModel& cable : model.cables)
    for (std::size_t i = 0; i + 1 < cable.particles.size(); ++i)
      edges.push_back({cable.particles[i], cable.particles[i + 1]});
  return make_mesh(model.positions.size(), model.faces, edges);
}

EdgeSystem::EdgeSystem(EdgeModel model)
    : model_(std::move(model)),
      mesh_(mesh_of(model_)),
      inverse_mass_(inverse(model_.masses)),
      dynamics_(std::make_unique<EdgeDynamics>(model_)) {
  assert(problem(model_).empty());
}
EdgeSystem::EdgeSystem(EdgeSystem&&) noexcept = default;
EdgeSystem& EdgeSystem::operator=(EdgeSystem&&) noexcept = default;
EdgeSystem::~EdgeSystem() = default;

EdgeStepReport EdgeSystem::step(double seconds, int threads) {
  EdgeStepReport report;
  std::vector<Vec3> velocities =
      dynamics_->velocities(model_, seconds, model_.velocities, report.newton_steps);
  const auto begin = std::chrono::steady_clock::now();
  ContactStep contact(mesh_, model_, inverse_mass_, seconds, threads, velocities, report,
                      observer_);
  const double energy_before = energy().total();
  Repeats repeats(model_.masses);
  for (std::vector<Vec3> before = velocities;
       contact.give_impulses() && report.repeats < most_repeats &&
       energy(contact.end(), velocities).total() > energy_before;
       before = velocities, ++report.repeats) {
    repeats.add(before, velocities, model_.velocities);
    velocities = dynamics_->velocities(model_, seconds, velocities, report.newton_steps);
  }
  std::vector<Vec3> end = contact.finish();
  report.contact_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (monitor_) {
    StepOptions options;
    options.pairs.shared_vertices = true;
    options.pairs.threads = threads;
    report.crossed =
        earliest_impact(MovingMesh{mesh_, model_.positions, end}, options).impact.verdict !=
        Verdict::separated;
  }
  model_.positions = std::move(end);
  model_.velocities = std::move(velocities);
  dynamics_->carry(model_.positions);
  time_ += seconds;
  return report;
}

EdgeSystem::Energy EdgeSystem::energy(std::span<const Vec3> x, std::span<const Vec3> v) const {
  Energy energy;
  for (std::size_t i = 0; i < inverse_mass_.size(); ++i) {
    if (inverse_mass_[i] == 0) continue;
    energy.kinetic += model_.masses[i] / 2 * v[i].squaredNorm();
    energy.gravity -= model_.masses[i] * model_.gravity.dot(x[i]);
    if (!model_.forces.empty()) energy.forces -= model_.forces[i].dot(x[i]);
  }
  energy.elastic = dynamics_->elastic_energy(x);
  return energy;
}

Vec3 EdgeSystem::momentum() const {
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < inverse_mass_.size(); ++i)
    if (inverse_mass_[i] > 0) sum += model_.masses[i] * model_.velocities[i];
  return sum;
}

Vec3 EdgeSystem::angular_momentum() const {
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < inverse_mass_.size(); ++i)
    if (inverse_mass_[i] > 0)
      sum += model_.masses[i] * model_.positions[i].cross(model_.velocities[i]);
  return sum;
}

EdgeSystem::State EdgeSystem::state() const {
  State state{time_, model_.positions, model_.velocities, {}, dynamics_->tensions()};
  for (const CableElasticity& cable : dynamics_->cables()) state.frames.push_back(cable.frames());
  return state;
}

void EdgeSystem::restore(const State& state) {
  assert(state.positions.size() == model_.positions.size());
  time_ = state.time;
  model_.positions = state.positions;
  model_.velocities = state.velocities;
  dynamics_->tensions() = state.tensions;
  for (std::size_t i = 0; i < state.frames.size(); ++i)
    dynamics_->cables()[i].set_frames(state.frames[i]);
}

}  // namespace graze
