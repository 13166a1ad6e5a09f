#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "queries/query_sets.h"

namespace graze::bench {

// Returns queries of three simulations of soft bodies on coarse meshes, collected as the simulation
// dataset of [Wang 2021]: `torus` and `chain`, by the constraints of an active set, and `golf`, by
// a barrier with its line search. `kind`: vertex-face or edge-edge; none: both. `count` queries of
// each kind, spread evenly over the run, or all where there are fewer. Depends on the arguments
// alone. Cost: about two seconds on the first call of a program.
// `cow`: a closed surface, y up, that does not intersect itself (models/spot.obj of the data); then
// there is a fourth set, `cows`: one falls on another, by a barrier. It takes about as long again,
// in every call. Empty: no such set. Throws what io::read_mesh() throws.
std::vector<queries::NamedSet> simulated_sets(std::size_t count, std::optional<Kind> kind,
                                              const std::filesystem::path& cow = {});

}  // namespace graze::bench
