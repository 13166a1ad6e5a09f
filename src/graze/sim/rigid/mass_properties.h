#pragma once

#include <Eigen/Core>
#include <span>

#include "graze/core/mesh.h"

namespace graze {

// Of a solid of uniform density 1.
struct MassProperties {
  double volume = 0;
  Vec3 centre = Vec3::Zero();
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  // about the centre
};

// Is every side of a face met by exactly one other face, in the opposite direction?
bool is_closed(std::span<const Face> faces);

// The solid that a closed surface bounds, its faces oriented outwards (all inwards will do too). In
// double arithmetic. Volume 0 where there is no inside.
// Reference: [Mirtich 1996], summed over tetrahedra instead of projected faces.
MassProperties solid_of(std::span<const Vec3> vertices, std::span<const Face> faces);

// The solid of a closed surface, else that of its convex hull.
MassProperties mass_properties(std::span<const Vec3> vertices, std::span<const Face> faces);

}  // namespace graze
