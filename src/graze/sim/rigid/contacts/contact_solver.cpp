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

// A unit impulse along the normal or a tangent: on both bodies (on_a, on_b), and the changes of
// their velocities without joints (by_a, by_b).
struct Axis {
  Twist on_a, on_b, by_a, by_b;

  double speed(const Twist& a, const Twist& b) const { return on_a.dot(a) + on_b.dot(b); }
};

// A contact. Its axes and responses are stored apart, so that a sweep reads little memory.
struct Row {
  std::uint32_t contact, a, b;  // a, b: states
  std::uint32_t index;          // of the row
  bool jointed;                 // one of the bodies has joints
  std::array<double, 3> mass;   // along the normal and two tangents
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

// Consecutive blocks of bodies that touch each other, directly or through other moving bodies.
struct Island {
  std::size_t first, end;  // in Solver::blocks_
  int sweeps;              // limit
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
    add_islands(only.empty());
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
      for (std::size_t k = 0; warm && k < 3; ++k)
        push(row, k, axis(row, k).on_a.head<3>().dot(before));
    }
    for (const JointGroup& group : groups_) group.meet_target(bodies_);
    if (simple) return relax(false, 1, false);
    correct_joints(4);
    relax(false, 1, true);
    correct_joints(2);
    relax(true, 4, true);
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
      relax(true, 4, true);
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
  // Leaves open joints open from now on; run() keeps the relative velocities of their ends at 0.
  void leave_joints_open() { closes_joints_ = false; }

