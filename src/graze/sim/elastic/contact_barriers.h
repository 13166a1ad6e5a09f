#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "graze/broad/find_pairs.h"
#include "graze/sim/elastic/barrier.h"
#include "graze/sim/elastic/soft_model.h"

namespace graze {

class BlockMatrix;  // block_matrix.h

// The barriers of all pairs of a contact surface that are within reach.
class ContactBarriers {
 public:
  ContactBarriers(const ContactSurface& surface, const Barrier& barrier);

  // Finds the pairs within reach, in an order that depends on the positions alone.
  void find(std::span<const Vec3> surface_positions, int threads);
  std::size_t size() const { return pairs_.size(); }

  // At the positions of find().
  double energy() const;
  // Adds gradient and projected curvature by the vertices that carry the surface; its entries lie
  // at pairs().
  void linearize(Eigen::VectorXd& gradient, BlockMatrix& curvature) const;
  void add_pairs(std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs) const;

 private:
  struct Near {
    Barrier::Feature feature;
    std::array<std::uint32_t, 4> vertices;  // of the surface
    std::size_t size;
  };
  Near near(PairKind kind, const Pair& pair, std::span<const Vec3> x) const;

  const ContactSurface& surface_;
  Barrier barrier_;
  std::vector<double> edge_lengths_;
  std::vector<Near> pairs_;
};

}  // namespace graze
