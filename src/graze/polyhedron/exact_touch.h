#pragma once

#include <optional>

#include "graze/core/vec3.h"
#include "graze/exact/arena_integer.h"
#include "graze/polyhedron/brush_model.h"
#include "graze/polyhedron/path.h"

namespace graze::polyhedron {

// A time t of contact: the largest double not after t and the smallest not before t.
struct Touch {
  double lo, hi;
  bool slides = false;  // the vertex moves in the plane of the facet at all times
};

// The first time in [0, 1] at which a vertex of one body is on a facet (closed) of the other, by
// integers alone. vertex_moves: it is the body's, which goes along the path, and the facet the
// world's; else the vertex is the world's and the facet the body's.
std::optional<Touch> exact_vertex_facet(const Path& path, bool vertex_moves, const Vec3& vertex,
                                        const BrushModel& model, const Facet& facet,
                                        exact::Arena& arena);

// The sign of n.way, n the normal of the facet, of the body at the start or of the world.
int exact_facing(const Path& path, bool of_body, const BrushModel& model, const Facet& facet,
                 exact::Arena& arena);

// The first time at which the edges a0-a1 of the body and b0-b1 of the world (closed, not
// degenerate) meet while their lines are not parallel and do not stay in one plane.
std::optional<Touch> exact_edge_edge(const Path& path, const Vec3& a0, const Vec3& a1,
                                     const Vec3& b0, const Vec3& b1, exact::Arena& arena);

}  // namespace graze::polyhedron
