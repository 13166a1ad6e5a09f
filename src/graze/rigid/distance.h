#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "graze/rigid/convex_distance.h"
#include "graze/rigid/rigid_model.h"

namespace graze {

// Two nodes at which a traversal ended: their triangles are at least `lo` apart, as `normal` proves
// (seen from a; 0 where their balls do).
struct FrontPair {
  std::uint32_t a, b;
  double lo;
  Vec3 normal;
  Witness witness;
};

// What a query leaves for the next one of the same two models: the front of the tree of node pairs
// ([Zhang 2006] Alg. 3), which covers every pair of triangles once, and the closest pair.
struct DistanceFront {
  std::vector<FrontPair> pairs;
  std::size_t built = 0;  // pairs when it was made from the roots
};

struct DistanceOptions {
  double enough = -1;  // ends as soon as two points are found within this; then `lo` is 0
  double tol = 0;      // lo >= (1 - tol) hi will do
};

// What of a face is closest: its vertices in the model, one for a vertex, two for an edge, three
// for the inside of the face.
struct ClosestFeature {
  std::uint32_t size = 0;
  std::array<std::uint32_t, 3> vertices{};
};
ClosestFeature closest_feature(const Witness& witness, const std::array<std::uint8_t, 4>& corners,
                               const Face& face);

struct ModelDistance {
  double lo = 0;                                        // no two points of the models are nearer
  double hi = std::numeric_limits<double>::infinity();  // how far the two points below are, at most
  std::uint32_t face_a = 0, face_b = 0;
  ClosestFeature feature_a, feature_b;                  // of the faces, where the points lie
  Vec3 point_a = Vec3::Zero(), point_b = Vec3::Zero();  // in the world, within rounding
  Vec3 normal = Vec3::Zero();  // in the world, from b to a; proves `lo` for the two faces
  std::uint32_t tests = 0;     // pairs of nodes looked at
};

// The distance of two models where they are placed.
//   (1) lo <= distance <= hi, for the placements as maps of real numbers; rounding is accounted
//       for. hi - lo is about 2^-40 of the coordinates, plus tol of hi.
//   (2) `front`, where given, is used (from an earlier query of the same models; empty at first)
//       and renewed: its pairs cover every pair of triangles, and each lo holds.
//   (3) The result depends on the arguments alone.
// Both models are valid. Scratch is local; models may be shared by threads, a front may not.
// Reference: [Zhang 2006] Sec. 3.3, Alg. 3.
ModelDistance distance(const RigidModel& a, const Placement& at_a, const RigidModel& b,
                       const Placement& at_b, const DistanceOptions& options = {},
                       DistanceFront* front = nullptr);

// The distance of two triangles, or of what degenerate ones are: as convex_distance, and where that
// cannot tell them apart the axes of their features are tried too.
ConvexDistance triangle_distance(const PolytopeView& a, const PolytopeView& b,
                                 const RelativePlacement& placement, const Witness& warm = {},
                                 double enough = std::numeric_limits<double>::infinity());

}  // namespace graze
