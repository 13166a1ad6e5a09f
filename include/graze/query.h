#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "graze/vec3.h"

namespace graze {

// The kinds of primitive pairs, in the order in which ties between contacts are broken. Meshes of
// triangles need the first two; rods, cables and particles need the next two. edge_face is no query
// but an edge that pierces a face at the start of a step (graze/step.h).
enum class Kind : std::uint8_t { vertex_face, edge_edge, vertex_edge, vertex_vertex, edge_face };
inline constexpr std::size_t kind_count = 4;  // kinds of queries: all but edge_face

// Returns the name used by the command and in files, for example "vertex-face".
constexpr const char* name(Kind kind) {
  switch (kind) {
    case Kind::vertex_face:
      return "vertex-face";
    case Kind::edge_edge:
      return "edge-edge";
    case Kind::vertex_edge:
      return "vertex-edge";
    case Kind::vertex_vertex:
      return "vertex-vertex";
    case Kind::edge_face:
      return "edge-face";
  }
  return "?";
}

// Returns the kind of query with this name; empty if there is none.
constexpr std::optional<Kind> find_kind(std::string_view text) {
  for (std::size_t i = 0; i < kind_count; ++i)
    if (text == name(static_cast<Kind>(i))) return static_cast<Kind>(i);
  return {};
}

// A query is a pair of primitives whose corners move linearly, each from its `start` at t = 0 to
// its `end` at t = 1. Coordinates are lengths in any unit. Every finite coordinate is valid.

// A vertex and a triangle. Corners, at the start and at the end: the vertex, then the three corners
// of the face.
struct VertexFace {
  std::array<Vec3, 4> start, end;
};

// Two segments. Corners, at the start and at the end: the two ends of edge a, then the two of edge
// b.
struct EdgeEdge {
  std::array<Vec3, 4> start, end;
};

// A vertex and a segment. Corners, at the start and at the end: the vertex, then the two ends of
// the edge.
struct VertexEdge {
  std::array<Vec3, 3> start, end;
};

// Two points, at the start and at the end.
struct VertexVertex {
  std::array<Vec3, 2> start, end;
};

// VertexFace and EdgeEdge are 24 consecutive doubles, so that an array of them is a plain array of
// numbers.
static_assert(sizeof(VertexFace) == 24 * sizeof(double));
static_assert(sizeof(EdgeEdge) == 24 * sizeof(double));

// The four types of queries.
template <class Q>
concept Query = std::same_as<Q, VertexFace> || std::same_as<Q, EdgeEdge> ||
    std::same_as<Q, VertexEdge> || std::same_as<Q, VertexVertex>;

// The kind of a type of queries.
template <Query Q>
inline constexpr Kind kind_of = std::same_as<Q, VertexFace>   ? Kind::vertex_face
                                : std::same_as<Q, EdgeEdge>   ? Kind::edge_edge
                                : std::same_as<Q, VertexEdge> ? Kind::vertex_edge
                                                              : Kind::vertex_vertex;

// Returns the same query with a face that is collapsed to a segment or to a point.
inline VertexFace as_vertex_face(const VertexEdge& query) {
  const auto &a = query.start, &b = query.end;
  return {{a[0], a[1], a[2], a[2]}, {b[0], b[1], b[2], b[2]}};
}
inline VertexFace as_vertex_face(const VertexVertex& query) {
  const auto &a = query.start, &b = query.end;
  return {{a[0], a[1], a[1], a[1]}, {b[0], b[1], b[1], b[1]}};
}

// Returns whether no coordinate is NaN or infinite.
template <Query Q>
bool is_finite(const Q& query) {
  for (const Vec3& corner : query.start)
    if (!corner.allFinite()) return false;
  for (const Vec3& corner : query.end)
    if (!corner.allFinite()) return false;
  return true;
}

// A path that is a polynomial of the time t in [0, 1], and the points that describe it.
enum class Curve : std::uint8_t {
  line,       // start, end
  quadratic,  // the control points of a Bézier curve: start, control, end
  cubic,      // start, two controls, end
  hermite     // position at t = 0, velocity there, velocity at t = 1, position there: the cubic
              // with these values. Velocities are lengths per step.
};

// Returns the number of points that describe a curve.
constexpr std::size_t point_count(Curve curve) {
  return curve == Curve::line ? 2 : curve == Curve::quadratic ? 3 : 4;
}
// Returns the degree of the polynomial of a curve.
constexpr int degree(Curve curve) {
  return static_cast<int>(point_count(curve)) - 1;
}

// A query whose corners move on curves. points[i] holds point i of every corner, in the order of
// the corners of Q, for i < point_count(curve); the other points are not read. Every finite
// coordinate is valid.
template <Query Q>
struct Curved {
  using Corners = decltype(Q::start);  // one point of every corner

