#include "graze/spine/start_sides.h"

#include <algorithm>
#include <array>

#include "graze/exact/arena/exact_query.h"

namespace graze {
namespace {

// Returns the sign of the corners' determinant D (exact_query.h) right after t = 0 if the
// primitives touch in their interiors at t = 0, otherwise 0. Positive: the vertex is behind the
// face (on the side opposite to its normal); edge b is in front of edge a (in the direction a x b).
template <class Query>
int parting_side(const Query& query) {
  exact::Arena arena;
  exact::ExactQuery<Query> exact_query(query, arena);
  const exact::ArenaPolynomial d = exact_query.coplanarity();
  if (d.is_zero() || d.c[0].sign() != 0 ||
      exact_query.contact_at(exact::exact_time(arena, 0)) != ContactKind::interior)
    return 0;
  return std::find_if(d.c, d.c + d.degree, [](const auto& c) { return c.sign() != 0; })->sign();
}

// Returns the sign of D for a vertex and a face at rest: 1 if the vertex is behind the face.
int behind(const Vec3& vertex, const std::array<Vec3, 3>& face) {
  const std::array<Vec3, 4> corners = {vertex, face[0], face[1], face[2]};
  const VertexFace query{corners, corners};
  exact::Arena arena;
  const auto d = exact::ExactQuery<VertexFace>(query, arena).coplanarity();
  return d.is_zero() ? 0 : d.c[0].sign();
}

// The common side of a set of signs.
class CommonSide {
 public:
  void add(int side) { (side > 0 ? positive_ : negative_) |= side != 0; }
  int side() const { return positive_ - negative_; }  // 0: both sides or none

 private:
  bool positive_ = false, negative_ = false;
};

}  // namespace

template <class Feature>
StartSides::Incidence::Incidence(std::size_t vertices, const std::vector<Feature>& corners)
    : first(vertices + 2), features(corners.size() * std::tuple_size_v<Feature>) {
  for (const Feature& feature : corners)
    for (const std::uint32_t vertex : feature) ++first[vertex + 2];
  for (std::size_t v = 2; v < first.size(); ++v) first[v] += first[v - 1];
  for (std::size_t i = 0; i < corners.size(); ++i)
    for (const std::uint32_t vertex : corners[i])
      features[first[vertex + 1]++] = static_cast<std::uint32_t>(i);
}

StartSides::StartSides(const MovingMesh& moving)
    : moving_(moving),
      edges_(moving.mesh.vertex_count, moving.mesh.edges),
      faces_(moving.mesh.vertex_count, moving.mesh.faces) {}

bool StartSides::go_through(Kind kind, const Pair& pair) const {
  return (kind == Kind::vertex_face && goes_through_face(pair.a, pair.b)) ||
         (kind == Kind::edge_edge && go_through_each_other(pair.a, pair.b));
}

bool StartSides::goes_through_face(std::uint32_t vertex, std::uint32_t face) const {
  const int side = parting_side(moving_.vertex_face(vertex, face));
  if (side == 0) return false;
  const Face& f = moving_.mesh.faces[face];
  const auto& x = moving_.start;
  CommonSide from;
  for (const std::uint32_t e : edges_.at(vertex)) {
    const Edge& edge = moving_.mesh.edges[e];
    from.add(behind(x[edge[edge[0] == vertex]], {x[f[0]], x[f[1]], x[f[2]]}));
  }
  return from.side() == -side;
}

bool StartSides::go_through_each_other(std::uint32_t a, std::uint32_t b) const {
  const int side = parting_side(moving_.edge_edge(a, b));
  if (side == 0) return false;
  const Edge &edge_a = moving_.mesh.edges[a], &edge_b = moving_.mesh.edges[b];
  const auto& x = moving_.start;
  // The common plane of the edges. The edges cross in their interiors, so its normal is a x b up to
  // a positive factor.
  const std::array<Vec3, 3> plane = {x[edge_a[0]], x[edge_a[1]], x[edge_b[1]]};
  CommonSide from;  // the side of edge b before the contact, with the signs of parting_side()
  const auto add_faces = [&](const Edge& edge, int sign) {
    for (const std::uint32_t f : faces_.at(edge[0])) {
      const Face& face = moving_.mesh.faces[f];
      if (std::find(face.begin(), face.end(), edge[1]) == face.end()) continue;
      for (const std::uint32_t corner : face) from.add(sign * behind(x[corner], plane));
    }
  };
  add_faces(edge_a, 1);   // faces of a behind the plane: b was in front
  add_faces(edge_b, -1);  // faces of b are on the side of b
  return from.side() == -side;
}

}  // namespace graze
