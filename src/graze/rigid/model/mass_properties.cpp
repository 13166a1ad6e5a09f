#include "graze/rigid/model/mass_properties.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <utility>
#include <vector>

#include "graze/rigid/model/convex_hull.h"

namespace graze::rigid {

bool bounds_a_solid(std::span<const Face> faces) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sides, opposite;
  for (const Face& face : faces)
    for (std::size_t k = 0; k < 3; ++k) {
      sides.emplace_back(face[k], face[(k + 1) % 3]);
      opposite.emplace_back(face[(k + 1) % 3], face[k]);
    }
  std::sort(sides.begin(), sides.end());
  std::sort(opposite.begin(), opposite.end());
  return !sides.empty() && sides == opposite &&
         std::adjacent_find(sides.begin(), sides.end()) == sides.end();
}

// Each face and one common point span a tetrahedron of signed volume; the integrals over the solid
// are the sums over these tetrahedra. With corners o, o + a, o + b, o + c and d = a.(b x c):
//   volume d/6,  integral of x: d/24 (a + b + c),
//   integral of x x^T: d/120 (a a^T + b b^T + c c^T + s s^T), s = a + b + c.
// The common point is a vertex, so that a solid far from the origin loses no precision.
MassProperties solid_of(std::span<const Vec3> vertices, std::span<const Face> faces) {
  if (faces.empty()) return {};
  const Vec3 origin = vertices[faces[0][0]];
  double volume = 0;
  Vec3 first = Vec3::Zero();
  Eigen::Matrix3d second = Eigen::Matrix3d::Zero();
  for (const Face& face : faces) {
    const Vec3 a = vertices[face[0]] - origin, b = vertices[face[1]] - origin,
               c = vertices[face[2]] - origin, s = a + b + c;
    const double d = a.dot(b.cross(c));
    volume += d / 6;
    first += d / 24 * s;
    second +=
        d / 120 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose());
  }
  if (volume == 0) return {0, origin, Eigen::Matrix3d::Zero()};
  const Vec3 centre = first / volume;
  second -= volume * centre * centre.transpose();
  const double sign = volume < 0 ? -1 : 1;
  return {sign * volume, origin + centre,
          sign * (second.trace() * Eigen::Matrix3d::Identity() - second)};
}

MassProperties mass_properties(std::span<const Vec3> vertices, std::span<const Face> faces) {
  if (bounds_a_solid(faces)) return solid_of(vertices, faces);
  return solid_of(vertices, convex_hull(vertices));
}

}  // namespace graze::rigid
