#include "graze/narrow/rivals/sextic_separation.h"

#include <gtest/gtest.h>

#include "graze/exact/judge/separation_oracle.h"
#include "test/support/error_count.h"

namespace graze::narrow::sextic_separation_test {
namespace {

const Method& sextic() {
  return *find_method("sextic_separation");
}

test::ErrorCount errors_at(double separation, std::string_view family, std::size_t count) {
  const Options options{.min_separation = separation};
  return test::error_count(sextic(), family, count, options,
                           [&](const auto& query) { return exact::oracle_l2(query, options); });
}

// A vertex falls from the height 1 to -1 over the point (x, y) of the face (0,0) (1,0) (0,1).
VertexFace falling(double x, double y) {
  return {{Vec3(x, y, 1), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)},
          {Vec3(x, y, -1), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)}};
}

TEST(SexticSeparation, Promise1FindsTheDistanceToTheFaceToAnEdgeAndToACorner) {
  const Options options{.min_separation = 0.25};
  // The face itself; then an edge and a corner at the horizontal distance 0.15: 0.2 above the
  // plane.
  for (const auto& [query, height] :
       {std::pair(falling(0.2, 0.2), 0.25), std::pair(falling(0.5, -0.24), 0.07),
        std::pair(falling(-0.24, 0), 0.07)}) {
    const Impact impact = first_contact(query, options, sextic());
    EXPECT_EQ(impact.verdict, Verdict::contact);
    EXPECT_NEAR(impact.toi, (1 - height) / 2, 1e-12);
  }
  EXPECT_EQ(first_contact(falling(0.5, -0.5), options, sextic()).verdict, Verdict::separated);
}

TEST(SexticSeparation, Promise1FindsTheDistanceOfEdgesAndOfTheirEnds) {
  const Options options{.min_separation = 0.25};
  // Edge b, across edge a from (0, 0) to (1, 0), comes down beside its end by `beside`.
  for (const auto& [beside, height] : {std::pair(-0.5, 0.25), std::pair(0.24, 0.07)}) {
    const double x = 1 + beside;
    const EdgeEdge query{{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(x, -0.5, 1), Vec3(x, 0.5, 1)},
                         {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(x, -0.5, -1), Vec3(x, 0.5, -1)}};
    const Impact impact = first_contact(query, options, sextic());
    EXPECT_EQ(impact.verdict, Verdict::contact);
    EXPECT_NEAR(impact.toi, (1 - height) / 2, 1e-12);
  }
}

TEST(SexticSeparation, Promise1MissesNothingAtALargeDistance) {
  const auto count = errors_at(0.05, "random", test::scaled(150));
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(count.contacts, test::scaled(40));
  EXPECT_EQ(count.false_negatives, 0u);
}

TEST(SexticSeparation, Promise2TouchesAtOnceWhereTheStartIsTooClose) {
  EXPECT_EQ(first_contact(falling(0.2, 0.2), {.min_separation = 1}, sextic()).toi, 0);
  EXPECT_EQ(first_contact(falling(0.2, 0.2), {.min_separation = 1e300}, sextic()).toi, 0);
}

// Table 2 of [Wang 2021]: the smaller the distance, the more is lost.
TEST(SexticSeparation, MissesTheMoreTheSmallerTheDistance) {
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  std::size_t last = 0;
  for (const double separation : {1e-2, 1e-8, 1e-16, 1e-30}) {
    const Options options{.min_separation = separation};
    const auto count = test::error_count(sextic(), "random", test::scaled(1000), options);
    EXPECT_GE(count.false_negatives, last) << separation;
    last = count.false_negatives;
  }
  EXPECT_GT(last, test::scaled(100));
}

TEST(SexticSeparation, LosesNearlyEveryContactAtDistanceZero) {
  const auto count = test::error_count(sextic(), "random", test::scaled(1000));
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(count.false_negatives * 10, count.contacts * 9);
}

// The slack of the public code, which causes false positives.
TEST(SexticSeparation, HasFalsePositivesAtALargeDistance) {
  const auto count = errors_at(0.01, "random", test::scaled(150));
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(count.false_positives * 10, count.contacts);
}

}  // namespace
}  // namespace graze::narrow::sextic_separation_test
