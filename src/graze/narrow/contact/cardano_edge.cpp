#include "graze/narrow/contact/cardano_edge.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "graze/exact/judge/coplanarity.h"
#include "graze/narrow/batch.h"

namespace graze::narrow {
namespace {

using exact::MovingVector;

// A sum smaller than this fraction of its terms counts as zero: the error of some tens of
// roundings.
constexpr double zero_tol = 0x1p-46;
// DEVIATION: [Jansen] requires 0 <= t, f1, f2 <= 1 of computed numbers, so that rounding loses half
// of all contacts at an end of an edge or of the step. These constants widen the ranges slightly.
// The reported time is early by as much, so that rounding alone does not make it late.
constexpr double time_slack = 1e-12, parameter_slack = 1e-10;
// Edges count as parallel, and a point as lying on a line, below this sine.
constexpr double parallel_sin = 1e-10;

// At most three real numbers, ascending.
class Roots {
 public:
  void add(double root) {
    std::size_t i = count_++;
    for (; i > 0 && items_[i - 1] > root; --i) items_[i] = items_[i - 1];
    items_[i] = root;
  }
  const double* begin() const { return items_.data(); }
  const double* end() const { return items_.data() + count_; }

 private:
  std::array<double, 3> items_{};
  std::size_t count_ = 0;
};

Roots linear_roots(double c1, double c0) {
  Roots roots;
  if (c1 != 0) roots.add(-c0 / c1);
  return roots;
}

Roots quadratic_roots(double c2, double c1, double c0) {
  Roots roots;
  const double discriminant = c1 * c1 - 4 * c2 * c0;
  const double rounding = zero_tol * (c1 * c1 + std::abs(4 * c2 * c0));
  if (std::abs(discriminant) <= rounding) {  // a double root, up to rounding
    roots.add(-c1 / (2 * c2));
  } else if (discriminant > 0) {
    const double q = -(c1 + std::copysign(std::sqrt(discriminant), c1)) / 2;
    roots.add(q / c2);
    roots.add(c0 / q);
  }
  return roots;
}

// Returns the real roots of t^3 + b t^2 + c t + d. With t = x - b/3 the polynomial is
// x^3 + 3 Q x - 2 R, and x = S + T is a root if S T = -Q and S^3 + T^3 = 2 R. So S^3 and T^3 are
// the roots R +- sqrt(G), G = Q^3 + R^2, of a quadratic. The other two roots are obtained with S
// and T multiplied by the complex cube roots of 1.
//   G > 0: S, T real, one real root.
//   G < 0: S^3 = R + i sqrt(-G) has modulus (-Q)^(3/2); T is the conjugate of S, and all roots
//     2 Re S, -Re S -+ sqrt(3) Im S are real.
//   G = 0: S = T, a single root 2 S and a double one -S.
//
// DEVIATION: near G = 0 the first two cases lose half of the digits, and rounding (of Q and R,
// relative to their terms) decides between them. So |G| below that rounding is a case of its own. T
// is computed from S T = -Q, without cancellation.
Roots monic_cubic_roots(double b, double c, double d) {
  const double Q = (3 * c - b * b) / 9, R = (9 * c * b - 27 * d - 2 * b * b * b) / 54;
  const double G = Q * Q * Q + R * R, shift = -b / 3;
  Roots roots;
  const double Q_terms = (3 * std::abs(c) + b * b) / 9;
  const double R_terms = (9 * std::abs(c * b) + 27 * std::abs(d) + 2 * std::abs(b * b * b)) / 54;
  if (std::abs(G) <= zero_tol * (3 * Q * Q * Q_terms + 2 * std::abs(R) * R_terms)) {
    const double S = std::cbrt(R);
    roots.add(shift + 2 * S);
    roots.add(shift - S);
  } else if (G > 0) {
    const double S = std::cbrt(R + std::copysign(std::sqrt(G), R));
    roots.add(shift + S - Q / S);
  } else {
    const double radius = std::sqrt(-Q), angle = std::atan2(std::sqrt(-G), R) / 3;
    const double real = radius * std::cos(angle), imaginary = radius * std::sin(angle);
    roots.add(shift + 2 * real);
    roots.add(shift - real - std::numbers::sqrt3 * imaginary);
    roots.add(shift - real + std::numbers::sqrt3 * imaginary);
  }
  return roots;
}

// Returns the roots of a polynomial in [0, t_max], ascending. c has the coefficients in ascending
// powers.
//
// DEVIATION: a leading coefficient whose term is below the rounding error on [0, 1] counts as zero.
// Each root is improved by Newton's iteration, because with a small leading coefficient the closed
// form subtracts numbers much larger than the root.
Roots times(const std::array<double, 4>& c, double t_max) {
  const double scale = std::max({std::abs(c[0]), std::abs(c[1]), std::abs(c[2]), std::abs(c[3])});
  const auto is_zero = [&](double x) { return std::abs(x) <= zero_tol * scale; };
  const Roots all = !is_zero(c[3])   ? monic_cubic_roots(c[2] / c[3], c[1] / c[3], c[0] / c[3])
                    : !is_zero(c[2]) ? quadratic_roots(c[2], c[1], c[0])
                                     : linear_roots(c[1], c[0]);
  Roots inside;
  for (double t : all) {
    for (int step = 0; step < 3; ++step) {
      const double value = ((c[3] * t + c[2]) * t + c[1]) * t + c[0];
      const double next = t - value / ((3 * c[3] * t + 2 * c[2]) * t + c[1]);
      if (!(std::abs(next - t) < 1e-3)) break;  // the slope vanishes at a multiple root
      t = next;
    }
    if (t >= -time_slack && t <= t_max + time_slack) inside.add(std::clamp(t, 0.0, t_max));
  }
  return inside;
}

bool vanishes(const exact::Cubic& p) {
  return std::all_of(p.c.begin(), p.c.end(), [&](double c) { return std::abs(c) <= 2 * p.err; });
}

Vec3 at(const MovingVector& m, double t) {
  return m.at[0] + t * (m.at[1] - m.at[0]);
}

struct Place {
  double u, v;
};

// Returns the point at which the coplanar segments from 0 to y and from x to x + z intersect; empty
// if they do not. Solves u y = x + v z in the pair of coordinates with the largest determinant.
std::optional<Place> intersection(const Vec3& x, const Vec3& y, const Vec3& z) {
  const Vec3 n = y.cross(z);
  Eigen::Index k;
  const double largest = n.cwiseAbs().maxCoeff(&k);
  if (largest > parallel_sin * y.norm() * z.norm()) {
    const double u = x.cross(z)[k] / n[k], v = x.cross(y)[k] / n[k];
    const auto inside = [](double f) { return f >= -parameter_slack && f <= 1 + parameter_slack; };
    if (!inside(u) || !inside(v)) return {};
    return Place{std::clamp(u, 0.0, 1.0), std::clamp(v, 0.0, 1.0)};
  }
  // Parallel segments touch iff they lie on one line and overlap. [Jansen] omits this case.
  const double size = std::max({x.norm(), y.norm(), z.norm()});
  const Vec3& along = y.squaredNorm() >= z.squaredNorm() ? y : z;
  if (along.isZero(0)) return x.norm() == 0 ? std::optional(Place{0, 0}) : std::nullopt;
  const Vec3 direction = along.normalized();
  if (x.cross(direction).norm() > parallel_sin * size) return {};
  const double a1 = y.dot(direction), b0 = x.dot(direction), b1 = b0 + z.dot(direction);
  const double lo = std::max(std::min(0.0, a1), std::min(b0, b1));
  const double hi = std::min(std::max(0.0, a1), std::max(b0, b1));
  if (lo > hi + parameter_slack * size) return {};
  const auto parameter = [&](double from, double to) {
    return from == to ? 0 : std::clamp((lo - from) / (to - from), 0.0, 1.0);
  };
  return Place{parameter(0, a1), parameter(b0, b1)};
}

// The motion of the ends relative to each other.
struct Edges {
  MovingVector x, y, z;  // b0 - a0, a1 - a0, b1 - b0

