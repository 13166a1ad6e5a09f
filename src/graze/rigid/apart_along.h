#pragma once

#include "graze/rigid/motion.h"
#include "graze/rigid/rigid_model.h"

namespace graze {

// Until when one direction n of length 1, fixed in the world, proves two moving models apart, the
// first on the side of n: in [0, t) the hulls of both are further than `margin` from each other.
// 1: in all of [0, 1]. 0 also where n proves nothing at the start, or anything is not valid.
// The bound is that of rigid/advance.h, one look at the roots of both trees: what costs little and
// settles most pairs of convex bodies before advance() is asked.
double apart_along(const RigidModel& a, const Motion& motion_a, const RigidModel& b,
                   const Motion& motion_b, const Vec3& n, double margin);

}  // namespace graze
