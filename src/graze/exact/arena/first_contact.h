#pragma once

#include "graze/exact/arena/arena_integer.h"
#include "graze/impact.h"
#include "graze/query.h"

namespace graze::exact {

struct FirstContact {
  bool found = false;
  double lo = Impact::inf, hi = Impact::inf;  // tightest doubles around the time
  ContactKind kind = ContactKind::unknown;
  int candidates = 0;  // times examined
};

// Returns the first contact of finite primitives in [0, t_max], decided in integer arithmetic
// without rounding. This is the last stage of the exact method; it is correct for all finite
// doubles.
//
// Cost: microseconds on simulation data. With coordinates of B bits on a common scale (B <= 2100
// for any doubles, 30 to 110 for real data):
//   - at most 40 (vertex-face) or 60 (edge-edge) polynomials are formed, with coefficients below
//     2^(3B+10);
//   - the roots of one or, for motions in a plane, four of them are isolated and rounded with fewer
//     than 240 B + 2000 signs each, since roots are further than 2^-(6B+26) apart;
//   - a sign needs integers of at most max(27 B + 210, 9 B + 3240) bits, fewer than 57,000.
// docs/methods/exact.md derives these numbers.
// The arena is scratch memory; all memory allocated in the call is freed before it returns.
FirstContact first_contact(const VertexFace& query, double t_max, Arena& arena);
FirstContact first_contact(const EdgeEdge& query, double t_max, Arena& arena);

// The same for corners that move on curves. With coordinates of B bits the coefficients of a path
// have at most B+6 bits, those of the crosses 2B+16 and those of D, of degree 9, 3B+27.
// docs/methods/curved.md has the proof.
FirstContact first_contact(const Curved<VertexFace>& query, double t_max, Arena& arena);
FirstContact first_contact(const Curved<EdgeEdge>& query, double t_max, Arena& arena);

// Returns the exact sign of the coplanarity determinant D at a double t in [0, 1]. vertex-face:
// D = det(f0-v, f1-v, f2-v); edge-edge: D = det(b0-a0, b1-a0, b0-a1).
int coplanarity_sign(const VertexFace& query, double t, Arena& arena);
int coplanarity_sign(const EdgeEdge& query, double t, Arena& arena);
int coplanarity_sign(const Curved<VertexFace>& query, double t, Arena& arena);
int coplanarity_sign(const Curved<EdgeEdge>& query, double t, Arena& arena);

}  // namespace graze::exact
