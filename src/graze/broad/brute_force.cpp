#include "graze/broad/brute_force.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "graze/broad/pair_block.h"
#include "graze/core/aabb.h"

namespace graze {
namespace {

bool share_vertex(std::uint32_t vertex, const Face& face) {
  return vertex == face[0] || vertex == face[1] || vertex == face[2];
}
bool share_vertex(const Edge& a, const Edge& b) {
  return a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1];
}

template <class Features>
std::vector<Aabb> boxes_of(const Features& features, const std::vector<Aabb>& vertices) {
  std::vector<Aabb> boxes;
  boxes.reserve(features.size());
  for (const auto& corners : features) {
    boxes.push_back(vertices[corners[0]]);
    for (const std::uint32_t corner : corners) boxes.back().include(vertices[corner]);
  }
  return boxes;
}

// Calls row(i, block) for all i < count.
template <class Row>
void for_each_row(std::size_t count, PairKind kind, const PairConsumer& consumer, Row&& row) {
  constexpr std::size_t grain = 64;
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, grain), [&](const auto& range) {
    PairBlock block(kind, consumer);
    for (std::size_t i = range.begin(); i < range.end(); ++i)
      row(static_cast<std::uint32_t>(i), block);
    block.flush();
  });
}

}  // namespace

void brute_force(const MovingMesh& moving, double separation, const PairConsumer& consumer) {
  const Mesh& mesh = moving.mesh;
  std::vector<Aabb> vertices;
  vertices.reserve(mesh.vertex_count);
  for (std::size_t v = 0; v < mesh.vertex_count; ++v)
    vertices.push_back(swept_box(moving.start[v], moving.end[v], separation));
  const auto edges = boxes_of(mesh.edges, vertices), faces = boxes_of(mesh.faces, vertices);

  for_each_row(vertices.size(), PairKind::vertex_face, consumer, [&](auto v, PairBlock& block) {
    for (std::uint32_t f = 0; f < faces.size(); ++f)
      if (overlap(vertices[v], faces[f]) && !share_vertex(v, mesh.faces[f])) block.add({v, f});
  });
  for_each_row(edges.size(), PairKind::edge_edge, consumer, [&](auto a, PairBlock& block) {
    for (std::uint32_t b = a + 1; b < edges.size(); ++b)
      if (overlap(edges[a], edges[b]) && !share_vertex(mesh.edges[a], mesh.edges[b]))
        block.add({a, b});
  });
}

}  // namespace graze
