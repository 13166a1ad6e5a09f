#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "graze/mesh.h"
#include "graze/options.h"
#include "graze/step.h"

namespace graze {

// The pairs of a mesh that come close to each other during a motion, kept for many steps near that
// motion: shortened steps of a line search, a step with other separations or time limits, the
// iterations of a solver around one position. Made by find_candidates() or
// StepSearch::candidates().
//
// The motion is x_v(a) = (1-a) start_v + a end_v for vertex v and a in [0, 1]. The candidates are
// all pairs of find_pairs() that come within `margin` of each other during it, and perhaps more.
//
//   (1) A step is covered if there are a and b in [0, 1] such that every vertex v starts within h
//       of x_v(a) and ends within h of x_v(b), in the maximum norm. h is half of the margin less
//       the separation of the step. In a covered step every pair that comes within the separation
//       is a candidate. The part of a covered step up to any time is covered.
//   (2) covers() is true only for covered steps. It is true for the motion itself. It is true for
//       nearly all other covered steps, for example from `start` to x(b) as rounded to doubles, if
//       h exceeds their deviation by 2^-40 of the largest coordinate; a and b are estimated by
//       least squares over a sample of the vertices.
//   (3) Immutable: several threads may use one object at the same time. Copies share one state.
// Owns all that it keeps: the mesh (shared with a StepSearch that made it), copies of the positions
// (48 bytes per vertex), two copies of the filter, and 8 bytes per pair.
class Candidates {
 public:
  // Returns `complete`; `stopped` if the search was stopped; `invalid` if not as many positions as
  // vertices were given, if one of them is NaN or infinite, if the margin is negative, NaN or
  // infinite, or if the filter does not fit the mesh. Only complete candidates cover steps.
  PairStatus status() const;

  const Mesh& mesh() const;
  double margin() const;       // length
  const Pairs& pairs() const;  // the candidates

  // Returns whether (1) is proven for a step with this separation (length >= 0). False for
  // positions that are not as many as vertices. Cost: linear in the number of vertices.
  bool covers(const Positions& start, const Positions& end, double separation = 0) const;

  // Returns for every vertex how far it may move from a position: a Euclidean length >= 0.
  //   (4) If every vertex w of the mesh stays within bounds[w] of at[w], no two features of a pair
  //       that the filter admits come within keep_distance (length >= 0) of each other, except
  //       those that are within it at `at`. Paths need not be straight.
  //   (5) bounds[v] is at most (margin - keep_distance) / 2. It is 0 if a feature of v is within
  //       keep_distance of another. Otherwise it is the least of (d - keep_distance) / 2 over the
  //       candidates of v and proven lower bounds d of their distances at `at`, and of what the
  //       margin proves for all other pairs.
  // Surfaces that do not intersect at `at` do not intersect then; an edge that pierces a face at
  // `at` is not seen (StepOptions::start_check).
  // Returns no bounds if covers(at, at, keep_distance) is false or if run.stop ends the call. Cost:
  // linear in pairs and vertices.
  std::vector<double> step_bounds(const Positions& at, double keep_distance = 0,
                                  const Run& run = {}) const;

 private:
  struct State;
  explicit Candidates(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  static Candidates find(std::shared_ptr<const Mesh> mesh, const Positions& start,
                         const Positions& end, double margin, const PairOptions& options,
                         const Run& run, bool clean_start);

  friend class StepSearch;
  friend Candidates find_candidates(Mesh, const Positions&, const Positions&, double,
                                    const PairOptions&, const Run&);
  friend FirstImpact earliest_impact(const Candidates&, const Positions&, const Positions&,
                                     const StepOptions&, const Run&);
  friend AllImpacts all_impacts(const Candidates&, const Positions&, const Positions&,
                                const StepOptions&, const Run&);

  std::shared_ptr<const State> state_;
};

// Returns the candidates of a motion. `margin` (length >= 0, finite) replaces options.separation.
// Cost: that of find_pairs() with the strategy moving_tree, and sorting the pairs.
Candidates find_candidates(Mesh mesh, const Positions& start, const Positions& end, double margin,
                           const PairOptions& options = {}, const Run& run = {});

// The functions of step.h with the mesh and the pair options of the candidates; options.pairs is
// not read.
//   (1) Every answer has the bits of the function of the same name. Only the StepWork may differ.
//   (2) If the candidates cover the step and the method is exact, only the candidates are tested,
//       and options.strategy is not used. All other steps are searched in full.
//   (3) Edges that pierce faces at the start are searched for once if steps start where the motion
//       of the candidates does, and in each call otherwise, unless start_check is false.
FirstImpact earliest_impact(const Candidates& candidates, const Positions& start,
                            const Positions& end, const StepOptions& options = {},
                            const Run& run = {});
AllImpacts all_impacts(const Candidates& candidates, const Positions& start, const Positions& end,
                       const StepOptions& options = {}, const Run& run = {});
double collision_free_step(const Candidates& candidates, const Positions& start,
                           const Positions& end, double keep_distance,
                           const StepOptions& options = {}, const Run& run = {});

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

  // Returns find_candidates() of the mesh, which is shared and not copied.
  Candidates candidates(const Positions& start, const Positions& end, double margin,
                        const PairOptions& options = {}, const Run& run = {}) const;

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
