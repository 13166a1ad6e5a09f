#include "graze/exact/arena/gap_polynomial.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "graze/core/numeric/float_environment.h"
#include "graze/generate/random.h"
#include "test/support/arena.h"
#include "test/support/scale.h"

namespace graze::exact::gap_polynomial_test {
namespace {

using generate::Random;
using test::BigInteger;
using Rational = boost::multiprecision::cpp_rational;

struct Factors {
  std::vector<Rational> roots;  // with multiplicity
  bool has_complex = false;     // a factor t^2 + 1
};

GapPolynomial in_arena(Arena& arena, const Factors& factors, bool negated = false) {
  const auto make = [&](const std::vector<BigInteger>& c) {
    GapPolynomial p;
    for (std::size_t i = 0; i < c.size(); ++i) p.c[i] = test::in_arena(arena, c[i]);
    p.degree = static_cast<int>(c.size()) - 1;
    return p;
  };
  GapPolynomial p = make({negated ? -1 : 1});
  for (const Rational& root : factors.roots) p = p * make({-numerator(root), denominator(root)});
  return factors.has_complex ? p * make({1, 0, 1}) : p;
}

// Returns a root from a small pool, so that many coincide or nearly do.
Rational random_root(Random& random) {
  const BigInteger scale = BigInteger(random.integer(1, 12)) << (random.one_in(3) ? 80 : 0);
  BigInteger numerator = scale * random.integer(-1, 9) / 8;
  if (random.one_in(2)) numerator += random.integer(-1, 1);
  return Rational(numerator, scale);
}
Factors random_factors(Random& random, int most) {
  Factors factors;
  for (int i = random.integer(1, most); i > 0; --i)
    factors.roots.push_back(!factors.roots.empty() && random.one_in(3) ? factors.roots.back()
                                                                       : random_root(random));
  factors.has_complex = static_cast<int>(factors.roots.size()) + 2 <= most && random.one_in(2);
  return factors;
}

int sign_of(const Factors& p, const Rational& t) {
  int sign = 1;
  for (const Rational& root : p.roots) sign *= t < root ? -1 : t > root ? 1 : 0;
  return sign;
}

TEST(GapPolynomial, SignsAndExpansionsAtADoubleAreThoseOfTheProduct) {
  const FloatEnvironment environment;
  for (std::size_t i = 0; i < test::scaled(2000); ++i) {
    SCOPED_TRACE(i);
    Random random("expansion", 0, 1, i);
    Arena arena;
    const Factors factors = random_factors(random, 6);
    const GapPolynomial p = in_arena(arena, factors);
    for (const double t : {0.0, 0.125, 1 / 3.0, random.uniform(), 1.0}) {
      const ArenaDyadic at = make_dyadic(arena, t);
      const int sign = sign_of(factors, Rational(t));
      EXPECT_EQ(sign_at(p, at), sign);
      EXPECT_EQ(expand(p, at).sign(), sign);
    }
  }
}

// The claims about roots and signs on a piece of time hold, and there nearly always are claims if
// the piece contains one simple root, or none is near it.
TEST(GapPolynomial, FindsTheRootsOfAPieceWithoutErrors) {
  const FloatEnvironment environment;
  int none = 0, one = 0, positive = 0;
  for (std::size_t i = 0; i < test::scaled(4000); ++i) {
    SCOPED_TRACE(i);
    Random random("piece", 0, 1, i);
    Arena arena;
    const Factors factors = random_factors(random, 6);
    const bool negated = random.one_in(2);
    const GapPolynomial p = in_arena(arena, factors, negated);
    const int turn = negated ? -1 : 1;
    double a = random.integer(0, 7) / 8.0, b = a + 0.125;
    if (random.one_in(2)) {  // around a root
      a = std::clamp(factors.roots[0].convert_to<double>(), 0.0, 0.875);
      b = a + std::ldexp(1.0, -random.integer(3, 52));
    }
    const LocalPolynomial local(
        expand(p, make_dyadic(arena, a)), expand(p, make_dyadic(arena, b)),
        {(b - a) / std::exp2(std::ilogb(b - a) + 1), std::ilogb(b - a) + 1});
    const Rational from(a), to(b);
    std::vector<Rational> inside;
    for (const Rational& root : factors.roots)
      if (root > from && root < to) inside.push_back(root);
    if (const auto roots = local.roots()) {
      ASSERT_EQ(static_cast<std::size_t>(*roots), inside.size());
      ++(*roots == 0 ? none : one);
    }
    if (local.positive_inside()) {
      ASSERT_TRUE(inside.empty());
      ASSERT_EQ(sign_of(factors, (from + to) / 2) * turn, 1);
      ++positive;
    }
    for (int k = 0; k <= 16 && local.never_positive(); ++k)
      ASSERT_LE(sign_of(factors, from + (to - from) * k / 16) * turn, 0);
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(none, 500);
  EXPECT_GT(one, 100);
  EXPECT_GT(positive, 200);
}

// Decides whether the conditions are positive at a root between two neighbouring doubles, also at
// multiple roots and at roots that a condition shares.
TEST(GapPolynomial, DecidesExactlyBetweenNeighbouringDoubles) {
  const FloatEnvironment environment;
  int yes = 0, no = 0;
  for (std::size_t i = 0; i < test::scaled(2000); ++i) {
    SCOPED_TRACE(i);
    Random random("between", 0, 1, i);
    Arena arena;
    const double lo = random.one_in(4) ? 0.5 : random.uniform(0.01, 1);
    const double hi = std::nextafter(lo, 1);
    const Rational cell = Rational(hi) - Rational(lo);
    const auto near = [&] {  // few places, so that they coincide; some outside
      return Rational(lo) + cell * Rational(random.integer(-1, 9), random.one_in(2) ? 8 : 7) +
             (random.one_in(4) ? Rational(random.integer(-1, 1), BigInteger(1) << 150)
                               : Rational(0));
    };
    Factors p;
    for (int k = random.integer(1, 3); k > 0; --k) p.roots.push_back(near());
    if (random.one_in(2)) p.roots.push_back(p.roots[0]);
    if (random.one_in(4)) p.roots.push_back(p.roots[0]);
    p.has_complex = p.roots.size() < 5 && random.one_in(2);
    std::vector<Factors> conditions;
    std::vector<bool> negated;
    std::vector<GapPolynomial> q;
    for (int k = random.integer(0, 4); k > 0; --k) {
      Factors condition;
      for (int j = random.integer(0, 2); j > 0; --j)
        condition.roots.push_back(random.one_in(2) ? p.roots[random.below(p.roots.size())]
                                                   : near());
      if (random.one_in(3) && !condition.roots.empty())
        condition.roots.push_back(condition.roots[0]);
      conditions.push_back(condition);
      negated.push_back(random.one_in(3));
      q.push_back(in_arena(arena, condition, negated.back()));
    }
    bool expected = false;
    for (const Rational& root : p.roots) {
      bool accepted = root > Rational(lo) && root < Rational(hi);
      for (std::size_t k = 0; k < conditions.size(); ++k)
        accepted = accepted && sign_of(conditions[k], root) * (negated[k] ? -1 : 1) > 0;
      expected = expected || accepted;
    }
    ASSERT_EQ(has_root_inside(in_arena(arena, p), q, lo, hi), expected);
    ++(expected ? yes : no);
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(yes, 500);
  EXPECT_GT(no, 500);
}

}  // namespace
}  // namespace graze::exact::gap_polynomial_test
