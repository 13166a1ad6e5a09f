#include "graze/narrow/contact/tight_inclusion.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>
#include <sys/resource.h>

#include <cfenv>
#include <cmath>
#include <random>

#include "graze/exact/judge/oracle.h"
#include "graze/first_contact.h"
#include "graze/generate/families.h"
#include "test/support/generated.h"
#include "test/support/hash.h"
#include "test/support/inclusion_tally.h"
#include "test/support/scale.h"

namespace graze::narrow::tight_inclusion_test {
namespace {

using test::exact_f;
using test::expect_kept;
using test::generated;
using test::judge;
using test::Rational;
using test::scaled;
using test::Tally;

template <class Query>
Impact solve(const Query& query, const Options& options = {}) {
  return test::solve_tightly(query, options);
}

template <class Query>
auto maker(const generate::Family& family) {
  if constexpr (std::is_same_v<Query, VertexFace>)
    return family.vertex_face;
  else
    return family.edge_edge;
}

template <class Query>
void judge_family(const generate::Family& family, std::size_t count, const Options& options,
                  Tally& tally) {
  Options truth_options;
  truth_options.t_max = options.t_max;
  for (std::size_t i = 0; i < count; ++i) {
    const Query query = maker<Query>(family)(2021, i);
    judge(query, options, solve(query, options), exact::oracle(query, truth_options), tally);
  }
}

TEST(TightInclusion, Promises1And2HoldOnRandomQueries) {
  Tally tally;
  judge_family<VertexFace>(test::family("random"), scaled(20000), {}, tally);
  judge_family<EdgeEdge>(test::family("random"), scaled(20000), {}, tally);
  test::print("random", tally);
  expect_kept(tally);
  EXPECT_EQ(tally.undecided, 0u);
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(tally.contacts, tally.queries / 20);
}

TEST(TightInclusion, Promises1And2HoldOnEveryFamily) {
  Options options;
  options.max_checks = 20000;
  Tally all;
  for (const generate::Family& family : generate::families()) {
    SCOPED_TRACE(std::string(family.name));
    if (!family.degenerate) continue;
    Tally tally;
    judge_family<VertexFace>(family, scaled(60), options, tally);
    judge_family<EdgeEdge>(family, scaled(60), options, tally);
    test::print(std::string(family.name).c_str(), tally);
    expect_kept(tally);
    all.queries += tally.queries;
    all.contacts += tally.contacts;
    all.undecided += tally.undecided;
    all.false_positives += tally.false_positives;
    all.false_negatives += tally.false_negatives;
    all.late += tally.late;
  }
  test::print("degenerate families together", all);
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(all.contacts, all.queries / 4);
}

TEST(TightInclusion, Promise1HoldsWithHundredChecks) {
  Options options;
  options.max_checks = 100;
  Tally tally;
  for (const generate::Family& family : generate::families()) {
    judge_family<VertexFace>(family, scaled(60), options, tally);
    judge_family<EdgeEdge>(family, scaled(60), options, tally);
  }
  test::print("100 checks", tally);
  expect_kept(tally);
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(tally.undecided, 0u);
}

TEST(TightInclusion, Promises1And2HoldUntilAnyTime) {
  std::mt19937_64 random(7);
  Tally tally;
  for (const generate::Family& family : generate::families()) {
    for (const double exponent : {0.0, -0.5, -3.0, -40.0, -1020.0}) {
      Options options;
      options.max_checks = 5000;
      options.t_max = std::uniform_real_distribution(0.5, 1.0)(random) * std::exp2(exponent);
      judge_family<VertexFace>(family, scaled(6), options, tally);
      judge_family<EdgeEdge>(family, scaled(6), options, tally);
    }
  }
  test::print("random t_max", tally);
  expect_kept(tally);
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(tally.contacts, 0u);
  Options options;
  options.t_max = 5e-324;
  for (const generate::Family& family : generate::families())
    judge_family<EdgeEdge>(family, 3, options, tally);
  expect_kept(tally);
}

std::uint64_t hash_of(const std::vector<Impact>& impacts) {
  test::Hash hash;
  for (const Impact& impact : impacts) {
    hash.add(static_cast<std::uint64_t>(impact.verdict));
    hash.add(impact.toi);
    hash.add(impact.u);
    hash.add(impact.v);
    hash.add(std::uint64_t{impact.checks});
  }
  return hash.value();
}

template <class Query>
std::uint64_t hash_of_answers() {
  Options options;
  options.max_checks = 3000;
  std::vector<Query> queries;
  for (const generate::Family& family : generate::families())
    for (const Query& query : generated<Query>(family, 20)) queries.push_back(query);
  std::vector<Impact> impacts(queries.size());
  tight_inclusion(queries, {options}, impacts);
  for (std::size_t i = 0; i < queries.size(); i += 13)
    EXPECT_EQ(hash_of({impacts[i]}), hash_of({solve(queries[i], options)}));
  return hash_of(impacts);
}

TEST(TightInclusion, Promise3TheAnswerIsTheSameInEveryBatchAndForEveryInstructionSet) {
  const auto vertex_face = hash_of_answers<VertexFace>();
  const auto edge_edge = hash_of_answers<EdgeEdge>();
  int sets = 0;
  for (std::int64_t left = hwy::SupportedTargets(); left != 0; left &= left - 1) {
    hwy::SetSupportedTargetsForTest(left & -left);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    EXPECT_EQ(hash_of_answers<VertexFace>(), vertex_face) << hwy::TargetName(left & -left);
    EXPECT_EQ(hash_of_answers<EdgeEdge>(), edge_edge) << hwy::TargetName(left & -left);
    ++sets;
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  EXPECT_GT(sets, 1);
}

TEST(TightInclusion, TheRoundingModeOfTheHostChangesNothing) {
  const auto queries = generated<EdgeEdge>(test::family("near_ulp"), 200);
  std::vector<Impact> expected(queries.size()), impacts(queries.size());
  tight_inclusion(queries, {}, expected);
  const Vec3 err = tight_inclusion_err(queries[0], 0.1);
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    std::fesetround(mode);
    tight_inclusion(queries, {}, impacts);
    const Vec3 other_err = tight_inclusion_err(queries[0], 0.1);
    const bool restored = std::fegetround() == mode;
    std::fesetround(FE_TONEAREST);
    EXPECT_TRUE(restored);
    EXPECT_EQ(other_err, err);
    EXPECT_EQ(hash_of(impacts), hash_of(expected));
  }
}

// The answer must not lie after any box that is given up: with coordinates so different in size,
// boxes reach the finest width at several times.
TEST(TightInclusion, GivesUpAtTheEarliestOfSeveralTimes) {
  Tally tally;
  Options options;
  options.max_checks = 20000;
  judge_family<VertexFace>(test::family("mixed_magnitudes"), scaled(2000), options, tally);
  judge_family<EdgeEdge>(test::family("mixed_magnitudes"), scaled(2000), options, tally);
  expect_kept(tally);
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(tally.undecided, tally.queries / 10);
}

// Returns parallel edges in one plane that stay a little farther apart than the tolerance and are
// oblique to the axes: no box can be dropped before it is as small as the gap.
EdgeEdge grazing(double gap) {
  const Vec3 along(1, 1, 1), apart(gap, -gap, 0);
  EdgeEdge query{{0.1 * along, 1.1 * along, apart, along + apart}, {}};
  for (std::size_t i = 0; i < 4; ++i) query.end[i] = query.start[i] + (i < 2 ? 1 : 2) * along;
  return query;
}

TEST(TightInclusion, Promise4MemoryIsBoundedWhateverTheBudget) {
  const auto peak_kb = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  };
  Options options;
  options.distance_tol = 1e-12;
  options.max_checks = 30'000'000;
  solve(grazing(1e-9), {});
  const auto before = peak_kb();
  const Impact impact = solve(grazing(1e-9), options);
  EXPECT_LE(peak_kb() - before, 1000);
  EXPECT_GT(impact.checks, 25'000'000u);
  EXPECT_EQ(impact.verdict, Verdict::undecided);
}

// Returns a vertex `gap` above a face, which moves down.
VertexFace hovering(double gap) {
  return {{Vec3(0.25, 0.25, gap), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)},
          {Vec3(0.25, 0.25, gap - 1), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)}};
}

