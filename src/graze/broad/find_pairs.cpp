#include "graze/find_pairs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>

#include "graze/broad/moving/moving_tree.h"
#include "graze/broad/slab_pairs.h"
#include "graze/broad/strategies/axial_bsp.h"
#include "graze/broad/strategies/box_tree.h"
#include "graze/broad/strategies/brute_force.h"
#include "graze/broad/strategies/hash_grid.h"
#include "graze/broad/strategies/sweep_and_prune.h"
#include "graze/broad/with_threads.h"

namespace graze {
namespace {

constexpr auto table = std::to_array<PairStrategy>({
    {"brute_force", "every pair of boxes is compared", PairSet::overlapping, broad::brute_force},
    {"sweep_and_prune", "[Baraff 1992]", PairSet::overlapping, broad::sweep_and_prune},
    {"hash_grid", "[Wang 2021] 7", PairSet::overlapping, broad::hash_grid},
    {"box_tree", "[Lauterbach 2009]", PairSet::overlapping, broad::box_tree},
    {"axial_bsp", "[van Waveren 2005] 5", PairSet::overlapping, broad::axial_bsp},
    {"moving_tree", "docs/broad.md", PairSet::meeting, broad::moving_tree, true},
});

}  // namespace

bool is_sensible(const PairOptions& options, const Mesh& mesh) {
  const PairFilter& filter = options.filter;
  const auto fits = [&](const auto& span) {
    return span.empty() || span.size() == mesh.vertex_count;
  };
  const auto groups =
      static_cast<std::size_t>(std::sqrt(static_cast<double>(filter.meets.size())) + 0.5);
  const auto known = [&](std::uint32_t group) { return group < groups; };
  return options.separation >= 0 && std::isfinite(options.separation) && fits(filter.is_static) &&
         fits(filter.group) && fits(filter.masks) &&
         (filter.listed == ListedPairs::ignored || filter.listed == ListedPairs::only) &&
         groups * groups == filter.meets.size() &&
         (groups == 0 || std::all_of(filter.group.begin(), filter.group.end(), known));
}

std::span<const PairStrategy> pair_strategies() {
  return table;
}

const PairStrategy& default_pair_strategy(PairSet set) {
  return *find_pair_strategy(set == PairSet::meeting ? "moving_tree" : "box_tree");
}

const PairStrategy* find_pair_strategy(std::string_view name) {
  for (const PairStrategy& strategy : table)
    if (strategy.name == name) return &strategy;
  return nullptr;
}

PairStatus find_pairs(const MovingMesh& moving, const PairConsumer& consumer,
                      const PairOptions& options, const Run& run, const PairStrategy& strategy) {
  return broad::find_pairs(moving, {0, 1}, consumer, options, run, strategy);
}

Pairs collect_pairs(const MovingMesh& moving, const PairOptions& options, const Run& run,
                    const PairStrategy& strategy) {
  Pairs pairs;
  std::mutex mutex;
  const PairConsumer collect = [&](Kind kind, std::span<const Pair> block) {
    const std::lock_guard lock(mutex);
    pairs.of(kind).insert(pairs.of(kind).end(), block.begin(), block.end());
  };
  pairs.status = find_pairs(moving, collect, options, run, strategy);
  // A stopped call ends without sorting the pairs so far, of which there may be many millions.
  if (pairs.status != PairStatus::complete) return {{}, {}, {}, {}, pairs.status};
  std::size_t count = 0;
  for (std::size_t kind = 0; kind < kind_count; ++kind)
    count += pairs.of(static_cast<Kind>(kind)).size();
  broad::with_threads(broad::threads_for(count, run.threads), [&] {
    for (std::size_t kind = 0; kind < kind_count; ++kind) {
      auto& list = pairs.of(static_cast<Kind>(kind));
      broad::sort_in_parallel(list.begin(), list.end());
    }
  });
  return pairs;
}

}  // namespace graze
