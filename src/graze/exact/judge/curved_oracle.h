#pragma once

#include <array>
#include <vector>

#include "graze/impact.h"
#include "graze/options.h"
#include "graze/query.h"

namespace graze::exact {

// Decides by exact integer arithmetic when two closed, possibly degenerate primitives whose corners
// move on curves first touch. It judges exact_curved and shares no predicate with it: roots are
// counted by Sturm's theorem alone, and the condition of contact consists of dot products.
//
// For all finite input:
//   (1) verdict is `contact` if and only if the primitives touch at some t in [0, options.t_max].
//   (2) On contact toi is the largest double not after the exact earliest time and toi_hi the
//       smallest not before it; equal when that time is a double.
//   (3) The result depends on the arguments alone.
// u, v and normal are NaN. checks counts the times examined. NaN, infinity, an option outside its
// range or min_separation > 0 yields `invalid`. Cost: about a millisecond if the primitives come
// near each other. The proof is in docs/methods/curved.md.
Impact curved_oracle(const Curved<VertexFace>& query, const Options& options = {});
Impact curved_oracle(const Curved<EdgeEdge>& query, const Options& options = {});
Impact curved_oracle(const Curved<VertexEdge>& query, const Options& options = {});
Impact curved_oracle(const Curved<VertexVertex>& query, const Options& options = {});

// Returns the tightest doubles around every contact time in [0, 1], in increasing order, of a
// motion whose corners are not coplanar at all times; the contacts are then instants. Returns
// nothing for all other motions.
std::vector<std::array<double, 2>> curved_contact_instants(const Curved<VertexFace>& query);
std::vector<std::array<double, 2>> curved_contact_instants(const Curved<EdgeEdge>& query);

}  // namespace graze::exact
