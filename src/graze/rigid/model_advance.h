#pragma once

#include "graze/rigid/advance.h"
#include "graze/rigid/model/model.h"

namespace graze::rigid {

// The public advance() on prepared models.
BodyImpact advance(const Model& a, const Motion& motion_a, const Model& b, const Motion& motion_b,
                   const AdvanceOptions& options = {}, const MotionObserver& observer = {});

// Returns whether every option is in its range.
bool is_sensible(const AdvanceOptions& options);

// Returns false if advance() answers `invalid` for these arguments.
bool advance_accepts(const Model& a, const Motion& motion_a, const Model& b, const Motion& motion_b,
                     const AdvanceOptions& options);

// Returns the threshold, beyond the margin, that the options demand. `error`: the error of a
// computed distance, e of advance().
double contact_threshold(const Model& a, const Model& b, const AdvanceOptions& options,
                         double error);

}  // namespace graze::rigid
