#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "graze/sim/block_matrix.h"

namespace graze::sim {

// An approximate inverse of block matrices with one sparsity pattern: the sum of the inverses of
// their parts along lines of particles. Each line couples neighbours and second neighbours, as a
// cable does; its system is solved directly, in a time proportional to its length. A particle of no
// line is a line of its own, so that without lines the result is the inverse of the diagonal
// blocks.
//
// Stiff cables that cross make a matrix with a large condition number, but the stiffness acts along
// the cables. Their inverses remove it: the number of iterations depends little on the stiffness.
//
//   (1) The approximate inverse of a positive definite matrix is positive definite, up to rounding.
//   (2) It depends on the matrix and the lines alone.
// Reference: additive Schwarz methods, for example Dryja and Widlund 1987.
class LinePreconditioner {
 public:
  // Lines of particles, in order; a line names no particle twice.
  LinePreconditioner(const BlockMatrix& pattern, std::span<const std::vector<std::uint32_t>> lines);

  void factorize(const BlockMatrix& matrix);  // of the pattern
  // Returns the product of the approximate inverse with r. Call factorize() before.
  Eigen::VectorXd operator*(const Eigen::VectorXd& r) const;

 private:
  static constexpr std::uint32_t none = 0xffffffff;

  // The place of a block in the matrix.
  struct Source {
    std::uint32_t column = 0, index = none;  // none: the block is 0
    bool transposed = false;
  };
  struct Place {
    std::uint32_t particle;
    std::uint32_t number;  // in its line
  };
  // A block of the matrix between two particles of a line that are further apart in it.
  struct Outside {
    Source source;
    std::size_t a, b;  // in places_
  };

  void add_line(const BlockMatrix& pattern, std::span<const std::uint32_t> line);

  // The particles, line by line, and the rows of L D L^T of their lines: the blocks of L in the
  // columns of the particles one and two places before, and the inverses of the blocks of D.
  std::vector<Place> places_;
  std::vector<Eigen::Matrix3d> first_, second_, inverse_diagonal_;
  std::vector<Source> first_source_, second_source_;
  std::vector<Outside> outside_;
  std::vector<double> added_;          // scratch: to the diagonal of a place
  std::vector<std::size_t> place_of_;  // scratch: of the particles of the last line
};

}  // namespace graze::sim
