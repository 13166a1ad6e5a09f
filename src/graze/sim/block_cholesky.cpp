#include "graze/sim/block_cholesky.h"

#include <Eigen/Cholesky>
#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <numeric>
#include <utility>

namespace graze::sim {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Lists = std::vector<std::vector<std::uint32_t>>;

// Columns join a front if at most this share of its panel is zeros, or while it is narrow.
constexpr double most_zeros = 0.2;
constexpr std::size_t narrow_front = 4;

// Returns an order of elimination with little fill: the block column that comes k-th.
std::vector<std::uint32_t> minimum_degree(const BlockMatrix& pattern) {
  const auto size = static_cast<int>(pattern.particles());
  std::vector<Eigen::Triplet<double>> entries;
  for (int j = 0; j < size; ++j)
    for (const std::uint32_t i : pattern.rows(std::size_t(j)))
      entries.emplace_back(static_cast<int>(i), j, 1.0);
  Eigen::SparseMatrix<double> graph(size, size);
  graph.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
  Eigen::AMDOrdering<int>()(graph.selfadjointView<Eigen::Lower>(), order);
  std::vector<std::uint32_t> columns(pattern.particles());
  for (int k = 0; k < size; ++k) columns[std::size_t(k)] = std::uint32_t(order.indices()[k]);
  return columns;
}

// Returns for each place in the elimination the later block rows of the matrix in its column.
Lists later_rows(const BlockMatrix& pattern, std::span<const std::uint32_t> place) {
  Lists rows(place.size());
  for (std::uint32_t j = 0; j < place.size(); ++j)
    for (const std::uint32_t i : pattern.rows(j))
      if (i != j) rows[std::min(place[i], place[j])].push_back(std::max(place[i], place[j]));
  return rows;
}

// Returns the elimination tree: the parent of each column, or `rows.size()` [Liu 1986].
std::vector<std::uint32_t> elimination_tree(const Lists& rows) {
  const auto none = static_cast<std::uint32_t>(rows.size());
  Lists earlier(rows.size());
  for (std::uint32_t j = 0; j < none; ++j)
    for (const std::uint32_t i : rows[j]) earlier[i].push_back(j);
  std::vector<std::uint32_t> parent(none, none), ancestor(none, none);
  for (std::uint32_t i = 0; i < none; ++i)
    for (std::uint32_t j : earlier[i])
      while (j != i) {
        const std::uint32_t next = std::exchange(ancestor[j], i);
        if (next == none) parent[j] = i;
        if (next == none || next == i) break;
        j = next;
      }
  return parent;
}

// Returns the place of each node when children come before their parents and a subtree is
// consecutive.
std::vector<std::uint32_t> postorder(const std::vector<std::uint32_t>& parent) {
  const std::size_t count = parent.size();
  Lists children(count + 1);
  for (std::uint32_t j = 0; j < count; ++j) children[parent[j]].push_back(j);
  std::vector<std::uint32_t> place(count);
  std::vector<std::uint32_t> stack = children[count];
  auto next = static_cast<std::uint32_t>(count);
  while (!stack.empty()) {  // parents first, from the last place on
    const std::uint32_t node = stack.back();
    stack.pop_back();
    place[node] = --next;
    stack.insert(stack.end(), children[node].begin(), children[node].end());
  }
  return place;
}

}  // namespace

BlockCholesky::BlockCholesky(const BlockMatrix& pattern) {
  find_fronts(order_columns(pattern));
  connect_fronts(pattern);
}

// Sets place_. Returns the block rows of the factor below the diagonal, for each column.
Lists BlockCholesky::order_columns(const BlockMatrix& pattern) {
  const std::vector<std::uint32_t> order = minimum_degree(pattern);
  place_.resize(order.size());
  for (std::uint32_t k = 0; k < order.size(); ++k) place_[order[k]] = k;
  const std::vector<std::uint32_t> after = postorder(elimination_tree(later_rows(pattern, place_)));
  for (std::uint32_t& place : place_) place = after[place];

  // The rows of a column are those of the matrix and those of its children in the tree, whose
  // first row is their parent.
  Lists rows = later_rows(pattern, place_);
  for (std::size_t j = 0; j < rows.size(); ++j) {
    std::sort(rows[j].begin(), rows[j].end());
    rows[j].erase(std::unique(rows[j].begin(), rows[j].end()), rows[j].end());
    if (rows[j].empty()) continue;
    auto& parent = rows[rows[j][0]];
    parent.insert(parent.end(), rows[j].begin() + 1, rows[j].end());
  }
  return rows;
}

// A column joins the front before it if it is the parent of the last column there. Its rows then
// contain all later rows of that front.
void BlockCholesky::find_fronts(const Lists& rows) {
  front_of_.resize(rows.size());
  std::size_t entries = 0;  // block entries of the factor in the columns of the last front
  for (std::uint32_t j = 0; j < rows.size(); ++j) {
    bool joins = j > 0 && !rows[j - 1].empty() && rows[j - 1][0] == j;
    if (joins) {
      const std::size_t width = fronts_.back().columns + 1;
      const std::size_t all = width * (width + 1) / 2 + width * rows[j].size();
      const std::size_t zeros = all - (entries + rows[j].size() + 1);
      joins = width <= narrow_front || double(zeros) <= most_zeros * double(all);
    }
    if (!joins) {
      fronts_.push_back({j, 0, {}, {}, {}, {}, 0});
      entries = 0;
    }
    entries += rows[j].size() + 1;
    ++fronts_.back().columns;
    fronts_.back().rows = rows[j];
    front_of_[j] = static_cast<std::uint32_t>(fronts_.size() - 1);
  }
}

