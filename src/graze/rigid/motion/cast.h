#pragma once

#include <optional>

#include "graze/rigid/model_advance.h"

namespace graze::rigid {

// Returns advance() for a sphere or capsule and a mesh, in either order, neither of which rotates.
// Returns nothing if another search must decide: for other bodies, degenerate triangles, a centre
// on a triangle, and where rounding hides the direction between the closest points. Points and
// distances in the result are those without radii.
std::optional<BodyImpact> advance_cast(const Model& a, const Motion& motion_a, const Model& b,
                                       const Motion& motion_b, const StoppableOptions& options,
                                       const Roundness& round);

// Returns whether n.v >= 0 is certain for the normal n of a face of a mesh and a velocity v, both
// in the coordinates of the mesh: AdvanceOptions::front_faces leaves such a face out.
bool is_back_face(const Model& mesh, std::uint32_t face, const Vec3& v);

}  // namespace graze::rigid
