#include "graze/spine/distance_bound.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>

#include "graze/impact.h"

namespace graze {
namespace {

using Corners = std::span<const Vec3>;

// Returns the lower bound on the distance of the convex hulls of two sets of points that a
// direction proves; 0 if it proves none. The direction may be any vector.
//
// Let n be the direction divided by its largest component, as rounded: each |n_k| <= 1 + u with u =
// 2^-53, and |n| > 0.9. If n.(a - b) >= g for all corners a and b, this holds for all points of the
// hulls, since these are convex combinations, and their distance is at least g / |n|.
// The computed difference d of two corners is off by u |d_k| in each coordinate, with no error if
// it is denormal. The computed n.d is off by 3 u T to first order, T = sum |n_k d_k|, and by 3 *
// 2^-1075 if products underflow. n.d - 2^-50 T - 2^-1070 with its rounding is therefore a lower
// bound of n.(a - b): 2^-50 T = 8 u T covers u T + 3 u T + u T and terms of second order, also if T
// itself is rounded. The computed |n| and the division are off by less than 4 u in all; the last
// factor and 2^-1070 cover this and a denormal quotient. If a number overflows, the bound is NaN or
// negative.
double bound_along(Vec3 n, Corners a, Corners b) {
  n /= n.lpNorm<Eigen::Infinity>();
  double least = Impact::inf, most = -Impact::inf;  // of n.(a - b), from below and from above
  for (const Vec3& p : a)
    for (const Vec3& q : b) {
      const Vec3 d = p - q;
      const double at = n.dot(d), err = 0x1p-50 * n.cwiseAbs().dot(d.cwiseAbs()) + 0x1p-1070;
      if (!(err < Impact::inf)) return 0;  // NaN or overflow
      least = std::min(least, at - err);
      most = std::max(most, at + err);
    }
  const double gap = std::max(least, -most) / n.norm();
  return std::max(0.0, gap * (1 - 0x1p-50) - 0x1p-1070);
}

// Returns the point of a segment that is nearest to p, up to rounding.
Vec3 nearest_on_segment(const Vec3& p, const Vec3& a, const Vec3& b) {
  const Vec3 side = b - a;
  const double length = side.squaredNorm();
  return length > 0 ? Vec3(a + std::clamp(side.dot(p - a) / length, 0.0, 1.0) * side) : a;
}

// The largest of the bounds that several directions prove. If the nearest points are close to each
// other, their difference has large relative errors; the normal of a face or of two edges has not.
class Best {
 public:
  Best(Corners a, Corners b) : a_(a), b_(b) {}
  void add(const Vec3& direction) { bound_ = std::max(bound_, bound_along(direction, a_, b_)); }
  double bound() const { return bound_; }

 private:
  Corners a_, b_;
  double bound_ = 0;
};

double vertex_edge_bound(const Vec3& p, const Vec3& a, const Vec3& b) {
  const std::array<Vec3, 2> edge = {a, b};
  Best best({&p, 1}, edge);
  best.add(p - nearest_on_segment(p, a, b));
  return best.bound();
}

double vertex_face_bound(const Vec3& p, const std::array<Vec3, 3>& face) {
  Best best({&p, 1}, face);
  best.add((face[1] - face[0]).cross(face[2] - face[0]));
  // If the vertex lies outside of the prism over the face, the nearest point is on a side.
  Vec3 nearest = Vec3::Constant(Impact::inf);
  double distance = Impact::inf;
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3 on_side = nearest_on_segment(p, face[i], face[(i + 1) % 3]);
    if (const double length = (p - on_side).squaredNorm(); length < distance) {
      distance = length;
      nearest = on_side;
    }
  }
  best.add(p - nearest);
  return best.bound();
}

double edge_edge_bound(const std::array<Vec3, 2>& a, const std::array<Vec3, 2>& b) {
  Best best(a, b);
  best.add((a[1] - a[0]).cross(b[1] - b[0]));
  // If the nearest points are not inside both edges, one of them is an end.
  Vec3 between = Vec3::Zero();
  double distance = Impact::inf;
  const auto consider = [&](const Vec3& end, const std::array<Vec3, 2>& other) {
    const Vec3 difference = end - nearest_on_segment(end, other[0], other[1]);
    if (const double length = difference.squaredNorm(); length < distance) {
      distance = length;
      between = difference;
    }
  };
  for (std::size_t i = 0; i < 2; ++i) {
    consider(a[i], b);
    consider(b[i], a);
  }
  best.add(between);
  return best.bound();
}

}  // namespace

double spine::distance_bound(const Mesh& mesh, std::span<const Vec3> x, Kind kind,
                             const Pair& pair) {
  switch (kind) {
    case Kind::vertex_face: {
      const Face& face = mesh.faces[pair.b];
      return vertex_face_bound(x[pair.a], {x[face[0]], x[face[1]], x[face[2]]});
    }
    case Kind::edge_edge: {
      const Edge &a = mesh.edges[pair.a], &b = mesh.edges[pair.b];
      return edge_edge_bound({x[a[0]], x[a[1]]}, {x[b[0]], x[b[1]]});
    }
    case Kind::vertex_edge: {
      const Edge& edge = mesh.edges[pair.b];
      return vertex_edge_bound(x[pair.a], x[edge[0]], x[edge[1]]);
    }
    case Kind::vertex_vertex: {
      const Vec3 difference = x[pair.a] - x[pair.b];
      return bound_along(difference, {&x[pair.a], 1}, {&x[pair.b], 1});
    }
    case Kind::edge_face:
      break;
  }
  return 0;
}

}  // namespace graze
