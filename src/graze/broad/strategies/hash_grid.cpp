#include "graze/broad/strategies/hash_grid.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "graze/broad/radix_sort.h"
#include "graze/broad/strategies/compare_all.h"
#include "graze/broad/with_threads.h"

namespace graze::broad {
namespace {

constexpr std::size_t max_cells = 32;  // per feature, on average

struct Grid {
  std::array<std::int64_t, 3> cells, ranks;

  std::int64_t cell_of(std::size_t axis, std::int32_t rank) const {
    return rank * cells[axis] / ranks[axis];
  }
  std::uint64_t number(const std::array<std::int64_t, 3>& cell) const {
    return static_cast<std::uint64_t>((cell[0] * cells[1] + cell[1]) * cells[2] + cell[2]);
  }
  // Returns the ranks that a cell spans.
  RankBox part(std::uint64_t number) const {
    RankBox box;
    auto rest = static_cast<std::int64_t>(number);
    for (std::size_t k = 3; k-- > 0; rest /= cells[k]) {
      const std::int64_t cell = rest % cells[k];
      const auto begin = [&](std::int64_t c) { return (c * ranks[k] + cells[k] - 1) / cells[k]; };
      box.lo[k] = static_cast<std::int32_t>(begin(cell));
      box.hi[k] = static_cast<std::int32_t>(begin(cell + 1) - 1);
    }
    return box;
  }
  std::size_t count(const RankBox& box) const {
    std::size_t product = 1;
    for (std::size_t k = 0; k < 3; ++k)
      product *= static_cast<std::size_t>(cell_of(k, box.hi[k]) - cell_of(k, box.lo[k]) + 1);
    return product;
  }
};

using Features = std::vector<RankFeature>;

Grid make_grid(const PairJob& job, const RankBoxes& boxes, const std::vector<Features>& lists) {
  const auto length = average_lengths(job, boxes);
  Grid grid;
  for (std::size_t k = 0; k < 3; ++k) {
    grid.ranks[k] = boxes.ranks(k);
    // At most 2^20 cells per axis keep the numbers of cells below 2^63.
    grid.cells[k] = std::clamp<std::int64_t>(static_cast<std::int64_t>(0.5 / length[k]), 1,
                                             std::int64_t{1} << 20);
  }
  const auto too_many = [&] {
    std::size_t features = 0, entries = 0;
    for (const Features& list : lists) {
      features += list.size();
      for (const RankFeature& feature : list) entries += grid.count(feature.box);
    }
    return entries > max_cells * features;
  };
  while (too_many())
    for (std::int64_t& cells : grid.cells) cells = (cells + 1) / 2;
  return grid;
}

// The features of a list, sorted by the cells that they lie in.
class CellList {
 public:
  CellList(const Grid& grid, const Features& features) : features_(features) {
    std::vector<std::size_t> first(features.size() + 1);
    for (std::size_t i = 0; i < features.size(); ++i)
      first[i + 1] = first[i] + grid.count(features[i].box);
    entries_.resize(first.back());
    for_indices(features.size(), [&](std::size_t i) {
      const RankBox& box = features[i].box;
      std::array<std::int64_t, 3> lo, hi, cell;
      for (std::size_t k = 0; k < 3; ++k) {
        lo[k] = grid.cell_of(k, box.lo[k]);
        hi[k] = grid.cell_of(k, box.hi[k]);
      }
      std::size_t next = first[i];
      for (cell[0] = lo[0]; cell[0] <= hi[0]; ++cell[0])
        for (cell[1] = lo[1]; cell[1] <= hi[1]; ++cell[1])
          for (cell[2] = lo[2]; cell[2] <= hi[2]; ++cell[2])
            entries_[next++] = {grid.number(cell), static_cast<std::uint32_t>(i)};
    });
    radix_sort(entries_, 63, [](const Entry& entry) { return entry.cell; });
  }

  std::size_t size() const { return entries_.size(); }
  std::uint64_t cell(std::size_t entry) const { return entries_[entry].cell; }
  // Returns the first entry of a cell, or of the next cell that has entries.
  std::size_t find(std::uint64_t cell) const {
    return static_cast<std::size_t>(
        std::partition_point(entries_.begin(), entries_.end(),
                             [&](const Entry& entry) { return entry.cell < cell; }) -
        entries_.begin());
  }
  // Appends the features of the cell that begins at the entry; returns the entry after the cell.
  std::size_t take_cell(std::size_t entry, Features& features) const {
    const std::uint64_t number = cell(entry);
    for (; entry < size() && cell(entry) == number; ++entry)
      features.push_back(features_[entries_[entry].feature]);
    return entry;
  }

 private:
  struct Entry {
    std::uint64_t cell;
    std::uint32_t feature;
  };
  const Features& features_;
  std::vector<Entry> entries_;
};

// Compares the features of the cells that begin at first <= entry < last of list a.
void compare_cells(const PairJob& job, const Match& match, const Grid& grid, const CellList& a,
                   const CellList& b, std::size_t first, std::size_t last, PairBlock& block) {
  const auto begins = [&](std::size_t entry) {
    return entry == 0 || a.cell(entry) != a.cell(entry - 1);
  };
  while (first < last && !begins(first)) ++first;
  if (first == last) return;
  Features as, bs;
  std::size_t in_b = b.find(a.cell(first));
  while (first < last) {
    const std::uint64_t cell = a.cell(first);
    as.clear();
    first = a.take_cell(first, as);
    if (match.a == match.b) {
      compare_all(job, match, as, as, grid.part(cell), block);
      continue;
    }
    while (in_b < b.size() && b.cell(in_b) < cell) ++in_b;
    if (in_b == b.size()) return;
    if (b.cell(in_b) != cell) continue;
    bs.clear();
    in_b = b.take_cell(in_b, bs);
    compare_all(job, match, as, bs, grid.part(cell), block);
  }
}

}  // namespace

void hash_grid(const PairJob& job, const PairConsumer& consumer) {
  if (job.matches().empty()) return;
  const RankBoxes boxes(job);
  std::vector<Features> features;
  for (const FeatureList& list : job.lists()) features.push_back(rank_features(job, list, boxes));
  const Grid grid = make_grid(job, boxes, features);
  std::vector<std::optional<CellList>> cells(features.size());
  for_indices(cells.size(), [&](std::size_t i) { cells[i].emplace(grid, features[i]); });

  constexpr std::size_t grain = 4096;
  for (const Match& match : job.matches()) {
    const CellList &a = *cells[match.a], &b = *cells[match.b];
    for_each_part(job, match.kind, a.size(), grain, consumer,
                  [&](std::size_t first, std::size_t last, PairBlock& block) {
                    compare_cells(job, match, grid, a, b, first, last, block);
                  });
  }
}

}  // namespace graze::broad
