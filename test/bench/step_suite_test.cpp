#include "bench/suites/step/step_suite.h"

#include <gtest/gtest.h>

#include "bench/suites/step/step_measure.h"
#include "terminal/machine.h"
#include "test/support/data.h"
#include "test/support/scratch_folder.h"

namespace graze::bench::step_suite_test {
namespace {

using StepSuite = test::ScratchFolder;

TEST_F(StepSuite, MeasuresAClothOfGrowingSizeAndNamesWhatIsMissing) {
  Request request;
  request.paths = {folder};
  request.count = 1500;
  request.seconds = 0.001;
  const Result result = find_suite("step")->run(request, {});
  const auto json = json_of(result);
  EXPECT_EQ(json["missing"].size(), 3u);
  const auto& scaling = json["rows"];
  ASSERT_EQ(scaling.size(), 2u);
  EXPECT_NEAR(scaling[1]["triangles"].get<double>(), 1500, 150);
  for (const auto& row : scaling) {
    EXPECT_GT(row["contacts"].get<int>(), 0);
    EXPECT_GT(row["pairs"].get<int>(), row["contacts"].get<int>());
    EXPECT_GT(row["all_s"].get<double>(), 0);
    EXPECT_GT(row["peak_bytes"].get<double>(), 1e6);
  }
  EXPECT_EQ(json["races"].size(), 4 * pair_strategies().size());
  for (const auto& race : json["races"]) {
    EXPECT_GT(race["earliest_s"].get<double>(), 0);
    EXPECT_TRUE(race["agrees"].get<bool>()) << race;
  }
  ASSERT_EQ(json["sequences"].size(), 1u);
  EXPECT_EQ(json["sequences"][0]["steps"], 50);
  EXPECT_EQ(json["sequences"][0]["steps_differ"], 0);
  EXPECT_GE(json["sequences"][0]["steps_by_forecast"].get<int>(), 40);
  EXPECT_NE(result.report.html().find("peak memory"), std::string::npos);
}

TEST(StepTargets, AreMeasuredFromTheBestToTheLowest) {
  const auto scene = generate::find_scene_recipe("cloth_on_cone")->make(500, 2);
  const auto targets = measure_targets(scene.step(0), 0);
  ASSERT_GE(targets.size(), 1u);
  EXPECT_EQ(targets[0].target, machine().instruction_set);
  for (const TargetTimes& times : targets) {
    EXPECT_GT(times.enumerate, 0);
    EXPECT_GT(times.earliest, 0);
    EXPECT_GT(times.all, 0);
  }
}

TEST(StartCheck, IsMeasuredBesideTheSearchesWithoutIt) {
  const auto scene = generate::find_scene_recipe("cloth_on_cone")->make(2000, 2);
  const StartCheckTimes times = measure_start_check(scene.step(0), 0);
  EXPECT_GT(times.first_without, 0);
  EXPECT_GT(times.all_without, 0);
  EXPECT_GT(times.first_with, 0);
  EXPECT_GT(times.all_with, 0);
}

// On cloth-ball the check lists tens of thousands of piercings, which takes a good part of the
// time.
TEST(StartCheck, TakesTimeWhereManyEdgesPierceFaces) {
  GRAZE_SKIP_WITHOUT_DATA();
  const Scene scene = read_scene(test::data_folder() / "scenes" / "cloth-ball");
  EXPECT_GT(measure_start_check(scene.motion.moving(), 1).all_ratio(), 1);
}

TEST_F(StepSuite, MeasuresKernelsWithEachInstructionSet) {
  Request request;
  request.paths = {folder};
  request.count = 1500;
  request.seconds = 0.001;
  request.targets = true;
  const auto json = json_of(find_suite("step")->run(request, {}));
  EXPECT_EQ(json["missing"].size(), 3u);
  std::vector<std::string> names;
  for (const auto& row : json["kernels"]) {
    names.push_back(row["kernel"]);
    EXPECT_TRUE(row["same_answers"].get<bool>()) << row;
    EXPECT_TRUE(row["ns_per_item"].contains(machine().instruction_set)) << row;
    for (const auto& [target, ns] : row["ns_per_item"].items()) EXPECT_GT(ns.get<double>(), 0);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"moving tree", "box tree", "sweep", "direction"}));
}

TEST(StepSequence, InPartsBeginsAndEndsWithTheStep) {
  const auto scene = generate::find_scene_recipe("cloth_on_cone")->make(100, 2);
  const auto parts = in_parts(scene.step(0), 3);
  ASSERT_EQ(parts.frames.size(), 4u);
  EXPECT_EQ(parts.frames[0], scene.frames[0]);
  EXPECT_EQ(parts.frames[3], scene.frames[1]);
}

TEST_F(StepSuite, RefusesSeveralFoldersAndACountOfZero) {
  Request request;
  request.paths = {folder, folder};
  EXPECT_THROW(run_step(request, {}), std::invalid_argument);
  request.paths = {folder};
  request.count = 0;
  EXPECT_THROW(run_step(request, {}), std::invalid_argument);
}

// judge_step() must find a wrong, a missed and a late contact.
TEST(JudgeStep, FindsTheContactsOfTheScene) {
  GRAZE_SKIP_WITHOUT_DATA();
  Scene scene = read_scene(test::data_folder() / "scenes" / "cloth-funnel");
  const StepTruth truth = judge_step(scene, 1000, 1);
  EXPECT_EQ(truth.contacts, 134u);
  EXPECT_EQ(truth.wrong + truth.missed + truth.times_differ, 0u);
  EXPECT_EQ(truth.times, 134u);
  EXPECT_TRUE(truth.first_agrees);

  auto& contact = scene.edge_edge.contact;
  *std::find(contact.begin(), contact.end(), 0) = 1;
  EXPECT_EQ(judge_step(scene, 0, 1).missed, 1u);
  std::fill(contact.begin(), contact.end(), 0);
  EXPECT_EQ(judge_step(scene, 0, 1).wrong, 107u);
}

class StepOnScene
    : public testing::TestWithParam<std::tuple<const char*, std::size_t, std::size_t>> {};

TEST_P(StepOnScene, FindsExactlyTheTrueContacts) {
  GRAZE_SKIP_WITHOUT_DATA();
  const auto [name, contacts, piercings] = GetParam();
  const StepTruth truth = judge_step(read_scene(test::data_folder() / "scenes" / name), 500, 1);
  EXPECT_EQ(truth.contacts, contacts);
  EXPECT_EQ(truth.piercings, piercings);  // those of rational arithmetic on all pairs
  EXPECT_EQ(truth.wrong, 0u);
  EXPECT_EQ(truth.missed, 0u);
  EXPECT_EQ(truth.times, std::min<std::size_t>(contacts, 500));
  EXPECT_EQ(truth.times_differ, 0u);
  EXPECT_TRUE(truth.first_agrees);
}

INSTANTIATE_TEST_SUITE_P(All, StepOnScene,
                         testing::Values(std::tuple{"cloth-funnel", 27 + 107, 285},
                                         std::tuple{"armadillo-rollers", 4650 + 19308, 0},
                                         std::tuple{"cloth-ball", 19032 + 94822, 62655}),
                         [](const auto& scene) {
                           std::string name = std::get<0>(scene.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace graze::bench::step_suite_test