TEST(TightInclusion, RefinesUntilTheTimeIsPositiveOnRequest) {
  Options positive;
  positive.no_zero_toi = true;
  for (const double gap : {1e-7, 1e-9, 1e-12, 1e-14}) {
    EXPECT_EQ(solve(hovering(gap)).toi, 0) << gap;
    const Impact impact = solve(hovering(gap), positive);
    EXPECT_EQ(impact.verdict, Verdict::contact);
    EXPECT_GT(impact.toi, 0) << gap;
    EXPECT_LE(impact.toi, exact::oracle(hovering(gap)).toi);
  }
  positive.min_separation = 1e-3;
  const Impact impact = solve(hovering(1e-3 + 1e-9), positive);
  EXPECT_GT(impact.toi, 0);
  EXPECT_LT(impact.toi, 1e-9);
}

TEST(TightInclusion, Promise5ZeroTimeOnRequestMeansContactAtTheStartUpToRounding) {
  Options options;
  options.no_zero_toi = true;
  options.max_checks = 20000;
  Tally tally;
  std::size_t at_start = 0;
  for (const generate::Family& family : generate::families())
    for (const EdgeEdge& query : generated<EdgeEdge>(family, scaled(40))) {
      const Impact impact = solve(query, options);
      judge(query, options, impact, exact::oracle(query), tally);
      if (impact.verdict != Verdict::contact || impact.toi > 0) continue;
      ++at_start;
      for (int k = 0; k < 3; ++k)
        EXPECT_LE(abs(exact_f(query, impact, k)), 2 * Rational(tight_inclusion_err(query, 0)[k]));
    }
  expect_kept(tally);
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(at_start, 0u);
}

