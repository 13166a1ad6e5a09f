#include "graze/exact/ray_crossing.h"

#include <cmath>

#include "graze/core/numeric/common_scale.h"
#include "graze/exact/integer.h"

namespace graze::exact {
namespace {

// The coordinates of p and of the corners of a triangle as integers of one scale.
struct IntegerCorners {
  std::array<std::array<Integer, 3>, 3> corner;  // minus p

  IntegerCorners(const std::array<Vec3, 3>& triangle, const Vec3& p) {
    numeric::CommonScale scale;
    scale.include(p);
    for (const Vec3& x : triangle) scale.include(x);
    for (std::size_t i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k)
        corner[i][std::size_t(k)] =
            to_integer(scale.scaled(triangle[i][k])) - to_integer(scale.scaled(p[k]));
  }
};

// Returns the sign of a number that was computed as `value` with an error of at most `err`; 2 if
// the error hides the sign.
int sign_beyond(double value, double err) {
  return value > err ? 1 : value < -err ? -1 : 2;
}

// Returns the orientation in the plane z = 0 of p, a, b, where p is moved by (s, s^2, 0) with an
// infinitesimal s > 0. Never 0, unless a and b coincide in the plane.
//
// With a and b relative to p it is the sign of a_x b_y - a_y b_x + s (a_y - b_y) + s^2 (b_x - a_x).
// The error of the differences and products in doubles is below 6u (|a_x b_y| + |a_y b_x|) if
// nothing underflows; 2^-1000 covers underflow.
int turn_in_plane(const Vec3& p, const Vec3& a, const Vec3& b, const IntegerCorners& exact,
                  std::size_t i, std::size_t j) {
  const double l = (a[0] - p[0]) * (b[1] - p[1]), r = (a[1] - p[1]) * (b[0] - p[0]);
  const int quick = sign_beyond(l - r, 0x1p-50 * (std::abs(l) + std::abs(r)) + 0x1p-1000);
  if (quick != 2) return quick;
  const auto &x = exact.corner[i], &y = exact.corner[j];
  if (const int s = sign(x[0] * y[1] - x[1] * y[0])) return s;
  if (a[1] != b[1]) return a[1] > b[1] ? 1 : -1;
  return a[0] == b[0] ? 0 : b[0] > a[0] ? 1 : -1;
}

}  // namespace

// The moved line is parallel to z and meets no edge of the mesh. So it crosses each triangle in its
// interior or misses it, it crosses a closed surface an even number of times, and the parity of the
// crossings on the ray shows whether the moved point is inside. If p is not on the surface, p and
// the moved point are on the same side of every triangle that the line crosses, and both are inside
// the surface or both are outside.
bool ray_crosses(const Vec3& p, const std::array<Vec3, 3>& t) {
  for (int k = 0; k < 2; ++k) {
    if (t[0][k] < p[k] && t[1][k] < p[k] && t[2][k] < p[k]) return false;
    if (t[0][k] > p[k] && t[1][k] > p[k] && t[2][k] > p[k]) return false;
  }
  if (t[0][2] < p[2] && t[1][2] < p[2] && t[2][2] < p[2]) return false;
  const IntegerCorners exact(t, p);
  const int turn = turn_in_plane(p, t[0], t[1], exact, 0, 1);
  if (turn == 0 || turn_in_plane(p, t[1], t[2], exact, 1, 2) != turn ||
      turn_in_plane(p, t[2], t[0], exact, 2, 0) != turn)
    return false;
  // The line crosses the triangle above p iff the determinant of the corners relative to p has the
  // sign of the turn: for p itself, the determinant is the height of the crossing times twice the
  // signed area in the plane. It is 0 only if p is in the plane of the triangle. Then p is on the
  // triangle, because p is in the closure of its projection.
  const auto& [a, b, c] = exact.corner;
  const Integer determinant = a[0] * (b[1] * c[2] - b[2] * c[1]) -
                              a[1] * (b[0] * c[2] - b[2] * c[0]) +
                              a[2] * (b[0] * c[1] - b[1] * c[0]);
  return sign(determinant) == turn;
}

}  // namespace graze::exact
