#include "apps/graze-sim/rigid_checks.h"

#include <gtest/gtest.h>

#include <limits>

namespace graze::command {
namespace {

TEST(RigidChecks, PassAtTheirLimitAndFailBeyondIt) {
  EXPECT_EQ(energy_failure(1e-6, 1), "");
  EXPECT_EQ(energy_failure(2e-6, 1), "the energy grew by 2e-06 J, more than the 1e-06 J allowed");
  EXPECT_EQ(stopped_failure(19, 4, 480), "");
  EXPECT_EQ(stopped_failure(20, 4, 480),
            "20 bodies were stopped within steps, more than the 19.2 allowed");
  EXPECT_EQ(rest_failure(8, 8), "");
  EXPECT_EQ(rest_failure(8.1, 8), "a body still moved after 8.1 s, but 8 s are allowed");
  EXPECT_EQ(joint_failure(5e-3, 1e-3), "");
  EXPECT_EQ(joint_failure(0.006, 1e-3), "a joint opened by 0.006 m, more than the 0.005 m allowed");
  EXPECT_EQ(drift_failure(1e-4), "");
  EXPECT_EQ(drift_failure(2e-4),
            "a brick moved by 0.0002 m before the first shot, more than the 0.0001 m allowed");
}

// A quantity that is not a number fails its check.
TEST(RigidChecks, FailOnNaN) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(energy_failure(nan, 1), "");
  EXPECT_NE(rest_failure(nan, 8), "");
  EXPECT_NE(joint_failure(nan, 1), "");
  EXPECT_NE(drift_failure(nan), "");
}

}  // namespace
}  // namespace graze::command
