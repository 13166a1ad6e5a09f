#pragma once

#include <span>
#include <vector>

#include "graze/earliest_impact.h"
#include "graze/sim/contact_stencil.h"

namespace graze {

// Two features that come within reach of each other on a straight way.
struct ReachedPair {
  PairKind kind{};
  Pair pair{};
  double toi = 0;
  double reach = 0;        // the distance that was asked for
  ContactStencil stencil;  // of their closest points at toi
  Vec3 normal;             // unit vector to the first, as facing_normal() says
};

// All pairs of features that come within the sum of their radii and `margin` of each other, or
// touch where that is 0; by toi, kind and pair. The radius of a feature is the largest of its
// vertices. Where two edges share a vertex, the other end of one and the other edge are a pair
// (PairKind::vertex_edge) without radius: only `margin` counts.
std::vector<ReachedPair> reached_pairs(const MovingMesh& moving, std::span<const double> radii,
                                       double margin, const PairOptions& options,
                                       const MotionObserver& observer = {});

}  // namespace graze
