#pragma once

#include "graze/gpu/certified_roots.h"

// The floating-point part of the search for edges that pierce faces at the start of a step.
namespace graze::gpu {

// Returns the sign of the volume of the tetrahedron a, b, c, d, or 0 if rounding hides it. The
// bounds are derived at rough_side() in spine/start_piercings.cpp.
GRAZE_HD inline int rough_side(const Vec& a, const Vec& b, const Vec& c, const Vec& d) {
  const Vec x = a - d, y = b - d, z = c - d;
  const double xy = x.x * y.y, yx = x.y * y.x, yz = y.x * z.y, zy = y.y * z.x, zx = z.x * x.y,
               xz = z.y * x.x;
  const double volume = z.z * (xy - yx) + x.z * (yz - zy) + y.z * (zx - xz);
  const double size = abs_of(z.z) * (abs_of(xy) + abs_of(yx)) +
                      abs_of(x.z) * (abs_of(yz) + abs_of(zy)) +
                      abs_of(y.z) * (abs_of(zx) + abs_of(xz));
  const double largest =
      larger(larger(larger(abs_of(x.x), abs_of(x.y)), larger(abs_of(x.z), abs_of(y.x))),
             larger(larger(abs_of(y.y), abs_of(y.z)),
                    larger(larger(abs_of(z.x), abs_of(z.y)), abs_of(z.z))));
  if (!(largest < 0x1p300) || !(abs_of(volume) > 0x1p-50 * size + 0x1p-760)) return 0;
  return volume > 0 ? 1 : -1;
}

// Returns the sign of the area of the triangle a, b, c in the plane of coordinates k and l, or 0 if
// rounding hides it. The determinant is off by less than 4 u times the sum of the absolute values
// of its products (Shewchuk 1997, the bound orient2d A); underflow adds less than 2^-1000.
GRAZE_HD inline int rough_turn(const double* a, const double* b, const double* c, int k, int l) {
  const double left = (a[k] - c[k]) * (b[l] - c[l]), right = (a[l] - c[l]) * (b[k] - c[k]);
  const double area = left - right, size = abs_of(left) + abs_of(right);
  if (!(abs_of(area) > 0x1p-50 * size + 0x1p-1000)) return 0;
  return area > 0 ? 1 : -1;
}

// Returns whether in some coordinate plane the segment lies strictly beyond a side of the triangle,
// or the triangle strictly on one side of the segment's line. Then the two have no common point.
GRAZE_HD inline bool apart_in_projection(const Vec& p, const Vec& q, const Vec& a, const Vec& b,
                                         const Vec& c) {
  const double end[2][3] = {{p.x, p.y, p.z}, {q.x, q.y, q.z}};
  const double corner[3][3] = {{a.x, a.y, a.z}, {b.x, b.y, b.z}, {c.x, c.y, c.z}};
  for (int k = 0; k < 3; ++k) {
    const int l = k == 2 ? 0 : k + 1;
    int turn[3];
    for (int i = 0; i < 3; ++i) {
      const int j = i == 2 ? 0 : i + 1, other = j == 2 ? 0 : j + 1;
      const int inside = rough_turn(corner[i], corner[j], corner[other], k, l);
      if (inside != 0 && rough_turn(corner[i], corner[j], end[0], k, l) == -inside &&
          rough_turn(corner[i], corner[j], end[1], k, l) == -inside)
        return true;
      turn[i] = rough_turn(end[0], end[1], corner[i], k, l);
    }
    if (turn[0] != 0 && turn[0] == turn[1] && turn[1] == turn[2]) return true;
  }
  return false;
}

enum class Piercing : std::uint8_t { no, yes, hidden };

// Returns whether the segment from p to q pierces the triangle a, b, c: its ends lie strictly on
// opposite sides of the plane, and it passes strictly inside the triangle. `hidden` if rounding
// hides it.
GRAZE_HD inline Piercing pierces(const Vec& p, const Vec& q, const Vec& a, const Vec& b,
                                 const Vec& c) {
  const int above = rough_side(a, b, c, p), below = rough_side(a, b, c, q);
  if (above != 0 && above == below) return Piercing::no;
  const int x = rough_side(p, q, a, b), y = rough_side(p, q, b, c), z = rough_side(p, q, c, a);
  if (x * y < 0 || y * z < 0 || z * x < 0) return Piercing::no;
  if (above * below != 0 && x * y * z != 0) return Piercing::yes;
  return apart_in_projection(p, q, a, b, c) ? Piercing::no : Piercing::hidden;
}

}  // namespace graze::gpu
