#include "graze/sim/elastic/barrier_solver.h"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <chrono>
#include <cmath>

#include "graze/sim/block_matrix.h"
#include "graze/sim/elastic/contact_barriers.h"
#include "graze/sim/elastic/crossing_faces.h"

namespace graze {
namespace {

using Eigen::Matrix3d;
using Eigen::VectorXd;
using VertexPairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

constexpr int most_newton_steps = 100;
// A Newton step that moves nothing faster than this part of the scene's size per second is the
// last.
constexpr double still = 1e-3;
constexpr double held_inertia = 1e30;  // of a vertex that does not move
constexpr double least_step = 1e-12;   // of the Newton step, in the search for a lower energy

Eigen::Index at(std::size_t vertex) {
  return 3 * static_cast<Eigen::Index>(vertex);
}

// Adds the time of its life to a sum.
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

// A vertex that is held, and where it was at time 0.
struct Held {
  std::uint32_t vertex;
  Vec3 start;
  Drive drive;
  double stiffness = 0;  // of what draws it to its place, without inertia
};

}  // namespace

class BarrierSolver::Implementation {
 public:
  Implementation(SoftModel model, const LineSearchOptions& search)
      : model_(std::move(model)),
        surface_(contact_surface(model_)),
        barriers_(surface_, {model_.reach, model_.repulsion}),
        search_(search) {
    state_.positions = start_positions(model_);
    state_.velocities = start_velocities(model_);
    Vec3 low = state_.positions[0], high = low;
    std::uint32_t first = 0;
    for (const ElasticBody& body : model_.bodies) {
      elastic_.add(body, first);
      const std::vector<double> masses = masses_of(body);
      masses_.insert(masses_.end(), masses.begin(), masses.end());
      for (const Hold& hold : body.holds)
        for (const std::uint32_t vertex : hold.vertices)
          held_.push_back({first + vertex, state_.positions[first + vertex], hold.drive});
      for (const Vec3& x : body.rest) low = low.cwiseMin(x), high = high.cwiseMax(x);
      first += static_cast<std::uint32_t>(body.rest.size());
    }
    size_ = (high - low).norm();
    elastic_pairs_ = elastic_.pairs();
    std::sort(elastic_pairs_.begin(), elastic_pairs_.end());
    elastic_pairs_.erase(std::unique(elastic_pairs_.begin(), elastic_pairs_.end()),
                         elastic_pairs_.end());
    is_pinned_.assign(masses_.size(), false);
    stiffen_drives();
    search_.pairs.filter.fixed = surface_.fixed;
  }

  SoftStepReport step(double seconds, int threads);
  Energy energy();

  SoftModel model_;
  ContactSurface surface_;
  SoftState state_;
  bool monitor_ = false;

 private:
  // Springs that draw driven vertices are stiffer than the bodies are there.
  void stiffen_drives() {
    VectorXd gradient = VectorXd::Zero(at(masses_.size()));
    BlockMatrix curvature(masses_.size(), elastic_pairs_);
    std::vector<Vec3> rest;
    for (const ElasticBody& body : model_.bodies)
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

  // Finds the barriers at x as a side effect.
  double objective(std::span<const Vec3> x) {
    double sum = elastic_.energy(x);
    for (std::size_t i = 0; i < x.size(); ++i)
      if (!is_pinned_[i]) sum += masses_[i] / (2 * h_ * h_) * (x[i] - goal_[i]).squaredNorm();
    for (const Held& held : held_)
      if (held.drive.moves())
        sum += drive_stiffness(held) / 2 * (x[held.vertex] - place(held)).squaredNorm();
    barriers_.find(surface_.positions(x), threads_);
    return sum + barriers_.energy();
  }

  Vec3 place(const Held& held) const { return held.drive.place(held.start, state_.time + h_); }

  // The pattern grows within a time step and begins anew with each, so that a state that is resumed
  // leads to the same bits.
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
    factor_.analyzePattern(curvature_->lower());
    is_factored_ = false;
  }

  // The direction of Newton's method at x, where objective(x) has just been asked for.
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
    if (is_factored_) {
      // By the curvature of the step before: good enough to see that nothing is left to do.
      step = factor_.solve(-gradient);
      if (is_still(step)) return step;
    }
    factor_.factorize(curvature.lower());
    is_factored_ = factor_.info() == Eigen::Success;
    step = is_factored_ ? VectorXd(factor_.solve(-gradient)) : VectorXd();
    if (step.size() == 0 || !step.allFinite() || !(step.dot(gradient) <= 0)) {
      // Rounding has spoilt it: go down along the blocks of the diagonal.
      const auto blocks = curvature.inverse_diagonal();
      step.resize(gradient.size());
      for (std::size_t i = 0; i < x.size(); ++i)
        step.segment<3>(at(i)) = -blocks[i] * gradient.segment<3>(at(i));
    }
    for (std::uint32_t i = 0; i < x.size(); ++i)
      if (is_pinned_[i]) step.segment<3>(at(i)).setZero();
    return step;
  }

  bool is_still(const VectorXd& direction) const {
    return direction.lpNorm<Eigen::Infinity>() < still * h_ * size_;
  }

