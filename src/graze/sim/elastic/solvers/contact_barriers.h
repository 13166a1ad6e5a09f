#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "graze/find_pairs.h"
#include "graze/sim/elastic/solvers/barrier.h"
#include "graze/sim/soft.h"

namespace graze::sim {
class BlockMatrix;  // block_matrix.h
}

namespace graze::sim::soft {

// The barriers of all pairs of a contact surface that are within reach.
class ContactBarriers {
 public:
  ContactBarriers(const ContactSurface& surface, const Barrier& barrier);

  // Finds the pairs within reach, in an order that depends on the positions alone.
  void find(std::span<const Vec3> surface_positions, int threads);
  std::size_t size() const { return pairs_.size(); }

  // Returns the energy at the positions of find().
  double energy() const;
  // Adds the gradient and the projected Hessian with respect to the vertices that carry the
  // surface.
  void linearize(Eigen::VectorXd& gradient, BlockMatrix& curvature) const;
  // Appends the pairs of vertices at which the Hessian has blocks off the diagonal.
  void add_pairs(std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs) const;

 private:
  struct Near {
    Barrier::Feature feature;
    std::array<std::uint32_t, 4> vertices;  // of the surface
    std::size_t size;
  };
  Near near(Kind kind, const Pair& pair, std::span<const Vec3> x) const;

  const ContactSurface& surface_;
  Barrier barrier_;
  std::vector<double> edge_lengths_;
  std::vector<Near> pairs_;
};

}  // namespace graze::sim::soft
