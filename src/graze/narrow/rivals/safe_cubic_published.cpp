#include "graze/narrow/rivals/safe_cubic_published.h"

#include <optional>

#include "graze/core/numeric/bracketed_root.h"
#include "graze/narrow/batch.h"
#include "graze/narrow/rivals/time_polynomial.h"

namespace graze::narrow {
namespace {

using namespace rivals;

// The constants of the public code for doubles; q is the fourth root of their epsilon, and B bounds
// the differences of positions and of velocities.
struct Tolerances {
  static constexpr double q = 0x1p-13;

  explicit Tolerances(double b)
      : corner_corner_sq(1678 * b * b * q * q),
        moment_slope(18 * b * q),
        moment(725 * b * b * q * q),
        short_edge_sq(2100 * b * b * q * q),
        zero_moment(3 * b * b * q * q),
        cubic(64 * b * b * b * q * q * q),
        certain_cubic(cubic + 746 * b * b * b * 0x1p-52),
        normal(64 * b * b * q * q),
        thin(4 * b * q),
        weight(10 * b * b * b * b * time_reach),
        gap(82 * b * q) {}

  static constexpr double time_reach = 0.001;  // a root is certain if P is not small this far away
  double corner_corner_sq, moment_slope, moment, short_edge_sq, zero_moment;
  double cubic, certain_cubic, normal, thin, weight, gap;
};

double largest_component(const Vec3& v) {
  return v.cwiseAbs().maxCoeff();
}

// The corners relative to one of them, and the two primitives as sets of corners.
std::array<VectorPolynomial<1>, 4> corners(const VertexFace&, const Motion& m) {
  return {m.x, {Vec3::Zero(), Vec3::Zero()}, m.y, m.z};
}
std::array<VectorPolynomial<1>, 4> corners(const EdgeEdge&, const Motion& m) {
  return {VectorPolynomial<1>{Vec3::Zero(), Vec3::Zero()}, m.y, m.x, m.x + m.z};
}
constexpr std::size_t first_size(const VertexFace&) {
  return 1;
}
constexpr std::size_t first_size(const EdgeEdge&) {
  return 2;
}

// Returns roots of p in [0, 1] up to |p| < tol, one for each monotone piece that has one.
Times<3> roots_to(const Polynomial<3>& p, double tol) {
  Times<3> roots;
  Times<4> knots;
  knots.add(1);
  const double a = 3 * p[3], b = 2 * p[2], c = p[1], root = b * b - 4 * a * c;
  const double t = root > 0 ? -b - std::copysign(std::sqrt(root), b) : -b;
  for (const double extremum : {t / (2 * a), root > 0 ? 2 * c / t : 0})
    if (extremum > 0 && extremum < 1) knots.add(extremum);
  double lo = 0;
  for (const double hi : knots) {
    const double f_lo = value_at(p, lo), f_hi = value_at(p, hi);
    if (std::abs(f_lo) < tol) {
      roots.add(lo);
    } else if (std::abs(f_hi) < tol) {
      roots.add(hi);
    } else if ((f_lo < 0) != (f_hi < 0)) {
      roots.add(numeric::bracketed_root(
          {lo, hi, f_lo < 0, lo + (hi - lo) / 2}, 1024,
          [&](double s) {
            const double f = value_at(p, s);
            return std::abs(f) < tol ? 0.0 : f;
          },
          [&](double s, double f) { return s - f / ((a * s + b) * s + c); },
          [](double) { return 0.0; }));
    }
    lo = hi;
  }
  return roots;
}

// Returns the weights of the inside test, which are in [0, |n|^2] at a contact.
std::array<double, 3> weights(const VertexFace&, const Vec3& x, const Vec3& y, const Vec3& z,
                              const Vec3& n) {
  const double u = x.cross(z).dot(n), v = y.cross(x).dot(n);
  return {v, u, u + v};
}
std::array<double, 2> weights(const EdgeEdge&, const Vec3& x, const Vec3& y, const Vec3& z,
                              const Vec3& n) {
  return {x.cross(y).dot(n), x.cross(z).dot(n)};
}
double longest(const VertexFace&, const Vec3& y, const Vec3& z) {
  return std::max({largest_component(y), largest_component(z), largest_component(z - y)});
}
double longest(const EdgeEdge&, const Vec3& y, const Vec3& z) {
  return std::max(largest_component(y), largest_component(z));
}

// Returns the times at which sum |m_k| - S max |e_k| may be least, with m the moment of a corner
// about an edge and e the edge: the end of the step, roots of a component of m, times at which two
// components of e have equal size, and extrema of the pieces.
Times<80> critical_times(const VectorPolynomial<2>& moment, const VectorPolynomial<1>& edge,
                         const Tolerances& tol) {
  Times<80> times;
  times.add(1);
  const auto add = [&](double t) {
    if (t > 0 && t < 1) times.add(t);
  };
  for (int k = 0; k < 3; ++k) {
    const int l = (k + 1) % 3;
    for (const double s : {1.0, -1.0})
      add(-(edge[0][k] - s * edge[0][l]) / (edge[1][k] - s * edge[1][l]));
  }
  VectorPolynomial<2> m = moment;
  for (std::size_t i = 1; i < 3; ++i)
    for (int k = 0; k < 3; ++k)
      if (std::abs(m[i][k]) < tol.zero_moment) m[i][k] = 0;
  for (int k = 0; k < 3; ++k) {
    const double a = m[2][k], b = m[1][k], c = m[0][k], root = b * b - 4 * a * c;
    const double t = -b - std::copysign(std::sqrt(std::max(root, 0.0)), b);
    add(t / (2 * a));
    if (root > 0) add(2 * c / t);
  }
  for (const double sx : {1.0, -1.0})
    for (const double sy : {1.0, -1.0})
      for (const double sz : {1.0, -1.0}) {
        const Vec3 sign(sx, sy, sz);
        const double a = sign.dot(m[2]), b = sign.dot(m[1]);
        if (a < 0) continue;
        for (int k = 0; k < 3; ++k)
          for (const double s : {1.0, -1.0})
            add(-(b - s * tol.moment_slope * edge[1][k]) / (2 * a));
      }
  return times;
}

// Returns the first critical time at which the corner is near the edge and projects between its
// ends.
std::optional<double> corner_near_edge(const CornerAndEdge& c, const Tolerances& tol,
                                       bool uncertain) {
  const auto moment = cross(c.end0, c.end1);
  const auto edge = c.end1 - c.end0;
  Times<80> times;
  if (uncertain)
    times = critical_times(moment, edge, tol);
  else
    times.add(1);
  for (const double t : times) {
    const Vec3 e = value_at(edge, t), to_end0 = value_at(c.end0, t);
    const double f = value_at(moment, t).lpNorm<1>() - tol.moment_slope * largest_component(e);
    if (f > tol.moment || e.squaredNorm() <= tol.short_edge_sq) continue;
    const double along = -to_end0.dot(e);
    if (along >= 0 && along <= e.squaredNorm()) return t;
  }
  return {};
}

std::optional<double> corner_near_corner(const VectorPolynomial<1>& way, const Tolerances& tol,
                                         bool uncertain) {
  if (uncertain) {
    const double t = -way[0].dot(way[1]) / way[1].squaredNorm();
    if (t > 0 && t < 1 && value_at(way, t).squaredNorm() < tol.corner_corner_sq) return t;
  }
  return value_at(way, 1).squaredNorm() < tol.corner_corner_sq ? std::optional(1.0) : std::nullopt;
}

template <class Query>
class PublishedSearch {
 public:
  PublishedSearch(const Query& query, double t_max) : query_(query), motion_(differences(query)) {
    for (auto* path : {&motion_.x, &motion_.y, &motion_.z}) (*path)[1] *= t_max;
  }

