#pragma once

#include "graze/sim/rigid.h"

namespace graze::sim::rigid {

// Advances a valid state by `seconds` without dividing the step, with the promises of step(), and
// adds to the report. With may_divide, returns false if jointed bodies turn too far for one step;
// the state then holds new velocities at the old poses and is to be discarded.
bool advance_once(const Model& model, State& state, double seconds, bool may_divide,
                  Report& report);

}  // namespace graze::sim::rigid
