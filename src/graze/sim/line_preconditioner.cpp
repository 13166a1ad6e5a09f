#include "graze/sim/line_preconditioner.h"

#include <Eigen/LU>
#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>

namespace graze::sim {
namespace {

using Eigen::Matrix3d;

constexpr auto nowhere = std::numeric_limits<std::size_t>::max();

// Returns the block of a lane.
template <class Block>
Matrix3d block_of(const Block& blocks, std::size_t lane) {
  Matrix3d block;
  for (std::size_t k = 0; k < 9; ++k) block.data()[k] = blocks[k][static_cast<Eigen::Index>(lane)];
  return block;
}

template <class Block>
void set_block(Block& blocks, std::size_t lane, const Matrix3d& block) {
  for (std::size_t k = 0; k < 9; ++k) blocks[k][static_cast<Eigen::Index>(lane)] = block.data()[k];
}

// Subtracts the products of the blocks with vectors x from y, lane by lane.
template <class Block, class Lanes>
void subtract_product(const Block& a, const Lanes* x, Lanes* y) {
  for (std::size_t c = 0; c < 3; ++c) y[c] -= a[c] * x[0] + a[c + 3] * x[1] + a[c + 6] * x[2];
}

// The same with the transposed blocks.
template <class Block, class Lanes>
void subtract_transposed_product(const Block& a, const Lanes* x, Lanes* y) {
  for (std::size_t c = 0; c < 3; ++c)
    y[c] -= a[3 * c] * x[0] + a[3 * c + 1] * x[1] + a[3 * c + 2] * x[2];
}

}  // namespace

LinePreconditioner::LinePreconditioner(const BlockMatrix& pattern,
                                       std::span<const std::vector<std::uint32_t>> lines)
    : place_of_(pattern.particles(), nowhere) {
  std::vector<std::uint32_t> particles(pattern.particles());
  std::iota(particles.begin(), particles.end(), 0u);
  std::vector<bool> in_line(pattern.particles());
  std::vector<std::span<const std::uint32_t>> all(lines.begin(), lines.end());
  for (const std::vector<std::uint32_t>& line : lines)
    for (const std::uint32_t particle : line) in_line[particle] = true;
  for (const std::uint32_t& particle : particles)
    if (!in_line[particle]) all.emplace_back(&particle, 1);
  // Lines of equal length share their rows without loss.
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  for (std::size_t i = 0; i < all.size(); i += lanes)
    add_lines(pattern, std::span(all).subspan(i, std::min(lanes, all.size() - i)));
  added_.resize(sources_.size());
}

void LinePreconditioner::add_lines(const BlockMatrix& pattern,
                                   std::span<const std::span<const std::uint32_t>> lines) {
  const std::size_t begin = rows_.size();
  Row row{};
  row.particles.fill(none);
  for (Block* block : {&row.first, &row.second, &row.inverse_diagonal}) block->fill(Lanes::Zero());
  for (; row.number < lines[0].size(); ++row.number) rows_.push_back(row);
  sources_.resize(lanes * rows_.size());
  for (std::size_t lane = 0; lane < lines.size(); ++lane) {
    for (std::size_t i = 0; i < lines[lane].size(); ++i) {
      const std::uint32_t particle = lines[lane][i];
      rows_[begin + i].particles[lane] = particle;
      place_of_[particle] = lanes * (begin + i) + lane;
    }
    for (const std::uint32_t j : lines[lane]) {
      const auto rows = pattern.rows(j);
      for (std::uint32_t k = 1; k < rows.size(); ++k) {
        if (place_of_[rows[k]] == nowhere) continue;
        // The block is in the row of rows[k] and the column of j.
        const bool transposed = place_of_[rows[k]] < place_of_[j];
        const auto [before, after] = std::minmax(place_of_[rows[k]], place_of_[j]);
        const Source source{j, k, transposed};
        if (after - before == lanes)
          sources_[after].first = source;
        else if (after - before == 2 * lanes)
          sources_[after].second = source;
        else
          outside_.push_back({source, before, after});
      }
    }
    for (const std::uint32_t j : lines[lane]) place_of_[j] = nowhere;
  }
}

// The part of the matrix along a line is a principal submatrix, and positive definite. Without a
// block B and its transpose outside of the band it might not be; |B| times the identity is added to
// both diagonal blocks instead. [ |B| -B ; -B^T |B| ] is positive semidefinite, so the band is then
// at least as large as the submatrix.
void LinePreconditioner::factorize(const BlockMatrix& matrix) {
  const auto block = [&](const Source& source) -> Matrix3d {
    if (source.index == none) return Matrix3d::Zero();
    const auto found = matrix.block(source.column, source.index);
    return source.transposed ? Matrix3d(found.transpose()) : Matrix3d(found);
  };
  std::fill(added_.begin(), added_.end(), 0.0);
  for (const Outside& outside : outside_) {
    const double size = block(outside.source).norm();
    added_[outside.a] += size;
    added_[outside.b] += size;
  }
  // Rows of lines that have ended stay 0.
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      Row& row = rows_[i];
      if (row.particles[lane] == none) continue;
      const Sources& sources = sources_[lanes * i + lane];
      Matrix3d diagonal = matrix.block(row.particles[lane], 0);
      diagonal.diagonal().array() += added_[lanes * i + lane];
      if (row.number > 0) {
        Matrix3d entry = block(sources.first);
        if (row.number > 1) {
          const Matrix3d second = block(sources.second);
          const Matrix3d factor = second * block_of(rows_[i - 2].inverse_diagonal, lane);
          diagonal -= factor * second.transpose();
          entry -= second * block_of(rows_[i - 1].first, lane).transpose();
          set_block(row.second, lane, factor);
        }
        const Matrix3d factor = entry * block_of(rows_[i - 1].inverse_diagonal, lane);
        diagonal -= factor * entry.transpose();
        set_block(row.first, lane, factor);
      }
      set_block(row.inverse_diagonal, lane, diagonal.inverse());
    }
  }
}

