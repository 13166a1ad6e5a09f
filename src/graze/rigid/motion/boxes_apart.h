#pragma once

#include "graze/rigid/model/model.h"
#include "graze/rigid/motion.h"

namespace graze::rigid {

// Returns whether an axis of one of the bounding boxes of two moving meshes proves the meshes more
// than `margin` apart on [0, t_max]. Each mesh has two boxes, along the axes of the body
// coordinates and along its principal axes; the axis keeps its direction at the start. Settles
// bodies that hover over each other ([Zhang 2006] Figure 6) at a distance far below the error of a
// node's polytope. Both models are valid and have meshes, the motions are finite, margin >= 0,
// t_max in (0, 1]. Cost: about as much as one test of two nodes.
bool boxes_stay_apart(const Model& a, const Motion& motion_a, const Model& b,
                      const Motion& motion_b, double margin, double t_max);

}  // namespace graze::rigid
