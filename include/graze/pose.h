#pragma once

#include <Eigen/Geometry>

#include "graze/vec3.h"

namespace graze {

// The placement of a rigid body: its point x lies at R x + translation, where R is the rotation of
// the quaternion divided by its length. Every quaternion except 0 is therefore a rotation, exactly,
// and need not be normalized.
struct Pose {
  Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();
  Vec3 translation = Vec3::Zero();

  // Returns the pose with the quaternion w + xi + yj + zk of any length but 0.
  static Pose from_quaternion(double w, double x, double y, double z,
                              const Vec3& translation = Vec3::Zero()) {
    return {Eigen::Quaterniond(w, x, y, z), translation};
  }
  // Returns the pose with the rotation nearest to the matrix, which must be a rotation up to
  // rounding.
  static Pose from_matrix(const Eigen::Matrix3d& rotation, const Vec3& translation = Vec3::Zero()) {
    return {Eigen::Quaterniond(rotation), translation};
  }
  // The same for a 4 x 4 matrix whose last row is (0, 0, 0, 1).
  static Pose from_matrix(const Eigen::Matrix4d& transform) {
    return from_matrix(Eigen::Matrix3d(transform.topLeftCorner<3, 3>()),
                       transform.topRightCorner<3, 1>());
  }
  // Returns the rotation about an axis of any length (0: no rotation) by an angle in radians.
  static Pose from_axis_angle(const Vec3& axis, double angle,
                              const Vec3& translation = Vec3::Zero()) {
    const Vec3 unit = axis.stableNormalized();
    return {Eigen::Quaterniond(Eigen::AngleAxisd(angle, unit)), translation};
  }

  // Returns whether no number is NaN or infinite.
  bool is_finite() const { return rotation.coeffs().allFinite() && translation.allFinite(); }

  // Returns the position of a point of the body, up to rounding.
  Vec3 operator*(const Vec3& point) const {
    return rotation.normalized()._transformVector(point) + translation;
  }
};

}  // namespace graze
