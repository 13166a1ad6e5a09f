#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "graze/step.h"

namespace graze::sim {

// Options of line_search().
struct LineSearchOptions {
  // Length, >= 0: pairs are kept at least this far apart. A pair that starts closer is kept at
  // `fraction` of its distance at the start.
  double separation = 1e-3;
  double fraction = 0.9;    // in (0, 1): p of [Wang 2021] Section 7.2
  double least_step = 0;    // line_search() gives up below this step
  PairOptions pairs;        // filters
  MotionObserver observer;  // called with every motion that is examined and its pairs
  const PairStrategy* strategy = nullptr;  // null: default_pair_strategy()
  // Null: separation_root and separation_step, which keep all promises below. Any other method with
  // a separation is called pair by pair, as in [Wang 2021] Alg. 4, with the distance at the start
  // computed in plain doubles and in the norm of the method: `separation` and `fraction` are then
  // understood in that norm. The fraction is halved until the tolerance of `query`, the one that
  // the method reached, and rounding leave room for a positive step. Promise (1) holds if the
  // method is conservative, (2) is not promised, and vertex-edge and vertex-vertex pairs are not
  // examined. For comparisons.
  const Method* method = nullptr;
  Options query = {};  // of `method`: distance_tol, time_tol and max_checks

  // The two accelerations of [Wang 2021] Section 7.2; they change the cost, not the promises:
  // examine no pair at more than `separation`, and only until the earliest time found so far.
  bool cap_distance = true, shorten_interval = true;
  // With both: searches slabs of time in their order and ends with the first that bounds the step.
  bool cut_time = true;
};

// Returns whether every option lies in its range, and the method, if there is one, has a
// separation. Otherwise every step_bound() is `invalid`.
bool is_sensible(const LineSearchOptions& options);

// The part of a motion that contact allows.
struct StepBound {
  // contact: a pair bounds the step; invalid: no answer; undecided: run.stop ended the search
  Verdict verdict = Verdict::separated;
  double step = 1;  // fraction of the motion, in [0, 1]
  Kind kind{};      // with `contact`: the pair that bounds the step
  Pair pair{};
  std::uint64_t pairs = 0;  // examined
};

// Returns the largest step in [0, 1] that keeps every pair at least min(separation, fraction * its
// distance at the start) apart. With separation 0: `fraction` of the way to the first contact.
//   (1) No pair touches in [0, step), and none comes below that distance.
//   (2) step > 0 if no pair touches at the start (0 otherwise), unless a contact comes before the
//       smallest positive double.
//   (3) step, kind and pair depend only on the arguments other than `run` and `strategy`.
//   (4) If run.stop ends the search: `undecided`, step is the time up to which the search was
//       complete, so (1) holds. The flag is read before each block of pairs.
// Verdict `invalid` with step 0: non-finite positions, positions that do not match the vertices, or
// an option outside its range. run.progress is not called.
// Reference: [Wang 2021] Alg. 4, lines 2-18.
StepBound step_bound(const MovingMesh& moving, const LineSearchOptions& options = {},
                     const Run& run = {});

// Returns the energy at the positions of all vertices.
using Energy = std::function<double(std::span<const Vec3>)>;

// The step that a line search took.
struct LineSearchResult {
  double step = 0;              // accepted, fraction of the direction; 0 if none was
  StepBound bound;              // the step that contact allows
  double energy = 0;            // at `positions`
  std::vector<Vec3> positions;  // x + step * direction, rounded: the frame to store
  int halvings = 0;             // of the step, until the energy fell
};

// Searches along a direction for a lower energy without contact: starts with step_bound() and
// halves the step.
//   (1) The motion on straight lines from x to `positions`, as stored, is free of contact, its end
//       included: certified by `exact`.
//   (2) step > 0 and energy < energy(x), or step = 0 and positions = x.
//   (3) If nothing touches at x, direction and energies are finite and the energy decreases along
//       the direction for all small steps, then step > 0, unless the step would be below least_step
//       or too small for doubles to show a lower energy.
//   (4) If run.stop ends the search: step = 0, positions = x, and bound.verdict is `undecided`. The
//       flag is read as by step_bound() and once per halving.
// `energy` is called first with x. run.progress is not called.
// Reference: [Wang 2021] Alg. 4.
LineSearchResult line_search(const Mesh& mesh, std::span<const Vec3> x,
                             std::span<const Vec3> direction, const Energy& energy,
                             const LineSearchOptions& options = {}, const Run& run = {});

}  // namespace graze::sim
