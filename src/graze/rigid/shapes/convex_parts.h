#pragma once

#include <memory>
#include <vector>

#include "graze/rigid/model/parts.h"

namespace graze::rigid {

// Each returns a convex shape as one part. The arguments are in the ranges of body.h.
std::shared_ptr<const Parts> convex_points(std::vector<Vec3> points);  // their hull; not empty
std::shared_ptr<const Parts> convex_cylinder(double radius, double half_height);
std::shared_ptr<const Parts> convex_cone(double radius, double half_height);
std::shared_ptr<const Parts> convex_ellipsoid(const Vec3& radii);

}  // namespace graze::rigid
