#pragma once

#include <span>

#include "graze/impact.h"
#include "graze/method.h"
#include "graze/query.h"

namespace graze::narrow {

// Decides whether a contact lies on the boundary of the domain or the number of contacts is odd, by
// rays from the origin through the image of the boundary, all in exact arithmetic.
//
// The domain is time, [0, t_max], and the points of both primitives. A contact is on its boundary
// at t = 0, at t = t_max, on an edge of the face, at an end of an edge. Others are counted with
// their multiplicity as roots of the coplanarity polynomial: a contact that passes counts once or
// three times, a contact that only grazes twice.
//
// For all finite input:
//   (1) `contact` if and only if there is a contact on the boundary or their number is odd.
//   (2) So there is no false positive, and a missed contact belongs to an even number of contacts,
//       all inside the domain: passing in and out again, or grazing.
//   (3) The result depends on the arguments alone.
// No times: toi is 0 on contact. Norm: none; a min_separation > 0 is `invalid`. Only options.t_max
// is read. checks counts the rays. Cost: around ten microseconds on simulation data.
// Reference: [Wang 2021] Sec. 4.2, RRP, after [Brochu 2012].
void rational_root_parity(std::span<const VertexFace>, const MethodOptions&, std::span<Impact>);
void rational_root_parity(std::span<const EdgeEdge>, const MethodOptions&, std::span<Impact>);

}  // namespace graze::narrow
