#include "graze/sim/rigid/contacts/contact_solver.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "graze/sim/rigid/contacts/joint_group.h"

namespace graze::sim::rigid {
namespace {

// The change of velocities by a unit impulse: of one body, or of all bodies jointed to it.
struct Response {
  Eigen::Index first = 0, size = 0;  // range in the vector of velocities
  std::size_t at = 0;                // of the first number, in Solver::stored_
};

struct Row {
  std::uint32_t contact, a, b;      // a, b: states
  std::array<Twist, 3> on_a, on_b;  // unit impulses along the normal and two tangents
  std::array<std::array<Response, 2>, 3> responses;
  std::array<double, 3> mass;
  // Separating speeds: the lower bound in this run, the bound without restitution, the start value.
  double least, bias, approach;
  std::array<double, 3> before{}, direction{};
  std::array<double, 3> impulse{};  // along the normal and the tangents
};

class Solver {
 public:
  Solver(const System& system, std::span<const Contact> contacts,
         std::span<const std::uint32_t> joints, const SolveTimes& times,
         std::span<const std::uint32_t> only)
      : system_(system),
        contacts_(contacts),
        times_(times),
        bodies_(system, contacts, joints, only),
        sweeps_(80),
        enough_(1e-4 * times.step * system.model.gravity.norm()) {
    for (const StateRange& range : bodies_.groups) groups_.emplace_back(bodies_, range, times);
    for (const std::uint32_t j : joints) {
      const BallJoint& joint = system.model.joints[j];
      const std::uint32_t a = bodies_.state_of(joint.a), b = bodies_.state_of(joint.b);
      if (bodies_.moves(a) || bodies_.moves(b))
        groups_[bodies_.group_of[bodies_.moves(a) ? a : b]].add(bodies_, joint);
    }
    for (JointGroup& group : groups_) group.factor(bodies_);
    for (std::uint32_t i = 0; i < contacts.size(); ++i) add_row(i);
  }

