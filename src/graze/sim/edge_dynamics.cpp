#include "graze/sim/edge_dynamics.h"

#include <Eigen/SparseCholesky>
#include <cmath>

namespace graze {
namespace {

Eigen::Index at(std::uint32_t particle) {
  return 3 * static_cast<Eigen::Index>(particle);
}

class ImplicitStep {
 public:
  ImplicitStep(const EdgeModel& model, std::span<const Spring> springs,
               std::span<const CableElasticity> cables, std::span<const double> inverse_mass,
               double seconds, std::span<double> tensions)
      : model_(model),
        springs_(springs),
        cables_(cables.begin(), cables.end()),
        inverse_mass_(inverse_mass),
        h_(seconds),
        tensions_(tensions) {
    const std::size_t count = model.positions.size();
    x_.resize(count);
    goal_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      x_[i] = goal_[i] = model.positions[i] + h_ * model.velocities[i];
      if (is_free(i)) {
        goal_[i] += h_ * h_ * model.gravity;
        if (!model.forces.empty()) goal_[i] += h_ * h_ * inverse_mass[i] * model.forces[i];
        x_[i] = model.positions[i];
      }
    }
  }

  FreeMotion run() {
    FreeMotion motion;
    if (springs_.empty() && cables_.empty() && model_.drag == 0) x_ = goal_;  // nothing resists
    while (motion.newton_steps < most_steps && newton_step()) ++motion.newton_steps;
    motion.velocities.resize(x_.size());
    for (std::size_t i = 0; i < x_.size(); ++i)
      motion.velocities[i] =
          is_free(i) ? Vec3((x_[i] - model_.positions[i]) / h_) : model_.velocities[i];
    return motion;
  }

 private:
  static constexpr int most_steps = 30;

  bool is_free(std::size_t i) const { return inverse_mass_[i] > 0; }

  // A constraint as a spring: as stiff as rounding lets the solver bear.
  double stiffness(const Spring& spring) const {
    if (std::isfinite(spring.stiffness)) return spring.stiffness;
    const double mobility = inverse_mass_[spring.ends[0]] + inverse_mass_[spring.ends[1]];
    return mobility > 0 ? 1e5 / (mobility * h_ * h_) : 0;
  }

  double objective(std::span<const Vec3> x) const {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (is_free(i))
        sum += ((x[i] - goal_[i]).squaredNorm() / (h_ * h_) +
                model_.drag / h_ * (x[i] - model_.positions[i]).squaredNorm()) /
               (2 * inverse_mass_[i]);
    for (std::size_t s = 0; s < springs_.size(); ++s) {
      const double longer =
          (x[springs_[s].ends[1]] - x[springs_[s].ends[0]]).norm() - springs_[s].length;
      sum += stiffness(springs_[s]) / 2 * longer * longer + tensions_[s] * longer;
    }
    for (const CableElasticity& cable : cables_) sum += cable.energy(x);
    return sum;
  }

