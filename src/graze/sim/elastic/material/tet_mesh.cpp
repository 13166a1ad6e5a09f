#include "graze/sim/elastic/material/tet_mesh.h"

#include <Eigen/Geometry>
#include <map>

namespace graze::sim::soft {
namespace {

std::array<Face, 4> sides(const Tetrahedron& t) {
  return {{{t[1], t[2], t[3]}, {t[0], t[3], t[2]}, {t[0], t[1], t[3]}, {t[0], t[2], t[1]}}};
}

Face sorted(Face face) {
  std::sort(face.begin(), face.end());
  return face;
}

}  // namespace

std::vector<Face> surface_of(std::span<const Tetrahedron> tets) {
  std::map<Face, int> uses;
  for (const Tetrahedron& tet : tets)
    for (const Face& side : sides(tet)) ++uses[sorted(side)];
  std::vector<Face> surface;
  for (const Tetrahedron& tet : tets)
    for (const Face& side : sides(tet))
      if (uses[sorted(side)] == 1) surface.push_back(side);
  return surface;
}

double volume_of(std::span<const Vec3> positions, const Tetrahedron& tet) {
  const Vec3& x = positions[tet[0]];
  return (positions[tet[1]] - x).cross(positions[tet[2]] - x).dot(positions[tet[3]] - x) / 6;
}

}  // namespace graze::sim::soft
