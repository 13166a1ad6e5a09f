#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "graze/earliest_impact.h"

namespace graze {

struct LineSearchOptions {
  double separation =
      1e-3;                 // length, >= 0: pairs are kept this far apart, or where they are closer
  double fraction = 0.9;    // at this fraction of their distance; in (0, 1): p of [Wang 2021] 7.2
  double least_step = 0;    // where the search for a lower energy gives up
  PairOptions pairs;        // threads and filters
  MotionObserver observer;  // is shown what was asked
  const PairStrategy* strategy = nullptr;  // null: default_pair_strategy()
  // Null: separation_root and separation_step. Another one that knows separations is asked pair by
  // pair, as in [Wang 2021], with the distance of the start in plain doubles: for comparison. Its
  // step keeps (1) where it is conservative, (2) is not promised. No rods and points then.
  const Method* method = nullptr;

  // The two accelerations of [Wang 2021] 7.2, to be measured: ask no pair for more than
  // `separation`; ask only until the earliest time so far.
  bool cap_distance = true, shorten_interval = true;
  // With both: search slabs of time in their order (time_slabs.h) and end with the first that
  // binds.
  bool cut_time = true;
};

// How far a motion may go.
struct StepBound {
  Verdict verdict = Verdict::separated;  // contact: bound by a pair; invalid: no answer
  double step = 1;                       // in [0, 1]
  PairKind kind{};                       // the pair that bounds it, where verdict is contact
  Pair pair{};
  std::uint64_t pairs = 0;  // examined
};

// The largest step in [0, 1] that keeps every pair at least min(separation, fraction * its distance
// at the start) apart; with separation 0, `fraction` of the way to the first contact.
//   (1) No pair touches in [0, step), and none comes below that distance.
//   (2) step > 0 where no pair touches at the start (and 0 otherwise), unless one does before the
//       smallest positive double.
//   (3) step, kind and pair depend on the arguments but `threads` and `strategy` alone.
// `invalid`, step 0: positions that are not finite or not as many as vertices, or a nonsensical
// option.
// Reference: [Wang 2021] Alg. 4, lines 2-18.
StepBound step_bound(const MovingMesh& moving, const LineSearchOptions& options = {});

using Energy = std::function<double(std::span<const Vec3>)>;

struct LineSearchResult {
  double step = 0;              // accepted; 0 where none is
  StepBound bound;              // what contact allows of the direction
  double energy = 0;            // at `positions`
  std::vector<Vec3> positions;  // x + step * direction, rounded: the frame to store
  int halvings = 0;
};

// Searches along a direction for a lower energy without letting anything touch: starts with the
// step bound and halves.
//   (1) The motion on straight lines from x to `positions`, as stored, is free of contact, and so
//       is `positions`: checked by `exact`.
//   (2) step > 0 and energy < energy(x), or step = 0 and positions = x.
//   (3) Where nothing touches at x, direction and energies are finite, and the energy decreases
//       along the direction for all small steps, step > 0 unless it would be below least_step or
//       too small for doubles to show a lower energy.
// `energy` is called with the positions of all vertices, first with x.
// Reference: [Wang 2021] Alg. 4.
LineSearchResult line_search(const Mesh& mesh, std::span<const Vec3> x,
                             std::span<const Vec3> direction, const Energy& energy,
                             const LineSearchOptions& options = {});

}  // namespace graze
