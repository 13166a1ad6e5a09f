#include "graze/narrow/rivals/cubic_root.h"

#include <gtest/gtest.h>

#include "test/support/error_count.h"

namespace graze::narrow::cubic_root_test {
namespace {

const Method& cubic() {
  return *find_method("cubic_root");
}

using test::error_count;

TEST(CubicRoot, Promise1FindsContactsWellInside) {
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  for (const char* family : {"random", "simulation_like"}) {
    const auto count = error_count(cubic(), family, test::scaled(4000));
    EXPECT_GT(count.contacts, test::scaled(400)) << family;
    EXPECT_EQ(count.false_negatives, 0u) << family;
    EXPECT_EQ(count.late, 0u) << family;
  }
}

TEST(CubicRoot, Promise2MissesParallelEdges) {
  // Edge b comes down on edge a, parallel to it.
  const EdgeEdge parallel{{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 0, 1), Vec3(1, 0, 1)},
                          {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 0, -1), Vec3(1, 0, -1)}};
  EXPECT_EQ(exact::oracle(parallel).verdict, Verdict::contact);
  EXPECT_EQ(first_contact(parallel, {}, cubic()).verdict, Verdict::separated);
  // At an angle it is found.
  auto crossing = parallel;
  crossing.start[3][1] = crossing.end[3][1] = 1;
  EXPECT_EQ(first_contact(crossing, {}, cubic()).verdict, Verdict::contact);
}

TEST(CubicRoot, AnswersForCoplanarCornersDependOnRounding) {
  // Exactly coplanar at all times: the cubic is zero and the inside polynomials give the time.
  VertexFace query{{Vec3(2, 0.25, 0), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0)},
                   {Vec3(0, 0.25, 0), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0)}};
  EXPECT_NEAR(first_contact(query, {}, cubic()).toi, 0.5, 1e-12);
  // Coplanar up to rounding: the roots are those of noise.
  const auto count = error_count(cubic(), "rotating_plane", test::scaled(1000));
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(count.false_negatives + count.late, test::scaled(20));
}

// As the paper warns, contacts are found only with a tolerance, which depends on scale and speed.
TEST(CubicRoot, WithoutToleranceLosesContactsAtBordersAndIsLate) {
  const auto with = error_count(cubic(), "contact_at_end", test::scaled(1000));
  const Options none{.time_tol = 1e-300};
  const auto without = error_count(cubic(), "contact_at_end", test::scaled(1000), none);
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(without.false_negatives, with.false_negatives);
  const auto random = error_count(cubic(), "random", test::scaled(2000), none);
  EXPECT_GT(random.late * 4, random.contacts);
}

TEST(CubicRoot, HonoursTheEndOfTheStep) {
  const VertexFace query{{Vec3(0, 0, 1), Vec3(-1, -1, 0), Vec3(1, -1, 0), Vec3(0, 1, 0)},
                         {Vec3(0, 0, -1), Vec3(-1, -1, 0), Vec3(1, -1, 0), Vec3(0, 1, 0)}};
  EXPECT_NEAR(first_contact(query, {.t_max = 0.5}, cubic()).toi, 0.5, 2e-9);
  EXPECT_EQ(first_contact(query, {.t_max = 0.49}, cubic()).verdict, Verdict::separated);
}

TEST(CubicRoot, FindsTheSecondRootWhereTheFirstIsOutside) {
  // The plane of the face turns over the vertex before the face itself comes to it.
  int second = 0;
  for (const auto& query : test::generated<VertexFace>(test::family("three_roots"), 200)) {
    const Impact truth = exact::oracle(query), given = first_contact(query, {}, cubic());
    second += given.checks == 2 && truth.verdict == Verdict::contact &&
              std::abs(given.toi - truth.toi) < 2e-9;
  }
  EXPECT_GT(second, 20);
}

}  // namespace
}  // namespace graze::narrow::cubic_root_test
