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

// Contacts of one step: from positions along velocities to velocities that keep apart.
class ContactStep {
 public:
  ContactStep(const Mesh& mesh, const EdgeModel& model, std::span<const double> inverse_mass,
              double seconds, int threads, std::vector<Vec3>& velocities, EdgeStepReport& report)
      : mesh_(mesh),
        model_(model),
        inverse_mass_(inverse_mass),
        h_(seconds),
        velocities_(velocities),
        report_(report) {
    options_.threads = threads;
    fixed_.resize(inverse_mass.size());
    for (std::size_t i = 0; i < fixed_.size(); ++i)
      fixed_[i] = inverse_mass[i] == 0 && velocities[i].isZero(0);
    options_.filter.fixed = fixed_;
  }

  // Returns the positions at the end of the step.
  std::vector<Vec3> run() {
    move();
    for (; report_.rounds < most_rounds && push_apart(); ++report_.rounds) move();
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
    return reached_pairs({mesh_, model_.positions, end_}, model_.radii, margin, options_);
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
      report_.pushed.push_back(pair);
    }
    return report_.impulses > before;
  }

  const Mesh& mesh_;
  const EdgeModel& model_;
  std::span<const double> inverse_mass_;
  double h_;
  std::vector<Vec3>& velocities_;
  EdgeStepReport& report_;
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
  std::vector<Vec3> velocities = dynamics_->velocities(model_, seconds, report.newton_steps);
  const auto begin = std::chrono::steady_clock::now();
  std::vector<Vec3> end =
      ContactStep(mesh_, model_, inverse_mass_, seconds, threads, velocities, report).run();
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

EdgeSystem::Energy EdgeSystem::energy() const {
  Energy energy;
  for (std::size_t i = 0; i < inverse_mass_.size(); ++i) {
    if (inverse_mass_[i] == 0) continue;
    energy.kinetic += model_.masses[i] / 2 * model_.velocities[i].squaredNorm();
    energy.gravity -= model_.masses[i] * model_.gravity.dot(model_.positions[i]);
  }
  energy.elastic = dynamics_->elastic_energy(model_.positions);
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
