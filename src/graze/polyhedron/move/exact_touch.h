#pragma once

#include <optional>

#include "graze/exact/arena/arena_integer.h"
#include "graze/polyhedron/model.h"
#include "graze/polyhedron/move.h"
#include "graze/vec3.h"

namespace graze::polyhedron {

// A time t of contact: `lo` is the largest double <= t, `hi` the smallest double >= t.
struct Touch {
  double lo, hi;
  bool slides = false;  // the vertex moves within the plane of the facet
};

// Returns the first time in [0, 1] at which a vertex is on a closed facet, by integers alone. If
// vertex_moves, the vertex belongs to the body, which moves along the path, and the facet to the
// world; otherwise the vertex belongs to the world and the facet to the body. If `enters`, only
// times count directly after which the vertex is behind the facet.
std::optional<Touch> exact_vertex_facet(const Path& path, bool vertex_moves, const Vec3& vertex,
                                        const Model& model, const Facet& facet, exact::Arena& arena,
                                        bool enters = false);

// Returns the sign of n.way, n being the normal of a facet of the body at the start, or of the
// world.
int exact_facing(const Path& path, bool of_body, const Model& model, const Facet& facet,
                 exact::Arena& arena);

// Returns the first time at which the closed edges a0-a1 of the body and b0-b1 of the world,
// neither of length 0, touch while their lines are not parallel and do not stay in one plane.
std::optional<Touch> exact_edge_edge(const Path& path, const Vec3& a0, const Vec3& a1,
                                     const Vec3& b0, const Vec3& b1, exact::Arena& arena);

// Returns the first such time directly after which edge a of the mover and edge b of the world have
// passed through each other into both models: before it, the plane of both edges has the model of
// each convex edge on its own side. An open edge may be passed from either side. Edges of other
// kinds are never passed first. The path must be a rotation.
std::optional<Touch> exact_entering_edges(const Path& path, const Model& mover, const ModelEdge& a,
                                          const Model& world, const ModelEdge& b,
                                          exact::Arena& arena);

}  // namespace graze::polyhedron
