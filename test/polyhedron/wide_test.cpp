#include "graze/polyhedron/move/wide.h"

#include <gtest/gtest.h>

#include "graze/generate/random.h"
#include "test/support/rational_contact.h"
#include "test/support/scale.h"

namespace graze::polyhedron::wide_test {
namespace {

using generate::Random;
using test::Rational;

// A number and the exact value that it represents.
struct Pair {
  Wide wide;
  Rational exact;
};

Pair operator+(const Pair& x, const Pair& y) {
  return {x.wide + y.wide, x.exact + y.exact};
}
Pair operator-(const Pair& x, const Pair& y) {
  return {x.wide - y.wide, x.exact - y.exact};
}
Pair operator*(const Pair& x, const Pair& y) {
  return {x.wide * y.wide, x.exact * y.exact};
}

Pair draw(Random& random, int scale) {
  const double x = random.one_in(3) ? random.integer(-9, 9) / 8. : random.uniform(-1, 1);
  const double y = std::ldexp(x, random.integer(-scale, scale));
  return {y, Rational(y)};
}

Rational distance(const Pair& x) {
  const Rational apart = Rational(x.wide.hi) + Rational(x.wide.lo) - x.exact;
  return apart < 0 ? Rational(-apart) : apart;
}

TEST(Wide, SumsAndProductsAreWithinTheirBounds) {
  for (std::size_t i = 0; i < test::scaled(2000); ++i) {
    Random random("wide", 0, 1, i);
    const int scale = random.one_in(4) ? 300 : 20;
    Pair x = draw(random, scale);
    for (int step = 0; step < 6; ++step) {
      const Pair y = draw(random, scale), z = draw(random, scale);
      x = random.one_in(2) ? x * y - z * z : (x + y) - y * x;
      if (!std::isfinite(x.wide.hi) || !std::isfinite(x.wide.err)) break;
      ASSERT_LE(distance(x), Rational(x.wide.err)) << i << ' ' << step;
      if (scale == 20) {
        ASSERT_LT(x.wide.err, 0x1p100) << i;
      }
    }
  }
}

TEST(Wide, TheErrorIsFarBelowThatOfADouble) {
  for (std::size_t i = 0; i < test::scaled(500); ++i) {
    Random random("wide volume", 0, 1, i);
    const auto point = [&] { return wide(random.cube(-1, 1)); };
    const Wide value = volume(point(), point(), point(), point());
    ASSERT_LT(value.err, 0x1p-98) << i;
  }
}

TEST(Wide, AQuotientIsBetweenTheReturnedNeighbouringDoubles) {
  std::size_t told = 0;
  for (std::size_t i = 0; i < test::scaled(2000); ++i) {
    Random random("wide quotient", 0, 1, i);
    const Pair a = draw(random, 9), b = draw(random, 9), c = draw(random, 9);
    const Pair n = a * b - c, d = b * c + a;
    if (d.exact == 0) continue;
    const auto time = rounded_quotient(n.wide, d.wide);
    if (!time) continue;
    ++told;
    const Rational q = n.exact / d.exact;
    ASSERT_LT(Rational(time->lo), q) << i;
    ASSERT_GT(Rational(time->hi), q) << i;
    ASSERT_EQ(time->hi, std::nextafter(time->lo, HUGE_VAL)) << i;
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(10 * told, 7 * test::scaled(2000));
}

TEST(Wide, AQuotientThatIsADoubleIsNotReturned) {
  for (std::size_t i = 0; i < test::scaled(500); ++i) {
    Random random("wide double", 0, 1, i);
    const double q = random.uniform(0, 1), d = random.uniform(1, 2);
    EXPECT_FALSE(rounded_quotient(Wide(q) * Wide(d), d)) << i;
  }
  EXPECT_FALSE(rounded_quotient(1., 0.));
  EXPECT_FALSE(rounded_quotient(1., Wide(0x1p-60, 0, 0x1p-60)));
  EXPECT_FALSE(rounded_quotient(NAN, 1.));
}

}  // namespace
}  // namespace graze::polyhedron::wide_test
