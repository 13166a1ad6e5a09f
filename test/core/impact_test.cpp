#include "graze/impact.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace graze::impact_test {
namespace {

TEST(Tolerance, RoundsUpByAtMostOnePartIn32) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-300, 300);
  for (int i = 0; i < 100000; ++i) {
    const double length = std::pow(10, exponent(random));
    const double stored = Tolerance(length);
    ASSERT_GE(stored, length);
    ASSERT_LE(stored, length * (1 + 0x1p-5));
    ASSERT_EQ(double{Tolerance(stored)}, stored);
  }
}

TEST(Tolerance, KeepsZeroInfinityAndNan) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(double{Tolerance(0.0)}, 0);
  EXPECT_EQ(double{Tolerance(-0.0)}, 0);
  EXPECT_FALSE(std::signbit(double{Tolerance(-0.0)}));
  EXPECT_EQ(double{Tolerance(inf)}, inf);
  EXPECT_EQ(double{Tolerance(std::numeric_limits<double>::max())}, inf);
  EXPECT_GE(double{Tolerance(5e-324)}, 5e-324);
  EXPECT_LE(double{Tolerance(5e-324)}, 0x1p-1000);
  EXPECT_TRUE(std::isnan(double{Tolerance(Impact::nan)}));
  EXPECT_TRUE(std::isnan(double{Tolerance(-1.0)}));
  EXPECT_TRUE(std::isnan(double{Tolerance()}));
}

}  // namespace
}  // namespace graze::impact_test
