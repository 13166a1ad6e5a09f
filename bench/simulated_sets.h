#pragma once

#include <optional>
#include <vector>

#include "bench/query_sets.h"

namespace graze::bench {

// Queries that simulations of soft bodies asked, as the simulation dataset of [Wang 2021] was made:
// `torus`, by the constraints of an active set, and `golf`, by a barrier with its line search, on
// coarse meshes. Both kinds or the one asked for; `count` of each, spread evenly over the run, or
// all where there are fewer. Depends on the arguments alone. The runs take about a second, once in
// a program.
std::vector<NamedSet> simulated_sets(std::size_t count, std::optional<Kind> kind);

}  // namespace graze::bench