  // Returns the time of a contact as a fraction of t_max; empty if none is found.
  std::optional<double> contact() {
    const auto at = corners(query_, motion_);
    double b = 0;
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < i; ++j)
        for (const Vec3& difference : at[i] - at[j]) b = std::max(b, largest_component(difference));
    const Tolerances tol(b);
    if (is_culled(at, tol.gap)) return {};

    bool uncertain = false;
    if (const auto t = inside_contact(tol, uncertain)) return t;
    const auto companions = corners_and_edges(query_, motion_);
    for (const CornerAndEdge& c : companions) {
      ++checks_;
      if (const auto t = corner_near_edge(c, tol, uncertain)) return t;
    }
    for (std::size_t i = 0; i < first_size(query_); ++i)
      for (std::size_t j = first_size(query_); j < 4; ++j) {
        ++checks_;
        if (const auto t = corner_near_corner(at[j] - at[i], tol, uncertain)) return t;
      }
    return {};
  }
  std::uint32_t checks() const { return checks_; }

 private:
  // Returns whether a plane across an axis or a diagonal of two axes separates the primitives by
  // more than `gap`.
  bool is_culled(const std::array<VectorPolynomial<1>, 4>& at, double gap) const {
    const auto parts = [&](auto&& along) {
      double least[2] = {Impact::inf, Impact::inf}, most[2] = {-Impact::inf, -Impact::inf};
      for (std::size_t i = 0; i < 4; ++i)
        for (const Vec3& p : {at[i][0], Vec3(at[i][0] + at[i][1])}) {
          const std::size_t side = i < first_size(query_) ? 0 : 1;
          least[side] = std::min(least[side], along(p));
          most[side] = std::max(most[side], along(p));
        }
      return most[0] + gap < least[1] || most[1] + gap < least[0];
    };
    for (int k = 0; k < 3; ++k) {
      const int l = (k + 1) % 3;
      if (parts([k](const Vec3& p) { return p[k]; }) ||
          parts([k, l](const Vec3& p) { return p[k] + p[l]; }) ||
          parts([k, l](const Vec3& p) { return p[k] - p[l]; }))
        return true;
    }
    return false;
  }

