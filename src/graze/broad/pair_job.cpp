#include "graze/broad/pair_job.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

namespace graze::broad {
namespace {

// The numbers of corners of the two features of a pair, by kind.
constexpr std::array<std::array<std::size_t, 2>, kind_count> corner_counts = {
    {{1, 3}, {2, 2}, {1, 2}, {1, 1}}};

bool contains(const std::vector<std::uint32_t>& ascending, std::uint32_t element) {
  return std::binary_search(ascending.begin(), ascending.end(), element);
}

}  // namespace

PairJob::PairJob(const MovingMesh& moving, const Slab& slab, const PairOptions& options,
                 SearchMonitor& monitor, Sought sought, const SearchScale* scale)
    : moving_(moving),
      slab_(slab),
      options_(options),
      monitor_(monitor),
      scale_(scale),
      meeting_(options.filter) {
  assert(is_sensible(options, moving.mesh));
  const Split faces = add_lists({3, moving.mesh.faces.size(), {}});
  if (sought != Sought::crossings) add_pairs(faces);
  if (sought != Sought::pairs) add_crossings(faces);
}

// Crossings come last, see moving_tree().
void PairJob::add_crossings(const Split& faces) {
  const Mesh& mesh = moving_.mesh;
  if (mesh.faces.empty()) return;
  add_match(Kind::edge_face, faces, faces);
  if (!mesh.rods.empty())
    add_match(Kind::edge_face, add_lists({2, mesh.rods.size(), mesh.rods}), faces);
}

void PairJob::add_pairs(const Split& faces) {
  const Mesh& mesh = moving_.mesh;
  const PairOptions& options = options_;
  FeatureList all{1, mesh.vertex_count, {}};
  std::vector<std::uint32_t> points = mesh.points;
  if (!options.stray_vertices) {
    const std::vector<std::uint32_t> stray = stray_vertices();
    std::erase_if(points, [&](std::uint32_t vertex) { return contains(stray, vertex); });
    if (!stray.empty()) {
      for (std::uint32_t vertex = 0; vertex < mesh.vertex_count; ++vertex)
        if (!contains(stray, vertex)) all.ids.push_back(vertex);
      all.size = all.ids.size();
    }
  }
  if (!mesh.faces.empty()) add_match(Kind::vertex_face, add_lists(std::move(all)), faces);
  const Split edges = add_lists({2, mesh.edges.size(), {}});
  add_match(Kind::edge_edge, edges, edges);
  const Split point_lists =
      points.empty() ? Split{none, none} : add_lists({1, points.size(), points});
  add_match(Kind::vertex_vertex, point_lists, point_lists);
  if (mesh.rods.empty() || (points.empty() && !options.shared_vertices)) return;
  Split vertices = point_lists;
  if (options.shared_vertices) {
    auto ids = joined_to_rods(points);
    vertices = add_lists({1, ids.size(), std::move(ids)});
  }
  add_match(Kind::vertex_edge, vertices, add_lists({2, mesh.rods.size(), mesh.rods}));
}

// Returns the points that no face contains, ascending. A face that names one vertex three times has
// no edge.
std::vector<std::uint32_t> PairJob::stray_vertices() const {
  std::vector<std::uint32_t> in_faces, stray;
  for (const Face& face : moving_.mesh.faces)
    if (face[0] == face[1] && face[1] == face[2]) in_faces.push_back(face[0]);
  std::sort(in_faces.begin(), in_faces.end());
  std::set_difference(moving_.mesh.points.begin(), moving_.mesh.points.end(), in_faces.begin(),
                      in_faces.end(), std::back_inserter(stray));
  return stray;
}

PairJob::Split PairJob::add_lists(FeatureList list) {
  Split split = {none, none};
  const auto add = [&](bool is_static, FeatureList&& part) {
    if (part.size == 0) return;
    split[is_static] = lists_.size();
    lists_.push_back(std::move(part));
  };
  const auto& is_static = options_.filter.is_static;
  if (is_static.empty()) {
    add(false, std::move(list));
    return split;
  }
  std::array<FeatureList, 2> parts = {FeatureList{list.corners, 0, {}},
                                      FeatureList{list.corners, 0, {}}};
  for (std::size_t i = 0; i < list.size; ++i) {
    const Corners c = corners(list.corners, list[i]);
    parts[is_static[c[0]] && is_static[c[1]] && is_static[c[2]]].ids.push_back(list[i]);
  }
  for (const bool side : {false, true}) {
    parts[side].size = parts[side].ids.size();
    add(side, std::move(parts[side]));
  }
  return split;
}

void PairJob::add_match(Kind kind, const Split& a, const Split& b) {
  const auto add = [&](std::size_t list_a, std::size_t list_b) {
    if (list_a != none && list_b != none) matches_.push_back({kind, list_a, list_b});
  };
  add(a[0], b[0]);
  add(a[0], b[1]);
  if (a != b) add(a[1], b[0]);
}

// Returns the given points and the vertices that an edge joins to an end of a rod, ascending.
std::vector<std::uint32_t> PairJob::joined_to_rods(const std::vector<std::uint32_t>& points) const {
  const Mesh& mesh = moving_.mesh;
  std::vector<bool> ends_rod(mesh.vertex_count), wanted(mesh.vertex_count);
  for (const std::uint32_t rod : mesh.rods)
    for (const std::uint32_t vertex : mesh.edges[rod]) ends_rod[vertex] = true;
  for (const auto& [a, b] : mesh.edges) {
    if (ends_rod[a]) wanted[b] = true;
    if (ends_rod[b]) wanted[a] = true;
  }
  for (const std::uint32_t point : points) wanted[point] = true;
  std::vector<std::uint32_t> ids;
  for (std::uint32_t vertex = 0; vertex < mesh.vertex_count; ++vertex)
    if (wanted[vertex]) ids.push_back(vertex);
  return ids;
}

bool PairJob::keeps_all() const {
  return !options_.shared_vertices && meeting_.all() && !options_.filter.admits;
}

bool PairJob::keeps(Kind kind, Pair pair) const {
  if (kind == Kind::edge_face) {
    const std::size_t faces = moving_.mesh.faces.size();
    return meeting_.any(pair.a < faces ? corners(3, pair.a)
                                       : corners(2, static_cast<std::uint32_t>(pair.a - faces)),
                        corners(3, pair.b));
  }
  const auto [count_a, count_b] = corner_counts[static_cast<std::size_t>(kind)];
  const Corners a = corners(count_a, pair.a), b = corners(count_b, pair.b);
  if (kind == Kind::vertex_edge && options_.shared_vertices) {
    if (!contains(moving_.mesh.points, pair.a) && !is_edge(pair.a, b[0]) && !is_edge(pair.a, b[1]))
      return false;
  }
  return meeting_.any(a, b) && (!options_.filter.admits || options_.filter.admits(kind, pair));
}

bool PairJob::is_edge(std::uint32_t a, std::uint32_t b) const {
  const auto& edges = moving_.mesh.edges;
  const Edge edge = {std::min(a, b), std::max(a, b)};
  return std::binary_search(edges.begin(), edges.end(), edge, [](const Edge& x, const Edge& y) {
    return std::pair(x[1], x[0]) < std::pair(y[1], y[0]);
  });
}

}  // namespace graze::broad
