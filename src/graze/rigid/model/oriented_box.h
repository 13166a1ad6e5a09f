#pragma once

#include <Eigen/Core>
#include <span>

#include "graze/mesh.h"

namespace graze::rigid {

// A box whose axes are the principal axes of a surface.
struct OrientedBox {
  Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();  // columns of length 1 up to 2^-45
  // Every point x of the surface has lo <= axes^T x <= hi, in exact arithmetic.
  Vec3 lo = Vec3::Zero(), hi = Vec3::Zero();
  double reach = 0;  // at least the sum of the sizes of the coordinates of every such x

  bool exists() const { return reach > 0; }
  // Returns a lower bound of m.x over the box, in exact arithmetic, for |m| <= 1 + 2^-45; minus
  // infinity if the box does not exist.
  double lowest(const Vec3& m) const;
};

// Returns the box of a surface with finite corners of size up to 2^1000. It does not exist where
// the surface has no area, or a size beyond 2^400 or below 2^-400.
OrientedBox oriented_box(std::span<const Vec3> vertices, std::span<const Face> faces);

}  // namespace graze::rigid
