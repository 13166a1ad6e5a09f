#include "bench/harness/measure.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "bench/harness/timing.h"
#include "queries/answer.h"

namespace graze::bench::measure_test {
namespace {

// Returns vertex-face queries with known first contacts: the vertex falls through a large resting
// triangle at time `toi`, or stays above it for toi < 0. The time can be computed from the query.
io::QuerySet falls(const std::vector<double>& times, std::vector<std::uint8_t> truth = {}) {
  std::vector<double> coordinates;
  for (const double toi : times) {
    const Vec3 start(0, 0, 1), end(0, 0, toi < 0 ? 0.5 : 1 - 1 / toi);
    const Vec3 face[] = {{-9, -9, 0}, {9, -9, 0}, {0, 9, 0}};
    for (const Vec3& vertex : {start, end}) {
      coordinates.insert(coordinates.end(), vertex.begin(), vertex.end());
      for (const Vec3& corner : face)
        coordinates.insert(coordinates.end(), corner.begin(), corner.end());
    }
  }
  return {std::move(coordinates), std::move(truth)};
}

double time_of(const VertexFace& query) {
  return 1 / (1 - query.end[0].z());
}
bool touches(const VertexFace& query) {
  return query.end[0].z() <= 0;
}

NamedSet set_of(const std::vector<double>& times, std::vector<std::uint8_t> truth = {}) {
  return {"falls", "test", Kind::vertex_face, falls(times, std::move(truth))};
}

// Returns the truth of these queries, computed without the oracle.
Truth truth_of(const NamedSet& set) {
  Truth truth;
  for (const VertexFace& query : set.data.as<VertexFace>()) {
    truth.contact.push_back(touches(query));
    truth.impacts.push_back(touches(query) ? Impact::contact(time_of(query), time_of(query))
                                           : Impact::separated());
  }
  return truth;
}

template <class Answer>
void answer_each(std::span<const VertexFace> queries, std::span<Impact> impacts, Answer answer) {
  for (std::size_t i = 0; i < queries.size(); ++i) impacts[i] = answer(queries[i]);
}

void right(std::span<const VertexFace> queries, const MethodOptions&, std::span<Impact> impacts) {
  answer_each(queries, impacts, [](const VertexFace& query) {
    return touches(query) ? Impact::contact(time_of(query), 1) : Impact::separated();
  });
}
void always_separated(std::span<const VertexFace>, const MethodOptions&,
                      std::span<Impact> impacts) {
  for (Impact& impact : impacts) impact = Impact::separated();
}
void always_contact_at_0(std::span<const VertexFace>, const MethodOptions&,
                         std::span<Impact> impacts) {
  for (Impact& impact : impacts) impact = Impact::contact(0, 1);
}
void one_ulp_late(std::span<const VertexFace> queries, const MethodOptions&,
                  std::span<Impact> impacts) {
  answer_each(queries, impacts, [](const VertexFace& query) {
    return touches(query) ? Impact::contact(std::nextafter(time_of(query), 2), 1)
                          : Impact::separated();
  });
}
void undecided_at_0(std::span<const VertexFace>, const MethodOptions& options,
                    std::span<Impact> impacts) {
  for (Impact& impact : impacts) impact = Impact::undecided(0, options.t_max);
}
void undecided_too_late(std::span<const VertexFace>, const MethodOptions& options,
                        std::span<Impact> impacts) {
  for (Impact& impact : impacts) impact = Impact::undecided(0.9, options.t_max);
}
void slow(std::span<const VertexFace> queries, const MethodOptions& options,
          std::span<Impact> impacts) {
  const double end = processor_seconds() + 0.002 * static_cast<double>(queries.size());
  while (processor_seconds() < end) continue;
  right(queries, options, impacts);
}

Method fake(SolveVertexFace batch) {
  return {"fake", "", Guarantee::heuristic, true, Norm::none, batch, nullptr};
}

Counts counts_of(SolveVertexFace batch, const NamedSet& set) {
  return measure(fake(batch), set, truth_of(set), {}, 0.01).counts;
}

const std::vector<double> two_hits_one_miss = {0.25, -1, 0.5};

TEST(Counts, AreAllZeroButHitsForACorrectMethod) {
  const Counts counts = counts_of(right, set_of(two_hits_one_miss));
  EXPECT_EQ(counts.hits, 2u);
  EXPECT_EQ(counts.false_positives, 0u);
  EXPECT_EQ(counts.false_negatives, 0u);
  EXPECT_EQ(counts.undecided, 0u);
  EXPECT_EQ(counts.late, 0u);
  EXPECT_EQ(counts.invalid, 0u);
}

TEST(Counts, CountAMissedContactAsAFalseNegativeAndNotAsLate) {
  const Counts counts = counts_of(always_separated, set_of(two_hits_one_miss));
  EXPECT_EQ(counts.hits, 0u);
  EXPECT_EQ(counts.false_negatives, 2u);
  EXPECT_EQ(counts.late, 0u);
}

TEST(Counts, CountAContactWhereThereIsNoneAsAFalsePositive) {
  const Counts counts = counts_of(always_contact_at_0, set_of(two_hits_one_miss));
  EXPECT_EQ(counts.hits, 3u);
  EXPECT_EQ(counts.false_positives, 1u);
  EXPECT_EQ(counts.false_negatives, 0u);
  EXPECT_EQ(counts.late, 0u);
}

TEST(Counts, CountATimeOneUlpAfterTheContactAsLate) {
  const Counts counts = counts_of(one_ulp_late, set_of(two_hits_one_miss));
  EXPECT_EQ(counts.hits, 2u);
  EXPECT_EQ(counts.late, 2u);
}

TEST(Counts, CountTheUpperEndOfTheTightestPairAsLateAndTheLowerEndNot) {
  const NamedSet set = set_of({0.3});
  Truth truth = truth_of(set);
  const double lo = truth.impacts[0].toi, hi = std::nextafter(lo, 1);
  truth.impacts[0].toi_hi = hi;  // the exact time lies strictly between
  const Impact at_lo = Impact::contact(lo, 1), at_hi = Impact::contact(hi, 1);
  EXPECT_EQ(count({&at_lo, 1}, truth).late, 0u);
  EXPECT_EQ(count({&at_hi, 1}, truth).late, 1u);
}

TEST(Counts, KeepUndecidedApartFromFalseNegatives) {
  const Counts counts = counts_of(undecided_at_0, set_of(two_hits_one_miss));
  EXPECT_EQ(counts.hits, 0u);
  EXPECT_EQ(counts.undecided, 3u);
  EXPECT_EQ(counts.false_negatives, 0u);
  EXPECT_EQ(counts.late, 0u);
}

TEST(Counts, CountAnUndecidedTimeAfterTheContactAsLate) {
  const Counts counts = counts_of(undecided_too_late, set_of(two_hits_one_miss));
  EXPECT_EQ(counts.undecided, 3u);
  EXPECT_EQ(counts.late, 2u);
}

TEST(Measure, StopsAtTheBudgetAndReportsTheNumberOfQueries) {
  const NamedSet set = set_of(std::vector<double>(1000, 0.5));
  const auto start = std::chrono::steady_clock::now();
  const Row row = measure(fake(slow), set, truth_of(set), {}, 0.05);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
  EXPECT_GT(row.queries, 0u);
  EXPECT_LT(row.queries, 100u);
  EXPECT_EQ(row.set_size, 1000u);
  EXPECT_EQ(row.counts.hits, row.queries);
  EXPECT_NE(row.note.find("of 1000 queries"), std::string::npos) << row.note;
}

TEST(Measure, ReportsTimesInNanosecondsInTheirOrder) {
  const NamedSet set = set_of(std::vector<double>(5, 0.5));
  const Row row = measure(fake(slow), set, truth_of(set), {}, 2);
  EXPECT_EQ(row.queries, 5u);
  EXPECT_TRUE(row.note.empty()) << row.note;
  EXPECT_GE(row.ns_per_query, 2e6);
  EXPECT_LT(row.ns_per_query, 1e9);
  EXPECT_GE(row.p50_ns, 1.9e6);
  EXPECT_LE(row.p50_ns, row.p99_ns);
  EXPECT_LE(row.p99_ns, row.max_ns);
}

TEST(Measure, SortsTimesIntoHitsAndMissesByTheTruth) {
  const NamedSet set = set_of(two_hits_one_miss);
  const Row row = measure(fake(always_separated), set, truth_of(set), {}, 0.01);
  std::uint64_t hits = 0, misses = 0;
  for (const auto n : row.hit_times.counts) hits += n;
  for (const auto n : row.miss_times.counts) misses += n;
  EXPECT_EQ(hits, 2u);
  EXPECT_EQ(misses, 1u);
}

TEST(Measure, ReportsNothingForAnEmptySet) {
  const NamedSet set = set_of({});
  const Row row = measure(fake(right), set, truth_of(set), {}, 0.01);
  EXPECT_EQ(row.queries, 0u);
  EXPECT_TRUE(std::isnan(row.ns_per_query));
  EXPECT_TRUE(std::isnan(row.p50_ns));
}

TEST(Truth, ComesFromTheFileAndCountsWhereTheOracleDisagrees) {
  const Truth truth = find_truth(set_of(two_hits_one_miss, {1, 1, 1}), {}, 2);
  EXPECT_EQ(truth.contact, (std::vector<std::uint8_t>{1, 1, 1}));
  EXPECT_EQ(truth.disagreements, 1u);
  EXPECT_EQ(truth.impacts[0].toi, 0.25);
}

TEST(Truth, ComesFromTheOracleWhereTheStepIsCutShort) {
  Options options;
  options.t_max = 0.3;
  const Truth truth = find_truth(set_of(two_hits_one_miss, {1, 0, 1}), options, 1);
  EXPECT_EQ(truth.contact, (std::vector<std::uint8_t>{1, 0, 0}));
  EXPECT_EQ(truth.disagreements, 0u);
}

// The vertex starts 1 above the face and falls by 2, so that it is within 1/2 of it from 1/4 on.
TEST(Truth, MeasuresTheDistanceInBothNorms) {
  const NamedSet set = set_of({0.5, -1}, {1, 0});
  for (const Norm norm : {Norm::l2, Norm::linf}) {
    const Truth truth = find_truth(set, {.min_separation = 0.5}, 1, {}, norm);
    EXPECT_EQ(truth.contact, (std::vector<std::uint8_t>{1, 1}));  // the second ends at 1/2
    EXPECT_EQ(truth.impacts[0].toi, 0.25);
    EXPECT_EQ(truth.impacts[1].toi, 1);
    EXPECT_EQ(truth.disagreements, 0u);
  }
}

TEST(Summary, NamesTheFirstOfTheEarliestContacts) {
  const std::vector<Impact> impacts = {Impact::undecided(0, 1),  Impact::contact(0.5, 1),
                                       Impact::contact(0.25, 1), Impact::contact(0.25, 1),
                                       Impact::separated(),      Impact::invalid()};
  const Summary summary = summarize(impacts);
  EXPECT_EQ(summary.earliest, 2u);
  EXPECT_EQ(summary.verdicts, (std::array<std::size_t, 4>{1, 3, 1, 1}));
}

TEST(Answer, ConcatenatesTheAnswersOfAllSets) {
  const auto impacts = answer(fake(right), {set_of({0.25, -1}), set_of({}), set_of({0.5})}, {}, 2);
  ASSERT_EQ(impacts.size(), 3u);
  EXPECT_EQ(impacts[0].toi, 0.25);
  EXPECT_EQ(impacts[1].verdict, Verdict::separated);
  EXPECT_EQ(impacts[2].toi, 0.5);
}

}  // namespace
}  // namespace graze::bench::measure_test
