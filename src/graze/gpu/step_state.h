#pragma once

#include <memory>
#include <vector>

#include "graze/gpu/mesh_search.h"

namespace graze::gpu {

// The work of StepSearch, in one of three ways. Impacts of the default method are found on the
// device, and the host finishes queries that need integers. For all other questions (a separation,
// StartContacts::skip, callbacks, other exact methods) the device finds the candidates, and the
// functions of graze/step.h finish them on the host. Where the memory is not enough, both are done
// for parts of the mesh, one after the other.
struct StepSearch::State {
  State(Mesh mesh_of_search, const Settings& settings);

  // Find impacts, for valid options and as many positions as vertices. A position that is not
  // finite gives the verdict `invalid` or FoundImpacts::finite = false.
  Outcome earliest(const StepPositions& positions, const StepOptions& options,
                   const RunOptions& run, FirstImpact& first);
  Outcome all(const StepPositions& positions, const StepOptions& options, const RunOptions& run,
              bool to_host, FoundImpacts& found);
  // Finds the pairs of collect_pairs() with these options and PairSet::overlapping, sorted.
  Outcome overlapping(const StepPositions& positions, const PairOptions& options,
                      const RunOptions& run, Pairs& pairs);
  // Makes the spatial order anew, and tries the whole mesh again.
  void renew();

  Mesh mesh;
  EngineSettings engine_settings;
  Outcome outcome;
  std::unique_ptr<MeshSearch> whole;  // null while the mesh is searched in parts

 private:
  struct HostPositions {
    std::vector<Vec3> start_copy, end_copy;
    std::span<const Vec3> start, end;
  };
  Outcome to_host(const StepPositions& positions, const RunOptions& run, HostPositions& copy) const;
  bool needs_candidates(const StepOptions& options) const;
  template <class Reset, class Work>
  Outcome in_parts(const HostPositions& host, const StepOptions& options, const RunOptions& run,
                   Reset&& reset, Work&& work);
  template <class Work>
  Outcome try_parts(const MovingMesh& moving, const StepOptions& options, const RunOptions& run,
                    Work&& work);
  Outcome first_of_candidates(const StepPositions& positions, const StepOptions& options,
                              const RunOptions& run, FirstImpact& first);
  Outcome find_pairs(PairSet set, const broad::Slab& slab, const StepPositions& positions,
                     const StepOptions& options, const RunOptions& run, Pairs& pairs,
                     std::vector<StepImpact>* pierced);
  void apply_rest_of_filter(const PairOptions& options, Pairs& pairs,
                            std::vector<StepImpact>* pierced) const;
  std::vector<Pair> shared_vertex_pairs() const;

  std::size_t groups_ = 0;        // of the parts of the last step in parts
  std::vector<StepImpact> kept_;  // the impacts that FoundImpacts views
};

}  // namespace graze::gpu
