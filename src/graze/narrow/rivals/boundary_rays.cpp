#include "graze/narrow/rivals/boundary_rays.h"

#include "graze/exact/judge/integer_motion.h"

namespace graze::narrow::boundary {

using exact::Integer;

template <class Query>
ExactCorners::ExactCorners(const Query& query, double t_max) {
  using D = Domain<Query>;
  const auto motion = exact::integer_motion(query);
  const auto [numerator, shift] = exact::Dyadic::of(t_max);
  for (std::size_t m = 0; m < D::size; ++m) {
    const auto [to, from] = D::differences[m];
    for (std::size_t k = 0; k < 3; ++k) {
      const auto &x = motion[to][k].c, &y = motion[from][k].c;
      Integer& start = corner_[m][k];
      start = (x[0] - y[0]) << shift;
      corner_[m + D::size][k] = start + (x[1] - y[1]) * numerator;
    }
  }
}
template ExactCorners::ExactCorners(const VertexFace&, double);
template ExactCorners::ExactCorners(const EdgeEdge&, double);

// With the ray d, d_y a - a_y d is (X, 0, Z), X = d_y a_x - d_x a_y and Z = d_y a_z - d_z a_y; then
// d_y det(d, a, b) = Z_a X_b - X_a Z_b.
int ExactCorners::side(std::size_t i, std::size_t j) const {
  const auto &a = corner_[i], &b = corner_[j];
  const Integer xa = a[0] * ray_.y - a[1] * ray_.x, za = a[2] * ray_.y - a[1] * ray_.z;
  const Integer xb = b[0] * ray_.y - b[1] * ray_.x, zb = b[2] * ray_.y - b[1] * ray_.z;
  return (za * xb).compare(xa * zb);
}

Integer ExactCorners::determinant(const Triangle& f) const {
  const auto &a = corner_[f[0]], &b = corner_[f[1]], &c = corner_[f[2]];
  return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
         a[2] * (b[0] * c[1] - b[1] * c[0]);
}

int ExactCorners::patch_sign(const Patch& q) const {
  const Integer b0 = determinant({q[1], q[2], q[3]}), b1 = determinant({q[0], q[3], q[2]});
  const Integer b2 = determinant({q[0], q[1], q[3]}), b3 = determinant({q[0], q[2], q[1]});
  return (b0 * b3).compare(b1 * b2);
}

bool ExactCorners::is_flat(const Patch& q) const {
  // The volume of the tetrahedron is the sum of its four parts with the origin as apex.
  return determinant({q[1], q[2], q[3]}) + determinant({q[0], q[3], q[2]}) +
             determinant({q[0], q[1], q[3]}) + determinant({q[0], q[2], q[1]}) ==
         0;
}

bool ExactCorners::on_one_line(const Patch& q) const {
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const auto &a = corner_[q[i]], &b = corner_[q[j]];
      for (std::size_t k = 0; k < 3; ++k)
        if (a[k] * b[(k + 1) % 3] != a[(k + 1) % 3] * b[k]) return false;
    }
  return true;
}

bool ExactCorners::line_holds(const Patch& q) const {
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const auto &a = corner_[q[i]], &b = corner_[q[j]];
      if (a[0] * b[0] + a[1] * b[1] + a[2] * b[2] <= 0) return true;
    }
  return false;
}

}  // namespace graze::narrow::boundary
