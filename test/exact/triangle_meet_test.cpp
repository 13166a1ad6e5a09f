#include "graze/exact/triangle_meet.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "graze/generate/random.h"
#include "test/support/scale.h"
#include "test/support/triangle_gap.h"

namespace graze::exact::triangle_meet_test {
namespace {

exact::IntegerTriangle integers(const test::Triangle& t) {
  exact::IntegerTriangle result;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      result[i][k] = static_cast<std::int64_t>(t[i][static_cast<int>(k)]);
  return result;
}

bool meet(const test::Triangle& a, const test::Triangle& b) {
  return exact::triangles_meet(integers(a), integers(b));
}

const test::Triangle flat = {Vec3(0, 0, 0), Vec3(4, 0, 0), Vec3(0, 4, 0)};

TEST(TriangleMeet, CountsBordersAndCorners) {
  EXPECT_TRUE(meet(flat, {Vec3(1, 1, 0), Vec3(1, 1, 5), Vec3(2, 1, 5)}));    // corner inside
  EXPECT_TRUE(meet(flat, {Vec3(4, 0, 0), Vec3(9, 0, 1), Vec3(9, 1, 1)}));    // corner at corner
  EXPECT_TRUE(meet(flat, {Vec3(2, 2, -1), Vec3(2, 2, 1), Vec3(9, 9, 0)}));   // edge at edge
  EXPECT_TRUE(meet(flat, {Vec3(1, 1, -1), Vec3(1, 1, 1), Vec3(-9, 1, 0)}));  // edge through
  EXPECT_FALSE(meet(flat, {Vec3(3, 3, -1), Vec3(3, 3, 1), Vec3(9, 9, 0)}));
  EXPECT_FALSE(meet(flat, {Vec3(1, 1, 1), Vec3(1, 1, 5), Vec3(2, 1, 5)}));
}

TEST(TriangleMeet, DecidesTrianglesInOnePlane) {
  EXPECT_TRUE(meet(flat, {Vec3(1, 1, 0), Vec3(2, 1, 0), Vec3(1, 2, 0)}));  // one inside the other
  EXPECT_TRUE(meet(flat, {Vec3(-9, -9, 0), Vec3(40, -9, 0), Vec3(-9, 40, 0)}));
  EXPECT_TRUE(meet(flat, {Vec3(4, 0, 0), Vec3(8, 0, 0), Vec3(8, 8, 0)}));  // a common corner
  EXPECT_FALSE(meet(flat, {Vec3(3, 2, 0), Vec3(8, 0, 0), Vec3(8, 8, 0)}));
}

TEST(TriangleMeet, TakesTrianglesWithoutAreaAsSegmentsAndPoints) {
  const auto point = [](const Vec3& p) { return test::Triangle{p, p, p}; };
  EXPECT_TRUE(meet(flat, point({1, 1, 0})));
  EXPECT_FALSE(meet(flat, point({1, 1, 1})));
  EXPECT_TRUE(meet(point({1, 1, 1}), point({1, 1, 1})));
  EXPECT_TRUE(meet(flat, {Vec3(1, 1, -1), Vec3(1, 1, 0), Vec3(1, 1, 1)}));
  EXPECT_FALSE(meet({Vec3(0, 0, 0), Vec3(2, 0, 0), Vec3(4, 0, 0)},
                    {Vec3(1, 1, -1), Vec3(1, 1, 0), Vec3(1, 1, 1)}));
  EXPECT_TRUE(meet({Vec3(0, 0, 0), Vec3(2, 0, 0), Vec3(4, 0, 0)},
                   {Vec3(3, 0, -1), Vec3(3, 0, 0), Vec3(3, 0, 1)}));
  EXPECT_FALSE(meet({Vec3(0, 0, 0), Vec3(2, 0, 0), Vec3(4, 0, 0)},
                    {Vec3(5, 0, 0), Vec3(6, 0, 0), Vec3(9, 0, 0)}));
}

TEST(TriangleMeet, AgreesWithTheDistanceOnLattices) {
  std::size_t met = 0, flat_ones = 0;
  const std::size_t count = test::scaled(30'000);
  for (std::size_t i = 0; i < count; ++i) {
    generate::Random random("triangle_meet", 0, 1, i);
    const int bound = random.integer(1, 4);
    test::Triangle a, b;
    for (auto* triangle : {&a, &b})
      for (Vec3& corner : *triangle) corner = random.lattice(bound);
    if (random.one_in(4))
      for (Vec3& corner : b) corner[2] = a[0][2];
    const bool found = meet(a, b);
    ASSERT_EQ(found, meet(b, a));
    // On this small lattice every distance is 0 or above 1e-4.
    ASSERT_EQ(found, test::triangle_gap(a, b).upper < 1e-6) << i;
    met += found;
    flat_ones += (a[1] - a[0]).cross(a[2] - a[0]).isZero(0);
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(met, count / 4);
  EXPECT_LT(met, count / 4 * 3);
  EXPECT_GT(flat_ones, count / 100);
}

}  // namespace
}  // namespace graze::exact::triangle_meet_test
