#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "graze/polyhedron/model.h"

// Heights and distances of facets and edges in double arithmetic: used to describe contacts, never
// to decide whether there is one.
namespace graze::polyhedron {

inline Aabb grown(const Aabb& box, double by) {
  return {box.lo - Vec3::Constant(by), box.hi + Vec3::Constant(by)};
}

inline Aabb box_of(std::span<const Vec3> points, std::span<const std::uint32_t> corners) {
  Aabb box{points[corners[0]], points[corners[0]]};
  for (const std::uint32_t corner : corners) box.include({points[corner], points[corner]});
  return box;
}

// The plane of a facet whose corners are at `points`. The normal has unit length; it is 0 for a
// single point.
struct FacetFrame {
  Vec3 origin, normal, middle;

  double height(const Vec3& x) const { return normal.dot(x - origin); }

  // Returns the unit vector in the plane from the side a-b into the facet; a and b in either order.
  Vec3 inward(const Vec3& a, const Vec3& b) const {
    const Vec3 across = normal.cross(b - a).stableNormalized();
    return across.dot(middle - a) < 0 ? Vec3(-across) : across;
  }

  // Returns the largest distance of x beyond the line of a side; negative if the projection of x is
  // inside the facet.
  double beyond(const Vec3& x, std::span<const Vec3> points,
                std::span<const std::uint32_t> corners) const {
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const Vec3 &a = points[corners[i]], &b = points[corners[(i + 1) % corners.size()]];
      most = std::max(most, (b - a).stableNormalized().cross(normal).dot(x - a));
    }
    return most;
  }

  Vec3 nearest_on_border(const Vec3& x, std::span<const Vec3> points,
                         std::span<const std::uint32_t> corners) const {
    Vec3 nearest = points[corners[0]];
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const Vec3 &a = points[corners[i]], along = points[corners[(i + 1) % corners.size()]] - a;
      const double share = std::clamp(along.dot(x - a) / along.squaredNorm(), 0., 1.);
      const Vec3 there = a + share * along;
      if ((x - there).squaredNorm() < (x - nearest).squaredNorm()) nearest = there;
    }
    return nearest;
  }
};

inline FacetFrame make_frame(const Facet& facet, std::span<const std::uint32_t> corners,
                             std::span<const Vec3> points) {
  FacetFrame frame{points[corners[0]], Vec3::Zero(), Vec3::Zero()};
  for (const std::uint32_t corner : corners)
    frame.middle += points[corner] / static_cast<double>(corners.size());
  if (facet.count == 1) return frame;
  const Vec3 &a = points[facet.plane[0]], &b = points[facet.plane[1]], &c = points[facet.plane[2]];
  frame.normal = (b - a).stableNormalized().cross((c - a).stableNormalized()).stableNormalized();
  return frame;
}

// The closest points of two lines that are not nearly parallel: a + s along_a and b + r along_b.
// `normal` has unit length and is perpendicular to both.
struct LineCrossing {
  double s, r;
  Vec3 normal;
};

inline std::optional<LineCrossing> cross_lines(const Vec3& a, const Vec3& along_a, const Vec3& b,
                                               const Vec3& along_b) {
  const Vec3 across = along_a.cross(along_b);
  const double size = across.norm();
  if (!(size > 1e-9 * along_a.norm() * along_b.norm())) return std::nullopt;
  const Vec3 normal = across / size, apart = b - a;
  return LineCrossing{normal.dot(apart.cross(along_b)) / size,
                      normal.dot(apart.cross(along_a)) / size, normal};
}

}  // namespace graze::polyhedron
