#include "bench/harness/suite.h"

#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>

#include "bench/suites/narrow/narrow_suite.h"

namespace graze::bench::suite_test {
namespace {

TEST(Row, HasTheFieldsOfTheContractAndNoOthers) {
  Row row;
  row.method = "m";
  row.counts.false_positives = 0;
  row.ns_per_query = row.p50_ns = row.p99_ns = row.max_ns = 1;
  const auto json = to_json(std::vector{row});
  std::vector<std::string> keys;
  for (const auto& [key, value] : json[0].items()) {
    keys.push_back(key);
    EXPECT_FALSE(value.is_null()) << key;
  }
  EXPECT_EQ(keys, (std::vector<std::string>{"method", "set", "kind", "queries", "hits",
                                            "false_positives", "false_negatives", "undecided",
                                            "late", "ns_per_query", "p50_ns", "p99_ns", "max_ns"}));
}

TEST(Row, WritesUnknownValuesAsNull) {
  Row row;
  row.ns_per_query = row.p50_ns = row.p99_ns = row.max_ns =
      std::numeric_limits<double>::quiet_NaN();
  const auto json = to_json(std::vector{row});
  EXPECT_TRUE(json[0]["false_positives"].is_null());
  EXPECT_TRUE(json[0]["p99_ns"].is_null());
}

TEST(Narrow, MeasuresTheOracleWithoutErrorsOnEveryFamily) {
  Request request;
  request.count = 3;
  request.seconds = 0.02;
  request.methods = {find_method("oracle")};
  const Result result = find_suite("narrow")->run(request, {});
  const auto json = json_of(result);
  std::size_t hits = 0;
  for (const auto& row : json["rows"]) {
    EXPECT_EQ(row["method"], "oracle");
    EXPECT_EQ(row["false_positives"], 0) << row;
    EXPECT_EQ(row["false_negatives"], 0) << row;
    EXPECT_EQ(row["undecided"], 0) << row;
    EXPECT_EQ(row["late"], 0) << row;
    hits += row["hits"].get<std::size_t>();
  }
  EXPECT_GT(hits, 10u);
  for (const char* key : {"cpu", "cores", "compiler", "flags", "commit", "version", "date"})
    EXPECT_TRUE(json["machine"].contains(key)) << key;
  EXPECT_GT(json["timing"]["clock_overhead_ns"], 0);
  ASSERT_FALSE(result.tables.empty());
  EXPECT_NE(result.report.html().find("False negatives"), std::string::npos);
}

class SetsOfAFolder : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_ / "rack");
    for (const char* file :
         {"rack/vertex-face.csv", "rack/edge-edge.csv", "hook_vf.csv", "coffee.csv", "notes.txt"})
      std::ofstream(folder_ / file).flush();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::vector<std::string> names(std::optional<Kind> kind) const {
    std::vector<std::string> found;
    for (const NamedSet& set : read_sets({folder_}, kind))
      found.push_back(set.name + " " + name(set.kind));
    return found;
  }

  const std::filesystem::path folder_ =
      testing::TempDir() + testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(SetsOfAFolder, AreThoseWhoseNamesContainTheKind) {
  EXPECT_EQ(names({}),
            (std::vector<std::string>{"hook vertex-face", "rack edge-edge", "rack vertex-face"}));
}

TEST_F(SetsOfAFolder, AreThoseOfTheRequestedKindAndThoseWithoutAKind) {
  EXPECT_EQ(names(Kind::edge_edge),
            (std::vector<std::string>{"coffee edge-edge", "rack edge-edge"}));
}

TEST_F(SetsOfAFolder, AreReadByNameWhereTheFileIsGiven) {
  EXPECT_THROW(read_sets({folder_ / "coffee.csv"}, {}), io::FileError);
  EXPECT_EQ(read_sets({folder_ / "coffee.csv"}, Kind::edge_edge)[0].name, "coffee");
}

TEST(AreaInclusion, IsShownBesideThePublishedTable) {
  Request request;
  request.count = 2000;
  const Result result = find_suite("area-inclusion")->run(request, {});
  const auto json = json_of(result);
  ASSERT_EQ(json["rows"].size(), 8u);
  for (const auto& row : json["rows"]) {
    EXPECT_EQ(row["queries"], 2000);
    EXPECT_EQ(row["checked_queries"], 2000);
    EXPECT_EQ(row["false_negatives"], 0) << row;
    // About 7.7 % of random queries touch; the tolerance is four standard deviations.
    EXPECT_NEAR(row["hits"].get<double>(), 0.0773 * 2000, 48) << row;
    EXPECT_EQ(row["hits"], row["odd_hits"].get<int>() + row["even_hits"].get<int>());
  }
}

TEST(Suites, ReadAnInputOnlyIfTheirRowNamesIt) {
  const Suite& paper = *find_suite("papers");
  EXPECT_TRUE(paper.reads(Input::methods));
  EXPECT_FALSE(paper.reads(Input::tolerances));
  for (const Suite& suite : suites()) {
    EXPECT_TRUE(suite.reads(Input::count)) << suite.name;
    EXPECT_FALSE(suite.reads(Input::data) && suite.reads(Input::queries)) << suite.name;
  }
}

TEST(Suites, TakeOneFolderOfRealData) {
  EXPECT_EQ(real_data({testing::TempDir()}), testing::TempDir());
  EXPECT_THROW(real_data({"somewhere"}), std::invalid_argument);
  EXPECT_THROW(real_data({testing::TempDir(), testing::TempDir()}), std::invalid_argument);
  EXPECT_TRUE(inside({}, "scenes").empty());
}

TEST(Suites, AreFoundByName) {
  for (const Suite& suite : suites()) EXPECT_EQ(find_suite(suite.name), &suite);
  EXPECT_EQ(find_suite("nonsense"), nullptr);
}

}  // namespace
}  // namespace graze::bench::suite_test
