#pragma once

#include <Eigen/Core>

#include "graze/core/aabb.h"
#include "graze/core/pose.h"
#include "graze/core/vec3.h"

namespace graze {

// How a rigid body moves in a step, t from 0 to 1: it turns at constant angular velocity about an
// axis through `centre`, a point of the world at t = 0 that itself moves at constant velocity.
//   p(t) = centre + t velocity + Rot(t rotation) (R x + translation - centre)
// with R, translation of `start` and Rot(a) the rotation by |a| radians about a. The motion is the
// curve that these numbers define in real arithmetic; everything certified is about that curve.
//
// Translation: rotation 0. Fixed axis: velocity 0, centre on the axis. Screw: centre on the axis,
// velocity along it. Linear interpolation of [Zhang 2006] 4.1: centre is the centre of mass.
struct Motion {
  Pose start;
  Vec3 centre = Vec3::Zero(), velocity = Vec3::Zero(), rotation = Vec3::Zero();

  bool is_finite() const {
    return start.is_finite() && start.rotation.squaredNorm() > 0 && centre.allFinite() &&
           velocity.allFinite() && rotation.allFinite();
  }
};

Motion resting(const Pose& pose);
Motion translation(const Pose& start, const Vec3& way);
// About the axis through `point` of the world; the length of `rotation` is the angle, of any size.
Motion rotation_about(const Pose& start, const Vec3& point, const Vec3& rotation);
// The two motions between poses. They turn the shorter way, by at most half a turn, and end at `to`
// within rounding: |p(1) - to x| <= 2^-46 (|x| + the largest of the translations, centre and way),
// for the screw divided by the sine of half the angle. [Zhang 2006] 4.1: the point `centre` of the
// body moves on a straight line.
Motion linear_motion(const Pose& from, const Pose& to, const Vec3& centre = Vec3::Zero());
// About the one axis that takes `from` to `to` by a rotation about it and a translation along it.
// With less than 2^-26 radians there is no such axis near by: then it is the linear motion.
Motion screw_motion(const Pose& from, const Pose& to);

// Where the body is at one time, as an affine map x -> rotation x + offset.
struct Placement {
  Eigen::Matrix3d rotation;
  Vec3 offset;

  Vec3 operator*(const Vec3& point) const { return rotation * point + offset; }
};

// In double arithmetic, 0 <= t <= 1. The exact map takes every |x| <= reach, and a computed
// n.(placement * x) with |n| <= 2 comes, to within |n| placement_error(motion, reach) of what this
// one gives in exact arithmetic or in doubles, in any order of the sums; and the rotation is
// orthogonal up to that over reach. Needs the modes of core/float_environment.h.
Placement placement_at(const Motion& motion, double t);
double placement_error(const Motion& motion, double reach);

// The pose at t, within placement_error.
Pose pose_at(const Motion& motion, double t);

// A box that the ball around a point of the body does not leave for t in [0, 1]. Tight where the
// point is the centre of the motion. Everything where placement_error is infinite.
Aabb swept_box(const Motion& motion, const Vec3& point, double radius);

}  // namespace graze
