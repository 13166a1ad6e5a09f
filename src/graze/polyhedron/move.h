#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "graze/core/impact.h"
#include "graze/polyhedron/brush_model.h"
#include "graze/polyhedron/path.h"
#include "graze/polyhedron/polygon_tree.h"

namespace graze::polyhedron {

// Of a facet's plane, within the given error: normal.x - offset is, as computed for a point x, the
// height times a positive number, off by at most err_per_length |x|_1 + err.
struct PlaneBound {
  Vec3 normal;
  double offset, err_per_length, err;
};

// A model that others are moved against, with what finds its facets fast. Immutable once made.
struct Obstacle {
  BrushModel model;
  PolygonTree tree;
  std::vector<PlaneBound> planes;  // of the tree's entries, so that those of a cell lie together
};
Obstacle make_obstacle(BrushModel model);

// What meets first. facet: of polygons, in the numbering of BrushModel::facets.
enum class Meeting : std::uint8_t {
  start,         // facets that share a point before anything moves
  vertex_facet,  // a vertex of the mover, a facet of the world
  facet_vertex,
  edge_edge,
};
const char* name(Meeting meeting);

struct Contact {
  Meeting meeting = Meeting::start;
  std::uint32_t obstacle = 0;
  std::uint32_t mover_feature = 0, world_feature = 0;
  // Within rounding; the normal, of unit length, points to the mover. At the start the point is a
  // corner of the mover's facet and the normal 0.
  Vec3 point = Vec3::Zero(), normal = Vec3::Zero();
};

struct MoveResult {
  Verdict verdict = Verdict::invalid;  // contact, separated (free to the end) or invalid
  double fraction = 0, fraction_hi = 0;
  std::uint32_t piece = 0;                // of a path of several: the one the fraction is of
  Pose end;                               // at `fraction`, within rounding
  Contact contact;                        // of a contact
  std::uint32_t examined = 0, exact = 0;  // pairs of features; those that integers decided
};

// Which touching counts.
enum class Sides : std::uint8_t {
  both,   // any: surfaces are closed sets
  front,  // what comes onto the front of a facet; for translations alone
};

struct MoveOptions {
  Sides sides = Sides::both;
};

// Memory that calls reuse; one for each thread.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(Scratch&&) noexcept;
  Scratch& operator=(Scratch&&) noexcept;

  struct Data;
  Data& data() { return *data_; }

 private:
  std::unique_ptr<Data> data_;
};

// Moves a model along the path through a world of models that stand still, up to the first contact.
// Surfaces are closed sets, and touching counts: from either side, also at the start.
//   (1) contact: let t be the first f in [0, 1] at which the mover's and the world's point sets
//       (BrushModel (1)) share a point, along the curve of Path, in exact arithmetic. `fraction` is
//       the largest double not after t, `fraction_hi` the smallest not before t.
//   (2) separated: they share no point for any f in [0, 1]; both are 1.
//   (3) invalid: the path is (Path::is_valid), or a model is not ok; both are 0.
//   (4) The answer depends on the arguments alone. Of several contacts at the same doubles the one
//       is told that comes first by (meeting, obstacle, world_feature, mover_feature), those of a
//       vertex that moves in the plane of the facet last; of several at the start any one.
//   (5) Models are only read; threads may share them. Scratch is no part of the answer.
//   (6) With Sides::front, t is the first f at which, n being the normal of a facet,
//         a vertex of the mover is on a facet of the world with n.way < 0, or
//         a vertex of the world is on a facet of the mover with n.way > 0, or
//         two edges cross that do not stay in one plane, each open, or convex with such a facet.
//       Vertices all of whose edges are internal or flat do not count, nor does the start: what
//       touches may slide along and leave, but for what is on the very rim of a facet that the
//       motion goes against. If both are closed and their insides are disjoint at the start, they
//       are up to `fraction`, and at it something does touch. A rotation is invalid.
// A path that does not begin at its start (Path::begins_at_start) is a later piece of a longer one:
// that nothing touches there is known from the piece before.
// A mover wholly inside a solid touches nothing; two single points pass through each other. Cost:
// the mover's size once, then the facets whose cells it passes times the mover's facets near them.
// Reference: [van Waveren 2005] 2 and 5; docs/polyhedron.md has the proofs.
MoveResult move(std::span<const Obstacle> world, const BrushModel& mover, const Path& path,
                Scratch& scratch, const MoveOptions& options = {});

// Along pieces that follow each other, such as turning() makes: a full turn.
MoveResult move(std::span<const Obstacle> world, const BrushModel& mover,
                std::span<const Path> pieces, Scratch& scratch);

// The same for a single point that goes straight from `from` to from + way: a line of sight.
MoveResult trace_point(std::span<const Obstacle> world, const Vec3& from, const Vec3& way,
                       Scratch& scratch);

// Whether the model at the pose touches the world, exactly; `contact` tells two facets that do.
// False also where a model or the pose is invalid.
bool position_test(std::span<const Obstacle> world, const BrushModel& mover, const Pose& pose,
                   Scratch& scratch, Contact* contact = nullptr);

}  // namespace graze::polyhedron