  // Solves all contacts and joints. Contact impulses keep the relative velocities of the joints but
  // change the spins, so the joints are corrected again after each relaxation. `simple` leaves out
  // joint corrections, friction and acceleration; then the kinetic energy grows by at most work().
  void run(double bounce_speed, bool bounce, bool warm, bool simple) {
    for (Row& row : rows_) {
      row.least = row.bias;
      if (bounce && row.approach < -bounce_speed && row.approach < row.bias)
        row.least = std::max(row.least, -system_.model.restitution * row.approach);
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
  // Returns the work of separating near bodies and of closing joints.
  double work() const {
    double sum = 0;
    for (const Row& row : rows_) sum += separation_work(row);
    for (const JointGroup& group : groups_)
      if (group.has_joints()) sum += group.closing_energy();
    return sum;
  }

  const Eigen::VectorXd& velocities() const { return bodies_.velocities; }
  void restore(const Eigen::VectorXd& velocities) {
    bodies_.velocities = velocities;
    for (JointGroup& group : groups_) group.reset();
  }

  // Scales the impulses of each island of touching bodies so that the energy of the step does not
  // grow, for velocities `before` that include the gravity g of the whole step h.
  //
  // Claim: with v the velocities before gravity, v' those after the impulses and W = work(),
  //   KE(v') - h m g.v' <= KE(v) + W                                                        (*)
  // for the masses m of each island, up to rounding. A body that moves by h v' without further
  // impulses changes its potential energy by -h m g.v', so (*) bounds the energy of the step.
  //
  // (*) does not follow from a bound on KE(v') alone: at rest KE(v + h g) is some joules for a wall
  // of bricks, and an iteration that stops with separating speeds e above 0 lifts the wall by h e.
  // Let d be the change of velocities by the impulses. With v + h g + s d for v', (*) follows from
  //   a s^2 + b s + c <= 0,  a = d.Md / 2,  b = d.M v - W,  c = -h^2 m g.g / 2,
  // because KE(v + h g + s d) - h m g.(v + h g + s d) = KE(v + s d) - h^2 m g.g / 2. A body that
  // woke in this step has v = 0 and moves with s d: it has d.M(-h g) in b and nothing in c.
  // c is at most 0, so the bound holds for s = 0. If it does not hold for s = 1, the larger root is
  // in [0, 1) and is taken. Scaled impulses keep the momentum of the island and the bound of
  // friction. The contacts lose 1 - s of their impulse, which is of the order of the error of the
  // iteration.
  void limit_energy(const Eigen::VectorXd& before) {
    const std::vector<std::uint32_t> island_of = find_islands();
    struct Polynomial {
      double a = 0, b = 0, c = 0;
    };
    std::vector<Polynomial> islands(groups_.size());
    const Vec3 gained = times_.step * system_.model.gravity;
    for (std::uint32_t i = 0; i < bodies_.states.size(); ++i) {
      if (!bodies_.moves(i)) continue;
      const Body& body = bodies_.body(i);
      const ShapeData& shape = system_.shape(body);
      const Twist start = before.segment<6>(6 * Eigen::Index(i));
      const Twist change = bodies_.velocity(i) - start;
      const Eigen::Quaterniond to_body = body.pose.rotation.normalized().conjugate();
      const Vec3 spin = to_body * start.tail<3>(), spin_change = to_body * change.tail<3>();
      Polynomial& island = islands[island_of[bodies_.group_of[i]]];
      island.a += (shape.mass * change.head<3>().squaredNorm() +
                   spin_change.dot(shape.inertia * spin_change)) /
                  2;
      island.b += shape.mass * change.head<3>().dot(start.head<3>() - gained) +
                  spin_change.dot(shape.inertia * spin);
      if (system_.accelerated[bodies_.states[i].body] != 0)
        island.c -= shape.mass * gained.squaredNorm() / 2;
    }
    for (const Row& row : rows_) islands[island_of[group_of(row)]].b -= separation_work(row);
    for (std::uint32_t i = 0; i < groups_.size(); ++i)
      if (groups_[i].has_joints()) islands[island_of[i]].b -= groups_[i].closing_energy();
    std::vector<double> scale(groups_.size(), 1);
    for (std::uint32_t i = 0; i < groups_.size(); ++i)
      if (const auto& [a, b, c] = islands[i]; a + b + c > 0)
        scale[i] = std::clamp((std::sqrt(b * b - 4 * a * c) - b) / (2 * a), 0.0, 1.0);
    for (std::uint32_t i = 0; i < bodies_.states.size(); ++i) {
      const Twist start = before.segment<6>(6 * Eigen::Index(i));
      if (const double s = scale[island_of[bodies_.group_of[i]]]; s < 1)
        bodies_.velocity(i) = start + s * (bodies_.velocity(i) - start);
    }
    for (Row& row : rows_)
      for (double& impulse : row.impulse) impulse *= scale[island_of[group_of(row)]];
  }

  void store(System& system, std::span<Contact> contacts) const {
    for (std::uint32_t i = 0; i < bodies_.states.size(); ++i) {
      if (!bodies_.moves(i)) continue;
      Body& body = system.state.bodies[bodies_.states[i].body];
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
  static double separation_work(const Row& row) { return row.impulse[0] * std::max(0.0, row.bias); }
  // Returns a group of the contact that moves.
  std::uint32_t group_of(const Row& row) const {
    return bodies_.group_of[bodies_.moves(row.a) ? row.a : row.b];
  }
  // Returns for each group the first group that it is connected to by contacts of moving bodies.
  std::vector<std::uint32_t> find_islands() const {
    std::vector<std::uint32_t> root(groups_.size());
    std::iota(root.begin(), root.end(), 0u);
    const auto find = [&](std::uint32_t i) {
      while (root[i] != i) i = root[i] = root[root[i]];
      return i;
    };
    for (const Row& row : rows_)
      if (bodies_.moves(row.a) && bodies_.moves(row.b)) {
        const std::uint32_t a = find(bodies_.group_of[row.a]), b = find(bodies_.group_of[row.b]);
        root[std::max(a, b)] = std::min(a, b);
      }
    for (std::uint32_t i = 0; i < root.size(); ++i) root[i] = find(i);
    return root;
  }

  bool correct_joints(int rounds) {
    bool any = false;
    for (JointGroup& group : groups_) any = group.correct(bodies_, rounds) || any;
    return any;
  }

  void add_row(std::uint32_t i) {
    const Contact& contact = contacts_[i];
    Row row{};
    row.contact = i;
    row.a = bodies_.state_of(contact.a);
    row.b = bodies_.state_of(contact.b);
    if (!bodies_.moves(row.a) && !bodies_.moves(row.b)) return;
    const Vec3 arm_a = contact.point - system_.state.bodies[contact.a].pose.translation;
    const Vec3 arm_b = contact.point - system_.state.bodies[contact.b].pose.translation;
    const Vec3 tangent = contact.normal.unitOrthogonal();
    const std::array axes = {contact.normal, tangent, Vec3(contact.normal.cross(tangent))};
    for (std::size_t k = 0; k < 3; ++k) {
      row.on_a[k] = twist(axes[k], arm_a.cross(axes[k]));
      row.on_b[k] = twist(-axes[k], -arm_b.cross(axes[k]));
      row.mass[k] = 1 / add_responses(row, k);
    }
    const double spare = contact.distance - system_.model.gap / 2;
    const double lack = system_.model.gap / 4 - contact.distance;
    // The speed of a fall from half the gap bounds the separating speed of short steps.
    const double slowly = std::sqrt(system_.model.gravity.norm() * system_.model.gap);
    row.bias =
        spare >= 0 ? -spare / times_.left : std::clamp(0.4 * lack / times_.step, 0.0, slowly);
    row.approach = speed_along(row, 0);
    rows_.push_back(row);
  }

  // Stores the change of velocities by a unit impulse along an axis, with the reaction of joints.
  // Returns the change of the speed along that axis; at least a thousandth of its value without
  // joints, because a point that joints hold in place would accept any impulse.
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

  // Sets the impulse along an axis and changes the velocities accordingly.
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
    const double most = system_.model.friction * row.impulse[0];
    for (const std::size_t k : {1u, 2u})
      push(row, k, std::clamp(row.impulse[k] - row.mass[k] * speed(k), -most, most));
  }

  // Runs symmetric Gauss-Seidel sweeps. Plain sweeps reduce errors that vary from contact to
  // contact; a leaning stack takes a number of sweeps proportional to the fourth power of its
  // height. `faster` accelerates them by nonlinear conjugate gradients, with a sweep in place of
  // the gradient step ([Silcowitz 2010]), restarted where the changes do not shrink.
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

  const System& system_;
  std::span<const Contact> contacts_;
  SolveTimes times_;
  SolverBodies bodies_;
  std::vector<JointGroup> groups_;
  std::vector<Row> rows_;
  std::vector<double> stored_;  // responses
  int sweeps_;                  // limit
  double enough_;               // speed: the iteration ends when no contact changes by more
};

}  // namespace

bool solve_velocities(System& system, std::span<Contact> contacts,
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
  if (only.empty()) solver.limit_energy(before);
  solver.store(system, contacts);
  return true;
}

}  // namespace graze::sim::rigid
