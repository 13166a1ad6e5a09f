#include "graze/sim/elastic/solvers/barrier_solver.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "graze/sim/block_matrix.h"
#include "graze/sim/curvature_solver.h"
#include "graze/sim/elastic/material/elastic_body.h"
#include "graze/sim/elastic/solvers/contact_barriers.h"
#include "graze/sim/elastic/solvers/step_parts.h"
#include "graze/sim/elastic/solvers/unknowns.h"
#include "graze/sim/inner_run.h"
#include "graze/sim/monitor.h"

namespace graze::sim::soft {
namespace {

using Eigen::Matrix3d;
using Eigen::VectorXd;
using VertexPairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

constexpr int most_newton_steps = 100;
// The iteration has converged if no vertex moves faster than this fraction of the scene's size per
// second.
constexpr double still = 1e-3;
// The line search ends below this fraction of the Newton step.
constexpr double least_step = 1e-12;

// Adds the wall time between construction and destruction to a sum.
class Timer {
 public:
  explicit Timer(double& sum) : sum_(sum) {}
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() {
    sum_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  double& sum_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

class BarrierSolver::Implementation {
 public:
  Implementation(const Model& model, const ContactSurface& surface)
      : surface_(surface), barriers_(surface, {model.reach, model.repulsion}) {
    const std::vector<Vec3> positions = start(model).positions;
    Vec3 low = positions[0], high = low;
    std::uint32_t first = 0;
    for (const Body& body : model.bodies) {
      elastic_.add(body, first);
      const std::vector<double> masses = masses_of(body);
      masses_.insert(masses_.end(), masses.begin(), masses.end());
      for (const Hold& hold : body.holds)
        for (const std::uint32_t vertex : hold.vertices)
          held_.push_back({first + vertex, positions[first + vertex], hold.drive});
      for (const Vec3& x : body.rest) low = low.cwiseMin(x), high = high.cwiseMax(x);
      first += static_cast<std::uint32_t>(body.rest.size());
    }
    size_ = (high - low).norm();
    elastic_pairs_ = elastic_.pairs();
    std::sort(elastic_pairs_.begin(), elastic_pairs_.end());
    elastic_pairs_.erase(std::unique(elastic_pairs_.begin(), elastic_pairs_.end()),
                         elastic_pairs_.end());
    is_pinned_.assign(masses_.size(), false);
    solver_.emplace(BlockMatrix(masses_.size(), elastic_pairs_));
    stiffen_drives(model);
  }

  Report step(const Model& model, State& state, const LineSearchOptions& search,
              const Options& options, const Run& run);
  Energy energy(const Model& model, const State& state);

 private:
  // A held vertex and its position at time 0.
  struct Held {
    std::uint32_t vertex;
    Vec3 start;
    Drive drive;
    double stiffness = 0;  // of the spring that pulls it to its place, without the inertial part
  };

  // Makes the springs of driven vertices stiffer than the bodies around them.
  void stiffen_drives(const Model& model) {
    VectorXd gradient = VectorXd::Zero(at(masses_.size()));
    BlockMatrix curvature(masses_.size(), elastic_pairs_);
    std::vector<Vec3> rest;
    for (const Body& body : model.bodies)
      rest.insert(rest.end(), body.rest.begin(), body.rest.end());
    elastic_.linearize(rest, gradient, curvature);
    for (Held& held : held_) {
      if (!held.drive.moves()) is_pinned_[held.vertex] = true;
      const Eigen::Index row = at(held.vertex);
      held.stiffness = 10 * curvature.lower().diagonal().segment<3>(row).maxCoeff();
    }
  }

  double drive_stiffness(const Held& held) const {
    return held.stiffness + 100 * masses_[held.vertex] / (h_ * h_);
  }

  // Returns the objective at x. Leaves the barriers of x in barriers_.
  double objective(std::span<const Vec3> x) {
    double sum = elastic_.energy(x);
    for (std::size_t i = 0; i < x.size(); ++i)
      if (!is_pinned_[i]) sum += masses_[i] / (2 * h_ * h_) * (x[i] - goal_[i]).squaredNorm();
    for (const Held& held : held_)
      if (held.drive.moves())
        sum += drive_stiffness(held) / 2 * (x[held.vertex] - place(held)).squaredNorm();
    barriers_.find(surface_.positions(x), run_.threads);
    return sum + barriers_.energy();
  }

  Vec3 place(const Held& held) const { return held.drive.place(held.start, time_ + h_); }

  // Extends the matrix pattern by the current barriers. The pattern grows within a time step and is
  // reset by the next, so that a restored state leads to the same bits.
  void ensure_pattern() {
    VertexPairs pairs;
    barriers_.add_pairs(pairs);
    for (auto& [a, b] : pairs)
      if (a > b) std::swap(a, b);
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    if (curvature_ && std::includes(pattern_.begin(), pattern_.end(), pairs.begin(), pairs.end()))
      return;
    VertexPairs all;
    std::set_union(pattern_.begin(), pattern_.end(), pairs.begin(), pairs.end(),
                   std::back_inserter(all));
    pattern_.swap(all);
    curvature_ = std::make_unique<BlockMatrix>(masses_.size(), pattern_);
    solver_->change_pattern();
  }

  // Returns the Newton direction at x. The last call of objective() must have been at x.
  VectorXd direction(std::span<const Vec3> x) {
    ensure_pattern();
    BlockMatrix& curvature = *curvature_;
    curvature.set_zero();
    VectorXd gradient = VectorXd::Zero(at(x.size()));
    elastic_.linearize(x, gradient, curvature);
    barriers_.linearize(gradient, curvature);
    const auto add_spring = [&](std::uint32_t i, double stiffness, const Vec3& goal) {
      gradient.segment<3>(at(i)) += stiffness * (x[i] - goal);
      curvature.add(i, i, stiffness * Matrix3d::Identity());
    };
    for (std::uint32_t i = 0; i < x.size(); ++i) add_spring(i, masses_[i] / (h_ * h_), goal_[i]);
    for (const Held& held : held_)
      if (held.drive.moves()) add_spring(held.vertex, drive_stiffness(held), place(held));
    for (std::uint32_t i = 0; i < x.size(); ++i)
      if (is_pinned_[i]) {
        gradient.segment<3>(at(i)).setZero();
        curvature.add(i, i, held_inertia * Matrix3d::Identity());
      }
    VectorXd step;
    if (const BlockCholesky* factor = solver_->factor()) {
      // The factor of the iteration before suffices to detect convergence.
      step = factor->solve(-gradient);
      if (is_still(step)) return step;
    }
    // A body in free motion goes to its goal.
    VectorXd to_goal(gradient.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      to_goal.segment<3>(at(i)) = is_pinned_[i] ? Vec3::Zero() : Vec3(goal_[i] - x[i]);
    step = solver_->solve(curvature, -gradient, to_goal);
    for (std::uint32_t i = 0; i < x.size(); ++i)
      if (is_pinned_[i]) step.segment<3>(at(i)).setZero();
    return step;
  }

  bool is_still(const VectorXd& direction) const {
    return direction.lpNorm<Eigen::Infinity>() < still * h_ * size_;
  }

  // Reads the stop flag; returns whether it was set at this or an earlier reading in the step.
  bool is_stopped() { return stopped_ = stopped_ || sim::is_stopped(run_); }

  // Moves x along the direction as far as contact allows and the energy falls; returns false if x
  // cannot move or the run is stopped. `energy` is the energy at x.
  bool search(const VectorXd& direction, std::vector<Vec3>& x, double& energy, Report& report) {
    const auto moved = [&](double part) {
      std::vector<Vec3> result = x;
      for (std::size_t i = 0; i < x.size(); ++i)
        if (!is_pinned_[i]) result[i] += part * direction.segment<3>(at(i));
      return result;
    };
    const std::vector<Vec3> from = surface_.positions(x);
    StepBound bound;
    {
      const Timer timer(report.collision_seconds);
      bound = step_bound({surface_.mesh, from, surface_.positions(moved(1))}, search_, run_);
    }
    stopped_ = stopped_ || bound.verdict == Verdict::undecided;
    report.bound = std::min(report.bound, bound.step);
    report.bound_pairs += bound.pairs;
    for (double part = bound.step; part > least_step && !is_stopped(); part /= 2) {
      std::vector<Vec3> reached = moved(part);
      const double reached_energy = objective(reached);
      if (!(reached_energy < energy)) continue;
      const std::vector<Vec3> to = surface_.positions(reached);
      const MovingMesh moving{surface_.mesh, from, to};
      {
        const Timer timer(report.check_seconds);
        if (!is_free(moving, search_.pairs, run_, nullptr, search_.observer)) continue;
      }
      x.swap(reached);
      energy = reached_energy;
      return true;
    }
    return false;
  }

  const ContactSurface& surface_;
  ElasticEnergy elastic_;
  ContactBarriers barriers_;
  std::vector<double> masses_;
  std::vector<Held> held_;
  std::vector<bool> is_pinned_;
  double size_ = 0;
  VertexPairs elastic_pairs_, pattern_;
  std::unique_ptr<BlockMatrix> curvature_;
  std::optional<CurvatureSolver> solver_;

  // Data of the current step.
  LineSearchOptions search_;
  double h_ = 0, time_ = 0;
  Run run_{.threads = 1};
  bool stopped_ = false;
  std::vector<Vec3> goal_;
};

Report BarrierSolver::Implementation::step(const Model& model, State& state,
                                           const LineSearchOptions& search, const Options& options,
                                           const Run& run) {
  Report report;
  StepParts parts(options);
  State next{state.time, state.positions, {}};
  {
    const Timer timer(report.solver_seconds);
    h_ = options.seconds > 0 ? options.seconds : model.step;
    time_ = state.time;
    search_ = search;
    search_.pairs = {};
    search_.pairs.filter.is_static = surface_.fixed;
    search_.observer = options.observer;
    run_ = inner_run(run);
    stopped_ = false;
    solver_->restart();
    if (pattern_.size() != elastic_pairs_.size()) {
      pattern_ = elastic_pairs_;
      curvature_.reset();
    }
    std::vector<Vec3>& x = next.positions;
    goal_ = x;
    for (std::size_t i = 0; i < x.size(); ++i)
      goal_[i] += h_ * state.velocities[i] + h_ * h_ * model.gravity;
    double energy = objective(x);
    for (; !is_stopped(); ++report.iterations) {
      const VectorXd along = direction(x);
      if (is_still(along)) break;
      report.converged = report.iterations < most_newton_steps;
      if (!report.converged || !this->search(along, x, energy, report)) break;
      parts.add(state.time, x, state.velocities);
    }
    if (is_stopped()) return report_of(Verdict::undecided);
    objective(x);  // finds the contacts at x
    report.contacts = barriers_.size();
    next.velocities.resize(x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      next.velocities[i] = (x[i] - state.positions[i]) / h_;
    for (const Held& held : held_)
      report.off_course = std::max(report.off_course, (x[held.vertex] - place(held)).norm());
    next.time += h_;
  }
  report.solver_seconds -= report.collision_seconds + report.check_seconds;
  parts.show(state, next);
  state = std::move(next);
  return report;
}

Energy BarrierSolver::Implementation::energy(const Model& model, const State& state) {
  Energy energy;
  const auto& x = state.positions;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (is_pinned_[i]) continue;
    energy.kinetic += masses_[i] / 2 * state.velocities[i].squaredNorm();
    energy.gravity -= masses_[i] * model.gravity.dot(x[i]);
  }
  energy.elastic = elastic_.energy(x);
  barriers_.find(surface_.positions(x), run_.threads);
  energy.barrier = barriers_.energy();
  return energy;
}

BarrierSolver::BarrierSolver(const Model& model, const ContactSurface& surface)
    : own_(std::make_unique<Implementation>(model, surface)) {}
BarrierSolver::~BarrierSolver() = default;

Report BarrierSolver::step(const Model& model, State& state, const LineSearchOptions& search,
                           const Options& options, const Run& run) {
  return own_->step(model, state, search, options, run);
}
Energy BarrierSolver::energy(const Model& model, const State& state) {
  return own_->energy(model, state);
}

}  // namespace graze::sim::soft