TEST(TightInclusion, TouchingAtTheStartIsContactAtTimeZero) {
  for (const double s : {0.0, 0.5}) {
    Options options;
    options.min_separation = s;
    for (const bool no_zero_toi : {false, true}) {
      options.no_zero_toi = no_zero_toi;
      EXPECT_EQ(solve(hovering(s), options).verdict, Verdict::contact);
      EXPECT_EQ(solve(hovering(s), options).toi, 0);
    }
  }
}

// If the primitives touch after one of them is shifted by less than d in every coordinate, their
// distance is below d in the maximum norm: no answer may be later.
template <class Query>
void judge_separation(double d, std::size_t count, Tally& tally) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> offset(-0.999 * d, 0.999 * d);
  Options options;
  options.min_separation = d;
  for (std::size_t i = 0; i < count; ++i) {
    const Query query = maker<Query>(test::family("random"))(5, i);
    const Impact impact = solve(query, options);
    Impact truth = exact::oracle(query);
    for (int repeat = 0; repeat < 4; ++repeat) {
      Query moved = query;
      const Vec3 step(offset(random), offset(random), offset(random));
      for (std::size_t corner = 0; corner < (std::is_same_v<Query, VertexFace> ? 1 : 2); ++corner) {
        moved.start[corner] += step;
        moved.end[corner] += step;
      }
      const Impact other = exact::oracle(moved);
      if (other.toi < truth.toi) truth = other;
    }
    judge(query, options, impact, truth, tally);
  }
}

