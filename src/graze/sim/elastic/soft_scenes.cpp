#include "graze/sim/elastic/soft_scenes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "graze/sim/elastic/material/embedding.h"
#include "graze/sim/elastic/material/tet_meshes.h"

namespace graze::sim::soft {
namespace {

// Returns a rectangle of n x n squares with the given corner and sides.
Obstacle rectangle(const char* name, const Vec3& corner, const Vec3& a, const Vec3& b,
                   std::uint32_t n) {
  Obstacle result{name, {}, {}};
  for (std::uint32_t i = 0; i <= n; ++i)
    for (std::uint32_t j = 0; j <= n; ++j) {
      result.positions.push_back(corner + double(i) / n * a + double(j) / n * b);
      if (i == n || j == n) continue;
      const std::uint32_t at = i * (n + 1) + j;
      result.faces.push_back({at, at + n + 1, at + 1});
      result.faces.push_back({at + 1, at + n + 1, at + n + 2});
    }
  return result;
}

Body solid(const char* name, TetMesh mesh) {
  Body body;
  body.name = name;
  body.rest = std::move(mesh.positions);
  body.tets = std::move(mesh.tets);
  return body;
}

std::uint32_t at_least(std::uint32_t least, double value) {
  return std::max(least, static_cast<std::uint32_t>(std::lround(value)));
}

// A mat whose short sides are turned against each other, two turns each in four seconds.
Model mat(std::size_t vertices) {
  constexpr double length = 1, width = 0.3;
  const double side =
      std::sqrt(length * width / static_cast<double>(vertices) * 2 / std::sqrt(3.0));
  const std::uint32_t rows = at_least(2, width / (side * std::sqrt(0.75)));
  const std::uint32_t columns = at_least(4, length / side);
  Body body;
  body.name = "mat";
  body.cloth = {500, 3e5, 0.3, 4e-3};
  Hold left, right;
  for (std::uint32_t j = 0; j <= rows; ++j)
    for (std::uint32_t i = 0; i <= columns; ++i) {
      // Nearly equilateral triangles: the inner vertices of every second row are shifted by half a
      // side.
      const bool end = i == 0 || i == columns;
      const double shift = j % 2 == 1 && !end ? 0.25 : j % 2 == 0 && !end ? -0.25 : 0;
      const auto at = static_cast<std::uint32_t>(body.rest.size());
      body.rest.emplace_back(length * ((i + shift) / columns - 0.5), width * (1.0 * j / rows - 0.5),
                             0);
      if (i == 0) left.vertices.push_back(at);
      if (i == columns) right.vertices.push_back(at);
      if (i == columns || j == rows) continue;
      const std::uint32_t a = at, b = at + 1, c = at + columns + 1, d = at + columns + 2;
      if (j % 2 == 1) {
        body.sheet.push_back({a, b, d});
        body.sheet.push_back({a, d, c});
      } else {
        body.sheet.push_back({a, b, c});
        body.sheet.push_back({b, d, c});
      }
    }
  left.drive.spin = {std::numbers::pi, 0, 0};
  right.drive.spin = {-std::numbers::pi, 0, 0};
  left.drive.until = right.drive.until = 4;
  body.holds = {left, right};
  Model model;
  model.bodies.push_back(std::move(body));
  model.step = 1.0 / 50;
  model.reach = 4e-3;
  model.repulsion = 1e-3;
  return model;
}

// A ball thrown against a wall at 30 m/s; a second wall and a floor return it.
Model golf(std::size_t vertices) {
  // 4/3 n^3 + 2 n^2 + 8/3 n + 1 vertices in n rings.
  const auto rings = at_least(1, std::cbrt(0.75 * static_cast<double>(vertices)) - 0.5);
  Body ball = solid("ball", ball_tets(0.1, rings));
  ball.solid = {600, 4e5, 0.4};
  for (Vec3& x : ball.rest) x.z() += 0.6;
  ball.velocities.assign(ball.rest.size(), Vec3(30, 0.4, 2));
  Model model;
  model.bodies.push_back(std::move(ball));
  model.obstacles = {rectangle("wall", {1, -1, -0.2}, {0, 5, 0}, {0, 0, 3}, 2),
                     rectangle("wall behind", {-2, -1, -0.2}, {0, 5, 0}, {0, 0, 3}, 2),
                     rectangle("floor", {-1.99, -1, 0}, {2.98, 0, 0}, {0, 5, 0}, 2)};
  model.step = 1.0 / 1000;
  model.reach = 2e-3;
  model.repulsion = 1e-2;
  return model;
}

// Linked rings; the first is held at its end, the others swing down.
Model chain(std::size_t vertices) {
  constexpr std::uint32_t along = 16, of_ring = 7 * along;
  const auto count = at_least(2, static_cast<double>(vertices) / of_ring);
  const TetMesh all = chain_tets(count, 0.1, 0.02, along, 1);
  const std::size_t ring_tets = all.tets.size() / count;
  Model model;
  for (std::uint32_t i = 0; i < count; ++i) {
    TetMesh ring;
    const std::uint32_t first = i * of_ring;
    ring.positions.assign(all.positions.begin() + first, all.positions.begin() + first + of_ring);
    for (std::size_t t = i * ring_tets; t < (i + 1) * ring_tets; ++t) {
      Tetrahedron tet = all.tets[t];
      for (std::uint32_t& corner : tet) corner -= first;
      ring.tets.push_back(tet);
    }
    model.bodies.push_back(solid("ring", std::move(ring)));
    model.bodies.back().solid = {800, 2e6, 0.4};
  }
  Body& held = model.bodies.front();
  double least = held.rest[0].x();
  for (const Vec3& x : held.rest) least = std::min(least, x.x());
  held.holds.emplace_back();
  for (std::uint32_t i = 0; i < held.rest.size(); ++i)
    if (held.rest[i].x() < least + 0.04) held.holds[0].vertices.push_back(i);
  model.step = 1.0 / 100;
  model.reach = 2e-3;
  model.repulsion = 1e-3;
  return model;
}

constexpr std::array<SoftScene, 3> table{{
    {"mat", "a mat that is twisted four turns", mat, 400},
    {"golf", "a soft ball between two walls, at 30 m/s", golf, 231},
    {"chain", "a chain of soft rings swings down", chain, 560},
}};

}  // namespace

std::span<const SoftScene> soft_scenes() {
  return table;
}

Model squash_scene(std::span<const Vec3> surface, std::span<const Face> faces,
                   std::size_t vertices) {
  Vec3 low = surface[0], high = low;
  for (const Vec3& x : surface) low = low.cwiseMin(x), high = high.cwiseMax(x);
  constexpr double height = 0.5;
  const Vec3 center = (low + high) / 2;
  std::vector<Vec3> placed;
  for (const Vec3& x : surface)
    placed.emplace_back(height / (high - low).z() * (x - center) + Vec3(0, 0, height));
  // Shrinks the cells until there are enough vertices.
  double cell = height / 2;
  Embedding embedding = embed(placed, faces, cell);
  for (int i = 0; i < 100 && embedding.cage.positions.size() < vertices; ++i)
    embedding = embed(placed, faces, cell *= 0.93);
  Body body = solid("figure", std::move(embedding.cage));
  body.skin = std::move(embedding.surface);
  body.solid = {1000, 3e4, 0.4};
  Model model;
  model.bodies.push_back(std::move(body));
  model.obstacles = {rectangle("floor", {-1.5, -1.5, 0}, {3, 0, 0}, {0, 3, 0}, 6)};
  model.step = 1.0 / 60;
  model.reach = 1e-3;
  model.repulsion = 1e-3;
  return model;
}

}  // namespace graze::sim::soft
