#pragma once

#include "graze/gpu/engine.h"
#include "graze/impact.h"
#include "graze/options.h"
#include "graze/query.h"

namespace graze::gpu {

// Answers a query that the device left open, with the bits of graze::first_contact() with the
// default method. `stage`: the first stage of that method that may find a contact in [0, t_max];
// earlier stages are left out. Precondition: options.min_separation == 0.
Impact answer_from(const VertexFace& query, OpenStage stage, const Options& options);
Impact answer_from(const EdgeEdge& query, OpenStage stage, const Options& options);

}  // namespace graze::gpu
