#pragma once

#include <span>
#include <vector>

#include "graze/core/mesh.h"

namespace graze {

// Triangles of the convex hull of points, oriented outwards; none where all lie in one plane or
// where Qhull gives up. In double arithmetic: a point may be left outside by rounding.
// Reference: [Barber 1996].
std::vector<Face> convex_hull(std::span<const Vec3> points);

}  // namespace graze
