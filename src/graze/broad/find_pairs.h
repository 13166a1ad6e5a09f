#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "graze/core/mesh.h"

namespace graze {

// Takes the pairs in blocks. Called by several threads at once where there are several.
using PairConsumer = std::function<void(PairKind, std::span<const Pair>)>;

struct PairOptions {
  double separation = 0;  // length, finite, >= 0: pairs that come within it are pairs
  int threads = 1;        // 0: all cores
};

// One row of the table of strategies. `find` may run its work on as many threads as the arena it is
// called in has; a block it hands over has at most max_pair_block pairs.
struct PairStrategy {
  std::string_view name, reference;
  void (*find)(const MovingMesh&, double separation, const PairConsumer&);
};

inline constexpr std::size_t max_pair_block = 8192;

std::span<const PairStrategy> pair_strategies();

// Null when no row has that name.
const PairStrategy* find_pair_strategy(std::string_view name);

// Finds the vertex-face and edge-edge pairs that could come into contact: those that share no
// vertex and whose swept boxes (swept_box of all their corners; closed) overlap.
//   (1) The set of pairs depends on the mesh, the positions and the separation alone: all
//       strategies and numbers of threads give the same, each pair once. The order and the blocks
//       may differ.
//   (2) Every pair that comes within the separation (in the maximum norm, hence in the Euclidean
//       one) is among them, also in a host that rounds oddly or flushes denormals; so is every pair
//       whose boxes overlap where coordinates that are NaN may be anything.
//   (3) No pair is stored: memory beyond the strategy's own structure is a block per thread.
// What the consumer throws ends the search and is thrown on.
void find_pairs(const PairStrategy& strategy, const MovingMesh& moving, const PairOptions& options,
                const PairConsumer& consumer);

// All of them, sorted.
struct Pairs {
  std::vector<Pair> vertex_face, edge_edge;
};
Pairs collect_pairs(const PairStrategy& strategy, const MovingMesh& moving,
                    const PairOptions& options = {});

}  // namespace graze
