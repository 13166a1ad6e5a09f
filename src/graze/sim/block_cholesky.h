#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "graze/sim/block_matrix.h"

namespace graze::sim {

// The Cholesky factorization of block matrices with one sparsity pattern, by the multifrontal
// method: columns of the factor with nearly the same rows form a front, which is a dense matrix.
// Dense kernels do nearly all of the work.
//
//   (1) factorize() returns false if the matrix is not positive definite in doubles. solve() may
//       then not be called.
//   (2) Factor and solution depend on the matrix alone.
// Reference: Duff and Reid, The multifrontal solution of indefinite sparse symmetric linear
// systems, ACM Transactions on Mathematical Software 9, 1983.
class BlockCholesky {
 public:
  // Orders the columns (approximate minimum degree) and finds the fronts.
  explicit BlockCholesky(const BlockMatrix& pattern);

  // Returns the number of multiplications of one factorization.
  double work() const { return work_; }
  // Returns the number of stored entries of the factor, zeros included.
  std::size_t entries() const { return panels_.size(); }

  bool factorize(const BlockMatrix& matrix);              // of the pattern
  Eigen::MatrixXd solve(const Eigen::MatrixXd& b) const;  // of all columns

 private:
  // The place in the panel of a front at which a block of the matrix is added.
  struct Source {
    std::uint32_t column, index;  // of the matrix
    std::uint32_t row, own;       // of the panel
    bool transposed;
  };
  // Consecutive columns of the factor and the block rows below them.
  struct Front {
    std::uint32_t first, columns;
    std::vector<std::uint32_t> rows;  // ascending, in the order of elimination
    std::vector<Source> sources;
    std::vector<std::uint32_t> children;  // fronts
    std::vector<std::uint32_t> places;    // of `rows` in the front of the parent
    std::size_t at;                       // of the panel in panels_

    Eigen::Index width() const { return 3 * Eigen::Index(columns); }
    Eigen::Index height() const { return 3 * Eigen::Index(columns + rows.size()); }
  };

  std::vector<std::vector<std::uint32_t>> order_columns(const BlockMatrix& pattern);
  void find_fronts(const std::vector<std::vector<std::uint32_t>>& rows);
  void connect_fronts(const BlockMatrix& pattern);
  std::uint32_t place_in(const Front& front, std::uint32_t row) const;
  void add_update(const Front& child, const Eigen::MatrixXd& update, const Front& front,
                  Eigen::MatrixXd& rest);

  std::vector<std::uint32_t> place_;     // of the block columns of the matrix in the elimination
  std::vector<Front> fronts_;            // children before parents
  std::vector<std::uint32_t> front_of_;  // of a column of the factor
  std::vector<double> panels_;           // of all fronts: height x width, column by column
  double work_ = 0;
};

}  // namespace graze::sim
