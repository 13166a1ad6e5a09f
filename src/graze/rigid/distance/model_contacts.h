#pragma once

#include <cstddef>
#include <vector>

#include "graze/rigid/distance/model_distance.h"

namespace graze::rigid {

// Returns the list of the public contacts_within() for two valid models. A list of max_contacts
// entries may be incomplete.
std::vector<SurfaceContact> contacts_within(const Model& a, const Placement& at_a, const Model& b,
                                            const Placement& at_b, double within,
                                            std::size_t max_contacts = std::size_t{1} << 20);

}  // namespace graze::rigid
