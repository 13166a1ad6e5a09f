#include "graze/core/numeric/newton_step.h"

#include <gtest/gtest.h>

#include <cmath>

#include "graze/generate/random.h"
#include "test/support/rational_contact.h"
#include "test/support/scale.h"

namespace graze::numeric::newton_step_test {
namespace {

using generate::Random;
using test::Rational;

// f(t) = a (t - r) (t + s), s > 0, has its only root in (0, 1] at the rational r.
struct Quadratic {
  double a, s;
  Rational r;

  Rational at(const Rational& t) const { return a * (t - r) * (t + s); }
  Rational rate(const Rational& t) const { return a * (2 * t + s - r); }
};

Rational size_of(const Rational& x) {
  return x < 0 ? Rational(-x) : x;
}

// Takes a step from a double near the root, with the error bounds of a caller that has f(t) to
// 2^-90 and its rate of change in a bracket of length 2 width.
RootCell<double> step(const Quadratic& f, double t, double width) {
  const double value = f.at(t).convert_to<double>(), rate = f.rate(t).convert_to<double>();
  const double rate_err = 2 * std::abs(f.a) * width + 4 * u * std::abs(rate);
  const double slowest = (std::abs(rate) - rate_err) * (1 - 4 * u);
  return newton_step(t, value, 0x1p-90, rate, rate_err / slowest, slowest);
}

TEST(NewtonStep, EnclosesTheRoot) {
  std::size_t sharp = 0, sides = 0;
  for (std::size_t i = 0; i < test::scaled(20000); ++i) {
    Random random("newton step", 0, 1, i);
    const double near = random.one_in(3) ? random.integer(1, 8) / 8. : random.uniform(0.01, 1);
    // The root is a double, or within far less than a bit of one, or anywhere between two.
    const double beside =
        random.one_in(4) ? 0
                         : random.uniform(-1, 1) * std::ldexp(1., -53 - 5 * random.integer(0, 9));
    const double scale = random.uniform(-2, 2), s = random.uniform(0.5, 2);
    if (scale == 0) continue;
    const Quadratic f{scale, s, Rational(near) + Rational(beside)};
    const double width = std::ldexp(1., -random.integer(10, 50));
    const double t = near + random.uniform(-1, 1) * width;
    const RootCell<double> cell = step(f, t, width);
    const Rational centre = Rational(cell.at) + Rational(cell.rest);
    ASSERT_LE(size_of(f.r - centre), Rational(cell.err)) << i;
    if (cell.sharp) {
      ++sharp;
      ASSERT_GT(f.r, Rational(std::nextafter(cell.at, 0.))) << i;
      ASSERT_LT(f.r, Rational(std::nextafter(cell.at, 2.))) << i;
    }
    ASSERT_FALSE(cell.above && cell.below) << i;
    if (cell.above || cell.below) {
      ++sides;
      ASSERT_TRUE(cell.sharp) << i;
      ASSERT_EQ(cell.above, f.r > Rational(cell.at)) << i;
      ASSERT_NE(f.r, Rational(cell.at)) << i;
    }
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(sharp, 5000u);
  EXPECT_GT(sides, 2000u);
}

TEST(NewtonStep, ARateThatMayVanishProvesNothing) {
  for (const double slowest : {0., -1., std::nan("")}) {
    const RootCell<double> cell = newton_step(0.5, 0x1p-60, 0., 1., 0., slowest);
    EXPECT_FALSE(cell.sharp || cell.above || cell.below) << slowest;
  }
}

}  // namespace
}  // namespace graze::numeric::newton_step_test
