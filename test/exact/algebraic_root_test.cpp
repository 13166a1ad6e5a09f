#include "graze/exact/judge/algebraic_root.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace graze::exact::algebraic_root_test {
namespace {

const Dyadic one{1, 0};

Polynomial with_root(int numerator, int denominator) {
  return {{-numerator, denominator}};
}

TEST(AlgebraicRoot, DecomposesEveryDoubleExactly) {
  for (const double x : {1.0, -3.0, 0.1, -5e-324, 1.7976931348623157e308, 0x1p-1022, 0x1.8p-1074}) {
    const auto [mantissa, exponent] = decompose(x);
    EXPECT_EQ(std::ldexp(static_cast<double>(mantissa), exponent), x);
    EXPECT_EQ(std::abs(mantissa) % 2, 1);
  }
  EXPECT_EQ(decompose(-0.0).mantissa, 0);
}

TEST(AlgebraicRoot, ComparesDyadicsByValue) {
  EXPECT_EQ(compare(Dyadic{1, 1}, Dyadic{2, 2}), 0);
  EXPECT_LT(compare(Dyadic{1, 2}, Dyadic{1, 1}), 0);
  EXPECT_EQ(compare(Dyadic::middle(Dyadic{}, one), Dyadic::of(0.5)), 0);
}

TEST(AlgebraicRoot, FindsAllDistinctRootsInOrder) {
  const auto found = roots(with_root(2, 3) * with_root(1, 3) * with_root(1, 2), one);
  ASSERT_EQ(found.size(), 3u);
  const double expected[] = {1.0 / 3, 0.5, 2.0 / 3};
  for (std::size_t i = 0; i < 3; ++i) {
    AlgebraicRoot root = found[i];
    EXPECT_NEAR(root.enclosure().first, expected[i], 1e-15);
  }
}

TEST(AlgebraicRoot, FindsRootsAtBothEndsOnce) {
  const auto found = roots(with_root(0, 1) * with_root(1, 1) * with_root(1, 2), one);
  EXPECT_EQ(found.size(), 3u);
  EXPECT_EQ(roots(with_root(0, 1) * with_root(0, 1) * with_root(1, 1), one).size(), 2u);
  EXPECT_EQ(roots(with_root(1, 1) * with_root(1, 1) * with_root(1, 1), one).size(), 1u);
}

TEST(AlgebraicRoot, FindsMultipleRootsOnce) {
  for (const int denominator : {2, 3, 4, 7}) {
    const Polynomial p = with_root(1, denominator);
    EXPECT_EQ(roots(p * p, one).size(), 1u);
    EXPECT_EQ(roots(p * p * p, one).size(), 1u);
    EXPECT_EQ(roots(p * p * with_root(6, 7), one).size(), 2u);
  }
}

TEST(AlgebraicRoot, FindsARootOnceThatStartsPieceAfterPiece) {
  // Complex roots near 0.79 keep two variations in the pieces that begin at 3/4.
  const Polynomial p{{1401600, -5416960, 6979584, -2998272}};
  ASSERT_EQ(sign_at(p, {3, 2}), 0);
  EXPECT_EQ(roots(p, one).size(), 1u);
}

TEST(AlgebraicRoot, IgnoresRootsOutsideTheInterval) {
  EXPECT_TRUE(roots(with_root(-1, 3) * with_root(4, 3), one).empty());
  EXPECT_TRUE(roots(Polynomial{{1, 0, 1}}, one).empty());
  EXPECT_TRUE(roots(Polynomial{{5}}, one).empty());
  EXPECT_TRUE(roots(Polynomial{}, one).empty());
}

TEST(AlgebraicRoot, CountsARootExactlyAtTheEndOfTheInterval) {
  const double third = 1.0 / 3;  // below 1/3
  EXPECT_TRUE(roots(with_root(1, 3), Dyadic::of(third)).empty());
  EXPECT_EQ(roots(with_root(1, 3), Dyadic::of(std::nextafter(third, 1))).size(), 1u);
  EXPECT_EQ(roots(with_root(3, 8), Dyadic::of(0.375)).size(), 1u);
  EXPECT_TRUE(roots(with_root(3, 8), Dyadic::of(std::nextafter(0.375, 0))).empty());
}

TEST(AlgebraicRoot, EnclosesItselfInNeighbouringDoublesOrInOne) {
  std::mt19937 random(5);
  std::uniform_int_distribution<int> coefficient(-1000, 1000);
  int checked = 0;
  for (int i = 0; i < 3000; ++i) {
    const Polynomial p{
        {coefficient(random), coefficient(random), coefficient(random), coefficient(random)}};
    for (AlgebraicRoot root : roots(p, one)) {
      const auto [lo, hi] = root.enclosure();
      ++checked;
      if (lo == hi) {
        EXPECT_EQ(sign_at(p, Dyadic::of(lo)), 0);
      } else {
        EXPECT_EQ(std::nextafter(lo, 1), hi);
        EXPECT_LT(sign_at(p, Dyadic::of(lo)) * sign_at(p, Dyadic::of(hi)), 0);
      }
    }
  }
  EXPECT_GT(checked, 1000);
}

TEST(AlgebraicRoot, EnclosesTimesBelowTheSmallestDouble) {
  Polynomial p = with_root(1, 1);
  p.c[1] <<= 2000;
  AlgebraicRoot root = roots(p, one).at(0);
  EXPECT_EQ(root.enclosure(), std::pair(0.0, 5e-324));
}

TEST(AlgebraicRoot, EnclosesDenormalTimes) {
  Polynomial p = with_root(3, 1);
  p.c[1] <<= 1073;  // 3 * 2^-1073 = 6 denormal ulps
  AlgebraicRoot exactly = roots(p, one).at(0);
  EXPECT_EQ(exactly.enclosure(), std::pair(6 * 5e-324, 6 * 5e-324));
  p.c[1] <<= 2;
  AlgebraicRoot between = roots(p, one).at(0);
  EXPECT_EQ(between.enclosure(), std::pair(5e-324, 2 * 5e-324));
}

TEST(AlgebraicRoot, SeparatesTwoRootsBetweenNeighbouringDoubles) {
  // (3 t - 1)^2 = 2^-200.
  Polynomial p{{1, -6, 9}};
  for (Integer& c : p.c) c <<= 200;
  p.c[0] -= 1;
  auto found = roots(p, one);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].enclosure(), found[1].enclosure());
  EXPECT_EQ(found[0].sign_of(with_root(1, 3)), -1);
  EXPECT_EQ(found[1].sign_of(with_root(1, 3)), 1);
}

