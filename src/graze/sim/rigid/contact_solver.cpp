#include "graze/sim/rigid/contact_solver.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>

#include "graze/rigid/contacts.h"
#include "graze/sim/rigid/rigid_system.h"

namespace graze {
namespace {

// What an impulse does to a body.
struct Inertia {
  double inverse_mass = 0;
  Eigen::Matrix3d inverse = Eigen::Matrix3d::Zero();
};

Inertia inertia_of(const RigidSystem& system, const RigidBody& body) {
  if (body.fixed) return {};
  const RigidShape& shape = system.shapes[body.shape];
  const Eigen::Matrix3d r = body.pose.rotation.normalized().toRotationMatrix();
  return {1 / shape.mass, r * shape.inertia.inverse() * r.transpose()};
}

// A contact with what stays the same during the iteration.
struct Row {
  const BodyContact* contact;
  Vec3 arm_a, arm_b;
  std::array<Vec3, 3> axes;  // the normal and two tangents
  std::array<double, 3> mass;
  double target;                              // least speed of parting
  std::array<double, 3> impulse = {0, 0, 0};  // so far, along the axes
};

class Solver {
 public:
  explicit Solver(RigidSystem& system) : system_(system) {
    for (const RigidBody& body : system.bodies) inertias_.push_back(inertia_of(system, body));
  }

  Row row(const BodyContact& contact, double seconds, double bounce_speed) const {
    const RigidBody &a = system_.bodies[contact.a], &b = system_.bodies[contact.b];
    Row row{
        &contact, contact.point - a.pose.translation, contact.point - b.pose.translation, {}, {},
        0};
    const Vec3 tangent = contact.normal.unitOrthogonal();
    row.axes = {contact.normal, tangent, contact.normal.cross(tangent)};
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3 turn_a = row.arm_a.cross(row.axes[k]), turn_b = row.arm_b.cross(row.axes[k]);
      const Inertia &x = inertias_[contact.a], &y = inertias_[contact.b];
      row.mass[k] = 1 / (x.inverse_mass + y.inverse_mass + turn_a.dot(x.inverse * turn_a) +
                         turn_b.dot(y.inverse * turn_b));
    }
    const double spare = contact.distance - system_.gap;
    row.target = spare >= 0 ? -spare / seconds : -0.2 * spare / seconds;
    const double speed = speed_along(row, 0);
    if (speed < -bounce_speed) row.target = std::max(row.target, -system_.restitution * speed);
    return row;
  }

  void improve(Row& row) {
    const double most = system_.friction * row.impulse[0];
    for (const std::size_t k : {1u, 2u})
      push(row, k, std::clamp(row.impulse[k] - row.mass[k] * speed_along(row, k), -most, most));
    push(row, 0, std::max(0.0, row.impulse[0] + row.mass[0] * (row.target - speed_along(row, 0))));
  }

 private:
  double speed_along(const Row& row, std::size_t axis) const {
    const RigidBody &a = system_.bodies[row.contact->a], &b = system_.bodies[row.contact->b];
    return row.axes[axis].dot(a.velocity + a.spin.cross(row.arm_a) - b.velocity -
                              b.spin.cross(row.arm_b));
  }

  // Raises the impulse along an axis to this.
  void push(Row& row, std::size_t axis, double impulse) {
    const Vec3 change = (impulse - row.impulse[axis]) * row.axes[axis];
    row.impulse[axis] = impulse;
    RigidBody &a = system_.bodies[row.contact->a], &b = system_.bodies[row.contact->b];
    const Inertia &x = inertias_[row.contact->a], &y = inertias_[row.contact->b];
    a.velocity += x.inverse_mass * change;
    a.spin += x.inverse * row.arm_a.cross(change);
    b.velocity -= y.inverse_mass * change;
    b.spin -= y.inverse * row.arm_b.cross(change);
  }

  RigidSystem& system_;
  std::vector<Inertia> inertias_;
};

}  // namespace

std::vector<BodyContact> find_contacts(const RigidSystem& system) {
  constexpr std::size_t most = 32;
  std::vector<BodyContact> contacts;
  const auto& bodies = system.bodies;
  for (std::uint32_t i = 0; i < bodies.size(); ++i)
    for (std::uint32_t j = i + 1; j < bodies.size(); ++j) {
      const RigidBody &a = bodies[i], &b = bodies[j];
      const RigidShape &shape_a = system.shapes[a.shape], &shape_b = system.shapes[b.shape];
      if ((!a.stirs() && !b.stirs()) || (a.pose.translation - b.pose.translation).norm() >
                                            shape_a.radius + shape_b.radius + 3 * system.gap)
        continue;
      auto found = contacts_within(shape_a.model, placement_at(resting(a.pose), 0), shape_b.model,
                                   placement_at(resting(b.pose), 0), 2 * system.gap);
      std::sort(found.begin(), found.end(),
                [](const auto& x, const auto& y) { return x.distance < y.distance; });
      const double spread = 0.02 * std::min(shape_a.radius, shape_b.radius);
      const std::size_t first = contacts.size();
      for (const auto& near : found) {
        if (near.normal.isZero(0)) continue;
        const Vec3 point = (near.point_a + near.point_b) / 2;
        const bool is_new = std::none_of(contacts.begin() + static_cast<std::ptrdiff_t>(first),
                                         contacts.end(), [&](const BodyContact& kept) {
                                           return (kept.point - point).norm() < spread &&
                                                  kept.normal.dot(near.normal) > 0.9;
                                         });
        if (is_new) contacts.push_back({i, j, point, near.normal, near.distance});
        if (contacts.size() - first == most) break;
      }
    }
  return contacts;
}

void solve_velocities(RigidSystem& system, std::span<const BodyContact> contacts, double seconds,
                      double bounce_speed) {
  constexpr int iterations = 50;
  Solver solver(system);
  std::vector<Row> rows;
  for (const BodyContact& contact : contacts)
    rows.push_back(solver.row(contact, seconds, bounce_speed));
  for (int i = 0; i < iterations; ++i)
    for (Row& row : rows) solver.improve(row);
}

}  // namespace graze
