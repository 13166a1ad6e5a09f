#include "graze/polyhedron/move/containment.h"

#include "graze/polyhedron/move/pluecker.h"

namespace graze::polyhedron {
namespace {

using Integers = Triple<ArenaInteger>;

// Returns the orientation in the plane z = 0 of p, a, b, where p is moved by (s, s^2, 0) with an
// infinitesimal s > 0. 0 only if a and b coincide in the plane. It is the sign of
// a_x b_y - a_y b_x + s (a_y - b_y) + s^2 (b_x - a_x), a and b being relative to p.
int turn_in_plane(const Integers& p, const Integers& a, const Integers& b) {
  const Integers x = a - p, y = b - p;
  if (const int sign = (x[0] * y[1] - x[1] * y[0]).sign()) return sign;
  if (const int sign = (x[1] - y[1]).sign()) return sign;
  return (y[0] - x[0]).sign();
}

// Returns whether the ray from p along z crosses a facet, where p is moved as above, by integers.
//
// The moved line is parallel to z and meets no edge, so it crosses a facet or not. Facets that
// share an edge get opposite turns for it, so the line crosses a closed surface an even number of
// times. It crosses a convex polygon iff it has all sides on one hand; a polygon that is parallel
// to z has sides on both. It does so above p iff p is on the other side of the plane than the ray
// goes: the height of p and the z of the normal have opposite signs. The height is 0 only if p is
// on the facet.
bool crosses(const Pose& pose, const Vec3& vertex, bool inner_moves, const Model& outer,
             const Facet& facet, exact::Arena& arena) {
  const exact::ArenaFrame frame(arena);
  IntegerScale length(arena), turn(arena);
  for (const double part : pose.rotation.coeffs()) turn.include(part);
  turn.include(1);
  length.include(pose.translation);
  length.include(Vec3::Zero());
  length.include(vertex);
  for (const std::uint32_t corner : outer.corners_of(facet)) length.include(outer.vertices[corner]);
  const Kinematics<ArenaInteger> kinematics(translating(pose, Vec3::Zero()), length, turn);
  const auto place = [&](const Vec3& x, bool moves) {
    return moves ? kinematics.body(length(x)) : kinematics.world(length(x));
  };
  const Integers p = place(vertex, inner_moves);
  const auto corner = [&](std::uint32_t v) { return place(outer.vertices[v], !inner_moves); };
  int common = 0;
  const auto corners = outer.corners_of(facet);
  Integers a = corner(corners.back());
  for (const std::uint32_t v : corners) {
    const Integers b = corner(v);
    const int hand = turn_in_plane(p, a, b);
    if (hand * common < 0) return false;
    if (hand != 0) common = hand;
    a = b;
  }
  const PlaneFrame<ArenaInteger> plane(corner(facet.plane[0]), corner(facet.plane[1]),
                                       corner(facet.plane[2]));
  return plane.height(p).sign() * plane.normal[2].sign() < 0;
}

// Returns a facet of `outer` above the vertex, if the vertex is inside.
std::optional<std::uint32_t> facet_around(const Pose& pose, const Kinematics<Interval>& frame,
                                          const Vec3& vertex, bool inner_moves, const Model& outer,
                                          exact::Arena& arena) {
  const auto place = [&](const Vec3& x, bool moves) {
    return moves ? frame.body(interval(x)) : frame.world(interval(x));
  };
  const IntervalPoint p = place(vertex, inner_moves);
  if (inner_moves) {  // the axes of the world are those of the frame
    const IntervalPoint lo = place(outer.box.lo, false), hi = place(outer.box.hi, false);
    for (std::size_t k = 0; k < 3; ++k)
      if (p[k].hi < lo[k].lo || p[k].lo > hi[k].hi) return std::nullopt;
  }
  bool inside = false;
  std::uint32_t last = 0;
  for (std::uint32_t f = 0; f < outer.facets.size(); ++f) {
    const Facet& facet = outer.facets[f];
    // True if all corners are proven to lie to the left or right, in front or behind, or below p.
    std::array<bool, 5> all;
    all.fill(true);
    for (const std::uint32_t v : outer.corners_of(facet)) {
      const IntervalPoint x = place(outer.vertices[v], !inner_moves);
      for (std::size_t k = 0; k < 2; ++k) {
        all[2 * k] &= x[k].hi < p[k].lo;
        all[2 * k + 1] &= x[k].lo > p[k].hi;
      }
      all[4] &= x[2].hi < p[2].lo;
    }
    if (std::any_of(all.begin(), all.end(), [](bool beside) { return beside; })) continue;
    if (!crosses(pose, vertex, inner_moves, outer, facet, arena)) continue;
    inside = !inside;
    last = f;
  }
  return inside ? std::optional(last) : std::nullopt;
}

}  // namespace

// A connected piece that shares no point with a closed surface is inside or outside as a whole.
std::optional<Contact> contained(std::span<const Obstacle> world, const Model& mover,
                                 const Pose& pose, Scratch::Data& data) {
  const Kinematics<Interval> frame(
      translating(pose, Vec3::Zero()), [](const Vec3& x) { return interval(x); },
      [](double x) { return Interval(x); });
  for (std::uint32_t o = 0; o < world.size(); ++o) {
    const Model& other = world[o].model;
    const auto examine = [&](const Model& inner, bool moves,
                             const Model& outer) -> std::optional<Contact> {
      if (!outer.is_closed()) return std::nullopt;
      for (const std::uint32_t piece : inner.pieces) {
        const Vec3& vertex = inner.vertices[inner.corners_of(inner.facets[piece])[0]];
        const auto facet = facet_around(pose, frame, vertex, moves, outer, data.arena);
        if (facet)
          return Contact{Meeting::start,
                         o,
                         moves ? piece : *facet,
                         moves ? *facet : piece,
                         moves ? pose * vertex : vertex,
                         Vec3::Zero()};
      }
      return std::nullopt;
    };
    if (auto contact = examine(mover, true, other)) return contact;
    if (auto contact = examine(other, false, mover)) return contact;
  }
  return std::nullopt;
}

}  // namespace graze::polyhedron
