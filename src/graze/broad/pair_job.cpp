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
                 SearchMonitor& monitor, Sought sought, const SearchScale* scale,
                 const std::atomic<std::uint32_t>* last_edge, const Curves* curves)
    : moving_(moving),
      slab_(slab),
      options_(options),
      monitor_(monitor),
      scale_(scale),
      last_edge_(last_edge),
      curves_(curves),
      seeks_pairs_(sought != Sought::crossings),
      seeks_crossings_(sought != Sought::pairs && !moving.mesh.faces.empty()),
      meeting_(options.filter) {
  assert(is_sensible(options, moving.mesh));
  if (seeks_pairs_ || seeks_crossings_) add_pairs();
}

void PairJob::add_pairs() {
  const Mesh& mesh = moving_.mesh;
  FeatureList all{1, mesh.vertex_count, {}};
  std::vector<std::uint32_t> points = mesh.points;
  if (!options_.stray_vertices) {
    const std::vector<std::uint32_t> stray = stray_vertices();
    std::erase_if(points, [&](std::uint32_t vertex) { return contains(stray, vertex); });
    if (!stray.empty()) {
      for (std::uint32_t vertex = 0; vertex < mesh.vertex_count; ++vertex)
        if (!contains(stray, vertex)) all.ids.push_back(vertex);
      all.size = all.ids.size();
    }
  }
  const Split faces = add_lists({3, mesh.faces.size(), {}});
  if (!mesh.faces.empty()) add_match(Kind::vertex_face, add_lists(std::move(all)), faces);
  const Split edges = add_lists({2, mesh.edges.size(), {}});
  add_match(Kind::edge_edge, edges, edges);
  if (seeks_crossings_ && !options_.filter.is_static.empty()) add_static_crossings(faces, edges);
  if (seeks_pairs_) add_rods_and_points(points);
}

// An edge with one static end may pierce a static face, and a static edge a face with a static
// side. Such crossings may show only in pairs of features that are both static (crossing-inl.h).
void PairJob::add_static_crossings(const Split& faces, const Split& edges) {
  const Mesh& mesh = moving_.mesh;
  const auto is_static = [&](std::uint32_t vertex) {
    return options_.filter.is_static[vertex] != 0;
  };
  std::vector<bool> is_border(mesh.vertex_count);
  for (const auto& [a, b] : mesh.edges)
    if (is_static(a) != is_static(b)) is_border[is_static(a) ? a : b] = true;
  FeatureList vertices{1, 0, {}}, sides{2, 0, {}};
  for (std::uint32_t vertex = 0; vertex < mesh.vertex_count; ++vertex)
    if (is_border[vertex]) vertices.ids.push_back(vertex);
  std::vector<Edge> of_faces;
  for (const Face& face : mesh.faces)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = face[k], b = face[(k + 1) % 3];
      if (a != b && is_static(a) && is_static(b) && !is_static(face[(k + 2) % 3]))
        of_faces.push_back({a, b});
    }
  sides.ids = edge_indices(mesh, of_faces);
  std::sort(sides.ids.begin(), sides.ids.end());
  sides.ids.erase(std::unique(sides.ids.begin(), sides.ids.end()), sides.ids.end());
  const auto add = [&](Kind kind, FeatureList&& list, std::size_t other) {
    list.size = list.ids.size();
    if (list.size == 0 || other == none) return;
    matches_.push_back({kind, lists_.size(), other, false, true});
    lists_.push_back(std::move(list));
  };
  add(Kind::vertex_face, std::move(vertices), faces[1]);
  add(Kind::edge_edge, std::move(sides), edges[1]);
}

void PairJob::add_rods_and_points(const std::vector<std::uint32_t>& points) {
  const Mesh& mesh = moving_.mesh;
  const Split point_lists =
      points.empty() ? Split{none, none} : add_lists({1, points.size(), points});
  add_match(Kind::vertex_vertex, point_lists, point_lists);
  if (mesh.rods.empty() || (points.empty() && !options_.shared_vertices)) return;
  Split vertices = point_lists;
  if (options_.shared_vertices) {
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
  const bool crossings = seeks_crossings_ && (kind == Kind::vertex_face || kind == Kind::edge_edge);
  const auto add = [&](std::size_t list_a, std::size_t list_b) {
    if (list_a != none && list_b != none)
      matches_.push_back({kind, list_a, list_b, seeks_pairs_, crossings});
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
  if (kind == Kind::edge_face) return meeting_.any(corners(2, pair.a), corners(3, pair.b));
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
