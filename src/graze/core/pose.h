#pragma once

#include <Eigen/Geometry>

#include "graze/core/vec3.h"

namespace graze {

// Where a rigid body is: its point x is at R x + translation, R the rotation of the quaternion
// divided by its length. So every quaternion but 0 is a rotation, exactly, and need not be
// normalized.
struct Pose {
  Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();
  Vec3 translation = Vec3::Zero();

  static Pose from_quaternion(double w, double x, double y, double z,
                              const Vec3& translation = Vec3::Zero()) {
    return {Eigen::Quaterniond(w, x, y, z), translation};
  }
  // The rotation nearest to the matrix, which should be one up to rounding.
  static Pose from_matrix(const Eigen::Matrix3d& rotation, const Vec3& translation = Vec3::Zero()) {
    return {Eigen::Quaterniond(rotation), translation};
  }
  static Pose from_matrix(const Eigen::Matrix4d& transform) {
    return from_matrix(Eigen::Matrix3d(transform.topLeftCorner<3, 3>()),
                       transform.topRightCorner<3, 1>());
  }
  // The direction of the axis counts, its length does not (0: no rotation); radians.
  static Pose from_axis_angle(const Vec3& axis, double angle,
                              const Vec3& translation = Vec3::Zero()) {
    const Vec3 unit = axis.stableNormalized();
    return {Eigen::Quaterniond(Eigen::AngleAxisd(angle, unit)), translation};
  }

  bool is_finite() const { return rotation.coeffs().allFinite() && translation.allFinite(); }

  // Within rounding.
  Vec3 operator*(const Vec3& point) const {
    return rotation.normalized()._transformVector(point) + translation;
  }
};

}  // namespace graze
