#pragma once

#include <Eigen/LU>
#include <Eigen/Sparse>
#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace graze::sim {

// The lower triangle of a symmetric sparse matrix of 3 x 3 blocks, one block row per particle. The
// sparsity pattern is fixed at construction, so that a solver analyses it once.
class BlockMatrix {
 public:
  // Makes a zero matrix whose pattern is the diagonal and the given pairs of particles.
  BlockMatrix(std::size_t particles, std::span<const std::pair<std::uint32_t, std::uint32_t>> pairs)
      : columns_(particles), starts_(particles) {
    for (std::uint32_t i = 0; i < particles; ++i) columns_[i].push_back(i);
    for (const auto& [a, b] : pairs)
      if (a != b) columns_[std::min(a, b)].push_back(std::max(a, b));
    const auto size = static_cast<Eigen::Index>(3 * particles);
    std::vector<int> outer{0}, inner;
    for (std::size_t j = 0; j < particles; ++j) {
      auto& column = columns_[j];
      std::sort(column.begin(), column.end());
      column.erase(std::unique(column.begin(), column.end()), column.end());
      starts_[j] = inner.size();
      for (int c = 0; c < 3; ++c) {
        for (const std::uint32_t i : column)
          for (int r = 0; r < 3; ++r) inner.push_back(static_cast<int>(3 * i) + r);
        outer.push_back(static_cast<int>(inner.size()));
      }
    }
    const std::vector<double> zeros(inner.size());
    matrix_ = Eigen::Map<const Eigen::SparseMatrix<double>>(
        size, size, static_cast<Eigen::Index>(inner.size()), outer.data(), inner.data(),
        zeros.data());
  }

  void set_zero() { matrix_.coeffs().setZero(); }

  // Adds a block in row i and column j, which must be in the pattern. Blocks above the diagonal are
  // ignored: symmetric input adds both.
  void add(std::uint32_t i, std::uint32_t j, const Eigen::Matrix3d& block) {
    if (i < j) return;
    const auto& column = columns_[j];
    const auto place = std::lower_bound(column.begin(), column.end(), i) - column.begin();
    double* at = matrix_.valuePtr() + starts_[j] + 3 * place;
    for (int c = 0; c < 3; ++c, at += 3 * column.size())
      for (int r = 0; r < 3; ++r) at[r] += block(r, c);
  }

  std::size_t particles() const { return columns_.size(); }

  // Returns the block rows of column j from the diagonal on, ascending, and the k-th block there.
  std::span<const std::uint32_t> rows(std::size_t j) const { return columns_[j]; }
  auto block(std::size_t j, std::size_t k) const {
    return Eigen::Map<const Eigen::Matrix3d, 0, Eigen::OuterStride<>>(
        matrix_.valuePtr() + starts_[j] + 3 * k,
        Eigen::OuterStride<>(3 * static_cast<Eigen::Index>(columns_[j].size())));
  }

  // Returns the inverses of the diagonal blocks.
  std::vector<Eigen::Matrix3d> inverse_diagonal() const {
    std::vector<Eigen::Matrix3d> inverses(columns_.size());
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      const double* at = matrix_.valuePtr() + starts_[j];
      Eigen::Matrix3d block;
      for (int c = 0; c < 3; ++c, at += 3 * columns_[j].size())
        for (int r = 0; r < 3; ++r) block(r, c) = at[r];
      inverses[j] = block.inverse();
    }
    return inverses;
  }

  // Returns the product of the whole symmetric matrix with x.
  Eigen::VectorXd operator*(const Eigen::VectorXd& x) const {
    using Segment = Eigen::Map<const Eigen::Vector3d>;
    Eigen::VectorXd product = Eigen::VectorXd::Zero(x.size());
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      const auto& column = columns_[j];
      const double* at = matrix_.valuePtr() + starts_[j];
      const Segment xj(x.data() + 3 * j);
      Eigen::Vector3d row = Eigen::Vector3d::Zero();
      for (std::size_t k = 0; k < column.size(); ++k, at += 3) {
        const Segment a(at), b(at + 3 * column.size()), c(at + 6 * column.size());
        const Segment xi(x.data() + 3 * column[k]);
        row += Eigen::Vector3d(a.dot(xi), b.dot(xi), c.dot(xi));
        if (k > 0)
          Eigen::Map<Eigen::Vector3d>(product.data() + 3 * column[k]) +=
              xj[0] * a + xj[1] * b + xj[2] * c;
      }
      Eigen::Map<Eigen::Vector3d>(product.data() + 3 * j) += row;
    }
    return product;
  }

  // The lower triangle and the full diagonal blocks.
  const Eigen::SparseMatrix<double>& lower() const { return matrix_; }

 private:
  std::vector<std::vector<std::uint32_t>> columns_;  // block rows of each block column, ascending
  std::vector<std::size_t> starts_;
  Eigen::SparseMatrix<double> matrix_;
};

}  // namespace graze::sim
