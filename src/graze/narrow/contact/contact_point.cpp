#include "graze/narrow/contact/contact_point.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "graze/core/numeric/strict_arithmetic.h"

namespace graze::narrow {
namespace {

// p and q are treated as parallel if the square of p x q is below one of two bounds.
//   needle * p^2 q^2. At an angle s the relative error of the solution in the plane is
//     (2^-53/s)^3 after 2 corrections, and that of the closest point of a side is s. For s = 3e-12
//     both are below 1e-11.
//   noise * p^2 q^2, with p or q replaced by its largest value during the step. p and q have errors
//     of 3 * 2^-53 of that value, so above the bound p x q is correct to an eighth.
constexpr double needle = 1e-23, noise = 0x1p-94;

// Both primitives touch where F(u, v) = w + u p + v q = 0 for some (u, v) of the domain:
//   vertex-face  w, p, q = f0-v, f1-f0, f2-f0   domain u, v, 1-u-v >= 0
//   edge-edge    w, p, q = b0-a0, a0-a1, b1-b0  domain [0, 1]^2
// F is the point of the second primitive minus the point of the first.
template <class Query>
struct Domain;

// A side of the domain: from (u, v) along (du, dv).
struct Side {
  double u, v, du, dv;
};

template <>
struct Domain<VertexFace> {
  static constexpr std::array<std::array<int, 2>, 3> vectors{{{1, 0}, {2, 1}, {3, 1}}};
  static constexpr std::array<Side, 3> sides{{{0, 0, 1, 0}, {1, 0, -1, 1}, {0, 1, 0, -1}}};

  static bool contains(double u, double v) { return u >= 0 && v >= 0 && u + v <= 1; }
};

template <>
struct Domain<EdgeEdge> {
  static constexpr std::array<std::array<int, 2>, 3> vectors{{{2, 0}, {0, 1}, {3, 2}}};
  static constexpr std::array<Side, 4> sides{
      {{0, 0, 0, 1}, {1, 0, 0, 1}, {0, 0, 1, 0}, {0, 1, 1, 0}}};

  static bool contains(double u, double v) { return u >= 0 && v >= 0 && u <= 1 && v <= 1; }
};

using Vectors = std::array<Vec3, 3>;  // w, p, q

// The corners of a query at each control point of their paths.
struct PathPoints {
  Curve curve;
  std::array<const std::array<Vec3, 4>*, 4> corners;

  template <class Query>
  explicit PathPoints(const Query& query) : curve(Curve::line), corners{&query.start, &query.end} {}
  template <Query Q>
  explicit PathPoints(const Curved<Q>& query) : curve(query.curve) {
    for (std::size_t i = 0; i < 4; ++i) corners[i] = &query.points[i];
  }
};

// w, p, q at a time, their velocities, and the largest squares of p and q during the step.
struct Configuration {
  Vectors at, change;
  double p_extent_sq = 0, q_extent_sq = 0;

  Configuration(const PathPoints& path, const std::array<std::array<int, 2>, 3>& vectors,
                double t) {
    const std::size_t count = point_count(path.curve);
    std::array<Vectors, 4> points;  // of Bézier curves
    const auto subtract = [&](double scale) {
      for (std::size_t j = 0; j < count; ++j)
        for (std::size_t i = 0; i < 3; ++i) {
          const auto x = static_cast<std::size_t>(vectors[i][0]);
          const auto y = static_cast<std::size_t>(vectors[i][1]);
          points[j][i] = scale * (*path.corners[j])[x] - scale * (*path.corners[j])[y];
        }
      if (path.curve == Curve::hermite)
        for (std::size_t i = 0; i < 3; ++i) {
          points[1][i] = points[0][i] + points[1][i] / 3;
          points[2][i] = points[3][i] - points[2][i] / 3;
        }
      double size = 0;
      for (std::size_t j = 0; j < count; ++j)
        for (const Vec3& x : points[j]) size = std::max(size, x.lpNorm<Eigen::Infinity>());
      return size;
    };
    double size = subtract(1);
    if (size == Impact::inf) size = subtract(0.25);
    // Scales so that products of four components neither overflow nor underflow.
    if (size != 0 && !(size > 0x1p-100 && size < 0x1p100)) {
      int exponent = 0;
      std::frexp(size, &exponent);
      for (std::size_t j = 0; j < count; ++j)
        for (Vec3& vector : points[j])
          for (int k = 0; k < 3; ++k) vector[k] = std::ldexp(vector[k], -exponent);
    }
    for (std::size_t j = 0; j < count; ++j) {
      p_extent_sq = std::max(p_extent_sq, points[j][1].squaredNorm());
      q_extent_sq = std::max(q_extent_sq, points[j][2].squaredNorm());
    }
    std::array<Vectors, 4> rates;
    for (std::size_t j = 0; j + 1 < count; ++j)
      for (std::size_t i = 0; i < 3; ++i)
        rates[j][i] = degree(path.curve) * (points[j + 1][i] - points[j][i]);
    at = value_on(points, count, t);
    change = value_on(rates, count - 1, t);
  }

