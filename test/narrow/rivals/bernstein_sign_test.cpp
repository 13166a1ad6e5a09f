#include "graze/narrow/rivals/bernstein_sign.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>

#include "graze/exact/judge/coplanarity.h"
#include "graze/narrow/rivals/bounded_query.h"
#include "test/support/scale.h"
#include "test/support/workload.h"

namespace graze::narrow::bernstein_sign_test {
namespace {

const Method& method() {
  return *find_method("bernstein_sign");
}

VertexFace corpus(const std::string& name) {
  for (const auto& entry : test::read_corpus())
    if (entry.name == name) return std::get<VertexFace>(entry.query);
  throw std::runtime_error("no corpus entry " + name);
}

template <class Query>
Verdict original(const Query& query) {
  return bernstein_sign(query, {}, BernsteinReading::original).verdict;
}
template <class Query>
Verdict published(const Query& query) {
  return first_contact(query, {}, *find_method("bernstein_sign_published")).verdict;
}

TEST(BernsteinSign, Promises1And2HoldOnEveryFamily) {
  for (const generate::Family& family : generate::families())
    for (const double t_max : {1.0, 0.75, 0.3, 1e-9}) {
      SCOPED_TRACE(std::string(family.name));
      test::for_each_primitive(method(), [&]<class Query>(Query) {
        test::Workload<Query> work;
        work.add(test::generated<Query>(family, test::scaled(60), 22));
        test::expect_promises(method(), {.t_max = t_max}, work);
      });
    }
}

// The public code leaves the rounding mode as its last query set it, and its answers depend on it.
TEST(BernsteinSign, Promise3GivesTheSameAnswersInEveryOrderAndRoundingMode) {
  test::both("touching", 200, []<class Query>(std::vector<Query> queries) {
    const auto expected = test::answers(method(), queries);
    std::reverse(queries.begin(), queries.end());
    std::fesetround(FE_UPWARD);
    const auto given = test::answers(method(), queries);
    EXPECT_EQ(std::fegetround(), FE_UPWARD);
    std::fesetround(FE_TONEAREST);
    for (std::size_t i = 0; i < queries.size(); ++i)
      EXPECT_EQ(given[queries.size() - 1 - i].verdict, expected[i].verdict);
  });
}

// Returns whether the second differences of the cubic differ in sign, if doubles can decide it.
template <class Query>
bool has_inflection(const Query& query) {
  const auto y = bernstein::BoundedQuery<Query>(query).coplanarity();
  const auto first = y[0] - times(y[1], 2) + y[2], last = y[1] - times(y[2], 2) + y[3];
  return first.sign() * last.sign() < 0;
}

TEST(BernsteinSign, Promise4ErrsInGeneralPositionOnlyAtInflections) {
  for (const char* family : {"random", "simulation_like"}) {
    int queries = 0, false_positives = 0;
    test::both_each(family, test::scaled(5000), [&](const auto& query) {
      ++queries;
      if (first_contact(query, {}, method()).verdict == Verdict::separated) return;
      if (exact::oracle(query).verdict == Verdict::contact) return;
      ++false_positives;
      EXPECT_TRUE(has_inflection(query));
    });
    // A third of random queries: an inflection alone, without any root near it, is enough.
    if (std::string_view(family) == "random" && test::scale() >= 1) {
      EXPECT_NEAR(false_positives, 0.34 * queries, 0.03 * queries);
    }
  }
}

TEST(BernsteinSign, HasTheCubicOfAppendixCWithItsErrata) {
  const auto y =
      bernstein::BoundedQuery<VertexFace>(corpus("wang2021_appendix_c_inflection")).coplanarity();
  const double expected[] = {3, -35.0 / 3, 41.0 / 3, 7};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(y[i].value / y[0].value, expected[i] / 3, 1e-14);
}

// Coefficients 3, -35/3, 41/3, 7 with an inflection at 5/9: the ends have one sign and so have the
// slopes at the ends, from which the published method concludes that there is no root. There are
// two; nothing touches at them, so it is right by luck, and the repair errs on the safe side.
TEST(BernsteinSign, OverlooksTheRootsOfAppendixCUnlessRepaired) {
  const auto query = corpus("wang2021_appendix_c_inflection");
  const auto y = bernstein::BoundedQuery<VertexFace>(query).coplanarity();
  const bernstein::Curve<bernstein::Bounded> curve{y, bernstein::differences(y), 0};
  EXPECT_GT(y[0].value * y[3].value, 0);
  EXPECT_LT(curve.value_at({0.8, 0}, {0.2, 0}).value * y[0].value, 0);  // at t = 1/5
  EXPECT_EQ(original(query), Verdict::separated);
  EXPECT_EQ(published(query), Verdict::contact);
  EXPECT_EQ(bernstein_sign(query).verdict, Verdict::contact);
}

TEST(BernsteinSign, MissesAContactBehindAnInflectionUnlessRepaired) {
  const auto query = corpus("vf_contact_behind_an_inflection");
  EXPECT_TRUE(has_inflection(query));
  EXPECT_EQ(original(query), Verdict::separated);
  EXPECT_EQ(published(query), Verdict::contact);
  EXPECT_EQ(bernstein_sign(query).verdict, Verdict::contact);
}

// The second query of Appendix C, which its authors could not explain: all coefficients of the
// cubic are zero, so the signs at the ends do not differ and the published method finds no root.
TEST(BernsteinSign, MissesMotionInOnePlaneUnlessRepaired) {
  const auto query = corpus("wang2021_appendix_c_missed");
  EXPECT_TRUE(exact::always_coplanar(query));
  EXPECT_EQ(original(query), Verdict::separated);
  EXPECT_EQ(published(query), Verdict::separated);
  EXPECT_EQ(bernstein_sign(query).verdict, Verdict::contact);
}

TEST(BernsteinSign, MissesOneRandomContactInEightUnlessRepaired) {
  int contacts = 0, missed = 0;
  test::both_each("random", test::scaled(5000), [&](const auto& query) {
    if (exact::oracle(query).verdict != Verdict::contact) return;
    ++contacts;
    missed += original(query) == Verdict::separated;
    EXPECT_EQ(published(query), Verdict::contact);
  });
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(missed, contacts / 10);
  EXPECT_LT(missed, contacts / 6);
}

// Integers decide an exact touch, and distinguish it from a gap of one denormal.
TEST(BernsteinSign, DistinguishesATouchFromAGapOfOneDenormal) {
  VertexFace query{{Vec3(0.25, 0.25, 1), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)},
                   {Vec3(0.25, 0.25, 0), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)}};
  EXPECT_EQ(bernstein_sign(query).verdict, Verdict::contact);
  query.end[0][2] = 5e-324;
  EXPECT_EQ(bernstein_sign(query).verdict, Verdict::separated);
}

TEST(BernsteinSign, AnswersInvalidForInvalidInput) {
  auto query = corpus("wang2021_appendix_c_missed");
  EXPECT_EQ(bernstein_sign(query, {.min_separation = 1}).verdict, Verdict::invalid);
  query.start[1][2] = Impact::nan;
  EXPECT_EQ(bernstein_sign(query).verdict, Verdict::invalid);
}

}  // namespace
}  // namespace graze::narrow::bernstein_sign_test
