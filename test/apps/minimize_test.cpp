#include "queries/minimize.h"

#include <gtest/gtest.h>

#include <cmath>

#include "graze/exact/judge/oracle.h"
#include "graze/io/queries/corpus_file.h"
#include "queries/shrink.h"
#include "test/support/generated.h"

namespace graze::queries::minimize_test {
namespace {

bool touches(const auto& query) {
  return exact::oracle(query).verdict == Verdict::contact;
}

// Promises (1), (2), (3): the simplest query that touches has coinciding points only.
TEST(Minimize, FindsTheOriginWhereAnyContactFails) {
  int shrunk = 0;
  test::both_each("random", 300, [&]<class Query>(const Query& query) {
    if (!touches(query)) return;
    const auto result = queries::minimize<Query>(query, [](const Query& q) { return touches(q); });
    EXPECT_EQ(queries::complexity(result.query), 0u);
    EXPECT_TRUE(result.finished);
    ++shrunk;
  });
  EXPECT_GT(shrunk, 20);
}

// A contact strictly inside the step, of a face with area: not all coordinates can be zero.
TEST(Minimize, KeepsTheFailureAndIsNeverMoreComplex) {
  int simpler = 0;
  for (const char* family : {"near_ulp", "huge_1e300", "denormal", "offset_1e9"})
    test::both_each(family, 10, [&]<class Query>(const Query& query) {
      const auto fails = [](const Query& q) {
        const Impact truth = exact::oracle(q);
        return truth.verdict == Verdict::contact && truth.toi > 0.25 && truth.toi_hi < 0.5;
      };
      if (!fails(query)) return;
      const auto result = queries::minimize<Query>(query, fails);
      EXPECT_TRUE(fails(result.query));
      EXPECT_LE(queries::complexity(result.query), complexity(query));
      EXPECT_LE(queries::complexity(result.query), 100u) << io::corpus_text(result.query, {});
      simpler += queries::complexity(result.query) < complexity(query);
    });
  EXPECT_GT(simpler, 5);
}

TEST(Minimize, IsAFixpoint) {
  const auto query = test::generated<VertexFace>(test::family("random"), 1)[0];
  const auto fails = [](const VertexFace& q) {
    return (q.end[0] - q.start[0]).squaredNorm() > 0.1 && q.start[1].x() != q.start[2].x();
  };
  ASSERT_TRUE(fails(query));
  const auto once = queries::minimize<VertexFace>(query, fails);
  const auto twice = minimize<VertexFace>(once.query, fails);
  EXPECT_EQ(once.query.start, twice.query.start);
  EXPECT_EQ(once.query.end, twice.query.end);
  EXPECT_EQ(queries::complexity(once.query), complexity(twice.query));
}

TEST(Minimize, StopsAtItsLimitsAndReportsThem) {
  const auto query = test::generated<VertexFace>(test::family("random"), 1)[0];
  std::size_t calls = 0;
  const auto result = queries::minimize<VertexFace>(
      query, [&](const VertexFace&) { return ++calls, false; }, {.tries = 10, .seconds = 60});
  EXPECT_EQ(calls, 10u);
  EXPECT_EQ(result.tries, 10u);
  EXPECT_FALSE(result.finished);
  EXPECT_EQ(result.query.start, query.start);
}

TEST(Complexity, CountsTheVisibleCharacters) {
  const auto of = [](double x) {
    VertexFace query;
    for (auto* side : {&query.start, &query.end}) side->fill(Vec3::Zero());
    query.start[2].y() = query.end[2].y() = x;
    return queries::complexity(query);
  };
  EXPECT_EQ(of(0), 0u);
  const double ascending[] = {0, 1, -1, 2, 3, 1e6, 0.1, 5e-324};
  for (std::size_t i = 1; i < std::size(ascending); ++i)
    EXPECT_LT(of(ascending[i - 1]), of(ascending[i])) << ascending[i];
  EXPECT_LT(of(-1.7e308), of(Impact::inf));
  EXPECT_LT(of(1.7e308), of(Impact::nan));
}

// Misses every contact before t = 1/2.
void forgetful(std::span<const VertexFace> queries, const MethodOptions&,
               std::span<Impact> impacts) {
  for (std::size_t i = 0; i < queries.size(); ++i) {
    impacts[i] = exact::oracle(queries[i]);
    if (impacts[i].toi < 0.5) impacts[i] = Impact::separated();
  }
}

TEST(Shrink, KeepsTheClassOfTheFaultAndWritesACorpusEntry) {
  const Method method{"forgetful", "", Guarantee::heuristic, true, Norm::none, forgetful, nullptr};
  const Dispute dispute{method, *find_method("oracle"), {}};
  int missed = 0;
  for (const auto& query : test::generated<VertexFace>(test::family("random"), 200)) {
    const auto shrunk = queries::shrink(query, dispute);
    if (shrunk.fault == Fault::none) {
      EXPECT_EQ(shrunk.minimal.tries, 0u);
      continue;
    }
    EXPECT_EQ(shrunk.fault, Fault::missed);
    EXPECT_EQ(queries::complexity(shrunk.minimal.query), 0u);
    EXPECT_EQ(queries::corpus_entry(shrunk, dispute),
              "# forgetful answers separated (missed).\nvertex-face contact 0 0\n"
              "0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n");
    ++missed;
  }
  EXPECT_GT(missed, 2);
}

TEST(Fault, IsTheWorstThatApplies) {
  const Impact miss = Impact::separated(), hit = Impact::contact(0.25, 0.25);
  EXPECT_EQ(queries::fault_of(miss, hit), Fault::missed);
  EXPECT_EQ(queries::fault_of(Impact::contact(0.3, 1), hit), Fault::late);
  EXPECT_EQ(queries::fault_of(Impact::undecided(0.3, 1), hit), Fault::late);
  EXPECT_EQ(queries::fault_of(Impact::undecided(0.2, 1), hit), Fault::undecided);
  EXPECT_EQ(queries::fault_of(hit, miss), Fault::alarm);
  EXPECT_EQ(queries::fault_of(Impact::invalid(), hit), Fault::invalid);
  EXPECT_EQ(queries::fault_of(Impact::contact(0.2, 1), hit), Fault::none);
  EXPECT_EQ(queries::fault_of(Impact::contact(0.2, 0.25), hit, Guarantee::exact), Fault::inexact);
  EXPECT_EQ(queries::fault_of(hit, hit, Guarantee::exact), Fault::none);
  EXPECT_EQ(queries::fault_of(miss, Impact::invalid()), Fault::none);
}

TEST(WorstFailures, AreMissesByEarlinessThenDelays) {
  const std::vector<Impact> truth = {Impact::contact(0.5, 0.5), Impact::contact(0.25, 0.25),
                                     Impact::contact(0.5, 0.5), Impact::contact(0.1, 0.1),
                                     Impact::separated()};
  const std::vector<Impact> answers = {Impact::separated(), Impact::separated(),
                                       Impact::contact(0.6, 1), Impact::contact(0.9, 1),
                                       Impact::contact(0, 1)};
  const auto indices = [&](std::size_t most, Fault mildest) {
    std::vector<std::size_t> found;
    for (const auto& failure :
         queries::worst_failures(answers, truth, Guarantee::heuristic, 1, most, mildest))
      found.push_back(failure.index);
    return found;
  };
  EXPECT_EQ(indices(9, Fault::late), (std::vector<std::size_t>{1, 0, 3, 2}));
  EXPECT_EQ(indices(2, Fault::late), (std::vector<std::size_t>{1, 0}));
  EXPECT_EQ(indices(9, Fault::invalid), (std::vector<std::size_t>{1, 0, 3, 2, 4}));
}

}  // namespace
}  // namespace graze::queries::minimize_test
