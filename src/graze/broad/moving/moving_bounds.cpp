#include "graze/broad/moving/moving_bounds.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "graze/aabb.h"
#include "graze/broad/moving/search_scale.h"
#include "graze/broad/radix_sort.h"
#include "graze/broad/tree/spatial_order.h"
#include "graze/broad/with_threads.h"
#include "graze/core/numeric/strict_arithmetic.h"

namespace graze::broad {
namespace {

template <class Function>
void for_each_of(std::size_t count, Function&& function) {
  for_ranges(count, 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) function(i);
  });
}

// Returns the maps of the job's scale, or those of a sample of the mesh.
std::array<Rounding, 3> roundings_of(const PairJob& job) {
  if (job.scale()) return job.scale()->rounding;
  const std::span<const Vec3> positions = job.moving().start;
  std::vector<Vec3> sample;
  for (std::size_t i = 0; i < positions.size(); i += vertex_sample_stride(positions.size()))
    sample.push_back(positions[i]);
  return roundings(sample);
}

struct Keyed {
  std::uint32_t key, vertex;
};

// Returns an integer key with the order of the floats.
std::uint32_t key_of(float x) {
  constexpr std::uint32_t sign = std::uint32_t{1} << 31;
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return bits & sign ? ~bits : bits | sign;
}

// Returns whether the positions at both ends of the slab are those of the frames.
bool are_exact(const PairJob& job) {
  return job.separation() == 0 && job.slab().begin == 0 && job.slab().end == 1 && !job.curves();
}

// Returns whether the job seeks crossings of points that are not the lower bounds.
bool has_points(const PairJob& job) {
  return job.seeks_crossings() && (job.separation() > 0 || job.curves());
}

// Sets `order` to the vertices in the order of the Morton curve at the middle of the slab.
void order_vertices(const MovingMesh& moving, const Slab& slab,
                    const std::array<Rounding, 3>& rounding, SearchMemory& memory,
                    std::span<std::uint32_t> order) {
  const std::size_t count = moving.start.size();
  const double t = slab.begin / 2 + slab.end / 2;
  const SearchMemory::Scope scope(memory);
  const std::span<RankBox> ranks = memory.array<RankBox>(count);
  for_indices(3, [&](std::size_t k) {
    const auto axis = static_cast<int>(k);
    std::span<Keyed> keyed = memory.array<Keyed>(count);
    for (std::uint32_t v = 0; v < count; ++v) {
      const double x = (1 - t) * moving.start[v][axis] + t * moving.end[v][axis];
      keyed[v] = {key_of(rounding[k](x)), v};
    }
    keyed = radix_sort(keyed, memory.array<Keyed>(count), 32,
                       [](const Keyed& element) { return element.key; });
    for (std::size_t i = 0; i < count; ++i)
      ranks[keyed[i].vertex].lo[k] = ranks[keyed[i].vertex].hi[k] = static_cast<std::int32_t>(i);
  });

  const auto& edges = moving.mesh.edges;
  std::array<double, 3> sum = {1, 1, 1};
  double sample = 1;
  for (std::size_t e = 0; e < edges.size(); e += edges.size() / 4096 + 1, ++sample)
    for (std::size_t k = 0; k < 3; ++k)
      sum[k] += std::abs(ranks[edges[e][0]].lo[k] - ranks[edges[e][1]].lo[k]) + 1;
  for (double& length : sum) length = std::min(length / sample / static_cast<double>(count), 1.0);
  const auto all = static_cast<std::int32_t>(count);
  const MortonCurve curve(sum, {all, all, all});

  std::span<Keyed> keyed = memory.array<Keyed>(count);
  for_each_of(count, [&](std::size_t v) {
    keyed[v] = {curve.code(ranks[v]), static_cast<std::uint32_t>(v)};
  });
  keyed = radix_sort(keyed, memory.array<Keyed>(count), curve.bits(),
                     [](const Keyed& element) { return element.key; });
  for_each_of(count, [&](std::size_t i) { order[i] = keyed[i].vertex; });
}

// Returns the slack of a point whose lower bounds are at most `width` below its upper bounds and
// whose bounds are at most `reach` in absolute value.
//
// Claim: let a and b be the lower bounds of two exact points and q = n.b - n.a computed in floats.
// If q exceeds |n|_1 times the larger slack plus 2^-123, then n.b > n.a for the exact points. With
// u = 2^-23, which covers every rounding mode, W the width and R the reach: a coordinate is off by
// W, by (1 + 2^-20) u R for the rounding to a float, and by 2^-126 if that is denormal. Three
// products and two sums are off by 3.1 u R |n|_1 for each of a and b, and the difference by 2.1 u R
// |n|_1. Each of the six products loses at most 2^-126 to denormals. The sum is
//   |n|_1 (2 W + 10.4 u R + 2^-125) + 2^-123.
// The caller adds the last term. 16 u R instead of 10.4 u R covers the rounding of |n|_1, of its
// product with the slack and of the slack itself. R < 2^20 keeps the products in the search for n
// (separating_direction-inl.h) from overflowing.
float slack(float width, float reach) {
  return reach < 0x1p20f ? 2.001f * width + 0x1p-19f * reach + 0x1p-100f
                         : std::numeric_limits<float>::infinity();
}

