#pragma once

#include "graze/sim/rigid.h"

namespace graze::sim::rigid {

// Advances a valid state by `seconds` without dividing the step, with the promises of step(), and
// adds to the report. With may_divide, returns false if jointed bodies turn too far for one step;
// the state then holds new velocities at the old poses and is to be discarded. Returns false, with
// the verdict `undecided` in the report, if run.stop ends the step; the state is then to be
// discarded.
bool advance_once(const Model& model, State& state, double seconds, bool may_divide, Report& report,
                  const Run& run);

}  // namespace graze::sim::rigid
