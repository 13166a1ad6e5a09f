#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string_view>

#include "graze/find_pairs.h"
#include "graze/impact.h"
#include "graze/rigid/body.h"
#include "graze/rigid/motion.h"

namespace graze::rigid {

// Options of advance() and first_contact() of bodies.
struct AdvanceOptions {
  double t_max = 1;  // fraction of the step, in (0, 1]: contacts in [0, t_max] count
  // Length, finite, >= 0: how close to contact the search stops. It is an accuracy, not a distance
  // that is kept: see promise (2), and `margin` for the latter. 0: a thousandth of the size of the
  // larger body. Below 4 e (see advance) contacts are `undecided`.
  double threshold = 0;
  // If true, the threshold is 4 e, about 1e-13 of the coordinates, but at most a thousandth of the
  // size of the larger body; `threshold` is not read.
  bool smallest_threshold = false;
  double margin = 0;  // length, finite, >= 0: subtracted from the distance of the bodies
  // If true, only the faces of B against whose front A moves are part of B: n.v < 0, n being the
  // normal of the face (counterclockwise corners seen from its tip) and v the velocity of A
  // relative to B. A face with n.v = 0 up to rounding may count. Insides of solids do not count.
  // Both bodies must be meshes, with any radius, and neither may rotate; otherwise `invalid`.
  bool front_faces = false;
  // Budget: tests of two parts of the bodies and time steps of two triangles. Then `undecided`. 0:
  // no limit.
  std::uint32_t max_checks = 1000000;
};

// The first contact of two moving bodies, A and B.
struct BodyImpact {
  // verdict, toi, toi_hi (t_max on contact), normal (unit length, from B to A) and checks as
  // impact.h describes them. u and v are NaN.
  Impact impact;

  // On contact: the two triangles within the threshold and their closest points at impact.toi, in
  // world coordinates, on the surfaces that the radii give. The index of a convex shape or a half
  // space is 0. If a solid contains the other body at the start: the closest triangles, and one
  // common point. Otherwise 0 and NaN.
  std::uint32_t face_a = 0, face_b = 0;
  Vec3 point_a = Vec3::Constant(Impact::nan);  // of body A
  Vec3 point_b = Vec3::Constant(Impact::nan);  // of body B
  double distance = Impact::nan;               // |point_a - point_b|, margin included
  std::uint32_t iterations = 0;                // time steps of these two triangles
  double threshold = Impact::nan;  // length: the threshold that was used; NaN if invalid

  // Returns the answer to unusable input.
  static BodyImpact invalid() {
    BodyImpact result;
    result.impact = Impact::invalid();
    return result;
  }
};

// Returns the time at which two moving rigid bodies first come into contact.
//
// The distance below is that of the bodies (body.h) minus their radii and options.margin.
// e is the rounding of positions, a length: 1.25 times the sum of placement_error() of both
// motions, each for four times the largest coordinate of the body in size, plus 2^-50 of the radii;
// docs/shapes.md has e for the shapes that are no meshes. For all bodies with status ok and all
// finite motions:
//   (1) The distance is > 0 on [0, toi), whatever the verdict; on [0, t_max] if separated.
//   (2) On contact, the distance at toi is at most the threshold. Bodies that come within the
//       threshold, at the start or later, and never touch may be reported as contact, at any time
//       at which they are within it, or as separated.
//   (3) Bodies that touch, intersect or contain each other (a solid) at t = 0 have toi 0: contact,
//       or undecided as (5) says.
//   (4) The result depends on the arguments alone. Bodies may be shared by threads.
//   (5) `undecided`: options.max_checks is spent or the call was stopped; or, only if the threshold
//       is below 4 e, two triangles are within 4 e of each other at toi, where rounding hides
//       whether they touch; or, at 0, placement_error() of a motion is infinite. impact.checks
//       shows the first case. For a shape without a mesh (body.h) it is tested, not proven, that
//       nothing else is undecided.
// `invalid`: a body whose status is not ok, a motion that is not finite, an option out of its
// range.
//
// Cost: typically hundreds to thousands of node tests. Sliding and grazing contact within a small
// threshold takes many time steps, up to options.max_checks.
// Reference: [Zhang 2006] with bounds of its own in space and time: docs/rigid.md.
//
// `observer`, if not empty, is called for every time step of two triangles of two meshes with the
// motion of their six vertices, those of A first, and all vertex-face and edge-edge pairs between
// them. The motion is the straight line from the positions at the start of the step to those at its
// end, up to which the step proves the triangles apart; for triangles in contact the end is t_max.
//
// If another thread sets `*stop`, the call ends soon, with `undecided` and a safe toi unless it has
// an answer. `stop` may be null.
//
// All pairs of triangles in contact at toi: contacts_within() with placement_at(motion, toi).
BodyImpact advance(const Body& a, const Motion& motion_a, const Body& b, const Motion& motion_b,
                   const AdvanceOptions& options = {}, const MotionObserver& observer = {},
                   const std::atomic<bool>* stop = nullptr);

// A way to find the first contact of two moving bodies, to compare advance() with: its name, one
// line of description, and the function.
struct AdvanceMethod {
  std::string_view name, description;
  BodyImpact (*advance)(const Body& a, const Motion& motion_a, const Body& b,
                        const Motion& motion_b, const AdvanceOptions& options,
                        const std::atomic<bool>* stop);
};

// Returns the methods, in this order:
//   certified        advance()
//   fast             [Zhang 2006] Alg. 2: distances by the hull trees, directed motion bound
//   pieces           [Zhang 2006] Alg. 1: all pairs of convex pieces of the surfaces
//   undirected       the dynamic checker of [Schwarzer 2002]: undirected motion bound
//   screw_interval   [Redon 2002] (CONTACT): boxes in interval arithmetic over pieces of time
// All keep promises (1), (2) and (4) of advance(). The verdict is `undecided` where max_checks is
// spent or `*stop` is set; `stop` may be null. impact.checks and iterations count distances of
// whole bodies (fast, pieces, undirected), or pairs of boxes and pieces of time (screw_interval).
// All but `certified` are for meshes without radius; for other bodies they answer `invalid`. Cost:
// all but `certified` may need as many steps as speed over threshold. A step of `pieces` takes a
// time proportional to the product of the numbers of pieces.
std::span<const AdvanceMethod> advance_methods();

// Returns the method of this name, or null.
const AdvanceMethod* find_advance_method(std::string_view name);

}  // namespace graze::rigid
