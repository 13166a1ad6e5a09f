#pragma once

#include "graze/rigid/model/model.h"

namespace graze::rigid {

// Returns whether a point lies inside the closed mesh of a model: whether a ray from it crosses the
// surface an odd number of times. Exact for every point that is not on the surface, by integers
// where doubles do not decide; a point of the surface gets either answer. In body coordinates.
// Cost: O(log n) for n triangles, and all triangles above or below the point.
bool is_inside(const Model& model, const Vec3& point);

}  // namespace graze::rigid
