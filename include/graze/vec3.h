#pragma once

#include <Eigen/Core>

namespace graze {

using Vec3 = Eigen::Vector3d;  // three doubles without padding

}  // namespace graze