 private:
  // Returns the point at t of the Bézier curve with these points, by de Casteljau's scheme.
  static Vectors value_on(std::array<Vectors, 4> points, std::size_t count, double t) {
    for (; count > 1; --count)
      for (std::size_t j = 0; j + 1 < count; ++j)
        for (std::size_t i = 0; i < 3; ++i)
          points[j][i] = (1 - t) * points[j][i] + t * points[j + 1][i];
    return points[0];
  }
};

Vec3 gap(const Vectors& x, double u, double v) {
  return x[0] + u * x[1] + v * x[2];
}

Vec3 unit(const Vec3& x) {
  const double size = x.cwiseAbs().maxCoeff();
  return size > 0 ? Vec3((x / size).normalized()) : Vec3(Vec3::Zero());
}

Vec3 segment_normal(const Vec3& segment, const Vec3& approach) {
  const Vec3 along = unit(segment), straight = unit(approach);
  const Vec3 normal = straight - along * along.dot(straight);
  if (normal.squaredNorm() > needle) return normal.normalized();
  return along.isZero() ? Vec3(1, 0, 0) : along.unitOrthogonal();
}

// Sets u and v to the only place at which F vanishes in the plane of p and q. Corrections restore
// the accuracy lost at a narrow angle.
void solve_in_plane(const Configuration& c, const Vec3& normal, double size, Impact& impact) {
  const Vec3 &p = c.at[1], &q = c.at[2];
  impact.u = impact.v = 0;
  for (int i = 0; i < 3; ++i) {
    const Vec3 rest = gap(c.at, impact.u, impact.v);
    impact.u += q.cross(rest).dot(normal) / size;
    impact.v += rest.cross(p).dot(normal) / size;
    if (size > 1e-4 * p.squaredNorm() * q.squaredNorm()) return;
  }
}

// Sets u and v to the point of the border at which |F| is least, or to a corner if impact.kind
// requires one. Returns the vector along the side of that point.
template <class Query>
Vec3 solve_on_border(const Configuration& c, Impact& impact) {
  double best = Impact::inf;
  Vec3 segment = Vec3::Zero();
  for (const Side& side : Domain<Query>::sides) {
    const Vec3 from = gap(c.at, side.u, side.v), along = side.du * c.at[1] + side.dv * c.at[2];
    const double length_sq = along.squaredNorm();
    double s = length_sq > 0 ? std::clamp(-from.dot(along) / length_sq, 0.0, 1.0) : 0.0;
    if (impact.kind == ContactKind::vertex) s = s < 0.5 ? 0 : 1;
    const double distance_sq = (from + s * along).squaredNorm();
    if (!(distance_sq < best)) continue;
    best = distance_sq;
    impact.u = side.u + s * side.du;
    impact.v = side.du * side.dv != 0 ? 1 - impact.u : side.v + s * side.dv;
    segment = along;
  }
  return segment;
}

template <class Query>
void locate(const PathPoints& path, Impact& impact) {
  const Configuration c(path, Domain<Query>::vectors, impact.toi);
  const Vec3 normal = c.at[1].cross(c.at[2]);
  const double size = normal.squaredNorm();
  const double p_sq = c.at[1].squaredNorm(), q_sq = c.at[2].squaredNorm();
  const bool spans_plane =
      size > needle * p_sq * q_sq && size > noise * (c.p_extent_sq * q_sq + p_sq * c.q_extent_sq);
  const bool on_border = impact.kind == ContactKind::edge || impact.kind == ContactKind::vertex;
  if (spans_plane && !on_border) solve_in_plane(c, normal, size, impact);
  Vec3 segment;
  if (!spans_plane || on_border || !Domain<Query>::contains(impact.u, impact.v))
    segment = solve_on_border<Query>(c, impact);
  const Vec3 approach = gap(c.change, impact.u, impact.v);
  if (spans_plane)
    impact.normal = unit(normal.dot(approach) < 0 ? Vec3(-normal) : normal);
  else
    impact.normal = segment_normal(segment, approach);
}

}  // namespace

void locate_contact(const VertexFace& query, Impact& impact) {
  locate<VertexFace>(PathPoints(query), impact);
}
void locate_contact(const EdgeEdge& query, Impact& impact) {
  locate<EdgeEdge>(PathPoints(query), impact);
}
void locate_contact(const Curved<VertexFace>& query, Impact& impact) {
  locate<VertexFace>(PathPoints(query), impact);
}
void locate_contact(const Curved<EdgeEdge>& query, Impact& impact) {
  locate<EdgeEdge>(PathPoints(query), impact);
}

}  // namespace graze::narrow
