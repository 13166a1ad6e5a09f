#include "graze/broad/moving/pair_forecast.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <utility>

#include "graze/broad/search_monitor.h"
#include "graze/broad/with_threads.h"

namespace graze::broad {
namespace {

struct TooManyPairs {};

// Returns the largest coordinate in absolute value; infinity if a position is not finite.
double largest_coordinate(std::span<const Vec3> positions) {
  double largest = 0;
  for (const Vec3& x : positions) {
    if (!x.allFinite()) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, x.lpNorm<Eigen::Infinity>());
  }
  return largest;
}

}  // namespace

SelectedPairs::SelectedPairs(const PairOptions& options)
    : options_(options),
      is_static_(options.filter.is_static.begin(), options.filter.is_static.end()),
      meets_(options.filter.meets.begin(), options.filter.meets.end()),
      group_(options.filter.group.begin(), options.filter.group.end()),
      masks_(options.filter.masks.begin(), options.filter.masks.end()),
      group_pairs_(options.filter.group_pairs.begin(), options.filter.group_pairs.end()) {}

PairOptions SelectedPairs::options() const {
  PairOptions options = options_;
  PairFilter& filter = options.filter;
  filter.is_static = is_static_;
  filter.meets = meets_;
  filter.group = group_;
  filter.masks = masks_;
  filter.group_pairs = group_pairs_;
  return options;
}

bool SelectedPairs::equal(const PairOptions& options) const {
  const PairFilter &filter = options.filter, &kept = options_.filter;
  return !filter.admits && !kept.admits && kept.within_group == filter.within_group &&
         kept.listed == filter.listed && options_.shared_vertices == options.shared_vertices &&
         options_.stray_vertices == options.stray_vertices &&
         std::ranges::equal(is_static_, filter.is_static) &&
         std::ranges::equal(meets_, filter.meets) && std::ranges::equal(group_, filter.group) &&
         std::ranges::equal(masks_, filter.masks) &&
         std::ranges::equal(group_pairs_, filter.group_pairs);
}

bool PairForecast::make(const MovingMesh& motion, const PairOptions& options, double separation,
                        std::size_t most, const Run& run) {
  clear();
  const double first = largest_coordinate(motion.start), last = largest_coordinate(motion.end);
  if (!std::isfinite(first) || !std::isfinite(last)) return false;
  largest_ = std::max(first, last);
  std::mutex mutex;
  const PairConsumer collect = [&](Kind kind, std::span<const Pair> block) {
    const std::lock_guard lock(mutex);
    if (size() + block.size() > most) throw TooManyPairs();
    pairs_.of(kind).insert(pairs_.of(kind).end(), block.begin(), block.end());
  };
  PairOptions widened = options;
  widened.separation = separation;
  try {
    if (find_pairs(motion, collect, widened, {run.threads, run.stop, {}},
                   default_pair_strategy(PairSet::meeting)) != PairStatus::complete)
      return false;
  } catch (const TooManyPairs&) {
    return false;
  }
  first_.assign(motion.start.begin(), motion.start.end());
  last_.assign(motion.end.begin(), motion.end.end());
  selection_ = SelectedPairs(options);
  separation_ = separation;
  return true;
}

void PairForecast::clear() {
  separation_ = -1;
  for (std::size_t kind = 0; kind < kind_count; ++kind) pairs_.of(static_cast<Kind>(kind)).clear();
}

std::size_t PairForecast::size() const {
  return pairs_.vertex_face.size() + pairs_.edge_edge.size() + pairs_.vertex_edge.size() +
         pairs_.vertex_vertex.size();
}

// Claim: let each vertex be within h of x_v(a) at the start of a step and within h of x_v(b) at its
// end, in the maximum norm, for the same a and b in [0, 1] for all vertices. A pair that is further
// apart than S = separation_ during the whole forecast is then further apart than S - 2h during the
// step. At time t of the step a vertex and x_v(a + t (b-a)) are both linear in t, so the norm of
// their difference is convex and at most h. A point of a feature is a convex combination of its
// corners, so it is within h of the point with the same weights at time a + t (b-a) of the
// forecast. There the two points of the pair are more than S apart, in the step more than S - 2h.
// The Euclidean norm is at least the maximum norm.
//
// Promise (1) follows with 2h + separation <= S: find_pairs() reports every pair that comes within
// S during the forecast. h below is rounded down: the computed value of (S - separation) / 2 is off
// by at most one unit of roundoff u = 2^-53, and 2^-51 is subtracted.
bool PairForecast::covers(std::span<const Vec3> start, std::span<const Vec3> end,
                          const PairOptions& options, double separation) const {
  return covers(start, end, separation) && selection_.equal(options);
}

bool PairForecast::covers(std::span<const Vec3> start, std::span<const Vec3> end,
                          double separation) const {
  if (!(separation_ >= separation) || start.size() != first_.size() || end.size() != first_.size())
    return false;
  const double distance = (separation_ - separation) / 2 * (1 - 0x1p-51);
  return are_near(start, nearest_time(start), distance) &&
         are_near(end, nearest_time(end), distance);
}

