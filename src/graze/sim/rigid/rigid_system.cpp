#include "graze/sim/rigid/rigid_system.h"

#include <Eigen/Geometry>
#include <algorithm>

#include "graze/core/float_environment.h"
#include "graze/rigid/convex_distance.h"
#include "graze/sim/rigid/body_pairs.h"

namespace graze {

double kinetic_energy(const RigidSystem& system) {
  double sum = 0;
  for (const RigidBody& body : system.bodies) {
    if (body.fixed) continue;
    const RigidShape& shape = system.shape(body);
    const Vec3 spin = body.pose.rotation.normalized().conjugate() * body.spin;
    sum += shape.mass * body.velocity.squaredNorm() + spin.dot(shape.inertia * spin);
  }
  return sum / 2;
}

double potential_energy(const RigidSystem& system) {
  double sum = 0;
  for (const RigidBody& body : system.bodies)
    if (!body.fixed) sum -= system.shape(body).mass * system.gravity.dot(body.pose.translation);
  return sum;
}

double joint_error(const RigidSystem& system) {
  double worst = 0;
  for (const BallJoint& joint : system.joints)
    worst = std::max(
        worst, (system.bodies[joint.a].pose * joint.in_a - system.bodies[joint.b].pose * joint.in_b)
                   .norm());
  return worst;
}

std::optional<Penetration> find_penetration(const RigidSystem& system) {
  const FloatEnvironment environment;
  std::vector<Aabb> boxes;
  for (const RigidBody& body : system.bodies)
    boxes.push_back(placed_box(system.shape(body), resting(body.pose)));
  for (const auto& [i, j] : overlapping_pairs(boxes)) {
    const RigidBody &a = system.bodies[i], &b = system.bodies[j];
    if (a.fixed && b.fixed) continue;
    if (system.shape(a).is_particle() && system.shape(b).is_particle()) continue;
    if (const auto faces = find_crossing(system.model(a), a.pose, system.model(b), b.pose))
      return Penetration{i, j, *faces};
  }
  return std::nullopt;
}

}  // namespace graze
