#pragma once

#include <cstdint>

#include "graze/gpu/certified_roots.h"

// The place and the normal of a contact at a certified root (ContactKind::interior). The operations
// and their order are those of narrow/contact/contact_point.cpp, where the bounds are derived, and
// of Eigen on x86: a dot product is (x + y) + z. So the bits are the same.
namespace graze::gpu {

struct ContactPlace {
  double first, second;  // u and v of graze::Impact
  Vec normal;
};

// Vectors of a contact are w + first * p + second * q, as in contact_point.cpp.
struct ContactVectors {
  Vec w, p, q;
};
GRAZE_HD inline Vec gap(const ContactVectors& c, double first, double second) {
  return c.w + first * c.p + second * c.q;
}
GRAZE_HD inline double largest_of(const Vec& a) {
  return larger(larger(abs_of(a.x), abs_of(a.y)), abs_of(a.z));
}

GRAZE_HD inline Vec normalized(const Vec& a) {
  const double square = dot(a, a);
  if (!(square > 0)) return a;
  const double length = sqrt(square);
  return {a.x / length, a.y / length, a.z / length};
}
GRAZE_HD inline Vec unit(const Vec& a) {
  const double size = largest_of(a);
  if (!(size > 0)) return {0, 0, 0};
  return normalized({a.x / size, a.y / size, a.z / size});
}

// Returns a unit vector orthogonal to a unit vector.
GRAZE_HD inline Vec unit_orthogonal(const Vec& a) {
  constexpr double much = 1e-12;
  if (!(abs_of(a.x) <= abs_of(a.z) * much) || !(abs_of(a.y) <= abs_of(a.z) * much)) {
    const double inverse = 1 / sqrt(a.x * a.x + a.y * a.y);
    return {-a.y * inverse, a.x * inverse, 0};
  }
  const double inverse = 1 / sqrt(a.y * a.y + a.z * a.z);
  return {0, -a.z * inverse, a.y * inverse};
}

inline constexpr double contact_needle = 1e-23, contact_noise = 0x1p-94;

GRAZE_HD inline Vec segment_normal(const Vec& segment, const Vec& approach) {
  const Vec along = unit(segment), straight = unit(approach);
  const Vec normal = straight - dot(along, straight) * along;
  if (dot(normal, normal) > contact_needle) return normalized(normal);
  return largest_of(along) <= 1e-12 ? Vec{1, 0, 0} : unit_orthogonal(along);
}

// Sets the place of least distance on the border of the domain. Returns the vector along its side.
template <QueryKind kind>
GRAZE_HD inline Vec solve_on_border(const ContactVectors& c, ContactPlace& place) {
  constexpr bool face = kind == vertex_face_query;
  double best = 1e300;  // squares are below 2^205
  Vec segment{0, 0, 0};
  for (int side = 0; side < (face ? 3 : 4); ++side) {
    // From (s0, s1) along (d0, d1).
    const double s0 = face ? (side == 1 ? 1.0 : 0.0) : (side == 1 ? 1.0 : 0.0);
    const double s1 = face ? (side == 2 ? 1.0 : 0.0) : (side == 3 ? 1.0 : 0.0);
    const double d0 = face ? (side == 0 ? 1.0 : side == 1 ? -1.0 : 0.0) : (side < 2 ? 0.0 : 1.0);
    const double d1 = face ? (side == 0 ? 0.0 : side == 1 ? 1.0 : -1.0) : (side < 2 ? 1.0 : 0.0);
    const Vec from = gap(c, s0, s1), along = d0 * c.p + d1 * c.q;
    const double length_sq = dot(along, along);
    double s = 0;
    if (length_sq > 0) {
      s = -dot(from, along) / length_sq;
      s = s < 0.0 ? 0.0 : 1.0 < s ? 1.0 : s;
    }
    const Vec rest = from + s * along;
    const double distance_sq = dot(rest, rest);
    if (!(distance_sq < best)) continue;
    best = distance_sq;
    place.first = s0 + s * d0;
    place.second = d0 * d1 != 0 ? 1 - place.first : s1 + s * d1;
    segment = along;
  }
  return segment;
}

// Finds the place and the normal of a contact at t. Returns false if the magnitudes need the
// scaling that only the host has.
template <QueryKind kind>
GRAZE_HD inline bool locate_contact(const MovingCorners& x, double t, ContactPlace& place) {
  constexpr bool face = kind == vertex_face_query;
  // Returns w, p, q at the start (0) or the end (1): differences of corners.
  const auto vectors = [&x](int time) -> ContactVectors {
    const Vec(&c)[4] = x.at[time];
    if (face) return {c[1] - c[0], c[2] - c[1], c[3] - c[1]};
    return {c[2] - c[0], c[0] - c[1], c[3] - c[2]};
  };
  const ContactVectors start = vectors(0), end = vectors(1);
  const double size = larger(larger(larger(largest_of(start.w), largest_of(end.w)),
                                    larger(largest_of(start.p), largest_of(end.p))),
                             larger(largest_of(start.q), largest_of(end.q)));
  if (!(size > 0x1p-100 && size < 0x1p100)) return false;
  const ContactVectors change = {end.w - start.w, end.p - start.p, end.q - start.q};
  const double s = 1 - t;
  const ContactVectors at = {s * start.w + t * end.w, s * start.p + t * end.p,
                             s * start.q + t * end.q};
  const double p_extent_sq = larger(dot(start.p, start.p), dot(end.p, end.p));
  const double q_extent_sq = larger(dot(start.q, start.q), dot(end.q, end.q));
  const Vec normal = cross(at.p, at.q);
  const double normal_sq = dot(normal, normal), p_sq = dot(at.p, at.p), q_sq = dot(at.q, at.q);
  const bool spans_plane = normal_sq > contact_needle * p_sq * q_sq &&
                           normal_sq > contact_noise * (p_extent_sq * q_sq + p_sq * q_extent_sq);
  Vec segment{0, 0, 0};
  bool inside = false;
  place.first = place.second = 0;
  if (spans_plane) {
    for (int i = 0; i < 3; ++i) {
      const Vec rest = gap(at, place.first, place.second);
      place.first += dot(cross(at.q, rest), normal) / normal_sq;
      place.second += dot(cross(rest, at.p), normal) / normal_sq;
      if (normal_sq > 1e-4 * p_sq * q_sq) break;
    }
    inside = place.first >= 0 && place.second >= 0 &&
             (face ? place.first + place.second <= 1 : place.first <= 1 && place.second <= 1);
  }
  if (!inside) segment = solve_on_border<kind>(at, place);
  const Vec approach = gap(change, place.first, place.second);
  if (spans_plane)
    place.normal = unit(dot(normal, approach) < 0 ? Vec{-normal.x, -normal.y, -normal.z} : normal);
  else
    place.normal = segment_normal(segment, approach);
  return true;
}

}  // namespace graze::gpu