  Curve curve = Curve::line;
  std::array<Corners, 4> points{};
};

// The four types of curved queries.
template <class Q>
concept CurvedQuery = std::same_as<Q, Curved<VertexFace>> || std::same_as<Q, Curved<EdgeEdge>> ||
    std::same_as<Q, Curved<VertexEdge>> || std::same_as<Q, Curved<VertexVertex>>;

// Returns the same query as a curved one.
template <Query Q>
Curved<Q> as_curved(const Q& query) {
  return {Curve::line, {query.start, query.end}};
}

// Returns the same query with a face that is collapsed to a segment or to a point.
inline Curved<VertexFace> as_vertex_face(const Curved<VertexEdge>& query) {
  Curved<VertexFace> result{query.curve};
  for (std::size_t i = 0; i < 4; ++i) {
    const auto& p = query.points[i];
    result.points[i] = {p[0], p[1], p[2], p[2]};
  }
  return result;
}
inline Curved<VertexFace> as_vertex_face(const Curved<VertexVertex>& query) {
  Curved<VertexFace> result{query.curve};
  for (std::size_t i = 0; i < 4; ++i) {
    const auto& p = query.points[i];
    result.points[i] = {p[0], p[1], p[1], p[1]};
  }
  return result;
}

// Returns whether the curve is one of those above and no coordinate that is read is NaN or
// infinite.
template <Query Q>
bool is_finite(const Curved<Q>& query) {
  if (query.curve > Curve::hermite) return false;
  for (std::size_t i = 0; i < point_count(query.curve); ++i)
    for (const Vec3& corner : query.points[i])
      if (!corner.allFinite()) return false;
  return true;
}

// A rotation at constant speed about a fixed axis, by the right-hand rule, with a translation.
struct Turn {
  Vec3 point = Vec3::Zero();  // on the axis, at t = 0
  Vec3 axis = {0, 0, 1};      // direction, of any length > 0
  double angle = 0;           // radians per step; 0: no rotation, and point and axis are not read
  Vec3 way = Vec3::Zero();    // translation of the axis per step
};

// A query whose two primitives turn. A corner x of primitive i, which is in `corners` at t = 0, is
// at  point + t way + R (x - point)  at time t, where R is the rotation by t angle about the axis
// of turns[i]. Every finite coordinate and angle is valid.
template <Query Q>
struct Turning {
  using Corners = decltype(Q::start);  // one point of every corner

  Corners corners{};
  std::array<Turn, 2> turns{};
};

// The four types of turning queries.
template <class Q>
concept TurningQuery = std::same_as<Q, Turning<VertexFace>> || std::same_as<Q, Turning<EdgeEdge>> ||
    std::same_as<Q, Turning<VertexEdge>> || std::same_as<Q, Turning<VertexVertex>>;

// Returns which primitive has this corner: 0 or 1.
template <Query Q>
constexpr std::size_t primitive_of(std::size_t corner) {
  return corner < (kind_of<Q> == Kind::edge_edge ? 2u : 1u) ? 0 : 1;
}

// Returns the same query with a face that is collapsed to a segment or to a point.
inline Turning<VertexFace> as_vertex_face(const Turning<VertexEdge>& query) {
  const auto& p = query.corners;
  return {{p[0], p[1], p[2], p[2]}, query.turns};
}
inline Turning<VertexFace> as_vertex_face(const Turning<VertexVertex>& query) {
  const auto& p = query.corners;
  return {{p[0], p[1], p[1], p[1]}, query.turns};
}

// Returns whether no number that is read is NaN or infinite, and no axis that is read is 0.
template <Query Q>
bool is_finite(const Turning<Q>& query) {
  for (const Vec3& corner : query.corners)
    if (!corner.allFinite()) return false;
  for (const Turn& turn : query.turns) {
    if (!std::isfinite(turn.angle) || !turn.way.allFinite()) return false;
    if (turn.angle != 0 &&
        (!turn.point.allFinite() || !turn.axis.allFinite() || turn.axis.isZero(0)))
      return false;
  }
  return true;
}

}  // namespace graze
