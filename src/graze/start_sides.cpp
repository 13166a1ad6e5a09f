#include "graze/start_sides.h"

#include <algorithm>
#include <array>

#include "graze/exact/exact_query.h"

namespace graze {
namespace {

// The sign of the corners' determinant D (exact_query.h) right after t = 0 where they touch then
// inside of each other, else 0. Positive: the vertex is behind the face (against its normal), edge
// b before edge a (along a x b).
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

// The sign of D of a vertex and a face at rest: 1 where it is behind.
int behind(const Vec3& vertex, const std::array<Vec3, 3>& face) {
  const std::array<Vec3, 4> corners = {vertex, face[0], face[1], face[2]};
  const VertexFace query{corners, corners};
  exact::Arena arena;
  const auto d = exact::ExactQuery<VertexFace>(query, arena).coplanarity();
  return d.is_zero() ? 0 : d.c[0].sign();
}

// Whether all are on one side, and which one.
class CommonSide {
 public:
  void add(int side) { (side > 0 ? positive_ : negative_) |= side != 0; }
  int side() const { return positive_ - negative_; }  // 0: both or none

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

bool StartSides::go_through(PairKind kind, const Pair& pair) const {
  return (kind == PairKind::vertex_face && goes_through_face(pair.a, pair.b)) ||
         (kind == PairKind::edge_edge && go_through_each_other(pair.a, pair.b));
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
  // Their common plane. The edges cross inside, so its normal is a x b up to a positive factor.
  const std::array<Vec3, 3> plane = {x[edge_a[0]], x[edge_a[1]], x[edge_b[1]]};
  CommonSide from;  // edge b's, as parting_side() counts it
  const auto add_faces = [&](const Edge& edge, int sign) {
    for (const std::uint32_t f : faces_.at(edge[0])) {
      const Face& face = moving_.mesh.faces[f];
      if (std::find(face.begin(), face.end(), edge[1]) == face.end()) continue;
      for (const std::uint32_t corner : face) from.add(sign * behind(x[corner], plane));
    }
  };
  add_faces(edge_a, 1);   // faces of a behind the plane: b came from before it
  add_faces(edge_b, -1);  // those of b are on b's own side
  return from.side() == -side;
}

}  // namespace graze
