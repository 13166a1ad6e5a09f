#include "graze/polyhedron/position_test.h"

#include <vector>

#include "graze/polyhedron/pluecker.h"

namespace graze::polyhedron {
namespace {

using Integers = Triple<ArenaInteger>;

// A facet on integers; a point has no plane.
struct IntegerFacet {
  std::vector<Integers> corners;
  std::optional<PlaneFrame<ArenaInteger>> plane;

  template <class Place>
  IntegerFacet(const BrushModel& model, const Facet& facet, const Place& place) {
    for (const std::uint32_t corner : model.corners_of(facet))
      corners.push_back(place(model.vertices[corner]));
    const auto spanning = [&](int i) { return place(model.vertices[facet.plane[i]]); };
    if (facet.count > 1) plane.emplace(spanning(0), spanning(1), spanning(2));
  }
  const Integers& corner(std::size_t i) const { return corners[i % corners.size()]; }
  int inner_sign(std::size_t side, const Integers& x) const {
    return dot(cross(plane->normal, corner(side + 1) - corner(side)), x - corner(side)).sign();
  }
  bool holds(const Integers& x) const {  // of points in its plane
    for (std::size_t e = 0; e < corners.size(); ++e)
      if (inner_sign(e, x) < 0) return false;
    return true;
  }
};

// The segment in the plane of the facet: an end of it is on the facet, or it crosses a side. If it
// runs along a side, an end of the side lies on it, and it crosses the next one there.
bool flat_segment_touches(const Integers& a, const Integers& b, const IntegerFacet& facet) {
  if (facet.holds(a) || facet.holds(b)) return true;
  const Integers across = cross(facet.plane->normal, b - a);
  for (std::size_t e = 0; e < facet.corners.size(); ++e) {
    const int sa = facet.inner_sign(e, a), sb = facet.inner_sign(e, b);
    if (sa == sb) continue;  // also where it runs along the side
    if (dot(across, facet.corner(e) - a).sign() * dot(across, facet.corner(e + 1) - a).sign() <= 0)
      return true;
  }
  return false;
}

// Ends on both sides of the plane, or one in it: the line passes through the facet iff it is on one
// side of all its sides, or meets them.
bool segment_touches(const Integers& a, const Integers& b, const IntegerFacet& facet) {
  const int ha = facet.plane->height(a).sign(), hb = facet.plane->height(b).sign();
  if (ha * hb > 0) return false;
  if (ha == 0 && hb == 0) return flat_segment_touches(a, b, facet);
  int common = 0;
  for (std::size_t e = 0; e < facet.corners.size(); ++e) {
    const int s = volume(a, b, facet.corner(e), facet.corner(e + 1)).sign();
    if (s != 0 && common == -s) return false;
    if (s != 0) common = s;
  }
  return true;
}

bool point_touches(const Integers& x, const IntegerFacet& facet) {
  if (!facet.plane)
    return (x[0] - facet.corners[0][0]).is_zero() && (x[1] - facet.corners[0][1]).is_zero() &&
           (x[2] - facet.corners[0][2]).is_zero();
  return facet.plane->height(x).is_zero() && facet.holds(x);
}

}  // namespace

// Two convex polygons that meet do so in a point where an edge of one meets the other: follow their
// common points to the end of any segment of them.
bool exact_facets_touch(const Pose& pose, const BrushModel& body, const Facet& a,
                        const BrushModel& world, const Facet& b, exact::Arena& arena) {
  const exact::ArenaFrame frame(arena);
  IntegerScale length(arena), turn(arena);
  for (const double part : pose.rotation.coeffs()) turn.include(part);
  length.include(pose.translation);
  for (const std::uint32_t corner : body.corners_of(a)) length.include(body.vertices[corner]);
  for (const std::uint32_t corner : world.corners_of(b)) length.include(world.vertices[corner]);
  Path path;
  path.start = pose;
  const Kinematics<ArenaInteger> kinematics(path, length, turn);
  const IntegerFacet p(body, a, [&](const Vec3& x) { return kinematics.body(length(x)); });
  const IntegerFacet q(world, b, [&](const Vec3& x) { return kinematics.world(length(x)); });
  if (!p.plane) return point_touches(p.corners[0], q);
  if (!q.plane) return point_touches(q.corners[0], p);
  const auto edge_touches = [](const IntegerFacet& edges, const IntegerFacet& facet) {
    for (std::size_t e = 0; e < edges.corners.size(); ++e)
      if (segment_touches(edges.corner(e), edges.corner(e + 1), facet)) return true;
    return false;
  };
  return edge_touches(p, q) || edge_touches(q, p);
}

}  // namespace graze::polyhedron
