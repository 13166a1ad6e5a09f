#include "bench/suites/papers/paper_suite.h"

#include <fmt/format.h>

#include <set>

#include "bench/suites/papers/paper_published.h"
#include "bench/suites/papers/paper_report.h"
#include "bench/suites/papers/paper_scenes.h"
#include "test/support/generated.h"
#include "test/support/scratch_folder.h"

namespace graze::bench::paper_suite_test {
namespace {

class Paper : public test::ScratchFolder {
 protected:
  Request tiny() const {
    Request request;
    request.paths = {folder};  // it holds no real data
    request.count = 3;
    request.seconds = 0.004;
    request.threads = 1;
    return request;
  }
};

TEST_F(Paper, RunsWithoutDataAndListsTheMissingParts) {
  const Result result = run_paper(tiny(), {});
  const auto json = json_of(result);
  EXPECT_EQ(json["missing"].size(), 5u) << json["missing"];  // queries, 3 scenes, cloth-ball
  EXPECT_EQ(result.tables[0].caption, "Not measured: data not found (GRAZE_DATA names its folder)");

  std::set<std::string> measured, expected;
  for (const auto& row : json["rows"])
    measured.insert(fmt::format("{} {} {}", row["method"].get<std::string>(),
                                row["set"].get<std::string>(), row["kind"].get<std::string>()));
  for (const Method& method : methods())
    for (const char* set : {"handcrafted", "simulation"})
      for (const Kind kind : {Kind::vertex_face, Kind::edge_edge})
        if (method.has(kind))
          expected.insert(fmt::format("{} {} {}", method.name, set, name(kind)));
  EXPECT_EQ(measured, expected);

  for (const char* table :
       {"rows", "wang_table_2", "wang_figure_6", "wang_figure_7", "wang_figure_8", "huh_table_2"}) {
    EXPECT_FALSE(json[table].empty()) << table;
    for (const auto& row : json[table]) {
      const Method* method = find_method(row["method"].get<std::string>());
      ASSERT_TRUE(method);
      EXPECT_GT(row["queries"], 0) << row;
      if (method->guarantee == Guarantee::heuristic) continue;
      EXPECT_EQ(row["false_negatives"], 0) << table << row;
      EXPECT_EQ(row["late"], 0) << table << row;
      EXPECT_TRUE(method->guarantee != Guarantee::exact || row["false_positives"] == 0) << row;
    }
  }
  EXPECT_EQ(json["huh_table_2_shares"].size(), 3u);
  EXPECT_EQ(json["huh_figure_1"].size(), 8u);
  const std::string html = result.report.html();
  for (const char* part :
       {"Table 1 of [Wang 2021]: handcrafted, vertex-face (published: 21 thousand queries)",
        "publ. f-", "Figure 5", "Figure 6", "Figure 7", "Figure 8", "Table 2 of [Huh 2014]",
        "published fastCCD", "Missed and late contacts"})
    EXPECT_NE(html.find(part), std::string::npos) << part;
}

TEST_F(Paper, RecallsEverythingInASecondRun) {
  Request request = tiny();
  request.store = folder / "measured.jsonl";
  request.methods = {find_method("exact"), find_method("tight_inclusion")};
  const auto first = json_of(run_paper(request, {})), second = json_of(run_paper(request, {}));
  EXPECT_EQ(first["recalled_rows"], 0);
  for (const char* table :
       {"rows", "wang_table_2", "wang_figure_6", "wang_figure_7", "wang_figure_8", "huh_table_2"})
    EXPECT_EQ(first[table], second[table]) << table;
  EXPECT_GE(second["recalled_rows"], second["rows"].size());
}

TEST_F(Paper, ShowsTheSetsThatWereNotFinishedAndNeverExtrapolates) {
  Row row;
  row.queries = 12;
  row.set_size = 3456;
  EXPECT_EQ(reached(row).text, "12 of 3,456");
  row.queries = row.set_size;
  EXPECT_EQ(reached(row).text, "3,456");
}

TEST_F(Paper, RefusesACountOfZeroAndAMissingFolder) {
  for (const auto change :
       {+[](Request& r) { r.count = 0; }, +[](Request& r) { r.paths = {"nowhere"}; }}) {
    Request request = tiny();
    change(request);
    EXPECT_THROW(run_paper(request, {}), std::invalid_argument);
  }
}

TEST_F(Paper, ShufflesItsSetsTheSameWayEveryTime) {
  const auto once = read_paper_sets(folder, 3, 1, 1, {}),
             twice = read_paper_sets(folder, 3, 1, 2, {});
  const auto other = read_paper_sets(folder, 3, 2, 1, {});
  ASSERT_EQ(once.wang.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    const auto a = once.wang[i].data.coordinates(), b = twice.wang[i].data.coordinates();
    EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
    const auto c = other.wang[i].data.coordinates();
    EXPECT_FALSE(std::equal(a.begin(), a.end(), c.begin(), c.end()));
  }
  const auto few = first_of(once.wang[0], 2);
  EXPECT_EQ(few.size(), 2u);
  EXPECT_EQ(few.data.coordinates()[47], once.wang[0].data.coordinates()[47]);
}

// A published entry whose method is not in the table would not be shown.
TEST(Published, TablesNameScenesAndMethodsOnce) {
  std::set<std::string_view> names;
  for (const auto& row : published::wang_table_1) EXPECT_TRUE(names.insert(row.method).second);
  EXPECT_EQ(names.size(), 9u);
  std::set<std::string> scenes = {"Cloth-ball"};
  for (const auto& scene : paper_scenes(3, 1)) scenes.insert(scene.name);
  for (const auto& scene : published::huh_table_2)
    EXPECT_TRUE(scenes.contains(std::string(scene.name))) << scene.name;
  for (const auto& set : published::wang_table_2)
    for (std::size_t i = 0; i < set.size(); ++i)
      EXPECT_EQ(set[i].separation, published::wang_table_2[0][i].separation);
}

TEST(CubicShape, IsDecidedExactly) {
  const auto share = [](const char* family, auto&& has) {
    int count = 0;
    for (const auto& query : test::generated<VertexFace>(test::family(family), 50))
      count += has(cubic_shape(query));
    return count;
  };
  const auto degenerate = [](CubicShape shape) { return shape.degenerate; };
  const auto zero_a = [](CubicShape shape) { return shape.zero_a; };
  EXPECT_EQ(share("random", degenerate), 0);
  EXPECT_EQ(share("random", zero_a), 0);
  EXPECT_EQ(share("static", zero_a) + share("static", degenerate), 50);
  EXPECT_GT(share("collinear", degenerate), 25);

  VertexFace falls;
  falls.start = {Vec3(0, 0, 1), {-1, -1, 0}, {1, -1, 0}, {0, 1, 0}};
  falls.end = falls.start;
  falls.end[0].z() = -1;
  EXPECT_TRUE(cubic_shape(falls).zero_a);
  EXPECT_FALSE(cubic_shape(falls).degenerate);
  for (auto* side : {&falls.start, &falls.end})
    for (Vec3& corner : *side) corner.y() = 0;
  EXPECT_TRUE(cubic_shape(falls).degenerate);
  EXPECT_FALSE(cubic_shape(falls).zero_a);
}

}  // namespace
}  // namespace graze::bench::paper_suite_test
