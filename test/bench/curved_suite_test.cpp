#include "bench/suites/curved/curved_suite.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "graze/generate/curved_families.h"
#include "graze/generate/scenes.h"
#include "graze/generate/turning_families.h"
#include "test/support/scratch_folder.h"

namespace graze::bench::curved_suite_test {
namespace {

using CurvedSuite = test::ScratchFolder;

TEST_F(CurvedSuite, JudgesEveryFamilyAndCurve) {
  Request request;
  request.count = 12;
  request.seconds = 0.001;
  request.paths = {folder};  // no real data
  const auto json = json_of(run_curved(request, {}));
  const auto& rows = json["rows"];
  // Two kinds; three curves.
  EXPECT_EQ(rows.size(),
            generate::curved_families().size() * 2 * 3 + generate::turning_families().size() * 2);
  ASSERT_EQ(json["scenes"].size(), generate::scene_recipes().size());
  EXPECT_EQ(json["missing"].size(), 3u);
  std::size_t judged = 0;
  for (const auto& scene : json["scenes"]) {
    for (const char* error : {"false_positives", "false_negatives", "undecided", "late"})
      EXPECT_EQ(scene[error], 0) << scene;
    judged += scene["judged"].get<std::size_t>();
  }
  EXPECT_GT(judged, 50u);
  std::size_t hits = 0;
  for (const auto& row : rows) {
    for (const char* error : {"false_positives", "false_negatives", "undecided", "late"})
      EXPECT_EQ(row[error], 0) << row;
    EXPECT_GT(row["ns_per_query"], 0) << row;
    hits += row["hits"].get<std::size_t>();
  }
  EXPECT_GT(hits, 100u);
  for (const auto& bar : json["bars"])
    EXPECT_TRUE(bar["unit"] != "" || bar["met"].get<bool>()) << bar;
}

TEST_F(CurvedSuite, RefusesOtherKinds) {
  Request request;
  request.kind = Kind::vertex_vertex;
  EXPECT_THROW(run_curved(request, {}), std::invalid_argument);
}

}  // namespace
}  // namespace graze::bench::curved_suite_test
