#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "graze/core/pose.h"
#include "graze/rigid/rigid_model.h"
#include "graze/sim/rigid/penetration.h"

namespace graze {

// A solid of uniform density, its model moved so that the centre of mass is its origin. An open
// mesh weighs what its convex hull does.
struct RigidShape {
  RigidModel model;
  double mass = 0, radius = 0;  // radius: of the ball around the centre
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();
  Vec3 centre = Vec3::Zero();  // of mass, in the coordinates it was made from
};

RigidShape make_rigid_shape(std::span<const Vec3> vertices, std::span<const Face> faces,
                            double density = 1);

struct RigidBody {
  std::uint32_t shape = 0;
  bool fixed = false;  // moves for nobody
  Pose pose;
  Vec3 velocity = Vec3::Zero(), spin = Vec3::Zero();  // spin: axis times radians per second
  int calm = 0;  // steps in which it hardly moved; after a few it sleeps until something stirs it

  bool asleep() const { return calm >= 20; }
  bool stirs() const { return !fixed && !asleep(); }
};

// Bodies that fall, hit and rest, and never pass into each other.
struct RigidSystem {
  std::vector<RigidShape> shapes;
  std::vector<RigidBody> bodies;
  Vec3 gravity = {0, 0, -9.81};
  double restitution = 0.2, friction = 0.4;
  double gap = 1e-3;  // length: resting bodies keep about this far apart

  const RigidModel& model(const RigidBody& body) const { return shapes[body.shape].model; }
};

struct RigidStep {
  double seconds = 0;         // that passed: at most those asked for
  std::uint32_t queries = 0;  // of pairs, continuous
  std::uint32_t impacts = 0;  // times the motion was stopped by a contact and went on
  std::uint32_t held = 0;     // bodies brought to rest because they went on too slowly
};

// Moves all bodies by up to `seconds`. Velocities change by gravity and by impulses at contacts,
// found where surfaces are near; then each body moves with constant velocity and spin, but only as
// far as advance() certifies for every pair that nothing touches. What is left of the time begins
// with new impulses; the rest of it is given up after a few rounds.
//   (1) Where no surfaces share a point before, none do afterwards, nor did in between. (The pose
//       that is stored is rounded; the gap is far wider.)
//   (2) Progress: seconds > 0, unless a pair is nearer than doubles can tell.
RigidStep advance_by(RigidSystem& system, double seconds);

// The first two bodies whose surfaces share a point, exactly.
struct Penetration {
  std::uint32_t a, b;
  CrossingFaces faces;
};
std::optional<Penetration> find_penetration(const RigidSystem& system);

// `count` bodies above one another over a floor, turned this way and that, to be let fall. Lengths
// follow from the size of the shape.
RigidSystem falling_pile(RigidShape shape, std::uint32_t count, std::uint64_t seed);

}  // namespace graze