  std::optional<double> inside_contact(const Tolerances& tol, bool& uncertain) {
    const auto cubic = dot(motion_.x, cross(motion_.y, motion_.z));
    for (const double t : roots_to(cubic, tol.cubic)) {
      ++checks_;
      for (const double near :
           {std::max(t - Tolerances::time_reach, 0.0), std::min(t + Tolerances::time_reach, 1.0)})
        uncertain = uncertain || std::abs(value_at(cubic, near)) <= tol.certain_cubic;
      const Vec3 x = value_at(motion_.x, t), y = value_at(motion_.y, t), z = value_at(motion_.z, t);
      const Vec3 n = y.cross(z);
      const double size = largest_component(n), nn = n.squaredNorm();
      if (size < tol.normal || tol.thin * longest(query_, y, z) > size) {
        uncertain = true;
        continue;
      }
      bool inside = true;
      for (const double weight : weights(query_, x, y, z, n)) {
        if (weight >= 0 && weight <= nn) continue;
        inside = false;
        uncertain = uncertain || (weight >= -tol.weight && weight <= nn + tol.weight);
        break;
      }
      if (inside) return t;
    }
    return {};
  }

  const Query& query_;
  Motion motion_;
  std::uint32_t checks_ = 0;
};

template <class Query>
Impact answer_as_published(const Query& query, const Options& options) {
  PublishedSearch<Query> search(query, options.t_max);
  const auto t = search.contact();
  return t ? Impact::contact(*t * options.t_max, options.t_max, search.checks())
           : Impact::separated(search.checks());
}

}  // namespace

void safe_cubic_published(std::span<const VertexFace> queries, const MethodOptions& options,
                          std::span<Impact> impacts) {
  solve_each(queries, options, Norm::none, impacts,
             [&](const VertexFace& query) { return answer_as_published(query, options); });
}
void safe_cubic_published(std::span<const EdgeEdge> queries, const MethodOptions& options,
                          std::span<Impact> impacts) {
  solve_each(queries, options, Norm::none, impacts,
             [&](const EdgeEdge& query) { return answer_as_published(query, options); });
}

}  // namespace graze::narrow
