#include "graze/broad/slab_pairs.h"

#include <vector>

#include "graze/broad/pair_job.h"
#include "graze/broad/search_monitor.h"
#include "graze/broad/with_threads.h"

namespace graze::broad {

PairStatus find_pairs(const MovingMesh& moving, const Slab& slab, const PairConsumer& consumer,
                      const PairOptions& options, const Run& run, const PairStrategy& strategy,
                      Sought sought, const SearchScale* scale,
                      const std::atomic<std::uint32_t>* last_edge, const Curves* curves) {
  const std::size_t vertices = moving.mesh.vertex_count;
  if (moving.start.size() != vertices || moving.end.size() != vertices ||
      !is_sensible(options, moving.mesh))
    return PairStatus::invalid;
  const std::size_t features = vertices + moving.mesh.edges.size() + moving.mesh.faces.size();
  SearchMonitor monitor(run);
  try {
    with_threads(threads_for(features, run.threads), [&] {
      monitor.poll();
      const PairJob job(moving, slab, options, monitor, sought, scale, last_edge, curves);
      if (job.keeps_all())
        return strategy.find(job, [&](Kind kind, std::span<const Pair> block) {
          monitor.poll();
          consumer(kind, block);
        });
      strategy.find(job, [&](Kind kind, std::span<const Pair> block) {
        monitor.poll();
        std::vector<Pair> kept;
        kept.reserve(block.size());
        for (const Pair& pair : block)
          if (job.keeps(kind, pair)) kept.push_back(pair);
        if (!kept.empty()) consumer(kind, kept);
      });
    });
  } catch (const SearchMonitor::Stopped&) {
    return PairStatus::stopped;
  }
  return PairStatus::complete;
}

}  // namespace graze::broad
