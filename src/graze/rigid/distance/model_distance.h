#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "graze/rigid/distance.h"
#include "graze/rigid/distance/convex_distance.h"
#include "graze/rigid/model/model.h"

namespace graze::rigid {

// Two nodes at which a traversal ended. Their triangles are at least `lo` apart. `normal`, in the
// coordinates of a, proves it; if it is 0, the balls of the nodes do.
struct FrontPair {
  std::uint32_t a, b;
  double lo;
  Vec3 normal;
  Witness witness;
};

// The front of the tree of node pairs ([Zhang 2006] Alg. 3), kept from one query to the next query
// of the same two models. Its pairs cover every pair of triangles once; the closest pair is first.
struct DistanceFront {
  std::vector<FrontPair> pairs;
  std::size_t built = 0;  // the number of pairs when the front was last built from the roots
};

// Returns the part of a face that the witness refers to. `corners`: witness.a or witness.b.
ClosestFeature closest_feature(const Witness& witness, const std::array<std::uint8_t, 4>& corners,
                               const Face& face);

// Computes the public distance() of two valid models, with its promises and one more:
//   (3) `front`, if not null, replaces the roots and is updated: its pairs cover every pair of
//       triangles, and each `lo` holds. It is empty or from an earlier query of the same models.
// Scratch memory is local. Threads may share models, but not a front.
BodyDistance distance(const Model& a, const Placement& at_a, const Model& b, const Placement& at_b,
                      const DistanceOptions& options = {}, DistanceFront* front = nullptr,
                      const std::atomic<bool>* stop = nullptr);

// Returns the distance of two triangles, which may be degenerate, by convex_distance(). If that
// cannot separate the triangles, the axes of their features are tried too.
ConvexDistance triangle_distance(const PolytopeView& a, const PolytopeView& b,
                                 const RelativePlacement& placement, const Witness& warm = {},
                                 double enough = std::numeric_limits<double>::infinity());

}  // namespace graze::rigid
