#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "graze/broad/find_pairs.h"
#include "graze/core/aabb.h"

namespace graze {

// Three vertices; of an edge or a vertex the last is repeated.
using Corners = std::array<std::uint32_t, 3>;

inline bool share_vertex(const Corners& a, const Corners& b) {
  for (const std::uint32_t vertex : a)
    if (vertex == b[0] || vertex == b[1] || vertex == b[2]) return true;
  return false;
}

// Some of the mesh's vertices (1 corner), edges (2) or faces (3).
struct FeatureList {
  std::size_t corners = 1, size = 0;
  std::vector<std::uint32_t> ids;  // empty: all of them

  std::uint32_t operator[](std::size_t i) const {
    return ids.empty() ? static_cast<std::uint32_t>(i) : ids[i];
  }
};

// Compares two lists: all of one with all of the other. a == b: every two of the list, once.
struct Match {
  PairKind kind;
  std::size_t a, b;  // in PairJob::lists()
};

// What a strategy has to do: find, for every match, the pairs whose boxes overlap and that share no
// vertex. Static features are in lists of their own, which meet no static one, so no strategy need
// know of them; the rest of the filter is applied to the pairs found, by `keep`.
class PairJob {
 public:
  // Keeps the options' views.
  PairJob(const MovingMesh& moving, const PairOptions& options);

  const MovingMesh& moving() const { return moving_; }
  double separation() const { return options_.separation; }
  const std::vector<FeatureList>& lists() const { return lists_; }  // none is empty
  const std::vector<Match>& matches() const { return matches_; }

  // Of the feature `id` of a list with so many corners.
  Corners corners(std::size_t corner_count, std::uint32_t id) const {
    const Mesh& mesh = moving_.mesh;
    if (corner_count == 3) return mesh.faces[id];
    if (corner_count == 1) return {id, id, id};
    return {mesh.edges[id][0], mesh.edges[id][1], mesh.edges[id][1]};
  }
  Aabb vertex_box(std::uint32_t vertex) const {
    return swept_box(moving_.start[vertex], moving_.end[vertex], options_.separation);
  }

  // Whether all pairs found are wanted, and whether this one is.
  bool keeps_all() const;
  bool keep(PairKind kind, Pair pair) const;

 private:
  // The moving ones and the fixed ones, as indices into lists_ or `none`.
  using Split = std::array<std::size_t, 2>;
  static constexpr std::size_t none = std::size_t(-1);

  Split add_lists(FeatureList list);
  void add_match(PairKind kind, const Split& a, const Split& b);
  std::vector<std::uint32_t> points_and_neighbours_of_rods() const;
  bool groups_meet(const Corners& a, const Corners& b) const;
  bool is_edge(std::uint32_t a, std::uint32_t b) const;

  MovingMesh moving_;
  PairOptions options_;
  std::vector<FeatureList> lists_;
  std::vector<Match> matches_;
};

}  // namespace graze
