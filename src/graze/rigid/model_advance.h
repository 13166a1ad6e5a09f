#pragma once

#include <algorithm>
#include <atomic>

#include "graze/rigid/advance.h"
#include "graze/rigid/model/model.h"

namespace graze::rigid {

// The radii of two bodies, as arguments of a query of their models.
struct Roundness {
  double radii = 0;  // length: the sum of both radii, which counts as an additional margin
  double size = 0;   // length: the size of the larger body, radius included
};
inline Roundness without_radii(const Model& a, const Model& b) {
  return {0, std::max(a.size, b.size)};
}

// The options of a call of advance() and its stop flag.
struct StoppableOptions : AdvanceOptions {
  const std::atomic<bool>* stop = nullptr;  // not owned, may be null
};

// Computes the public advance() for two models with meshes. Ignores the inside of solids. Points
// and distances in the result are those of the meshes without radii.
BodyImpact advance(const Model& a, const Motion& motion_a, const Model& b, const Motion& motion_b,
                   const StoppableOptions& options, const MotionObserver& observer,
                   const Roundness& round);
inline BodyImpact advance(const Model& a, const Motion& motion_a, const Model& b,
                          const Motion& motion_b, const StoppableOptions& options = {},
                          const MotionObserver& observer = {}) {
  return advance(a, motion_a, b, motion_b, options, observer, without_radii(a, b));
}

// Returns whether every option is in its range.
bool is_sensible(const AdvanceOptions& options);

// Returns whether the stop flag of the call is set.
inline bool is_stopped(const StoppableOptions& options) {
  return options.stop && options.stop->load(std::memory_order_relaxed);
}
// Returns whether a search ends undecided after this number of checks.
inline bool is_over(std::uint64_t checks, const StoppableOptions& options) {
  return is_spent(checks, options.max_checks) || is_stopped(options);
}

// Returns false if advance() answers `invalid` for these arguments.
bool advance_accepts(const Model& a, const Motion& motion_a, const Model& b, const Motion& motion_b,
                     const AdvanceOptions& options);

// Returns the bound e of advance() on the rounding of positions, for two meshes. `a` and `b` are
// placement_error() of their motions for four times the largest coordinate of the mesh.
inline double position_error(double a, double b, const Roundness& round) {
  return 1.25 * (a + b) + 0x1p-50 * round.radii;
}
inline double position_error(const Model& a, const Motion& motion_a, const Model& b,
                             const Motion& motion_b, const Roundness& round) {
  return position_error(placement_error(motion_a, 2 * a.tree.reach()),
                        placement_error(motion_b, 2 * b.tree.reach()), round);
}

// Returns the threshold beyond the margin, a length, as given by the options. `size`: that of the
// larger body. `error`: the bound e of advance() on the error of a computed distance.
double contact_threshold(double size, const AdvanceOptions& options, double error);

}  // namespace graze::rigid
