#include "bench/suites/rigid/rigid_suite.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bench/suites/rigid/rigid_measure.h"
#include "graze/generate/models.h"
#include "graze/rigid/model_advance.h"
#include "test/support/data.h"
#include "test/support/rigid_check.h"
#include "test/support/scale.h"

namespace graze::bench::rigid_suite_test {
namespace {

TEST(RigidSuite, MeasuresEveryScenarioAndHoldsItToItsBars) {
  Request request;
  request.paths = {"."};  // no real data
  request.count = 1;
  const Result result = run_rigid(request, {});
  const auto json = json_of(result);
  EXPECT_EQ(json["missing"].size(), 1u);
  std::vector<std::string> names;
  for (const auto& row : json["rows"]) {
    names.push_back(row["scenario"]);
    std::vector<std::string> methods;
    for (const auto& method : row["methods"]) {
      methods.push_back(method["method"]);
      EXPECT_EQ(method["missed"], 0) << row["scenario"] << methods.back();
      EXPECT_EQ(method["late"], 0) << row["scenario"] << methods.back();
    }
    EXPECT_EQ(row["methods"][0]["undecided"], 0) << row["scenario"];
    for (const char* method : {"graze", "fast", "pieces", "undirected", "screw_interval"})
      EXPECT_TRUE(std::count(methods.begin(), methods.end(), method)) << method;
    for (const auto& way : row["alg_1"]) {
      EXPECT_EQ(way["missed"], 0) << row["scenario"] << way["method"];
      EXPECT_EQ(way["late"], 0) << row["scenario"] << way["method"];
    }
    if (row["scenario"] == "knots 2,880") {
      EXPECT_EQ(row["alg_1"].size(), 4u);
    }
  }
  for (const char* name :
       {"figure against board", "knots 2,880", "knots 34,560", "rings, dynamics", "hovering"})
    EXPECT_TRUE(std::count(names.begin(), names.end(), name)) << name;
  EXPECT_FALSE(json["bars"].empty());
  ASSERT_EQ(json["mating_parts"].size(), 10u);
  for (const auto& row : json["mating_parts"])
    if (row["method"] == "certified") {
      EXPECT_EQ(row["verdict"], "separated") << row["motion"];
    }
  EXPECT_GE(json["preparation"].size(), 3u);
  for (const auto& row : json["preparation"]) EXPECT_GT(row["ready_s"], 0) << row["model"];
  EXPECT_NE(result.report.html().find("Figure 7: knots 11,520"), std::string::npos);
}

TEST(RigidSuite, RefusesACountOfZero) {
  Request request;
  request.count = 0;
  EXPECT_THROW(run_rigid(request, {}), std::invalid_argument);
}

TEST(RigidBars, NeedAPeerForTheirRatios) {
  RigidScenarioResult made;
  made.name = "made up";
  made.ours.median = 1e-3;
  const auto bar = [&](std::size_t i) { return rigid_bars({made})[i]; };
  EXPECT_FALSE(bar(0).measured);
  EXPECT_FALSE(bar(1).met());
  made.peers.emplace_back().median = 5e-3;
  EXPECT_TRUE(bar(0).met());
  EXPECT_DOUBLE_EQ(*bar(0).measured, 5);
  EXPECT_FALSE(bar(1).met());  // 5 is below 8
}

TEST(RigidMeasure, RunsFastOnAllShotsAndComparesMethodsOnTheSameShots) {
  const generate::SurfaceModel cube = generate::box({1, 1, 1});
  RigidScenario scenario{"cubes", "", cube, cube, {}};
  scenario.threshold = 1e-3;
  for (std::uint64_t i = 0; i < 12; ++i)
    scenario.shots.push_back(random_shot(size_of(cube), true, 1, i));
  const RigidScenarioResult result = measure_rigid(scenario);
  EXPECT_EQ(result.ours.shots.size(), 12u);
  ASSERT_EQ(result.variants.size(), 4u);
  for (const RigidMethodResult& variant : result.variants)
    EXPECT_EQ(variant.shots.size(), variant.method == "fast" ? 12u : 10u) << variant.method;

  RigidMethodResult all, first;
  for (const double seconds : {1.0, 3.0, 100.0})
    all.shots.push_back({seconds, Verdict::contact, 0, 1});
  for (const double seconds : {4.0, 4.0}) first.shots.push_back({seconds, Verdict::contact, 0, 1});
  EXPECT_EQ(mean_ratio(first, all), 2);
  EXPECT_EQ(mean_ratio(all, first), 0.5);
  EXPECT_TRUE(std::isnan(mean_ratio(all, {})));
}

// Checks every shot of every scenario, or a few of each, by independent code.
TEST(RigidScenarios, AreAnsweredNeitherLateNorBeyondTheThreshold) {
  const std::size_t shots = std::min<std::size_t>(test::scaled(5), 250);
  std::vector<std::string> missing;
  for (const RigidScenario& scenario : rigid_scenarios(test::data_folder(), shots, 1, missing)) {
    const rigid::Model a = rigid::make_model(scenario.a.vertices, scenario.a.faces),
                       b = rigid::make_model(scenario.b.vertices, scenario.b.faces);
    rigid::AdvanceOptions options;
    options.threshold = scenario.threshold;
    std::size_t contacts = 0, unproven = 0;
    for (std::size_t i = 0; i < scenario.shots.size(); ++i) {
      const RigidShot& shot = scenario.shots[i];
      const Impact impact = advance(a, shot.a, b, shot.b, {options}).impact;
      ASSERT_NE(impact.verdict, Verdict::invalid);
      test::RigidCheck check(scenario.a.vertices, scenario.a.faces, shot.a, scenario.b.vertices,
                             scenario.b.faces, shot.b);
      const double claimed = impact.verdict == Verdict::separated ? 1 : impact.toi;
      const double proven = claimed > 0 ? check.free_until(claimed, 1e-13, 20'000'000) : 0;
      if (claimed > 0 && proven == 0)
        ++unproven;
      else
        // There must be contact at toi, within the threshold.
        EXPECT_GE(proven, claimed == 1 ? claimed : claimed - 1e-9) << scenario.name << " " << i;
      if (impact.verdict != Verdict::contact) continue;
      ++contacts;
      EXPECT_LE(check.distance_hi(impact.toi), scenario.threshold * (1 + 1e-9))
          << scenario.name << " " << i;
    }
    // The judge reaches every claim, and only the hovering bodies do not meet.
    EXPECT_EQ(unproven, 0u) << scenario.name;
    if (scenario.name == "hovering") {
      EXPECT_EQ(contacts, 0u);
    } else {
      EXPECT_GT(contacts, 0u) << scenario.name;
    }
  }
}

}  // namespace
}  // namespace graze::bench::rigid_suite_test
