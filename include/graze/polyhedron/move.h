#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "graze/impact.h"
#include "graze/polyhedron/model.h"
#include "graze/pose.h"
#include "graze/rigid/motion.h"

// Moves of a polyhedron through a world of polyhedra. Units are those of the models.
namespace graze::polyhedron {

// A translation or a rotation, for f from 0 to 1. The path is the curve that these doubles define
// in real arithmetic. Exact answers are about this curve.
//   translation   x -> R x + p + f way,           R and p of the pose `start`
//   rotation      x -> c + R(f) (x - pivot),      c = R pivot + p
// `pivot` is a point of the body. R(f) is the rotation of the quaternion (1-f) begin + f end,
// divided by its length: a rotation about a fixed axis through c. f is tan(a/2), a being the angle,
// up to a projective map that takes the angle 0 to 0 and the full angle to 1 (docs/polyhedron.md).
// `begin` is the rotation of `start`, except in the later pieces of a long rotation: these have the
// same `start`, and each begins where the previous piece ends.
struct Path {
  Pose start;
  Vec3 way = Vec3::Zero();  // of a translation
  bool turns = false;       // true for a rotation
  Eigen::Quaterniond begin = Eigen::Quaterniond::Identity(), end = begin;
  Vec3 pivot = Vec3::Zero();

  // Returns whether all numbers are finite, no quaternion is 0, and the rotation is by less than
  // half a turn (the product of `begin` and `end` is positive).
  bool is_valid() const;
  // Returns whether the path begins exactly at `start`. False for the later pieces of a rotation.
  bool begins_at_start() const { return !turns || begin.coeffs() == start.rotation.coeffs(); }
};

// Returns the path of one piece that moves a body by `way` without turning it.
Path translating(const Pose& start, const Vec3& way);

// Returns a rotation about the point `pivot` of the body, from the rotation of `start` to `end`, by
// less than half a turn.
Path rotating(const Pose& start, const Vec3& pivot, const Eigen::Quaterniond& end);

// Returns a rotation about the axis through `point` of the world along `axis` (of any length but
// 0), by `angle` radians, as consecutive pieces of at most a quarter turn each.
//   (1) Any finite angle is followed. Up to 250 turns there is a piece for every quarter turn. A
//       larger angle makes one full turn and then the rest of the angle, without the whole turns
//       between: the body passes through the same poses and ends at the same pose.
//   (2) The pivot and the quaternions between the pieces are rounded to doubles.
//   (3) For an angle that is not finite the only piece is invalid, and so is every answer about it.
std::vector<Path> turning(const Pose& start, const Vec3& point, const Vec3& axis, double angle);

// Returns the pose at f in [0, 1], within rounding.
Pose pose_at(const Path& path, double f);

struct FacetIndex;  // private

// A model that others move against, with an index that finds its facets. Built by make_obstacle();
// do not edit it. Copies share the index. Threads may share it.
struct Obstacle {
  Model model;
  std::shared_ptr<const FacetIndex> index;  // private

  // Returns whether the obstacle can be used.
  bool ok() const { return model.ok() && index; }
};
// Returns the model with the search tree of its facets. Not ok() if the model is not.
Obstacle make_obstacle(Model model);

// The pair of features that meet.
enum class Meeting : std::uint8_t {
  // Two facets that share a point before anything moves. With MoveOptions::solid also a facet
  // inside the other model and a facet of the latter.
  start,
  vertex_facet,  // a vertex of the mover, a facet of the world
  facet_vertex,  // a facet of the mover, a vertex of the world
  edge_edge,
};
// Returns the name of a kind of meeting as the command prints it, for example "edge-edge".
const char* name(Meeting meeting);

// The features that stop a move, and where they meet.
struct Contact {
  Meeting meeting = Meeting::start;
  std::uint32_t obstacle = 0;  // index in the world
  // Indices in Model::vertices, Model::edges or Model::facets.
  std::uint32_t mover_feature = 0, world_feature = 0;
  // Within rounding. The normal has unit length and points to the mover. For Meeting::start the
  // point is a corner of the mover's facet and the normal is 0.
  Vec3 point = Vec3::Zero(), normal = Vec3::Zero();
};

// The free part of a path, and the contact that ends it.
struct MoveResult {
  // contact, separated (free to the end), invalid, or undecided (Scratch::stop_on)
  Verdict verdict = Verdict::invalid;
  double toi = 0, toi_hi = Impact::nan;   // f of Path
  std::uint32_t piece = 0;                // the piece of the path that toi or the end belongs to
  Pose end;                               // the pose at toi, or at the end; within rounding
  Contact contact;                        // if verdict == contact
  std::uint32_t examined = 0, exact = 0;  // feature pairs tested; those decided by integers
};

// The contacts that count.
enum class Sides : std::uint8_t {
  both,   // all: surfaces are closed sets
  front,  // contacts with the front of a facet
};

// Options of move() along a Path.
struct MoveOptions {
  Sides sides = Sides::both;
  double t_max = 1;  // only f in [0, t_max] counts; in (0, 1]
  // If true, a closed model (Model::closed) is a solid: its inside belongs to it. A model that is
  // not closed remains its surface. Not with Sides::front.
  bool solid = false;
};

// Memory that calls reuse, and the flag that stops them. One object per thread. It does not change
// the answer of a call that is not stopped.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(Scratch&&) noexcept;
  Scratch& operator=(Scratch&&) noexcept;

