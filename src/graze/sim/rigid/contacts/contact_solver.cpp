#include "graze/sim/rigid/contacts/contact_solver.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
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
  // Separating speeds: the lower bound in this run, the bound without restitution, the start value,
  // and the speed that widens a narrow contact.
  double least, bias, approach, widening;
  std::array<double, 3> before{}, direction{};
  std::array<double, 3> impulse{};  // along the normal and the tangents
};

constexpr int most_together = 4;
using Small = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, most_together, 1>;
using SmallMatrix =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, most_together, most_together>;

// The rows of a pair of bodies.
struct Block {
  std::size_t first, count;
  SmallMatrix inverse;  // from normal speeds to normal impulses; empty for one row and for many
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
        sweeps_(80 + (only.empty() ? static_cast<int>(contacts.size() / 40) : 0)),
        enough_((only.empty() ? 1e-5 : 1e-3) * times.step * system.model.gravity.norm()) {
    for (const StateRange& range : bodies_.groups) groups_.emplace_back(bodies_, range, times);
    for (const std::uint32_t j : joints) {
      const BallJoint& joint = system.model.joints[j];
      const std::uint32_t a = bodies_.state_of(joint.a), b = bodies_.state_of(joint.b);
      if (bodies_.moves(a) || bodies_.moves(b))
        groups_[bodies_.group_of[bodies_.moves(a) ? a : b]].add(bodies_, joint);
    }
    for (JointGroup& group : groups_) group.factor(bodies_);
    for (std::uint32_t i = 0; i < contacts.size(); ++i) add_row(i);
    add_blocks();
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
    settle_joints();
  }

  // Widens narrow contacts. Returns false, and changes nothing, if there are none.
  bool widen() {
    bool any = false;
    for (Row& row : rows_)
      if (row.widening > std::max(0.0, row.least)) {
        row.least = row.widening;
        any = true;
      }
    if (any) {
      relax(true, sweeps_ / 4, true);
      settle_joints();
    }
    return any;
  }

  double energy() const { return bodies_.energy(); }
  // Returns the work of closing joints.
  double work() const {
    double sum = 0;
    for (const JointGroup& group : groups_)
      if (group.has_joints()) sum += group.closing_energy();
    return sum;
  }

  const Eigen::VectorXd& velocities() const { return bodies_.velocities; }
  void restore(const Eigen::VectorXd& velocities) {
    bodies_.velocities = velocities;
    for (JointGroup& group : groups_) group.reset();
  }

  bool has_joints() const {
    return std::any_of(groups_.begin(), groups_.end(),
                       [](const JointGroup& group) { return group.has_joints(); });
  }
  // From now on joints that are open stay so; run() keeps their ends at rest to each other.
  void leave_joints_open() { closes_joints_ = false; }

  // The impulses of all rows, along the normal and the tangents.
  std::vector<std::array<double, 3>> no_impulses() const {
    return std::vector<std::array<double, 3>>(rows_.size());
  }
  std::vector<std::array<double, 3>> impulses() const {
    std::vector<std::array<double, 3>> all;
    for (const Row& row : rows_) all.push_back(row.impulse);
    return all;
  }

  // The limit of the energy that impulses may add to an island.
  enum class Limit {
    balance,  // an island gives what it has lost in this step
    motion    // an island also gives half of its kinetic energy, which it repays after the step
  };

