// Tests the promises of exact_root.h, under their numbers, that the contract suite (verdicts,
// times, batches, threads, SIMD targets and floating-point modes over all families) does not cover.

#include "graze/narrow/contact/exact_root.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>
#include <time.h>

#include <array>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "graze/exact/judge/oracle.h"
#include "test/support/coplanarity.h"
#include "test/support/corpus.h"
#include "test/support/generated.h"
#include "test/support/scale.h"

namespace graze::narrow::exact_root_test {
namespace {

using test::generated;
using test::Rational;

template <class Query>
Impact exact(const Query& query, const Options& options = {}) {
  Impact impact;
  exact_root(std::span<const Query>(&query, 1), {options}, std::span<Impact>(&impact, 1));
  return impact;
}

template <class Query>
ExactTally tally_of(const std::vector<Query>& queries, const Options& options = {}) {
  std::vector<Impact> impacts(queries.size());
  ExactTally tally;
  exact_root(std::span<const Query>(queries), options, std::span<Impact>(impacts), tally);
  return tally;
}

double next(double x) {
  return std::nextafter(x, 2);
}

// Expects that toi and toi_hi are the tightest doubles around `time`.
void expect_tight(const Impact& impact, const Rational& time) {
  ASSERT_EQ(impact.verdict, Verdict::contact);
  EXPECT_LE(Rational(impact.toi), time);
  EXPECT_LE(time, Rational(impact.toi_hi));
  EXPECT_EQ(impact.toi_hi, time == Rational(impact.toi) ? impact.toi : next(impact.toi))
      << std::hexfloat << impact.toi;
}

// ---- (2) the tightest doubles ------------------------------------------------------------------

// Returns a vertex that falls from `start` through a tilted face at time start / (start - end).
VertexFace falling(double start, double end) {
  VertexFace query;
  query.start = {Vec3(0, 0, start), Vec3(-3, -2, 0), Vec3(4, -2, 0), Vec3(0, 5, 0)};
  query.end = query.start;
  query.end[0] = Vec3(0, 0, end);
  return query;
}

TEST(ExactRoot2, TimesAreTightFromTheSmallestDenormalToOne) {
  int checked = 0;
  for (int power = 0; power >= -1074; power -= power > -80 ? 1 : 7)
    for (const double mantissa : {1.0, 1.1, 1.9}) {
      const double start = std::ldexp(mantissa, power);
      if (start == 0) continue;
      for (const double end : {-1.0, -0.7, -3e10}) {
        SCOPED_TRACE(testing::Message() << std::hexfloat << start << ' ' << end);
        const Rational time = Rational(start) / (Rational(start) - Rational(end));
        expect_tight(exact(falling(start, end)), time);
        // The same seen from the end of the step.
        VertexFace reversed = falling(start, end);
        std::swap(reversed.start, reversed.end);
        expect_tight(exact(reversed), 1 - time);
        ++checked;
      }
    }
  EXPECT_GT(checked, 1000);
}

TEST(ExactRoot2, ATimeBelowTheSmallestDoubleIsBetweenZeroAndIt) {
  constexpr double least = std::numeric_limits<double>::denorm_min();
  const Impact impact = exact(falling(least, -1));
  EXPECT_EQ(impact.toi, 0);
  EXPECT_EQ(impact.toi_hi, least);
  EXPECT_EQ(exact(falling(least, -1), {.t_max = least}).verdict, Verdict::contact);
  EXPECT_EQ(exact(falling(3 * least, -1), {.t_max = least}).verdict, Verdict::separated);
}

// Returns a query with D = x(t)^2 - d^2, x from x0 to x1: contact where x = -d, before the double
// root at x = 0 that d = 0 would give, and none at x = d.
VertexFace two_roots(double x0, double x1, double d) {
  VertexFace query;
  query.start = {Vec3::Zero(), Vec3(x0, d, -1), Vec3(d, x0, -1), Vec3(0, 0, 1)};
  query.end = {Vec3::Zero(), Vec3(x1, d, -1), Vec3(d, x1, -1), Vec3(0, 0, 1)};
  return query;
}

TEST(ExactRoot2, NearDoubleRootsAreTight) {
  for (const auto& [x0, x1] : {std::array{-1.0, 1.0}, {-1.5, 1.5}, {-1.0, 2.0}, {-0.3, 0.9}})
    for (int power = 0; power >= -1060; power -= power > -120 ? 1 : 20) {
      const double d = std::ldexp(0.25, power);
      SCOPED_TRACE(testing::Message() << x0 << ' ' << x1 << " 2^" << power);
      const Rational time = (-Rational(d) - Rational(x0)) / (Rational(x1) - Rational(x0));
      expect_tight(exact(two_roots(x0, x1, d)), time);
      // From the other side the first of the two roots is no contact, the second is.
      expect_tight(exact(two_roots(x0, x1, -d)),
                   (Rational(d) - Rational(x0)) / (Rational(x1) - Rational(x0)));
    }
}

// The exact cubic changes its sign between toi and toi_hi, or vanishes at both: an argument
// without the oracle.
TEST(ExactRoot2, TheCubicChangesItsSignBetweenTheTimes) {
  int changes = 0;
  for (const generate::Family& family : generate::families())
    for (const VertexFace& query : generated<VertexFace>(family, test::scaled(40), 31)) {
      const Impact impact = exact(query);
      if (impact.verdict != Verdict::contact || impact.kind != ContactKind::interior) continue;
      const test::Cubic d = test::coplanarity(query);
      const auto at = [&](const Rational& t) {
        return Rational(((d[3] * t + d[2]) * t + d[1]) * t + d[0]);
      };
      const Rational lo = at(Rational(impact.toi)), hi = at(Rational(impact.toi_hi));
      if (impact.toi == impact.toi_hi) {
        EXPECT_EQ(lo, 0) << test::corpus_text(query, impact);
      } else if (lo.sign() != hi.sign()) {
        EXPECT_EQ(lo.sign() * hi.sign(), -1) << test::corpus_text(query, impact);
        ++changes;
      } else {  // two roots, or a double one, between neighbouring doubles
        const auto slope = [&](const Rational& t) {
          return Rational((3 * d[3] * t + 2 * d[2]) * t + d[1]);
        };
        EXPECT_LE(slope(Rational(impact.toi)).sign() * slope(Rational(impact.toi_hi)).sign(), 0)
            << test::corpus_text(query, impact);
      }
    }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(changes, 100);
}

// ---- (4) the arguments alone -------------------------------------------------------------------

// The contract suite compares the answers on every target; this test compares the stages.
TEST(ExactRoot4, EveryInstructionSetSettlesTheSameQueriesInTheSameStage) {
  std::vector<EdgeEdge> queries;
  for (const generate::Family& family : generate::families())
    for (const EdgeEdge& query : generated<EdgeEdge>(family, 40, 32)) queries.push_back(query);
  const auto counts = [&] {
    const ExactTally t = tally_of(queries);
    EXPECT_EQ(t.total(), queries.size());
    return std::array{t.axis,         t.diagonal, t.coplanarity, t.root_miss,
                      t.root_contact, t.integer,  t.invalid,     t.rounded_by_integers};
  };
  const auto expected = counts();
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    EXPECT_EQ(counts(), expected) << hwy::TargetName(target);
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

#if defined(__x86_64__)
TEST(ExactRoot4, OptionsAreReadInTheStandardEnvironment) {
  constexpr double least = std::numeric_limits<double>::denorm_min();
  constexpr unsigned standard = 0x1f80, denormals_are_zero = 0x40;
  _mm_setcsr(standard | denormals_are_zero);
  const Impact short_step = exact(falling(least, -1), {.t_max = least});
  const Impact distant = exact(falling(1, -1), {.min_separation = least});
  _mm_setcsr(standard);
  EXPECT_EQ(short_step.verdict, Verdict::contact);
  EXPECT_EQ(distant.verdict, Verdict::invalid);
}
#endif

// ---- (5) bounded work --------------------------------------------------------------------------

#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__)
constexpr double patience = 1;
#else
constexpr double patience = 30;  // a build for finding faults
#endif

template <class Query>
double milliseconds(const Query& query) {
  const auto now = [] {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
  };
  double least = Impact::inf;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const double begin = now();
    exact(query);
    least = std::min(least, now() - begin);
  }
  return least;
}

// Magnitudes within a factor 2^60 of each other, and any.
TEST(ExactRoot5, TheSlowestQueryOfAllFamiliesIsFast) {
  double slowest[2] = {0, 0};
  const auto measure = [&](const auto& queries) {
    for (const auto& query : queries) {
      double least = Impact::inf, most = 0;
      for (const auto& side : {query.start, query.end})
        for (const Vec3& corner : side)
          for (const double x : corner) {
            most = std::max(most, std::abs(x));
            if (x != 0) least = std::min(least, std::abs(x));
          }
      double& slow = slowest[most > std::ldexp(least, 60)];
      slow = std::max(slow, milliseconds(query));
    }
  };
  for (const generate::Family& family : generate::families()) {
    measure(generated<VertexFace>(family, test::scaled(60), 33));
    measure(generated<EdgeEdge>(family, test::scaled(60), 33));
  }
  RecordProperty("slowest_us_within_2_60", std::to_string(1e3 * slowest[0]));
  RecordProperty("slowest_us_of_all", std::to_string(1e3 * slowest[1]));
  EXPECT_LT(slowest[0], 1 * patience);
  EXPECT_LT(slowest[1], 50 * patience);
}

// Roots as close together and coordinates as long as doubles allow.
TEST(ExactRoot5, TheWorstKnownQueriesStayBounded) {
  double slowest = 0;
  for (const double d : {0x1p-1074, 0x1p-600, 0x1p-300})
    for (const double x : {1.0, 0x1p300, 0x1p900}) {
      slowest = std::max(slowest, milliseconds(two_roots(-x, 2 * x, d)));
      VertexFace query = two_roots(-1.1 * x, 2.3 * x, d);
      query.start[1] += Vec3(0, 0, 0x1p-1074);
      query.end[2] -= Vec3(0x1p-1070, 0, 0);
      slowest = std::max(slowest, milliseconds(query));
    }
  RecordProperty("slowest_us", std::to_string(1e3 * slowest));
  EXPECT_LT(slowest, 100 * patience);
}

// ---- which stage settles what ------------------------------------------------------------------

struct Share {
  std::string_view family;
  double most_integer;  // of all queries
  double least_early;   // settled without a root: axis, diagonal, coplanarity
};

// The limits are generous, so that the test fails only if a stage settles far less than before.
TEST(ExactRootStages, SettleTheirShareOfEveryGenericFamily) {
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  for (const Share& share : {Share{"random", 0.001, 0.30}, Share{"simulation_like", 0.01, 0.25},
                             Share{"offset_1e6", 0.05, 0.0}, Share{"lattice4", 0.10, 0.30}}) {
    SCOPED_TRACE(std::string(share.family));
    test::both(share.family, test::scaled(20000), [&](const auto& queries) {
      const ExactTally tally = tally_of(queries);
      const auto count = static_cast<double>(queries.size());
      EXPECT_EQ(tally.total(), queries.size());
      EXPECT_LE(static_cast<double>(tally.integer) / count, share.most_integer);
      EXPECT_GE(static_cast<double>(tally.axis + tally.diagonal + tally.coplanarity) / count,
                share.least_early);
    });
  }
}

TEST(ExactRootStages, EachSettlesSomething) {
  test::both("random", 20000, [&](const auto& queries) {
    const ExactTally tally = tally_of(queries);
    for (const auto count :
         {tally.axis, tally.diagonal, tally.coplanarity, tally.root_miss, tally.root_contact})
      EXPECT_GT(count, queries.size() / 100);
  });
  test::both("lattice_contact", 2000, [&](const auto& queries) {
    const ExactTally tally = tally_of(queries);
    EXPECT_GT(tally.integer, queries.size() / 10);
    EXPECT_GT(tally.rounded_by_integers, 0u);
    EXPECT_LE(tally.rounded_by_integers, tally.root_contact);
  });
}

TEST(ExactRootStages, CountEveryQueryOnceAlsoInvalidOnes) {
  test::both("random", 100, [&](auto queries) {
    queries[17].end[2][1] = Impact::nan;
    queries[40].start[0][0] = -Impact::inf;
    EXPECT_EQ(tally_of(queries).invalid, 2u);
    EXPECT_EQ(tally_of(queries).total(), 100u);
    EXPECT_EQ(tally_of(queries, {.t_max = 2}).invalid, 100u);
    EXPECT_EQ(tally_of(queries, {.t_max = 1e-3}).total(), 100u);
  });
}

}  // namespace
}  // namespace graze::narrow::exact_root_test
