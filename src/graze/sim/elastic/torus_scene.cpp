#include "graze/sim/elastic/torus_scene.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "graze/sim/elastic/material/tet_meshes.h"

namespace graze::sim::soft {
namespace {

Obstacle cone(double height, double radius, std::uint32_t sides) {
  Obstacle result{"cone", {{0, 0, height}}, {}};
  for (std::uint32_t k = 0; k < sides; ++k) {
    const double angle = 2 * std::numbers::pi * k / sides;
    result.positions.emplace_back(radius * std::cos(angle), radius * std::sin(angle), 0);
    result.faces.push_back({0, 1 + k, 1 + (k + 1) % sides});
  }
  return result;
}

}  // namespace

Model torus_scene(std::size_t vertices) {
  // 36 n^3 + 36 n^2 + 12 n vertices with n rings in the tube.
  const double rings = std::cbrt(static_cast<double>(vertices) / 36) - 1.0 / 3;
  const auto n = static_cast<std::uint32_t>(std::max(1.0, std::round(rings)));
  Eigen::Isometry3d place = Eigen::Isometry3d::Identity();
  place.translate(Vec3(0.13, -0.07, 2));
  place.rotate(Eigen::AngleAxisd(0.2, Vec3(1, 0.5, 0).normalized()));
  TetMesh mesh = moved(torus_tets(1, 0.35, 12 * n, n), place);

  Body torus;
  torus.name = "torus";
  torus.rest = std::move(mesh.positions);
  torus.tets = std::move(mesh.tets);
  torus.solid = {1000, 2e5, 0.4};
  Model model;
  model.bodies.push_back(std::move(torus));
  model.obstacles.push_back(cone(1.5, 1.4, 16));
  model.step = 1.0 / 100;
  return model;
}

}  // namespace graze::sim::soft
