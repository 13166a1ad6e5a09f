#include "graze/sim/rigid/contact_solver.h"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>

#include "graze/sim/rigid/rigid_system.h"

namespace graze {
namespace {

// A body while impulses act on it. What does not move has no inverse mass.
struct State {
  std::uint32_t body;
  Vec3 velocity, spin;
  double inverse_mass = 0;
  Eigen::Matrix3d inverse_inertia = Eigen::Matrix3d::Zero();

  Vec3 speed_at(const Vec3& arm) const { return velocity + spin.cross(arm); }
  void push(const Vec3& arm, const Vec3& impulse) {
    velocity += inverse_mass * impulse;
    spin += inverse_inertia * arm.cross(impulse);
  }
};

struct Row {
  std::uint32_t contact, a, b;  // a, b: states
  Vec3 arm_a, arm_b;
  std::array<Vec3, 3> axes;  // the normal and two tangents
  std::array<double, 3> mass;
  double least, bias, approach;  // speeds of parting: that is wanted, at least; at first
  std::array<double, 3> before{}, direction{};
  std::array<double, 3> impulse{};  // so far, along the axes
};

struct JointRow {
  std::uint32_t a, b;
  Vec3 arm_a, arm_b, target;
};

Eigen::Matrix3d cross_matrix(const Vec3& v) {
  Eigen::Matrix3d m;
  m << 0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0;
  return m;
}

class Solver {
 public:
  Solver(const RigidSystem& system, std::span<const BodyContact> contacts,
         std::span<const std::uint32_t> joints, const SolveTimes& times,
         std::span<const std::uint32_t> only)
      : system_(system),
        contacts_(contacts),
        sweeps_(only.empty() ? 80 : 20),
        enough_(1e-4 * times.step * system.gravity.norm()) {
    std::vector<std::uint32_t> bodies;
    for (const BodyContact& contact : contacts) {
      bodies.push_back(contact.a);
      bodies.push_back(contact.b);
    }
    for (const std::uint32_t j : joints) {
      bodies.push_back(system.joints[j].a);
      bodies.push_back(system.joints[j].b);
    }
    std::sort(bodies.begin(), bodies.end());
    bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
    for (const std::uint32_t i : bodies) {
      const RigidBody& body = system.bodies[i];
      State state{i, body.velocity, body.spin};
      if (body.held) state.velocity = state.spin = Vec3::Zero();
      if (body.stirs() && !body.held &&
          (only.empty() || std::find(only.begin(), only.end(), i) != only.end())) {
        const RigidShape& shape = system.shapes[body.shape];
        const Eigen::Matrix3d r = body.pose.rotation.normalized().toRotationMatrix();
        state.inverse_mass = 1 / shape.mass;
        state.inverse_inertia = r * shape.inverse_inertia * r.transpose();
      }
      states_.push_back(state);
    }
    for (std::uint32_t i = 0; i < contacts.size(); ++i)
      if (const Row made = row(i, times); std::isfinite(made.mass[0])) rows_.push_back(made);
    for (const std::uint32_t j : joints) joints_.push_back(joint_row(system.joints[j], times));
    if (!joints_.empty()) factor_joints();
  }

  void run(double bounce_speed, bool bounce, bool warm) {
    for (Row& row : rows_) {
      row.least = row.bias;
      if (bounce && row.approach < -bounce_speed && row.approach < row.bias)
        row.least = std::max(row.least, -system_.restitution * row.approach);
      row.impulse = {};
      const Vec3& before = contacts_[row.contact].impulse;
      for (std::size_t k = 0; warm && k < 3; ++k) push(row, k, row.axes[k].dot(before));
    }
    relax(false, sweeps_);
    relax(true, sweeps_ / 4);
  }

  double energy() const {
    double sum = 0;
    for (const State& state : states_) {
      if (state.inverse_mass == 0) continue;
      const RigidBody& body = system_.bodies[state.body];
      const RigidShape& shape = system_.shapes[body.shape];
      const Vec3 spin = body.pose.rotation.normalized().conjugate() * state.spin;
      sum += shape.mass * state.velocity.squaredNorm() + spin.dot(shape.inertia * spin);
    }
    return sum / 2;
  }
  // By making near bodies part and joints close.
  double work() const {
    double sum = joint_work_;
    for (const Row& row : rows_) sum += row.impulse[0] * std::max(0.0, row.bias);
    return sum;
  }