TEST(AlgebraicRoot, ReturnsTheSignOfAnotherPolynomial) {
  // t = 1 / sqrt 2.
  AlgebraicRoot root = roots(Polynomial{{-1, 0, 2}}, one).at(0);
  EXPECT_EQ(root.sign_of(Polynomial{{-2, 0, 4}}), 0);
  EXPECT_EQ(root.sign_of(Polynomial{{1, 0, -2}}), 0);
  EXPECT_EQ(root.sign_of(with_root(70710678, 100000000)), 1);
  EXPECT_EQ(root.sign_of(with_root(70710679, 100000000)), -1);
  EXPECT_EQ(root.sign_of(Polynomial{{-4}}), -1);
  EXPECT_EQ(root.sign_of(Polynomial{}), 0);
}

TEST(AlgebraicRoot, ReturnsTheSignOfAPolynomialThatAlmostVanishes) {
  // 2^301 t^2 = 2^300 - 1 against 2 t^2 = 1, which differ by a factor 1 - 2^-300.
  Polynomial near{{1, 0, 1}};
  near.c[0] -= Integer(1) << 300;
  near.c[2] <<= 301;
  AlgebraicRoot root = roots(near, one).at(0);
  EXPECT_EQ(root.sign_of(Polynomial{{-1, 0, 2}}), -1);
  AlgebraicRoot other = roots(Polynomial{{-1, 0, 2}}, one).at(0);
  EXPECT_EQ(other.sign_of(near), 1);
}

TEST(AlgebraicRoot, FindsAZeroAtASharedRootAmongOthers) {
  const Polynomial p = with_root(1, 3) * with_root(2, 5) * with_root(1, 7);
  for (AlgebraicRoot root : roots(p, one)) {
    int zeros = 0;
    for (const auto& factor : {with_root(1, 3), with_root(2, 5), with_root(1, 7)})
      zeros += root.sign_of(factor) == 0;
    EXPECT_EQ(zeros, 1);
    EXPECT_EQ(root.sign_of(p), 0);
  }
}

}  // namespace
}  // namespace graze::exact::algebraic_root_test
