#include "graze/narrow/rivals/interval_univariate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "graze/exact/judge/oracle.h"
#include "test/support/data_queries.h"
#include "test/support/exact_f.h"
#include "test/support/scale.h"

namespace graze::narrow::interval_univariate_test {
namespace {

using test::hovering;
using test::scaled;

template <class Query>
Impact solve(const Query& query, const Options& options = {}) {
  Impact impact;
  interval_univariate(std::span(&query, 1), {options}, std::span(&impact, 1));
  return impact;
}

TEST(IntervalUnivariate, Promise1HoldsOnTheData) {
  GRAZE_SKIP_WITHOUT_DATA();
  const Method& method = *find_method("interval_univariate");
  EXPECT_EQ(test::expect_promises_on_data(method, {.max_checks = 20000}, 10), 2429u + 13822u);
}

TEST(IntervalUnivariate, AgreesWithTheTruthOnRandomQueriesUpToTheTolerance) {
  std::size_t contacts = 0, different = 0, late = 0;
  test::both_each("random", scaled(3000), [&](const auto& query) {
    const Impact truth = exact::oracle(query), impact = solve(query);
    contacts += truth.verdict == Verdict::contact;
    different += truth.verdict != impact.verdict;
    late += impact.toi > truth.toi;
  });
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(contacts, scaled(700));
  EXPECT_LE(different, scaled(3000) / 1000);
  EXPECT_EQ(late, 0u);
}

TEST(IntervalUnivariate, TheToleranceRulesTheTime) {
  for (const double tol : {1e-1, 1e-3, 1e-6, 1e-9, 1e-12}) {
    const Impact impact = solve(hovering(1 / 3.0), {.distance_tol = tol});
    EXPECT_EQ(impact.verdict, Verdict::contact);
    EXPECT_NEAR(impact.toi, 1 / 3.0, tol);
  }
}

TEST(IntervalUnivariate, Promise3RefinesUntilTheTimeIsPositiveOnRequest) {
  for (const double gap : {1e-7, 1e-9, 1e-12}) {
    EXPECT_EQ(solve(hovering(gap)).toi, 0) << gap;
    const Impact impact = solve(hovering(gap), {.no_zero_toi = true});
    EXPECT_GT(impact.toi, 0) << gap;
    EXPECT_LE(impact.toi, gap);
  }
  EXPECT_EQ(solve(hovering(0), {.no_zero_toi = true}).toi, 0);
}

// The predicate decides the infinitely many roots of motion in a plane, which make the method as
// published slow.
TEST(IntervalUnivariate, MotionInAPlaneTakesNoLongerThanOtherMotion) {
  std::uint64_t checks = 0, queries = 0, undecided = 0;
  for (const char* family : {"coplanar", "sliding", "static"})
    test::both_each(family, scaled(300), [&](const auto& query) {
      const Impact impact = solve(query, {.max_checks = 20000});
      checks += impact.checks;
      undecided += impact.verdict == Verdict::undecided;
      ++queries;
    });
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_LT(checks, 100 * queries);
  EXPECT_LE(undecided, queries / 100);
}

// Parallel edges near each other have no plane of contact, so the predicate excludes nothing.
TEST(IntervalUnivariate, ReportsAContactForParallelEdgesThatPassCloselyInTheirBoxes) {
  EdgeEdge query{{Vec3(0, 0, 0), Vec3(1, 1, 0), Vec3(0, 0.5, 0), Vec3(1, 1.5, 0)}, {}};
  query.end = query.start;
  ASSERT_EQ(exact::oracle(query).verdict, Verdict::separated);
  EXPECT_EQ(solve(query).verdict, Verdict::contact);
}

TEST(IntervalUnivariate, StopsAtTheEndOfTheStepAndAtTheBudget) {
  EXPECT_EQ(solve(hovering(0.5), {.t_max = 0.4999}).verdict, Verdict::separated);
  EXPECT_EQ(solve(hovering(0.5), {.t_max = 0.5}).verdict, Verdict::contact);
  const Impact impact = solve(hovering(0.4), {.max_checks = 6});
  EXPECT_EQ(impact.verdict, Verdict::undecided);
  EXPECT_EQ(impact.checks, 6u);
  EXPECT_GT(impact.toi, 0.2);
  EXPECT_LE(impact.toi, 0.4);
}

TEST(IntervalUnivariate, AnswersExtremeInput) {
  constexpr double largest = 1.7976931348623157e308;
  for (const double size : {5e-324, 1e-310, 1e-300, 1e-30, 1e30, 1e300, largest}) {
    VertexFace hit = hovering(0.5), miss = hovering(0.5);
    miss.end[0] = Vec3(0.25, 0.25, 0.75);
    for (auto* corners : {&hit.start, &hit.end, &miss.start, &miss.end})
      for (Vec3& corner : *corners) corner *= size;
    EXPECT_LE(solve(hit).toi, exact::oracle(hit).toi) << size;
    EXPECT_NE(solve(hit).verdict, Verdict::separated) << size;
    if (size > 5e-324) {
      EXPECT_EQ(solve(miss).verdict, Verdict::separated) << size;
    }
    if (size > 1) {
      EXPECT_NEAR(solve(hit).toi, 0.5, 1e-6);
    }
  }
}

}  // namespace
}  // namespace graze::narrow::interval_univariate_test
