#include "graze/broad/strategies/sweep_and_prune.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "graze/broad/pair_block.h"
#include "graze/broad/strategies/sweep_kernel.h"
#include "graze/broad/tree/rank_boxes.h"
#include "graze/broad/with_threads.h"

namespace graze::broad {
namespace {

// The axes of the sweep and the strips.
struct Plan {
  std::size_t axis, axis_1, axis_2;  // along the sweep; across the strips; the remaining axis
  std::int64_t strips, ranks;        // numbers of strips and of ranks on axis_1; ranks > 0

  std::size_t strip_of(std::int32_t rank) const {
    return static_cast<std::size_t>(rank * strips / ranks);
  }
  std::int32_t strip_begin(std::size_t strip) const {
    return static_cast<std::int32_t>((static_cast<std::int64_t>(strip) * ranks + strips - 1) /
                                     strips);
  }
};

// Chooses the axes and the width of the strips. Strips as wide as the average box give about two
// copies of each box and the fewest comparisons: n boxes of width w in m strips have n (1 + w m)
// copies and n^2 (1 + w m)^2 / m comparisons, which is smallest for w m = 1.
Plan make_plan(const PairJob& job, const RankBoxes& boxes) {
  const auto length = average_lengths(job, boxes);
  std::array<std::size_t, 3> axes = {0, 1, 2};
  std::sort(axes.begin(), axes.end(),
            [&](std::size_t a, std::size_t b) { return length[a] < length[b]; });
  return {axes[0], axes[1], axes[2], static_cast<std::int64_t>(1 / length[axes[1]]),
          boxes.ranks(axes[1])};
}

// The features of each strip, sorted by where they begin along the sweep.
class Strips {
 public:
  Strips(const PairJob& job, const FeatureList& list, const RankBoxes& boxes, const Plan& plan)
      : job_(job), corner_count_(list.corners), boxes_(boxes), plan_(plan) {
    std::vector<std::uint32_t> place(static_cast<std::size_t>(boxes.ranks(plan.axis)) + 1);
    first_.resize(static_cast<std::size_t>(plan.strips) + 1);
    for (std::size_t i = 0; i < list.size; ++i) {
      const RankBox box = box_of(list[i]);
      ++place[static_cast<std::size_t>(box.lo[plan.axis])];
      for_each_strip(box, [&](std::size_t strip) { ++first_[strip]; });
    }
    std::exclusive_scan(place.begin(), place.end(), place.begin(), std::uint32_t{0});
    std::exclusive_scan(first_.begin(), first_.end(), first_.begin(), std::size_t{0});
    std::vector<std::uint32_t> order(list.size);
    for (std::size_t i = 0; i < list.size; ++i)
      order[place[static_cast<std::size_t>(box_of(list[i]).lo[plan.axis])]++] = list[i];
    members_.resize(first_.back());
    std::vector<std::size_t> next = first_;
    for (const std::uint32_t f : order)
      for_each_strip(box_of(f), [&](std::size_t strip) { members_[next[strip]++] = f; });
  }

  sweep::Boxes operator[](std::size_t strip) const {
    sweep::Boxes result;
    result.size = first_[strip + 1] - first_[strip];
    result.corner_count = corner_count_;
    const std::size_t padded = result.size + sweep::Boxes::padding;
    result.begin.assign(padded, std::numeric_limits<std::int32_t>::max());
    for (auto* column : {&result.end, &result.lo_1, &result.hi_1, &result.lo_2, &result.hi_2})
      column->resize(padded);
    for (std::size_t c = 0; c < corner_count_; ++c) result.corners[c].resize(padded);
    result.id.resize(padded);
    for (std::size_t i = 0; i < result.size; ++i) {
      const std::uint32_t f = members_[first_[strip] + i];
      const Corners corners = job_.corners(corner_count_, f);
      const RankBox box = boxes_(corners);
      result.begin[i] = box.lo[plan_.axis];
      result.end[i] = box.hi[plan_.axis];
      result.lo_1[i] = box.lo[plan_.axis_1];
      result.hi_1[i] = box.hi[plan_.axis_1];
      result.lo_2[i] = box.lo[plan_.axis_2];
      result.hi_2[i] = box.hi[plan_.axis_2];
      for (std::size_t c = 0; c < corner_count_; ++c) result.corners[c][i] = corners[c];
      result.id[i] = f;
    }
    return result;
  }

 private:
  RankBox box_of(std::uint32_t feature) const {
    return boxes_(job_.corners(corner_count_, feature));
  }
  template <class Function>
  void for_each_strip(const RankBox& box, Function&& function) const {
    const std::size_t last = plan_.strip_of(box.hi[plan_.axis_1]);
    for (std::size_t strip = plan_.strip_of(box.lo[plan_.axis_1]); strip <= last; ++strip)
      function(strip);
  }

  const PairJob& job_;
  std::size_t corner_count_;
  const RankBoxes& boxes_;
  const Plan& plan_;
  std::vector<std::size_t> first_;  // index of the first member of a strip in members_
  std::vector<std::uint32_t> members_;
};

// Sweeps the rows, in parallel parts if there are many.
void sweep_rows(const sweep::Boxes& rows, const sweep::Boxes& columns, sweep::From from,
                sweep::First first_id, std::int32_t strip_begin, PairBlock& block) {
  constexpr std::size_t grain = 4096;
  if (rows.size <= 2 * grain)
    return sweep::sweep(rows, columns, from, first_id, strip_begin, 0, rows.size, block);
  for_ranges(rows.size, grain, [&](std::size_t begin, std::size_t end) {
    PairBlock own = block.sibling();
    sweep::sweep(rows, columns, from, first_id, strip_begin, begin, end, own);
    own.flush();
  });
}

}  // namespace

void sweep_and_prune(const PairJob& job, const PairConsumer& consumer) {
  if (job.matches().empty()) return;
  const RankBoxes boxes(job);
  const Plan plan = make_plan(job, boxes);
  std::vector<std::optional<Strips>> strips(job.lists().size());
  for_indices(strips.size(),
              [&](std::size_t i) { strips[i].emplace(job, job.lists()[i], boxes, plan); });

  for (const Match& match : job.matches()) {
    using sweep::From, sweep::First;
    const bool alike = match.kind == Kind::edge_edge || match.kind == Kind::vertex_vertex;
    const auto sweep_strips = [&](std::size_t first, std::size_t last, PairBlock& block) {
      for (std::size_t strip = first; strip < last; ++strip) {
        const std::int32_t begin = plan.strip_begin(strip);
        const sweep::Boxes as = (*strips[match.a])[strip];
        if (match.a == match.b) {
          sweep_rows(as, as, From::next_row, First::smaller, begin, block);
          continue;
        }
        const sweep::Boxes bs = (*strips[match.b])[strip];
        sweep_rows(as, bs, From::begin_of_row, alike ? First::smaller : First::row, begin, block);
        sweep_rows(bs, as, From::after_begin_of_row, alike ? First::smaller : First::column, begin,
                   block);
      }
    };
    for_each_part(job, match.kind, static_cast<std::size_t>(plan.strips), 1, consumer,
                  sweep_strips);
  }
}

}  // namespace graze::broad
