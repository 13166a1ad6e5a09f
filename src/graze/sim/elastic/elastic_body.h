#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "graze/sim/elastic/shell_energy.h"
#include "graze/sim/elastic/tet_energy.h"
#include "graze/sim/elastic/tet_mesh.h"

namespace graze {

class BlockMatrix;  // block_matrix.h

// In kilograms, metres and seconds.
struct SolidMaterial {
  double density = 1000, young = 1e5, poisson = 0.4;
};
struct SheetMaterial {
  double density = 500, young = 1e6, poisson = 0.3, thickness = 1e-3;
};

// How vertices that are held move: from where they are at time 0 with a constant velocity and a
// spin (radians per second) about a centre, until a time; then they stay.
struct Drive {
  Vec3 velocity = {0, 0, 0}, spin = {0, 0, 0}, center = {0, 0, 0};
  double until = std::numeric_limits<double>::infinity();

  bool moves() const { return !velocity.isZero(0) || !spin.isZero(0); }
  Vec3 place(const Vec3& at_start, double time) const;
};
struct Hold {
  std::vector<std::uint32_t> vertices;
  Drive drive;
};

// A body that deforms: a solid of tetrahedra, a sheet of triangles, or both on the same vertices.
// Plain data.
struct ElasticBody {
  std::string name;
  std::vector<Vec3> rest;                   // where nothing is strained
  std::vector<Vec3> positions, velocities;  // at the start; empty: at rest, 0
  std::vector<Tetrahedron> tets;
  std::vector<Face> sheet;
  SolidMaterial solid;
  SheetMaterial cloth;
  // What of the solid touches other things: a surface carried along, or where it has no faces the
  // surface of the tetrahedra.
  CarriedSurface skin;
  std::vector<Hold> holds;
};

// Empty where the body can be simulated, else what is wrong with it: a clear sentence with the
// indices of the culprits.
std::string problem(const ElasticBody& body);

// Of each vertex: a quarter of its tetrahedra and a third of its triangles.
std::vector<double> masses_of(const ElasticBody& body);

// The elastic energy of bodies whose vertices are kept in one array, one body after the other.
class ElasticEnergy {
 public:
  // The body's vertices are those from `first` on.
  void add(const ElasticBody& body, std::uint32_t first);

  double energy(std::span<const Vec3> positions) const;
  // Adds the gradient and the curvature, projected to be positive semidefinite, whose entries lie
  // at pairs().
  void linearize(std::span<const Vec3> positions, Eigen::VectorXd& gradient,
                 BlockMatrix& curvature) const;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs() const;

 private:
  std::vector<TetEnergy> tets_;
  std::vector<MembraneEnergy> membranes_;
  std::vector<BendingEnergy> hinges_;
};

}  // namespace graze
