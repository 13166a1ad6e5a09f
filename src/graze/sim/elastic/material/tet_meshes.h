#pragma once

#include <Eigen/Geometry>
#include <array>
#include <cstdint>
#include <span>

#include "graze/sim/elastic/material/tet_mesh.h"

namespace graze::sim::soft {

// Structured meshes of solids. For all of them:
//   (1) Every tetrahedron has positive volume: (b - a) x (c - a) . (d - a) > 0.
//   (2) They are conforming: a triangle is a face of one tetrahedron, on the boundary, or of
//       exactly two.
//   (3) The boundary is a closed manifold, with the Euler characteristic of the solid.

// Returns the box between two corners, divided into cells[0] x cells[1] x cells[2] boxes of six
// tetrahedra each (Kuhn's division: one per path from the lowest corner to the highest).
TetMesh box_tets(const Vec3& lo, const Vec3& hi, const std::array<std::uint32_t, 3>& cells);

// Returns a ball of 8 rings^3 tetrahedra around the origin: an octahedron in layers, each projected
// to a sphere. rings >= 1.
TetMesh ball_tets(double radius, std::uint32_t rings);

// Returns a ring around the z-axis, swept by a disc of radius `tube` at distance `radius` > tube
// from the origin, in `along` >= 3 slices. The disc is a hexagon in layers, of 6 rings^2 triangles:
// the ring has 18 rings^2 along tetrahedra.
TetMesh torus_tets(double radius, double tube, std::uint32_t along, std::uint32_t rings);

// Returns `count` such rings along x, each linked with the next, every other one upright. A ring is
// as far from the next as from the one after it, 2 (radius / 3 - tube), which must be positive.
TetMesh chain_tets(std::uint32_t count, double radius, double tube, std::uint32_t along,
                   std::uint32_t rings);

TetMesh moved(TetMesh mesh, const Eigen::Isometry3d& motion);

// Returns the meshes joined into one, in their order.
TetMesh joined(std::span<const TetMesh> meshes);

double volume(const TetMesh& mesh);

}  // namespace graze::sim::soft
