#include "graze/broad/moving_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <mutex>

#include "graze/broad/moving_bounds.h"
#include "graze/core/float_environment.h"
#include "test/support/meshes.h"

namespace graze {
namespace {

using Rational = boost::multiprecision::cpp_rational;
using test::mesh_families;
using test::random_mesh;

constexpr Slab slabs[] = {{0, 1}, {0, 0.1}, {0.3, 0.7}, {1.0 / 3, 1}, {0, 0x1p-1074}};

Pairs meeting_pairs(const MovingMesh& moving, const Slab& slab, const PairOptions& options) {
  Pairs pairs;
  std::mutex mutex;
  find_meeting_pairs(moving, slab, options, [&](PairKind kind, std::span<const Pair> block) {
    const std::lock_guard lock(mutex);
    pairs.of(kind).insert(pairs.of(kind).end(), block.begin(), block.end());
  });
  for (std::size_t kind = 0; kind < pair_kinds; ++kind)
    std::sort(pairs.of(PairKind(kind)).begin(), pairs.of(PairKind(kind)).end());
  return pairs;
}

Rational position(const MovingMesh& moving, std::uint32_t v, int k, double t) {
  const Rational s(moving.start[v][k]), e(moving.end[v][k]);
  return s + Rational(t) * (e - s);
}

// Whether the features are apart along the direction, in the same order at both ends.
bool apart(const MovingMesh& moving, const Corners& a, const Corners& b, const Slab& slab,
           const std::array<int, 3>& direction, double separation) {
  bool above = true, below = true;
  for (const double t : {slab.begin, slab.end}) {
    const auto value = [&](std::uint32_t v) {
      Rational sum = 0;
      for (int k = 0; k < 3; ++k)
        if (direction[std::size_t(k)] != 0)
          sum += direction[std::size_t(k)] * position(moving, v, k, t);
      return sum;
    };
    int terms = 0;
    for (const int factor : direction) terms += std::abs(factor);
    const auto [lo_a, hi_a] = std::minmax({value(a[0]), value(a[1]), value(a[2])});
    const auto [lo_b, hi_b] = std::minmax({value(b[0]), value(b[1]), value(b[2])});
    above = above && lo_a > hi_b + terms * Rational(separation);
    below = below && lo_b > hi_a + terms * Rational(separation);
  }
  return above || below;
}

constexpr std::array<int, 3> directions[] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1},
                                             {1, 1, 0},  {0, 1, 1},  {1, 0, 1},
                                             {1, -1, 0}, {0, 1, -1}, {-1, 0, 1}};

// A pair that no direction keeps apart may touch; a pair that touches is kept apart by none.
TEST(MovingTree, FindsEveryPairThatNoDirectionKeepsApart1) {
  std::size_t wanted = 0, kept = 0, all = 0;
  for (const auto& family : mesh_families)
    for (const Slab& slab : slabs)
      for (const double separation : {0.0, 0.125}) {
        SCOPED_TRACE(testing::Message() << family.name << " " << slab.begin << " " << slab.end);
        const MeshMotion motion = random_mesh(family, 5, 1);
        const MovingMesh moving = motion.moving();
        PairOptions options{.separation = separation};
        // Some static, in every second run: they are in trees of their own.
        std::vector<std::uint8_t> fixed(motion.start.size());
        for (std::size_t v = 0; v < fixed.size(); ++v) fixed[v] = v % 5 < 3;
        if (separation > 0) options.filter.fixed = fixed;
        const PairJob job(moving, options);
        Pairs found = meeting_pairs(moving, slab, options);
        Pairs boxes = collect_pairs(*find_pair_strategy("brute_force"), moving, options);
        const std::array<std::array<std::size_t, 2>, pair_kinds> corners = {
            {{1, 3}, {2, 2}, {1, 2}, {1, 1}}};
        for (std::size_t kind = 0; kind < pair_kinds; ++kind) {
          auto& pairs = found.of(PairKind(kind));
          EXPECT_EQ(std::adjacent_find(pairs.begin(), pairs.end()), pairs.end());
          all += boxes.of(PairKind(kind)).size();
          kept += pairs.size();
          for (const Pair& pair : boxes.of(PairKind(kind))) {
            const auto apart_along = [&](const auto& direction) {
              return apart(moving, job.corners(corners[kind][0], pair.a),
                           job.corners(corners[kind][1], pair.b), slab, direction, separation);
            };
            if (std::any_of(std::begin(directions), std::end(directions), apart_along)) continue;
            ++wanted;
            EXPECT_TRUE(std::binary_search(pairs.begin(), pairs.end(), pair))
                << name(PairKind(kind)) << " " << pair.a << " " << pair.b;
          }
        }
      }
  EXPECT_GT(wanted, all / 20);
  EXPECT_GT(all - kept, all / 20);  // and leaves many out
}

TEST(MovingTree, GivesTheSamePairsOnAnyNumberOfThreads2) {
  for (const auto& family : mesh_families)
    for (const Slab& slab : slabs) {
      const MeshMotion motion = random_mesh(family, 100, 1);
      const Pairs one = meeting_pairs(motion.moving(), slab, {.threads = 1});
      EXPECT_TRUE(one == meeting_pairs(motion.moving(), slab, {.threads = 2})) << family.name;
    }
}

TEST(MovingTree, MayHaveNothingInIt) {
  const Mesh mesh;
  EXPECT_TRUE(meeting_pairs({mesh, {}, {}}, {0, 1}, {}) == Pairs());
}

TEST(MovingBounds, AreNeverInAnOrderThatExactValuesAreNot) {
  std::size_t ordered = 0;
  for (const auto& family : mesh_families)
    for (const Slab& slab : slabs) {
      SCOPED_TRACE(testing::Message() << family.name << " " << slab.begin << " " << slab.end);
      const MeshMotion motion = random_mesh(family, 4, 2);
      const MovingMesh moving = motion.moving();
      const PairOptions options;
      const FloatEnvironment environment;
      const MovingBounds bounds(PairJob(moving, options), slab);
      for (std::uint32_t a = 0; a < motion.start.size(); ++a)
        for (std::uint32_t b = 0; b < motion.start.size(); ++b)
          for (std::size_t end = 0; end < 2; ++end) {
            const double t = end == 0 ? slab.begin : slab.end;
            for (std::size_t d = 0; d < 9; ++d) {
              const auto& lo = d < 3 ? bounds.axes_lo()[bounds.place(a)][3 * end + d]
                                     : bounds.diagonals_lo()[bounds.place(a)][8 * end + d - 3];
              const auto& hi = d < 3 ? bounds.axes_hi()[bounds.place(b)][3 * end + d]
                                     : bounds.diagonals_hi()[bounds.place(b)][8 * end + d - 3];
              if (!(lo > hi)) continue;
              ++ordered;
              // directions[] lists x+y, y+z, z+x, x-y, y-z, z-x in this order.
              Rational difference = 0;
              for (int k = 0; k < 3; ++k)
                difference += directions[d][std::size_t(k)] *
                              (position(moving, a, k, t) - position(moving, b, k, t));
              EXPECT_GT(difference, 0) << d;
            }
          }
    }
  EXPECT_GT(ordered, 5'000u);
}

}  // namespace
}  // namespace graze
