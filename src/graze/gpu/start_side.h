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

// Returns false only if the segment from p to q does not pierce the triangle a, b, c: its ends lie
// strictly on one side of the plane, or its line passes two sides of the triangle on strictly
// opposite sides. True includes all cases that rounding hides.
GRAZE_HD inline bool may_pierce(const Vec& p, const Vec& q, const Vec& a, const Vec& b,
                                const Vec& c) {
  const int above = rough_side(a, b, c, p);
  if (above != 0 && above == rough_side(a, b, c, q)) return false;
  const int x = rough_side(p, q, a, b), y = rough_side(p, q, b, c), z = rough_side(p, q, c, a);
  return x * y >= 0 && y * z >= 0 && z * x >= 0;
}

}  // namespace graze::gpu
