#include "graze/sim/rigid/contact_solver.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "graze/sim/rigid/joint_group.h"
#include "graze/sim/rigid/rigid_system.h"

namespace graze {
namespace {

// What an impulse changes: the velocities of one body, or of all that joints connect with it.
struct Response {
  Eigen::Index first = 0, size = 0;  // in the vector of velocities
  std::size_t at = 0;                // where it is stored
};

struct Row {
  std::uint32_t contact, a, b;      // a, b: states
  std::array<Twist, 3> on_a, on_b;  // unit impulses along the normal and two tangents
  std::array<std::array<Response, 2>, 3> responses;
  std::array<double, 3> mass;
  double least, bias, approach;  // speeds of parting: that is wanted, at least; at first
  std::array<double, 3> before{}, direction{};
  std::array<double, 3> impulse{};  // so far, along the axes
};

class Solver {
 public:
  Solver(const RigidSystem& system, std::span<const BodyContact> contacts,
         std::span<const std::uint32_t> joints, const SolveTimes& times,
         std::span<const std::uint32_t> only)
      : system_(system),
        contacts_(contacts),
        times_(times),
        bodies_(system, contacts, joints, only),
        sweeps_(80),
        enough_(1e-4 * times.step * system.gravity.norm()) {
    for (const StateRange& range : bodies_.groups) groups_.emplace_back(bodies_, range, times);
    for (const std::uint32_t j : joints) {
      const BallJoint& joint = system.joints[j];
      const std::uint32_t a = bodies_.state_of(joint.a), b = bodies_.state_of(joint.b);
      if (bodies_.moves(a) || bodies_.moves(b))
        groups_[bodies_.group_of[bodies_.moves(a) ? a : b]].add(bodies_, joint);
    }
    for (JointGroup& group : groups_) group.factor(bodies_);
    for (std::uint32_t i = 0; i < contacts.size(); ++i) add_row(i);
  }

  // What contacts do leaves alone how the ends of joints part, but changes how bodies turn, so that
  // joints are corrected again; a few times are enough. Simple: neither joints are corrected, nor
  // is there friction, and sweeps are plain. Then the kinetic energy cannot grow but by `work`.
  void run(double bounce_speed, bool bounce, bool warm, bool simple) {
    for (Row& row : rows_) {
      row.least = row.bias;
      if (bounce && row.approach < -bounce_speed && row.approach < row.bias)
        row.least = std::max(row.least, -system_.restitution * row.approach);
      row.impulse = {};
      const Vec3& before = contacts_[row.contact].impulse;
      for (std::size_t k = 0; warm && k < 3; ++k) push(row, k, row.on_a[k].head<3>().dot(before));
    }
    for (const JointGroup& group : groups_) group.meet_target(bodies_);
    if (simple) return relax(false, sweeps_, false);
    correct_joints(4);
    relax(false, sweeps_, true);
    correct_joints(2);
    relax(true, sweeps_ / 4, true);
    for (int round = 0; round < 4 && correct_joints(1); ++round) relax(true, sweeps_ / 8, true);
  }

  double energy() const { return bodies_.energy(); }
  // By making near bodies part and joints close.
  double work() const {
    double sum = 0;
    for (const Row& row : rows_) sum += row.impulse[0] * std::max(0.0, row.bias);
    for (const JointGroup& group : groups_)
      if (group.has_joints()) sum += group.closing_energy();
    return sum;
  }

  const Eigen::VectorXd& velocities() const { return bodies_.velocities; }
  void restore(const Eigen::VectorXd& velocities) {
    bodies_.velocities = velocities;
    for (JointGroup& group : groups_) group.reset();
  }
  void store(RigidSystem& system, std::span<BodyContact> contacts) const {
    for (std::uint32_t i = 0; i < bodies_.states.size(); ++i) {
      if (!bodies_.moves(i)) continue;
      RigidBody& body = system.bodies[bodies_.states[i].body];
      body.velocity = bodies_.velocity(i).head<3>();
      body.spin = bodies_.velocity(i).tail<3>();
    }
    for (const Row& row : rows_) {
      Vec3& impulse = contacts[row.contact].impulse;
      impulse = Vec3::Zero();
      for (std::size_t k = 0; k < 3; ++k) impulse += row.impulse[k] * row.on_a[k].head<3>();
    }
  }

 private:
  bool correct_joints(int rounds) {
    bool any = false;
    for (JointGroup& group : groups_) any = group.correct(bodies_, rounds) || any;
    return any;
  }

  void add_row(std::uint32_t i) {
    const BodyContact& contact = contacts_[i];
    Row row{};
    row.contact = i;
    row.a = bodies_.state_of(contact.a);
    row.b = bodies_.state_of(contact.b);
    if (!bodies_.moves(row.a) && !bodies_.moves(row.b)) return;
    const Vec3 arm_a = contact.point - system_.bodies[contact.a].pose.translation;
    const Vec3 arm_b = contact.point - system_.bodies[contact.b].pose.translation;
    const Vec3 tangent = contact.normal.unitOrthogonal();
    const std::array axes = {contact.normal, tangent, Vec3(contact.normal.cross(tangent))};
    for (std::size_t k = 0; k < 3; ++k) {
      row.on_a[k] = twist(axes[k], arm_a.cross(axes[k]));
      row.on_b[k] = twist(-axes[k], -arm_b.cross(axes[k]));
      row.mass[k] = 1 / add_responses(row, k);
    }
    const double spare = contact.distance - system_.gap / 2;
    const double lack = system_.gap / 4 - contact.distance;
    // However short the step, no faster than by a fall of half the gap.
    const double slowly = std::sqrt(system_.gravity.norm() * system_.gap);
    row.bias =
        spare >= 0 ? -spare / times_.left : std::clamp(0.4 * lack / times_.step, 0.0, slowly);
    row.approach = speed_along(row, 0);
    rows_.push_back(row);
  }