  // From now on, calls with this object end soon after another thread has set the flag. Their
  // verdict is `undecided`: the body stays at the start of its path, with toi 0. The flag is not
  // owned and stays set until the call has returned. Null: calls run to their end.
  void stop_on(const std::atomic<bool>* flag);
  bool is_stopped() const;  // whether the flag is set

  struct Data;  // private
  Data& data() { return *data_; }

 private:
  std::unique_ptr<Data> data_;
};

// Moves a model along the path through a world of static models, up to the first contact. Surfaces
// are closed sets: touching from either side counts, also at the start.
//   (1) contact: let t be the first f in [0, t_max] at which the point sets of mover and world
//       (Model (1)) share a point, along the curve of Path, in exact arithmetic. `toi` is the
//       largest double <= t, `toi_hi` the smallest double >= t.
//   (2) separated: they share no point for any f in [0, t_max]. toi and toi_hi are infinite.
//   (3) invalid: the path is not valid (Path::is_valid), a model is not ok, t_max is out of range,
//       or `solid` is combined with Sides::front. toi is 0 and toi_hi NaN.
//   (4) The answer depends on the arguments alone. Among contacts with the same toi and toi_hi, the
//       contacts of a vertex that moves within the plane of the facet come last; further ties are
//       broken by (meeting, obstacle, world_feature, mover_feature). Of several contacts at the
//       start, any one is reported.
//   (5) Models are only read; threads may share them.
//   (6) With Sides::front, t is the first f at which, n being the normal of a facet,
//         a vertex of the mover is on a facet of the world with n.way < 0, or
//         a vertex of the world is on a facet of the mover with n.way > 0, or
//         two edges cross that do not stay in one plane, each open, or convex with such a facet.
//       Vertices whose edges are all internal or flat do not count, and neither does the start:
//       touching bodies may slide along each other and part. The exception is a point exactly on
//       the border of a facet that the motion goes against. If both models are closed and their
//       interiors are disjoint at the start, the interiors stay disjoint up to `toi`, and at `toi`
//       the models touch.
//       For a rotation, t is the first f at which a vertex of one model is on a facet of the other
//       and directly after which it is behind that facet, or at which two edges cross that do not
//       stay in one plane and directly after which they have passed into both models: each is
//       open, or convex with its model on its own side of the plane of both edges.
//   (7) With `solid`, (1) and (2) hold for the closed models and their insides: a mover that is
//       inside a closed model at the start, or contains a piece of the world, has toi 0. A point is
//       inside if a ray from it crosses the surface an odd number of times; exact for every ray.
// A path that does not begin at its start (Path::begins_at_start) is a later piece of a longer
// path: contact at its start is not tested, since the previous piece excludes it.
// Without `solid` a mover entirely inside a closed model touches nothing. Two single points pass
// through each other.
// Cost: the mover's size once, then for each facet of the world whose cell the mover passes, the
// mover's facets near it.
// Reference: [van Waveren 2005] 2 and 5; docs/polyhedron.md has the proofs.
MoveResult move(std::span<const Obstacle> world, const Model& mover, const Path& path,
                Scratch& scratch, const MoveOptions& options = {});

// Moves along consecutive pieces, such as those of turning(). options.t_max must be 1.
MoveResult move(std::span<const Obstacle> world, const Model& mover, std::span<const Path> pieces,
                Scratch& scratch, const MoveOptions& options = {});

// Moves a single point straight from `from` to from + way: a line of sight. The answer of move()
// with the model of a point, faster. With Sides::front only facets that the way goes against count.
MoveResult trace_point(std::span<const Obstacle> world, const Vec3& from, const Vec3& way,
                       Scratch& scratch, const MoveOptions& options = {});