std::uint32_t BlockCholesky::place_in(const Front& front, std::uint32_t row) const {
  if (row < front.first + front.columns) return row - front.first;
  const auto found = std::lower_bound(front.rows.begin(), front.rows.end(), row);
  return front.columns + static_cast<std::uint32_t>(found - front.rows.begin());
}

void BlockCholesky::connect_fronts(const BlockMatrix& pattern) {
  std::size_t size = 0;
  for (std::uint32_t f = 0; f < fronts_.size(); ++f) {
    Front& front = fronts_[f];
    front.at = size;
    size += static_cast<std::size_t>(front.height() * front.width());
    const auto n = double(front.width()), m = double(front.height()) - n;
    work_ += n * n * n / 6 + n * n * m / 2 + n * m * m / 2;
    if (front.rows.empty()) continue;
    Front& parent = fronts_[front_of_[front.rows[0]]];
    parent.children.push_back(f);
    for (const std::uint32_t row : front.rows) front.places.push_back(place_in(parent, row));
  }
  panels_.resize(size);
  for (std::uint32_t j = 0; j < place_.size(); ++j) {
    const auto rows = pattern.rows(j);
    for (std::uint32_t k = 0; k < rows.size(); ++k) {
      const auto [column, row] = std::minmax(place_[j], place_[rows[k]]);
      Front& front = fronts_[front_of_[column]];
      front.sources.push_back(
          {j, k, place_in(front, row), column - front.first, place_[rows[k]] < place_[j]});
    }
  }
}

// Adds the update matrix that the elimination of a child leaves to the panel and the rest of its
// parent.
void BlockCholesky::add_update(const Front& child, const MatrixXd& update, const Front& front,
                               MatrixXd& rest) {
  Eigen::Map<MatrixXd> panel(&panels_[front.at], front.height(), front.width());
  const auto& places = child.places;
  for (std::size_t j = 0; j < places.size(); ++j)
    for (std::size_t i = j; i < places.size(); ++i) {
      const auto block = update.block<3, 3>(3 * Index(i), 3 * Index(j));
      if (places[j] < front.columns)
        panel.block<3, 3>(3 * Index(places[i]), 3 * Index(places[j])) += block;
      else
        rest.block<3, 3>(3 * Index(places[i] - front.columns),
                         3 * Index(places[j] - front.columns)) += block;
    }
}

bool BlockCholesky::factorize(const BlockMatrix& matrix) {
  std::fill(panels_.begin(), panels_.end(), 0.0);
  std::vector<MatrixXd> updates(fronts_.size());  // lower triangles, of fronts without a parent yet
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    const Front& front = fronts_[f];
    const Index n = front.width(), m = front.height() - n;
    Eigen::Map<MatrixXd> panel(&panels_[front.at], n + m, n);
    for (const auto& [column, index, row, own, transposed] : front.sources) {
      const Eigen::Matrix3d block = matrix.block(column, index);
      if (transposed)
        panel.block<3, 3>(3 * Index(row), 3 * Index(own)) += block.transpose();
      else
        panel.block<3, 3>(3 * Index(row), 3 * Index(own)) += block;
    }
    MatrixXd& rest = updates[f];
    rest.setZero(m, m);
    for (const std::uint32_t child : front.children) {
      add_update(fronts_[child], updates[child], front, rest);
      updates[child].resize(0, 0);
    }
    Eigen::Ref<MatrixXd> top = panel.topRows(n);
    if (Eigen::LLT<Eigen::Ref<MatrixXd>>(top).info() != Eigen::Success ||
        !(top.diagonal().array() > 0).all())  // false for NaN
      return false;
    if (m == 0) continue;
    auto below = panel.bottomRows(m);
    top.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(below);
    rest.selfadjointView<Eigen::Lower>().rankUpdate(below, -1);
  }
  return true;
}

MatrixXd BlockCholesky::solve(const MatrixXd& b) const {
  if (b.size() == 0) return b;  // Eigen's solvers read the first coefficient
  MatrixXd x(b.rows(), b.cols()), part;
  for (std::size_t i = 0; i < place_.size(); ++i)
    x.middleRows<3>(3 * Index(place_[i])) = b.middleRows<3>(3 * Index(i));
  for (const Front& front : fronts_) {
    const Index n = front.width(), m = front.height() - n;
    const Eigen::Map<const MatrixXd> panel(&panels_[front.at], n + m, n);
    auto own = x.middleRows(3 * Index(front.first), n);
    panel.topRows(n).triangularView<Eigen::Lower>().solveInPlace(own);
    part.noalias() = panel.bottomRows(m) * own;
    for (std::size_t i = 0; i < front.rows.size(); ++i)
      x.middleRows<3>(3 * Index(front.rows[i])) -= part.middleRows<3>(3 * Index(i));
  }
  for (auto front = fronts_.rbegin(); front != fronts_.rend(); ++front) {
    const Index n = front->width(), m = front->height() - n;
    const Eigen::Map<const MatrixXd> panel(&panels_[front->at], n + m, n);
    part.resize(m, b.cols());
    for (std::size_t i = 0; i < front->rows.size(); ++i)
      part.middleRows<3>(3 * Index(i)) = x.middleRows<3>(3 * Index(front->rows[i]));
    auto own = x.middleRows(3 * Index(front->first), n);
    own.noalias() -= panel.bottomRows(m).transpose() * part;
    panel.topRows(n).triangularView<Eigen::Lower>().transpose().solveInPlace(own);
  }
  MatrixXd solution(b.rows(), b.cols());
  for (std::size_t i = 0; i < place_.size(); ++i)
    solution.middleRows<3>(3 * Index(i)) = x.middleRows<3>(3 * Index(place_[i]));
  return solution;
}

}  // namespace graze::sim
