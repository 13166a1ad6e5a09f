#include "graze/sim/rigid/contacts/joint_group.h"

#include <Eigen/Geometry>
#include <algorithm>

#include "graze/rigid/motion.h"

namespace graze::sim::rigid {
namespace {

Eigen::Matrix3d cross_matrix(const Vec3& v) {
  Eigen::Matrix3d m;
  m << 0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0;
  return m;
}

double longest(const Eigen::VectorXd& vectors) {
  double most = 0;
  for (Eigen::Index i = 0; i < vectors.size(); i += 3)
    most = std::max(most, vectors.segment<3>(i).norm());
  return most;
}

}  // namespace

JointGroup::JointGroup(const SolverBodies& bodies, const StateRange& range, const SolveTimes& times)
    : range_(range), times_(times) {
  const Model& model = bodies.system.model;
  spare_energy_ = bodies.energy(range) / 100;
  for (std::uint32_t i = range.first; i < range.end; ++i)
    if (bodies.moves(i))
      spare_energy_ += model.gravity.norm() * model.gap / bodies.states[i].inverse_mass;
}

void JointGroup::add(const SolverBodies& bodies, const BallJoint& joint) {
  const auto& all = bodies.system.state.bodies;
  const Pose &a = all[joint.a].pose, &b = all[joint.b].pose;
  const Vec3 at_a = a * joint.in_a, at_b = b * joint.in_b;
  Row row{&joint, bodies.state_of(joint.a), bodies.state_of(joint.b), {}, {}, at_a - at_b};
  row.on_a << Eigen::Matrix3d::Identity(), -cross_matrix(at_a - a.translation);
  row.on_b << -Eigen::Matrix3d::Identity(), cross_matrix(at_b - b.translation);
  joints_.push_back(row);
}

// Factors J M^-1 J^T. The block of two joints is 0 unless they share a body.
void JointGroup::factor(const SolverBodies& bodies) {
  const auto n = static_cast<Eigen::Index>(joints_.size());
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(3 * n, 3 * n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j) {
      const Row &p = joints_[std::size_t(i)], &q = joints_[std::size_t(j)];
      for (const auto& [x, on_x] : {std::pair(p.a, &p.on_a), {p.b, &p.on_b}})
        for (const auto& [y, on_y] : {std::pair(q.a, &q.on_a), {q.b, &q.on_b}})
          if (x == y)
            for (Eigen::Index k = 0; k < 3; ++k)
              matrix.block<3, 1>(3 * i, 3 * j + k) +=
                  *on_x * bodies.states[x].response(on_y->row(k).transpose());
    }
  if (n > 0) matrix_.emplace(matrix);
  reset();
}

void JointGroup::reset() {
  target_ = Eigen::VectorXd::Zero(3 * Eigen::Index(joints_.size()));
}

Eigen::VectorXd JointGroup::response(const SolverBodies& bodies,
                                     const Eigen::VectorXd& speeds) const {
  Eigen::VectorXd change = Eigen::VectorXd::Zero(range_.size());
  if (!matrix_) return change;
  const Eigen::VectorXd multipliers = matrix_->solve(speeds);
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const Row& row = joints_[i];
    const Vec3 impulse = multipliers.segment<3>(3 * Eigen::Index(i));
    for (const auto& [state, on] : {std::pair(row.a, &row.on_a), {row.b, &row.on_b}})
      if (range_.has(state))
        change.segment<6>(range_.offset(state)) +=
            bodies.states[state].response(on->transpose() * impulse);
  }
  return change;
}

Eigen::VectorXd JointGroup::reaction(const SolverBodies& bodies,
                                     const Eigen::VectorXd& change) const {
  Eigen::VectorXd speeds = Eigen::VectorXd::Zero(target_.size());
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const Row& row = joints_[i];
    for (const auto& [state, on] : {std::pair(row.a, &row.on_a), {row.b, &row.on_b}})
      if (range_.has(state))
        speeds.segment<3>(3 * Eigen::Index(i)) -= *on * change.segment<6>(range_.offset(state));
  }
  return response(bodies, speeds);
}

void JointGroup::meet_target(SolverBodies& bodies) const {
  if (joints_.empty()) return;
  Eigen::VectorXd wanted = target_;
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const Row& row = joints_[i];
    wanted.segment<3>(3 * Eigen::Index(i)) -=
        row.on_a * bodies.velocity(row.a) + row.on_b * bodies.velocity(row.b);
  }
  bodies.of(range_) += response(bodies, wanted);
}

// If less than a quarter of the step remains, only a proportional part of the current gap is to be
// closed: that which a quarter of the step would close at the same speed.
Eigen::VectorXd JointGroup::gaps_at_the_end(const SolverBodies& bodies) const {
  const double kept = std::max(0.0, 1 - 4 * times_.left / times_.step);
  const auto end = [&](std::uint32_t state, const Vec3& point) {
    const Pose& pose = bodies.body(state).pose;
    const Twist way = times_.left * bodies.velocity(state);
    return graze::rigid::pose_at({pose, pose.translation, way.head<3>(), way.tail<3>()}, 1) * point;
  };
  Eigen::VectorXd gaps(target_.size());
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const Row& row = joints_[i];
    gaps.segment<3>(3 * Eigen::Index(i)) =
        end(row.a, row.joint->in_a) - end(row.b, row.joint->in_b) - kept * row.apart;
  }
  return gaps;
}

bool JointGroup::correct(SolverBodies& bodies, int rounds) {
  if (joints_.empty()) return false;
  bool any = false;
  double share = 1;
  Eigen::VectorXd gaps = gaps_at_the_end(bodies);
  for (int round = 0; round < rounds && longest(gaps) > 1e-2 * bodies.system.model.gap; ++round) {
    const Eigen::VectorXd target = target_, velocities = bodies.of(range_);
    target_ -= share / times_.left * gaps;
    meet_target(bodies);
    const Eigen::VectorXd then = gaps_at_the_end(bodies);
    if (longest(then) < (1 - share / 8) * longest(gaps) && closing_energy() <= spare_energy_) {
      gaps = then;
      any = true;
    } else {
      target_ = target;
      bodies.of(range_) = velocities;
      share /= 2;
    }
  }
  return any;
}

double JointGroup::closing_energy() const {
  return matrix_ ? target_.dot(matrix_->solve(target_)) / 2 : 0;
}

}  // namespace graze::sim::rigid
