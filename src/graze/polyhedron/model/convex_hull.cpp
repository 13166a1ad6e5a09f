#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "graze/core/numeric/float_environment.h"
#include "graze/polyhedron/model.h"
#include "graze/polyhedron/model/exact_sign.h"

namespace graze::polyhedron {
namespace {

// The incremental convex hull. Each new point replaces the triangles that are visible from it by
// triangles that join the point with the border of the visible region. Only strictly visible
// triangles are replaced: a point outside a triangle but in its plane is joined through the
// triangle's neighbours. Coplanar triangles are merged afterwards.
class Hull {
 public:
  explicit Hull(std::span<const Vec3> points) : points_(points) {}

  // Starts with four points that span space. Returns false if there are none.
  bool start() {
    const auto n = static_cast<std::uint32_t>(points_.size());
    if (n < 4) return false;
    for (std::uint32_t b = 1; b < n; ++b) {
      if (points_[b] == points_[0]) continue;
      for (std::uint32_t c = b + 1; c < n; ++c) {
        if (collinear(points_[0], points_[b], points_[c])) continue;
        for (std::uint32_t d = c + 1; d < n; ++d) {
          const int side = volume_sign(points_[0], points_[b], points_[c], points_[d]);
          if (side == 0) continue;
          const std::uint32_t p = side > 0 ? c : b, q = side > 0 ? b : c;
          triangles_ = {{0, p, q}, {0, q, d}, {q, p, d}, {p, 0, d}};
          return true;
        }
        return false;
      }
      return false;
    }
    return false;
  }

  void add(std::uint32_t point) {
    std::set<Edge> rim;
    std::vector<Face> kept;
    for (const Face& t : triangles_) {
      if (volume_sign(points_[t[0]], points_[t[1]], points_[t[2]], points_[point]) <= 0) {
        kept.push_back(t);
        continue;
      }
      for (std::size_t i = 0; i < 3; ++i) {
        const std::uint32_t a = t[i], b = t[(i + 1) % 3];
        if (rim.erase({b, a}) == 0) rim.insert({a, b});
      }
    }
    for (const auto& [a, b] : rim) kept.push_back({a, b, point});
    triangles_ = std::move(kept);
  }

  const std::vector<Face>& triangles() const { return triangles_; }

  // Returns the corners of the hull, ascending: the points at which three or more edges of the hull
  // end that are not flat. Inside a facet no such edge ends, inside a ridge two do.
  std::vector<std::uint32_t> corners() const {
    std::map<Edge, std::uint32_t> across;  // directed side -> the third corner of its triangle
    for (const Face& t : triangles_)
      for (std::size_t i = 0; i < 3; ++i) across[{t[i], t[(i + 1) % 3]}] = t[(i + 2) % 3];
    std::map<std::uint32_t, int> ridges;  // by point: the edges that are not flat
    for (const auto& [side, third] : across) {
      const auto [a, b] = side;
      const std::uint32_t beyond = across.at({b, a});
      if (volume_sign(points_[a], points_[b], points_[third], points_[beyond]) != 0) ++ridges[a];
    }
    std::vector<std::uint32_t> result;
    for (const auto& [point, count] : ridges)
      if (count >= 3) result.push_back(point);
    return result;
  }

 private:
  static bool collinear(const Vec3& a, const Vec3& b, const Vec3& c) {
    return turn_sign(a, b, c, 0) == 0 && turn_sign(a, b, c, 1) == 0 && turn_sign(a, b, c, 2) == 0;
  }

  std::span<const Vec3> points_;
  std::vector<Face> triangles_;
};

// Returns the corners of the hull of points in one plane, counterclockwise as seen from one side:
// Andrew's monotone chain on their projection along an axis that does not shrink the plane to a
// line. Empty if the points lie on a line.
std::vector<Vec3> planar_corners(std::span<const Vec3> given) {
  std::vector<Vec3> points(given.begin(), given.end());
  for (int axis = 0; axis < 3; ++axis) {
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    std::sort(points.begin(), points.end(), [&](const Vec3& a, const Vec3& b) {
      return a[i] != b[i] ? a[i] < b[i] : a[j] < b[j];
    });
    std::vector<Vec3> ring;
    const auto add = [&](const Vec3& point, std::size_t kept) {
      while (ring.size() > kept && turn_sign(ring[ring.size() - 2], ring.back(), point, axis) <= 0)
        ring.pop_back();
      ring.push_back(point);
    };
    for (const Vec3& point : points) add(point, 1);
    const std::size_t lower = ring.size();
    for (std::size_t k = points.size() - 1; k-- > 0;) add(points[k], lower);
    ring.pop_back();  // the first point again
    if (ring.size() >= 3) return ring;
  }
  return {};
}

// Returns the model of points that span no space: a polygon or a point.
Model planar_hull(std::span<const Vec3> points) {
  if (points.empty()) return {};
  if (std::all_of(points.begin(), points.end(), [&](const Vec3& x) { return x == points[0]; }))
    return model_of_point(points[0]);
  const std::vector<Vec3> corners = planar_corners(points);
  if (corners.empty()) return {};
  Polygon polygon(corners.size());
  std::iota(polygon.begin(), polygon.end(), 0u);
  return make_model(corners, {&polygon, 1});
}

}  // namespace

Model convex_hull(std::span<const Vec3> points) {
  const FloatEnvironment environment;
  for (const Vec3& point : points)
    if (!point.allFinite()) {
      Model model;
      model.status = Status::not_finite;
      return model;
    }
  const auto hull_of = [](std::span<const Vec3> of) {
    Hull hull(of);
    if (hull.start())
      for (std::uint32_t i = 1; i < of.size(); ++i) hull.add(i);
    return hull;
  };
  // Points that were corners of the hull of the points before them may lie in a facet or a ridge of
  // the whole hull. The second hull has only corners, so that coplanar triangles merge completely.
  const Hull first = hull_of(points);
  if (first.triangles().empty()) return planar_hull(points);
  std::vector<Vec3> corners;
  for (const std::uint32_t corner : first.corners()) corners.push_back(points[corner]);
  const Hull hull = hull_of(corners);
  std::vector<Polygon> polygons;
  for (const Face& t : hull.triangles()) polygons.emplace_back(t.begin(), t.end());
  ModelOptions options;
  options.merge_coplanar = true;
  return make_model(corners, polygons, options);
}

}  // namespace graze::polyhedron
