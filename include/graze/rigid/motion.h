#pragma once

#include <Eigen/Core>

#include "graze/aabb.h"
#include "graze/pose.h"
#include "graze/vec3.h"

namespace graze::rigid {

// The motion of a rigid body during a step, t in [0, 1]: a rotation at constant angular velocity
// about an axis through `centre`, which is a point of the world at t = 0 and moves at constant
// velocity. The body point x is at
//   p(t) = centre + t velocity + Rot(t rotation) (R x + translation - centre),
// where R and translation are those of `start` and Rot(a) is the rotation by |a| radians about a.
// The motion is the curve that these numbers define in real arithmetic. All guarantees refer to
// that curve.
//
// Translation: rotation is 0. Rotation about a fixed axis: velocity is 0, centre lies on the axis.
// Screw: centre lies on the axis, velocity is parallel to it. Linear interpolation of [Zhang 2006]
// 4.1: centre is the centre of mass.
struct Motion {
  Pose start;
  Vec3 centre = Vec3::Zero();    // length, in world coordinates
  Vec3 velocity = Vec3::Zero();  // length per step
  Vec3 rotation = Vec3::Zero();  // radians per step, along the axis; of any size

  // Returns whether all numbers are finite and the quaternion of `start` is not 0.
  bool is_finite() const {
    return start.is_finite() && !start.rotation.coeffs().isZero(0) && centre.allFinite() &&
           velocity.allFinite() && rotation.allFinite();
  }
};

// Returns the motion of a body that stays at a pose.
Motion resting(const Pose& pose);

// Returns the motion along a straight line from `start` to `start` moved by `way`.
Motion translation(const Pose& start, const Vec3& way);

// Returns the rotation about the axis through the world point `point`. The length of `rotation` is
// the angle in radians, of any size.
Motion rotation_about(const Pose& start, const Vec3& point, const Vec3& rotation);

// linear_motion() and screw_motion() return motions from one pose to another. Both turn the shorter
// way, by at most half a turn, and end at `to` within rounding: |p(1) - to x| <= 2^-46 (|x| + the
// largest of |translation|, |centre| and |velocity|); for a screw this is divided by the sine of
// half the angle.
//
// linear_motion(): the body point `centre` moves on a straight line ([Zhang 2006] 4.1).
Motion linear_motion(const Pose& from, const Pose& to, const Vec3& centre = Vec3::Zero());

// screw_motion(): the body turns about one axis of the world and moves along it. For an angle below
// 2^-26 radians the axis is ill-conditioned and the result is linear_motion(from, to).
Motion screw_motion(const Pose& from, const Pose& to);

// The position and orientation of a body at one time: the affine map x -> rotation x + offset from
// body coordinates to world coordinates.
struct Placement {
  Eigen::Matrix3d rotation;
  Vec3 offset;

  // Returns the position of a point of the body.
  Vec3 operator*(const Vec3& point) const { return rotation * point + offset; }
};

// Returns the placement of a body at a pose: that of resting(pose).
Placement placement_of(const Pose& pose);

// Returns the placement at t in [0, 1], computed in double arithmetic. Assumes the default
// floating-point environment: round to nearest, denormals kept.
Placement placement_at(const Motion& motion, double t);

// Returns a bound e on the rounding error of placement_at(), a length. For all body points x with
// |x| <= reach and all t in [0, 1]:
//
//   (1) The exact map and the computed placement differ by at most e at x.
//   (2) n.(placement * x) with |n| <= 2, computed in doubles and in any order of the sums, differs
//       by at most |n| e from its exact value.
//   (3) The computed rotation is orthogonal up to e / reach.
// Infinite if a length reaches 2^400 (2.6e120) or the angle 2^30 radians.
double placement_error(const Motion& motion, double reach);

// Returns the pose at t in [0, 1], within placement_error().
Pose pose_at(const Motion& motion, double t);

// Returns a box that contains the ball of this radius around a body point for all t in [0, 1].
// Tight if the point is the centre of the motion. The whole space if placement_error() is infinite.
Aabb swept_box(const Motion& motion, const Vec3& point, double radius);

}  // namespace graze::rigid
