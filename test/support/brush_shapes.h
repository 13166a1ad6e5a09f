#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "graze/generate/random.h"
#include "graze/polyhedron/model.h"

namespace graze::test {

inline Pose at(const Vec3& where) {
  return Pose::from_quaternion(1, 0, 0, 0, where);
}

// Returns a box, or the hull of a few points, in the cube of half side `size`.
inline polyhedron::Model random_solid(generate::Random& random, double size) {
  for (;;) {
    std::vector<Vec3> points;
    for (int i = random.integer(4, 9); i > 0; --i) points.push_back(random.cube(-size, size));
    const Vec3 &a = points[0], &b = points[1];
    const polyhedron::Model model = random.one_in(3)
                                        ? polyhedron::model_of_box({a.cwiseMin(b), a.cwiseMax(b)})
                                        : polyhedron::convex_hull(points);
    if (model.ok()) return model;
  }
}

// Returns a closed surface around the origin with n meridians, m parallels and many concave edges.
inline polyhedron::Model rugged(generate::Random& random, int n, int m) {
  std::vector<Vec3> v{{0, 0, 1}};
  constexpr double pi = 3.141592653589793;
  for (int j = 1; j < m; ++j)
    for (int i = 0; i < n; ++i) {
      const double a = 2 * pi * i / n, b = pi * j / m;
      v.push_back(random.uniform(0.6, 1) *
                  Vec3(std::cos(a) * std::sin(b), std::sin(a) * std::sin(b), std::cos(b)));
    }
  v.push_back({0, 0, -1});
  const auto at = [&](int j, int i) {
    return j == 0   ? 0u
           : j == m ? static_cast<std::uint32_t>(v.size() - 1)
                    : static_cast<std::uint32_t>(1 + (j - 1) * n + i % n);
  };
  std::vector<polyhedron::Polygon> faces;
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < n; ++i) {
      if (j < m - 1) faces.push_back({at(j, i), at(j + 1, i), at(j + 1, i + 1)});
      if (j > 0) faces.push_back({at(j, i), at(j + 1, i + 1), at(j, i + 1)});
    }
  return polyhedron::make_model(v, faces);
}

inline polyhedron::Model scaled_by(const polyhedron::Model& model, double factor) {
  std::vector<Vec3> vertices;
  for (const Vec3& x : model.vertices) vertices.push_back(factor * x);
  return polyhedron::make_model(vertices, model.polygons);
}

inline std::vector<std::array<Vec3, 3>> triangles_of(const polyhedron::Model& model) {
  std::vector<std::array<Vec3, 3>> triangles;
  for (const polyhedron::Facet& facet : model.facets) {
    const auto c = model.corners_of(facet);
    for (std::size_t i = 2; i < c.size(); ++i)
      triangles.push_back({model.vertices[c[0]], model.vertices[c[i - 1]], model.vertices[c[i]]});
  }
  return triangles;
}

}  // namespace graze::test
