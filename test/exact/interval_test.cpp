#include "graze/exact/interval.h"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <random>

#include "test/support/scale.h"

namespace graze::exact::interval_test {
namespace {

using Rational = boost::multiprecision::cpp_rational;
constexpr double largest = std::numeric_limits<double>::max();
constexpr double infinity = std::numeric_limits<double>::infinity();

// Returns whether the interval does not exclude x.
bool holds(const Interval& interval, const Rational& x) {
  const bool above = std::isfinite(interval.lo) && x < Rational(interval.lo);
  const bool below = std::isfinite(interval.hi) && x > Rational(interval.hi);
  return interval.lo != infinity && interval.hi != -infinity && !above && !below;
}

// Draws numbers of every magnitude: zeros, denormals, neighbours and the largest among them.
class Numbers {
 public:
  double operator()() {
    switch (random_() % 8) {
      case 0:
        return 0;
      case 1:
        return sign() * 0x1p-1074 * static_cast<double>(random_() % 8);
      case 2:
        return sign() * std::ldexp(largest, -static_cast<int>(random_() % 3));
      case 3:
        return sign() * (1 + 0x1p-52 * static_cast<double>(random_() % 4));
      default:
        return sign() * std::ldexp(1 + static_cast<double>(random_() >> 12) * 0x1p-52,
                                   static_cast<int>(random_() % 2040) - 1070);
    }
  }
  double sign() { return random_() % 2 == 0 ? 1 : -1; }
  Interval interval() {
    const double x = (*this)(), y = random_() % 4 == 0 ? x : (*this)();
    return {std::min(x, y), std::max(x, y)};
  }

 private:
  std::mt19937_64 random_{7};
};

TEST(Interval, HoldsEveryResultOfAnOperation) {
  Numbers numbers;
  int unbounded = 0, bounded = 0;
  for (std::size_t i = 0; i < test::scaled(5000); ++i) {
    const Interval x = numbers.interval(), y = numbers.interval();
    const Interval sum = x + y, difference = x - y, product = x * y;
    ++(std::isfinite(product.width()) ? bounded : unbounded);
    for (const double a : {x.lo, x.hi})
      for (const double b : {y.lo, y.hi}) {
        ASSERT_TRUE(holds(sum, Rational(a) + Rational(b))) << a << ' ' << b;
        ASSERT_TRUE(holds(difference, Rational(a) - Rational(b))) << a << ' ' << b;
        ASSERT_TRUE(holds(product, Rational(a) * Rational(b))) << a << ' ' << b;
      }
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(unbounded, 250);
  EXPECT_GT(bounded, 250);
}

TEST(Interval, TimesANonnegativeIntervalIsTheProduct) {
  Numbers numbers;
  for (std::size_t i = 0; i < test::scaled(5000); ++i) {
    const Interval x = numbers.interval();
    const double s = std::abs(numbers()), t = std::abs(numbers());
    const Interval y(std::min(s, t), std::max(s, t)), product = times_nonnegative(x, y);
    for (const double a : {x.lo, x.hi})
      for (const double b : {y.lo, y.hi})
        ASSERT_TRUE(holds(product, Rational(a) * Rational(b))) << a << ' ' << b;
  }
}

// With an unbounded operand, whichever bound is missing, no possible result is excluded.
TEST(Interval, NothingIsExcludedAfterAnOverflow) {
  const Interval large(largest), small(0x1p-1074), beyond = large + large, past = -large - large;
  for (const Interval& x : {beyond, past, beyond - beyond, large * large, -(large * large)})
    for (const Interval& y : {Interval(0), small, Interval(-1, 1), Interval(3), beyond, past}) {
      EXPECT_TRUE((x * y).may_be_zero() || std::isfinite(y.width()));
      EXPECT_TRUE(!((x * y).lo > largest) && !((x * y).hi < -largest));
      EXPECT_TRUE(!((y * x).lo > largest) && !((y * x).hi < -largest));
      EXPECT_TRUE(!((x + y).lo > largest) && !((x + y).hi < -largest));
      EXPECT_EQ((x + y).magnitude(), infinity);
    }
  EXPECT_TRUE((beyond + past).may_be_zero());
  EXPECT_TRUE((beyond * Interval(0)).may_be_zero());
  EXPECT_TRUE(times_nonnegative(beyond, Interval(0, 1)).may_be_zero());
}

TEST(Interval, WidensByAFewUnitsOfTheLastPlaceOnly) {
  const Interval product = Interval(3) * Interval(7), sum = Interval(1) + Interval(0x1p-60);
  EXPECT_LE(product.width(), 21 * 0x1p-49);
  EXPECT_LE(sum.width(), 0x1p-49);
  EXPECT_LE((Interval(0x1p-1074) * Interval(0.5)).width(), 0x1p-1070);
}

TEST(Interval, AMovingDifferenceHoldsItsPositions) {
  Numbers numbers;
  std::mt19937_64 random(5);
  for (std::size_t i = 0; i < test::scaled(5000); ++i) {
    const double x0 = numbers(), y0 = numbers(), x1 = numbers(), y1 = numbers();
    const MovingInterval moving(x0, y0, x1, y1);
    const double s = static_cast<double>(random() >> 11) * 0x1p-53;
    const Rational from = Rational(x0) - Rational(y0), to = Rational(x1) - Rational(y1);
    ASSERT_TRUE(holds(moving.at(s), from + Rational(s) * (to - from)));
    ASSERT_TRUE(holds(moving.at({s / 2, s}), from + Rational(s * 0.75) * (to - from)));
  }
}

}  // namespace
}  // namespace graze::exact::interval_test
