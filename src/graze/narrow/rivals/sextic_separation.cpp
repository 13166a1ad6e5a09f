#include "graze/narrow/rivals/sextic_separation.h"

#include "graze/narrow/batch.h"
#include "graze/narrow/rivals/time_polynomial.h"

namespace graze::narrow {
namespace {

using namespace rivals;

// At a root a squared distance of d^2 + d B / 10 is accepted, B being the power of two just above
// every component of every difference of corners. The public code has the rule without B, so that
// its errors depend on the unit of length. The rule causes the errors at both ends of the scale: a
// large d accepts near misses, a small d leaves no room for the rounding of a root.
constexpr double slack = 0.1;

// Returns the vectors from corner to corner, once each. DEVIATION: the public code has the
// companions of faces only.
std::array<VectorPolynomial<1>, 3> corner_pairs(const std::array<CornerAndEdge, 3>& c) {
  return {c[0].end0, c[1].end0, c[2].end0};
}
std::array<VectorPolynomial<1>, 4> corner_pairs(const std::array<CornerAndEdge, 4>& c) {
  return {c[0].end0, c[0].end1, c[1].end0, c[1].end1};
}

double distance_sq_to_segment(const Vec3& end0, const Vec3& end1) {  // from the origin
  const Vec3 edge = end1 - end0;
  const double length_sq = edge.squaredNorm();
  const double s = length_sq > 0 ? std::clamp(-end0.dot(edge) / length_sq, 0.0, 1.0) : 0;
  return (end0 + s * edge).squaredNorm();
}

bool is_across(const VertexFace&, const Vec3& x, const Vec3& y, const Vec3& z, const Vec3& n) {
  const double u = x.cross(z).dot(n), v = y.cross(x).dot(n);
  return u >= 0 && v >= 0 && u + v <= n.squaredNorm();
}
bool is_across(const EdgeEdge&, const Vec3& x, const Vec3& y, const Vec3& z, const Vec3& n) {
  const double nn = n.squaredNorm(), u = x.cross(z).dot(n), v = x.cross(y).dot(n);
  return u >= 0 && u <= nn && v >= 0 && v <= nn;
}

template <class Query>
class Search {
 public:
  explicit Search(const Query& query)
      : query_(query),
        motion_(differences(query)),
        companions_(corners_and_edges(query, motion_)) {}

  Impact answer(const Options& options) {
    const double d = std::ldexp(options.min_separation, -motion_.exponent);
    if (distance_sq_at(0) <= d * d) return Impact::contact(0, options.t_max);
    append_roots(d, options.t_max);
    std::uint32_t checks = 0;
    for (const double t : roots_) {
      ++checks;
      if (distance_sq_at(t) <= d * (d + slack))
        return Impact::contact(std::min(t, options.t_max), options.t_max, checks);
    }
    return Impact::separated(checks);
  }

 private:
  double distance_sq_at(double t) const {
    const Vec3 x = value_at(motion_.x, t), y = value_at(motion_.y, t), z = value_at(motion_.z, t);
    const Vec3 n = y.cross(z);
    if (const double size = n.norm(); size > 0 && is_across(query_, x, y, z, n)) {
      const double height = x.dot(n) / size;
      return height * height;
    }
    double least = Impact::inf;
    for (const auto& [end0, end1] : companions_)
      least = std::min(least, distance_sq_to_segment(value_at(end0, t), value_at(end1, t)));
    return least;
  }

  // Returns whether one component of the vector exceeds `length` in size during all of [0, t_max].
  template <std::size_t n>
  static bool is_longer(const std::array<Vec3, n>& vector, double length, double t_max) {
    for (int k = 0; k < 3; ++k) {
      std::array<double, n> component;
      for (std::size_t i = 0; i < n; ++i) component[i] = vector[i][k];
      if (BernsteinPiece<n - 1>(component, 0, t_max).modulus_min() > length) return true;
    }
    return false;
  }

  // Appends the roots of polynomials |a|^2 - d^2 |b|^2, except those that |a| > d |b| shows to have
  // no root. With components of x, y, z below 1, |n| <= 3 and edges are shorter than 6.
  void append_roots(double d, double t_max) {
    const auto difference = [&]<std::size_t n, std::size_t m>(std::array<double, n> a_sq,
                                                              const std::array<double, m>& b_sq) {
      for (std::size_t i = 0; i < m; ++i) a_sq[i] -= d * d * b_sq[i];
      return a_sq;
    };
    const auto append = [&]<std::size_t n>(const std::array<double, n>& p, double lo, double hi) {
      BernsteinPiece<n - 1>(p, lo, hi).append_roots(roots_);
    };
    const auto n = cross(motion_.y, motion_.z);
    const auto cubic = dot(motion_.x, n);
    if (const BernsteinPiece<3> piece(cubic, 0, t_max); piece.modulus_min() <= 3 * d) {
      const auto sextic = difference(cubic * cubic, dot(n, n));
      // Where the cubic vanishes the sextic is not positive: mostly there is one root in between.
      Times<6> knots;
      piece.append_roots(knots);
      knots.add(t_max);
      double lo = 0;
      for (const double knot : knots) {
        append(sextic, lo, knot);
        lo = knot;
      }
    }
    for (const auto& [end0, end1] : companions_) {
      const auto moment = cross(end0, end1);
      const auto edge = end1 - end0;
      if (!is_longer(moment, 6 * d, t_max))
        append(difference(dot(moment, moment), dot(edge, edge)), 0, t_max);
    }
    for (const auto& corner : corner_pairs(companions_))
      if (!is_longer(corner, d, t_max))
        append(difference(dot(corner, corner), Polynomial<0>{1}), 0, t_max);
  }

  const Query& query_;
  Motion motion_;
  decltype(corners_and_edges(std::declval<Query>(), std::declval<Motion>())) companions_;
  Times<32> roots_;
};

template <class Query>
void solve_batch(std::span<const Query> queries, const MethodOptions& options,
                 std::span<Impact> impacts) {
  solve_each(queries, options, Norm::l2, impacts,
             [&](const Query& query) { return Search<Query>(query).answer(options); });
}

}  // namespace

void sextic_separation(std::span<const VertexFace> queries, const MethodOptions& options,
                       std::span<Impact> impacts) {
  solve_batch(queries, options, impacts);
}
void sextic_separation(std::span<const EdgeEdge> queries, const MethodOptions& options,
                       std::span<Impact> impacts) {
  solve_batch(queries, options, impacts);
}

}  // namespace graze::narrow
