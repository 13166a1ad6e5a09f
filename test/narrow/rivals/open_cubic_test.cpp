#include "graze/narrow/rivals/open_cubic.h"

#include <gtest/gtest.h>

#include "test/support/error_count.h"

namespace graze::narrow::open_cubic_test {
namespace {

const Method& open() {
  return *find_method("open_cubic");
}

// A vertex that falls through the middle of a face of the given size, halfway through the step.
VertexFace falling(double size) {
  VertexFace query{{Vec3(0, 0, 1), Vec3(-1, -1, 0), Vec3(1, -1, 0), Vec3(0, 1, 0)},
                   {Vec3(0, 0, -1), Vec3(-1, -1, 0), Vec3(1, -1, 0), Vec3(0, 1, 0)}};
  for (auto* side : {&query.start, &query.end})
    for (Vec3& corner : *side) corner *= size;
  return query;
}

TEST(OpenCubic, Promise1FindsContactsWellInsideToSinglePrecision) {
  const Impact impact = first_contact(falling(1), {}, open());
  EXPECT_EQ(impact.verdict, Verdict::contact);
  EXPECT_NEAR(impact.toi, 0.5, 2e-7);
  const auto count = test::error_count(open(), "random", test::scaled(4000));
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(count.contacts, test::scaled(200));
  EXPECT_LE(count.false_negatives, test::scaled(1));
  EXPECT_GT(count.late * 4, count.contacts);  // half of the times are late, by rounding to floats
}

TEST(OpenCubic, Promise2MissesCoplanarSmallAndHugeQueries) {
  const VertexFace coplanar{{Vec3(2, 0.25, 0), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0)},
                            {Vec3(0, 0.25, 0), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0)}};
  EXPECT_EQ(exact::oracle(coplanar).verdict, Verdict::contact);
  EXPECT_EQ(first_contact(coplanar, {}, open()).verdict, Verdict::separated);
  EXPECT_EQ(first_contact(falling(0.1), {}, open()).verdict, Verdict::contact);
  for (const double size : {1e-3, 1e-9, 1e-300, 1e20, 1e300}) {
    EXPECT_EQ(exact::oracle(falling(size)).verdict, Verdict::contact);
    EXPECT_EQ(first_contact(falling(size), {}, open()).verdict, Verdict::separated) << size;
  }
}

// A float has 24 bits: a million away from the origin a face of size 1 is a few of them.
TEST(OpenCubic, LosesContactsFarFromTheOrigin) {
  const auto count = test::error_count(open(), "offset_1e6", test::scaled(500));
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(count.false_negatives * 5, count.contacts);
}

TEST(OpenCubic, AnswersUndecidedWhenTheBudgetIsSpent) {
  int spent = 0;
  for (const auto& query : test::generated<VertexFace>(test::family("random"), 100)) {
    const Impact whole = first_contact(query, {}, open()),
                 cut = first_contact(query, {.max_checks = 2}, open());
    EXPECT_EQ(cut.verdict, whole.checks > 2 ? Verdict::undecided : whole.verdict);
    EXPECT_LE(cut.toi, whole.toi);
    spent += cut.verdict == Verdict::undecided;
  }
  EXPECT_GT(spent, 10);
}

TEST(OpenCubic, HonoursTheEndOfTheStep) {
  EXPECT_EQ(first_contact(falling(1), {.t_max = 0.51}, open()).verdict, Verdict::contact);
  EXPECT_EQ(first_contact(falling(1), {.t_max = 0.49}, open()).verdict, Verdict::separated);
}

TEST(OpenCubic, IsForVerticesAndFacesOnly) {
  EXPECT_EQ(open().guarantee, Guarantee::heuristic);
  EXPECT_EQ(open().edge_edge, nullptr);
}

}  // namespace
}  // namespace graze::narrow::open_cubic_test