// Returns about the time at which the forecast is nearest to the positions, by least squares over a
// sample of the vertices. The choice does not affect promise (1).
double PairForecast::nearest_time(std::span<const Vec3> positions) const {
  double along = 0, length = 0;
  const std::size_t sampled = positions.size() / 4096 + 1;
  for (const std::size_t stride : {sampled, std::size_t{1}}) {  // the sample may be at rest
    for (std::size_t v = 0; v < positions.size(); v += stride) {
      const Vec3 motion = last_[v] - first_[v];
      along += motion.dot(positions[v] - first_[v]);
      length += motion.squaredNorm();
    }
    if (length > 0 || sampled == 1) break;
  }
  const double time = along / length;
  return time > 1 - 0x1p-50 ? 1 : time > 0 ? time : 0;  // 0 also for NaN
}

// Returns true only if all positions are within `distance` of the forecast, in the maximum norm.
//
// Let M = largest_ and p the computed position, which is off by at most 3 u M + 2^-1074 to first
// order (see path_err in time_slabs.cpp), less than 4 u M + 2^-1073 in all. The computed difference
// d of p and a coordinate is off by u |d|, and by nothing if it is denormal. The exact difference
// is therefore at most (1 + 2u) d + 4 u M + 2^-1073. If d <= limit = distance (1 - 2^-50)
// - 2^-48 M - 2^-1070, up to the three roundings of `limit`, the exact difference is at most
//   (1 + 2u) (distance (1 - 8u) - 32 u M + 3u (distance + 32 u M)) + 4 u M < distance.
// At the times 0 and 1 the computed position is exact, and distance (1 - 2^-50) is small enough.
// A NaN coordinate makes the result false.
bool PairForecast::are_near(std::span<const Vec3> positions, double time, double distance) const {
  if (positions.empty()) return true;
  const bool rounded = time > 0 && time < 1;
  const double limit = distance * (1 - 0x1p-50) - (rounded ? 0x1p-48 * largest_ + 0x1p-1070 : 0.0);
  const double before = 1 - time;
  const auto* const x = positions.data()->data();
  const auto *const first = first_.data()->data(), *const last = last_.data()->data();
  const std::size_t count = 3 * positions.size();
  constexpr std::size_t part = 1536;
  for (std::size_t begin = 0; begin < count; begin += part) {
    const std::size_t end = std::min(begin + part, count);
    bool near = true;
    for (std::size_t i = begin; i < end; ++i)
      near &= std::abs(x[i] - (before * first[i] + time * last[i])) <= limit;
    if (!near) return false;
  }
  return true;
}

// The exact difference is at most (1 + 2u) d + 4 u M + 2^-1073, as above; the bound is larger by
// more than its own roundings.
double PairForecast::distance(std::span<const Vec3> positions) const {
  const double time = nearest_time(positions), before = 1 - time;
  double largest = 0;
  for (std::size_t v = 0; v < positions.size(); ++v) {
    const Vec3 difference = positions[v] - (before * first_[v] + time * last_[v]);
    largest = std::max(largest, difference.lpNorm<Eigen::Infinity>());
  }
  const bool rounded = time > 0 && time < 1;
  return largest * (1 + 0x1p-50) + (rounded ? 0x1p-48 * largest_ + 0x1p-1070 : 0.0);
}

void PairForecast::sort(const Run& run) {
  with_threads(run.threads, [&] {
    for (std::size_t kind = 0; kind < kind_count; ++kind) {
      auto& list = pairs_.of(static_cast<Kind>(kind));
      sort_in_parallel(list.begin(), list.end());
    }
  });
}

PairStatus pass_on(const Pairs& pairs, const PairConsumer& consumer, const Run& run) {
  struct Block {
    Kind kind;
    std::span<const Pair> pairs;
  };
  std::vector<Block> blocks;
  for (const auto& [kind, list] : {std::pair(Kind::vertex_face, std::span(pairs.vertex_face)),
                                   std::pair(Kind::edge_edge, std::span(pairs.edge_edge)),
                                   std::pair(Kind::vertex_edge, std::span(pairs.vertex_edge)),
                                   std::pair(Kind::vertex_vertex, std::span(pairs.vertex_vertex))})
    for (std::size_t i = 0; i < list.size(); i += max_pair_block)
      blocks.push_back({kind, list.subspan(i, std::min(max_pair_block, list.size() - i))});
  SearchMonitor monitor(run);
  try {
    with_threads(blocks.size() > 1 ? run.threads : 1, [&] {
      monitor.poll();
      for_indices(blocks.size(), [&](std::size_t i) {
        monitor.poll();
        consumer(blocks[i].kind, blocks[i].pairs);
        monitor.add(1 / static_cast<double>(blocks.size()));
      });
    });
  } catch (const SearchMonitor::Stopped&) {
    return PairStatus::stopped;
  }
  return PairStatus::complete;
}

}  // namespace graze::broad
