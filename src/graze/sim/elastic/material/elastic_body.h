#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "graze/sim/elastic/material/shell_energy.h"
#include "graze/sim/elastic/material/tet_energy.h"
#include "graze/sim/elastic/material/tet_mesh.h"

namespace graze::sim {
class BlockMatrix;  // block_matrix.h
}

namespace graze::sim::soft {

// Returns an empty string if the body can be simulated, otherwise a sentence that names the first
// defect and its indices.
std::string problem(const Body& body);

// Returns the mass of each vertex: a quarter of each of its tetrahedra, a third of each triangle.
std::vector<double> masses_of(const Body& body);

// The elastic energy of bodies whose vertices are stored in one array, one body after the other.
class ElasticEnergy {
 public:
  // Adds a body whose vertices start at index `first`.
  void add(const Body& body, std::uint32_t first);

  double energy(std::span<const Vec3> positions) const;
  // Adds the gradient and the Hessian, projected to be positive semidefinite. The blocks off the
  // diagonal are at pairs().
  void linearize(std::span<const Vec3> positions, Eigen::VectorXd& gradient,
                 BlockMatrix& curvature) const;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs() const;

 private:
  std::vector<TetEnergy> tets_;
  std::vector<MembraneEnergy> membranes_;
  std::vector<BendingEnergy> hinges_;
};

}  // namespace graze::sim::soft
