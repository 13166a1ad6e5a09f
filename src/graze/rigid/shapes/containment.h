#pragma once

#include <algorithm>
#include <optional>

#include "graze/rigid/distance.h"
#include "graze/rigid/model/model.h"

namespace graze::rigid {

// Returns the largest coordinate of a model in size.
inline double reach_of(const Model& model) {
  return model.parts ? model.parts->reach() : model.has_mesh() ? model.tree.reach() : 0;
}

// The result of containment(): whether a solid mesh contains a connected piece of another body.
struct Containment {
  Verdict verdict = Verdict::separated;  // contact: it does; undecided: rounding hides it
  Vec3 point = Vec3::Zero();             // on contact: a point of both, in world coordinates
  // If the verdict is contact or undecided: the distance of the surfaces, and the direction of
  // length 1 from the closest point of a to that of b, in which a leaves b.
  BodyDistance surfaces;
  Vec3 normal = Vec3::UnitZ();
};

// Returns whether one of two bodies, at least one of which has an inside, contains a piece of the
// other. The reach of a compound leaves room for the rounding of the places of its parts.
// `error`: a bound on the difference between the exact map of points of one body into the
// coordinates of the other and the computed one.
//
// A connected piece that does not meet the surface of the solid is inside if one of its points is.
// If all points of the piece are further than the error from the surface, the computed position of
// the point is on the right side of it, and is_inside() is exact for it. A point outside of the
// bounding box, by more than the error, needs no test of distances.
Containment containment(const Model& a, const Placement& at_a, const Model& b,
                        const Placement& at_b, double error);

// Returns a point that two half spaces z <= 0 have in common; nothing if their normals are opposite
// up to 2^-20.
std::optional<Vec3> common_point(const Placement& a, const Placement& b);

}  // namespace graze::rigid
