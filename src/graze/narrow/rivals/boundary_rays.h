#pragma once

#include <algorithm>
#include <array>

#include "graze/exact/integer.h"
#include "graze/impact.h"
#include "graze/query.h"

// The common part of the root parity methods: rays from the origin through the image of the
// boundary of a query's domain.
//
// F takes (time, point of the first primitive, point of the second) to the difference of the two
// points; a contact is a root of F. Its domain is a prism (vertex-face) or a cube (edge-edge). The
// bottom (t = 0) and the top (t = t_max) have flat images made of triangles; the image of each side
// is a bilinear patch, swept by a segment between two differences of corners. Unless the origin
// lies on the image of the boundary, F has an odd number of roots, counted with multiplicity, if
// and only if a ray from the origin crosses that image an odd number of times.
namespace graze::narrow::boundary {

using Triangle = std::array<std::size_t, 3>;  // corners of the image
using Patch = std::array<std::size_t, 4>;     // both ends of the segment at 0, both at t_max

// Corner m of the image, m < size, is a difference of corners of the query at 0, corner m + size
// the same at t_max.
template <class Query>
struct Domain;
template <>
struct Domain<VertexFace> {
  static constexpr std::size_t size = 3;
  static constexpr std::array<std::array<std::size_t, 2>, 3> differences{{{1, 0}, {2, 0}, {3, 0}}};
  static constexpr std::array<Triangle, 1> base{{{0, 1, 2}}};
  static constexpr std::array<std::array<std::size_t, 2>, 3> sides{{{0, 1}, {1, 2}, {2, 0}}};
};
template <>
struct Domain<EdgeEdge> {
  static constexpr std::size_t size = 4;
  static constexpr std::array<std::array<std::size_t, 2>, 4> differences{
      {{2, 0}, {3, 0}, {2, 1}, {3, 1}}};
  static constexpr std::array<Triangle, 2> base{{{0, 1, 3}, {0, 3, 2}}};
  static constexpr std::array<std::array<std::size_t, 2>, 4> sides{
      {{0, 1}, {2, 3}, {0, 2}, {1, 3}}};
};

// The direction of a ray from the origin; y > 0.
struct Ray {
  int x, y, z;
};

// The corners of the image as integers, up to a common positive factor, and the signs that the rays
// need. Every class of corners has these functions:
//   aim(d)           chooses the ray d
//   side(i, j)       sign of det(d, c_i, c_j)
//   volume(f)        sign of det(c_i, c_j, c_k), f = {i, j, k}
//   patch_sign(q)    on which side of the patch the origin is, if it is in the hull of q
//   is_flat(q)       whether the four corners lie in one plane
//   on_one_line(q)   whether they lie on one line through the origin, and
//   line_holds(q)    whether then the origin is between them
class ExactCorners {
 public:
  template <class Query>
  ExactCorners(const Query& query, double t_max);

  void aim(const Ray& ray) { ray_ = ray; }
  int side(std::size_t i, std::size_t j) const;
  int volume(const Triangle& f) const { return sign(determinant(f)); }
  int patch_sign(const Patch& q) const;
  bool is_flat(const Patch& q) const;
  bool on_one_line(const Patch& q) const;
  bool line_holds(const Patch& q) const;

 private:
  exact::Integer determinant(const Triangle& f) const;

