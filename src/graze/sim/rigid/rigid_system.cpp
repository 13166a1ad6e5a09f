#include "graze/sim/rigid/rigid_system.h"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "graze/rigid/advance.h"
#include "graze/sim/rigid/contact_solver.h"
#include "graze/sim/rigid/mass_properties.h"

namespace graze {
namespace {

bool is_still(const RigidBody& body) {
  return body.velocity.isZero(0) && body.spin.isZero(0);
}

Motion motion_of(const RigidBody& body, double seconds) {
  return {body.pose, body.pose.translation, seconds * body.velocity, seconds * body.spin};
}

// Can the balls around two bodies come as near as the gap?
bool may_meet(const RigidSystem& system, const RigidBody& a, const RigidBody& b, double seconds) {
  const double reach = system.shapes[a.shape].radius + system.shapes[b.shape].radius +
                       2 * system.gap + (a.velocity - b.velocity).norm() * seconds;
  return (a.pose.translation - b.pose.translation).norm() <= reach * (1 + 1e-9);
}

template <class Visit>
void for_each_pair(const RigidSystem& system, double seconds, const Visit& visit) {
  for (std::uint32_t i = 0; i < system.bodies.size(); ++i)
    for (std::uint32_t j = i + 1; j < system.bodies.size(); ++j) {
      const RigidBody &a = system.bodies[i], &b = system.bodies[j];
      if ((a.fixed && b.fixed) || !may_meet(system, a, b, seconds)) continue;
      visit(i, j);
    }
}

// The earliest time, as a share of `seconds`, at which a pair stops the motion.
struct Stop {
  double share = 1;
  std::uint32_t a = 0, b = 0;
};

Stop first_stop(const RigidSystem& system, std::span<const BodyContact> contacts, double seconds,
                std::uint32_t& queries) {
  Stop stop;
  for_each_pair(system, seconds, [&](std::uint32_t i, std::uint32_t j) {
    const RigidBody &a = system.bodies[i], &b = system.bodies[j];
    if (is_still(a) && is_still(b)) return;
    // Half of the distance they have is kept, so that every round may go on from where one ended.
    double distance = system.gap;
    for (const BodyContact& contact : contacts)
      if (contact.a == i && contact.b == j) distance = std::min(distance, contact.distance);
    AdvanceOptions options;
    options.t_max = stop.share;
    options.margin = distance / 2;
    options.threshold = distance / 8;
    ++queries;
    const RigidImpact found = advance(system.model(a), motion_of(a, seconds), system.model(b),
                                      motion_of(b, seconds), options);
    if (found.impact.verdict != Verdict::separated && found.impact.toi < stop.share)
      stop = {found.impact.toi, i, j};
  });
  return stop;
}

// Angular momentum stays, so the spin changes where the inertia has turned.
void move(const RigidSystem& system, RigidBody& body, double seconds, double share) {
  if (body.fixed || is_still(body)) return;
  const Eigen::Matrix3d& inertia = system.shapes[body.shape].inertia;
  const auto in_world = [&](const Pose& pose) {
    const Eigen::Matrix3d r = pose.rotation.normalized().toRotationMatrix();
    return Eigen::Matrix3d(r * inertia * r.transpose());
  };
  const Vec3 momentum = in_world(body.pose) * body.spin;
  body.pose = pose_at(motion_of(body, seconds), share);
  body.spin = in_world(body.pose).ldlt().solve(momentum);
}

// What lies by something that moves is awake.
void wake_neighbours(RigidSystem& system) {
  for (const BodyContact& contact : find_contacts(system)) {
    RigidBody &a = system.bodies[contact.a], &b = system.bodies[contact.b];
    if (a.stirs() && a.calm == 0 && b.asleep()) b.calm = 0;
    if (b.stirs() && b.calm == 0 && a.asleep()) a.calm = 0;
  }
}

}  // namespace

RigidShape make_rigid_shape(std::span<const Vec3> vertices, std::span<const Face> faces,
                            double density) {
  const MassProperties mass = mass_properties(vertices, faces);
  RigidShape shape;
  shape.mass = density * mass.volume;
  shape.inertia = density * mass.inertia;
  shape.centre = mass.centre;
  std::vector<Vec3> moved;
  for (const Vec3& vertex : vertices) {
    moved.push_back(vertex - mass.centre);
    shape.radius = std::max(shape.radius, moved.back().norm());
  }
  shape.model = make_rigid_model(std::move(moved), {faces.begin(), faces.end()});
  return shape;
}

RigidStep advance_by(RigidSystem& system, double seconds) {
  constexpr int most_rounds = 16;
  constexpr double slow = 0.02;  // share of the step; below it a pair is about to be held
  RigidStep step;
  wake_neighbours(system);
  for (RigidBody& body : system.bodies)
    if (body.stirs()) body.velocity += seconds * system.gravity;
  // What would cross little of the gap in a step hardly moves.
  const double calm_speed = 0.15 * system.gap / seconds;
  const auto is_calm = [&](const RigidBody& body) {
    return body.velocity.norm() + system.shapes[body.shape].radius * body.spin.norm() < calm_speed;
  };
  const double bounce_speed = 4 * seconds * system.gravity.norm();
  double left = seconds;
  std::vector<int> slow_rounds(system.bodies.size());
  for (int round = 0; round < most_rounds && left > 0; ++round) {
    const auto contacts = find_contacts(system);
    solve_velocities(system, contacts, left, bounce_speed);
    for (RigidBody& body : system.bodies) {
      if (!body.asleep()) continue;
      if (is_calm(body))
        body.velocity = body.spin = Vec3::Zero();
      else
        body.calm = 0;
    }
    const Stop stop = first_stop(system, contacts, left, step.queries);
    for (RigidBody& body : system.bodies) move(system, body, left, stop.share);
    step.impacts += stop.share < 1;
    const bool is_slow = stop.share * left < slow * seconds;
    left = stop.share < 1 ? left * (1 - stop.share) : 0;
    if (left == 0 || !is_slow) continue;
    for (const std::uint32_t i : {stop.a, stop.b}) {
      RigidBody& body = system.bodies[i];
      if (body.fixed || ++slow_rounds[i] < 3) continue;
      body.velocity = body.spin = Vec3::Zero();
      ++step.held;
    }
  }
  for (RigidBody& body : system.bodies)
    if (!body.fixed && !body.asleep()) body.calm = is_calm(body) ? body.calm + 1 : 0;
  step.seconds = seconds - left;
  return step;
}

std::optional<Penetration> find_penetration(const RigidSystem& system) {
  std::optional<Penetration> found;
  for_each_pair(system, 0, [&](std::uint32_t i, std::uint32_t j) {
    if (found) return;
    const RigidBody &a = system.bodies[i], &b = system.bodies[j];
    if (const auto faces = find_crossing(system.model(a), a.pose, system.model(b), b.pose))
      found = {i, j, *faces};
  });
  return found;
}

RigidSystem falling_pile(RigidShape shape, std::uint32_t count, std::uint64_t seed) {
  RigidSystem system;
  const double size = shape.radius;
  system.gap = 2e-3 * size;
  system.gravity *= size;  // so that a pile of any size falls alike
  const double half = 20 * size, thick = size / 2;
  std::vector<Vec3> corners;
  for (int corner = 0; corner < 8; ++corner)
    corners.emplace_back((corner & 1) != 0 ? half : -half, (corner & 2) != 0 ? half : -half,
                         (corner & 4) != 0 ? thick : -thick);
  const std::vector<Face> faces = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                   {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                   {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  system.shapes.push_back(make_rigid_shape(corners, faces));
  system.shapes.push_back(std::move(shape));
  RigidBody floor;
  floor.fixed = true;
  floor.pose.translation = {0, 0, -thick};
  system.bodies.push_back(floor);
  // A simple generator will do for how they are turned.
  std::uint64_t state = seed * 0x9e3779b97f4a7c15 + 1;
  const auto uniform = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 11) * 0x1p-52 - 1;
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    RigidBody body;
    body.shape = 1;
    const double x = uniform(), y = uniform(), z = uniform(), w = uniform();
    body.pose.rotation = Eigen::Quaterniond(w, x, y, z).normalized();
    const double dx = uniform(), dy = uniform();
    body.pose.translation = size * Vec3(0.2 * dx, 0.2 * dy, 1.2 + 2.1 * i);
    system.bodies.push_back(body);
  }
  return system;
}

}  // namespace graze
