#pragma once

#include "graze/sim/soft.h"

namespace graze::sim::soft {

// Makes a scene in which an elastic ring of radius 1 m falls, slightly tilted, on a static cone
// that reaches into its hole: [Wang 2021] Figure 9. The ring has about `vertices` vertices: 84,
// 456, 1332, ...
Model torus_scene(std::size_t vertices);

}  // namespace graze::sim::soft
