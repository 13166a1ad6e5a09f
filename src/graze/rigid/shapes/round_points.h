#pragma once

#include "graze/vec3.h"

namespace graze::rigid {

// Moves the closest points of two bodies without radii, one of which is not 0, along the segment
// between them to the surfaces that the radii give. Where these overlap, both points become one
// point of the segment. Returns the distance of the moved points.
inline double round_points(double radius_a, double radius_b, Vec3& a, Vec3& b) {
  const double radii = radius_a + radius_b;
  const Vec3 between = a - b;
  const double distance = between.norm();
  if (distance < radii) {
    a -= between * (radius_a / radii);
    b = a;
    return 0;
  }
  const Vec3 normal = between / distance;
  a -= radius_a * normal;
  b += radius_b * normal;
  return distance - radii;
}

}  // namespace graze::rigid
