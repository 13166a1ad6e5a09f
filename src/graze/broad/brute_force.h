#pragma once

#include "graze/broad/pair_job.h"

namespace graze {

// Compares every two features: the reference the other strategies are tested against. Quadratic.
void brute_force(const PairJob& job, const PairConsumer& consumer);

}  // namespace graze