Eigen::VectorXd LinePreconditioner::operator*(const Eigen::VectorXd& r) const {
  using LanesOfThree = std::array<Lanes, 3>;
  const std::unique_ptr<LanesOfThree[]> x(new LanesOfThree[rows_.size()]);  // set below
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const std::uint32_t particle = row.particles[lane];
      for (std::size_t c = 0; c < 3; ++c)
        x[i][c][static_cast<Eigen::Index>(lane)] =
            particle == none ? 0 : r[3 * Eigen::Index(particle) + Eigen::Index(c)];
    }
    if (row.number > 0) subtract_product(row.first, x[i - 1].data(), x[i].data());
    if (row.number > 1) subtract_product(row.second, x[i - 2].data(), x[i].data());
  }
  Eigen::VectorXd product = Eigen::VectorXd::Zero(r.size());
  for (std::size_t i = rows_.size(); i-- > 0;) {
    LanesOfThree own{Lanes::Zero(), Lanes::Zero(), Lanes::Zero()};
    const Block& inverse = rows_[i].inverse_diagonal;
    for (std::size_t c = 0; c < 3; ++c)
      own[c] = inverse[c] * x[i][0] + inverse[c + 3] * x[i][1] + inverse[c + 6] * x[i][2];
    if (i + 1 < rows_.size() && rows_[i + 1].number > 0)
      subtract_transposed_product(rows_[i + 1].first, x[i + 1].data(), own.data());
    if (i + 2 < rows_.size() && rows_[i + 2].number > 1)
      subtract_transposed_product(rows_[i + 2].second, x[i + 2].data(), own.data());
    x[i] = own;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const std::uint32_t particle = rows_[i].particles[lane];
      if (particle == none) continue;
      for (std::size_t c = 0; c < 3; ++c)
        product[3 * Eigen::Index(particle) + Eigen::Index(c)] +=
            own[c][static_cast<Eigen::Index>(lane)];
    }
  }
  return product;
}

}  // namespace graze::sim
