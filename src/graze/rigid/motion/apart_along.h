#pragma once

#include "graze/rigid/model/model.h"
#include "graze/rigid/motion.h"

namespace graze::rigid {

// Returns the time t up to which the direction n proves two moving models apart: on [0, t) their
// convex hulls are more than `margin` apart along n, model a on the side of n. 1 if that holds on
// all of [0, 1]. 0 if n proves nothing at the start or an argument is invalid. n has length 1 and
// is fixed in the world. The bound is that of advance(), applied once to the roots of both trees.
// It is cheap and settles most pairs of convex bodies without a call of advance().
double apart_along(const Model& a, const Motion& motion_a, const Model& b, const Motion& motion_b,
                   const Vec3& n, double margin);

}  // namespace graze::rigid