// Returns the control points of a vertex. The slack of a point x that is off by e: let W be the
// difference of the floats of x + e and x - e, widened by the separation. Then e, in the units of
// the bounds, is at most W / 2 + 1.1 u R, and the float of x is off by that and by u R for its own
// rounding. So two points are off by W + 4.3 u R in all instead of 2 W + 2.1 u R, and the sum of
// the claim above is at most 2 W + 12.6 u R, below 16 u R.
MovingBounds::Control control_of(const PairJob& job, const std::array<Rounding, 3>& axis,
                                 std::uint32_t vertex) {
  MovingBounds::Control control;
  std::array<float, 4> width{}, reach{};
  for (std::size_t k = 0; k < 3; ++k) {
    const CurvePoints curve(job.moving(), *job.curves(), vertex, static_cast<int>(k));
    for (std::size_t j = 0; j < 4; ++j) {
      const double x = curve.point[j];
      const auto wide = swept_interval(x - curve.err, x + curve.err, job.separation());
      const float lower = axis[k](wide[0]), upper = axis[k](wide[1]);
      control[4 * j + k] = axis[k](x);
      width[j] = std::max(width[j], upper - lower);
      reach[j] = std::max({reach[j], std::abs(lower), std::abs(upper)});
    }
  }
  for (std::size_t j = 0; j < 4; ++j) control[4 * j + 3] = slack(width[j], reach[j]);
  return control;
}

}  // namespace

std::array<std::size_t, 2> MovingBounds::bytes(const PairJob& job) {
  const std::size_t count = job.moving().start.size();
  return {2 * SearchMemory::bytes<std::uint32_t>(count) +
              (are_exact(job) ? 1 : 2) * SearchMemory::bytes<Corner>(count) +
              (job.curves() ? SearchMemory::bytes<Control>(count) : 0) +
              (has_points(job) ? SearchMemory::bytes<Point>(count) : 0),
          SearchMemory::bytes<RankBox>(count) + 8 * SearchMemory::bytes<Keyed>(count)};
}

MovingBounds::MovingBounds(const PairJob& job, SearchMemory& memory) : exact_(are_exact(job)) {
  const Slab& slab = job.slab();
  const MovingMesh& moving = job.moving();
  const std::size_t count = moving.start.size();
  if (count == 0) return;
  const std::array<Rounding, 3> axis = roundings_of(job);
  order_ = memory.array<std::uint32_t>(count);
  place_ = memory.array<std::uint32_t>(count);
  for (std::size_t side = 0; side < (exact_ ? 1 : 2); ++side)
    corners_[side] = memory.array<Corner>(count);
  if (job.curves()) controls_ = memory.array<Control>(count);
  if (has_points(job)) points_ = memory.array<Point>(count);
  order_vertices(moving, slab, axis, memory, order_);
  for_each_of(count, [&](std::size_t place) {
    const std::uint32_t v = order_[place], later = order_[std::min(place + 16, count - 1)];
    __builtin_prefetch(&moving.start[later]);
    __builtin_prefetch(&moving.end[later]);
    place_[v] = static_cast<std::uint32_t>(place);
    for (std::size_t end = 0; end < 2; ++end) {
      const double t = end == 0 ? slab.begin : slab.end;
      float width = 0, reach = 0;
      for (int k = 0; k < 3; ++k) {
        const auto [lo, hi] = job.curves()
                                  ? CurvePoints(moving, *job.curves(), v, k).moving_bounds()[end]
                                  : bounds_at(moving.start[v][k], moving.end[v][k], t);
        const auto wide = swept_interval(lo, hi, job.separation());
        const std::size_t at = 4 * end + static_cast<std::size_t>(k);
        const float lower = axis[at % 4](wide[0]), upper = axis[at % 4](wide[1]);
        if (!exact_) corners_[1][place][at] = upper;
        corners_[0][place][at] = lower;
        width = std::max(width, upper - lower);
        reach = std::max({reach, std::abs(lower), std::abs(upper)});
      }
      corners_[0][place][4 * end + 3] = slack(width, reach);
      if (!exact_) corners_[1][place][4 * end + 3] = 0;
    }
    if (job.curves()) controls_[place] = control_of(job, axis, v);
    if (points_.empty()) return;
    Point& point = points_[place];
    float reach = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      point[k] = axis[k](moving.start[v][static_cast<int>(k)]);
      reach = std::max(reach, std::abs(point[k]));
    }
    point[3] = slack(0, reach);
  });
}

}  // namespace graze::broad
