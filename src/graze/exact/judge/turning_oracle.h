#pragma once

#include <array>
#include <vector>

#include "graze/impact.h"
#include "graze/options.h"
#include "graze/query.h"

namespace graze::exact {

// Decides by exact integer arithmetic when two closed, possibly degenerate primitives that turn by
// one parameter first touch. It judges exact_turning and shares no predicate with it: the rotations
// are products of cross products over quarters of a turn, roots are counted by Sturm's theorem
// alone, and times come from an inverse tangent with 100 digits.
//
// For all finite input with has_one_parameter() (graze/first_contact.h):
//   (1) verdict is `contact` if and only if the primitives touch at some t in [0, options.t_max].
//   (2) On contact toi is the largest double not after the exact earliest time and toi_hi the
//       smallest not before it.
// Other input yields `invalid`. u, v and normal are NaN. Throws std::runtime_error where 100 digits
// do not separate a time from a double, which is not expected to happen. Cost: milliseconds.
Impact turning_oracle(const Turning<VertexFace>& query, const Options& options = {});
Impact turning_oracle(const Turning<EdgeEdge>& query, const Options& options = {});
Impact turning_oracle(const Turning<VertexEdge>& query, const Options& options = {});
Impact turning_oracle(const Turning<VertexVertex>& query, const Options& options = {});

// Returns the tightest doubles around the times in [0, options.t_max] at which the primitives touch
// and a sign of the condition of contact is 0, in increasing order, each pair of doubles once. If
// the corners are not in a common plane at all times, these are all times of contact. Otherwise an
// interval of contact begins at such a time and ends at such a time or at t_max. Empty for input
// that turning_oracle() does not answer and for queries in which nothing turns.
std::vector<std::array<double, 2>> touching_events(const Turning<VertexFace>& query,
                                                   const Options& options = {});
std::vector<std::array<double, 2>> touching_events(const Turning<EdgeEdge>& query,
                                                   const Options& options = {});
std::vector<std::array<double, 2>> touching_events(const Turning<VertexEdge>& query,
                                                   const Options& options = {});
std::vector<std::array<double, 2>> touching_events(const Turning<VertexVertex>& query,
                                                   const Options& options = {});

}  // namespace graze::exact