  const std::vector<State>& states() const { return states_; }
  void restore(const std::vector<State>& states) {
    states_ = states;
    joint_work_ = 0;
  }
  void store(RigidSystem& system, std::span<BodyContact> contacts) const {
    for (const State& state : states_) {
      if (state.inverse_mass == 0) continue;
      RigidBody& body = system.bodies[state.body];
      body.velocity = state.velocity;
      body.spin = state.spin;
    }
    for (const Row& row : rows_)
      contacts[row.contact].impulse = row.impulse[0] * row.axes[0] + row.impulse[1] * row.axes[1] +
                                      row.impulse[2] * row.axes[2];
  }

 private:
  std::uint32_t state_of(std::uint32_t body) const {
    const auto found = std::lower_bound(states_.begin(), states_.end(), body,
                                        [](const State& s, std::uint32_t b) { return s.body < b; });
    return static_cast<std::uint32_t>(found - states_.begin());
  }

  Row row(std::uint32_t i, const SolveTimes& times) const {
    const BodyContact& contact = contacts_[i];
    Row row{};
    row.contact = i;
    row.a = state_of(contact.a);
    row.b = state_of(contact.b);
    const State &a = states_[row.a], &b = states_[row.b];
    row.arm_a = contact.point - system_.bodies[contact.a].pose.translation;
    row.arm_b = contact.point - system_.bodies[contact.b].pose.translation;
    const Vec3 tangent = contact.normal.unitOrthogonal();
    row.axes = {contact.normal, tangent, contact.normal.cross(tangent)};
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3 turn_a = row.arm_a.cross(row.axes[k]), turn_b = row.arm_b.cross(row.axes[k]);
      row.mass[k] = 1 / (a.inverse_mass + b.inverse_mass + turn_a.dot(a.inverse_inertia * turn_a) +
                         turn_b.dot(b.inverse_inertia * turn_b));
    }
    const double spare = contact.distance - system_.gap / 2;
    const double lack = system_.gap / 4 - contact.distance;
    row.bias = spare >= 0 ? -spare / times.left : std::max(0.0, 0.4 * lack / times.step);
    row.approach = speed_along(row, 0);
    return row;
  }

  double speed_along(const Row& row, std::size_t axis) const {
    return row.axes[axis].dot(states_[row.a].speed_at(row.arm_a) -
                              states_[row.b].speed_at(row.arm_b));
  }

  // Raises the impulse along an axis to this.
  void push(Row& row, std::size_t axis, double impulse) {
    const Vec3 change = (impulse - row.impulse[axis]) * row.axes[axis];
    row.impulse[axis] = impulse;
    states_[row.a].push(row.arm_a, change);
    states_[row.b].push(row.arm_b, -change);
  }

  void improve(Row& row, bool friction) {
    push(row, 0, std::max(0.0, row.impulse[0] + row.mass[0] * (row.least - speed_along(row, 0))));
    if (!friction) return;
    const double most = system_.friction * row.impulse[0];
    for (const std::size_t k : {1u, 2u})
      push(row, k, std::clamp(row.impulse[k] - row.mass[k] * speed_along(row, k), -most, most));
  }

  // Sweeps alone smooth out what differs from contact to contact; that a stack leans takes them the
  // fourth power of its height. So every sweep, there and back, also goes on some way in the
  // direction of those before: the method of conjugate gradients, as if the sweep were a step down
  // a gradient ([Silcowitz 2010]), begun anew where the steps do not get shorter.
  void relax(bool friction, int most_sweeps) {
    double last_sq = 0;
    for (Row& row : rows_) row.direction = {};
    for (int i = 0; i < most_sweeps; ++i) {
      for (Row& row : rows_) row.before = row.impulse;
      solve_joints();
      for (Row& row : rows_) improve(row, friction);
      for (auto row = rows_.rbegin(); row != rows_.rend(); ++row) improve(*row, friction);
      double sq = 0, fastest = 0;
      for (const Row& row : rows_)
        for (std::size_t k = 0; k < 3; ++k) {
          const double change = row.impulse[k] - row.before[k];
          sq += change * change / row.mass[k];
          fastest = std::max(fastest, std::abs(change) / row.mass[k]);
        }
      if (fastest < enough_ || i + 1 == most_sweeps) return;
      const double onward = i > 0 && sq < last_sq ? sq / last_sq : 0;
      last_sq = sq;
      for (Row& row : rows_)
        for (std::size_t k = 0; k < 3; ++k) {
          const double change = row.impulse[k] - row.before[k];
          if (onward > 0) push(row, k, row.impulse[k] + onward * row.direction[k]);
          row.direction[k] = onward * row.direction[k] + change;
        }
    }
  }

