#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "graze/impact.h"
#include "graze/mesh.h"
#include "graze/options.h"
#include "graze/pose.h"
#include "graze/vec3.h"

// Dynamics of rigid bodies that collide, rest and hang on joints, and never intersect.
//
//   Model model;                                     // constant during a run
//   model.shapes = {make_box_shape({5, 5, 0.5}), make_box_shape({0.5, 0.5, 0.5})};
//   State state;                                     // changed by every step
//   state.bodies.resize(2);
//   state.bodies[0].is_static = true;
//   state.bodies[1].shape = 1;
//   state.bodies[1].pose.translation = {0, 0, 2};
//   for (int i = 0; i < 60; ++i) step(model, state); // one second
//
// Units are any consistent ones; the defaults of gravity and gap are in metres and seconds.
namespace graze::sim::rigid {

struct ShapeData;  // private

// The surface, mass and inertia of a body. The origin of a shape is its centre of mass. Immutable:
// copies share their data, and threads may share them.
class Shape {
 public:
  // Returns whether step() accepts the shape. If not, problem() is the reason: "has no volume".
  bool ok() const;
  const std::string& problem() const;  // empty if ok

  std::span<const Vec3> vertices() const;  // relative to the centre of mass
  std::span<const Face> faces() const;     // triangles; polygons are split into fans
  double mass() const;
  const Eigen::Matrix3d& inertia() const;  // about the centre of mass
  const Vec3& centre() const;              // of mass, in the coordinates given to make_*_shape
  double radius() const;                   // of the ball about the centre of mass

  // For the sources of the library.
  explicit Shape(std::shared_ptr<const ShapeData> data) : data_(std::move(data)) {}
  const ShapeData& data() const { return *data_; }

 private:
  std::shared_ptr<const ShapeData> data_;
};

// Makes a shape of any triangle mesh: a solid of uniform density. An open mesh gets the mass and
// inertia of its convex hull.
// Cost: n log n in triangles.
Shape make_mesh_shape(std::span<const Vec3> vertices, std::span<const Face> faces,
                      double density = 1);
// Makes a convex solid of at most 16 vertices. Polygons are planar and counter-clockwise as seen
// from outside; convexity is not checked. A step takes less time for convex shapes than for meshes.
Shape make_convex_shape(std::span<const Vec3> vertices,
                        std::span<const std::vector<std::uint32_t>> polygons, double density = 1);
// Returns the shape of a box around the origin. Half extents and density: finite, above 0.
Shape make_box_shape(const Vec3& half_extent, double density = 1);
// Makes a single convex polygon that is solid from both sides. Its mass and inertia are those of a
// sheet of this thickness; its surface has no thickness.
Shape make_polygon_shape(std::span<const Vec3> corners, double thickness, double density = 1);
// Makes a single point. It does not spin, and particles pass through each other.
Shape make_particle_shape(double mass);

// A joint that keeps a point of body a and a point of body b together.
struct BallJoint {
  std::uint32_t a = 0, b = 0;  // indices in State::bodies
  Vec3 in_a = Vec3::Zero();    // the point, relative to the centre of mass of a
  Vec3 in_b = Vec3::Zero();    // the same for b
};

// The data that are constant during a run.
struct Model {
  std::vector<Shape> shapes;
  std::vector<BallJoint> joints;
  Vec3 gravity = {0, 0, -9.81};  // length per second squared
  double restitution = 0.2;      // share of the approach speed kept by a bounce, in [0, 1]
  double friction = 0.4;         // coefficient of Coulomb friction, at least 0
  // Length, at least 0: a body in contact turns against a torque of this length times its weight.
  double rolling_friction = 0;
  double joint_damping = 0;  // per second: decay rate of the relative spin at a joint
  double gap = 1e-3;         // length, above 0: resting bodies keep about half of it
};

// The state of one body.
struct Body {
  std::uint32_t shape = 0;       // index in Model::shapes; constant during a run
  bool is_static = false;        // never moves; the caller may set and clear it between steps
  Pose pose;                     // of the centre of mass
  Vec3 velocity = Vec3::Zero();  // length per second
  Vec3 spin = Vec3::Zero();      // axis times radians per second
  double calm = 0;               // seconds since the body last moved noticeably

