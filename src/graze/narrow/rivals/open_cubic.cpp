#include "graze/narrow/rivals/open_cubic.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "graze/narrow/batch.h"
#include "graze/narrow/check_count.h"
#include "graze/narrow/stop.h"

namespace graze::narrow {
namespace {

using Vec3f = Eigen::Vector3f;

constexpr double time_resolution = 1e-7;
constexpr float zero_tol = 1e-7F;

struct Bounds {
  double lo, hi;
};

class Search {
 public:
  Search(const VertexFace& query, const MethodOptions& options) : options_(options) {
    for (std::size_t i = 0; i < 4; ++i) {
      start_[i] = query.start[i].cast<float>();
      way_[i] = query.end[i].cast<float>() - start_[i];
    }
    const Vec3f x0 = start_[0] - start_[1], x1 = way_[0] - way_[1];
    const Vec3f y0 = start_[2] - start_[1], y1 = way_[2] - way_[1];
    const Vec3f z0 = start_[3] - start_[1], z1 = way_[3] - way_[1];
    const Vec3f n0 = y0.cross(z0), n1 = y1.cross(z0) + y0.cross(z1), n2 = y1.cross(z1);
    coefficients_ = {x0.dot(n0), x1.dot(n0) + x0.dot(n1), x0.dot(n2) + x1.dot(n1), x1.dot(n2)};
  }

  Impact answer() {
    const auto is_zero = [](float c) { return std::abs(c) < zero_tol; };
    // DEVIATION: floats that overflow would be bisected to the end; here they are a miss at once.
    const auto is_lost = [](float c) { return !std::isfinite(c); };
    if (std::all_of(coefficients_.begin(), coefficients_.end(), is_zero) ||
        std::any_of(coefficients_.begin(), coefficients_.end(), is_lost))
      return Impact::separated();
    const auto toi = first_contact(0, options_.t_max);
    if (spent_) return Impact::undecided(*toi, options_.t_max, checks_);
    return toi ? Impact::contact(*toi, options_.t_max, checks_) : Impact::separated(checks_);
  }

 private:
  // Returns bounds of sum c_i t^i over [lo, hi], 0 <= lo, with each term at the end where it is
  // least or greatest.
  template <std::size_t n>
  static Bounds bounds(const std::array<double, n>& c, double lo, double hi) {
    Bounds sum{c[0], c[0]};
    double lo_power = 1, hi_power = 1;
    for (std::size_t i = 1; i < n; ++i) {
      lo_power *= lo;
      hi_power *= hi;
      sum.lo += c[i] * (c[i] < 0 ? hi_power : lo_power);
      sum.hi += c[i] * (c[i] < 0 ? lo_power : hi_power);
    }
    return sum;
  }

  // Returns the first contact found in [lo, hi]; if the budget is spent, the time reached.
  //
  // DEVIATION: openCCD has no budget, and takes minutes where the cubic is zero up to rounding.
  std::optional<double> first_contact(double lo, double hi) {
    if (is_spent(checks_, options_)) {
      spent_ = true;
      return lo;
    }
    count_check(checks_);
    const std::array<double, 4> c{coefficients_[0], coefficients_[1], coefficients_[2],
                                  coefficients_[3]};
    const Bounds value = bounds(c, lo, hi);
    if (value.lo > 0 || value.hi < 0) return {};
    const Bounds slope = bounds(std::array{c[1], 2 * c[2], 3 * c[3]}, lo, hi);
    if (slope.lo > 0 || slope.hi < 0) {
      const double middle = lo + (hi - lo) / 2;
      const double f = ((c[3] * middle + c[2]) * middle + c[1]) * middle + c[0];
      const double root0 = middle - f / slope.lo, root1 = middle - f / slope.hi;
      lo = std::max(lo, std::min(root0, root1));
      hi = std::min(hi, std::max(root0, root1));
      if (lo > hi) return {};
    }
    const double middle = lo + (hi - lo) / 2;
    if (hi - lo < time_resolution)
      return is_inside(static_cast<float>(hi)) ? std::optional(middle) : std::nullopt;
    const auto first = first_contact(lo, middle);
    return first ? first : first_contact(middle, hi);
  }

  bool is_inside(float t) const {
    std::array<Vec3f, 3> to_corner;
    const Vec3f vertex = start_[0] + t * way_[0];
    for (std::size_t i = 0; i < 3; ++i)
      to_corner[i] = Vec3f(start_[i + 1] + t * way_[i + 1]) - vertex;
    const auto& [a, b, c] = to_corner;
    const Vec3f n = Vec3f(b - a).cross(Vec3f(c - a));
    return b.cross(c).dot(n) >= 0 && c.cross(a).dot(n) >= 0 && a.cross(b).dot(n) >= 0;
  }

  const MethodOptions& options_;
  std::array<Vec3f, 4> start_, way_;
  std::array<float, 4> coefficients_;
  std::uint32_t checks_ = 0;
  bool spent_ = false;
};

}  // namespace

void open_cubic(std::span<const VertexFace> queries, const MethodOptions& options,
                std::span<Impact> impacts) {
  solve_each(queries, options, Norm::none, impacts,
             [&](const VertexFace& query) { return Search(query, options).answer(); });
}

}  // namespace graze::narrow
