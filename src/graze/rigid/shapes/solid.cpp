#include "graze/rigid/shapes/solid.h"

#include <array>
#include <cmath>
#include <vector>

#include "graze/core/numeric/float_environment.h"
#include "graze/exact/ray_crossing.h"

namespace graze::rigid {

// A node is passed over if its ball does not reach the line through p along z, or lies below p. Its
// computed distances have errors below 2^-48 of their terms.
bool is_inside(const Model& model, const Vec3& point) {
  const FloatEnvironment environment;
  const HullTree& tree = model.tree;
  bool inside = false;
  std::vector<std::uint32_t> stack = {0};
  while (!stack.empty()) {
    const HullNode& node = tree.node(stack.back());
    stack.pop_back();
    const Vec3 d = node.centre - point;
    const double room =
        node.radius * (1 + 0x1p-40) + 0x1p-45 * (point.cwiseAbs().maxCoeff() + tree.reach());
    if (std::abs(d[0]) > room || std::abs(d[1]) > room || d[2] < -room) continue;
    if (!node.is_leaf()) {
      stack.push_back(node.child);
      stack.push_back(node.child + 1);
      continue;
    }
    const Face& face = model.faces[node.face];
    const std::array<Vec3, 3> corners = {model.vertices[face[0]], model.vertices[face[1]],
                                         model.vertices[face[2]]};
    inside ^= exact::ray_crosses(point, corners);
  }
  return inside;
}

}  // namespace graze::rigid
