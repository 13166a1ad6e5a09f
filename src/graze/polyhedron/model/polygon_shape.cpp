#include "graze/polyhedron/model/polygon_shape.h"

#include <Eigen/Geometry>
#include <cmath>
#include <unordered_map>

#include "graze/polyhedron/model/exact_sign.h"

namespace graze::polyhedron {
namespace {

// Returns twice the area times the normal of the polygon divided by its size, approximately. Sets
// `size`. Neither overflows nor underflows.
Vec3 newell_normal(std::span<const Vec3> vertices, const Polygon& polygon, double& size) {
  const Vec3& origin = vertices[polygon[0]];
  size = 0;
  for (const std::uint32_t corner : polygon)
    size = std::max(size, (vertices[corner] / 2 - origin / 2).lpNorm<Eigen::Infinity>());
  Vec3 normal = Vec3::Zero();
  const auto at = [&](std::size_t i) {
    return Vec3((vertices[polygon[i]] / 2 - origin / 2) / size);
  };
  for (std::size_t i = 1; i + 1 < polygon.size(); ++i) normal += at(i).cross(at(i + 1));
  size *= 2;
  return normal;
}

std::array<int, 3> axes_by_size(const Vec3& normal) {
  std::array<int, 3> axes{0, 1, 2};
  std::sort(axes.begin(), axes.end(),
            [&](int i, int j) { return std::abs(normal[i]) > std::abs(normal[j]); });
  return axes;
}

bool goes_straight_on(const Vec3& a, const Vec3& b, const Vec3& c) {
  return exact_sign([](const auto& x, const auto& y, const auto& z) { return dot(y - x, z - y); },
                    a, b, c) > 0;
}

// Returns the sign of the turn from every side of the projected polygon to its other corners: 1 or
// -1 if it is the same everywhere, 0 if all corners lie on a line, 2 if both signs occur.
int convex_sign(std::span<const Vec3> vertices, const Polygon& polygon, int axis) {
  const std::size_t n = polygon.size();
  int sign = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 2; j < n; ++j) {
      const int turn = turn_sign(vertices[polygon[i]], vertices[polygon[(i + 1) % n]],
                                 vertices[polygon[(i + j) % n]], axis);
      if (turn == 0) continue;
      if (sign != 0 && turn != sign) return 2;
      sign = turn;
      if (n == 3) return sign;
    }
  return sign;
}

}  // namespace

bool is_convex_corner(const Vec3& a, const Vec3& b, const Vec3& c, int axis, int sign) {
  const int turn = turn_sign(a, b, c, axis);
  return turn == sign || (turn == 0 && goes_straight_on(a, b, c));
}

// A closed path through different points, all on one side of each of its sides, is the border of a
// convex polygon, passed once, unless the path turns back on a line: it can turn one way only, and
// a second round would visit the same points.
PolygonShape shape_of(std::span<const Vec3> vertices, const Polygon& polygon) {
  PolygonShape shape;
  double size;
  for (const int axis : axes_by_size(newell_normal(vertices, polygon, size))) {
    shape.axis = axis;
    shape.sign = convex_sign(vertices, polygon, axis);
    if (shape.sign != 0) break;
  }
  if (shape.sign == 0) return {Status::zero_area, 0, 0, {}, false};
  const std::size_t n = polygon.size();
  bool convex = shape.sign != 2;
  for (std::size_t i = 0; convex && i < n && n > 3; ++i)
    convex = is_convex_corner(vertices[polygon[i]], vertices[polygon[(i + 1) % n]],
                              vertices[polygon[(i + 2) % n]], shape.axis, shape.sign);
  if (!convex) return {Status::not_convex, 0, 0, {}, false};

  const auto spans = [&](std::size_t i, std::size_t j, std::size_t k) {
    shape.plane = {polygon[i], polygon[j], polygon[k]};
    return turn_sign(vertices[polygon[i]], vertices[polygon[j]], vertices[polygon[k]],
                     shape.axis) != 0;
  };
  if (!spans(0, n / 3, 2 * n / 3))
    for (std::size_t i = 0; !spans(0, i + 1, i + 2); ++i) {
    }
  shape.planar = true;
  for (std::size_t i = 0; n > 3 && shape.planar && i < n; ++i)
    shape.planar = volume_sign(vertices[shape.plane[0]], vertices[shape.plane[1]],
                               vertices[shape.plane[2]], vertices[polygon[i]]) == 0;
  return shape;
}

double unevenness(std::span<const Vec3> vertices, const Polygon& polygon) {
  double size;
  const Vec3 normal = newell_normal(vertices, polygon, size).stableNormalized();
  const Vec3& origin = vertices[polygon[0]];
  double low = 0, high = 0;
  for (const std::uint32_t corner : polygon) {
    const double height = normal.dot((vertices[corner] / 2 - origin / 2) / size);
    low = std::min(low, height);
    high = std::max(high, height);
  }
  return (high - low) * size;  // half of the range, times two
}

