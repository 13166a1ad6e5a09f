#pragma once

#include <vector>

#include "graze/rigid/distance.h"

namespace graze {

// Two triangles that are close, with the closest points of them.
struct SurfaceContact {
  std::uint32_t face_a, face_b;
  double distance;        // a bound from above on that of the faces, tight up to rounding
  Vec3 point_a, point_b;  // in the world
  Vec3 normal;            // in the world, from b to a, of length about 1; 0 where they cross
  ClosestFeature feature_a, feature_b;
};

// All pairs of triangles of two placed models that are within a distance of each other, by one
// search, ordered by (face_a, face_b).
//   (1) No pair that is within `within` is left out, and what is listed is within `within` up to
//       rounding: 2^-40 of the coordinates.
//   (2) The result depends on the arguments alone.
// Both models are valid. At most max_contacts are listed; as many as that: there may be more.
std::vector<SurfaceContact> contacts_within(const RigidModel& a, const Placement& at_a,
                                            const RigidModel& b, const Placement& at_b,
                                            double within, std::size_t max_contacts = 1u << 20);

}  // namespace graze
