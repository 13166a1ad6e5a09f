#include "graze/mpi/regions.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace graze::mpi {
namespace {

constexpr int axis_bits = 16;
constexpr float last_cell = 65535;

// Returns the bits of x with two zeros between any two of them.
std::uint64_t spread(std::uint64_t x) {
  x = (x | x << 32) & 0x001f00000000ffff;
  x = (x | x << 16) & 0x001f0000ff0000ff;
  x = (x | x << 8) & 0x100f00f00f00f00f;
  x = (x | x << 4) & 0x10c30c30c30c30c3;
  return (x | x << 2) & 0x1249249249249249;
}

bool overlap(const CellBox& a, const CellBox& b) {
  for (std::size_t k = 0; k < 3; ++k)
    if (a.lo[k] > b.hi[k] || b.lo[k] > a.hi[k]) return false;
  return true;
}

}  // namespace

std::uint64_t code_of(const Cell& cell) {
  return spread(cell[0]) | spread(cell[1]) << 1 | spread(cell[2]) << 2;
}

// The unit of rounded coordinates is about the median distance from the middle of the mesh. So few
// positions are more than 8 units away; these lie in the outermost cells. The cells are cubes.
Grid::Grid(const broad::SearchScale& scale, std::span<const Vec3> sample)
    : rounding_(scale.rounding) {
  constexpr float reach = 8;
  float extent = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    float lo = reach, hi = -reach;
    for (const Vec3& x : sample) {
      const float rounded = std::clamp(rounding_[k](x[static_cast<int>(k)]), -reach, reach);
      lo = std::min(lo, rounded);
      hi = std::max(hi, rounded);
    }
    lo_[k] = lo;
    extent = std::max(extent, hi - lo);
  }
  cells_per_length_ = extent > 0 ? last_cell / extent : 1;
}

// Subtracting, multiplying by a positive number, clamping and truncating never reverse an order.
CellBox Grid::cells(const broad::SlabBoxes& boxes, std::uint32_t vertex) const {
  CellBox result;
  for (std::size_t k = 0; k < 3; ++k) {
    const auto cell = [&](double x) {
      const float place = (rounding_[k](x) - lo_[k]) * cells_per_length_;
      return static_cast<std::uint16_t>(std::clamp(place, 0.0f, last_cell));
    };
    const auto [lo, hi] = boxes.interval(vertex, static_cast<int>(k));
    result.lo[k] = cell(lo);
    result.hi[k] = cell(hi);
  }
  return result;
}

// The work of an element is estimated as 1, for building its part of a tree, plus a quarter for
// each element whose box overlaps its own. The number of overlaps is estimated from its neighbours
// in the sample along the curve: as the sample has one of `stride` elements, each overlap in the
// sample stands for `stride` overlaps.
Regions::Regions(std::span<const CellBox> sample, std::size_t stride, std::size_t ranks) {
  constexpr std::size_t window = 16;
  constexpr double pair_work = 0.25, most_overlaps = 256;
  struct Keyed {
    std::uint64_t code;
    std::size_t element;
    bool operator<(const Keyed& other) const {
      return code != other.code ? code < other.code : element < other.element;
    }
  };
  std::vector<Keyed> order(sample.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = {code_of(sample[i].lo), i};
  std::sort(order.begin(), order.end());
  std::vector<double> work(order.size());
  double sum = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    std::size_t overlaps = 0;
    for (std::size_t j = i + 1; j < std::min(i + 1 + window, order.size()); ++j)
      overlaps += overlap(sample[order[i].element], sample[order[j].element]);
    work[i] = 1 + pair_work * std::min(2.0 * static_cast<double>(overlaps * stride), most_overlaps);
    sum += work[i];
  }
  double done = 0;
  std::size_t i = 0;
  for (std::size_t rank = 1; rank < ranks; ++rank) {
    const double share = sum * static_cast<double>(rank) / static_cast<double>(ranks);
    while (i < order.size() && done + work[i] / 2 < share) done += work[i++];
    first_.push_back(i < order.size() ? order[i].code : std::numeric_limits<std::uint64_t>::max());
  }
  // The cells of a block are one piece of the curve, from its lowest to its highest corner.
  constexpr std::uint16_t last = (1u << block_bits) - 1;
  only_owner_.resize(block_of({0xffff, 0xffff, 0xffff}) + 1);
  for (unsigned x = 0; x < 32; ++x)
    for (unsigned y = 0; y < 32; ++y)
      for (unsigned z = 0; z < 32; ++z) {
        Cell lo, hi;
        for (std::size_t k = 0; k < 3; ++k) {
          lo[k] = static_cast<std::uint16_t>((k == 0 ? x : k == 1 ? y : z) << block_bits);
          hi[k] = static_cast<std::uint16_t>(lo[k] + last);
        }
        const std::size_t first = owner(code_of(lo));
        const bool is_only = first == owner(code_of(hi));
        only_owner_[block_of(lo)] = static_cast<std::uint32_t>(is_only ? first : this->ranks());
      }
}

std::size_t Regions::owner(std::uint64_t code) const {
  return static_cast<std::size_t>(std::upper_bound(first_.begin(), first_.end(), code) -
                                  first_.begin());
}

// A code grows with each coordinate, so all codes of a box lie between those of its corners.
std::size_t Regions::only_rank(const CellBox& box) const {
  const std::size_t rank = owner(box.lo);
  return rank == owner(box.hi) ? rank : ranks();
}

// Descends the octree of which the curve visits the leaves: the cells of a node are one piece of
// the curve. Nodes outside the box and nodes of a single rank end the descent.
std::vector<std::size_t> Regions::several_ranks(const CellBox& box) const {
  std::vector<std::size_t> ranks_found;
  const auto visit = [&](const auto& visit_child, const Cell& corner, int bits) -> void {
    CellBox node{corner, corner};
    for (std::size_t k = 0; k < 3; ++k)
      node.hi[k] = static_cast<std::uint16_t>(corner[k] + ((1u << bits) - 1));
    if (!overlap(node, box)) return;
    if (const std::size_t rank = only_rank(node); rank < ranks()) {
      if (ranks_found.empty() || ranks_found.back() != rank) ranks_found.push_back(rank);
      return;
    }
    for (unsigned child = 0; child < 8; ++child) {
      Cell at = corner;
      for (std::size_t k = 0; k < 3; ++k)
        at[k] = static_cast<std::uint16_t>(at[k] + ((child >> k & 1) << (bits - 1)));
      visit_child(visit_child, at, bits - 1);
    }
  };
  visit(visit, {0, 0, 0}, axis_bits);
  return ranks_found;
}

}  // namespace graze::mpi