  // How velocities change by a unit impulse, joints passing it on. Returns by how much the bodies
  // part faster; a thousandth, at least, of what they would without joints: a place that joints
  // hold fast would take any impulse.
  double add_responses(Row& row, std::size_t axis) {
    double speed = 0, alone = 0;
    const bool one = bodies_.group_of[row.a] == bodies_.group_of[row.b];
    for (std::size_t side = 0; side < (one ? 1 : 2); ++side) {
      const JointGroup& group = groups_[bodies_.group_of[side == 0 ? row.a : row.b]];
      const StateRange& range = group.range();
      if (!bodies_.moves(range.first)) continue;
      Eigen::VectorXd change = Eigen::VectorXd::Zero(range.size());
      const auto each = [&](const auto& function) {
        if (range.has(row.a)) function(row.a, row.on_a[axis]);
        if (range.has(row.b)) function(row.b, row.on_b[axis]);
      };
      each([&](std::uint32_t state, const Twist& impulse) {
        const Twist own = bodies_.states[state].response(impulse);
        change.segment<6>(range.offset(state)) += own;
        alone += impulse.dot(own);
      });
      if (group.has_joints()) change += group.reaction(bodies_, change);
      each([&](std::uint32_t state, const Twist& impulse) {
        speed += impulse.dot(change.segment<6>(range.offset(state)));
      });
      row.responses[axis][side] = {range.begin(), range.size(), stored_.size()};
      stored_.insert(stored_.end(), change.begin(), change.end());
    }
    return std::max(speed, 1e-3 * alone);
  }

  double speed_along(const Row& row, std::size_t axis) const {
    return row.on_a[axis].dot(bodies_.velocity(row.a)) +
           row.on_b[axis].dot(bodies_.velocity(row.b));
  }

  // Raises the impulse along an axis to this.
  void push(Row& row, std::size_t axis, double impulse) {
    const double change = impulse - row.impulse[axis];
    row.impulse[axis] = impulse;
    for (const Response& response : row.responses[axis])
      if (response.size == 6)
        bodies_.velocities.segment<6>(response.first) +=
            change * Eigen::Map<const Twist>(&stored_[response.at]);
      else if (response.size > 0)
        bodies_.velocities.segment(response.first, response.size) +=
            change * Eigen::Map<const Eigen::VectorXd>(&stored_[response.at], response.size);
  }

  void improve(Row& row, bool friction) {
    const auto speed = [&](std::size_t k) { return speed_along(row, k); };
    push(row, 0, std::max(0.0, row.impulse[0] + row.mass[0] * (row.least - speed(0))));
    if (!friction) return;
    const double most = system_.friction * row.impulse[0];
    for (const std::size_t k : {1u, 2u})
      push(row, k, std::clamp(row.impulse[k] - row.mass[k] * speed(k), -most, most));
  }

  // Sweeps alone smooth out what differs from contact to contact; that a stack leans takes them the
  // fourth power of its height. So every sweep, there and back, also goes on some way in the
  // direction of those before: the method of conjugate gradients, as if the sweep were a step down
  // a gradient ([Silcowitz 2010]), begun anew where the steps do not get shorter.
  void relax(bool friction, int most_sweeps, bool faster) {
    double last_sq = 0;
    for (Row& row : rows_) row.direction = {};
    for (int i = 0; i < most_sweeps; ++i) {
      for (Row& row : rows_) row.before = row.impulse;
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
      if (!faster) continue;
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

  const RigidSystem& system_;
  std::span<const BodyContact> contacts_;
  SolveTimes times_;
  SolverBodies bodies_;
  std::vector<JointGroup> groups_;
  std::vector<Row> rows_;
  std::vector<double> stored_;  // responses
  int sweeps_;                  // at most
  double enough_;
};

}  // namespace

bool solve_velocities(RigidSystem& system, std::span<BodyContact> contacts,
                      std::span<const std::uint32_t> joints, const SolveTimes& times,
                      double bounce_speed, std::span<const std::uint32_t> only) {
  Solver solver(system, contacts, joints, times, only);
  const Eigen::VectorXd before = solver.velocities();
  const double energy = solver.energy();
  const auto grows = [&] { return !(solver.energy() <= energy * (1 + 1e-12) + solver.work()); };
  solver.run(bounce_speed, true, true, false);
  for (const auto& [bounce, simple] : {std::pair(true, false), {false, false}, {false, true}}) {
    if (!grows()) break;
    solver.restore(before);
    solver.run(bounce_speed, bounce, false, simple);
  }
  if (!only.empty() && grows()) return false;
  solver.store(system, contacts);
  return true;
}

}  // namespace graze
