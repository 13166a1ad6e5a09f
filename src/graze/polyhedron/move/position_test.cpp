#include "graze/polyhedron/move/position_test.h"

#include <algorithm>
#include <vector>

#include "graze/polyhedron/move/pluecker.h"

namespace graze::polyhedron {
namespace {

using Integers = Triple<ArenaInteger>;

// A facet in integers. A point has no plane.
struct IntegerFacet {
  std::vector<Integers> corners;
  std::optional<PlaneFrame<ArenaInteger>> plane;

  template <class Place>
  IntegerFacet(const Model& model, const Facet& facet, const Place& place) {
    for (const std::uint32_t corner : model.corners_of(facet))
      corners.push_back(place(model.vertices[corner]));
    const auto spanning = [&](int i) { return place(model.vertices[facet.plane[i]]); };
    if (facet.count > 1) plane.emplace(spanning(0), spanning(1), spanning(2));
  }
  const Integers& corner(std::size_t i) const { return corners[i % corners.size()]; }
  int inner_sign(std::size_t side, const Integers& x) const {
    return dot(cross(plane->normal, corner(side + 1) - corner(side)), x - corner(side)).sign();
  }
  bool holds(const Integers& x) const {  // x lies in the plane
    for (std::size_t e = 0; e < corners.size(); ++e)
      if (inner_sign(e, x) < 0) return false;
    return true;
  }
};

// Returns whether a segment in the plane of the facet touches it: an end of the segment is on the
// facet, or the segment crosses a side. A segment along a side contains an end of that side and
// crosses the next side there.
bool flat_segment_touches(const Integers& a, const Integers& b, const IntegerFacet& facet) {
  if (facet.holds(a) || facet.holds(b)) return true;
  const Integers across = cross(facet.plane->normal, b - a);
  for (std::size_t e = 0; e < facet.corners.size(); ++e) {
    const int sa = facet.inner_sign(e, a), sb = facet.inner_sign(e, b);
    if (sa == sb) continue;  // also if the segment runs along the side
    if (dot(across, facet.corner(e) - a).sign() * dot(across, facet.corner(e + 1) - a).sign() <= 0)
      return true;
  }
  return false;
}

// If the ends are on opposite sides of the plane, or one is in it, the line passes through the
// facet iff it passes all sides of the facet on one hand, or meets them.
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

// If two convex polygons share a point, an edge of one of them touches the other: the end of every
// segment of common points lies on such an edge.
bool exact_facets_touch(const Pose& pose, const Model& body, const Facet& a, const Model& world,
                        const Facet& b, exact::Arena& arena) {
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

// A facet in intervals. `memory` is reused.
struct IntervalPolygon {
  std::vector<IntervalPoint>& corners;
  std::optional<PlaneFrame<Interval>> plane;

  template <class Place>
  IntervalPolygon(const Model& model, const Facet& facet, const Place& place,
                  std::vector<IntervalPoint>& memory)
      : corners(memory) {
    corners.clear();
    for (const std::uint32_t corner : model.corners_of(facet))
      corners.push_back(place(interval(model.vertices[corner])));
    const auto spanning = [&](int i) { return place(interval(model.vertices[facet.plane[i]])); };
    if (facet.count > 1) plane.emplace(spanning(0), spanning(1), spanning(2));
  }
  bool is_beside(const IntervalPolygon& other) const {
    if (!other.plane) return false;
    const int side = clear_sign(other.plane->height(corners[0]));
    return side != 0 && std::all_of(corners.begin() + 1, corners.end(), [&](const auto& x) {
             return clear_sign(other.plane->height(x)) == side;
           });
  }
  // Returns true only if no side touches the other facet: both ends are on one side of the plane,
  // or the line passes two sides of the facet on opposite hands.
  bool sides_miss(const IntervalPolygon& other) const {
    const IntervalPoint* a = &corners.back();
    int a_side = clear_sign(other.plane->height(*a));
    for (const IntervalPoint& b : corners) {
      const int b_side = clear_sign(other.plane->height(b));
      if (a_side * b_side <= 0 && !line_misses(*a, b, other.corners)) return false;
      a = &b;
      a_side = b_side;
    }
    return true;
  }

 private:
  static bool line_misses(const IntervalPoint& a, const IntervalPoint& b,
                          std::span<const IntervalPoint> ring) {
    const IntervalPoint along = b - a;
    IntervalPoint before = ring.back() - a;
    int common = 0;
    for (const IntervalPoint& x : ring) {
      const IntervalPoint next = x - a;
      const int hand = clear_sign(dot(along, cross(before, next)));
      if (hand != 0 && hand == -common) return true;
      if (hand != 0) common = hand;
      before = next;
    }
    return false;
  }
};

}  // namespace

bool facets_touch(const Pose& pose, const Kinematics<Interval>& frame, const Model& body,
                  const Facet& own, const Model& world, const Facet& facet, Scratch::Data& data) {
  if ((facet.count == 1 && own.count == 1) || data.is_stopped()) return false;
  const IntervalPolygon p(
      body, own, [&](const IntervalPoint& x) { return frame.body(x); }, data.own_corners);
  const IntervalPolygon q(
      world, facet, [&](const IntervalPoint& x) { return frame.world(x); }, data.world_corners);
  if (p.is_beside(q) || q.is_beside(p)) return false;
  if (p.plane && q.plane && p.sides_miss(q) && q.sides_miss(p)) return false;
  return exact_facets_touch(pose, body, own, world, facet, data.arena);
}

std::optional<Contact> touching(std::span<const Obstacle> world, const Model& mover,
                                const Pose& pose, Scratch::Data& data) {
  using Code = RoughMover::Code;
  const Path still = translating(pose, Vec3::Zero());
  RoughMover rough(mover, still, data.rough);
  std::optional<Kinematics<Interval>> frame;
  std::optional<Contact> found;
  const auto examine = [&](std::uint32_t o, std::uint32_t f) {
    const Model& model = world[o].model;
    const auto codes = rough.codes(model.boxes[f]);
    if (!frame)
      frame.emplace(
          still, [](const Vec3& x) { return interval(x); }, [](double x) { return Interval(x); });
    for (std::uint32_t m = 0; !found && m < mover.facets.size(); ++m) {
      const Facet& own = mover.facets[m];
      if (common_code(mover.corners_of(own), codes, RoughMover::at_the_start) != Code{0} ||
          !facets_touch(pose, *frame, mover, own, model, model.facets[f], data))
        continue;
      found = Contact{Meeting::start, o, m, f, pose * mover.vertices[mover.corners[own.first]],
                      Vec3::Zero()};
    }
  };
  for (std::uint32_t o = 0; o < world.size() && !found; ++o) {
    const double here = 0;
    data.begin_round(world[o].model.facets.size());
    world[o].index->tree.visit(rough.motion(), here, [&](std::uint32_t entry) {
      const std::uint32_t f = world[o].index->tree.box_of(entry);
      if (!found && data.first_visit(f) && rough.may_touch(world[o], entry, 0)) examine(o, f);
    });
  }
  return found;
}

}  // namespace graze::polyhedron
