#include "graze/broad/moving/time_slabs.h"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>

#include "graze/aabb.h"
#include "test/support/meshes.h"

namespace graze::broad::time_slabs_test {
namespace {

using Rational = boost::multiprecision::cpp_rational;
using test::mesh_families;
using test::random_mesh;

TEST(TimeSlabs, CoverTheStepWithoutGaps) {
  std::size_t most = 0, single = 0;
  for (const auto& family : mesh_families)
    for (const double t_max : {1.0, 0.3, 0x1p-1074})
      for (const double first : {0.125, 1.0, 4.0}) {
        const OwnedMotion motion = random_mesh(family, 20, 1);
        const auto slabs = time_slabs(motion.moving(), t_max, first);
        ASSERT_FALSE(slabs.empty());
        EXPECT_EQ(slabs.front().begin, 0);
        EXPECT_EQ(slabs.back().end, t_max);
        for (std::size_t i = 0; i < slabs.size(); ++i) {
          EXPECT_LT(slabs[i].begin, slabs[i].end);
          EXPECT_TRUE(i == 0 || slabs[i].begin == slabs[i - 1].end);
        }
        most = std::max(most, slabs.size());
        single += slabs.size() == 1;
      }
  EXPECT_GT(most, 4u);
  EXPECT_LE(most, 12u);
  EXPECT_GT(single, 10u);
}

TEST(TimeSlabs, AreFewHoweverFarOneVertexMoves) {
  OwnedMotion motion = random_mesh(mesh_families[0], 200, 1);
  const auto slabs = time_slabs(motion.moving(), 1, 0.125).size();
  motion.end[0] = Vec3(1e300, 0, 0);
  EXPECT_LE(time_slabs(motion.moving(), 1, 0.125).size(), slabs + 1);
  for (Vec3& position : motion.end) position *= 1e300;
  EXPECT_LE(time_slabs(motion.moving(), 1, 0.125).size(), 12u);
}

// A sheet of one square that moves by a multiple of its size.
TEST(TimeSlabs, FollowTheMotionInSizes) {
  const Mesh mesh = make_mesh(4, {{0, 1, 2}, {1, 3, 2}});
  const std::vector<Vec3> start = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
  const auto ends = [&](double sizes, double first) {
    std::vector<Vec3> end = start;
    for (Vec3& position : end) position[2] += sizes;
    std::vector<double> times;
    for (const Slab& slab : time_slabs({mesh, start, end}, 1, first)) times.push_back(slab.end);
    return times;
  };
  EXPECT_EQ(ends(1.5, 0.125), (std::vector<double>{1}));
  EXPECT_EQ(ends(2, 0.125), (std::vector<double>{0.0625, 1}));
  const auto four = ends(4, 0.125);
  ASSERT_EQ(four.size(), 4u);
  EXPECT_EQ(four[0], 0.03125);
  EXPECT_DOUBLE_EQ(four[1], 0.03125 + 0.96875 / 3);
  EXPECT_DOUBLE_EQ(four[2], 0.03125 + 0.96875 * 2 / 3);
  EXPECT_EQ(four[3], 1);
  EXPECT_EQ(ends(4, 4), (std::vector<double>{1}));
  EXPECT_EQ(ends(8, 4), (std::vector<double>{0.5, 1}));
}

TEST(SlabBoxes, ContainTheExactPathTightly1) {
  for (const auto& family : mesh_families) {
    SCOPED_TRACE(family.name);
    const OwnedMotion motion = random_mesh(family, 4, 3);
    for (const Slab slab : {Slab{0, 0.1}, Slab{0.1, 1.0 / 3}, Slab{1.0 / 3, 1}, Slab{0.5, 0.5},
                            Slab{0, 0x1p-1074}, Slab{1 - 0x1p-53, 1}}) {
      const SlabBoxes boxes(motion.moving(), slab);
      for (std::size_t v = 0; v < motion.start.size(); ++v)
        for (int k = 0; k < 3; ++k) {
          const Rational s(motion.start[v][k]), e(motion.end[v][k]);
          const Rational x = s + Rational(slab.begin) * (e - s),
                         y = s + Rational(slab.end) * (e - s);
          const Aabb box = boxes(static_cast<std::uint32_t>(v));
          const Rational lo(box.lo[k]), hi(box.hi[k]);
          const Rational beyond =
              Rational(0x1p-1071) + Rational(0x1p-49) * std::max(abs(s), abs(e));
          EXPECT_TRUE(lo <= std::min(x, y) && std::min(x, y) - lo <= beyond);
          EXPECT_TRUE(hi >= std::max(x, y) && hi - std::max(x, y) <= beyond);
          EXPECT_TRUE(lo >= std::min(s, e) && hi <= std::max(s, e));
        }
    }
  }
}

TEST(SlabBoxes, OfTheWholeStepAreSweptBoxes1) {
  for (const auto& family : mesh_families) {
    const OwnedMotion motion = random_mesh(family, 10, 3);
    const SlabBoxes boxes(motion.moving(), {0, 1});
    for (std::size_t v = 0; v < motion.start.size(); ++v) {
      const Aabb box = boxes(static_cast<std::uint32_t>(v));
      EXPECT_EQ(box.lo, swept_box(motion.start[v], motion.end[v]).lo);
      EXPECT_EQ(box.hi, swept_box(motion.start[v], motion.end[v]).hi);
    }
  }
}

}  // namespace
}  // namespace graze::broad::time_slabs_test
