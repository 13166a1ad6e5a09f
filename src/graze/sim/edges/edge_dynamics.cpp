#include "graze/sim/edges/edge_dynamics.h"

#include <algorithm>
#include <cmath>

#include "graze/sim/inner_run.h"

namespace graze::sim::edges {
namespace {

Eigen::Index at(std::size_t particle) {
  return 3 * static_cast<Eigen::Index>(particle);
}

BlockMatrix curvature_of(const Model& model) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const Spring& spring : model.springs) pairs.emplace_back(spring.ends[0], spring.ends[1]);
  for (const Cable& cable : model.cables)
    for (std::size_t i = 0; i < cable.particles.size(); ++i)
      for (std::size_t j = i + 1; j < std::min(i + 3, cable.particles.size()); ++j)
        pairs.emplace_back(cable.particles[i], cable.particles[j]);
  return {model.positions.size(), pairs};
}

std::vector<std::vector<std::uint32_t>> lines_of(const Model& model) {
  std::vector<std::vector<std::uint32_t>> lines;
  for (const Cable& cable : model.cables) lines.push_back(cable.particles);
  return lines;
}

// Returns the accuracy of a linear solution. Springs and cables need several Newton steps for their
// changes of direction, however exact each of these is. Rigid links need exact steps, or they do
// not reach their length.
double accuracy_of(std::span<const Spring> springs) {
  const bool has_rigid = std::ranges::any_of(
      springs, [](const Spring& spring) { return std::isinf(spring.stiffness); });
  return has_rigid ? 1e-3 : 0.1;
}

}  // namespace

std::vector<Spring> all_springs(const Model& model) {
  std::vector<Spring> springs = model.springs;
  for (const Cable& cable : model.cables)
    for (std::size_t i = 0; i + 1 < cable.particles.size(); ++i) {
      const std::uint32_t a = cable.particles[i], b = cable.particles[i + 1];
      const double length = (model.positions[b] - model.positions[a]).norm();
      springs.push_back({{a, b}, length, cable.stretch / length});
    }
  return springs;
}

class EdgeDynamics::Step {
 public:
  Step(EdgeDynamics& dynamics, const Model& model, const State& state, double seconds)
      : d_(dynamics), model_(model), state_(state), h_(seconds), cables_(dynamics.cables_) {
    const std::size_t count = state.positions.size();
    x_.resize(count);
    goal_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      x_[i] = goal_[i] = state.positions[i] + h_ * state.velocities[i];
      if (!is_free(i)) continue;
      goal_[i] += h_ * h_ * model.gravity;
      if (!model.forces.empty()) goal_[i] += h_ * h_ * d_.inverse_mass_[i] * model.forces[i];
      x_[i] = state.positions[i];
    }
  }

  std::vector<Vec3> solve(std::initializer_list<std::span<const Vec3>> guesses, int& newton_steps,
                          const Run& run) {
    const double at_start = objective(x_);
    double least = at_start;
    std::vector<Vec3> onward = x_;
    for (const std::span<const Vec3> guess : guesses) {
      for (std::size_t i = 0; i < x_.size(); ++i)
        if (is_free(i)) onward[i] = state_.positions[i] + h_ * guess[i];
      const double reached = objective(onward);
      if (!(reached < least)) continue;
      x_ = onward;
      least = reached;
    }
    gained_ = at_start - least;
    while (newton_steps < most_steps && !is_stopped(run) && newton_step()) ++newton_steps;
    std::vector<Vec3> velocities = state_.velocities;
    for (std::size_t i = 0; i < x_.size(); ++i)
      if (is_free(i)) velocities[i] = (x_[i] - state_.positions[i]) / h_;
    return velocities;
  }

 private:
  static constexpr int most_steps = 8;

  bool is_free(std::size_t i) const { return d_.inverse_mass_[i] > 0; }

  // The stiffness of a spring. A constraint gets the largest stiffness at which the solver keeps
  // enough digits.
  double stiffness(const Spring& spring) const {
    if (std::isfinite(spring.stiffness)) return spring.stiffness;
    const double mobility = d_.inverse_mass_[spring.ends[0]] + d_.inverse_mass_[spring.ends[1]];
    return mobility > 0 ? 1e5 / (mobility * h_ * h_) : 0;
  }

  double objective(std::span<const Vec3> x) const {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (is_free(i))
        sum += ((x[i] - goal_[i]).squaredNorm() / (h_ * h_) +
                model_.drag / h_ * (x[i] - state_.positions[i]).squaredNorm()) /
               (2 * d_.inverse_mass_[i]);
    for (std::size_t s = 0; s < d_.springs_.size(); ++s) {
      const Spring& spring = d_.springs_[s];
      const double longer = (x[spring.ends[1]] - x[spring.ends[0]]).norm() - spring.length;
      sum += stiffness(spring) / 2 * longer * longer + d_.tensions_[s] * longer;
    }
    for (const CableElasticity& cable : cables_) sum += cable.energy(x);
    return sum;
  }

  // Computes gradient and curvature of the objective at x_, with pinned particles fixed.
  void linearize(Eigen::VectorXd& gradient, BlockMatrix& curvature) const {
    using Eigen::Matrix3d;
    gradient.setZero(at(x_.size()));
    curvature.set_zero();
    for (std::size_t s = 0; s < d_.springs_.size(); ++s) {
      const auto& [ends, rest, given] = d_.springs_[s];
      const Vec3 e = x_[ends[1]] - x_[ends[0]];
      const double length = e.norm(), k = stiffness(d_.springs_[s]);
      if (length == 0) continue;
      const Vec3 n = e / length;
      const double force = k * (length - rest) + d_.tensions_[s];
      gradient.segment<3>(at(ends[0])) -= force * n;
      gradient.segment<3>(at(ends[1])) += force * n;
      // k along the spring; max(force / length, 0) across it.
      const Matrix3d nn = n * n.transpose();
      const Matrix3d block = k * nn + std::max(force / length, 0.0) * (Matrix3d::Identity() - nn);
      for (const int a : {0, 1})
        for (const int b : {0, 1})
          curvature.add(ends[std::size_t(a)], ends[std::size_t(b)],
                        a == b ? block : Matrix3d(-block));
    }
    for (const CableElasticity& cable : cables_) {
      cable.add_gradient(x_, gradient);
      cable.add_curvature(x_, curvature);
    }
    for (std::size_t i = 0; i < x_.size(); ++i) {
      double inertia = held;
      if (is_free(i)) {
        inertia = (1 / (h_ * h_) + model_.drag / h_) / d_.inverse_mass_[i];
        gradient.segment<3>(at(i)) +=
            ((x_[i] - goal_[i]) / (h_ * h_) + model_.drag / h_ * (x_[i] - state_.positions[i])) /
            d_.inverse_mass_[i];
      } else {
        gradient.segment<3>(at(i)).setZero();
      }
      const auto particle = static_cast<std::uint32_t>(i);
      curvature.add(particle, particle, inertia * Matrix3d::Identity());
    }
  }

  // Takes one Newton step. Returns false if the iteration has converged or is stuck.
  bool newton_step() {
    Eigen::VectorXd gradient;
    linearize(gradient, d_.curvature_);
    const Eigen::VectorXd step = d_.solver_.solve(d_.curvature_, -gradient);
    const double before = objective(x_), slope = gradient.dot(step);
    std::vector<Vec3> reached = x_;
    bool moved = false;
    double after = before;
    for (double part = 1; part > 1e-3 && !moved; part /= 2) {
      for (std::size_t i = 0; i < x_.size(); ++i)
        if (is_free(i)) reached[i] = x_[i] + part * step.segment<3>(at(i));
      after = objective(reached);
      moved = after <= before + 1e-4 * part * slope;
    }
    if (!moved) return false;
    x_.swap(reached);
    for (CableElasticity& cable : cables_) cable.carry(x_);
    const double violated = improve_tensions();
    // -slope is twice the decrease that a quadratic objective would have had.
    gained_ += before - after;
    const bool gains = -slope > 1e-4 * gained_;
    return (gains && step.lpNorm<Eigen::Infinity>() > 1e-5 * length()) ||
           violated > 1e-9 * length();
  }

  // Updates the multipliers. Returns the largest violation of a constraint, a length.
  double improve_tensions() {
    double worst = 0;
    for (std::size_t s = 0; s < d_.springs_.size(); ++s) {
      const Spring& spring = d_.springs_[s];
      if (std::isfinite(spring.stiffness)) continue;
      const double longer = (x_[spring.ends[1]] - x_[spring.ends[0]]).norm() - spring.length;
      d_.tensions_[s] += stiffness(spring) * longer;
      worst = std::max(worst, std::abs(longer));
    }
    return worst;
  }

  double length() const { return d_.springs_.empty() ? 1 : d_.springs_[0].length; }

  static constexpr double held = 1e30;  // inertia of a pinned particle, which then does not move

  EdgeDynamics& d_;
  const Model& model_;
  const State& state_;
  double h_;
  std::vector<CableElasticity> cables_;  // with frames at x_
  std::vector<Vec3> x_, goal_;
  double gained_ = 0;  // decrease of the objective so far
};

