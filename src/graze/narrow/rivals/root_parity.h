#pragma once

#include <span>

#include "graze/impact.h"
#include "graze/method.h"
#include "graze/query.h"

namespace graze::narrow {

// Decides the parity of the number of contacts by rays from the origin through the image of the
// boundary of the domain: signs computed in doubles where an error bound proves them, in exact
// integers where it does not.
//
// A query whose image lies on one side of a plane through the origin (across an axis or a diagonal
// of two axes) is separated at once. The others are counted as in rational_root_parity, except that
// a flat side of the image counts as published: two triangles stand for it, convex or not.
//
// Heuristic. For all finite input:
//   (1) `contact` if and only if there is a contact on the boundary of the domain (at t = 0 or
//       t_max, on an edge of the face, at an end of an edge) or their number is odd, counted with
//       multiplicity; unless a side of the image is flat but no convex quadrilateral. So contacts
//       that come in pairs are missed.
//   (2) With such a side it may miss others (Appendix B of [Wang 2021] is missed) and report
//       contacts that are none.
//   (3) The result depends on the arguments alone.
// No times: toi is 0 on contact. Norm: none; a min_separation > 0 is `invalid`. Only options.t_max
// is read. checks counts the rays. Cost: a fraction of a microsecond on simulation data.
// Reference: [Brochu 2012]; [Wang 2021] Sec. 4.2, RP, and Appendix B.
void root_parity(std::span<const VertexFace>, const MethodOptions&, std::span<Impact>);
void root_parity(std::span<const EdgeEdge>, const MethodOptions&, std::span<Impact>);

// Answers with the rays of the public code of 2012, which [Wang 2021] measured: up to ten in the
// plane z = 0, `contact` if all meet edges of the image; a crossing of the bottom or the top that
// rounds to the origin is a touch. Flat sides are counted modulo 2. So it misses contacts that come
// in pairs, as root_parity does, and has false positives where the primitives nearly touch.
void root_parity_published(std::span<const VertexFace>, const MethodOptions&, std::span<Impact>);
void root_parity_published(std::span<const EdgeEdge>, const MethodOptions&, std::span<Impact>);

}  // namespace graze::narrow
