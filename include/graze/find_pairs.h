#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "graze/mesh.h"
#include "graze/options.h"

namespace graze::broad {
class PairJob;  // private
}

namespace graze {

// Receives pairs in blocks of at most max_pair_block. A search on several threads calls it from
// several threads at the same time.
using PairConsumer = std::function<void(Kind, std::span<const Pair>)>;

// The largest number of pairs in a block.
inline constexpr std::size_t max_pair_block = 8192;

// The categories of a vertex, one bit each, and the categories that it meets.
struct CategoryMask {
  std::uint32_t categories = 1, meets = ~std::uint32_t{0};
  bool operator==(const CategoryMask&) const = default;
};

// Two groups of vertices, a and b, in any order. They may be equal.
struct GroupPair {
  std::uint32_t a, b;
  bool operator==(const GroupPair&) const = default;
};

// The meaning of a list of pairs of groups.
enum class ListedPairs : std::uint8_t {
  ignored,  // these pairs do not meet
  only      // no other pairs meet
};

// The conditions for a pair of features. The spans are views and must outlive the call.
//
// Two vertices meet if `meets`, within_group, `masks` and `group_pairs` all admit them. Two
// features form a pair if some vertex of one meets some vertex of the other, not all of their
// vertices are static, and the callback admits the pair.
struct PairFilter {
  // One element per vertex, nonzero for a static vertex. Two features whose vertices are all static
  // form no pair. Empty: no vertex is static.
  std::span<const std::uint8_t> is_static = {};

  // One element per vertex: its group, for example its body. Empty: all vertices are in group 0.
  std::span<const std::uint32_t> group = {};
  // An n x n symmetric matrix for n groups: element g * n + h is nonzero if groups g and h meet.
  // Every group is below n. Empty: all groups meet.
  std::span<const std::uint8_t> meets = {};
  // If false, no group meets itself, even if `meets` admits it.
  bool within_group = true;

  // One element per vertex. Vertices p and q meet if masks[p].meets has a bit of
  // masks[q].categories and masks[q].meets has a bit of masks[p].categories. Empty: all meet.
  std::span<const CategoryMask> masks = {};

  // Pairs of groups that do not meet, or the only ones that do. A pair may be listed more than
  // once. A group may be one that no vertex is in.
  std::span<const GroupPair> group_pairs = {};
  ListedPairs listed = ListedPairs::ignored;  // the meaning of group_pairs

  // A test that the other fields cannot express. If set, it is called with every pair that they
  // admit and whose features come close, and the pair is left out where it returns false. With
  // Kind::edge_face the pair is an edge and a face that it pierces at the start (graze/step.h).
  // Several threads may call it at the same time, with the same pair more than once, in any order.
  // Precondition: the result depends on the arguments alone during the call (and during the life
  // of an object that keeps the filter). An exception ends the search and is rethrown to the caller
  // of any function that takes a filter; all memory is released, and objects that keep state answer
  // later calls correctly.
  std::function<bool(Kind, const Pair&)> admits = {};
};

// Options of find_pairs().
struct PairOptions {
  double separation = 0;  // length, finite, >= 0: features that come this close are pairs
  // If true, every vertex that an edge joins to an end of a rod also forms a vertex-edge pair with
  // that rod.
  bool shared_vertices = false;
  // If false, a vertex of no face and no edge forms no pair, for example an inner vertex of a solid
  // whose surface is the mesh.
  bool stray_vertices = true;
  PairFilter filter = {};
};

// Returns whether the options fit a mesh: a separation that is finite and not negative, filters
// with one element per vertex or none, and a square `meets` that contains every group of a vertex.
bool is_sensible(const PairOptions& options, const Mesh& mesh);

// The set of pairs that a strategy reports.
enum class PairSet : std::uint8_t {
  overlapping,  // all pairs whose swept boxes overlap
  // Of these, the pairs that are not proven to stay apart. A direction along which one feature lies
  // beyond the other at the start and at the end keeps the two apart at all times between, since
  // every vertex moves on a straight line. The strategy tests axes for groups of features and a
  // few other directions for each pair. If a coordinate is NaN or infinite: all overlapping pairs.
  meeting
};

// One row of the table of strategies: its name, the reference of its algorithm, and the set of
// pairs that it reports.
struct PairStrategy {
  std::string_view name, reference;
  PairSet set;
  void (*find)(const broad::PairJob&, const PairConsumer&);  // called by find_pairs()
  // Whether a step finds the edges that pierce faces at its start (StepOptions::start_check) by the
  // same search.
  bool finds_crossings = false;
};

// The table of strategies.
std::span<const PairStrategy> pair_strategies();

// Returns the fastest strategy for most meshes that reports this set.
const PairStrategy& default_pair_strategy(PairSet set = PairSet::overlapping);

// Returns the row of that name, or null.
const PairStrategy* find_pair_strategy(std::string_view name);

// The outcome of a search for pairs.
enum class PairStatus : std::uint8_t {
  complete,
  stopped,  // by run.stop: pairs may be missing
  // The number of positions differs from the number of vertices, or the options do not fit the mesh
  // (is_sensible). No pair is reported.
  invalid
};

// Finds the pairs of features that could come into contact during a step: those that share no
// vertex, whose swept boxes (the box around the swept_box() of all corners; closed) overlap, and
// that the filter admits.
//   vertex_face    every vertex with every face
//   edge_edge      every two edges
//   vertex_edge    every point (Mesh::points) with every rod (Mesh::rods). With shared_vertices
//                  also every vertex that an edge joins to one end of a rod, with that rod: two
//                  edges a-b and a-c with a common end form no edge_edge pair. They touch elsewhere
//                  only if c meets a-b or b meets a-c in a common plane; if the edge that is met is
//                  a side of a face, a vertex_face pair covers this case.
//   vertex_vertex  every two points
// The first contact of a mesh is a contact of one of these pairs, because every other feature is
// part of a face or of an edge.
//
//   (1) The set of pairs depends on the mesh, the positions, the options and strategy.set alone;
//       each pair is reported once. Order and blocks may differ between strategies and runs.
//   (2) Every such pair that comes within the separation (in the maximum norm, hence also in the
//       Euclidean norm) is reported, also if the calling program has set another rounding mode or
//       flushes denormals. A NaN coordinate stands for any value.
//   (3) No pair is stored: memory beyond the strategy's own structures is one block per thread.
// Exceptions of the consumer end the search and are rethrown.
PairStatus find_pairs(const MovingMesh& moving, const PairConsumer& consumer,
                      const PairOptions& options = {}, const Run& run = {},
                      const PairStrategy& strategy = default_pair_strategy());

// The pairs of a step by kind, each list sorted, and how the search ended (status).
struct Pairs {
  std::vector<Pair> vertex_face, edge_edge, vertex_edge, vertex_vertex;
  PairStatus status = PairStatus::complete;

  // Returns the list of a kind. Precondition: kind is not edge_face, which is no kind of pair.
  std::vector<Pair>& of(Kind kind) {
    return *std::array{&vertex_face, &edge_edge, &vertex_edge,
                       &vertex_vertex}[static_cast<std::size_t>(kind)];
  }
  bool operator==(const Pairs&) const = default;
};

// Returns all pairs of find_pairs(). Memory: 8 bytes per pair.
Pairs collect_pairs(const MovingMesh& moving, const PairOptions& options = {}, const Run& run = {},
                    const PairStrategy& strategy = default_pair_strategy());

// Receives a motion that a search examined and the pairs that it tested, sorted, each once.
using MotionObserver = std::function<void(const MovingMesh&, const Pairs&)>;

}  // namespace graze
