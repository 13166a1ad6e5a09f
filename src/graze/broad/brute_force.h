#pragma once

#include "graze/broad/find_pairs.h"

namespace graze {

// Compares every vertex with every face and every edge with every other: the reference the other
// strategies are tested against. Quadratic.
void brute_force(const MovingMesh& moving, double separation, const PairConsumer& consumer);

}  // namespace graze