EdgeDynamics::EdgeDynamics(const Model& model)
    : springs_(all_springs(model)),
      tensions_(springs_.size()),
      curvature_(curvature_of(model)),
      solver_(curvature_, lines_of(model), accuracy_of(springs_)) {
  for (const Cable& cable : model.cables) cables_.emplace_back(cable, model.positions);
  for (const double mass : model.masses) inverse_mass_.push_back(1 / mass);  // infinite: 0
}

std::vector<Vec3> EdgeDynamics::velocities(const Model& model, const State& state, double seconds,
                                           std::initializer_list<std::span<const Vec3>> guesses,
                                           int& newton_steps, const Run& run) {
  int taken = 0;
  std::vector<Vec3> result = Step(*this, model, state, seconds).solve(guesses, taken, run);
  newton_steps += taken;
  return result;
}

void EdgeDynamics::load(const State& state) {
  solver_.restart();
  tensions_ = state.tensions;
  for (std::size_t i = 0; i < cables_.size(); ++i) cables_[i].set_frames(state.frames[i]);
}

void EdgeDynamics::store(State& state) const {
  state.tensions = tensions_;
  for (std::size_t i = 0; i < cables_.size(); ++i) state.frames[i] = cables_[i].frames();
}

void EdgeDynamics::carry(std::span<const Vec3> positions) {
  for (CableElasticity& cable : cables_) cable.carry(positions);
}

double EdgeDynamics::elastic_energy(std::span<const Vec3> positions) const {
  return edges::elastic_energy(springs_, cables_, positions);
}

double elastic_energy(std::span<const Spring> springs, std::span<const CableElasticity> cables,
                      std::span<const Vec3> x) {
  double sum = 0;
  for (const Spring& spring : springs) {
    const double longer = (x[spring.ends[1]] - x[spring.ends[0]]).norm() - spring.length;
    if (std::isfinite(spring.stiffness)) sum += spring.stiffness / 2 * longer * longer;
  }
  for (const CableElasticity& cable : cables) sum += cable.energy(x);
  return sum;
}

}  // namespace graze::sim::edges
