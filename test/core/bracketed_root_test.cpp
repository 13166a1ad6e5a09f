#include "graze/core/numeric/bracketed_root.h"

#include <gtest/gtest.h>

#include "graze/generate/random.h"
#include "test/support/scale.h"

namespace graze::numeric::bracketed_root_test {
namespace {

using generate::Random;

// f(t) = a (t - r) ((t - p)^2 + q), q > 0, changes its sign at r alone.
struct Cubic {
  double a, r, p, q;

  double value(double t) const { return a * (t - r) * ((t - p) * (t - p) + q); }
  double slope(double t) const { return a * ((t - p) * (t - p) + q) + a * (t - r) * 2 * (t - p); }
  double root(double lo, double hi, double start, int limit) const {
    return bracketed_root(
        {lo, hi, a > 0, start}, limit, [this](double t) { return value(t); },
        [this](double t, double f) { return t - f / slope(t); }, [](double) { return 0x1p-45; });
  }
};

TEST(BracketedRoot, FindsTheRoot) {
  for (std::size_t i = 0; i < test::scaled(5000); ++i) {
    Random random("bracketed root", 0, 1, i);
    const double a = random.nonzero(-3, 3), r = random.uniform(0, 1), p = random.uniform(0, 1);
    const double start = random.uniform(0, 1), q = 1e-3 + random.uniform(0, 1);
    EXPECT_NEAR((Cubic{a, r, p, q}.root(0, 1, start, 100)), r, 0x1p-40) << i;
  }
}

TEST(BracketedRoot, StaysInTheBracketWhateverTheSteps) {
  for (std::size_t i = 0; i < test::scaled(2000); ++i) {
    Random random("wild steps", 0, 1, i);
    const double r = random.uniform(0, 1), start = random.uniform(0, 1);
    const bool rising = random.one_in(2);
    const auto value = [&](double t) { return rising ? t - r : r - t; };
    const auto wild = [&](double, double) {
      return random.one_in(4) ? std::nan("") : random.uniform(-2, 3);
    };
    const double t =
        bracketed_root({0, 1, rising, start}, 200, value, wild, [](double) { return 0x1p-50; });
    EXPECT_NEAR(t, r, 0x1p-20) << i;
  }
}

TEST(BracketedRoot, ReturnsARootThatIsHitAndStopsAtTheLimit) {
  const Cubic f{1, 0.5, 0.25, 1};
  EXPECT_EQ(f.root(0, 1, 0.5, 100), 0.5);
  EXPECT_EQ(f.root(0, 1, 0.75, 0), 0.75);
}

}  // namespace
}  // namespace graze::numeric::bracketed_root_test
