#pragma once

#include <span>

#include "graze/impact.h"
#include "graze/method.h"
#include "graze/query.h"

namespace graze::narrow {

struct AreaInclusionResult {
  Impact impact;
  int coplanarity_roots = 0;  // distinct times in [0, t_max] with all four corners in one plane
  int contacts = 0;           // those among them at which the primitives touch
  bool degenerate = false;    // the corners are in one plane at all times; no roots are counted
};

// Returns the first time at which the four corners are coplanar and the areas that they span show a
// contact.
//
// At a contact the vertex cuts the face into three triangles whose areas add up to the face's; two
// crossing edges cut, as diagonals, their quadrilateral into pairs of triangles whose areas add up
// to half the diagonals' cross product. A time of coplanarity is known up to E = options.time_tol,
// and then [Huh 2014, Lemma 4.1] bounds how far the sums may be off:
//   E C1 C2 + E^2 C2^2 / 2 for each triangle, C1 the largest start distance plus the largest
//   relative speed, C2 the largest relative speed among its corners.
// This is the only tolerance. E moves the contact by at most E times the relative speeds, and a
// configuration within the tolerance of a contact is reported as a contact.
//
// For all finite input:
//   (1) No contact in [0, impact.toi), whatever the verdict.
//   (2) On contact the sums of areas, at some time within E of impact.toi, differ by no more than
//       the tolerance above plus a rounding term of 2^-43 L^2, L the largest component of any
//       difference of corners at the start or the end.
//   (3) If the corners are coplanar at all times, contacts are sought at the start and where a
//       corner meets the line of an edge; if that holds at all times too, where it meets an end of
//       the edge.
//   (4) The result depends on the arguments alone.
// `undecided` after options.max_checks tests of areas: only where corners are coplanar up to
// rounding for long and nearly touch. Norm: none; a min_separation > 0 is `invalid`.
// Pairs that x, y, z or a diagonal of two of them separates during the whole step are separated
// without a search, in a batch also without counting roots.
// Cost: the test of these directions; otherwise one cubic, and per root a few evaluations and one
// test of areas. Reference: [Huh 2014]; departures are marked in the source, the proof is in
// docs/methods/area_inclusion.md.
AreaInclusionResult area_inclusion(const VertexFace& query, const Options& options = {});
AreaInclusionResult area_inclusion(const EdgeEdge& query, const Options& options = {});

// Answers a batch.
void area_inclusion(std::span<const VertexFace>, const MethodOptions&, std::span<Impact>);
void area_inclusion(std::span<const EdgeEdge>, const MethodOptions&, std::span<Impact>);

}  // namespace graze::narrow
