#pragma once

#include "graze/sim/elastic/soft_model.h"

namespace graze {

// An elastic ring of radius 1 m falls, a little askew, on a fixed cone that reaches into its hole:
// [Wang 2021] Figure 9. Of about so many vertices: 456 for 12 around the tube and 24 along.
SoftModel torus_scene(std::size_t vertices);

}  // namespace graze
