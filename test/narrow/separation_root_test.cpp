#include "graze/narrow/separation/separation_root.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "test/support/corpus.h"
#include "test/support/norms.h"
#include "test/support/promises.h"
#include "test/support/scale.h"

namespace graze::narrow::separation_root_test {
namespace {

using test::distances;
using test::for_each_query;
using test::same_times;
using test::scaled;
using test::solve_one;

template <class Norm>
class SeparationRoot : public testing::Test {};
using Norms = testing::Types<test::L2, test::Linf>;
TYPED_TEST_SUITE(SeparationRoot, Norms);

// Promises (1) and (2).
TYPED_TEST(SeparationRoot, Promise1And2EqualTheOracleToTheLastBit) {
  int contacts = 0, misses = 0;
  for_each_query(scaled(8), 41, [&](const auto& query) {
    for (const double d : distances(query)) {
      const Options options{.min_separation = d};
      const Impact truth = TypeParam::oracle(query, options);
      const Impact given = solve_one(TypeParam(), query, options);
      ++(truth.verdict == Verdict::contact ? contacts : misses);
      ASSERT_TRUE(same_times(truth, given)) << std::hexfloat << d << ": " << test::describe(given)
                                            << " but " << test::describe(truth) << '\n'
                                            << test::corpus_text(test::as_four(query), truth);
    }
  });
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(contacts, 1000);
  EXPECT_GT(misses, 500);
}

TYPED_TEST(SeparationRoot, Promise1And2HoldForShorterSteps) {
  for_each_query(scaled(2), 42, [&](const auto& query) {
    for (const double d : distances(query)) {
      const Impact whole = solve_one(TypeParam(), query, {.min_separation = d});
      for (const double t_max : {5e-324, 1e-3, 2 / 3.0, std::min(1.0, whole.toi_hi), whole.toi})
        if (t_max > 0 && t_max <= 1) {
          const Options part{.t_max = t_max, .min_separation = d};
          ASSERT_TRUE(same_times(solve_one(TypeParam(), query, part),
                                 whole.toi_hi <= t_max ? whole : Impact::separated()));
        }
    }
  });
}

TYPED_TEST(SeparationRoot, Promise1HoldsAtTheEdgeOfTheRangeOfDoubles) {
  for_each_query(1, 43, [&](const auto& query) {
    for (const double d : {5e-324, 1e160, 1.7e308}) {
      const Impact truth = TypeParam::oracle(query, {.min_separation = d});
      ASSERT_TRUE(same_times(truth, solve_one(TypeParam(), query, {.min_separation = d}))) << d;
    }
  });
}

TYPED_TEST(SeparationRoot, Promise3EqualsTheExactMethodAtDistanceZero) {
  const auto bits = [](double x) { return std::isnan(x) ? 0 : std::bit_cast<std::int64_t>(x); };
  for_each_query(scaled(100), 44, [&]<class Query>(const Query& query) {
    const Impact exact = first_contact(query);
    const Impact given = solve_one(TypeParam(), query, {});
    ASSERT_TRUE(same_times(exact, given) && exact.kind == given.kind);
    ASSERT_EQ(bits(exact.u), bits(given.u));
    ASSERT_EQ(bits(exact.v), bits(given.v));
    for (int k = 0; k < 3; ++k) ASSERT_EQ(bits(exact.normal[k]), bits(given.normal[k]));
  });
}

// The points that u and v give have, at toi, the reported distance up to rounding. It is at least d
// if the contact is not at the start, and equals d except for needles.
TYPED_TEST(SeparationRoot, Promise4GivesTheClosestPointsAndTheirDistance) {
  int checked = 0, accurate = 0;
  for_each_query(scaled(20), 45, [&]<class Query>(const Query& query) {
    if constexpr (std::is_same_v<Query, VertexFace> || std::is_same_v<Query, EdgeEdge>) {
      for (const double d : distances(query)) {
        const Impact impact = solve_one(TypeParam(), query, {.min_separation = d});
        if (impact.verdict != Verdict::contact) continue;
        const double t = impact.toi;
        std::array<Vec3, 4> x;
        double largest = 0;
        for (std::size_t i = 0; i < 4; ++i) {
          x[i] = (1 - t) * query.start[i] + t * query.end[i];
          largest =
              std::max({largest, test::Linf::size(query.start[i]), test::Linf::size(query.end[i])});
        }
        if (!(largest < 0x1p1000)) continue;
        const double u = impact.u, v = impact.v;
        const bool face = std::is_same_v<Query, VertexFace>;
        const Vec3 apart = face ? Vec3(x[0] - ((1 - u - v) * x[1] + u * x[2] + v * x[3]))
                                : Vec3(((1 - u) * x[0] + u * x[1]) - ((1 - v) * x[2] + v * x[3]));
        const ClosestPoints closest = TypeParam::closest(query, t);
        const double err = 1e-9 * d + 1e-13 * largest;
        ASSERT_NEAR(TypeParam::size(apart), closest.distance, err);
        ASSERT_NEAR(closest.normal.norm(), 1, 1e-12);
        if (t > 0) {
          ASSERT_GE(closest.distance, d - err) << test::corpus_text(query, impact);
          ++checked;
          accurate += closest.distance < d + err;
        }
      }
    }
  });
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(checked, 500);
  EXPECT_GT(accurate * 100, checked * 97);
}

// Promise (5); times do not depend on the order of the corners either.
TYPED_TEST(SeparationRoot, Promise5TimesDoNotDependOnNamesAxesAndUnits) {
  for_each_query(scaled(2), 46, [&]<class Query>(const Query& query) {
    for (const double d : distances(query)) {
      const Impact expected = solve_one(TypeParam(), query, {.min_separation = d});
      const auto expect_same = [&](const char* what, double factor, auto&& change) {
        Query changed = query;
        for (auto* side : {&changed.start, &changed.end}) change(*side);
        const Impact given = solve_one(TypeParam(), changed, {.min_separation = factor * d});
        ASSERT_TRUE(same_times(given, expected)) << what;
      };
      expect_same("axes", 1, [](auto& side) {
        for (Vec3& corner : side) corner = Vec3(corner[1], corner[2], corner[0]);
      });
      expect_same("mirror", 1, [](auto& side) {
        for (Vec3& corner : side) corner[2] = -corner[2];
      });
      const double extent = test::extent(test::as_four(query));
      if (extent > 0x1p-900 && extent < 0x1p900)
        expect_same("unit", 0x1p40, [](auto& side) {
          for (Vec3& corner : side) corner *= 0x1p40;
        });
      if constexpr (std::is_same_v<Query, EdgeEdge>) {
        expect_same("swapped edges", 1, [](auto& side) {
          std::swap(side[0], side[2]);
          std::swap(side[1], side[3]);
        });
        expect_same("turned edge", 1, [](auto& side) { std::swap(side[0], side[1]); });
      } else {
        expect_same("turned face", 1,
                    [](auto& side) { std::reverse(side.begin() + 1, side.end()); });
      }
    }
  });
}

template <class Query>
void expect_same_in_every_batch(auto norm) {
  std::vector<Query> queries;
  for (const generate::Family& family : generate::families())
    for (const auto& query : test::generated<Query>(family, 3, 47)) queries.push_back(query);
  for (const double d : {1e-3, 0.125, 4.0}) {
    const Options options{.min_separation = d};
    std::vector<Impact> together(queries.size());
    norm.solve(queries, options, together);
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const Impact alone = solve_one(norm, queries[i], options), &given = together[i];
      ASSERT_TRUE(same_times(alone, given) && alone.checks == given.checks);
      if (alone.verdict != Verdict::contact) continue;
      const ClosestPoints at = norm.closest(queries[i], alone.toi);
      ASSERT_TRUE(given.u == at.u && given.v == at.v && given.normal == at.normal);
    }
  }
}
// Promises (4) and (5).
TYPED_TEST(SeparationRoot, Promise5IsTheSameInEveryBatch) {
  expect_same_in_every_batch<VertexFace>(TypeParam());
  expect_same_in_every_batch<EdgeEdge>(TypeParam());
}

TYPED_TEST(SeparationRoot, ClosestPointsDoNotDependOnTheUnit) {
  const auto compare = [](const auto& query) {
    const ClosestPoints expected = TypeParam::closest(query, 0.375);
    for (int power = -980; power <= 980; power += 28) {
      auto changed = query;
      const double unit = std::ldexp(1, power);
      for (auto* side : {&changed.start, &changed.end})
        for (Vec3& corner : *side) corner *= unit;
      const ClosestPoints given = TypeParam::closest(changed, 0.375);
      ASSERT_EQ(given.u, expected.u) << power;
      ASSERT_EQ(given.v, expected.v) << power;
      ASSERT_EQ(given.distance, unit * expected.distance) << power;
      ASSERT_EQ(given.normal, expected.normal) << power;
    }
  };
  for (const auto& query : test::generated<VertexFace>(test::family("random"), 20)) compare(query);
  for (const auto& query : test::generated<EdgeEdge>(test::family("random"), 20)) compare(query);
}

TYPED_TEST(SeparationRoot, Promise6AnswersInvalidForUnusableInput) {
  const VertexFace good = test::generated<VertexFace>(test::family("random"), 1)[0];
  for (const double bad : {Impact::nan, Impact::inf}) {
    EXPECT_EQ(solve_one(TypeParam(), good, {.min_separation = bad}).verdict, Verdict::invalid);
    for (int k = 0; k < 24; ++k) {
      VertexFace query = good;
      query.start[0].data()[k] = bad;
      EXPECT_EQ(solve_one(TypeParam(), query, {.min_separation = 1}).verdict, Verdict::invalid);
    }
  }
  EXPECT_EQ(solve_one(TypeParam(), good, {.min_separation = -1}).verdict, Verdict::invalid);
  EXPECT_EQ(solve_one(TypeParam(), good, {.t_max = 2}).verdict, Verdict::invalid);
}

TYPED_TEST(SeparationRoot, IsMonotoneInTheDistance) {
  for_each_query(scaled(10), 48, [&](const auto& query) {
    Impact last = solve_one(TypeParam(), query, {});
    for (const double d : distances(query))
      for (const double next : {std::nextafter(d, 0), d}) {
        const Impact impact = solve_one(TypeParam(), query, {.min_separation = next});
        ASSERT_LE(impact.toi, last.toi);
        ASSERT_LE(impact.toi_hi, last.toi_hi);
        last = impact;
      }
  });
}

TYPED_TEST(SeparationRoot, IsInvalidInAnotherNorm) {
  const VertexFace query = test::generated<VertexFace>(test::family("random"), 1)[0];
  const Norm other = TypeParam::norm == Norm::l2 ? Norm::linf : Norm::l2;
  const auto verdict = [&](const Options& options) {
    return solve_one(TypeParam(), query, options).verdict;
  };
  EXPECT_EQ(verdict({.min_separation = 0.1, .norm = other}), Verdict::invalid);
  EXPECT_NE(verdict({.min_separation = 0.1, .norm = TypeParam::norm}), Verdict::invalid);
  EXPECT_NE(verdict({.min_separation = 0.1}), Verdict::invalid);
  EXPECT_NE(verdict({.norm = other}), Verdict::invalid);
}

template <class NormType>
class SeparationSteps : public testing::Test {};
TYPED_TEST_SUITE(SeparationSteps, Norms);

TYPED_TEST(SeparationSteps, Promise1NeverStopsAtTheStartUnlessThePrimitivesTouchThere) {
  int stopped = 0;
  for_each_query(scaled(4), 49, [&](const auto& query) {
    const bool touching = exact::oracle_l2(query, {.t_max = 5e-324}).toi == 0;
    for (const double limit : {1e-8, 1e-2, 1e300}) {
      const auto [impact, d] =
          separation_step(query, 0.9, {.min_separation = limit, .norm = TypeParam::norm});
      ASSERT_EQ(impact.toi == 0, touching);
      ASSERT_TRUE(d > 0 || touching || test::extent(test::as_four(query)) < 1e-300);
      stopped += impact.verdict == Verdict::contact;
    }
  });
  EXPECT_GT(stopped, 200);
}

TYPED_TEST(SeparationSteps, Promises2And3KeepTheRequestedFractionOfTheDistance) {
  int kept = 0;
  for (const auto& query : test::generated<EdgeEdge>(test::family("random"), scaled(2000), 50)) {
    const double start = TypeParam::closest(query, 0).distance, limit = 0.125;
    const auto [impact, d] =
        separation_step(query, 0.75, {.min_separation = limit, .norm = TypeParam::norm});
    if (start < 1e-6) continue;
    ASSERT_NEAR(d, std::min(limit, 0.75 * start), 1e-9 * limit);
    ASSERT_TRUE(same_times(impact, TypeParam::oracle(query, {.min_separation = d})));
    kept += impact.verdict == Verdict::contact && start < limit;
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(kept, 10);
}

TYPED_TEST(SeparationSteps, AnswerTheSameInBatches) {
  const auto queries = test::generated<VertexFace>(test::family("random"), 700, 51);
  const Options options{.min_separation = 0.125, .norm = TypeParam::norm};
  std::vector<SeparationStep> steps(queries.size());
  separation_step(queries, 0.75, steps, options, {.threads = 2});
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const SeparationStep alone = separation_step(queries[i], 0.75, options);
    ASSERT_TRUE(same_times(steps[i].impact, alone.impact));
    ASSERT_EQ(steps[i].distance, alone.distance);
  }
  const std::atomic<bool> stop = true;
  separation_step(queries, 0.75, steps, options, {.stop = &stop});
  for (const SeparationStep& step : steps) {
    ASSERT_EQ(step.impact.verdict, Verdict::undecided);
    ASSERT_EQ(step.impact.toi, 0);
    ASSERT_EQ(step.distance, 0);
  }
}

TEST(SeparationStep, IsInvalidForAFractionOutOfRange) {
  const auto query = test::generated<EdgeEdge>(test::family("random"), 1)[0];
  for (const double fraction : {0.0, 1.0, -1.0, Impact::nan}) {
    const auto [impact, d] = separation_step(query, fraction, {.min_separation = 0.1});
    EXPECT_EQ(impact.verdict, Verdict::invalid);
    EXPECT_TRUE(std::isnan(d));
  }
}

TEST(ClosestPoints, AreInvalidForInputThatIsNotFiniteAndForTimesOutOfTheStep) {
  EdgeEdge query = test::generated<EdgeEdge>(test::family("random"), 1)[0];
  EXPECT_GE(closest_points(query, 1).distance, 0);
  EXPECT_EQ(closest_points(query, 1, Norm::none).distance, closest_points(query, 1).distance);
  const auto is_invalid = [](const ClosestPoints& at) {
    return at.verdict == Verdict::invalid && std::isnan(at.distance) && std::isnan(at.u) &&
           std::isnan(at.v) && at.normal.array().isNaN().all();
  };
  for (const double t : {-1e-9, 1.1, Impact::nan})
    EXPECT_TRUE(is_invalid(closest_points(query, t))) << t;
  query.start[3][2] = Impact::inf;
  EXPECT_TRUE(is_invalid(closest_points(query, 0.5)));
}

}  // namespace
}  // namespace graze::narrow::separation_root_test
