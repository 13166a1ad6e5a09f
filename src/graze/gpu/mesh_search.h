#pragma once

#include <memory>
#include <span>
#include <vector>

#include "graze/broad/moving/time_slabs.h"
#include "graze/gpu.h"
#include "graze/gpu/engine.h"
#include "graze/gpu/helper_threads.h"
#include "graze/step.h"

namespace graze::gpu {

Outcome outcome_of(const Fault& fault);

// The positions of a step, on the host or on the device.
struct StepPositions {
  std::span<const Vec3> start, end;  // on the host; empty if on the device
  DevicePositions device_start, device_end;
  bool on_device = false;

  static StepPositions on_host(const Positions& start, const Positions& end) {
    return {start.rows(), end.rows(), {}, {}, false};
  }
  static StepPositions of_device(const DevicePositions& start, const DevicePositions& end) {
    return {{}, {}, start, end, true};
  }
  bool fit(std::size_t vertices) const {
    return on_device ? device_start.count == vertices && device_end.count == vertices
                     : start.size() == vertices && end.size() == vertices;
  }
};

// All impacts of a step, sorted: on the device alone (`impacts` is empty), or on the host.
struct FoundImpacts {
  bool finite = true;  // false: a position is NaN or infinite, and nothing else is set
  std::uint64_t count = 0;
  double toi = Impact::inf;             // of the first impact
  std::span<const StepImpact> impacts;  // owned by the search, valid until its next call
  StepWork work;
};

// Searches steps of one mesh with one engine. The mesh must outlive the object. Positions and
// options are valid (graze/step.h), but for positions that are not finite. Callbacks of the filter,
// StepOptions::method, at_start and observer are not read: the device finds pairs, or impacts of
// the exact method with StartContacts::report.
class MeshSearch {
 public:
  MeshSearch(const Mesh& mesh, const EngineSettings& settings);

  const Outcome& outcome() const { return outcome_; }  // whether the object can answer
  std::size_t memory() const { return engine_ ? engine_->memory() : 0; }
  Engine& engine() { return *engine_; }
  void renew_order() { renew_ = true; }

  // Sets the step of the calls below. Views of the arguments are kept.
  Outcome begin(const StepPositions& positions, const StepOptions& options, const RunOptions& run);

  // Finds the first impact; `invalid` if a position is not finite.
  Outcome earliest(FirstImpact& first);
  // Finds all impacts. If `slabs` is empty, the slabs are those of graze::all_impacts() for this
  // mesh: the number of checks of an impact depends on them.
  Outcome all(bool to_host, std::span<const broad::Slab> slabs, FoundImpacts& found);
  // Finds the pairs of a set that the filter admits without its callback, in any order: for
  // PairSet::overlapping exactly those whose swept boxes overlap during [0, 1]; for
  // PairSet::meeting all that come within the separation during the slab, and perhaps more. The
  // options stray_vertices and shared_vertices are not read. Sets `pierced`, if it is not null, to
  // all edges that pierce faces at the start, sorted.
  Outcome pairs(PairSet set, const broad::Slab& slab, Pairs& pairs,
                std::vector<StepImpact>* pierced);

  // Returns the end of the slab that begins at `begin_time` in the search for the first impact. Any
  // end gives the same answer. `length`: of this slab and then of the next one, in units of the
  // time in which features move by their own size.
  static constexpr double first_length = 0.125;
  double slab_end(double begin_time, double t_max, double& length) const;

 private:
  Outcome search(double begin_time, double end_time, Wanted wanted, SlabAnswer& answer,
                 bool to_host = false, AnswerOpen answer_open = {});
  Outcome set_filter();
  Kind kind_and_pair(std::uint32_t kind, Pair& pair) const;
  void answer_on_host(std::span<const OpenQuery> open, double latest, double t_max,
                      bool of_whole_step, std::vector<StepImpact>& found) const;
  void pierced(SlabAnswer& slab, std::size_t most, std::vector<StepImpact>& found);
  void keep_free_end();
  bool is_one_slab() const;
  Outcome slabs_of_all(std::vector<broad::Slab>& slabs);
  Outcome finish_all(bool to_host, std::span<const broad::Slab> given, SlabAnswer& slab,
                     FoundImpacts& all);
  void merge(std::span<const StepImpact> sorted, const std::vector<StepImpact>& extra);
  Outcome fetch(std::uint64_t count, std::span<const StepImpact>& impacts);

  const Mesh& mesh_;
  Outcome outcome_;
  std::unique_ptr<Engine> engine_;
  bool renew_ = false;
  double motion_ = -1;  // of the last step; negative: unknown
  // Threads for the queries that the device leaves open. Made, and woken with each search for all
  // impacts, once a search has left many.
  std::unique_ptr<HelperThreads> helpers_;
  bool wake_helpers_ = false;
  // A copy of the filter that the engine has.
  struct FilterCopy {
    bool active = false, within_group = true, listed_only = false;
    std::vector<std::uint8_t> is_static, meets;
    std::vector<std::uint32_t> group, masks;
    std::vector<std::uint64_t> listed;
    bool operator==(const FilterCopy&) const = default;
  } filter_;

  // The current call.
  StepPositions now_;
  StepOptions options_;
  RunOptions run_;
  bool sent_ = false;                         // the positions are on the device
  bool static_moves_ = false;                 // with a start check: a static vertex does
  std::vector<StepImpact> fetched_, merged_;  // impacts of the device; merged with others
};

// The order of impacts of graze/step.h.
bool comes_before(const StepImpact& a, const StepImpact& b);

}  // namespace graze::gpu
