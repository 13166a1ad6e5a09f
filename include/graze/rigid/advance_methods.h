#pragma once

#include <span>
#include <string_view>

#include "graze/rigid/advance.h"

namespace graze::rigid {

// A way to find the first contact of two moving bodies, to compare advance() with.
struct AdvanceMethod {
  std::string_view name, description;
  BodyImpact (*advance)(const Body& a, const Motion& motion_a, const Body& b,
                        const Motion& motion_b, const AdvanceOptions& options);
};

// Returns the methods, in this order:
//   certified        advance() of graze/rigid/advance.h
//   fast             [Zhang 2006] Alg. 2: distances by the hull trees, directed motion bound
//   undirected       the dynamic checker of [Schwarzer 2002]: undirected motion bound
//   screw_interval   [Redon 2002] (CONTACT): boxes in interval arithmetic over pieces of time
// All keep promises (1), (2) and (4) of advance(). The verdict is `undecided` where max_checks is
// spent. impact.checks and iterations count distances of whole bodies (fast, undirected), or pairs
// of boxes and pieces of time (screw_interval).
// Cost: all but `certified` may need as many steps as speed over threshold.
std::span<const AdvanceMethod> advance_methods();

// Returns the method of this name, or null.
const AdvanceMethod* find_advance_method(std::string_view name);

}  // namespace graze::rigid
