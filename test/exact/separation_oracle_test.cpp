#include "graze/exact/judge/separation_oracle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "graze/exact/judge/oracle.h"
#include "test/support/norms.h"
#include "test/support/rational_distance.h"
#include "test/support/scale.h"

namespace graze::exact::separation_oracle_test {
namespace {

using test::distances;
using test::for_each_query;
using test::Rational;
using test::same_times;
using test::scaled;

bool within(test::L2, const auto& query, const Rational& t, double d) {
  return test::distance_sq(query, t) <= Rational(d) * Rational(d);
}
bool within(test::Linf, const auto& query, const Rational& t, double d) {
  return test::max_norm_distance(query, t) <= Rational(d);
}

template <class Norm>
class SeparationOracle : public testing::Test {};
using Norms = testing::Types<test::L2, test::Linf>;
TYPED_TEST_SUITE(SeparationOracle, Norms);

// Tests promises (1) and (2) at times that are doubles or simple fractions.
TYPED_TEST(SeparationOracle, AgreesWithProvenDistancesAtRationalTimes) {
  int contacts = 0, misses = 0, unproven = 0;
  for_each_query(scaled(1), 31, [&](const auto& query) {
    for (const double d : distances(query)) {
      const Impact impact = TypeParam::oracle(query, {.min_separation = d});
      const bool contact = impact.verdict == Verdict::contact;
      const double until = contact ? impact.toi : 1;
      for (int i = 0; i <= 5; ++i) {
        const Rational t = Rational(until) * i / 5;
        if (contact && t >= impact.toi && impact.toi == impact.toi_hi) continue;
        ASSERT_FALSE(within(TypeParam(), query, t, d)) << "at " << t << " for " << d;
      }
      ++(contact ? contacts : misses);
      if (!contact) continue;
      // A contact that has not begun by toi_hi may graze in between.
      const bool begun = within(TypeParam(), query, Rational(impact.toi_hi), d);
      ASSERT_TRUE(begun || impact.toi < impact.toi_hi);
      unproven += !begun;
    }
  });
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(contacts, 150);
  EXPECT_GT(misses, 30);
  EXPECT_LT(unproven * 50, contacts);
}

TYPED_TEST(SeparationOracle, AtNoDistanceIsTheOracle) {
  int contacts = 0;
  for_each_query(scaled(30), 32, [&](const auto& query) {
    using Query = std::decay_t<decltype(query)>;
    Impact expected;
    if constexpr (std::is_same_v<Query, VertexFace> || std::is_same_v<Query, EdgeEdge>)
      expected = oracle(query);
    else
      expected = oracle(as_vertex_face(query));
    contacts += expected.verdict == Verdict::contact;
    ASSERT_TRUE(same_times(TypeParam::oracle(query, {}), expected));
  });
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(contacts, 300);
}

TYPED_TEST(SeparationOracle, IsMonotoneInTheDistance) {
  for_each_query(scaled(3), 33, [&](const auto& query) {
    Impact last = TypeParam::oracle(query, {});
    for (const double d : distances(query)) {
      const Impact next = TypeParam::oracle(query, {.min_separation = d});
      ASSERT_LE(next.toi, last.toi);
      ASSERT_LE(next.toi_hi, last.toi_hi);
      last = next;
    }
  });
}

TYPED_TEST(SeparationOracle, CountsADistanceOnlyIfTheStepReachesIt) {
  for_each_query(scaled(2), 34, [&](const auto& query) {
    for (const double d : distances(query)) {
      const Impact whole = TypeParam::oracle(query, {.min_separation = d});
      for (const double t_max : {0.25, 2 / 3.0, std::min(1.0, whole.toi_hi), whole.toi})
        if (t_max > 0 && t_max <= 1) {
          const Impact part = TypeParam::oracle(query, {.t_max = t_max, .min_separation = d});
          ASSERT_TRUE(same_times(part, whole.toi_hi <= t_max ? whole : Impact::separated()));
        }
    }
  });
}

TEST(SeparationOracleNorms, TheMaxNormIsReachedFirstAndTheRootOfThreeLater) {
  for_each_query(scaled(2), 35, [&](const auto& query) {
    for (const double d : distances(query)) {
      const Impact l2 = oracle_l2(query, {.min_separation = d});
      const Impact linf = oracle_linf(query, {.min_separation = d});
      ASSERT_LE(linf.toi, l2.toi);
      ASSERT_LE(oracle_l2(query, {.min_separation = 1.7321 * d}).toi, linf.toi);
    }
  });
}

VertexFace falling(const Vec3& start, const Vec3& end) {
  const std::array<Vec3, 3> face{Vec3(0, 0, 0), Vec3(4, 0, 0), Vec3(0, 4, 0)};
  return {{start, face[0], face[1], face[2]}, {end, face[0], face[1], face[2]}};
}

TEST(SeparationOracleExamples, FindsAFaceAnEdgeAndACornerAtTheirDistance) {
  const Options unit{.min_separation = 1};
  const auto above_face = falling({1, 1, 3}, {1, 1, -1});
  EXPECT_EQ(oracle_l2(above_face, unit).toi, 0.5);
  EXPECT_EQ(oracle_linf(above_face, unit).toi, 0.5);
  // Beyond the edge y = 0 by 3/5: the edge is reached at a height of 4/5 or, in the max norm, 1.
  const auto beyond_edge = falling({1, -0.75, 4}, {1, -0.75, 0});
  EXPECT_NEAR(oracle_l2(beyond_edge, unit).toi, 1 - std::sqrt(7.0) / 16, 1e-15);
  EXPECT_EQ(oracle_linf(beyond_edge, unit).toi, 0.75);
  // Beyond the corner by (1/2, 1/2).
  const auto beyond_corner = falling({-0.5, -0.5, 2}, {-0.5, -0.5, 0});
  EXPECT_NEAR(oracle_l2(beyond_corner, unit).toi, 1 - std::sqrt(0.5) / 2, 1e-15);
  EXPECT_EQ(oracle_linf(beyond_corner, unit).toi, 0.5);
}

TEST(SeparationOracleExamples, CountsTouchingTheDistanceAndNothingBeyondIt) {
  const double more = std::nextafter(1.0, 2);
  for (const double z : {1.0, more}) {
    const Verdict expected = z == 1 ? Verdict::contact : Verdict::separated;
    const auto passing = falling({-3, 1, z}, {9, 1, z});
    EXPECT_EQ(oracle_l2(passing, {.min_separation = 1}).verdict, expected);
    EXPECT_EQ(oracle_linf(passing, {.min_separation = 1}).verdict, expected);
  }
}

TEST(SeparationOracleExamples, AnswersInvalidForUnusableInput) {
  auto query = falling({1, 1, 1}, {1, 1, -1});
  EXPECT_EQ(oracle_l2(query, {.min_separation = -1}).verdict, Verdict::invalid);
  query.end[2][1] = Impact::nan;
  EXPECT_EQ(oracle_l2(query, {}).verdict, Verdict::invalid);
  EXPECT_EQ(oracle_linf(query, {}).verdict, Verdict::invalid);
}

}  // namespace
}  // namespace graze::exact::separation_oracle_test
