#include "graze/broad/moving/moving_tree.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "graze/broad/moving/moving_tree_kernel.h"
#include "graze/broad/radix_sort.h"
#include "graze/broad/strategies/box_tree.h"
#include "graze/broad/with_threads.h"

namespace graze::broad {
namespace {

using tree::Bounds, tree::MovingPacket, tree::MovingTree, tree::width;

struct Indexed {
  std::uint32_t key, index;
};

// Builds the tree of a list, which has been allocated. Features are sorted by their first corner in
// spatial order.
template <Bounds kind>
void plant(const PairJob& job, const FeatureList& list, const MovingBounds& bounds,
           SearchMemory& memory, MovingTree<kind>& tree) {
  std::span<Indexed> keyed = memory.array<Indexed>(list.size);
  const std::span<Corners> places = memory.array<Corners>(list.size);
  for_ranges(list.size, 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Corners corners = job.corners(list.corners, list[i]);
      for (std::size_t c = 0; c < 3; ++c) places[i][c] = bounds.place(corners[c]);
      keyed[i] = {std::min({places[i][0], places[i][1], places[i][2]}),
                  static_cast<std::uint32_t>(i)};
    }
  });
  keyed = radix_sort(keyed, memory.array<Indexed>(list.size),
                     static_cast<int>(std::bit_width(bounds.order().size())),
                     [](const Indexed& element) { return element.key; });
  const auto *lo = bounds.lo(), *hi = bounds.hi();
  tree.fit([&](MovingPacket<kind>& packet, std::size_t lane, std::size_t i) {
    // Neighbours in space may be far apart in memory.
    __builtin_prefetch(&places[keyed[std::min(i + 32, list.size - 1)].index]);
    for (const std::uint32_t corner : places[keyed[std::min(i + 12, list.size - 1)].index]) {
      __builtin_prefetch(&lo[corner]);
      __builtin_prefetch(&hi[corner]);
    }
    const Corners& corners = places[keyed[i].index];
    tree.id[i / width][lane] = static_cast<std::uint32_t>(i);
    tree.order[i] = list[keyed[i].index];
    MovingBounds::Corner least = lo[corners[0]], most = hi[corners[0]];
    for (std::size_t c = 0; c < list.corners; ++c) {
      tree.corners[c][i / width][lane] = corners[c];
      for (std::size_t k = 0; k < 8; ++k) {
        least[k] = std::min(least[k], lo[corners[c]][k]);
        most[k] = std::max(most[k], hi[corners[c]][k]);
      }
    }
    for (std::size_t k = 0; k < 3; ++k)
      if constexpr (kind == Bounds::swept) {
        packet.lo[k][lane] = std::min(least[k], least[k + 4]);
        packet.hi[k][lane] = std::max(most[k], most[k + 4]);
      } else {
        packet.lo[k][lane] = least[k];
        packet.hi[k][lane] = most[k];
        packet.lo[k + 3][lane] = least[k + 4];
        packet.hi[k + 3][lane] = most[k + 4];
      }
  });
}

// Returns the memory that plant() needs beside the tree.
std::size_t bytes_to_plant(const FeatureList& list) {
  return 2 * SearchMemory::bytes<Indexed>(list.size) + SearchMemory::bytes<Corners>(list.size);
}

// Returns the lists of edges in which crossings are sought, ascending.
std::vector<std::size_t> edges_to_cross(const PairJob& job) {
  std::vector<std::size_t> lists;
  for (const Match& match : job.matches())
    if (match.crossings && match.kind == Kind::edge_edge) {
      lists.push_back(match.a);
      lists.push_back(match.b);
    }
  std::sort(lists.begin(), lists.end());
  lists.erase(std::unique(lists.begin(), lists.end()), lists.end());
  return lists;
}

