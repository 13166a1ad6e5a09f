#include "graze/rigid/distance/model_contacts.h"

#include <algorithm>
#include <array>
#include <utility>

#include "graze/core/numeric/float_environment.h"

namespace graze::rigid {

std::vector<SurfaceContact> contacts_within(const Model& a, const Placement& at_a, const Model& b,
                                            const Placement& at_b, double within,
                                            std::size_t max_contacts) {
  const FloatEnvironment environment;
  const RelativePlacement relative = relative_placement(at_a, a.tree.reach(), at_b, b.tree.reach());
  const double enough = (within + relative.err) * (1 + 0x1p-52);  // in the coordinates of a
  std::vector<SurfaceContact> contacts;
  std::vector<std::array<std::uint32_t, 2>> stack = {{0, 0}};
  while (!stack.empty() && contacts.size() < max_contacts) {
    const auto [i, j] = stack.back();
    stack.pop_back();
    const HullNode &x = a.tree.node(i), &y = b.tree.node(j);
    if (ball_separation(x, y, relative) > enough) continue;
    const PolytopeView p = polytope(a.tree, x), q = polytope(b.tree, y);
    if (x.is_leaf() && y.is_leaf()) {
      const ConvexDistance d = triangle_distance(p, q, relative, {}, enough);
      if (d.lo > enough) continue;
      contacts.push_back({x.face, y.face, d.hi + relative.err, at_a * d.point_a, at_a * d.point_b,
                          at_a.rotation * d.normal,
                          closest_feature(d.witness, d.witness.a, a.faces[x.face]),
                          closest_feature(d.witness, d.witness.b, b.faces[y.face])});
    } else if (convex_distance(p, q, relative, {}, enough).lo <= enough) {
      push_parts(stack, i, x, j, y);
    }
  }
  std::sort(contacts.begin(), contacts.end(), [](const auto& p, const auto& q) {
    return std::pair(p.face_a, p.face_b) < std::pair(q.face_a, q.face_b);
  });
  return contacts;
}

}  // namespace graze::rigid
