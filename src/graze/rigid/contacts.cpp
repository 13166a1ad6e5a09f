#include "graze/rigid/contacts.h"

#include <algorithm>
#include <utility>

#include "graze/core/float_environment.h"

namespace graze {

std::vector<SurfaceContact> contacts_within(const RigidModel& a, const Placement& at_a,
                                            const RigidModel& b, const Placement& at_b,
                                            double within, std::size_t max_contacts) {
  const FloatEnvironment environment;
  const RelativePlacement relative = relative_placement(at_a, a.tree.reach, at_b, b.tree.reach);
  const double enough = (within + relative.err) * (1 + 0x1p-52);  // seen from a
  std::vector<SurfaceContact> contacts;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> stack = {{0, 0}};
  while (!stack.empty() && contacts.size() < max_contacts) {
    const auto [i, j] = stack.back();
    stack.pop_back();
    const HullNode &x = a.tree.nodes[i], &y = b.tree.nodes[j];
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
      if (divides_first(x, y)) {
        stack.emplace_back(x.child, j);
        stack.emplace_back(x.child + 1, j);
      } else {
        stack.emplace_back(i, y.child);
        stack.emplace_back(i, y.child + 1);
      }
    }
  }
  std::sort(contacts.begin(), contacts.end(), [](const auto& p, const auto& q) {
    return std::pair(p.face_a, p.face_b) < std::pair(q.face_a, q.face_b);
  });
  return contacts;
}

}  // namespace graze
