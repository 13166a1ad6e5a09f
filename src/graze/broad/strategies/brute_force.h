#pragma once

#include "graze/broad/pair_job.h"

namespace graze::broad {

// Compares every two features. The reference in the tests of the other strategies. Cost: quadratic.
void brute_force(const PairJob& job, const PairConsumer& consumer);

}  // namespace graze::broad
