#pragma once

#include <Eigen/Core>
#include <array>
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
  // Lines that are solved side by side: each has a lane of the arithmetic.
  static constexpr std::size_t lanes = 4;
  using Lanes = Eigen::Array<double, lanes, 1>;
  using Block = std::array<Lanes, 9>;  // 3 x 3, column by column, of all lanes

  // The place of a block in the matrix.
  struct Source {
    std::uint32_t column = 0, index = none;  // none: the block is 0
    bool transposed = false;
  };
  // The blocks of a particle of a line with the particles one and two places before.
  struct Sources {
    Source first, second;
  };
  // A block of the matrix between two particles of a line that are further apart in it.
  struct Outside {
    Source source;
    std::size_t a, b;  // places: the number of the row times lanes, plus the lane
  };
  // The particles with the same number in their lines, and their rows of L D L^T: the blocks of L
  // in the columns of the particles one and two places before, and the inverse of the block of D.
  struct Row {
    std::uint32_t number;
    std::array<std::uint32_t, lanes> particles;  // none: the line has ended
    Block first, second, inverse_diagonal;
  };

  void add_lines(const BlockMatrix& pattern, std::span<const std::span<const std::uint32_t>> lines);

  std::vector<Row> rows_;         // of lanes lines, then of the next ones
  std::vector<Sources> sources_;  // of the places
  std::vector<Outside> outside_;
  std::vector<double> added_;          // scratch: to the diagonal of a place
  std::vector<std::size_t> place_of_;  // scratch: of the particles of the last line
};

}  // namespace graze::sim