  // Joins the bodies of each island of touching bodies in the accounts, scales the changes of
  // velocities and impulses since `before` and `impulses` by one factor for each island so that the
  // island can pay for them, and updates its balance (energy_accounts.h).
  //
  // Let v be the velocities before, d their change, s the factor, h the remaining time and g the
  // gravity. The predicted energy of the island changes by
  //   a s^2 + b s,  a = d.Md / 2,  b = d.M v - h m g.d.
  // Limit::balance: with the balance A >= 0 the largest s in [0, 1] with a s^2 + b s <= A is 1 if
  // a + b <= A, and the larger root of a s^2 + b s - A otherwise: the product of the roots is
  // -A/a <= 0, so that root is at least 0, and it is below 1 because the polynomial is positive
  // there. An island with joints is not scaled below 0.999, which would open them; it repays the
  // rest.
  // Limit::motion: the kinetic energy K becomes K + d.M v s + a s^2 and the balance
  // A - a s^2 - b s, so their sum falls by the work of lifting, -h m g.d s. It stays at least K/2
  // if that work is at most A + K/2, so that the island can repay: its kinetic energy exceeds its
  // debt.
  //
  // A bound on the kinetic energy alone would not do: the velocities include gravity for the whole
  // step, some joules for a wall of bricks, and an iteration that stops with separating speeds e
  // above 0 lifts the wall by h e. Scaled impulses keep the momentum of the island and the bound of
  // friction. The contacts lose 1 - s of their impulse, which is of the order of the error of the
  // iteration.
  // Returns whether every island can repay what it owes with its kinetic energy.
  bool limit_energy(EnergyAccounts& accounts, const Eigen::VectorXd& before,
                    const std::vector<std::array<double, 3>>& impulses, Limit limit) {
    struct Change {
      double a = 0, b = 0, lift = 0, kinetic = 0, least = 0, scale = 1;
    };
    for (const StateRange& range : bodies_.groups)
      for (std::uint32_t i = range.first; i + 1 < range.end; ++i)
        accounts.join(bodies_.states[i].body, bodies_.states[i + 1].body);
    for (const Row& row : rows_)
      if (bodies_.moves(row.a) && bodies_.moves(row.b))
        accounts.join(bodies_.states[row.a].body, bodies_.states[row.b].body);
    std::vector<std::uint32_t> islands(bodies_.states.size());
    for (std::uint32_t i = 0; i < islands.size(); ++i)
      islands[i] = accounts.island(bodies_.states[i].body);
    std::vector<std::uint32_t> names = islands;
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    std::vector<Change> changes(names.size());
    for (std::uint32_t& island : islands)
      island = static_cast<std::uint32_t>(std::lower_bound(names.begin(), names.end(), island) -
                                          names.begin());
    const Vec3 ahead = times_.left * system_.model.gravity;
    for (std::uint32_t i = 0; i < bodies_.states.size(); ++i) {
      if (!bodies_.moves(i)) continue;
      const Body& body = bodies_.body(i);
      const ShapeData& shape = system_.shape(body);
      const Twist start = before.segment<6>(6 * Eigen::Index(i));
      const Twist change = bodies_.velocity(i) - start;
      const Eigen::Quaterniond to_body = body.pose.rotation.normalized().conjugate();
      const Vec3 spin = to_body * start.tail<3>(), spin_change = to_body * change.tail<3>();
      const auto both = [&](const Twist& x, const Vec3& x_spin, const Twist& y,
                            const Vec3& y_spin) {
        return shape.mass * x.head<3>().dot(y.head<3>()) + x_spin.dot(shape.inertia * y_spin);
      };
      const double lift = -shape.mass * change.head<3>().dot(ahead);
      Change& island = changes[islands[i]];
      island.a += both(change, spin_change, change, spin_change) / 2;
      island.b += both(change, spin_change, start, spin) + lift;
      island.lift += lift;
      island.kinetic += both(start, spin, start, spin) / 2;
    }
    for (const JointGroup& group : groups_)
      if (group.has_joints() && limit == Limit::balance)
        changes[islands[group.range().first]].least = 0.999;
    bool can_repay = true;
    for (std::size_t k = 0; k < names.size(); ++k) {
      auto& [a, b, lift, kinetic, least, scale] = changes[k];
      double& balance = accounts.balance(names[k]);
      const double most = std::max(0.0, balance + (limit == Limit::motion ? kinetic / 2 : 0.0));
      if (limit == Limit::motion && lift > most)
        scale = most / lift;
      else if (limit == Limit::balance && a + b > most)
        scale = std::clamp((std::sqrt(b * b + 4 * a * most) - b) / (2 * a), least, 1.0);
      balance -= scale * (a * scale + b);
      can_repay = can_repay && balance + kinetic + scale * (a * scale + b - lift) >= 0;
    }
    for (std::uint32_t i = 0; i < bodies_.states.size(); ++i) {
      const Twist start = before.segment<6>(6 * Eigen::Index(i));
      if (const double s = changes[islands[i]].scale; s < 1)
        bodies_.velocity(i) = start + s * (bodies_.velocity(i) - start);
    }
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      Row& row = rows_[k];
      const double s = changes[islands[bodies_.moves(row.a) ? row.a : row.b]].scale;
      for (std::size_t axis = 0; axis < 3; ++axis)
        row.impulse[axis] = impulses[k][axis] + s * (row.impulse[axis] - impulses[k][axis]);
    }
    return can_repay;
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
  void settle_joints() {
    for (int round = 0; round < 4 && correct_joints(1); ++round) relax(true, sweeps_ / 8, true);
  }
  bool correct_joints(int rounds) {
    bool any = false;
    if (!closes_joints_) return any;
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
    row.bias = std::min(0.0, -spare / times_.left);
    row.widening = std::clamp(0.4 * lack / times_.step, 0.0, slowly);
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

  // Improves the contacts of a pair of bodies: the normal impulses together, then friction.
  //
  // Normal impulses that are improved one after the other tilt a body that rests on a face, and
  // such errors are those that vanish last: a wall leans. The inverse of the block keeps the
  // symmetry of a face.
  void improve(const Block& block, bool friction) {
    const std::span<Row> rows(&rows_[block.first], block.count);
    if (!push_together(block, rows))
      for (Row& row : rows) {
        const double lack = row.least - speed_along(row, 0);
        improve(row, 0, std::max(0.0, row.impulse[0] + row.mass[0] * lack));
      }
    if (!friction) return;
    for (Row& row : rows) {
      const double most = system_.model.friction * row.impulse[0];
      for (const std::size_t k : {1u, 2u})
        improve(row, k,
                std::clamp(row.impulse[k] - row.mass[k] * speed_along(row, k), -most, most));
    }
  }
  void improve(Row& row, std::size_t axis, double impulse) {
    error_ = std::max(error_, std::abs(impulse - row.impulse[axis]) / row.mass[axis]);
    push(row, axis, impulse);
  }

  // Gives the contacts of a pair the normal impulses at which each separates as fast as it must.
  // Returns false, and changes nothing, if one of these would pull.
  bool push_together(const Block& block, std::span<Row> rows) {
    if (block.inverse.size() == 0) return false;
    Small lack(static_cast<Eigen::Index>(rows.size()));
    for (std::size_t i = 0; i < rows.size(); ++i)
      lack[static_cast<Eigen::Index>(i)] = rows[i].least - speed_along(rows[i], 0);
    Small impulse = block.inverse * lack;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if ((impulse[static_cast<Eigen::Index>(i)] += rows[i].impulse[0]) < 0) return false;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      // The impulses may change along directions that change no speed, so they show no error.
      if (const double speed = lack[static_cast<Eigen::Index>(i)]; rows[i].impulse[0] > 0)
        error_ = std::max(error_, std::abs(speed));
      else
        error_ = std::max(error_, speed);
      push(rows[i], 0, impulse[static_cast<Eigen::Index>(i)]);
    }
    return true;
  }

