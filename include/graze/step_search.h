#pragma once

#include <cstdint>
#include <memory>

#include "graze/mesh.h"
#include "graze/options.h"
#include "graze/step.h"

namespace graze {

// Answers many steps of one mesh, faster than the functions of step.h if the steps follow each
// other: frames of a simulation or an animation, parts of a step, shortened steps of a line search.
//
// The object keeps the mesh, and from one step to the next a forecast: a straight motion over
// several steps ahead with the pairs that come close to each other during it. Steps that stay close
// to the forecast, shortened ones included, are answered by testing these pairs. All other steps
// are searched anew, and if the last two steps were alike, a new forecast is made. The length of a
// forecast follows from how much the motion changes per step, how long earlier forecasts lasted and
// how many pairs they had.
//
// A step that starts at the positions at which an earlier one started or, free of contact, ended
// needs no search for edges that pierce faces: none does if none did there.
//
//   (1) Every answer has the bits of the function of the same name with the mesh and the same
//       arguments, whatever the earlier calls were. Only the StepWork may differ.
//   (2) Nothing is kept of the positions, options and filters of a call but copies.
//   (3) Invalid positions or options give the same answer as there, and later answers are right.
//   (4) Memory: the mesh, 144 bytes per vertex, 8 bytes per pair of the forecast, of which there
//       are at most 4 per vertex, edge and face, and two copies of the filter.
// Forecasts are used for exact methods if options.strategy is null, and options.observer and
// options.pairs.filter.admits are empty; other steps are searched anew.
// Owns all that it keeps. One call at a time: a call changes the object. Several objects are
// independent of each other. A moved-from object may only be assigned to or destroyed.
class StepSearch {
 public:
  explicit StepSearch(Mesh mesh);
  ~StepSearch();
  StepSearch(StepSearch&&) noexcept;
  StepSearch& operator=(StepSearch&&) noexcept;

  const Mesh& mesh() const;

  FirstImpact earliest_impact(const Positions& start, const Positions& end,
                              const StepOptions& options = {}, const Run& run = {});
  AllImpacts all_impacts(const Positions& start, const Positions& end,
                         const StepOptions& options = {}, const Run& run = {});
  double collision_free_step(const Positions& start, const Positions& end, double keep_distance,
                             const StepOptions& options = {}, const Run& run = {});

  // The numbers of steps answered so far by a forecast and of all steps.
  struct Use {
    std::uint64_t forecast = 0, all = 0;
  };
  Use use() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace graze
