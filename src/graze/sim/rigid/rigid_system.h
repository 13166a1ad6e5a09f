#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "graze/core/pose.h"
#include "graze/sim/rigid/contact_solver.h"
#include "graze/sim/rigid/penetration.h"
#include "graze/sim/rigid/rigid_shape.h"

namespace graze {

struct RigidBody {
  std::uint32_t shape = 0;
  bool fixed = false;  // moves for nobody
  Pose pose;
  Vec3 velocity = Vec3::Zero(), spin = Vec3::Zero();  // spin: axis times radians per second
  bool held = false;                                  // for the rest of a step, within advance_by
  double calm = 0;  // seconds in which it hardly moved; after some it sleeps until it is stirred

  bool asleep() const { return calm >= 0.5; }
  bool stirs() const { return !fixed && !asleep(); }
};

// Two bodies share a point, given in the coordinates of each.
struct BallJoint {
  std::uint32_t a, b;
  Vec3 in_a, in_b;
};

// Bodies that fall, hit and rest, and never pass into each other.
struct RigidSystem {
  std::vector<RigidShape> shapes;
  std::vector<RigidBody> bodies;
  std::vector<BallJoint> joints;
  Vec3 gravity = {0, 0, -9.81};
  double restitution = 0.2, friction = 0.4;
  double joint_damping = 0;  // per second, of the spin of jointed bodies beside each other
  double gap = 1e-3;         // length: resting bodies keep about half of this apart

  std::vector<BodyContact> contacts;  // of the last step, ordered by bodies: where the next begins

  const RigidShape& shape(const RigidBody& body) const { return shapes[body.shape]; }
  const RigidModel& model(const RigidBody& body) const { return shapes[body.shape].model; }
};

struct RigidStep {
  std::uint32_t queries = 0;   // of pairs, continuous: by one direction, and
  std::uint32_t advances = 0;  // of these: by advance()
  std::uint32_t impacts = 0;   // pairs that met on the way
  std::uint32_t held = 0;      // bodies that stood still for the rest of the step

  void add(const RigidStep& other) {
    queries += other.queries;
    advances += other.advances;
    impacts += other.impacts;
    held += other.held;
  }
};

// Moves all bodies by `seconds`. Velocities change by gravity and by impulses at contacts, found
// where surfaces are near or will be; then each body moves with constant velocity and spin. What is
// certified is every pair: by a direction that separates it all the while, or by advance(). Where a
// pair would come nearer than half the distance it has, both bodies (and those jointed to them)
// are given new impulses at that time and go on from there; one to which that happens more than a
// few times in a step stays where it is for the rest of it. Where jointed bodies turn far, or
// joints come out open by more than the gap, the step is made in halves, quarters or eighths
// instead.
//   (1) Where no surfaces share a point before, none do afterwards, nor did in between. (The pose
//       that is stored is rounded; the gap is far wider.)
//   (2) All of the time passes. A body that was held has lost some of its motion.
//   (3) kinetic_energy + potential_energy does not grow, but for the work that contact_solver.h
//       names.
void advance_by(RigidSystem& system, double seconds, RigidStep* step = nullptr);

double kinetic_energy(const RigidSystem& system);
double potential_energy(const RigidSystem& system);

// How far the ends of a joint are apart, at most.
double joint_error(const RigidSystem& system);

// Two bodies whose surfaces share a point, exactly.
struct Penetration {
  std::uint32_t a, b;
  CrossingFaces faces;
};
std::optional<Penetration> find_penetration(const RigidSystem& system);

}  // namespace graze
