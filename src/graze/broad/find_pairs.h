#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "graze/broad/time_slabs.h"
#include "graze/core/mesh.h"

namespace graze {

class PairJob;  // pair_job.h

// Takes the pairs in blocks. Called by several threads at once where there are several.
using PairConsumer = std::function<void(PairKind, std::span<const Pair>)>;

// Which features may meet. Views: what they refer to outlives the call.
struct PairFilter {
  // Of each vertex: not 0 where it is static. Two features of static vertices alone never meet.
  // Empty: none is.
  std::span<const std::uint8_t> fixed;

  // Of each vertex: its group, such as its body. Features meet where some vertex of one is of a
  // group that meets the group of some vertex of the other. Empty: all are of one group.
  std::span<const std::uint32_t> group;
  // Of groups g and h, at g * n + h, n the number of groups: not 0 where they meet. Symmetric.
  // Empty: all do.
  std::span<const std::uint8_t> meets;
  // Whether a group meets itself, where `meets` lets it.
  bool within_group = true;
};

struct PairOptions {
  double separation = 0;  // length, finite, >= 0: pairs that come within it are pairs
  int threads = 1;        // 0: all cores
  // Also the vertices that an edge joins to a rod, as vertex_edge pairs with that rod.
  bool shared_vertices = false;
  PairFilter filter = {};
};

// One row of the table of strategies. `find` may run its work on as many threads as the arena it is
// called in has; a block it hands over has at most max_pair_block pairs.
struct PairStrategy {
  std::string_view name, reference;
  void (*find)(const PairJob&, const PairConsumer&);
};

inline constexpr std::size_t max_pair_block = 8192;

std::span<const PairStrategy> pair_strategies();

// The fastest for most meshes: box_tree.
const PairStrategy& default_pair_strategy();

// Null when no row has that name.
const PairStrategy* find_pair_strategy(std::string_view name);

// Finds the pairs of features that could come into contact: those that share no vertex, whose swept
// boxes (swept_box of all their corners; closed) overlap, and which the filter lets meet.
//   vertex_face    every vertex with every face
//   edge_edge      every two edges
//   vertex_edge    every point (Mesh::points) with every rod (Mesh::rods). On request also every
//                  vertex joined by an edge to one end of a rod with that rod: two edges a-b, a-c
//                  with a common end have no edge_edge pair; they touch elsewhere only when c meets
//                  a-b or b meets a-c, all in one plane, and where the edge met is a side of a face
//                  a vertex_face pair says so.
//   vertex_vertex  every two points
// Whatever touches first is one of these: what else a mesh has is part of a face or of an edge.
//   (1) The set of pairs depends on the mesh, the positions and the options but `threads` alone:
//       all strategies and numbers of threads give the same, each pair once. The order and the
//       blocks may differ.
//   (2) Every such pair that comes within the separation (in the maximum norm, hence in the
//       Euclidean one) is among them, also in a host that rounds oddly or flushes denormals; so is
//       every pair whose boxes overlap where coordinates that are NaN may be anything.
//   (3) No pair is stored: memory beyond the strategy's own structure is a block per thread.
// What the consumer throws ends the search and is thrown on.
void find_pairs(const PairStrategy& strategy, const MovingMesh& moving, const PairOptions& options,
                const PairConsumer& consumer);

// Finds the pairs that may touch during a slab of time: those of find_pairs() but for those that
// are provably apart. A direction along which one feature lies beyond the other at the begin and at
// the end of the slab keeps them apart at all times between, since every vertex moves on a straight
// line. The axes are asked of boxes around many features, other directions are looked for between
// two, so that far fewer pairs come up than swept boxes overlap.
//   (1) Every pair of features that find_pairs() speaks of and that touches, or comes within the
//       separation, during the slab is among them; each pair once.
//   (2) The set depends on the arguments but `threads` alone.
//   (3) No pair is stored: memory beyond the trees is a block per thread.
// All positions are finite.
void find_meeting_pairs(const MovingMesh& moving, const Slab& slab, const PairOptions& options,
                        const PairConsumer& consumer);

// All pairs of find_pairs(), sorted.
struct Pairs {
  std::vector<Pair> vertex_face, edge_edge, vertex_edge, vertex_vertex;

  std::vector<Pair>& of(PairKind kind) {
    return *std::array{&vertex_face, &edge_edge, &vertex_edge,
                       &vertex_vertex}[static_cast<std::size_t>(kind)];
  }
  bool operator==(const Pairs&) const = default;
};
Pairs collect_pairs(const PairStrategy& strategy, const MovingMesh& moving,
                    const PairOptions& options = {});

// Is shown a motion that was examined and the pairs that were asked of it: sorted, each once.
using MotionObserver = std::function<void(const MovingMesh&, const Pairs&)>;

// Collects the pairs of one motion for an observer, which may be none. The observer outlives it.
class PairLog {
 public:
  explicit PairLog(const MotionObserver& observer) : observer_(observer) {}

  PairConsumer consumer();  // none where nobody observes
  void show(const MovingMesh& moving);

 private:
  const MotionObserver& observer_;
  std::mutex mutex_;
  Pairs pairs_;
};

}  // namespace graze
