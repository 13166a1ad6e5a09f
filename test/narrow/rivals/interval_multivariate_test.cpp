#include "graze/narrow/rivals/interval_multivariate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "graze/exact/judge/oracle.h"
#include "test/support/data_queries.h"
#include "test/support/exact_f.h"
#include "test/support/sampled_distance.h"
#include "test/support/scale.h"

namespace graze::narrow::interval_multivariate_test {
namespace {

using test::exact_f;
using test::generated;
using test::hovering;
using test::Rational;
using test::scaled;

template <class Query>
Impact solve(const Query& query, const Options& options = {}) {
  Impact impact;
  interval_multivariate(std::span(&query, 1), {options}, std::span(&impact, 1));
  return impact;
}

const Method& method() {
  return *find_method("interval_multivariate");
}

TEST(IntervalMultivariate, Promise1HoldsOnTheData) {
  GRAZE_SKIP_WITHOUT_DATA();
  const Options options{.max_checks = 20000};
  EXPECT_EQ(test::expect_promises_on_data(method(), options, 100), 2429u + 1385u);
}

TEST(IntervalMultivariate, Promise2FIsWithinTheToleranceAtAContact) {
  int contacts = 0;
  for (const char* family : {"random", "simulation_like", "touching", "near_ulp", "coplanar",
                             "sliding", "offset_1e9", "scale_1e-9"})
    for (const double tol : {1e-2, 1e-6, 1e-9})
      test::both_each(family, scaled(30), [&]<class Query>(const Query& query) {
        const Impact impact = solve(query, {.distance_tol = tol, .max_checks = 20000});
        if (impact.verdict != Verdict::contact) return;
        ++contacts;
        const Rational reached = Rational(tol) + Rational(test::extent(query)) / (1ull << 45);
        for (int k = 0; k < 3; ++k) ASSERT_LE(abs(exact_f(query, impact, k)), reached);
        ASSERT_GE(impact.u, 0);
        ASSERT_GE(impact.v, 0);
        ASSERT_TRUE(!(std::is_same_v<Query, VertexFace>) || impact.u + impact.v <= 1);
      });
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(contacts, 500);
}

TEST(IntervalMultivariate, Promise4RefinesUntilTheTimeIsPositiveOnRequest) {
  for (const double gap : {1e-7, 1e-9, 1e-12}) {
    EXPECT_EQ(solve(hovering(gap)).toi, 0) << gap;
    const Impact impact = solve(hovering(gap), {.no_zero_toi = true});
    EXPECT_GT(impact.toi, 0) << gap;
    EXPECT_LE(impact.toi, gap);
  }
  EXPECT_EQ(solve(hovering(0), {.no_zero_toi = true}).toi, 0);
}

TEST(IntervalMultivariate, ATighterToleranceIsReachedLater) {
  double toi = 0;
  for (const double tol : {1e-1, 1e-3, 1e-6, 1e-9, 1e-12}) {
    const Impact impact = solve(hovering(1 / 3.0), {.distance_tol = tol});
    EXPECT_EQ(impact.verdict, Verdict::contact);
    EXPECT_GE(impact.toi, toi);
    EXPECT_NEAR(impact.toi, 1 / 3.0, tol);
    toi = impact.toi;
  }
}

TEST(IntervalMultivariate, FindsTheEarliestOfSeveralContacts) {
  int checked = 0;
  for (const auto& query : generated<EdgeEdge>(test::family("random"), scaled(3000))) {
    const Impact truth = exact::oracle(query);
    if (truth.verdict != Verdict::contact) continue;
    const Impact impact = solve(query);
    ASSERT_EQ(impact.verdict, Verdict::contact);
    ASSERT_LE(impact.toi, truth.toi);
    // The median is 7e-7; slow approaches are within the tolerance for longer.
    checked += impact.toi > truth.toi - 1e-4;
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(checked, 500);
}

TEST(IntervalMultivariate, StopsAtTheEndOfTheStepAndAtTheBudget) {
  EXPECT_EQ(solve(hovering(0.5), {.t_max = 0.4999}).verdict, Verdict::separated);
  EXPECT_EQ(solve(hovering(0.5), {.t_max = 0.5}).verdict, Verdict::contact);
  double toi = 0;
  for (std::uint32_t budget = 1; budget < solve(hovering(0.5)).checks; ++budget) {
    const Impact impact = solve(hovering(0.5), {.max_checks = budget});
    ASSERT_EQ(impact.verdict, Verdict::undecided);
    ASSERT_EQ(impact.checks, budget);
    ASSERT_GE(impact.toi, toi);
    toi = impact.toi;
  }
  EXPECT_LE(toi, 0.5);
}

TEST(IntervalMultivariate, AnswersExtremeInput) {
  constexpr double largest = 1.7976931348623157e308;
  for (const double size : {5e-324, 1e-310, 1e-300, 1e-30, 1e30, 1e300, largest}) {
    VertexFace hit = hovering(0.5), miss = hovering(0.5);
    miss.end[0] = Vec3(0.25, 0.25, 0.75);
    for (auto* corners : {&hit.start, &hit.end, &miss.start, &miss.end})
      for (Vec3& corner : *corners) corner *= size;
    EXPECT_LE(solve(hit).toi, exact::oracle(hit).toi) << size;
    EXPECT_NE(solve(hit).verdict, Verdict::separated) << size;
    if (size > 1 && size < largest) {
      EXPECT_NEAR(solve(hit).toi, 0.5, 1e-6);
      EXPECT_EQ(solve(miss).verdict, Verdict::separated) << size;
    }
  }
  VertexFace wide = hovering(0.5);
  wide.start[1][0] = -largest;
  wide.start[2][0] = largest;
  EXPECT_EQ(solve(wide).verdict, Verdict::undecided);
  EXPECT_EQ(solve(wide).toi, 0);
}

}  // namespace
}  // namespace graze::narrow::interval_multivariate_test