  JointRow joint_row(const BallJoint& joint, const SolveTimes& times) const {
    const RigidBody &a = system_.bodies[joint.a], &b = system_.bodies[joint.b];
    const Vec3 at_a = a.pose * joint.in_a, at_b = b.pose * joint.in_b;
    return {state_of(joint.a), state_of(joint.b), at_a - a.pose.translation,
            at_b - b.pose.translation, -0.5 / times.step * (at_a - at_b)};
  }

  // Joint i asks that the speed at its end of a is that at its end of b: J v = target. Impulses
  // J^T m change v by M^-1 J^T m, so that the multipliers m solve (J M^-1 J^T) m = target - J v.
  // A body that two joints share makes a block of that matrix.
  void factor_joints() {
    const auto n = static_cast<Eigen::Index>(joints_.size());
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(3 * n, 3 * n);
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index j = 0; j < n; ++j) {
        const JointRow &p = joints_[std::size_t(i)], &q = joints_[std::size_t(j)];
        const std::array ends_p{std::pair(p.a, p.arm_a), std::pair(p.b, p.arm_b)};
        const std::array ends_q{std::pair(q.a, q.arm_a), std::pair(q.b, q.arm_b)};
        for (std::size_t s = 0; s < 2; ++s)
          for (std::size_t t = 0; t < 2; ++t) {
            if (ends_p[s].first != ends_q[t].first) continue;
            const State& body = states_[ends_p[s].first];
            const Eigen::Matrix3d block = body.inverse_mass * Eigen::Matrix3d::Identity() -
                                          cross_matrix(ends_p[s].second) * body.inverse_inertia *
                                              cross_matrix(ends_q[t].second);
            matrix.block<3, 3>(3 * i, 3 * j) += s == t ? block : Eigen::Matrix3d(-block);
          }
      }
    joint_matrix_.compute(matrix);
  }

  void solve_joints() {
    if (joints_.empty()) return;
    Eigen::VectorXd wanted(3 * static_cast<Eigen::Index>(joints_.size()));
    for (std::size_t i = 0; i < joints_.size(); ++i) {
      const JointRow& joint = joints_[i];
      wanted.segment<3>(3 * Eigen::Index(i)) = joint.target -
                                               states_[joint.a].speed_at(joint.arm_a) +
                                               states_[joint.b].speed_at(joint.arm_b);
    }
    const Eigen::VectorXd multipliers = joint_matrix_.solve(wanted);
    for (std::size_t i = 0; i < joints_.size(); ++i) {
      const JointRow& joint = joints_[i];
      const Vec3 impulse = multipliers.segment<3>(3 * Eigen::Index(i));
      states_[joint.a].push(joint.arm_a, impulse);
      states_[joint.b].push(joint.arm_b, -impulse);
      joint_work_ += std::abs(impulse.dot(joint.target));
    }
  }

  const RigidSystem& system_;
  std::span<const BodyContact> contacts_;
  std::vector<State> states_;
  std::vector<Row> rows_;
  std::vector<JointRow> joints_;
  Eigen::LDLT<Eigen::MatrixXd> joint_matrix_;
  int sweeps_;  // at most
  double enough_, joint_work_ = 0;
};

}  // namespace

bool solve_velocities(RigidSystem& system, std::span<BodyContact> contacts,
                      std::span<const std::uint32_t> joints, const SolveTimes& times,
                      double bounce_speed, std::span<const std::uint32_t> only) {
  Solver solver(system, contacts, joints, times, only);
  const std::vector<State> before = solver.states();
  const double energy = solver.energy();
  const auto grows = [&] { return solver.energy() > energy * (1 + 1e-12) + solver.work(); };
  solver.run(bounce_speed, true, true);
  for (const bool bounce : {true, false}) {
    if (!grows()) break;
    solver.restore(before);
    solver.run(bounce_speed, bounce, false);
  }
  if (!only.empty() && grows()) return false;
  solver.store(system, contacts);
  return true;
}

}  // namespace graze