  std::array<std::array<exact::Integer, 3>, 8> corner_;
  Ray ray_{};
};

enum class Crossing : std::uint8_t {
  even,
  odd,
  touch,   // the origin is on this part of the boundary
  unclear  // the ray meets an edge or lies in a plane of the image: take the next ray
};

// The relation of the line of the ray to a triangle.
struct View {
  bool missed;  // passes by
  bool clear;   // passes strictly inside
  int sign;     // common sign of the sides that are not 0; 0: seen edge on or collapsed
};

template <class Corners>
View view(Corners& corners, const Triangle& f) {
  const int a = corners.side(f[0], f[1]), b = corners.side(f[1], f[2]);
  if (a * b < 0) return {true, false, 0};
  const int c = corners.side(f[2], f[0]);
  if (a * c < 0 || b * c < 0) return {true, false, 0};
  return {false, a * b * c != 0, a != 0 ? a : b != 0 ? b : c};
}

// With d = x a + y b + z c and det(a, b, c) != 0, x = det(d, b, c) / det(a, b, c) and so on: the
// ray meets the triangle where sides and volume agree in sign, the opposite ray where they differ.
// If the volume is 0, the triangle is in a plane with the origin, and sides of one sign mean that
// it contains the origin.
template <class Corners>
Crossing cross(Corners& corners, const Triangle& f) {
  const View seen = view(corners, f);
  if (seen.missed) return Crossing::even;
  const int volume = corners.volume(f);
  if (volume * seen.sign < 0) return Crossing::even;
  if (volume * seen.sign > 0) return seen.clear ? Crossing::odd : Crossing::unclear;
  if (seen.sign != 0) return Crossing::touch;
  const Patch q{f[0], f[1], f[2], f[2]};
  if (!corners.on_one_line(q)) return Crossing::unclear;
  return corners.line_holds(q) ? Crossing::touch : Crossing::even;
}

// [Brochu 2012]: in barycentric coordinates b of the tetrahedron of its corners, the patch is where
// b0 b3 = b1 b2. It divides the tetrahedron: faces 0 and 1, at the diagonal 0-3, are on the side of
// b0 b3 > b1 b2, faces 2 and 3 on the other one. Patch and two faces of one side enclose a part of
// the tetrahedron, so a ray whose start is not in that part crosses them equally often, modulo 2.
// If the origin is outside the tetrahedron, the faces of either side are counted; if it is inside,
// those of the side on which it is not.
//
// `rules` makes the choices in which the papers differ: `on_flat(views)` returns whether a patch in
// a plane through the origin touches it, and `folded()` how often a flat patch counts if the ray
// crosses both of its triangles.
template <class Corners, class Rules>
Crossing cross(Corners& corners, const Patch& q, const Rules& rules) {
  const std::array<Triangle, 4> face{
      {{q[0], q[1], q[3]}, {q[0], q[3], q[2]}, {q[0], q[2], q[1]}, {q[1], q[2], q[3]}}};
  std::array<View, 4> seen;
  std::array<int, 4> volume{}, ahead{};  // ahead: 1 on the ray, -1 behind the origin, 0 at it
  int met = 0, clear = 0, before = 0, behind = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    seen[i] = view(corners, face[i]);
    if (seen[i].missed) continue;
    volume[i] = corners.volume(face[i]);
    ahead[i] = volume[i] * seen[i].sign;
    ++met;
    clear += seen[i].clear;
    before += ahead[i] > 0;
    behind += ahead[i] < 0;
  }
  if (behind == met) return Crossing::even;
  if (before == met) {
    if (clear < met) return Crossing::unclear;
    if ((ahead[0] > 0) != (ahead[1] > 0)) return Crossing::odd;
    return ahead[0] > 0 && corners.is_flat(q) ? rules.folded() : Crossing::even;
  }
  bool positive = false, negative = false;
  for (std::size_t i = 0; i < 4; ++i) {
    if (seen[i].missed) volume[i] = corners.volume(face[i]);
    positive = positive || volume[i] > 0;
    negative = negative || volume[i] < 0;
  }
  if (!positive && !negative) {  // all corners in one plane with the origin
    const bool edge_on = std::all_of(seen.begin(), seen.end(),
                                     [](const View& v) { return !v.missed && v.sign == 0; });
    if (edge_on && !corners.on_one_line(q)) return Crossing::unclear;
    return rules.on_flat(q, seen) ? Crossing::touch : Crossing::even;
  }
  if (positive && negative) return Crossing::unclear;  // outside
  const int s = corners.patch_sign(q);
  if (s == 0) return Crossing::touch;
  for (const std::size_t i :
       s > 0 ? std::array<std::size_t, 2>{2, 3} : std::array<std::size_t, 2>{0, 1}) {
    if (seen[i].missed || ahead[i] < 0) continue;
    return seen[i].clear ? Crossing::odd : Crossing::unclear;
  }
  return Crossing::even;
}

// The rays of the repaired methods: ray k has the direction (k^2, 1, k), k >= 2. A plane through
// the origin holds at most two of them, and the first costs no rounding: its components are powers
// of two.
//
// A ray is unclear only if it lies in the plane of the origin and two corners that are not on one
// line with it. There are at most 28 such planes, each with at most two of the rays, so the last
// ray at the latest is clear.
struct EnoughRays {
  static constexpr std::uint32_t most_rays = 57;
  static constexpr Verdict if_none_is_clear = Verdict::undecided;

  static Ray ray(std::uint32_t number) {
    const int k = static_cast<int>(number) + 1;
    return {k * k, 1, k};
  }
  // Returns whether a clear crossing of a triangle counts as a touch.
  template <class Corners>
  static bool touches(const Corners&, const Triangle&) {
    return false;
  }
};

// Returns whether the origin is on the image of the boundary or a ray crosses it an odd number of
// times. `checks` counts the rays. `rules` has the members of EnoughRays and those of cross().
template <class Query, class Corners, class Rules>
Impact shoot(Corners& corners, const Rules& rules, double t_max) {
  using D = Domain<Query>;
  for (std::uint32_t rays = 1; rays <= Rules::most_rays; ++rays) {
    corners.aim(Rules::ray(rays));
    Crossing all = Crossing::even;
    const auto add = [&](Crossing part) {
      if (part == Crossing::odd)
        all = all == Crossing::odd ? Crossing::even : Crossing::odd;
      else if (part != Crossing::even)
        all = part;
      return all != Crossing::touch && all != Crossing::unclear;
    };
    const auto pass = [&](const Triangle& f) {
      const Crossing part = cross(corners, f);
      return part == Crossing::odd && rules.touches(corners, f) ? Crossing::touch : part;
    };
    const bool counted =
        std::all_of(D::base.begin(), D::base.end(),
                    [&](const Triangle& f) {
                      return add(pass(f)) &&
                             add(pass(Triangle{f[0] + D::size, f[1] + D::size, f[2] + D::size}));
                    }) &&
        std::all_of(D::sides.begin(), D::sides.end(), [&](const auto& side) {
          const auto [i, j] = side;
          return add(cross(corners, Patch{i, j, i + D::size, j + D::size}, rules));
        });
    if (counted ? all == Crossing::odd : all == Crossing::touch)
      return Impact::contact(0, t_max, rays);
    if (counted) return Impact::separated(rays);
  }
  return Rules::if_none_is_clear == Verdict::contact
             ? Impact::contact(0, t_max, Rules::most_rays)
             : Impact::undecided(0, t_max, Rules::most_rays);
}

}  // namespace graze::narrow::boundary
