#pragma once

#include <cstddef>
#include <vector>

#include "graze/vec3.h"

namespace graze::polyhedron {

// A push of a touching body, in units of the height e of the zone: its distance from every plane is
// at least `push_clearance` and its length at most `longest_push`.
constexpr double push_clearance = 1.0625, longest_push = 4;

// The planes through the origin that decide where a touching body can be pushed.
//
// Let W be the world, M the mover at the start, and D = W - M the translations at which they share
// a point. Near 0, D is a union of closed polyhedral cones. The planes of their facets have the
// normals of contacts: of a facet and a vertex, or across two edges. Hence each open cell of the
// arrangement of these planes is either free of D or inside it, and the body can be pushed off the
// world without touching it iff some cell is free. A cell is named by the side of each plane on
// which it lies. A contact at a face has one free side; where edges or corners coincide, every side
// may belong to a free cell: a body whose corner touches a corner can leave along either face.
class PushCells {
 public:
  // Adds the plane across a normal of unit length, unless the plane is known or there are too many.
  void add(const Vec3& normal);
  std::size_t size() const { return planes_.size(); }

  // Returns the shortest push into each cell that has one, fewest sides behind a plane first.
  std::vector<Vec3> pushes() const;

 private:
  std::vector<Vec3> planes_;
};

}  // namespace graze::polyhedron
