#pragma once

#include "graze/sim/rigid.h"

namespace graze::sim::rigid {

// Advances a valid state without joints by `seconds` with Mover::expel, with the promises of
// step(), and adds to the report.
void expel_once(const Model& model, State& state, double seconds, Report& report);

}  // namespace graze::sim::rigid