  // Returns zero impulses for all rows, along the normal and the tangents.
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
    balance,  // the energy that the island has lost in this step
    motion    // half of its kinetic energy more, which it repays after the step
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
  // A bound on the kinetic energy alone would not suffice: the velocities include gravity for the
  // whole step, some joules for a wall of bricks, and an iteration that stops with separating
  // speeds e above 0 lifts the wall by h e. Scaled impulses keep the momentum of the island and the
  // bound of friction. The contacts lose 1 - s of their impulse, which is of the order of the error
  // of the iteration.
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
      for (std::size_t k = 0; k < 3; ++k) impulse += row.impulse[k] * axis(row, k).on_a.head<3>();
    }
  }

 private:
  const Axis& axis(const Row& row, std::size_t k) const {
    return k == 0 ? normals_[row.index] : tangents_[2 * row.index + k - 1];
  }
  bool is_jointed(std::uint32_t state) const {
    return groups_[bodies_.group_of[state]].has_joints();
  }

  void settle_joints() {
    for (int round = 0; round < 4 && correct_joints(1); ++round) relax(true, 8, true);
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
    row.index = static_cast<std::uint32_t>(rows_.size());
    row.a = bodies_.state_of(contact.a);
    row.b = bodies_.state_of(contact.b);
    if (!bodies_.moves(row.a) && !bodies_.moves(row.b)) return;
    const Vec3 arm_a = contact.point - system_.state.bodies[contact.a].pose.translation;
    const Vec3 arm_b = contact.point - system_.state.bodies[contact.b].pose.translation;
    const Vec3 tangent = contact.normal.unitOrthogonal();
    const std::array along = {contact.normal, tangent, Vec3(contact.normal.cross(tangent))};
    row.jointed = is_jointed(row.a) || is_jointed(row.b);
    if (row.jointed) responses_.resize(rows_.size() + 1);
    for (std::size_t k = 0; k < 3; ++k) {
      Axis& axis = k == 0 ? normals_.emplace_back() : tangents_.emplace_back();
      axis.on_a = twist(along[k], arm_a.cross(along[k]));
      axis.on_b = twist(-along[k], -arm_b.cross(along[k]));
      axis.by_a = bodies_.states[row.a].response(axis.on_a);
      axis.by_b = bodies_.states[row.b].response(axis.on_b);
      const double alone = axis.speed(axis.by_a, axis.by_b);
      row.mass[k] = 1 / (row.jointed ? std::max(add_responses(row, k), 1e-3 * alone) : alone);
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
  // Returns the change of the speed along that axis. (Row::mass assumes at least a thousandth of
  // the speed without joints, because a point that joints fix would take any impulse.)
  double add_responses(const Row& row, std::size_t k) {
    double speed = 0;
    const Axis& axis = this->axis(row, k);
    const bool one = bodies_.group_of[row.a] == bodies_.group_of[row.b];
    for (std::size_t side = 0; side < (one ? 1 : 2); ++side) {
      const JointGroup& group = groups_[bodies_.group_of[side == 0 ? row.a : row.b]];
      const StateRange& range = group.range();
      if (!bodies_.moves(range.first)) continue;
      Eigen::VectorXd change = Eigen::VectorXd::Zero(range.size());
      if (range.has(row.a)) change.segment<6>(range.offset(row.a)) += axis.by_a;
      if (range.has(row.b)) change.segment<6>(range.offset(row.b)) += axis.by_b;
      if (group.has_joints()) change += group.reaction(bodies_, change);
      if (range.has(row.a)) speed += axis.on_a.dot(change.segment<6>(range.offset(row.a)));
      if (range.has(row.b)) speed += axis.on_b.dot(change.segment<6>(range.offset(row.b)));
      responses_[row.index][k][side] = {range.begin(), range.size(), stored_.size()};
      stored_.insert(stored_.end(), change.begin(), change.end());
    }
    return speed;
  }

  double speed_along(const Row& row, std::size_t k) const {
    return axis(row, k).speed(bodies_.velocity(row.a), bodies_.velocity(row.b));
  }

  // Sets the impulse along an axis and changes the velocities accordingly.
  void push(Row& row, std::size_t k, double impulse) {
    const double change = impulse - row.impulse[k];
    row.impulse[k] = impulse;
    if (!row.jointed) {
      const Axis& axis = this->axis(row, k);
      bodies_.velocity(row.a) += change * axis.by_a;
      bodies_.velocity(row.b) += change * axis.by_b;
      return;
    }
    for (const Response& response : responses_[row.index][k])
      if (response.size > 0)
        bodies_.velocities.segment(response.first, response.size) +=
            change * Eigen::Map<const Eigen::VectorXd>(&stored_[response.at], response.size);
  }

  // The velocities of a pair of bodies during improve(): as they are stored, or, for bodies without
  // joints, a copy that is stored at the end.
  struct Stored {
    Solver& solver;
    double speed(const Row& row, std::size_t k) const { return solver.speed_along(row, k); }
    void push(Row& row, std::size_t k, double impulse) { solver.push(row, k, impulse); }
  };
  struct Copied {
    const Solver& solver;
    Twist a, b;
    double speed(const Row& row, std::size_t k) const { return solver.axis(row, k).speed(a, b); }
    void push(Row& row, std::size_t k, double impulse) {
      const Axis& axis = solver.axis(row, k);
      const double change = impulse - row.impulse[k];
      row.impulse[k] = impulse;
      a += change * axis.by_a;
      b += change * axis.by_b;
    }
  };

  // Improves the contacts of a pair of bodies: the normal impulses together, then friction.
  //
  // If normal impulses are improved one after the other, they tilt a body that rests on a face.
  // These errors converge most slowly, so that a wall leans. The inverse of the block keeps the
  // symmetry of a face.
  void improve(const Block& block, bool friction) {
    const Row& row = rows_[block.first];
    if (row.jointed) {
      Stored pair{*this};
      return improve(pair, block, friction);
    }
    Copied pair{*this, bodies_.velocity(row.a), bodies_.velocity(row.b)};
    improve(pair, block, friction);
    bodies_.velocity(row.a) = pair.a;
    bodies_.velocity(row.b) = pair.b;
  }
  template <class Velocities>
  void improve(Velocities& pair, const Block& block, bool friction) {
    const std::span<Row> rows(&rows_[block.first], block.count);
    const auto set = [&](Row& row, std::size_t k, double impulse) {
      error_ = std::max(error_, std::abs(impulse - row.impulse[k]) / row.mass[k]);
      pair.push(row, k, impulse);
    };
    if (!push_together(pair, block, rows))
      for (Row& row : rows) {
        const double lack = row.least - pair.speed(row, 0);
        set(row, 0, std::max(0.0, row.impulse[0] + row.mass[0] * lack));
      }
    if (!friction) return;
    for (Row& row : rows) {
      const double most = system_.model.friction * row.impulse[0];
      for (const std::size_t k : {1u, 2u})
        set(row, k, std::clamp(row.impulse[k] - row.mass[k] * pair.speed(row, k), -most, most));
    }
  }

  // Gives the contacts of a pair the normal impulses at which each has its least separating speed.
  // Returns false, and changes nothing, if one of these impulses would pull.
  template <class Velocities>
  bool push_together(Velocities& pair, const Block& block, std::span<Row> rows) {
    if (block.inverse.size() == 0) return false;
    Small lack(static_cast<Eigen::Index>(rows.size()));
    for (std::size_t i = 0; i < rows.size(); ++i)
      lack[static_cast<Eigen::Index>(i)] = rows[i].least - pair.speed(rows[i], 0);
    Small impulse = block.inverse.lazyProduct(lack);
    for (std::size_t i = 0; i < rows.size(); ++i)
      if ((impulse[static_cast<Eigen::Index>(i)] += rows[i].impulse[0]) < 0) return false;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      // Impulses may change without a change of speeds, so the error is measured by the speeds.
      if (const double speed = lack[static_cast<Eigen::Index>(i)]; rows[i].impulse[0] > 0)
        error_ = std::max(error_, std::abs(speed));
      else
        error_ = std::max(error_, speed);
      pair.push(rows[i], 0, impulse[static_cast<Eigen::Index>(i)]);
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
      if (block.count == 1 || block.count > most_together || rows_[first].jointed) continue;
      const auto n = static_cast<Eigen::Index>(block.count);
      SmallMatrix matrix(n, n);
      for (Eigen::Index j = 0; j < n; ++j) {
        const Axis& cause = normals_[first + static_cast<std::size_t>(j)];
        for (Eigen::Index i = 0; i < n; ++i)
          matrix(i, j) =
              normals_[first + static_cast<std::size_t>(i)].speed(cause.by_a, cause.by_b);
      }
      matrix.diagonal() *= 1 + 1e-3;
      block.inverse = matrix.inverse();
    }
  }

  // Sorts the blocks by islands, which do not influence each other: each is relaxed until it has
  // converged. Large islands get a higher limit of sweeps, in `whole` steps only.
  void add_islands(bool whole) {
    std::vector<std::uint32_t> root(groups_.size());
    std::iota(root.begin(), root.end(), 0u);
    const auto find = [&](std::uint32_t i) {
      while (root[i] != i) i = root[i] = root[root[i]];
      return i;
    };
    const auto group = [&](const Row& row) {
      return bodies_.group_of[bodies_.moves(row.a) ? row.a : row.b];
    };
    for (const Row& row : rows_)
      if (bodies_.moves(row.a) && bodies_.moves(row.b)) {
        const std::uint32_t a = find(bodies_.group_of[row.a]), b = find(bodies_.group_of[row.b]);
        root[std::max(a, b)] = std::min(a, b);
      }
    const auto island = [&](const Block& block) { return find(group(rows_[block.first])); };
    std::stable_sort(blocks_.begin(), blocks_.end(),
                     [&](const Block& x, const Block& y) { return island(x) < island(y); });
    for (std::size_t first = 0, end = 0; first < blocks_.size(); first = end) {
      std::size_t rows = 0;
      for (; end < blocks_.size() && island(blocks_[end]) == island(blocks_[first]); ++end)
        rows += blocks_[end].count;
      islands_.push_back({first, end, 80 + (whole ? static_cast<int>(rows / 40) : 0)});
    }
  }

  // Relaxes each island with at most a part of its limit of sweeps.
  void relax(bool friction, int part, bool faster) {
    for (const Island& island : islands_) relax(island, friction, island.sweeps / part, faster);
  }

  // Runs symmetric Gauss-Seidel sweeps. Plain sweeps reduce errors that vary from contact to
  // contact; a leaning stack takes a number of sweeps proportional to the fourth power of its
  // height. `faster` accelerates them by nonlinear conjugate gradients, with a sweep in place of
  // the gradient step ([Silcowitz 2010]), restarted where the changes do not shrink.
  void relax(const Island& island, bool friction, int most_sweeps, bool faster) {
    const std::span blocks(&blocks_[island.first], island.end - island.first);
    const auto each_row = [&](const auto& function) {
      for (const Block& block : blocks)
        for (std::size_t i = 0; i < block.count; ++i) function(rows_[block.first + i]);
    };
    const std::size_t axes = friction ? 3 : 1;  // whose impulses change
    double last_sq = 0;
    each_row([](Row& row) { row.direction = {}; });
    for (int i = 0; i < most_sweeps; ++i) {
      each_row([](Row& row) { row.before = row.impulse; });
      error_ = 0;
      for (const Block& block : blocks) improve(block, friction);
      for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) improve(*block, friction);
      if (error_ < enough_ || i + 1 == most_sweeps) return;
      if (!faster) continue;
      double sq = 0;
      each_row([&](const Row& row) {
        for (std::size_t k = 0; k < axes; ++k) {
          const double change = row.impulse[k] - row.before[k];
          sq += change * change / row.mass[k];
        }
      });
      const double onward = i > 0 && sq < last_sq ? sq / last_sq : 0;
      last_sq = sq;
      each_row([&](Row& row) {
        for (std::size_t k = 0; k < axes; ++k) {
          const double change = row.impulse[k] - row.before[k];
          if (onward > 0) push(row, k, row.impulse[k] + onward * row.direction[k]);
          row.direction[k] = onward * row.direction[k] + change;
        }
      });
    }
  }

  const System& system_;
  std::span<const Contact> contacts_;
  SolveTimes times_;
  SolverBodies bodies_;
  std::vector<JointGroup> groups_;
  std::vector<Row> rows_;
  std::vector<Axis> normals_, tangents_;  // of the rows: one and two
  // Responses of the rows with jointed bodies: for each axis, those of the two groups.
  std::vector<std::array<std::array<Response, 2>, 3>> responses_;
  std::vector<Block> blocks_;
  std::vector<Island> islands_;
  std::vector<double> stored_;  // responses
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
  // Closing joints lifts bodies. An island without the energy for that leaves its joints as they
  // are.
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
