#include "graze/broad/find_pairs.h"

#include <tbb/parallel_sort.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

#include "graze/broad/axial_bsp.h"
#include "graze/broad/box_tree.h"
#include "graze/broad/brute_force.h"
#include "graze/broad/hash_grid.h"
#include "graze/broad/moving_tree.h"
#include "graze/broad/sweep_and_prune.h"
#include "graze/broad/with_threads.h"

namespace graze {
namespace {

constexpr auto table = std::to_array<PairStrategy>({
    {"brute_force", "every pair of boxes is compared", brute_force},
    {"sweep_and_prune", "[Baraff 1992]", sweep_and_prune},
    {"hash_grid", "[Wang 2021] 7", hash_grid},
    {"box_tree", "[Lauterbach 2009]", box_tree},
    {"axial_bsp", "[van Waveren 2005] 5", axial_bsp},
});

// find_of(job, consumer) finds the pairs of the job, of which the consumer gets those it keeps.
template <class Find>
void find(const MovingMesh& moving, const PairOptions& options, const PairConsumer& consumer,
          Find&& find_of) {
  with_threads(options.threads, [&] {
    const PairJob job(moving, options);
    if (job.keeps_all()) return find_of(job, consumer);
    find_of(job, [&](PairKind kind, std::span<const Pair> block) {
      std::vector<Pair> kept;
      kept.reserve(block.size());
      for (const Pair& pair : block)
        if (job.keep(kind, pair)) kept.push_back(pair);
      if (!kept.empty()) consumer(kind, kept);
    });
  });
}

}  // namespace

std::span<const PairStrategy> pair_strategies() {
  return table;
}

const PairStrategy& default_pair_strategy() {
  return *find_pair_strategy("box_tree");
}

const PairStrategy* find_pair_strategy(std::string_view name) {
  for (const PairStrategy& strategy : table)
    if (strategy.name == name) return &strategy;
  return nullptr;
}

void find_pairs(const PairStrategy& strategy, const MovingMesh& moving, const PairOptions& options,
                const PairConsumer& consumer) {
  find(moving, options, consumer, strategy.find);
}

void find_meeting_pairs(const MovingMesh& moving, const Slab& slab, const PairOptions& options,
                        const PairConsumer& consumer) {
  find(moving, options, consumer,
       [&](const PairJob& job, const PairConsumer& wanted) { moving_tree(job, slab, wanted); });
}

Pairs collect_pairs(const PairStrategy& strategy, const MovingMesh& moving,
                    const PairOptions& options) {
  Pairs pairs;
  std::mutex mutex;
  with_threads(options.threads, [&] {
    find_pairs(strategy, moving, options, [&](PairKind kind, std::span<const Pair> block) {
      const std::lock_guard lock(mutex);
      pairs.of(kind).insert(pairs.of(kind).end(), block.begin(), block.end());
    });
    for (std::size_t kind = 0; kind < pair_kinds; ++kind) {
      auto& list = pairs.of(static_cast<PairKind>(kind));
      tbb::parallel_sort(list.begin(), list.end());
    }
  });
  return pairs;
}

PairConsumer PairLog::consumer() {
  if (!observer_) return {};
  return [this](PairKind kind, std::span<const Pair> block) {
    const std::lock_guard lock(mutex_);
    pairs_.of(kind).insert(pairs_.of(kind).end(), block.begin(), block.end());
  };
}

void PairLog::show(const MovingMesh& moving) {
  if (!observer_) return;
  for (std::size_t kind = 0; kind < pair_kinds; ++kind) {
    auto& list = pairs_.of(static_cast<PairKind>(kind));
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  observer_(moving, std::exchange(pairs_, {}));
}

}  // namespace graze
