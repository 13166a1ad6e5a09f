#include "bench/harness/failure_report.h"

#include <gtest/gtest.h>

#include <set>

#include "graze/exact/judge/oracle.h"

namespace graze::bench::failure_report_test {
namespace {

// Misses contacts before t = 1/4.
void misses_early_ones(std::span<const VertexFace> queries, const MethodOptions&,
                       std::span<Impact> impacts) {
  for (std::size_t i = 0; i < queries.size(); ++i) {
    impacts[i] = exact::oracle(queries[i]);
    if (impacts[i].toi < 0.25) impacts[i] = Impact::separated();
  }
}
void a_little_late(std::span<const VertexFace> queries, const MethodOptions&,
                   std::span<Impact> impacts) {
  for (std::size_t i = 0; i < queries.size(); ++i) {
    impacts[i] = exact::oracle(queries[i]);
    if (impacts[i].verdict == Verdict::contact) impacts[i] = Impact::contact(1, 1);
  }
}

struct Measured {
  std::vector<NamedSet> sets;
  std::vector<Row> rows;
};

Measured measured() {
  Measured all;
  all.sets = {generate_sets(20, 1, Kind::vertex_face)[0]};
  all.sets[0].file = "a folder/random-vertex-face.csv";
  const Truth truth = find_truth(all.sets[0], {}, 1);
  const auto fake = [](const char* name, SolveVertexFace batch) {
    return Method{name, "", Guarantee::heuristic, true, Norm::none, batch, nullptr};
  };
  for (const Method& method : {fake("late", a_little_late), fake("missing", misses_early_ones)})
    all.rows.push_back(measure(method, all.sets[0], truth, {}, 1));
  all.rows.push_back(measure(*find_method("oracle"), all.sets[0], truth, {}, 1));
  return all;
}

TEST(FailureReport, NamesTheMethodsThatFailTheWorstFirst) {
  const auto [sets, rows] = measured();
  ASSERT_GT(rows[1].counts.false_negatives, 0u);
  const auto table = failing_methods(rows);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0][0].text, "missing");
  EXPECT_EQ(table.rows[1][0].text, "late");
}

TEST(FailureReport, ShowsTheWorstQueryWithItsCoordinates) {
  const auto [sets, rows] = measured();
  const auto failures = shown_failures(rows, sets);
  ASSERT_GE(failures.size(), 2u);
  const ShownFailure& worst = failures[0];
  EXPECT_EQ(worst.method, "missing");
  EXPECT_EQ(worst.failure.fault, Fault::missed);
  EXPECT_EQ(worst.file, "a folder/random-vertex-face.csv");
  const auto query = sets[0].data.as<VertexFace>()[worst.failure.index];
  ASSERT_EQ(worst.coordinates.size(), 24u);
  EXPECT_EQ(worst.coordinates[0], query.start[0].x());
  EXPECT_EQ(worst.coordinates[23], query.end[3].z());
  EXPECT_EQ(worst.failure.truth.toi, exact::oracle(query).toi);
  for (const ShownFailure& other : failures)
    EXPECT_TRUE(other.method != "missing" || other.failure.truth.toi >= worst.failure.truth.toi);

  report::Report report("title", "");
  add_failures(report, rows, sets);
  const std::string html = report.html();
  for (const char* part : {"missing answers separated", "vertex-face contact 0x1.",
                           "graze minimize a folder/random-vertex-face.csv --kind vertex-face"})
    EXPECT_NE(html.find(part), std::string::npos) << part;
  EXPECT_LT(html.find("missing answers"), html.find("late answers"));
}

TEST(FailureReport, GivesDifferentQueriesDifferentIds) {
  const auto id = [](const char* set) { return query_id(set, Kind::edge_edge, 7); };
  EXPECT_EQ(id("rack-2"), "rack-2-edge-edge-7");
  const std::set<std::string> ids = {id("a b"),
                                     id("a-b"),
                                     id("a_b"),
                                     id("a.b"),
                                     id("a_20b"),
                                     id("A b"),
                                     query_id("a b", Kind::vertex_face, 7)};
  EXPECT_EQ(ids.size(), 7u);
  for (const std::string& each : ids)
    EXPECT_EQ(each.find_first_not_of("abcdefghijklmnopqrstuvwxyzABC0123456789-_"),
              std::string::npos);
}

TEST(FailureReport, ReportsThatNothingFailed) {
  const auto [sets, rows] = measured();
  report::Report report("title", "");
  add_failures(report, {rows[2]}, sets);
  EXPECT_NE(report.html().find("No method measured here missed a contact"), std::string::npos);
  EXPECT_TRUE(failing_methods({rows[2]}).rows.empty());
}

}  // namespace
}  // namespace graze::bench::failure_report_test
