#include "graze/sim/contact_stencil.h"

namespace graze::sim {

ContactStencil contact_stencil(const Mesh& mesh, Kind kind, const Pair& pair, double u, double v) {
  ContactStencil stencil;
  const auto add = [&](std::uint32_t vertex, double weight) {
    stencil.vertices[stencil.size] = vertex;
    stencil.weights[stencil.size++] = weight;
  };
  const auto add_edge = [&](std::uint32_t edge, double along, double sign) {
    add(mesh.edges[edge][0], sign * (1 - along));
    add(mesh.edges[edge][1], sign * along);
  };
  switch (kind) {
    case Kind::vertex_face: {
      const Face& face = mesh.faces[pair.b];
      add(pair.a, 1);
      add(face[0], -(1 - u - v));
      add(face[1], -u);
      add(face[2], -v);
      break;
    }
    case Kind::edge_edge:
      add_edge(pair.a, u, 1);
      add_edge(pair.b, v, -1);
      break;
    case Kind::vertex_edge:
      add(pair.a, 1);
      add_edge(pair.b, u, -1);
      break;
    case Kind::vertex_vertex:
      add(pair.a, 1);
      add(pair.b, -1);
      break;
    case Kind::edge_face:  // the features intersect: no two points of them touch
      break;
  }
  return stencil;
}

Vec3 facing_normal(const ContactStencil& stencil, const Vec3& normal, std::span<const Vec3> start,
                   std::span<const Vec3> end) {
  const double at_start = normal.dot(stencil.between(start));
  const bool away = at_start < 0 || (at_start == 0 && normal.dot(stencil.between(end)) > 0);
  return away ? Vec3(-normal) : normal;
}

}  // namespace graze::sim
