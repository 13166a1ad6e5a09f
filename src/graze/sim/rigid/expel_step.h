#pragma once

#include "graze/sim/rigid.h"

namespace graze::sim::rigid {

// Advances a valid state without joints by `seconds` with Mover::expel, with the promises of
// step(), and adds to the report. If run.stop ends the step, the verdict of the report is
// `undecided` and the state is to be discarded.
void expel_once(const Model& model, State& state, double seconds, Report& report, const Run& run);

}  // namespace graze::sim::rigid
