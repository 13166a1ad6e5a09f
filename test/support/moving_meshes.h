#pragma once

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "graze/mesh.h"

namespace graze::test {

// Returns a mesh of vertices with coordinates from `draw`, a third of them at rest, with random
// faces and rods, some of which contain a vertex twice, and points.
template <class Draw>
OwnedMotion random_motion(std::size_t vertices, std::uint64_t seed, Draw&& draw) {
  std::mt19937_64 random(seed);
  const auto vertex = [&] { return static_cast<std::uint32_t>(random() % vertices); };
  std::vector<Face> faces(vertices);
  for (Face& face : faces) face = {vertex(), vertex(), vertex()};
  std::vector<Edge> rods(vertices / 2);
  for (Edge& rod : rods) rod = {vertex(), vertex()};
  OwnedMotion motion{make_mesh(vertices, std::move(faces), rods), {}, {}};
  for (std::size_t v = 0; v < vertices; ++v) {
    const auto point = [&] { return Vec3{draw(random), draw(random), draw(random)}; };
    motion.start.push_back(point());
    motion.end.push_back(random() % 3 == 0 ? motion.start.back() : point());
  }
  return motion;
}

struct CoordinateFamily {
  const char* name;
  double (*draw)(std::mt19937_64&);
};
inline constexpr CoordinateFamily coordinate_families[] = {
    {"uniform", [](auto& random) { return std::uniform_real_distribution(-1.0, 1.0)(random); }},
    {"lattice", [](auto& random) { return double(random() % 7) - 3; }},
    {"one point", [](auto&) { return 0.25; }},
    {"signs of zero", [](auto& random) { return random() % 2 ? 0.0 : -0.0; }},
    {"neighbours",
     [](auto& random) {
       return random() % 2 ? 1.0 : 1.0 + std::numeric_limits<double>::epsilon();
     }},
    {"denormals",
     [](auto& random) {
       return double(int(random() % 9) - 4) * std::numeric_limits<double>::denorm_min();
     }},
    {"huge",
     [](auto& random) {
       return (random() % 2 ? 1 : -1) * std::ldexp(1.0, 1000 + int(random() % 24));
     }},
    {"any finite",
     [](auto& random) {
       double x;
       do x = std::bit_cast<double>(std::uint64_t{random()});
       while (!std::isfinite(x));
       return x;
     }},
    {"any bits",
     [](auto& random) {
       return random() % 4 ? std::uniform_real_distribution(-1.0, 1.0)(random)
                           : std::array{std::numeric_limits<double>::infinity(),
                                        -std::numeric_limits<double>::infinity(),
                                        std::numeric_limits<double>::quiet_NaN(),
                                        std::numeric_limits<double>::max()}[random() % 4];
     }},
};

// Returns a slightly crumpled sheet of n x n squares that moves by about one square. Each swept box
// overlaps few of the others.
inline OwnedMotion sheet(std::uint32_t n) {
  std::vector<Face> faces;
  for (std::uint32_t i = 0; i < n * n; ++i) {
    const std::uint32_t v = i / n * (n + 1) + i % n;
    faces.push_back({v, v + 1, v + n + 1});
    faces.push_back({v + 1, v + n + 2, v + n + 1});
  }
  OwnedMotion motion{make_mesh((n + 1) * (n + 1), faces), {}, {}};
  std::mt19937_64 random(1);
  const auto shift = [&] { return std::uniform_real_distribution(-0.7, 0.7)(random); };
  for (std::uint32_t v = 0; v < motion.mesh.vertex_count; ++v) {
    motion.start.push_back({double(v % (n + 1)), double(v / (n + 1)), shift()});
    motion.end.push_back(motion.start.back() + Vec3(shift(), shift(), shift()));
  }
  return motion;
}

}  // namespace graze::test
