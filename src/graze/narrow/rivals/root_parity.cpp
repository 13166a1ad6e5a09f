#include "graze/narrow/rivals/root_parity.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "graze/core/numeric/unit_roundoff.h"
#include "graze/narrow/batch.h"
#include "graze/narrow/rivals/boundary_rays.h"

namespace graze::narrow {
namespace {

using boundary::Crossing;
using boundary::Domain;
using boundary::ExactCorners;
using boundary::Patch;
using boundary::Triangle;
using boundary::View;

template <class Query>
struct Differences {
  static constexpr std::size_t size = Domain<Query>::size;

  std::array<Vec3, size> start, end;  // each component is off by a factor 1 +- u; signs are right
  Vec3 largest = Vec3::Zero();        // in magnitude, of each component

  explicit Differences(const Query& query) {
    for (std::size_t m = 0; m < size; ++m) {
      const auto [to, from] = Domain<Query>::differences[m];
      start[m] = query.start[to] - query.start[from];
      end[m] = query.end[to] - query.end[from];
      largest = largest.cwiseMax(start[m].cwiseAbs()).cwiseMax(end[m].cwiseAbs());
    }
  }

  // Returns whether `along`, a linear function whose computed sign is correct unless it is 0, has
  // one sign on all differences. Then it has that sign on the whole image of F, which excludes the
  // origin.
  template <class Along>
  bool one_sided(Along&& along) const {
    bool above = true, below = true;
    for (const auto* side : {&start, &end})
      for (const Vec3& e : *side) {
        above = above && along(e) > 0;
        below = below && along(e) < 0;
      }
    return above || below;
  }

  // Returns whether the image lies on one side of one of nine planes through the origin. Sums of
  // two components have the right sign: rounding is monotonic, so a <= -b implies fl(a) <= -fl(b).
  bool one_sided() const {
    for (int k = 0; k < 3; ++k) {
      const int l = (k + 1) % 3;
      if (one_sided([k](const Vec3& e) { return e[k]; }) ||
          one_sided([k, l](const Vec3& e) { return e[k] + e[l]; }) ||
          one_sided([k, l](const Vec3& e) { return e[k] - e[l]; }))
        return true;
    }
    return false;
  }
};

// The corners of the image in doubles, and the signs of ExactCorners: from doubles where an error
// bound proves them, else from integers made when first needed.
//
// Let A be the largest magnitudes of the components. Corners at t_max < 1 are computed as
// (1 - t) start + t end: start, end, 1 - t, the products and the sum are off by a factor 1 +- u
// each, at most 5u A in all with a little to spare for second order, which makes 6u A. So:
//
//   X = d_y x - d_x y, d the ray, |X| <= AX = d_y Ax + |d_x| Ay: 6u AX from the corners, u each
//   from the products and the difference: 8u AX. Z likewise. Z_a X_b - X_a Z_b is at most 2 AX AZ;
//   its factors bring 2 * 8u of that, products and difference 2u: 18u. side_err = 20u * 2 AX AZ.
//
//   det(a, b, c) is at most P = 6 Ax Ay Az, also with all terms positive. The corners bring 3 * 6u,
//   the cross product 2u, the products with it u, the two sums 2u: 23u P. volume_err = 24u P.
//
//   phi = b0 b3 - b1 b2, each b off by E = volume_err: E (|b0| + |b1| + |b2| + |b3|) + 2 E^2, with
//   computed |b|, and 3u of the products. Doubled below.
//
// Underflow: with all |A| < 1e45 products of two and of three lose less than 1e-270 to it; the
// constant 1e-200 covers that and products of two volumes below. Nothing overflows: phi < 1e275.
// Beyond 1e45 the bounds are infinite.
template <class Query>
class FilteredCorners {
 public:
  FilteredCorners(const Query& query, const Differences<Query>& differences, double t_max)
      : query_(query), t_max_(t_max), largest_(differences.largest) {
    constexpr std::size_t size = Domain<Query>::size;
    for (std::size_t m = 0; m < size; ++m) {
      corner_[m] = differences.start[m];
      corner_[m + size] = t_max == 1
                              ? differences.end[m]
                              : (1 - t_max) * differences.start[m] + t_max * differences.end[m];
    }
    in_range_ = largest_.maxCoeff() < 1e45;
    volume_err_ = bound(144 * numeric::u * largest_[0] * largest_[1] * largest_[2]);
  }

  void aim(const boundary::Ray& ray) {
    ray_ = ray;
    for (std::size_t m = 0; m < corner_.size(); ++m) {
      x_[m] = ray.y * corner_[m][0] - ray.x * corner_[m][1];
      z_[m] = ray.y * corner_[m][2] - ray.z * corner_[m][1];
    }
    side_err_ = bound(40 * numeric::u * (ray.y * largest_[0] + std::abs(ray.x) * largest_[1]) *
                      (ray.y * largest_[2] + std::abs(ray.z) * largest_[1]));
  }
  int side(std::size_t i, std::size_t j) {
    const double value = z_[i] * x_[j] - x_[i] * z_[j];
    if (value > side_err_) return 1;
    if (value < -side_err_) return -1;
    return exact().side(i, j);
  }
  int volume(const Triangle& f) {
    const double value = determinant(f);
    if (value > volume_err_) return 1;
    if (value < -volume_err_) return -1;
    return exact().volume(f);
  }
  int patch_sign(const Patch& q) {
    const double b0 = determinant({q[1], q[2], q[3]}), b1 = determinant({q[0], q[3], q[2]});
    const double b2 = determinant({q[0], q[1], q[3]}), b3 = determinant({q[0], q[2], q[1]});
    const double plus = b0 * b3, minus = b1 * b2, e = volume_err_;
    const double sum = std::abs(b0) + std::abs(b1) + std::abs(b2) + std::abs(b3);
    const double err =
        2 * (e * (sum + 2 * e) + 3 * numeric::u * (std::abs(plus) + std::abs(minus)));
    if (plus - minus > err) return 1;
    if (plus - minus < -err) return -1;
    return exact().patch_sign(q);
  }
  bool is_flat(const Patch& q) { return exact().is_flat(q); }
  bool on_one_line(const Patch& q) { return exact().on_one_line(q); }
  bool line_holds(const Patch& q) { return exact().line_holds(q); }