  // Moves x along the direction as far as contact allows and the energy falls; false where it
  // cannot. `energy` is that of x.
  bool search(const VectorXd& direction, std::vector<Vec3>& x, double& energy,
              SoftStepReport& report) {
    const auto moved = [&](double part) {
      std::vector<Vec3> result = x;
      for (std::size_t i = 0; i < x.size(); ++i)
        if (!is_pinned_[i]) result[i] += part * direction.segment<3>(at(i));
      return result;
    };
    const std::vector<Vec3> from = surface_.positions(x);
    StepBound bound;
    {
      const Timer timer(report.bound_seconds);
      bound = step_bound({surface_.mesh, from, surface_.positions(moved(1))}, search_);
    }
    report.bound = std::min(report.bound, bound.step);
    report.bound_pairs += bound.pairs;
    for (double part = bound.step; part > least_step; part /= 2) {
      std::vector<Vec3> reached = moved(part);
      const double reached_energy = objective(reached);
      if (!(reached_energy < energy)) continue;
      const std::vector<Vec3> to = surface_.positions(reached);
      if (!is_free(from, to, nullptr, report.check_seconds)) continue;
      if (monitor_)
        report.intersections +=
            !is_free(from, to, &default_pair_strategy(), report.monitor_seconds);
      x.swap(reached);
      energy = reached_energy;
      return true;
    }
    return false;
  }

  // Decides exactly whether nothing touches on the straight way between two surfaces.
  bool is_free(std::span<const Vec3> from, std::span<const Vec3> to, const PairStrategy* strategy,
               double& seconds) const {
    const Timer timer(seconds);
    StepOptions exactly;
    exactly.pairs = search_.pairs;
    exactly.strategy = strategy;
    const MovingMesh moving{surface_.mesh, from, to};
    PairLog log(search_.observer);
    if (!strategy) exactly.observer = log.consumer();  // the monitor only repeats what was asked
    const Verdict verdict = earliest_impact(moving, exactly).impact.verdict;
    if (!strategy) log.show(moving);
    return verdict == Verdict::separated;
  }

  ElasticEnergy elastic_;
  ContactBarriers barriers_;
  LineSearchOptions search_;
  std::vector<double> masses_;
  std::vector<Held> held_;
  std::vector<bool> is_pinned_;
  double size_ = 0;
  VertexPairs elastic_pairs_, pattern_;
  std::unique_ptr<BlockMatrix> curvature_;
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factor_;
  bool is_factored_ = false;  // of a Newton step before in this time step

  // Of the step that is taken.
  double h_ = 0;
  int threads_ = 1;
  std::vector<Vec3> goal_;
};

SoftStepReport BarrierSolver::Implementation::step(double seconds, int threads) {
  SoftStepReport report;
  {
    const Timer timer(report.other_seconds);
    h_ = seconds;
    threads_ = search_.pairs.threads = threads;
    is_factored_ = false;
    if (pattern_.size() != elastic_pairs_.size()) {
      pattern_ = elastic_pairs_;
      curvature_.reset();
    }
    std::vector<Vec3> x = state_.positions;
    goal_ = x;
    for (std::size_t i = 0; i < x.size(); ++i)
      goal_[i] += h_ * state_.velocities[i] + h_ * h_ * model_.gravity;
    double energy = objective(x);
    for (;; ++report.newton_steps) {
      const VectorXd along = direction(x);
      if (is_still(along)) break;
      report.converged = report.newton_steps < most_newton_steps;
      if (!report.converged || !search(along, x, energy, report)) break;
    }
    objective(x);  // finds the contacts there
    report.contacts = barriers_.size();
    for (std::size_t i = 0; i < x.size(); ++i)
      state_.velocities[i] = (x[i] - state_.positions[i]) / h_;
    for (const Held& held : held_)
      report.off_course = std::max(report.off_course, (x[held.vertex] - place(held)).norm());
    state_.positions.swap(x);
    state_.time += h_;
    if (monitor_) {
      const Timer monitor(report.monitor_seconds);
      report.intersections +=
          crossing_faces(surface_.mesh, surface_.positions(state_.positions), surface_.fixed)
              .size();
    }
  }
  report.other_seconds -= report.bound_seconds + report.check_seconds + report.monitor_seconds;
  return report;
}

BarrierSolver::Energy BarrierSolver::Implementation::energy() {
  Energy energy;
  const auto& x = state_.positions;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (is_pinned_[i]) continue;
    energy.kinetic += masses_[i] / 2 * state_.velocities[i].squaredNorm();
    energy.gravity -= masses_[i] * model_.gravity.dot(x[i]);
  }
  energy.elastic = elastic_.energy(x);
  barriers_.find(surface_.positions(x), threads_);
  energy.barrier = barriers_.energy();
  return energy;
}

BarrierSolver::BarrierSolver(SoftModel model) : BarrierSolver(model, usual_search(model)) {}
BarrierSolver::BarrierSolver(SoftModel model, const LineSearchOptions& search)
    : own_(std::make_unique<Implementation>(std::move(model), search)) {}
BarrierSolver::BarrierSolver(BarrierSolver&&) noexcept = default;
BarrierSolver& BarrierSolver::operator=(BarrierSolver&&) noexcept = default;
BarrierSolver::~BarrierSolver() = default;

LineSearchOptions BarrierSolver::usual_search(const SoftModel& model) {
  LineSearchOptions search;
  search.separation = model.reach / 10;
  search.fraction = 0.2;
  return search;
}

SoftStepReport BarrierSolver::step(double seconds, int threads) {
  return own_->step(seconds, threads);
}
const SoftModel& BarrierSolver::model() const {
  return own_->model_;
}
const ContactSurface& BarrierSolver::surface() const {
  return own_->surface_;
}
std::span<const Vec3> BarrierSolver::positions() const {
  return own_->state_.positions;
}
std::vector<Vec3> BarrierSolver::surface_positions() const {
  return own_->surface_.positions(own_->state_.positions);
}
double BarrierSolver::time() const {
  return own_->state_.time;
}
void BarrierSolver::set_monitor(bool on) {
  own_->monitor_ = on;
}
BarrierSolver::Energy BarrierSolver::energy() const {
  return own_->energy();
}
SoftState BarrierSolver::state() const {
  return own_->state_;
}
void BarrierSolver::restore(const SoftState& state) {
  own_->state_ = state;
}

}  // namespace graze
