#include "graze/spine/start_inside.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "graze/aabb.h"
#include "graze/broad/meeting_vertices.h"
#include "graze/exact/ray_crossing.h"

namespace graze::spine {
namespace {

std::uint32_t group_of(const PairFilter& filter, std::uint32_t vertex) {
  return filter.group.empty() ? 0 : filter.group[vertex];
}

// Returns the faces of a group: those with all vertices in it.
std::vector<std::uint32_t> faces_of(const Mesh& mesh, const PairFilter& filter,
                                    std::uint32_t group) {
  std::vector<std::uint32_t> faces;
  for (std::uint32_t f = 0; f < mesh.faces.size(); ++f)
    if (std::all_of(mesh.faces[f].begin(), mesh.faces[f].end(),
                    [&](std::uint32_t v) { return group_of(filter, v) == group; }))
      faces.push_back(f);
  return faces;
}

// Returns the smallest vertex of each connected piece of a mesh, ascending.
std::vector<std::uint32_t> pieces_of(const Mesh& mesh) {
  std::vector<std::uint32_t> parent(mesh.vertex_count);
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&](std::uint32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  for (const auto& [a, b] : mesh.edges) {
    const std::uint32_t x = root(a), y = root(b);
    parent[std::max(x, y)] = std::min(x, y);
  }
  std::vector<std::uint32_t> roots;
  for (std::uint32_t v = 0; v < parent.size(); ++v)
    if (parent[v] == v) roots.push_back(v);
  return roots;
}

// Returns the first face that a ray from the point crosses if the ray crosses an odd number of
// faces, otherwise nothing.
std::optional<std::uint32_t> face_around(const MovingMesh& moving,
                                         std::span<const std::uint32_t> faces, const Vec3& point) {
  bool inside = false;
  std::optional<std::uint32_t> first;
  for (const std::uint32_t f : faces) {
    const Face& face = moving.mesh.faces[f];
    if (!exact::ray_crosses(point,
                            {moving.start[face[0]], moving.start[face[1]], moving.start[face[2]]}))
      continue;
    inside = !inside;
    if (!first) first = f;
  }
  return inside ? first : std::nullopt;
}

}  // namespace

bool solids_fit(const StepOptions& options, const Mesh& mesh) {
  for (const std::uint32_t group : options.solids) {
    std::vector<Edge> sides;
    for (const std::uint32_t f : faces_of(mesh, options.pairs.filter, group))
      for (std::size_t i = 0; i < 3; ++i) {
        const std::uint32_t a = mesh.faces[f][i], b = mesh.faces[f][(i + 1) % 3];
        if (a != b) sides.push_back({std::min(a, b), std::max(a, b)});
      }
    std::sort(sides.begin(), sides.end());
    for (std::size_t i = 0; i < sides.size(); i += 2)
      if (i + 1 == sides.size() || sides[i] != sides[i + 1]) return false;
  }
  return true;
}

// A connected piece that has no point in common with a closed surface is inside or outside as a
// whole. Where a piece touches or pierces the surface, that is a contact at 0 by itself.
std::vector<StepImpact> start_inside(const MovingMesh& moving, const StepOptions& options) {
  std::vector<StepImpact> found;
  if (options.solids.empty()) return found;
  const PairFilter& filter = options.pairs.filter;
  const broad::MeetingVertices meeting(filter);
  const auto is_static = [&](std::uint32_t v) {
    return !filter.is_static.empty() && filter.is_static[v] != 0;
  };
  std::vector<std::uint32_t> pieces = pieces_of(moving.mesh);
  if (!options.pairs.stray_vertices)
    std::erase_if(pieces, [&](std::uint32_t v) {
      return std::binary_search(moving.mesh.points.begin(), moving.mesh.points.end(), v);
    });
  for (const std::uint32_t group : options.solids) {
    const std::vector<std::uint32_t> faces = faces_of(moving.mesh, filter, group);
    if (faces.empty()) continue;
    const Vec3& corner = moving.start[moving.mesh.faces[faces[0]][0]];
    Aabb box{corner, corner};
    for (const std::uint32_t f : faces)
      for (const std::uint32_t v : moving.mesh.faces[f])
        box.include({moving.start[v], moving.start[v]});
    for (const std::uint32_t vertex : pieces) {
      const Vec3& point = moving.start[vertex];
      if (group_of(filter, vertex) == group || !overlap(box, {point, point})) continue;
      const std::optional<std::uint32_t> face = face_around(moving, faces, point);
      if (!face) continue;
      const Face& corners = moving.mesh.faces[*face];
      const Pair pair{vertex, *face};
      if (is_static(vertex) && std::all_of(corners.begin(), corners.end(), is_static)) continue;
      if (!meeting.any(std::array{vertex}, corners)) continue;
      if (filter.admits && !filter.admits(Kind::vertex_face, pair)) continue;
      found.push_back({Kind::vertex_face, pair, Impact::contact(0, 0)});
    }
  }
  std::sort(found.begin(), found.end(),
            [](const StepImpact& a, const StepImpact& b) { return a.pair < b.pair; });
  const auto same = [](const StepImpact& a, const StepImpact& b) { return a.pair == b.pair; };
  found.erase(std::unique(found.begin(), found.end(), same), found.end());
  return found;
}

}  // namespace graze::spine
