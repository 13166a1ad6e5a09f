#include "graze/core/numeric/double_double.h"

#include <gtest/gtest.h>

#include <cmath>

#include "graze/core/numeric/unit_roundoff.h"
#include "graze/generate/random.h"
#include "test/support/rational_contact.h"
#include "test/support/scale.h"

namespace graze::numeric::double_double_test {
namespace {

using generate::Random;
using test::Rational;

Rational exact(const PairNumber& x) {
  return Rational(x.hi) + Rational(x.lo);
}
Rational size_of(const Rational& x) {
  return x < 0 ? Rational(-x) : x;
}

// Returns a double of any of 2 * 300 magnitudes; in one of three cases it has few digits and is
// then often equal to another one.
double draw(Random& random) {
  const double x = random.one_in(3) ? random.integer(-9, 9) / 8. : random.uniform(-1, 1);
  return std::ldexp(x, random.one_in(2) ? random.integer(-3, 3) : random.integer(-300, 300));
}
PairNumber draw_pair(Random& random) {
  const double hi = draw(random);
  return fast_sum(hi, random.one_in(4) ? 0 : random.uniform(-1, 1) * u * hi);
}

TEST(DoubleDouble, SumsAndProductsOfDoublesAreExact) {
  for (std::size_t i = 0; i < test::scaled(20000); ++i) {
    Random random("two sum", 0, 1, i);
    const double a = draw(random), b = draw(random);
    const PairNumber sum = two_sum(a, b), product = two_product(a, b);
    ASSERT_EQ(sum.hi, a + b) << i;
    ASSERT_EQ(exact(sum), Rational(a) + Rational(b)) << i;
    ASSERT_EQ(product.hi, a * b) << i;
    ASSERT_EQ(exact(product), Rational(a) * Rational(b)) << i;
    const double larger = std::abs(a) > std::abs(b) ? a : b, smaller = larger == a ? b : a;
    ASSERT_EQ(exact(fast_sum(larger, smaller)), Rational(a) + Rational(b)) << i;
  }
}

TEST(DoubleDouble, OperationsAreWithinTheirBounds) {
  const Rational uu = Rational(u) * Rational(u);
  for (std::size_t i = 0; i < test::scaled(20000); ++i) {
    Random random("double double", 0, 1, i);
    const PairNumber a = draw_pair(random);
    const PairNumber b = random.one_in(5) ? PairNumber{-a.hi, a.lo} : draw_pair(random);
    const double c = draw(random);
    const Rational x = exact(a), y = exact(b), z(c);
    const auto check = [&](const PairNumber& result, const Rational& truth, const Rational& bound) {
      EXPECT_EQ(result.hi, result.hi + result.lo) << i;
      EXPECT_LE(size_of(exact(result) - truth), bound) << i;
    };
    check(a + b, x + y, 3 * uu * (size_of(x) + size_of(y)));
    check(a - b, x - y, 3 * uu * (size_of(x) + size_of(y)));
    check(a * b, x * y, 8 * uu * size_of(x * y));
    check(c * b, z * y, 4 * uu * size_of(z * y));
    check(-a, -x, 0);
  }
}

TEST(DoubleDouble, VectorsAgreeWithRationals) {
  const double bound = 100 * u * u;
  for (std::size_t i = 0; i < test::scaled(2000); ++i) {
    Random random("pair vectors", 0, 1, i);
    const Vec3 p = random.cube(-1, 1), q = random.cube(-1, 1), r = random.cube(-1, 1);
    const auto pair = [](const Vec3& x, const Vec3& y) -> PairVector {
      return {two_sum(x[0], -y[0]), two_sum(x[1], -y[1]), two_sum(x[2], -y[2])};
    };
    const PairVector a = pair(p, r), b = pair(q, r);
    Rational x[3], y[3];
    for (int k = 0; k < 3; ++k) {
      x[k] = Rational(p[k]) - Rational(r[k]);
      y[k] = Rational(q[k]) - Rational(r[k]);
    }
    ASSERT_LE(size_of(exact(dot(a, b)) - (x[0] * y[0] + x[1] * y[1] + x[2] * y[2])), bound) << i;
    const PairVector n = cross(a, b), d = a - b;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t l = (k + 1) % 3, m = (k + 2) % 3;
      ASSERT_LE(size_of(exact(n[k]) - (x[l] * y[m] - x[m] * y[l])), bound) << i;
      ASSERT_LE(size_of(exact(d[k]) - (x[k] - y[k])), bound) << i;
    }
  }
}

}  // namespace
}  // namespace graze::numeric::double_double_test
