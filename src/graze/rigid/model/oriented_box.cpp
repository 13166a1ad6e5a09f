#include "graze/rigid/model/oriented_box.h"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

namespace graze::rigid {
namespace {

// Finds the principal axes of a surface; false where it has none. Areas weight the points, so that
// the axes do not depend on how a surface is divided: the integral of x x^T over a triangle
// with corners p, q, r and area a is a/12 (s s^T + p p^T + q q^T + r r^T), s = p + q + r.
bool find_principal_axes(std::span<const Vec3> vertices, std::span<const Face> faces,
                         Eigen::Matrix3d& axes) {
  Vec3 lo = vertices[faces[0][0]], hi = lo;
  for (const Face& face : faces)
    for (const std::uint32_t v : face) {
      lo = lo.cwiseMin(vertices[v]);
      hi = hi.cwiseMax(vertices[v]);
    }
  const double size = (hi - lo).lpNorm<Eigen::Infinity>();
  if (!(size > 0x1p-400 && size < 0x1p400)) return false;
  const double scale = 1 / size;
  double area = 0;
  Vec3 first = Vec3::Zero();
  Eigen::Matrix3d second = Eigen::Matrix3d::Zero();
  for (const Face& face : faces) {
    const Vec3 p = scale * (vertices[face[0]] - lo), q = scale * (vertices[face[1]] - lo),
               r = scale * (vertices[face[2]] - lo), s = p + q + r;
    const double a = (q - p).cross(r - p).norm();
    area += a;
    first += a / 3 * s;
    second +=
        a / 12 * (s * s.transpose() + p * p.transpose() + q * q.transpose() + r * r.transpose());
  }
  if (!(area > 0)) return false;
  const Eigen::Matrix3d covariance = second / area - first * first.transpose() / (area * area);
  axes = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(covariance).eigenvectors();
  for (int k = 0; k < 3; ++k)
    if (!(std::abs(axes.col(k).squaredNorm() - 1) < 0x1p-46)) return false;
  return true;
}

}  // namespace

// With c = axes^T m as computed, m.x = c.(axes^T x) + r.x, where r = m - axes c. The first term is
// at least the sum of c_k lo_k or c_k hi_k. r is computed with an error below 2^-49 in each
// coordinate: |m_i| and the sum of the three products, each at most 1.01, are sums of four numbers
// of size up to 1.01. So |r.x| <= (max|r_i| + 2^-49) reach. |c_k| <= 1.01, and lo and hi are at
// most 1.02 reach in size, so that the sum of three products, computed, is off by at most
// 3 * 2^-52 * 3.1 reach. 2^-46 reach covers both, and the subtraction.
double OrientedBox::lowest(const Vec3& m) const {
  if (!exists()) return -std::numeric_limits<double>::infinity();
  const Vec3 c = axes.transpose() * m, rest = m - axes * c;
  double sum = 0;
  for (int k = 0; k < 3; ++k) sum += c[k] * (c[k] > 0 ? lo[k] : hi[k]);
  return sum - (rest.lpNorm<Eigen::Infinity>() + 0x1p-46) * reach;
}

// A computed coordinate along an axis, a sum of three products, is off by at most 3 * 2^-53 times
// 1.01 times the sum of the sizes of the coordinates, which the computed reach bounds up to 2^-51:
// below 2^-50 reach. lo and hi are moved by twice that, which covers the rounding of the move.
OrientedBox oriented_box(std::span<const Vec3> vertices, std::span<const Face> faces) {
  OrientedBox box;
  if (!find_principal_axes(vertices, faces, box.axes)) return {};
  box.lo = Vec3::Constant(0x1p1010);
  box.hi = -box.lo;
  for (const Face& face : faces)
    for (const std::uint32_t v : face) {
      const Vec3 along = box.axes.transpose() * vertices[v];
      box.lo = box.lo.cwiseMin(along);
      box.hi = box.hi.cwiseMax(along);
      box.reach = std::max(box.reach, vertices[v].lpNorm<1>());
    }
  box.reach *= 1 + 0x1p-50;
  box.lo.array() -= 0x1p-49 * box.reach;
  box.hi.array() += 0x1p-49 * box.reach;
  return box;
}

}  // namespace graze::rigid
