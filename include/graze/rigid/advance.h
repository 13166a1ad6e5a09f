#pragma once

#include <cstdint>

#include "graze/find_pairs.h"
#include "graze/impact.h"
#include "graze/rigid/body.h"
#include "graze/rigid/motion.h"

namespace graze::rigid {

struct AdvanceOptions {
  double t_max = 1;  // fraction of the step, in (0, 1]: contacts in [0, t_max] count
  // Length, finite, >= 0: surfaces at most this far apart (beyond the margin) are in contact.
  // 0: a thousandth of the size of the larger body.
  double threshold = 0;
  bool exact_time = false;  // use the smallest threshold that rounding allows, about 1e-13 of size
  double margin = 0;        // length, finite, >= 0: subtracted from the distance of the surfaces
  // Budget, > 0: tests of two tree nodes and time steps of two triangles. Then `undecided`.
  std::uint32_t max_checks = 1000000;
};

// The first contact of two moving bodies, A and B.
struct BodyImpact {
  // verdict, toi, toi_hi (t_max on contact), normal (unit length, from B to A) and checks as
  // impact.h describes them. u and v are NaN.
  Impact impact;

  // On contact: the two triangles within the threshold and their closest points at impact.toi, in
  // world coordinates. Otherwise 0 and NaN.
  std::uint32_t face_a = 0, face_b = 0;
  Vec3 point_a = Vec3::Constant(Impact::nan), point_b = Vec3::Constant(Impact::nan);
  double distance = Impact::nan;  // |point_a - point_b|, margin included
  std::uint32_t iterations = 0;   // time steps of these two triangles

  static BodyImpact invalid() {
    BodyImpact result;
    result.impact = Impact::invalid();
    return result;
  }
};

// Returns the time at which two moving rigid surfaces first come into contact.
//
// The distance below is that of the surfaces minus options.margin. For all bodies with status ok
// and all finite motions:
//   (1) The distance is > 0 on [0, toi), whatever the verdict; on [0, t_max] if separated.
//   (2) On contact, the distance at toi is at most the threshold. Bodies that come within the
//       threshold and never touch may be reported as contact or as separated.
//   (3) Surfaces that are in contact, or within the threshold, at t = 0 are a contact at 0.
//   (4) The result depends on the arguments alone. Bodies may be shared by threads.
// `invalid`: a body whose status is not ok, a motion that is not finite, an option out of its
// range. `undecided` at 0: placement_error() of a motion is infinite.
//
// Cost: typically hundreds to thousands of node tests. Sliding and grazing contact within a small
// threshold takes many time steps, up to options.max_checks.
// Reference: [Zhang 2006] with bounds of its own in space and time: docs/rigid.md.
//
// `observer`, if not empty, is called for every time step of two triangles with the motion of their
// six vertices, those of A first, and all vertex-face and edge-edge pairs between them. The motion
// is the straight line from the positions at the start of the step to those at its end, up to which
// the step proves the triangles apart; for triangles in contact the end is t_max.
//
// All pairs of triangles in contact at toi: contacts_within() with placement_at(motion, toi).
BodyImpact advance(const Body& a, const Motion& motion_a, const Body& b, const Motion& motion_b,
                   const AdvanceOptions& options = {}, const MotionObserver& observer = {});

}  // namespace graze::rigid
