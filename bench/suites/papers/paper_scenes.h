#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graze/exact/judge/polynomial.h"
#include "graze/mesh.h"

namespace graze::bench {

// A generated scene in place of one of Table 2 of [Huh 2014] whose data is not available.
struct PaperScene {
  std::string name, description;
  Mesh mesh;
  std::vector<Vec3> start, end;
};

// Lion: a body that breaks into chunks, each moving rigidly. N-Body: balls that fly, most without
// spin, so that the velocities of a face are equal. Dragon-Bunny: a body that bursts into triangles
// beside another. Coordinates are multiples of 2^-20 (rotations are rounded to them), so that a
// translation is one exactly. `size` grows the meshes; 300 gives about 1e5 pairs each.
std::vector<PaperScene> paper_scenes(std::size_t size, std::uint64_t seed);

// The properties of the coplanarity cubic that Table 2 of [Huh 2014] counts, decided exactly.
struct CubicShape {
  bool degenerate;  // all coefficients are zero: always coplanar
  bool zero_a;      // the coefficient of t^3 is zero and another is not
};
CubicShape cubic_shape(const VertexFace& query);

}  // namespace graze::bench
