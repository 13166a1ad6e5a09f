#include "graze/gpu/mesh_parts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "graze/aabb.h"
#include "graze/gpu/moving_codes.h"

namespace graze::gpu {
namespace {

// Returns the frame of the codes for a sample of the positions.
Frame sampled_frame(std::span<const Vec3> positions) {
  std::array<double, 3> middle{};
  double reach = 0, extent = 0;
  for (int k = 0; k < 3; ++k) {
    std::vector<double> values;
    for (std::size_t i = 0; i < positions.size(); i += positions.size() / 1024 + 1)
      values.push_back(positions[i][k]);
    if (values.empty()) continue;
    std::sort(values.begin(), values.end());
    const double median = values[values.size() / 2];
    middle[static_cast<std::size_t>(k)] = median;
    for (double& x : values) x = std::abs(x / 2 - median / 2);
    std::sort(values.begin(), values.end());
    reach = std::max(reach, values[values.size() / 2]);
    extent = std::max(extent, 2 * values.back());
  }
  return make_frame(middle.data(), reach, extent);
}

// A feature and its place in the spatial order. Kind 0: points, 1: edges, 2: faces.
struct KeyedFeature {
  std::uint32_t key, kind, id;
  auto operator<=>(const KeyedFeature&) const = default;
};

std::vector<std::uint32_t> merged(const std::vector<std::uint32_t>& a,
                                  const std::vector<std::uint32_t>& b) {
  std::vector<std::uint32_t> result(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), result.begin());
  return result;
}

template <class T>
std::vector<T> gathered(std::span<const T> values, std::span<const std::uint32_t> at) {
  std::vector<T> result;
  if (values.empty()) return result;
  result.reserve(at.size());
  for (const std::uint32_t i : at) result.push_back(values[i]);
  return result;
}

}  // namespace

std::vector<Vec3> MeshPart::gather(std::span<const Vec3> positions) const {
  return gathered(positions, vertices);
}

Pair MeshPart::in_whole(Kind kind, const Pair& pair) const {
  switch (kind) {
    case Kind::vertex_face:
      return {vertices[pair.a], faces[pair.b]};
    case Kind::edge_edge:
      return {edges[pair.a], edges[pair.b]};
    case Kind::vertex_edge:
      return {vertices[pair.a], edges[pair.b]};
    case Kind::vertex_vertex:
      return {vertices[pair.a], vertices[pair.b]};
    case Kind::edge_face:
      break;
  }
  return {edges[pair.a], faces[pair.b]};
}

PairFilter PartFilter::of(const PairFilter& whole, const MeshPart& part) {
  is_static = gathered(whole.is_static, part.vertices);
  group = gathered(whole.group, part.vertices);
  masks = gathered(whole.masks, part.vertices);
  PairFilter filter = whole;
  filter.is_static = is_static;
  filter.group = group;
  filter.masks = masks;
  filter.admits = {};
  return filter;
}

MeshParts::MeshParts(const MovingMesh& moving, double separation, std::size_t groups)
    : mesh_(moving.mesh), is_rod_(moving.mesh.edges.size()) {
  for (const std::uint32_t rod : mesh_.rods) is_rod_[rod] = 1;
  const Frame frame = sampled_frame(moving.start);
  std::vector<KeyedFeature> features;
  features.reserve(mesh_.points.size() + mesh_.edges.size() + mesh_.faces.size());
  const auto add = [&](std::uint32_t kind, std::size_t id, std::span<const std::uint32_t> corners) {
    MovingBox box = empty_box();
    for (const std::uint32_t v : corners) {
      MovingBox codes;
      FloatCorner unused;
      place_vertex(frame, moving.start[v].data(), moving.end[v].data(), 0, 1, 0, unused, codes);
      extend(box, codes);
    }
    features.push_back({curve_code(box, curve_bits(moving.mesh.vertex_count)), kind,
                        static_cast<std::uint32_t>(id)});
  };
  for (const std::uint32_t point : mesh_.points) add(0, point, {&point, 1});
  for (std::size_t e = 0; e < mesh_.edges.size(); ++e) add(1, e, mesh_.edges[e]);
  for (std::size_t f = 0; f < mesh_.faces.size(); ++f) add(2, f, mesh_.faces[f]);
  std::sort(features.begin(), features.end());

  groups = std::min(groups, std::max<std::size_t>(features.size(), 1));
  groups_.resize(groups);
  constexpr double inf = std::numeric_limits<double>::infinity();
  std::vector<Aabb> boxes(groups, {Vec3::Constant(inf), Vec3::Constant(-inf)});
  for (std::size_t g = 0; g < groups; ++g) {
    Group& group = groups_[g];
    const auto include = [&](std::uint32_t v) {
      boxes[g].include(swept_box(moving.start[v], moving.end[v], separation));
    };
    const std::size_t end = features.size() * (g + 1) / groups;
    for (std::size_t i = features.size() * g / groups; i < end; ++i) {
      const auto& [key, kind, id] = features[i];
      (kind == 0 ? group.points : kind == 1 ? group.edges : group.faces).push_back(id);
      if (kind == 0) include(id);
      if (kind == 1)
        for (const std::uint32_t v : mesh_.edges[id]) include(v);
      if (kind == 2)
        for (const std::uint32_t v : mesh_.faces[id]) include(v);
    }
    for (auto* list : {&group.points, &group.edges, &group.faces})
      std::sort(list->begin(), list->end());
  }
  for (std::size_t g = 0; g < groups; ++g)
    for (std::size_t h = g; h < groups; ++h)
      if (g == h || overlap(boxes[g], boxes[h])) parts_.push_back({g, h});
}

MeshPart MeshParts::operator[](std::size_t i) const {
  const Group& a = groups_[parts_[i][0]];
  const Group b = parts_[i][0] == parts_[i][1] ? Group() : groups_[parts_[i][1]];
  MeshPart part;
  part.edges = merged(a.edges, b.edges);
  part.faces = merged(a.faces, b.faces);
  const std::vector<std::uint32_t> points = merged(a.points, b.points);
  part.vertices = points;
  for (const std::uint32_t e : part.edges)
    part.vertices.insert(part.vertices.end(), mesh_.edges[e].begin(), mesh_.edges[e].end());
  for (const std::uint32_t f : part.faces)
    part.vertices.insert(part.vertices.end(), mesh_.faces[f].begin(), mesh_.faces[f].end());
  std::sort(part.vertices.begin(), part.vertices.end());
  part.vertices.erase(std::unique(part.vertices.begin(), part.vertices.end()), part.vertices.end());
  const auto place = [&](std::uint32_t vertex) {
    const auto at = std::lower_bound(part.vertices.begin(), part.vertices.end(), vertex);
    return static_cast<std::uint32_t>(at - part.vertices.begin());
  };
  Mesh& mesh = part.mesh;
  mesh.vertex_count = part.vertices.size();
  for (const std::uint32_t e : part.edges) {
    if (is_rod_[e]) mesh.rods.push_back(static_cast<std::uint32_t>(mesh.edges.size()));
    mesh.edges.push_back({place(mesh_.edges[e][0]), place(mesh_.edges[e][1])});
  }
  for (const std::uint32_t f : part.faces)
    mesh.faces.push_back(
        {place(mesh_.faces[f][0]), place(mesh_.faces[f][1]), place(mesh_.faces[f][2])});
  for (const std::uint32_t point : points) mesh.points.push_back(place(point));
  return part;
}

}  // namespace graze::gpu
