#include "bench/suites/exact/exact_suite.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "bench/suites/exact/exact_bars.h"
#include "graze/exact/judge/oracle.h"
#include "graze/generate/families.h"
#include "test/support/data.h"

namespace graze::bench::exact_suite_test {
namespace {

constexpr double tiny = 0.002;  // seconds

Workload<EdgeEdge> random_edges(std::size_t count) {
  Workload<EdgeEdge> set{"random",
                         generate::generate_edge_edge(*generate::find_family("random"), count, 5),
                         {},
                         nullptr,
                         {}};
  set.truth = find_times(std::span<const EdgeEdge>(set.queries), {}, 1);
  return set;
}

std::size_t contacts(const Workload<EdgeEdge>& set) {
  return static_cast<std::size_t>(std::count_if(set.truth.begin(), set.truth.end(),
                                                [](double toi) { return toi < Impact::inf; }));
}

TEST(FindTimes, CallsTheOracleWhereThereMayBeAContact) {
  auto set = random_edges(50);
  ASSERT_GT(contacts(set), 0u);
  std::vector<std::uint8_t> contact(50);
  contact[7] = 1;  // the truth of a file counts, right or wrong
  const auto times = find_times(std::span<const EdgeEdge>(set.queries), contact, 1);
  for (std::size_t i = 0; i < times.size(); ++i)
    EXPECT_EQ(times[i], i == 7 ? std::min(exact::oracle(set.queries[i]).toi, 1.0) : Impact::inf);
}

TEST(Shuffled, HoldsEveryQueryOnceWithItsTruth) {
  const auto set = random_edges(200);
  const auto other = shuffled(set, 1000, 3);
  ASSERT_EQ(other.queries.size(), 200u);
  std::set<double> starts;
  std::size_t moved = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    EXPECT_EQ(other.truth[i], exact::oracle(other.queries[i]).toi);
    starts.insert(other.queries[i].start[0].x());
    moved += other.queries[i].start[0] != set.queries[i].start[0];
  }
  EXPECT_EQ(starts.size(), 200u);
  EXPECT_GT(moved, 150u);
  EXPECT_EQ(shuffled(set, 20, 3).queries.size(), 20u);
}

TEST(MeasureStream, CountsAgainstTheTruth) {
  auto set = random_edges(5300);  // not a whole number of blocks
  auto result = measure_stream(set, {}, tiny);
  EXPECT_EQ(result.queries, 5300u);
  EXPECT_EQ(result.checked, 5300u);
  EXPECT_EQ(result.counts.hits, contacts(set));
  EXPECT_EQ(result.counts.false_positives, 0u);
  EXPECT_EQ(result.counts.false_negatives + result.counts.late, 0u);
  EXPECT_EQ(result.tally.total(), 5300u);
  EXPECT_GT(result.exact_ns, result.plain_ns);
  EXPECT_GT(result.plain_ns, 0);
  EXPECT_TRUE(std::isnan(result.pairs_ns));

  // A wrong truth makes every answer wrong; queries without a truth are not counted.
  const std::size_t hits = contacts(set);
  for (double& toi : set.truth) toi = toi < Impact::inf ? Impact::inf : 0.5;
  result = measure_stream(set, {}, tiny);
  EXPECT_EQ(result.counts.false_positives, hits);
  EXPECT_EQ(result.counts.false_negatives, 5300 - hits);
  set.truth.assign(700, -1);
  result = measure_stream(set, {}, tiny);
  EXPECT_EQ(result.checked, 700u);
  EXPECT_EQ(result.counts.late, result.counts.hits);
  EXPECT_EQ(result.counts.hits + result.counts.false_negatives, 700u);
}

TEST(MeasureSample, CountsTheErrorsOfAMethod) {
  const auto set = random_edges(300);
  const auto answering = [&](SolveEdgeEdge solve_all) {
    const Method method{"m", "", Guarantee::heuristic, true, Norm::none, nullptr, solve_all};
    return measure_sample(method, set, 1000, {}, tiny);
  };
  Row row =
      answering([](std::span<const EdgeEdge>, const MethodOptions&, std::span<Impact> impacts) {
        std::fill(impacts.begin(), impacts.end(), Impact::separated());
      });
  EXPECT_EQ(row.queries, 300u);
  EXPECT_EQ(row.set_size, 1000u);
  EXPECT_FALSE(row.note.empty());
  EXPECT_EQ(row.counts.false_negatives, contacts(set));
  EXPECT_EQ(row.counts.false_positives, 0u);
  row = answering([](std::span<const EdgeEdge>, const MethodOptions&, std::span<Impact> impacts) {
    std::fill(impacts.begin(), impacts.end(), Impact::contact(1, 1));
  });
  EXPECT_EQ(row.counts.false_positives, 300 - contacts(set));
  EXPECT_EQ(row.counts.late, contacts(set));
}

TEST(MeasureSample, StopsWhenTheTimeIsUp) {
  const auto set = random_edges(5000);
  const Row row = measure_sample(*find_method("oracle"), set, 5000, {}, 1e-6);
  EXPECT_EQ(row.queries, 32u);
  EXPECT_GT(row.ns_per_query, 100);
}

TEST(MeasureThreads, GivesTheSameAnswers) {
  const auto result = measure_threads(random_edges(2000), {}, tiny);
  EXPECT_GT(result.counts.hits, 300u);
  EXPECT_EQ(result.counts.false_positives, 0u);
  EXPECT_EQ(result.counts.false_negatives + result.counts.late, 0u);
  EXPECT_GT(result.one_ns, 0);
  EXPECT_GT(result.two_ns, 0);
}

TEST(DivideByStage, AssignsEveryQueryToTheStageThatDecidesIt) {
  auto set = random_edges(600);
  const auto touching = generate::generate_edge_edge(*generate::find_family("near_ulp"), 300, 1);
  set.queries.insert(set.queries.end(), touching.begin(), touching.end());
  set.truth = find_times(std::span<const EdgeEdge>(set.queries), {}, 1);
  const auto stages = divide_by_stage(set, {}, 40);
  for (std::size_t k = 0; k < stages.size(); ++k) {
    const auto& stage = stages[k];
    ASSERT_GT(stage.queries.size(), 0u) << exact_stages[k].name;
    EXPECT_LE(stage.queries.size(), 40u);
    narrow::ExactTally tally;
    std::vector<Impact> impacts(stage.queries.size());
    narrow::exact_root(std::span<const EdgeEdge>(stage.queries), {}, impacts, tally);
    EXPECT_EQ(tally.*exact_stages[k].count, stage.queries.size()) << exact_stages[k].name;
    for (const auto& result :
         {measure_stage(stage, {}, tiny), measure_integer_alone(stage, {}, tiny)}) {
      EXPECT_EQ(result.counts.false_positives, 0u);
      EXPECT_EQ(result.counts.false_negatives + result.counts.late, 0u);
      EXPECT_EQ(result.counts.hits, contacts(stage));
      EXPECT_GT(result.ns, 0);
    }
  }
}

ExactMeasurements made_up(double exact_ns, double rival_ns) {
  ExactMeasurements all;
  for (const auto& set : {"armadillo-rollers", "cloth-ball", "cloth-funnel", "random", "erleben"})
    for (const Kind kind : {Kind::vertex_face, Kind::edge_edge}) {
      StreamResult stream;
      stream.set = set;
      stream.kind = kind;
      stream.queries = 100;
      stream.plain_ns = 10;
      stream.exact_ns = exact_ns;
      stream.pairs_ns = 10;
      stream.built_ns = 14;
      all.streams.push_back(stream);
      Row row;
      row.set = set;
      row.kind = kind;
      row.set_size = 100;
      row.method = "exact";
      row.ns_per_query = exact_ns;
      all.rows.push_back(row);
      row.method = "tight_inclusion";
      row.ns_per_query = rival_ns;
      all.rows.push_back(row);
    }
  return all;
}

const Bar& find_bar(const std::vector<Bar>& bars, std::string_view part) {
  for (const Bar& bar : bars)
    if (bar.what.find(part) != std::string::npos) return bar;
  throw std::out_of_range(std::string(part));
}

TEST(ExactKernels, AreMeasuredWithEachInstructionSet) {
  Request request;
  request.paths = {testing::TempDir()};
  request.count = 2000;
  request.seconds = 0.001;
  request.targets = true;
  const auto json = json_of(find_suite("exact")->run(request, {}));
  std::set<std::string> names;
  for (const auto& row : json["kernels"]) {
    names.insert(row["kernel"]);
    EXPECT_TRUE(row["same_answers"].get<bool>()) << row;
    for (const auto& [target, ns] : row["ns_per_item"].items()) EXPECT_GT(ns.get<double>(), 0);
  }
  EXPECT_EQ(names, (std::set<std::string>{"culls, edge-edge", "culls, vertex-face",
                                          "roots, edge-edge", "roots, vertex-face",
                                          "separation, edge-edge", "separation, vertex-face"}));
}

TEST(Bars, AreMetOnlyByMethodsThatAreFastEnough) {
  const auto fast = bars_of(made_up(19, 19 * 200)), slow = bars_of(made_up(41, 41 * 59));
  for (const char* part : {"plain pass", "cloth-funnel, exact", "scenes, tight", "the least"}) {
    EXPECT_TRUE(find_bar(fast, part).met()) << part;
    EXPECT_EQ(find_bar(slow, part).met(), std::string_view(part) == "the least") << part;
  }
  EXPECT_NEAR(*find_bar(fast, "plain pass").measured, 1.9, 1e-12);
  EXPECT_NEAR(*find_bar(slow, "scenes, tight").measured, 59, 1e-9);
  EXPECT_TRUE(find_bar(fast, "random edge-edge, tight").met());
  EXPECT_FALSE(find_bar(fast, "erleben, tight").met());
  EXPECT_TRUE(find_bar(fast, "over exact from pairs").met());
  EXPECT_EQ(find_bar(bars_of(made_up(10, 9)), "the least").note,
            "tight_inclusion on armadillo-rollers, vertex-face");
}

TEST(Bars, AreNotMeasuredWhereASetIsMissing) {
  auto all = made_up(19, 19 * 200);
  std::erase_if(all.streams, [](const auto& stream) { return stream.set == "cloth-ball"; });
  std::erase_if(all.rows, [](const auto& row) { return row.set == "cloth-ball"; });
  const auto bars = bars_of(all);
  for (const char* part : {"plain pass", "from pairs", "scenes, tight", "integer stage"}) {
    EXPECT_FALSE(find_bar(bars, part).measured) << part;
    EXPECT_FALSE(find_bar(bars, part).met()) << part;
  }
  EXPECT_TRUE(find_bar(bars, "cloth-funnel, exact").met());
}

TEST(Bars, CountEveryWrongAnswer) {
  auto all = made_up(19, 19 * 200);
  EXPECT_TRUE(find_bar(bars_of(all), "wrong").met());
  all.streams[3].pairs_counts.late = 1;
  all.integer_alone.push_back({});
  all.integer_alone.back().counts.false_negatives = 1;
  EXPECT_EQ(find_bar(bars_of(all), "wrong").measured, 2);
  EXPECT_FALSE(find_bar(bars_of(all), "wrong").met());
}

// A folder of data; each test links the files that it needs into the folder.
class ExactSuite : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_ / "scenes");
    std::filesystem::create_directories(folder_ / "queries");
    request_.paths = {folder_};
    request_.count = 40;
    request_.seconds = tiny;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void link(const std::filesystem::path& part) const {
    std::filesystem::create_directory_symlink(std::filesystem::absolute(test::data_folder() / part),
                                              folder_ / part);
  }

  const std::filesystem::path folder_ =
      testing::TempDir() + testing::UnitTest::GetInstance()->current_test_info()->name();
  Request request_;
};

