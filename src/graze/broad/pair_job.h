#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "graze/aabb.h"
#include "graze/broad/meeting_vertices.h"
#include "graze/broad/moving/search_scale.h"
#include "graze/broad/moving/time_slabs.h"
#include "graze/broad/search_monitor.h"
#include "graze/find_pairs.h"

namespace graze::broad {

// Three vertices; for an edge or a vertex the last one is repeated.
using Corners = std::array<std::uint32_t, 3>;

inline bool share_vertex(const Corners& a, const Corners& b) {
  for (const std::uint32_t vertex : a)
    if (vertex == b[0] || vertex == b[1] || vertex == b[2]) return true;
  return false;
}

// Some of the mesh's vertices (1 corner), edges (2 corners) or faces (3 corners).
struct FeatureList {
  std::size_t corners = 1, size = 0;
  std::vector<std::uint32_t> ids;  // empty: all features of this kind

  std::uint32_t operator[](std::size_t i) const {
    return ids.empty() ? static_cast<std::uint32_t>(i) : ids[i];
  }
};

// Two lists whose features are compared, all of one with all of the other. If a == b: every two
// features of the list, once.
struct Match {
  Kind kind;
  std::size_t a, b;       // indices into PairJob::lists()
  bool pairs, crossings;  // what is sought; crossings only with vertex_face and edge_edge
};

// The results of a search: pairs of features that may meet during the slab; crossings: pairs of an
// edge and a face that it may pierce at the start of the step.
enum class Sought : std::uint8_t { pairs, crossings, both };

// The input of a strategy. For every match, a strategy finds the pairs whose boxes overlap and that
// share no vertex. Static features are in lists of their own that are not matched with each other.
// The rest of the filter is applied afterwards to the pairs that the strategy found (keeps).
class PairJob {
 public:
  // Keeps the views of its arguments, a reference to the monitor and the scale and the curves, if
  // there are such.
  // Precondition: as many positions as vertices, and is_sensible(options, moving.mesh). Crossings
  // are for moving_tree() alone. With curves the slab is the whole step, and all are finite.
  PairJob(const MovingMesh& moving, const Slab& slab, const PairOptions& options,
          SearchMonitor& monitor, Sought sought = Sought::pairs, const SearchScale* scale = nullptr,
          const std::atomic<std::uint32_t>* last_edge = nullptr, const Curves* curves = nullptr);

  const MovingMesh& moving() const { return moving_; }
  const Slab& slab() const { return slab_; }
  // The scale to use instead of that of the mesh; null: that of the mesh.
  const SearchScale* scale() const { return scale_; }
  // The curves on which the vertices move; null: straight motion.
  const Curves* curves() const { return curves_; }
  bool seeks_crossings() const { return seeks_crossings_; }
  // Crossings of edges after this one are not needed. May decrease during the search.
  const std::atomic<std::uint32_t>& last_edge() const {
    return last_edge_ ? *last_edge_ : any_edge;
  }
  double separation() const { return options_.separation; }
  const std::vector<FeatureList>& lists() const { return lists_; }  // none is empty
  const std::vector<Match>& matches() const { return matches_; }

  // The boxes that the vertices sweep during the slab, widened for the separation.
  SlabBoxes boxes() const { return {moving_, slab_, options_.separation, curves_}; }

  // Returns the corners of the feature `id` of a list with that number of corners.
  Corners corners(std::size_t corner_count, std::uint32_t id) const {
    const Mesh& mesh = moving_.mesh;
    if (corner_count == 3) return mesh.faces[id];
    if (corner_count == 1) return {id, id, id};
    return {mesh.edges[id][0], mesh.edges[id][1], mesh.edges[id][1]};
  }

  // Returns whether keeps() is true for all pairs.
  bool keeps_all() const;
  // Returns whether the filter admits a pair that a strategy found. The callback is not called for
  // crossings.
  bool keeps(Kind kind, Pair pair) const;

  // Surround each part of the work on a match. begin_part() throws SearchMonitor::Stopped if the
  // stop flag is set. end_part() reports a finished fraction of the match.
  void begin_part() const { monitor_.poll(); }
  void end_part(double fraction) const {
    monitor_.add(fraction / static_cast<double>(matches_.size()));
  }

 private:
  // The moving and the static part of a list, as indices into lists_ or `none`.
  using Split = std::array<std::size_t, 2>;
  static constexpr std::size_t none = std::size_t(-1);

  static inline const std::atomic<std::uint32_t> any_edge =
      std::numeric_limits<std::uint32_t>::max();

  void add_pairs();
  void add_rods_and_points(const std::vector<std::uint32_t>& points);
  void add_static_crossings(const Split& faces, const Split& edges);
  Split add_lists(FeatureList list);
  void add_match(Kind kind, const Split& a, const Split& b);
  std::vector<std::uint32_t> joined_to_rods(const std::vector<std::uint32_t>& points) const;
  std::vector<std::uint32_t> stray_vertices() const;
  bool is_edge(std::uint32_t a, std::uint32_t b) const;

  MovingMesh moving_;
  Slab slab_;
  PairOptions options_;
  SearchMonitor& monitor_;
  const SearchScale* scale_;
  const std::atomic<std::uint32_t>* last_edge_;
  const Curves* curves_;
  bool seeks_pairs_, seeks_crossings_;
  MeetingVertices meeting_;
  std::vector<FeatureList> lists_;
  std::vector<Match> matches_;
};

}  // namespace graze::broad
