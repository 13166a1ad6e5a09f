#include "bench/suites/casts/cast_suite.h"

#include <gtest/gtest.h>

#include "test/support/scratch_folder.h"

namespace graze::bench::cast_suite_test {
namespace {

using CastSuite = test::ScratchFolder;

// The judge of the suite is a closed form: no answer is late, missed or too early.
TEST_F(CastSuite, CastsSpheresAndCapsulesWithoutFaults) {
  Request request;
  request.paths = {folder};  // it holds no data
  request.count = 60;
  request.seconds = 0.001;
  const Result result = find_suite("casts")->run(request, {});
  const auto json = json_of(result);
  std::size_t contacts = 0, own = 0;
  for (const auto& row : json["rows"]) {
    if (row["method"] != "graze") continue;
    ++own;
    contacts += row["contacts"].get<std::size_t>();
    for (const char* fault : {"missed", "late", "phantom", "early"})
      EXPECT_EQ(row[fault].get<int>(), 0) << row;
  }
  EXPECT_EQ(own, 4u);  // two worlds, two shapes
  EXPECT_GT(contacts, 40u);
}

TEST_F(CastSuite, RefusesACountOfZero) {
  Request request;
  request.count = 0;
  EXPECT_THROW(run_casts(request, {}), std::invalid_argument);
}

}  // namespace
}  // namespace graze::bench::cast_suite_test