  // Returns the point at which the ray meets a triangle, in doubles: the mean of the corners
  // weighted by the sides opposite to them.
  Vec3 crossing(const Triangle& f) const {
    const auto side = [&](std::size_t i, std::size_t j) { return z_[i] * x_[j] - x_[i] * z_[j]; };
    const double a = side(f[1], f[2]), b = side(f[2], f[0]), c = side(f[0], f[1]);
    return (a * corner_[f[0]] + b * corner_[f[1]] + c * corner_[f[2]]) / (a + b + c);
  }

 private:
  double bound(double err) const { return in_range_ ? err + 1e-200 : Impact::inf; }
  double determinant(const Triangle& f) const {
    const Vec3 &a = corner_[f[0]], &b = corner_[f[1]], &c = corner_[f[2]];
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  ExactCorners& exact() {
    if (!exact_) exact_.emplace(query_, t_max_);
    exact_->aim(ray_);
    return *exact_;
  }

  const Query& query_;
  double t_max_;
  Vec3 largest_;
  bool in_range_;
  double volume_err_, side_err_ = 0;
  boundary::Ray ray_{};
  std::array<Vec3, 2 * Domain<Query>::size> corner_;
  std::array<double, 2 * Domain<Query>::size> x_, z_;
  std::optional<ExactCorners> exact_;
};

// The rules of [Wang 2021]: a flat patch is two triangles, crossed if one of them is, and touched
// by the origin if the hull of its corners is. That is wrong for a folded patch, as in its Appendix
// B: the patch covers the common part of both triangles twice or not at all, and the hull is larger
// than the patch.
template <class Corners>
struct FlatAsTwoTriangles : boundary::EnoughRays {
  Corners& corners;

  explicit FlatAsTwoTriangles(Corners& seen) : corners(seen) {}

  static Crossing folded() { return Crossing::odd; }
  bool on_flat(const Patch& q, const std::array<View, 4>& views) const {
    for (const View& seen : views)
      if (!seen.missed && seen.sign != 0) return true;
    return corners.on_one_line(q) && corners.line_holds(q);
  }
};

// The rules of the public code: the triangles of a flat patch are added modulo 2; all rays lie in
// the plane z = 0, and after ten rays that meet an edge the answer is contact. The crossing of a
// ray and the bottom or the top is computed in doubles, and counts as a touch if it rounds to the
// origin.
// DEVIATION: the public code draws its rays by rand(); these are fixed.
template <class Corners>
struct AsInPublicCode : FlatAsTwoTriangles<Corners> {
  using FlatAsTwoTriangles<Corners>::FlatAsTwoTriangles;

  static constexpr std::uint32_t most_rays = 10;
  static constexpr Verdict if_none_is_clear = Verdict::contact;

  static boundary::Ray ray(std::uint32_t number) {
    constexpr std::array<std::array<int, 2>, most_rays> directions{{{577, 816},
                                                                    {-829, 559},
                                                                    {127, 991},
                                                                    {-283, 959},
                                                                    {907, 421},
                                                                    {-661, 751},
                                                                    {353, 935},
                                                                    {-947, 319},
                                                                    {773, 633},
                                                                    {-71, 997}}};
    return {directions[number - 1][0], directions[number - 1][1], 0};
  }
  static Crossing folded() { return Crossing::even; }
  static bool touches(const Corners& corners, const Triangle& f) {
    return corners.crossing(f).isZero(0);
  }
};

template <template <class> class Rules, class Query>
void solve_batch(std::span<const Query> queries, const MethodOptions& options,
                 std::span<Impact> impacts) {
  solve_each(queries, options, Norm::none, impacts, [&](const Query& query) {
    const Differences<Query> differences(query);
    if (differences.one_sided()) return Impact::separated();
    FilteredCorners<Query> corners(query, differences, options.t_max);
    const Rules<FilteredCorners<Query>> rules(corners);
    return boundary::shoot<Query>(corners, rules, options.t_max);
  });
}

}  // namespace

void root_parity(std::span<const VertexFace> queries, const MethodOptions& options,
                 std::span<Impact> impacts) {
  solve_batch<FlatAsTwoTriangles>(queries, options, impacts);
}
void root_parity(std::span<const EdgeEdge> queries, const MethodOptions& options,
                 std::span<Impact> impacts) {
  solve_batch<FlatAsTwoTriangles>(queries, options, impacts);
}
void root_parity_published(std::span<const VertexFace> queries, const MethodOptions& options,
                           std::span<Impact> impacts) {
  solve_batch<AsInPublicCode>(queries, options, impacts);
}
void root_parity_published(std::span<const EdgeEdge> queries, const MethodOptions& options,
                           std::span<Impact> impacts) {
  solve_batch<AsInPublicCode>(queries, options, impacts);
}

}  // namespace graze::narrow
