#include "bench/failure_report.h"

#include <gtest/gtest.h>

#include "graze/exact/oracle.h"

namespace graze::bench {
namespace {

// Knows a contact only if nothing moves before t = 1/4.
void misses_early_ones(std::span<const VertexFace> queries, const Options&,
                       std::span<Impact> impacts) {
  for (std::size_t i = 0; i < queries.size(); ++i) {
    impacts[i] = oracle(queries[i]);
    if (impacts[i].toi < 0.25) impacts[i] = Impact::separated();
  }
}
void a_little_late(std::span<const VertexFace> queries, const Options&, std::span<Impact> impacts) {
  for (std::size_t i = 0; i < queries.size(); ++i) {
    impacts[i] = oracle(queries[i]);
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
  const auto failures = failures_json(rows, sets);
  ASSERT_GE(failures.size(), 2u);
  const auto& worst = failures[0];
  EXPECT_EQ(worst["method"], "missing");
  EXPECT_EQ(worst["fault"], "missed");
  EXPECT_EQ(worst["file"], "a folder/random-vertex-face.csv");
  const auto query = sets[0].data.as<VertexFace>()[worst["index"].get<std::size_t>()];
  EXPECT_EQ(worst["coordinates"][0], query.start[0].x());
  EXPECT_EQ(worst["coordinates"][23], query.end[3].z());
  EXPECT_EQ(worst["true_toi"], oracle(query).toi);
  for (const auto& failure : failures)
    EXPECT_TRUE(failure["method"] != "missing" || failure["true_toi"] >= worst["true_toi"]);

  io::Report report("title", "");
  add_failures(report, rows, sets);
  const std::string html = report.html();
  for (const char* part : {"missing says separated", "vertex-face contact 0x1.",
                           "graze minimize a folder/random-vertex-face.csv --kind vertex-face"})
    EXPECT_NE(html.find(part), std::string::npos) << part;
  EXPECT_LT(html.find("missing says"), html.find("late says"));
}

TEST(FailureReport, SaysWhenNothingFailed) {
  const auto [sets, rows] = measured();
  io::Report report("title", "");
  add_failures(report, {rows[2]}, sets);
  EXPECT_NE(report.html().find("No method measured here missed a contact"), std::string::npos);
  EXPECT_TRUE(failing_methods({rows[2]}).rows.empty());
}

}  // namespace
}  // namespace graze::bench
