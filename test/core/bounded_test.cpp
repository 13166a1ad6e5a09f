#include "graze/core/numeric/bounded.h"

#include <gtest/gtest.h>

#include <cmath>

#include "graze/generate/random.h"
#include "test/support/rational_contact.h"
#include "test/support/scale.h"

namespace graze::numeric::bounded_test {
namespace {

using generate::Random;
using test::Rational;

// The two kinds of slack: at every operation, or for a chain of a few operations when the bound is
// read.
struct EachOperation {
  static double of_sum(double err) { return err * (1 + 0x1p-49); }
  static double of_product(double err) { return err * (1 + 0x1p-49) + 0x1p-1000; }
  static double when_read(double err) { return err; }
};
struct WhenRead {
  static double of_sum(double err) { return err; }
  static double of_product(double err) { return err; }
  static double when_read(double err) { return err * (1 + 0x1p-40) + 0x1p-900; }
};

template <class Slack>
struct BoundedTest : testing::Test {};
using Slacks = testing::Types<EachOperation, WhenRead>;
TYPED_TEST_SUITE(BoundedTest, Slacks);

// A number and an exact value within its bound.
template <class Slack>
struct Known {
  Bounded<Slack> computed;
  Rational exact;
};
template <class Slack>
Known<Slack> draw(Random& random) {
  const double x = random.one_in(3) ? random.integer(-9, 9) / 8. : random.uniform(-1, 1);
  const double value = std::ldexp(x, random.integer(-20, 20));
  const double err =
      random.one_in(2) ? 0 : std::ldexp(random.uniform(0, 1), random.integer(-60, 0));
  return {{value, err}, Rational(value) + Rational(err) * random.integer(-4, 4) / 4};
}

TYPED_TEST(BoundedTest, EnclosesTheExactValue) {
  std::size_t known = 0, unknown = 0;
  for (std::size_t i = 0; i < test::scaled(5000); ++i) {
    Random random("bounded", 0, 1, i);
    Known<TypeParam> x = draw<TypeParam>(random);
    for (int step = 0; step < 6; ++step) {
      const Known<TypeParam> y = draw<TypeParam>(random);
      switch (random.integer(0, 4)) {
        case 0:
          x = {x.computed + y.computed, x.exact + y.exact};
          break;
        case 1:
          x = {x.computed - y.computed, x.exact - y.exact};
          break;
        case 2:
          x = {x.computed * y.computed, x.exact * y.exact};
          break;
        case 3:
          x = {0.1 * x.computed, Rational(0.1) * x.exact};
          break;
        default:
          x = {x.computed - x.computed * y.computed, x.exact - x.exact * y.exact};
      }
      const Rational off = Rational(x.computed.value) - x.exact;
      ASSERT_LE(off < 0 ? Rational(-off) : off, Rational(x.computed.bound())) << i;
      const int sign = x.computed.sign();
      ASSERT_EQ(x.computed.is_positive(), sign > 0) << i;
      ASSERT_EQ(x.computed.is_negative(), sign < 0) << i;
      ASSERT_EQ((-x.computed).sign(), -sign) << i;
      ASSERT_TRUE(sign == 0 || sign == x.exact.sign()) << i;
      ++(sign != 0 ? known : unknown);
    }
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(known, 1000u);
  EXPECT_GT(unknown, 1000u);
}

TYPED_TEST(BoundedTest, NaNHasNoSign) {
  for (const Bounded<TypeParam>& x :
       {Bounded<TypeParam>{std::nan(""), 0}, Bounded<TypeParam>{1, std::nan("")}})
    EXPECT_EQ(x.sign(), 0);
}

}  // namespace
}  // namespace graze::numeric::bounded_test