  explicit Edges(const EdgeEdge& query)
      : x(exact::difference(query, 0, 2)),
        y(exact::difference(query, 0, 1)),
        z(exact::difference(query, 2, 3)) {}

  Edges of_one_scale() const {
    Edges result = *this;
    const int scale = std::max({x.exponent, y.exponent, z.exponent});
    for (auto* vector : {&result.x, &result.y, &result.z}) *vector = vector->with_exponent(scale);
    return result;
  }

  // Returns the contact at t, if there is one. `leaving` is the sign of the derivative of
  // x . (y cross z) at t. The vectors must have one scale.
  std::optional<Impact> touch(double t, double t_max, int leaving) const {
    const Vec3 xt = at(x, t), yt = at(y, t), zt = at(z, t);
    const auto place = intersection(xt, yt, zt);
    if (!place) return {};
    Impact impact = Impact::contact(std::max(0.0, t - time_slack), t_max);
    impact.u = place->u;
    impact.v = place->v;
    const Vec3 n = yt.cross(zt);
    if (leaving != 0 && !n.isZero(0)) impact.normal = leaving * n.stableNormalized();
    return impact;
  }
};

// Returns the times at which edges that are always coplanar can begin to touch: the start, and all
// times at which an end lies on the line of the other edge.
std::vector<double> planar_times(const EdgeEdge& query, double t_max) {
  std::vector<double> result{0};
  const auto add = [&](const Roots& roots) {
    result.insert(result.end(), roots.begin(), roots.end());
  };
  constexpr std::size_t meetings[4][3] = {{0, 2, 3}, {1, 2, 3}, {2, 0, 1}, {3, 0, 1}};
  for (const auto& [corner, end0, end1] : meetings) {
    const auto x = exact::difference(query, corner, end0);
    const auto y = exact::difference(query, corner, end1);
    if (const auto p = exact::collinearity(x, y); !vanishes(p)) {
      add(times(p.c, t_max));
    } else {
      for (const auto* end : {&x, &y})
        if (!end->is_zero()) add(times(exact::coincidence(*end).c, t_max));
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

Impact answer(const EdgeEdge& query, const Options& options) {
  const Edges edges(query);
  const auto cubic = exact::coplanarity(edges.x, edges.y, edges.z);
  const Edges scaled = edges.of_one_scale();
  std::uint32_t checks = 0;
  const auto first_touch = [&](const auto& candidates) {
    for (const double t : candidates) {
      ++checks;
      const double slope = (3 * cubic.c[3] * t + 2 * cubic.c[2]) * t + cubic.c[1];
      const int leaving = slope > cubic.err ? 1 : slope < -cubic.err ? -1 : 0;
      if (auto impact = scaled.touch(t, options.t_max, leaving)) {
        impact->checks = checks;
        return *impact;
      }
    }
    return Impact::separated(checks);
  };
  return vanishes(cubic) ? first_touch(planar_times(query, options.t_max))
                         : first_touch(times(cubic.c, options.t_max));
}

bool is_valid(const Options& options) {
  return is_sensible(options) && options.min_separation == 0;
}

}  // namespace

Impact cardano_edge(const EdgeEdge& query, const Options& options) {
  const FloatEnvironment environment;
  if (!is_valid(options) || !is_finite(query)) return Impact::invalid();
  return answer(query, options);
}

std::optional<JoinedEdges> joined_edges(const EdgeEdge& query) {
  for (const std::size_t a : {0u, 1u})
    for (const std::size_t b : {2u, 3u})
      if (query.start[a] == query.start[b] && query.end[a] == query.end[b])
        return JoinedEdges{{query.start[a], query.start[1 - a], query.start[5 - b]},
                           {query.end[a], query.end[1 - a], query.end[5 - b]}};
  return {};
}

Impact fold_of(const JoinedEdges& edges, const Options& options) {
  const FloatEnvironment environment;
  // The two edges as a query that contains the joint twice.
  const EdgeEdge query{{edges.start[0], edges.start[1], edges.start[0], edges.start[2]},
                       {edges.end[0], edges.end[1], edges.end[0], edges.end[2]}};
  if (!is_valid(options) || !is_finite(query)) return Impact::invalid();
  const Edges motion = Edges(query).of_one_scale();
  std::vector<double> candidates{0};
  const auto add = [&](const Roots& roots) {
    candidates.insert(candidates.end(), roots.begin(), roots.end());
  };
  if (const auto p = exact::collinearity(motion.y, motion.z); !vanishes(p)) {
    add(times(p.c, options.t_max));
  } else {
    for (const auto* side : {&motion.y, &motion.z})
      if (!side->is_zero()) add(times(exact::coincidence(*side).c, options.t_max));
  }
  std::sort(candidates.begin(), candidates.end());
  std::uint32_t checks = 0;
  for (const double t : candidates) {
    ++checks;
    const Vec3 y = at(motion.y, t), z = at(motion.z, t);
    if (y.cross(z).norm() > parallel_sin * y.norm() * z.norm() || y.dot(z) < 0) continue;
    Impact impact = Impact::contact(std::max(0.0, t - time_slack), options.t_max, checks);
    const double y_size = y.norm(), z_size = z.norm();
    impact.u = y_size <= z_size ? 1 : z_size / y_size;
    impact.v = z_size <= y_size ? 1 : y_size / z_size;
    const Vec3 speed =
        impact.u * (motion.y.at[1] - motion.y.at[0]) - impact.v * (motion.z.at[1] - motion.z.at[0]);
    const Vec3 along = (y_size >= z_size ? y : z).stableNormalized();
    const Vec3 across = speed - along * along.dot(speed);
    if (across.norm() > parallel_sin * speed.norm()) impact.normal = across.stableNormalized();
    return impact;
  }
  return Impact::separated(checks);
}

void cardano_edge(std::span<const EdgeEdge> queries, const MethodOptions& options,
                  std::span<Impact> impacts) {
  solve_each(queries, options, Norm::none, impacts,
             [&](const EdgeEdge& query) { return answer(query, options); });
}

}  // namespace graze::narrow