std::vector<Polygon> ears(std::span<const Vec3> vertices, const Polygon& polygon, int axis) {
  std::vector<Polygon> triangles;
  Polygon rest = polygon;
  const auto turn = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return turn_sign(vertices[a], vertices[b], vertices[c], axis);
  };
  // At least three corners turn. Cutting one off leaves a line only if all other corners lie on a
  // line; then cutting off another corner does not.
  while (rest.size() > 3)
    for (std::size_t i = 1;; ++i) {
      const std::size_t n = rest.size(), at = i % n;
      const std::uint32_t a = rest[(i - 1) % n], b = rest[at], c = rest[(i + 1) % n];
      if (turn(a, b, c) == 0) continue;
      Polygon less = rest;
      less.erase(less.begin() + static_cast<std::ptrdiff_t>(at));
      if (convex_sign(vertices, less, axis) == 0) continue;
      triangles.push_back({a, b, c});
      rest = std::move(less);
      break;
    }
  triangles.push_back(rest);
  return triangles;
}

std::vector<Polygon> merged(std::span<const Vec3> vertices, std::span<const Polygon> polygons) {
  std::vector<Polygon> result(polygons.begin(), polygons.end());
  std::vector<PolygonShape> shapes(result.size());
  std::unordered_map<std::uint64_t, std::uint32_t> along;  // directed side -> polygon
  const auto key = [](std::uint32_t a, std::uint32_t b) { return std::uint64_t{a} << 32 | b; };
  for (std::uint32_t p = 0; p < result.size(); ++p) {
    if (result[p].size() < 3) continue;
    shapes[p] = shape_of(vertices, result[p]);
    if (!shapes[p].planar) continue;
    for (std::size_t i = 0; i < result[p].size(); ++i)
      along[key(result[p][i], result[p][(i + 1) % result[p].size()])] = p;
  }
  const auto coplanar = [&](const PolygonShape& shape, const Polygon& other) {
    return std::all_of(other.begin(), other.end(), [&](std::uint32_t corner) {
      return volume_sign(vertices[shape.plane[0]], vertices[shape.plane[1]],
                         vertices[shape.plane[2]], vertices[corner]) == 0;
    });
  };
  // Rotates both lists so that the common chain is p[0..k] and, backwards, q[n-k..n], q[n] = q[0].
  const auto joined = [&](Polygon p, Polygon q, std::size_t side, const PolygonShape& shape) {
    std::rotate(p.begin(), p.begin() + static_cast<std::ptrdiff_t>(side), p.end());
    std::rotate(q.begin(), std::find(q.begin(), q.end(), p[0]), q.end());
    const std::size_t n = q.size();
    for (std::size_t i = 0; i < n && p.back() == q[1]; ++i) {  // further back along both
      std::rotate(p.begin(), p.end() - 1, p.end());
      std::rotate(q.begin(), q.begin() + 1, q.end());
    }
    std::size_t k = 1;
    while (k + 1 < std::min(p.size(), n) && p[k + 1] == q[n - k - 1]) ++k;
    if (k + 1 >= std::min(p.size(), n)) return Polygon();
    Polygon loop(q.begin(), q.end() - static_cast<std::ptrdiff_t>(k));  // x0 and q's own
    loop.insert(loop.end(), p.begin() + static_cast<std::ptrdiff_t>(k), p.end());
    const std::size_t far = n - k, size = loop.size();
    const auto corner = [&](std::size_t i) {
      return is_convex_corner(vertices[loop[(i + size - 1) % size]], vertices[loop[i]],
                              vertices[loop[(i + 1) % size]], shape.axis, shape.sign);
    };
    return corner(0) && corner(far) ? loop : Polygon();
  };
  for (std::uint32_t p = 0; p < result.size(); ++p)
    for (std::size_t i = 0; shapes[p].planar && i < result[p].size();) {
      const auto found = along.find(key(result[p][(i + 1) % result[p].size()], result[p][i]));
      ++i;
      if (found == along.end() || found->second == p) continue;
      const std::uint32_t q = found->second;
      if (!coplanar(shapes[p], result[q])) continue;
      Polygon loop = joined(result[p], result[q], i - 1, shapes[p]);
      if (loop.empty()) continue;
      const PolygonShape shape = shape_of(vertices, loop);
      if (shape.status != Status::ok) continue;
      for (const std::uint32_t old : {p, q})
        for (std::size_t j = 0; j < result[old].size(); ++j)
          along.erase(key(result[old][j], result[old][(j + 1) % result[old].size()]));
      result[p] = std::move(loop);
      result[q].clear();
      shapes[p] = shape;
      shapes[q] = {};
      for (std::size_t j = 0; j < result[p].size(); ++j)
        along[key(result[p][j], result[p][(j + 1) % result[p].size()])] = p;
      i = 0;
    }
  std::erase_if(result, [](const Polygon& polygon) { return polygon.empty(); });
  return result;
}

}  // namespace graze::polyhedron