// The answer of a test at one pose. The verdict is contact, separated, invalid, or undecided
// (Scratch::stop_on).
struct TouchResult {
  Verdict verdict = Verdict::invalid;
  Contact contact;  // if verdict == contact

  // Returns whether the verdict is contact.
  bool touches() const { return verdict == Verdict::contact; }
};

// Tests, exactly, whether the model at the pose shares a point with the world. `contact` names two
// facets that do. invalid: a model is not ok, or the pose is not finite or has the quaternion 0.
TouchResult position_test(std::span<const Obstacle> world, const Model& mover, const Pose& pose,
                          Scratch& scratch);

// Translation and rotation at once, of mover and world. Here the first contact is not algebraic: it
// is enclosed by the bounds of graze/rigid/advance.h, not computed to the last bit as by move()
// along a Path.

struct MotionSurface;  // private

// A model prepared for any rigid motion. Built by make_motion_model(); do not edit it. Threads may
// share it.
struct MotionModel {
  Model model;
  std::shared_ptr<const MotionSurface> surface;  // private

  // Returns whether the model can be used.
  bool ok() const;
};

// Options of make_motion_model().
struct MotionModelOptions {
  double radius = 0;   // length, finite, >= 0: all points within the radius belong to the body
  bool solid = false;  // the inside of the model belongs to the body; the model must be closed
};

// Returns the body of a model. With options that do not fit it the body is not ok().
MotionModel make_motion_model(Model model, const MotionModelOptions& options = {});

// A model and how it moves. The model is not owned.
struct MovingBody {
  const MotionModel* model;  // not owned
  rigid::Motion motion;
};

// Options of move() along a rigid::Motion.
struct MotionOptions {
  double t_max = 1;  // only [0, t_max] is searched; in (0, 1]
  // Length. Bodies at most this far apart are in contact. 0: within the rounding of the motions.
  double distance_tol = 0;
  double margin = 0;  // length, finite, >= 0: subtracted from the distance of the bodies
  // front: AdvanceOptions::front_faces of graze/rigid/advance.h for the facets of the world.
  Sides sides = Sides::both;
  std::uint32_t max_checks = 1000000;  // for each body of the world; 0: no limit
};

// The bodies and features that stop a motion, and where they meet.
struct MotionContact {
  std::uint32_t body = 0;                          // index in the world
  std::uint32_t mover_facet = 0, world_facet = 0;  // indices in Model::facets
  // The closest points of both facets, on the surfaces that the radii give.
  Vec3 mover_point = Vec3::Zero(), world_point = Vec3::Zero();
  Vec3 normal = Vec3::Zero();  // unit length, points to the mover
};

// The free part of a motion, and the contact that ends it. Fields as promised by move(): verdict,
// toi, toi_hi; checks counts the tests of two facets.
struct MotionResult {
  Verdict verdict = Verdict::invalid;
  double toi = 0, toi_hi = Impact::nan;
  Pose end;               // of the mover at toi, or at t_max if separated; within rounding
  MotionContact contact;  // if verdict == contact
  std::uint64_t checks = 0;
};

// Moves a model through a world of moving models, each along any rigid motion. The distance of two
// bodies is that of their models minus both radii and options.margin; it is 0 if a solid contains
// the other body.
//   (1) The mover keeps a distance > 0 from every body of the world in [0, toi), whatever the
//       verdict. If separated, it does so in [0, t_max], and toi and toi_hi are infinite.
//   (2) contact: at `toi` the distance is at most distance_tol; if that is 0, at most 16
//       placement_error of the two motions, about 1e-12 of the coordinates, and 2^-47 of the radii.
//   (3) undecided: max_checks was spent, numbers exceed the range of placement_error, or the
//       rounding of the motions exceeds distance_tol (if that is 0: a thousandth of the size) and
//       hides whether surfaces touch. `toi` is safe, toi_hi is t_max. invalid: a model, a motion
//       or an option is invalid; toi is 0 and toi_hi NaN.
//   (4) The answer depends on the arguments alone. Models are only read; memory is local.
// Surfaces are those of Path moves: closed, with two sides. Points and single polygons are models
// too: a point with a radius is a sphere, a thin polygon with a radius is nearly a capsule (which
// graze/rigid/body.h has). Two single points without radius and margin pass through each other.
// DEVIATION: [van Waveren 2005] translates first and rotates afterwards.
MotionResult move(std::span<const MovingBody> world, const MotionModel& mover,
                  const rigid::Motion& motion, const MotionOptions& options = {});

}  // namespace graze::polyhedron