  // A sleeping body does not move until another body hits it or a neighbour moves.
  bool is_asleep() const { return calm >= 0.5; }
  // Neither static nor asleep.
  bool is_active() const { return !is_static && !is_asleep(); }
};

// A point at which two bodies are near each other.
struct Contact {
  std::uint32_t a = 0, b = 0;   // bodies, a < b
  Vec3 point = Vec3::Zero();    // in world coordinates, midway between both surfaces
  Vec3 normal = Vec3::Zero();   // of unit length, from b to a
  double distance = 0;          // length
  Vec3 impulse = Vec3::Zero();  // on a, mass times length per second
};

// The data that a step changes. Bodies that intersect at the start of a run may stay so.
struct State {
  std::vector<Body> bodies;
  // Contacts of the last step and of sleeping bodies, ordered by (a, b). Their impulses are the
  // start values (warm start) of the next step. Empty at the start of a run.
  std::vector<Contact> contacts;
};

// The ways in which a step moves the bodies.
enum class Mover : std::uint8_t {
  // All at once, each with constant velocity and spin; every pair is certified at all times by
  // conservative advancement.
  advance,
  // [van Waveren 2005] 6: one body after another through the others, translated, then rotated, and
  // stopped at the expel zone (graze/polyhedron/zone.h) of the first body in its way. Contacts are
  // those of graze/polyhedron/contacts.h. Not for joints.
  expel,
};

// Options of step().
struct Options {
  double seconds = 1.0 / 60;     // length of the step, above 0
  Mover mover = Mover::advance;  // how bodies move
  // Called once per stored state, with the state before it: once per step, or once per part of a
  // step that is divided because jointed bodies turn far. find_penetration() in here certifies a
  // run.
  std::function<void(const State& before, const State& after)> monitor;
};

// The outcome of a step.
struct Report {
  // separated: the step is done, and every pair of bodies was certified free of contact.
  // undecided: run.stop ended the step. invalid: see step(). With the last two the state is
  // unchanged, and the other fields are 0.
  Verdict verdict = Verdict::separated;
  std::uint32_t queries = 0;  // continuous queries of pairs of bodies
  std::uint32_t impacts = 0;  // pairs that came too near within the step and got new impulses
  std::uint32_t stopped = 0;  // bodies that stood still for the rest of the step
};

// Advances the state by options.seconds.
//
// Gravity and impulses at contacts and joints change the velocities. Then each body moves with
// constant velocity and spin, and every pair of bodies is certified along that motion (but see
// Mover::expel). A pair that would come nearer than about an eighth of the gap gets new impulses at
// that time, together with the bodies jointed to it. A body to which this happens more than a few
// times in one step stands still for the rest of the step. A step in which jointed bodies turn far,
// or after which a joint is open by more than the gap, is divided into halves: up to 8 parts, and
// more if these are longer than an eighth of the time of a fall by the gap.
//
//   (1) If no two surfaces share a point before the step, none do after it or within it. (The
//       stored pose is rounded; the gap is far wider than the rounding.) With Mover::expel bodies
//       share none after the step, exactly; within it, none on the path of the body that moves and
//       the others where they are then, up to the rounding of relative poses.
//   (2) All of the time passes. A body that was stopped has lost some of its motion.
//   (3) kinetic_energy() + potential_energy() does not grow, except by rounding, whatever the
//       length of the step. The energy to move bodies apart that are too near and to close joints
//       is energy that the bodies have lost in the step, or kinetic energy. Without either, joints
//       stay open. (Not proven for impulses within a step at which jointed bodies hit others.)
//   (4) The result depends on the model, the state, the seconds and the mover alone.
// invalid, and the state unchanged: a shape that is not ok, an index out of range, a number that is
// not finite or out of its range; with Mover::expel also a joint, or a shape that is no model of
// graze/polyhedron/model.h.
// run.stop is read once per part of a step, per pair of bodies that is certified first, and per
// impact; with Mover::expel per motion of a body. If a part is stopped after the monitor has
// received earlier parts of the step, these are discarded too; their certificates hold. run.threads
// and run.progress are not used.
// Cost: linear in bodies and contacts, besides the queries; see docs/simulation.md.
Report step(const Model& model, State& state, const Options& options = {}, const Run& run = {});

// Returns the kinetic energy of all bodies that are not static.
double kinetic_energy(const Model& model, const State& state);
double potential_energy(const Model& model, const State& state);  // 0 at the origin
// Returns the largest distance between the two ends of a joint; 0 without joints.
double joint_error(const Model& model, const State& state);

// Two bodies that intersect, if any do.
struct Penetration {
  Verdict verdict = Verdict::separated;  // contact: the fields below are set
  std::uint32_t a = 0, b = 0;            // bodies
  std::uint32_t face_a = 0, face_b = 0;  // triangles of their shapes that share a point
};

// Finds two bodies whose surfaces share a point, exactly for the poses as stored: the first such
// pair by (a, b). Pairs of static bodies and of particles do not count. A body inside another whose
// surfaces are apart is not found. invalid as step().
Penetration find_penetration(const Model& model, const State& state);

}  // namespace graze::sim::rigid
