#include "graze/sim/line_preconditioner.h"

#include <Eigen/LU>
#include <algorithm>
#include <limits>

namespace graze::sim {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr auto nowhere = std::numeric_limits<std::size_t>::max();

}  // namespace

LinePreconditioner::LinePreconditioner(const BlockMatrix& pattern,
                                       std::span<const std::vector<std::uint32_t>> lines)
    : place_of_(pattern.particles(), nowhere) {
  std::vector<bool> in_line(pattern.particles());
  for (const std::vector<std::uint32_t>& line : lines) {
    add_line(pattern, line);
    for (const std::uint32_t particle : line) in_line[particle] = true;
  }
  for (std::uint32_t i = 0; i < in_line.size(); ++i)
    if (!in_line[i]) add_line(pattern, {&i, 1});
  added_.resize(places_.size());
  first_.resize(places_.size());
  second_.resize(places_.size());
  inverse_diagonal_.resize(places_.size());
}

void LinePreconditioner::add_line(const BlockMatrix& pattern, std::span<const std::uint32_t> line) {
  const std::size_t begin = places_.size();
  for (std::uint32_t i = 0; i < line.size(); ++i) {
    places_.push_back({line[i], i});
    place_of_[line[i]] = begin + i;
  }
  first_source_.resize(places_.size());
  second_source_.resize(places_.size());
  for (const std::uint32_t j : line) {
    const auto rows = pattern.rows(j);
    for (std::uint32_t k = 1; k < rows.size(); ++k) {
      if (place_of_[rows[k]] == nowhere) continue;
      // The block is in the row of rows[k] and the column of j.
      const bool transposed = place_of_[rows[k]] < place_of_[j];
      const auto [before, after] = std::minmax(place_of_[rows[k]], place_of_[j]);
      const Source source{j, k, transposed};
      if (after - before == 1)
        first_source_[after] = source;
      else if (after - before == 2)
        second_source_[after] = source;
      else
        outside_.push_back({source, before, after});
    }
  }
  for (const std::uint32_t j : line) place_of_[j] = nowhere;
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
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const auto [particle, number] = places_[i];
    Matrix3d diagonal = matrix.block(particle, 0);
    diagonal.diagonal().array() += added_[i];
    if (number > 0) {
      Matrix3d entry = block(first_source_[i]);
      if (number > 1) {
        const Matrix3d second = block(second_source_[i]);
        second_[i] = second * inverse_diagonal_[i - 2];
        diagonal -= second_[i] * second.transpose();
        entry -= second * first_[i - 1].transpose();
      }
      first_[i] = entry * inverse_diagonal_[i - 1];
      diagonal -= first_[i] * entry.transpose();
    }
    inverse_diagonal_[i] = diagonal.inverse();
  }
}

Eigen::VectorXd LinePreconditioner::operator*(const Eigen::VectorXd& r) const {
  std::vector<Vector3d> x(places_.size());
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const auto [particle, number] = places_[i];
    x[i] = r.segment<3>(3 * Eigen::Index(particle));
    if (number > 0) x[i] -= first_[i] * x[i - 1];
    if (number > 1) x[i] -= second_[i] * x[i - 2];
  }
  Eigen::VectorXd product = Eigen::VectorXd::Zero(r.size());
  for (std::size_t i = places_.size(); i-- > 0;) {
    Vector3d own = inverse_diagonal_[i] * x[i];
    if (i + 1 < places_.size() && places_[i + 1].number > 0)
      own -= first_[i + 1].transpose() * x[i + 1];
    if (i + 2 < places_.size() && places_[i + 2].number > 1)
      own -= second_[i + 2].transpose() * x[i + 2];
    x[i] = own;
    product.segment<3>(3 * Eigen::Index(places_[i].particle)) += own;
  }
  return product;
}

}  // namespace graze::sim