TEST_F(ExactSuite, RunsWithoutDataAndListsTheMissingParts) {
  const Result result = find_suite("exact")->run(request_, {});
  const auto json = json_of(result);
  EXPECT_EQ(json["missing"].size(), 5u);
  EXPECT_EQ(json["streams"].size(), 2u);
  EXPECT_EQ(json["threads"].size(), 2u);
  EXPECT_TRUE(json["stages"].empty());
  std::size_t expected = 0;
  for (const Method& method : methods())
    for (const Kind kind : {Kind::vertex_face, Kind::edge_edge}) {
      if (!method.has(kind)) continue;
      ++expected;
      EXPECT_TRUE(std::any_of(json["rows"].begin(), json["rows"].end(), [&](const auto& row) {
        return row["method"] == method.name && row["kind"] == name(kind) && row["set"] == "random";
      })) << method.name;
    }
  EXPECT_EQ(json["rows"].size(), expected);
  for (const auto& row : json["rows"])
    for (const char* key : {"false_positives", "false_negatives", "late", "ns_per_query",
                            "ratio_to_exact", "set_queries"})
      EXPECT_TRUE(row[key].is_number()) << key << row;
  EXPECT_NE(result.report.html().find("not measured"), std::string::npos);
}

TEST_F(ExactSuite, MeasuresAScene) {
  GRAZE_SKIP_WITHOUT_DATA();
  link("scenes/cloth-funnel");
  link("queries/unit-tests");
  request_.explain = true;
  const Result result = find_suite("exact")->run(request_, {});
  const auto json = json_of(result);
  EXPECT_EQ(json["missing"], (std::vector<std::string>{"scene armadillo-rollers",
                                                       "scene cloth-ball", "queries erleben"}));
  ASSERT_EQ(json["streams"].size(), 6u);
  const std::size_t pairs[] = {7319, 33770}, hits[] = {27, 107};
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& stream = json["streams"][i];
    EXPECT_EQ(stream["set"], "cloth-funnel");
    EXPECT_EQ(stream["queries"], pairs[i]);
    EXPECT_EQ(stream["answers"]["hits"], hits[i]);
    EXPECT_EQ(stream["from_pairs"]["answers"], stream["answers"]);
    EXPECT_GT(stream["from_pairs"]["ns_per_query"], 0);
    EXPECT_GT(stream["tally"]["axis"], stream["queries"].get<std::size_t>() / 3);
    EXPECT_GT(stream["tally"]["integer"], 0);
  }
  for (const auto& row : json["rows"])
    if (row["method"] == "exact" || row["method"] == "oracle") {
      EXPECT_EQ(row["false_positives"].get<int>() + row["false_negatives"].get<int>() +
                    row["late"].get<int>(),
                0)
          << row;
    }
  for (const char* key : {"integer_stage", "stages"})
    for (const auto& stage : json[key]) EXPECT_GT(stage["ns_per_query"], 0) << stage;
  EXPECT_EQ(json["integer_stage"].size(), 4u);  // both kinds of both sets
  EXPECT_EQ(json["stages"].size(), 12u);
  for (const auto& bar : json["bars"]) {
    if (bar["bar"] != "wrong or late answers of exact") continue;
    EXPECT_EQ(bar["measured"], 0);
    EXPECT_EQ(bar["met"], true);
  }
}

TEST_F(ExactSuite, RefusesACountOfZeroAndAMissingFolder) {
  const auto refused = [&](auto change) {
    Request request = request_;
    change(request);
    EXPECT_THROW(run_exact(request, {}), std::invalid_argument);
  };
  refused([](Request& request) { request.count = 0; });
  refused([](Request& request) { request.paths = {"no such folder"}; });
}

}  // namespace
}  // namespace graze::bench::exact_suite_test
