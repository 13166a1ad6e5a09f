#include "graze/sim/elastic/active_set_solver.h"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <chrono>
#include <cmath>

#include "graze/sim/active_set.h"
#include "graze/sim/block_matrix.h"
#include "graze/sim/elastic/complementarity.h"

namespace graze {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// An iteration that moves nothing faster than this part of the model's size per second is the last.
constexpr double still = 1e-4;
constexpr double held_inertia = 1e30;  // of a vertex that does not move
constexpr double slack_share = 1e-3;   // of eta: how far a constraint may be from holding
constexpr double least_step = 1e-6;    // of an iteration
constexpr double armijo = 1e-4;        // share of the promised decrease that a step must bring

Index at(std::size_t vertex) {
  return 3 * static_cast<Index>(vertex);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

class ActiveSetSolver::Implementation {
 public:
  Implementation(SoftModel model, ActiveSetOptions options)
      : model_(std::move(model)),
        options_(std::move(options)),
        surface_(contact_surface(model_)),
        positions_(start_positions(model_)),
        velocities_(start_velocities(model_)),
        active_(options_.eta) {
    std::uint32_t first = 0;
    Vec3 low = positions_[0], high = low;
    for (const ElasticBody& body : model_.bodies) {
      elastic_.add(body, first);
      const auto masses = masses_of(body);
      masses_.insert(masses_.end(), masses.begin(), masses.end());
      is_held_.resize(masses_.size());
      for (const Hold& hold : body.holds)
        for (const std::uint32_t vertex : hold.vertices) is_held_[first + vertex] = true;
      for (const Vec3& x : body.rest) low = low.cwiseMin(x), high = high.cwiseMax(x);
      first += static_cast<std::uint32_t>(body.rest.size());
    }
    size_ = (high - low).norm();
    curvature_ = std::make_unique<BlockMatrix>(masses_.size(), elastic_.pairs());
    factor_.analyzePattern(curvature_->lower());
    options_.collisions.pairs.filter.fixed = surface_.fixed;
  }

  ActiveSetReport step(double seconds) {
    ActiveSetReport report;
    h_ = seconds;
    goal_.resize(positions_.size());
    for (std::size_t i = 0; i < goal_.size(); ++i)
      goal_[i] = is_held_[i] ? positions_[i]
                             : Vec3(positions_[i] + h_ * velocities_[i] + h_ * h_ * model_.gravity);
    active_.clear();
    const std::vector<Vec3> surface_start = surface_.positions(positions_);
    std::vector<Vec3> x = positions_;
    report.converged = false;
    while (!report.converged && report.iterations < options_.max_iterations) {
      ++report.iterations;
      const auto solving = std::chrono::steady_clock::now();
      const double fastest = iterate(x, report) / h_;
      report.solver_seconds += seconds_since(solving);
      const auto colliding = std::chrono::steady_clock::now();
      const std::vector<Vec3> surface_end = surface_.positions(x);
      const MovingMesh moving{surface_.mesh, surface_start, surface_end};
      PairLog log(options_.observer);
      options_.collisions.observer = log.consumer();
      const std::size_t added = active_.update(moving, options_.collisions);
      log.show(moving);
      report.collision_seconds += seconds_since(colliding);
      report.converged = added == 0 && fastest < still * size_;
    }
    report.constraints = active_.constraints().size();
    for (std::size_t i = 0; i < x.size(); ++i) velocities_[i] = (x[i] - positions_[i]) / h_;
    positions_ = std::move(x);
    time_ += h_;
    return report;
  }

  double energy() const {
    double sum = elastic_.energy(positions_);
    for (std::size_t i = 0; i < positions_.size(); ++i)
      sum += masses_[i] * (velocities_[i].squaredNorm() / 2 - model_.gravity.dot(positions_[i]));
    return sum;
  }

  SoftModel model_;
  ActiveSetOptions options_;
  ContactSurface surface_;
  std::vector<Vec3> positions_, velocities_;
  double time_ = 0;

 private:
  double objective(std::span<const Vec3> x) const {
    double sum = elastic_.energy(x);
    for (std::size_t i = 0; i < x.size(); ++i)
      if (!is_held_[i]) sum += masses_[i] / (2 * h_ * h_) * (x[i] - goal_[i]).squaredNorm();
    return sum;
  }

  // How much the constraints are violated, summed up.
  double violation(std::span<const Vec3> x) const {
    const std::vector<Vec3> surface = surface_.positions(x);
    double sum = 0;
    for (const ContactConstraint& constraint : active_.constraints())
      sum += std::max(0.0, -constraint.gap(surface));
    return sum;
  }

  // The derivatives of the gaps by the positions, one column for each constraint: a point of the
  // surface passes what pushes it on to the vertices that carry it.
  Eigen::SparseMatrix<double> gap_gradients() const {
    std::vector<Eigen::Triplet<double>> entries;
    const auto constraints = active_.constraints();
    for (std::size_t c = 0; c < constraints.size(); ++c) {
      const ContactStencil& stencil = constraints[c].stencil;
      for (std::size_t i = 0; i < stencil.size; ++i) {
        const auto& carrier = surface_.carriers[stencil.vertices[i]];
        for (std::size_t k = 0; k < carrier.size; ++k)
          for (int axis = 0; axis < 3; ++axis)
            entries.emplace_back(
                int(at(carrier.vertices[k])) + axis, int(c),
                stencil.weights[i] * carrier.weights[k] * constraints[c].normal[axis]);
      }
    }
    Eigen::SparseMatrix<double> gradients(at(masses_.size()), Index(constraints.size()));
    gradients.setFromTriplets(entries.begin(), entries.end());
    return gradients;
  }

  // Solves the quadratic programme at x and goes along; returns the largest way of a vertex.
  double iterate(std::vector<Vec3>& x, ActiveSetReport& report) {
    VectorXd gradient = VectorXd::Zero(at(x.size()));
    curvature_->set_zero();
    elastic_.linearize(x, gradient, *curvature_);
    for (std::uint32_t i = 0; i < x.size(); ++i) {
      const double inertia = is_held_[i] ? held_inertia : masses_[i] / (h_ * h_);
      gradient.segment<3>(at(i)) =
          is_held_[i] ? Vec3::Zero()
                      : Vec3(gradient.segment<3>(at(i)) + inertia * (x[i] - goal_[i]));
      curvature_->add(i, i, inertia * Eigen::Matrix3d::Identity());
    }
    factor_.factorize(curvature_->lower());

    const auto constraints = active_.constraints();
    const auto count = Index(constraints.size());
    const Eigen::SparseMatrix<double> gaps = gap_gradients();
    const MatrixXd responses = factor_.solve(MatrixXd(gaps));
    const VectorXd free = factor_.solve(gradient);
    const std::vector<Vec3> surface = surface_.positions(x);
    VectorXd wanted(count);
    for (Index c = 0; c < count; ++c) wanted[c] = -constraints[std::size_t(c)].gap(surface);
    MatrixXd compliance = gaps.transpose() * responses;
    compliance = ((compliance + compliance.transpose()) / 2).eval();
    const Complementarity forces = solve_complementarity(
        compliance, wanted + gaps.transpose() * free, slack_share * options_.eta / 2);
    const VectorXd direction = responses * forces.lambda - free;
    report.pressing = std::size_t((forces.lambda.array() > 0).count());
    report.dropped = forces.dropped;

    // The exact penalty of the violations: with a weight above all multipliers the solution is a
    // direction of descent.
    const double weight = 2 * (count > 0 ? forces.lambda.maxCoeff() : 0);
    const double violated = violation(x);
    const double before = objective(x) + weight * violated;
    const double slope = gradient.dot(direction) - weight * violated;
    std::vector<Vec3> next(x.size());
    for (double length = 1;; length /= 2) {
      for (std::size_t i = 0; i < x.size(); ++i)
        next[i] = is_held_[i] ? x[i] : Vec3(x[i] + length * direction.segment<3>(at(i)));
      const double after = objective(next) + weight * violation(next);
      if (after <= before + armijo * length * slope || length < least_step) break;
    }
    double furthest = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      furthest = std::max(furthest, (next[i] - x[i]).norm());
    x.swap(next);
    return furthest;
  }

  ActiveSet active_;
  ElasticEnergy elastic_;
  std::vector<double> masses_;
  std::vector<bool> is_held_;
  double size_ = 1, h_ = 1;
  std::vector<Vec3> goal_;
  std::unique_ptr<BlockMatrix> curvature_;
  Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> factor_;
};

ActiveSetSolver::ActiveSetSolver(SoftModel model, ActiveSetOptions options)
    : own_(std::make_unique<Implementation>(std::move(model), std::move(options))) {}
ActiveSetSolver::ActiveSetSolver(ActiveSetSolver&&) noexcept = default;
ActiveSetSolver& ActiveSetSolver::operator=(ActiveSetSolver&&) noexcept = default;
ActiveSetSolver::~ActiveSetSolver() = default;

ActiveSetReport ActiveSetSolver::step(double seconds) {
  return own_->step(seconds);
}
const ContactSurface& ActiveSetSolver::surface() const {
  return own_->surface_;
}
std::span<const Vec3> ActiveSetSolver::positions() const {
  return own_->positions_;
}
std::span<const Vec3> ActiveSetSolver::velocities() const {
  return own_->velocities_;
}
std::vector<Vec3> ActiveSetSolver::surface_positions() const {
  return own_->surface_.positions(own_->positions_);
}
double ActiveSetSolver::time() const {
  return own_->time_;
}
double ActiveSetSolver::energy() const {
  return own_->energy();
}

SoftState ActiveSetSolver::state() const {
  return {own_->time_, own_->positions_, own_->velocities_};
}
void ActiveSetSolver::restore(const SoftState& state) {
  own_->time_ = state.time;
  own_->positions_ = state.positions;
  own_->velocities_ = state.velocities;
}

}  // namespace graze