  // Collects the contacts of each pair of bodies. The matrix of a block is singular for the four
  // corners of a face: the inverse is that of the matrix with a larger diagonal.
  void add_blocks() {
    for (std::size_t first = 0, end = 0; first < rows_.size(); first = end) {
      while (end < rows_.size() && rows_[end].a == rows_[first].a && rows_[end].b == rows_[first].b)
        ++end;
      Block& block = blocks_.emplace_back(Block{first, end - first, {}});
      const auto jointed = [&](std::uint32_t state) {
        return groups_[bodies_.group_of[state]].has_joints();
      };
      if (block.count == 1 || block.count > most_together || jointed(rows_[first].a) ||
          jointed(rows_[first].b))
        continue;
      const auto n = static_cast<Eigen::Index>(block.count);
      SmallMatrix matrix(n, n);
      for (Eigen::Index j = 0; j < n; ++j) {
        Row& cause = rows_[first + static_cast<std::size_t>(j)];
        const Twist a = response_of(cause, cause.a), b = response_of(cause, cause.b);
        for (Eigen::Index i = 0; i < n; ++i) {
          const Row& row = rows_[first + static_cast<std::size_t>(i)];
          matrix(i, j) = row.on_a[0].dot(a) + row.on_b[0].dot(b);
        }
      }
      matrix.diagonal() *= 1 + 1e-3;
      block.inverse = matrix.inverse();
    }
  }
  // Returns the change of the velocity of a state by a unit impulse along the normal.
  Twist response_of(const Row& row, std::uint32_t state) const {
    for (const Response& response : row.responses[0])
      if (const Eigen::Index at = 6 * Eigen::Index(state) - response.first;
          at >= 0 && at < response.size)
        return Eigen::Map<const Twist>(&stored_[response.at + static_cast<std::size_t>(at)]);
    return Twist::Zero();
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
      error_ = 0;
      for (const Block& block : blocks_) improve(block, friction);
      for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block)
        improve(*block, friction);
      if (error_ < enough_ || i + 1 == most_sweeps) return;
      if (!faster) continue;
      double sq = 0;
      for (const Row& row : rows_)
        for (std::size_t k = 0; k < 3; ++k) {
          const double change = row.impulse[k] - row.before[k];
          sq += change * change / row.mass[k];
        }
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
  std::vector<Block> blocks_;
  std::vector<double> stored_;  // responses
  int sweeps_;                  // limit
  double enough_;               // speed: the iteration ends when no contact errs by more
  double error_ = 0;            // largest error of a separating or sliding speed in the last sweep
  bool closes_joints_ = true;
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
  // Closing joints lifts bodies. An island that cannot pay for that leaves its joints as they are.
  const bool has_joints = solver.has_joints();
  const EnergyAccounts accounts = has_joints ? system.accounts : EnergyAccounts(0);
  if (!solver.limit_energy(system.accounts, before, solver.no_impulses(), Solver::Limit::balance) &&
      has_joints) {
    system.accounts = accounts;
    solver.restore(before);
    solver.leave_joints_open();
    solver.run(bounce_speed, false, false, false);
    solver.limit_energy(system.accounts, before, solver.no_impulses(), Solver::Limit::balance);
  }
  const Eigen::VectorXd limited = solver.velocities();
  if (const auto impulses = solver.impulses(); solver.widen())
    solver.limit_energy(system.accounts, limited, impulses, Solver::Limit::motion);
  solver.store(system, contacts);
  return true;
}

}  // namespace graze::sim::rigid