TEST(TightInclusion, Promises1And2HoldWithASeparation) {
  for (const double d : {1e-1, 1e-3, 1e-8}) {
    Tally tally;
    judge_separation<VertexFace>(d, scaled(400), tally);
    judge_separation<EdgeEdge>(d, scaled(400), tally);
    expect_kept(tally);
    if (test::scale() < 1) continue;  // few queries need not meet every case
    EXPECT_GT(tally.contacts, tally.queries / 20);
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
}

TEST(TightInclusion, AWiderSeparationIsReachedNoLater) {
  std::size_t compared = 0;
  for (const EdgeEdge& query : generated<EdgeEdge>(test::family("random"), 300)) {
    double toi = Impact::inf;
    for (const double d : {0.0, 1e-300, 1e-9, 1e-4, 1e-2, 0.1, 1.0}) {
      Options options;
      options.min_separation = d;
      const Impact impact = solve(query, options);
      if (impact.verdict == Verdict::undecided) continue;
      EXPECT_LE(impact.toi, toi);
      toi = impact.toi;
      ++compared;
    }
  }
  EXPECT_GT(compared, 1500u);
}

TEST(TightInclusion, OffsetsDoNotLoosenTheRoundingBound) {
  VertexFace query = hovering(0.5), far = query;
  for (auto* corners : {&far.start, &far.end})
    for (Vec3& corner : *corners) corner += Vec3::Constant(0x1p40);
  EXPECT_EQ(tight_inclusion_err(query, 0), tight_inclusion_err(far, 0));
  EXPECT_EQ(solve(query).toi, solve(far).toi);
}

TEST(TightInclusion, AnswersExtremeInput) {
  constexpr double largest = 1.7976931348623157e308;
  for (const double size : {5e-324, 1e-310, 1e-300, 1e300, 1e306, largest / 2, largest}) {
    VertexFace hit = hovering(0.25), miss = hovering(0.25);
    for (auto* corners : {&hit.start, &hit.end, &miss.start, &miss.end})
      for (Vec3& corner : *corners) corner *= size;
    miss.start[0] = miss.end[0] = Vec3(0, 0, size);
    for (const auto& query : {hit, miss}) {
      Tally tally;
      judge(query, {}, solve(query), exact::oracle(query), tally);
      expect_kept(tally);
    }
    if (size > 1e-6 && size < 1e305) {
      EXPECT_EQ(solve(miss).verdict, Verdict::separated) << size;
    }
  }
}

TEST(TightInclusion, AnswersInvalidForNonsensicalInput) {
  VertexFace query = hovering(0.5);
  query.end[2][1] = Impact::nan;
  EXPECT_EQ(solve(query).verdict, Verdict::invalid);
  query.end[2][1] = -Impact::inf;
  EXPECT_EQ(solve(query).verdict, Verdict::invalid);
  Options options;
  options.t_max = 1.5;
  EXPECT_EQ(solve(hovering(0.5), options).verdict, Verdict::invalid);
}

TEST(TightInclusion, IsARowOfTheTable) {
  const Method* method = find_method("tight_inclusion");
  ASSERT_NE(method, nullptr);
  EXPECT_EQ(method->guarantee, Guarantee::conservative);
  EXPECT_EQ(method->norm, Norm::linf);
  EXPECT_EQ(first_contact(hovering(0.5), {}, *method).verdict, Verdict::contact);
}

// Promise (6).

TEST(TightInclusion, Promise6ReachesTheRequestedTolerance) {
  for (const double tol : {1e-2, 1e-6, 1e-10}) {
    const Impact impact = solve(hovering(0.3), {.distance_tol = tol});
    ASSERT_EQ(impact.verdict, Verdict::contact);
    EXPECT_LT(impact.reached_tol, tol * (1 + 0x1p-5));
    EXPECT_GT(impact.reached_tol, tol / 16);
  }
}

TEST(TightInclusion, Promise6ReportsTheToleranceAtWhichTheBudgetEnded) {
  double last = Impact::inf;
  for (const std::uint32_t budget : {1u, 10u, 100u, 1000u, 10000u}) {
    const Impact impact = solve(grazing(1e-9), {.distance_tol = 1e-12, .max_checks = budget});
    ASSERT_EQ(impact.verdict, Verdict::undecided) << budget;
    EXPECT_LE(impact.reached_tol, last) << budget;
    EXPECT_GT(impact.reached_tol, 1e-12) << budget;
    last = impact.reached_tol;
  }
  EXPECT_LT(last, 1e-3);
  EXPECT_EQ(solve(grazing(1e-9), {.distance_tol = 2 * last}).verdict, Verdict::contact);
}

TEST(TightInclusion, Promise6IsZeroForAMissAndInfiniteWhereNothingIsRefined) {
  EXPECT_EQ(solve(hovering(0.5), {.t_max = 0.25}).reached_tol, 0);
  VertexFace wide = hovering(0.5);
  wide.start[1][0] = -1e308;
  wide.start[2][0] = 1e308;
  EXPECT_EQ(solve(wide).verdict, Verdict::undecided);
  EXPECT_EQ(solve(wide).reached_tol, Impact::inf);
}

TEST(ReachedTolerance, IsNaNForMethodsThatDoNotRefineInSpace) {
  for (const Method& method : methods())
    if (method.guarantee == Guarantee::exact) {
      EXPECT_TRUE(std::isnan(first_contact(hovering(0.5), {}, method).reached_tol)) << method.name;
    }
}

}  // namespace
}  // namespace graze::narrow::tight_inclusion_test