// Reserves the memory of a search: the bounds, the trees, the wedges. The memory for making the
// bounds is used again for the trees, that for making the trees again for the wedges. On one thread
// the trees are made one after the other, in the same memory.
template <Bounds kind>
void reserve(const PairJob& job, SearchMemory& memory) {
  const auto [of_bounds, to_make] = MovingBounds::bytes(job);
  std::size_t of_trees = 0, to_plant = 0, of_wedges = 0;
  for (const FeatureList& list : job.lists()) {
    of_trees += MovingTree<kind>::bytes(list.size, list.corners);
    const std::size_t bytes = bytes_to_plant(list);
    to_plant = on_one_thread ? std::max(to_plant, bytes) : to_plant + bytes;
  }
  for (const std::size_t list : edges_to_cross(job))
    of_wedges += tree::Wedges::bytes(job.lists()[list].size, job.moving().mesh.vertex_count);
  memory.reserve(of_bounds + std::max(to_make, of_trees + std::max(to_plant, of_wedges)));
}

// Sets the edges of a tree and the faces at them.
template <Bounds kind>
void fill(const std::vector<MovingTree<kind>>& trees, const MovingTree<kind>& edges,
          tree::Wedges& wedges) {
  wedges.set_edges(edges.corners[0].front().data(), edges.corners[1].front().data(), edges.order);
  for (const MovingTree<kind>& tree : trees)
    if (tree.corner_count == 3) tree::add_faces(tree, wedges);
  wedges.sort_further_faces();
}

template <Bounds kind>
void find_with(const PairJob& job, const PairConsumer& consumer) {
  SearchMemory memory;
  reserve<kind>(job, memory);
  const MovingBounds bounds(job, memory);
  std::vector<MovingTree<kind>> trees(job.lists().size());
  for (std::size_t i = 0; i < trees.size(); ++i)
    trees[i].resize(job.lists()[i].size, job.lists()[i].corners, memory);
  {
    const SearchMemory::Scope scope(memory);
    for_indices(trees.size(), [&](std::size_t i) {
      std::optional<SearchMemory::Scope> of_tree;
      if (on_one_thread) of_tree.emplace(memory);
      plant(job, job.lists()[i], bounds, memory, trees[i]);
    });
  }
  const std::vector<std::size_t> crossed = edges_to_cross(job);
  std::vector<tree::Wedges> wedges;
  for (const std::size_t list : crossed)
    wedges.emplace_back(trees[list].size, job.moving().mesh.vertex_count, memory);
  for_indices(wedges.size(), [&](std::size_t i) { fill(trees, trees[crossed[i]], wedges[i]); });
  const auto wedges_of = [&](std::size_t list) -> const tree::Wedges* {
    const auto at = std::find(crossed.begin(), crossed.end(), list);
    return at == crossed.end() ? nullptr : &wedges[static_cast<std::size_t>(at - crossed.begin())];
  };
  constexpr std::size_t grain = 64;
  for (const Match& match : job.matches()) {
    const MovingTree<kind>&a = trees[match.a], &b = trees[match.b];
    const auto find = [&](std::size_t first, std::size_t last, PairBlock& block) {
      PairBlock* const pairs = match.pairs ? &block : nullptr;
      if (!match.crossings) return tree::find(a, b, bounds, first, last, pairs, nullptr);
      PairBlock found(Kind::edge_face, consumer);
      const tree::CrossingSearch crossings{{wedges_of(match.a), wedges_of(match.b)},
                                           wedges,
                                           bounds.points(),
                                           job.moving().mesh.edges,
                                           &job.last_edge(),
                                           found};
      tree::find(a, b, bounds, first, last, pairs, &crossings);
      found.flush();
    };
    for_each_part(job, match.kind, a.levels[0].size(), grain, consumer, find);
  }
}

bool is_finite(std::span<const Vec3> positions) {
  return std::all_of(positions.begin(), positions.end(),
                     [](const Vec3& x) { return x.allFinite(); });
}

}  // namespace

void moving_tree(const PairJob& job, const PairConsumer& consumer) {
  if (job.matches().empty()) return;
  if (!is_finite(job.moving().start) || !is_finite(job.moving().end))
    return box_tree(job, consumer);
  // If features move little compared with their size, swept boxes separate as well and are cheaper.
  if (job.curves()) return find_with<Bounds::at_both_ends>(job, consumer);
  const double motion = job.scale() ? job.scale()->motion : relative_motion(job.moving());
  if (motion * (job.slab().end - job.slab().begin) > 0.5)
    find_with<Bounds::at_both_ends>(job, consumer);
  else
    find_with<Bounds::swept>(job, consumer);
}

}  // namespace graze::broad
