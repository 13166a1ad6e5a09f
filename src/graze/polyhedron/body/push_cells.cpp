#include "graze/polyhedron/body/push_cells.h"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <span>
#include <tuple>

namespace graze::polyhedron {
namespace {

constexpr std::size_t most_planes = 8;  // limits the number of cells to 58

}  // namespace

void PushCells::add(const Vec3& normal) {
  const auto same = [&](const Vec3& n) { return std::abs(n.dot(normal)) > 1 - 1e-9; };
  if (std::abs(normal.norm() - 1) < 1e-6 && planes_.size() < most_planes &&
      std::none_of(planes_.begin(), planes_.end(), same))
    planes_.push_back(normal);
}

// The shortest u with s_i n_i.u >= c for all i is a combination of at most three s_i n_i whose
// constraints hold with equality (Karush, Kuhn and Tucker; Caratheodory), so all subsets of one
// to three planes with all signs yield it.
std::vector<Vec3> PushCells::pushes() const {
  struct Push {
    unsigned behind;  // bit i: on the side of plane i that its normal points away from
    Vec3 by;
  };
  std::vector<Push> found;
  const std::size_t k = planes_.size();
  const auto consider = [&](std::span<const std::size_t> subset) {
    const auto rows = static_cast<Eigen::Index>(subset.size());
    for (unsigned signs = 0; signs < 1u << subset.size(); ++signs) {
      Eigen::Matrix<double, Eigen::Dynamic, 3, 0, 3, 3> normals(rows, 3);
      for (std::size_t i = 0; i < subset.size(); ++i)
        normals.row(static_cast<Eigen::Index>(i)) =
            (signs >> i & 1 ? -1. : 1.) * planes_[subset[i]].transpose();
      const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 3, 3> gram =
          normals * normals.transpose();
      if (gram.determinant() < 1e-6) continue;
      const Vec3 by =
          normals.transpose() * gram.inverse() * Eigen::VectorXd::Constant(rows, push_clearance);
      if (!(by.norm() <= longest_push)) continue;
      Push push{0, by};
      bool is_clear = true;
      for (std::size_t i = 0; i < k; ++i) {
        const double side = planes_[i].dot(by);
        if (side < 0) push.behind |= 1u << i;
        is_clear = is_clear && std::abs(side) >= push_clearance * (1 - 1e-9);
      }
      if (!is_clear) continue;
      const auto same = std::find_if(found.begin(), found.end(), [&](const Push& other) {
        return other.behind == push.behind;
      });
      if (same == found.end())
        found.push_back(push);
      else if (by.norm() < same->by.norm())
        same->by = by;
    }
  };
  for (std::size_t i = 0; i < k; ++i) {
    consider(std::array{i});
    for (std::size_t j = 0; j < i; ++j) {
      consider(std::array{i, j});
      for (std::size_t l = 0; l < j; ++l) consider(std::array{i, j, l});
    }
  }
  std::sort(found.begin(), found.end(), [](const Push& a, const Push& b) {
    return std::tuple(std::popcount(a.behind), a.behind) <
           std::tuple(std::popcount(b.behind), b.behind);
  });
  std::vector<Vec3> result;
  for (const Push& push : found) result.push_back(push.by);
  return result;
}

}  // namespace graze::polyhedron
