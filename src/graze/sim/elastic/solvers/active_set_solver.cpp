#include "graze/sim/elastic/solvers/active_set_solver.h"

#include <Eigen/SparseCore>
#include <algorithm>
#include <chrono>
#include <cmath>

#include "graze/sim/block_cholesky.h"
#include "graze/sim/block_matrix.h"
#include "graze/sim/elastic/material/elastic_body.h"
#include "graze/sim/elastic/solvers/complementarity.h"
#include "graze/sim/elastic/solvers/step_parts.h"
#include "graze/sim/elastic/solvers/unknowns.h"
#include "graze/sim/inner_run.h"
#include "graze/sim/monitor.h"
#include "graze/sim/soft.h"

namespace graze::sim::soft {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// The iteration has converged if no vertex moves faster than this fraction of the model's size per
// second.
constexpr double rest_speed = 1e-4;
constexpr double slack_share = 1e-3;    // of eta: tolerance of a constraint
constexpr double least_part = 1e-6;     // of an iteration, at which the line search ends
constexpr double armijo = 1e-4;         // fraction of the predicted decrease that a step must reach
constexpr int most_renewals = 6;        // of the constraints of one part of a step
constexpr double least_share = 0x1p-8;  // of a step: the shortest part

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

class ActiveSetSolver::Implementation {
 public:
  Implementation(const Model& model, const ContactSurface& surface) : surface_(surface) {
    std::uint32_t first = 0;
    Vec3 low = start(model).positions[0], high = low;
    for (const Body& body : model.bodies) {
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
    factor_ = std::make_unique<BlockCholesky>(*curvature_);
  }

  Report step(const Model& model, State& state, const Constraints& constraints,
              const Options& options, const Run& run) {
    Report report;
    report.verdict = constraints.certified ? Verdict::separated : Verdict::contact;
    report.parts = 0;
    run_ = inner_run(run);
    stopped_ = false;
    StepParts parts(options);
    State next = state;
    const double whole = options.seconds > 0 ? options.seconds : model.step;
    double left = whole;
    for (double part = whole; left > 0;) {
      h_ = part < left ? part : left;
      bool converged = false;
      std::vector<Vec3> x = solve(model, next, constraints, options, report, converged);
      if (is_stopped()) return report_of(Verdict::undecided);
      if (constraints.certified && !is_free(next.positions, x, options, report)) {
        if (h_ > least_share * whole) {
          part = h_ / 2;
          continue;
        }
        go_back(next.positions, x, options, report);
        if (is_stopped()) return report_of(Verdict::undecided);
        ++report.stopped;
      }
      report.converged = report.converged && converged;
      for (std::size_t i = 0; i < x.size(); ++i)
        next.velocities[i] = (x[i] - next.positions[i]) / h_;
      next.positions = std::move(x);
      parts.add(state.time, next.positions, next.velocities);
      left = h_ < left ? left - h_ : 0;
      part = 2 * h_;
      ++report.parts;
    }
    next.time = state.time + whole;
    report.contacts = active_.constraints().size();
    parts.show(state, next);
    state = std::move(next);
    return report;
  }

 private:
  // Reads the stop flag; returns whether it was set at this or an earlier reading in the step.
  bool is_stopped() { return stopped_ = stopped_ || sim::is_stopped(run_); }

  // Returns the positions after a part of the length h_, by iterations that add constraints until
  // nothing moves any more or the run is stopped.
  std::vector<Vec3> solve(const Model& model, const State& state, const Constraints& constraints,
                          const Options& options, Report& report, bool& converged) {
    const std::vector<Vec3>& start = state.positions;
    eta_ = constraints.eta;
    active_ = ActiveSet(eta_);
    StepOptions collisions = constraints.collisions;
    collisions.pairs = {};
    collisions.observer = options.observer;
    collisions.pairs.filter.is_static = surface_.fixed;
    goal_.resize(start.size());
    for (std::size_t i = 0; i < goal_.size(); ++i)
      goal_[i] = is_held_[i] ? start[i]
                             : Vec3(start[i] + h_ * state.velocities[i] + h_ * h_ * model.gravity);
    const std::vector<Vec3> surface_start = surface_.positions(start);
    std::vector<Vec3> x = start;
    int renewals = 0;
    for (int i = 0; !converged && i < constraints.max_iterations && !is_stopped(); ++i) {
      ++report.iterations;
      const auto solving = std::chrono::steady_clock::now();
      const double fastest = iterate(x, report) / h_;
      report.solver_seconds += seconds_since(solving);
      const auto colliding = std::chrono::steady_clock::now();
      const std::vector<Vec3> surface_end = surface_.positions(x);
      const MovingMesh moving{surface_.mesh, surface_start, surface_end};
      const std::size_t added = active_.update(moving, collisions, run_);
      converged = added == 0 && fastest < rest_speed * size_;
      if (converged && constraints.certified && renewals++ < most_renewals)
        converged = active_.renew(moving, collisions.pairs, run_) == 0;
      report.collision_seconds += seconds_since(colliding);
    }
    return x;
  }

  bool is_free(std::span<const Vec3> from, std::span<const Vec3> to, const Options& options,
               Report& report) const {
    const auto checking = std::chrono::steady_clock::now();
    const std::vector<Vec3> start = surface_.positions(from), end = surface_.positions(to);
    PairOptions pairs;
    pairs.filter.is_static = surface_.fixed;
    const bool free =
        sim::is_free({surface_.mesh, start, end}, pairs, run_, nullptr, options.observer);
    report.check_seconds += seconds_since(checking);
    return free;
  }

  // Moves x back towards the start, by halves, until the way there is free or the run is stopped;
  // to the start if rounding leaves none.
  void go_back(std::span<const Vec3> from, std::vector<Vec3>& x, const Options& options,
               Report& report) {
    for (int halvings = 0; halvings < 60 && !is_stopped(); ++halvings) {
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = from[i] + (x[i] - from[i]) / 2;
      if (is_free(from, x, options, report)) return;
    }
    x.assign(from.begin(), from.end());
  }

  double objective(std::span<const Vec3> x) const {
    double sum = elastic_.energy(x);
    for (std::size_t i = 0; i < x.size(); ++i)
      if (!is_held_[i]) sum += masses_[i] / (2 * h_ * h_) * (x[i] - goal_[i]).squaredNorm();
    return sum;
  }

  // Returns the sum of the violations of all constraints.
  double violation(std::span<const Vec3> x) const {
    const std::vector<Vec3> surface = surface_.positions(x);
    double sum = 0;
    for (const ContactConstraint& constraint : active_.constraints())
      sum += std::max(0.0, -constraint.gap(surface));
    return sum;
  }

  // Returns the derivatives of the gaps with respect to the positions, one column per constraint. A
  // force on a surface point acts on the vertices that carry it.
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

  // Solves the quadratic programme at x and moves x along the solution. Returns the largest
  // displacement of a vertex.
  double iterate(std::vector<Vec3>& x, Report& report) {
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
    factor_->factorize(*curvature_);

    const auto constraints = active_.constraints();
    const auto count = Index(constraints.size());
    const Eigen::SparseMatrix<double> gaps = gap_gradients();
    const MatrixXd responses = factor_->solve(MatrixXd(gaps));
    const VectorXd free = factor_->solve(gradient);
    const std::vector<Vec3> surface = surface_.positions(x);
    VectorXd wanted(count);
    for (Index c = 0; c < count; ++c) wanted[c] = -constraints[std::size_t(c)].gap(surface);
    MatrixXd compliance = gaps.transpose() * responses;
    compliance = ((compliance + compliance.transpose()) / 2).eval();
    const Complementarity forces =
        solve_complementarity(compliance, wanted + gaps.transpose() * free, slack_share * eta_ / 2);
    const VectorXd direction = responses * forces.lambda - free;
    report.pressing = std::size_t((forces.lambda.array() > 0).count());
    report.dropped = forces.dropped;

    // An exact penalty of the violations: with a weight above all multipliers the solution is a
    // descent direction.
    const double weight = 2 * (count > 0 ? forces.lambda.maxCoeff() : 0);
    const double violated = violation(x);
    const double before = objective(x) + weight * violated;
    const double slope = gradient.dot(direction) - weight * violated;
    std::vector<Vec3> next(x.size());
    for (double length = 1;; length /= 2) {
      for (std::size_t i = 0; i < x.size(); ++i)
        next[i] = is_held_[i] ? x[i] : Vec3(x[i] + length * direction.segment<3>(at(i)));
      const double after = objective(next) + weight * violation(next);
      if (after <= before + armijo * length * slope || length < least_part) break;
    }
    double furthest = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      furthest = std::max(furthest, (next[i] - x[i]).norm());
    x.swap(next);
    return furthest;
  }

  const ContactSurface& surface_;
  ActiveSet active_{0};
  ElasticEnergy elastic_;
  std::vector<double> masses_;
  std::vector<bool> is_held_;
  double size_ = 1, h_ = 1, eta_ = 0;
  Run run_;  // of the current step
  bool stopped_ = false;
  std::vector<Vec3> goal_;
  std::unique_ptr<BlockMatrix> curvature_;
  std::unique_ptr<BlockCholesky> factor_;
};

ActiveSetSolver::ActiveSetSolver(const Model& model, const ContactSurface& surface)
    : own_(std::make_unique<Implementation>(model, surface)) {}
ActiveSetSolver::~ActiveSetSolver() = default;

Report ActiveSetSolver::step(const Model& model, State& state, const Constraints& constraints,
                             const Options& options, const Run& run) {
  return own_->step(model, state, constraints, options, run);
}

}  // namespace graze::sim::soft