  // Gradient and curvature of the objective at x_; pinned particles stay.
  void linearize(Eigen::VectorXd& gradient, Eigen::SparseMatrix<double>& curvature) const {
    const auto size = static_cast<Eigen::Index>(3 * x_.size());
    gradient.setZero(size);
    std::vector<Eigen::Triplet<double>> entries;
    for (std::size_t s = 0; s < springs_.size(); ++s) {
      const Spring& spring = springs_[s];
      const Vec3 e = x_[spring.ends[1]] - x_[spring.ends[0]];
      const double length = e.norm(), k = stiffness(spring);
      if (length == 0) continue;
      const Vec3 n = e / length;
      const double force = k * (length - spring.length) + tensions_[s];
      // Along the spring k; across it force / length, where that is not negative.
      const Eigen::Matrix3d nn = n * n.transpose();
      const Eigen::Matrix3d block =
          k * nn + std::max(force / length, 0.0) * (Eigen::Matrix3d::Identity() - nn);
      gradient.segment<3>(at(spring.ends[0])) -= force * n;
      gradient.segment<3>(at(spring.ends[1])) += force * n;
      for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 2; ++b)
          for (int row = 0; row < 3; ++row)
            for (int column = 0; column < 3; ++column)
              entries.emplace_back(static_cast<int>(at(spring.ends[std::size_t(a)])) + row,
                                   static_cast<int>(at(spring.ends[std::size_t(b)])) + column,
                                   a == b ? block(row, column) : -block(row, column));
    }
    for (const CableElasticity& cable : cables_) {
      cable.add_gradient(x_, gradient);
      cable.add_curvature(x_, entries);
    }
    std::erase_if(entries, [&](const auto& entry) {
      return !is_free(static_cast<std::size_t>(entry.row()) / 3) ||
             !is_free(static_cast<std::size_t>(entry.col()) / 3);
    });
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const Eigen::Index row = at(static_cast<std::uint32_t>(i));
      double inertia = 1;
      if (is_free(i)) {
        inertia = (1 / (h_ * h_) + model_.drag / h_) / inverse_mass_[i];
        gradient.segment<3>(row) +=
            ((x_[i] - goal_[i]) / (h_ * h_) + model_.drag / h_ * (x_[i] - model_.positions[i])) /
            inverse_mass_[i];
      } else {
        gradient.segment<3>(row).setZero();
      }
      for (int k = 0; k < 3; ++k)
        entries.emplace_back(static_cast<int>(row) + k, static_cast<int>(row) + k, inertia);
    }
    curvature.resize(size, size);
    curvature.setFromTriplets(entries.begin(), entries.end());
  }

  // False where nothing is left to gain.
  bool newton_step() {
    Eigen::VectorXd gradient;
    Eigen::SparseMatrix<double> curvature;
    linearize(gradient, curvature);
    if (solver_.cols() == 0) solver_.analyzePattern(curvature);
    solver_.factorize(curvature);
    if (solver_.info() != Eigen::Success) return false;
    const Eigen::VectorXd step = solver_.solve(-gradient);
    const double before = objective(x_), slope = gradient.dot(step);
    std::vector<Vec3> reached(x_.size());
    bool moved = false;
    for (double part = 1; part > 1e-3 && !moved; part /= 2) {
      for (std::size_t i = 0; i < x_.size(); ++i)
        reached[i] = x_[i] + part * step.segment<3>(at(static_cast<std::uint32_t>(i)));
      moved = objective(reached) <= before + 1e-4 * part * slope;
    }
    if (!moved) return false;
    x_.swap(reached);
    for (CableElasticity& cable : cables_) cable.carry(x_);
    const double improved = improve_tensions();
    return step.lpNorm<Eigen::Infinity>() > 1e-9 * scale() || improved > 1e-9 * scale();
  }

  // Returns by how much a constraint is violated.
  double improve_tensions() {
    double worst = 0;
    for (std::size_t s = 0; s < springs_.size(); ++s) {
      if (std::isfinite(springs_[s].stiffness)) continue;
      const double longer =
          (x_[springs_[s].ends[1]] - x_[springs_[s].ends[0]]).norm() - springs_[s].length;
      tensions_[s] += stiffness(springs_[s]) * longer;
      worst = std::max(worst, std::abs(longer));
    }
    return worst;
  }

  double scale() const { return springs_.empty() ? 1 : springs_[0].length; }

  const EdgeModel& model_;
  std::span<const Spring> springs_;
  std::vector<CableElasticity> cables_;  // carried along
  std::span<const double> inverse_mass_;
  double h_;
  std::span<double> tensions_;
  std::vector<Vec3> x_, goal_;
  Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> solver_;
};

}  // namespace

std::vector<Spring> all_springs(const EdgeModel& model) {
  std::vector<Spring> springs = model.springs;
  for (const CableModel& cable : model.cables)
    for (std::size_t i = 0; i + 1 < cable.particles.size(); ++i) {
      const std::uint32_t a = cable.particles[i], b = cable.particles[i + 1];
      const double length = (model.positions[b] - model.positions[a]).norm();
      springs.push_back({{a, b}, length, cable.stretch / length});
    }
  return springs;
}

FreeMotion free_motion(const EdgeModel& model, std::span<const Spring> springs,
                       std::span<const CableElasticity> cables,
                       std::span<const double> inverse_mass, double seconds,
                       std::span<double> tensions) {
  return ImplicitStep(model, springs, cables, inverse_mass, seconds, tensions).run();
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

}  // namespace graze
