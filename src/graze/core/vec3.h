#pragma once

#include <Eigen/Core>

namespace graze {

using Vec3 = Eigen::Vector3d;

}  // namespace graze
