#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "graze/generate/random.h"
#include "graze/mesh.h"

namespace graze::test {

// A distribution of the positions and motions of the vertices of a random mesh.
struct MeshFamily {
  const char* name;
  Vec3 (*position)(generate::Random&);
  Vec3 (*motion)(generate::Random&, const Vec3& start);
  double feature_size = 1;  // as a fraction of the size of the mesh
};

// Families with the degeneracies that meshes can have: equal contact times, contacts at the start,
// coplanar features, collapsing features, tiny and huge coordinates.
inline constexpr MeshFamily mesh_families[] = {
    {"uniform", [](auto& random) { return random.cube(-1, 1); },
     [](auto& random, const Vec3& start) { return Vec3(start + random.cube(-0.3, 0.3)); }},
    {"fast", [](auto& random) { return random.cube(-1, 1); },
     [](auto& random, const Vec3&) { return random.cube(-1, 1); }},
    {"small and fast", [](auto& random) { return random.cube(-1, 1); },
     [](auto& random, const Vec3&) { return random.cube(-1, 1); }, 0.1},
    {"lattice", [](auto& random) { return random.lattice(2); },
     [](auto& random, const Vec3&) { return random.lattice(2); }},
    {"lattice, mostly at rest", [](auto& random) { return random.lattice(2); },
     [](auto& random, const Vec3& start) { return random.one_in(3) ? random.lattice(2) : start; }},
    {"plane", [](auto& random) { return Vec3(random.cube(-1, 1).cwiseProduct(Vec3(1, 1, 0))); },
     [](auto& random, const Vec3& start) {
       return Vec3(start + random.cube(-0.5, 0.5).cwiseProduct(Vec3(1, 1, 0)));
     }},
    {"two sheets meet",
     [](auto& random) {
       const Vec3 x = random.cube(-1, 1);
       return Vec3(x[0], x[1], random.one_in(2) ? 0 : 1);
     },
     [](auto&, const Vec3& start) { return Vec3(start[0], start[1], 0.5 - start[2] / 4); }},
    {"denormals", [](auto& random) { return Vec3(0x1p-1074 * random.lattice(9)); },
     [](auto& random, const Vec3&) { return Vec3(0x1p-1074 * random.lattice(9)); }},
    {"huge", [](auto& random) { return Vec3(0x1p1020 * random.cube(-15, 15)); },
     [](auto& random, const Vec3&) { return Vec3(0x1p1020 * random.cube(-15, 15)); }},
    {"far from the origin",
     [](auto& random) { return Vec3(1e8 * Vec3::Ones() + random.cube(-1, 1)); },
     [](auto& random, const Vec3& start) { return Vec3(start + random.cube(-0.1, 0.1)); }},
};

// Returns a mesh of `triangles` faces, half of which share a vertex with the face before, and half
// as many rods and points.
inline OwnedMotion random_mesh(const MeshFamily& family, std::uint32_t triangles,
                               std::uint64_t seed) {
  generate::Random random(family.name, 0, seed, triangles);
  std::vector<Face> faces;
  std::vector<Edge> rods;
  std::uint32_t vertices = 0;
  for (std::uint32_t i = 0; i < triangles; ++i) {
    if (i > 0 && random.one_in(2)) --vertices;
    faces.push_back({vertices, vertices + 1, vertices + 2});
    vertices += 3;
  }
  for (std::uint32_t i = 0; i < triangles / 2; ++i) {
    rods.push_back({vertices, vertices + 1});
    vertices += 2 - static_cast<std::uint32_t>(random.one_in(3));
  }
  vertices += 1 + triangles / 2;
  OwnedMotion motion{make_mesh(vertices, std::move(faces), rods), {}, {}};
  for (std::uint32_t v = 0; v < vertices; ++v) {
    Vec3 position = family.position(random);
    if (family.feature_size < 1 && v % 3 > 0)
      position = motion.start.back() + family.feature_size * (position - motion.start.back());
    motion.start.push_back(position);
    motion.end.push_back(family.motion(random, motion.start.back()));
  }
  return motion;
}

}  // namespace graze::test
