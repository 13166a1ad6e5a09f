#include "graze/exact/judge/polynomial.h"

#include <gtest/gtest.h>

#include <random>

namespace graze::exact::polynomial_test {
namespace {

Polynomial random_polynomial(std::mt19937& random, int degree) {
  std::uniform_int_distribution<int> coefficient(-5, 5);
  Polynomial p;
  for (int i = 0; i <= degree; ++i) p.c[static_cast<std::size_t>(i)] = coefficient(random);
  return p;
}

const Dyadic zero, one{1, 0}, half{1, 1};

TEST(Polynomial, HasDegreeMinusOneOnlyWhenIdenticallyZero) {
  EXPECT_EQ(Polynomial{}.degree(), -1);
  EXPECT_EQ((Polynomial{{7}}).degree(), 0);
  EXPECT_EQ((Polynomial{{0, 0, 1}}).degree(), 2);
  EXPECT_EQ((Polynomial{{1, 2, 3, -4}}).degree(), 3);
}

TEST(Polynomial, MultipliesAndSubtractsBackToZero) {
  const Polynomial p{{1, 2}}, q{{3, -1, 5}};
  EXPECT_EQ((p * q).c, (decltype(Polynomial::c){3, 5, 3, 10}));
  EXPECT_TRUE((p * q - q * p).is_zero());
  EXPECT_EQ((p + q).c, (decltype(Polynomial::c){4, 1, 5, 0}));
}

TEST(Polynomial, CrossProductIsOrthogonalToItsFactors) {
  std::mt19937 random(1);
  for (int i = 0; i < 100; ++i) {
    PolynomialVector p, q;
    for (std::size_t k = 0; k < 3; ++k) {
      p[k] = random_polynomial(random, 1);
      q[k] = random_polynomial(random, 1);
    }
    EXPECT_TRUE(dot(p, cross(p, q)).is_zero());
    EXPECT_TRUE(dot(q, cross(p, q)).is_zero());
  }
}

TEST(Polynomial, HasTheSignOfItsValueAtADyadicTime) {
  const Polynomial p{{-1, 0, 4}};  // 4 t^2 - 1
  EXPECT_EQ(sign_at(p, zero), -1);
  EXPECT_EQ(sign_at(p, half), 0);
  EXPECT_EQ(sign_at(p, one), 1);
  EXPECT_EQ(sign_at(p, Dyadic::of(0x1.0000000000001p-1)), 1);
  EXPECT_EQ(sign_at(p, Dyadic::of(0x1.fffffffffffffp-2)), -1);
  EXPECT_EQ(sign_at(Polynomial{}, half), 0);
}

TEST(Polynomial, GcdIsTheCommonFactor) {
  std::mt19937 random(2);
  for (int i = 0; i < 200; ++i) {
    Polynomial common = random_polynomial(random, 1);
    common.c[1] = 1 + i % 4;
    const Polynomial p = common * random_polynomial(random, 2);
    const Polynomial q = common * random_polynomial(random, 1);
    const Polynomial g = gcd(p, q);
    if (p.is_zero() && q.is_zero()) continue;
    // The gcd contains the common factor and divides both polynomials.
    EXPECT_TRUE(gcd(g, common).degree() == 1);
    EXPECT_EQ(gcd(g, p).degree(), g.degree());
    EXPECT_EQ(gcd(g, q).degree(), g.degree());
  }
  EXPECT_EQ(gcd(Polynomial{{1, 1}}, Polynomial{{1, 2}}).degree(), 0);
  EXPECT_TRUE(gcd(Polynomial{}, Polynomial{}).is_zero());
}

TEST(Polynomial, SquarefreePartKeepsTheRootsAndDropsTheMultiplicities) {
  const Polynomial a{{-1, 3}}, b{{-2, 5}};
  EXPECT_EQ(squarefree_part(a * a * a).degree(), 1);
  const Polynomial aab = squarefree_part(a * a * b);
  EXPECT_EQ(aab.degree(), 2);
  EXPECT_EQ(gcd(aab, a * b).degree(), 2);
  EXPECT_EQ(squarefree_part(a * b).degree(), 2);
  EXPECT_EQ(squarefree_part(Polynomial{{4}}).degree(), 0);
}

// Appendix C of [Wang 2021], whose printed coefficients are wrong.
TEST(Bernstein, CoefficientsOfAppendixCAreThoseOfTheErratum) {
  const Polynomial p{{3, -44, 120, -72}};
  const Bernstein b(p, zero, one);
  EXPECT_EQ(b.control, (decltype(Polynomial::c){9, -35, 41, 21}));
  EXPECT_EQ(b.variations(), 2);
}

TEST(Bernstein, InterpolatesTheEndsOfAnyInterval) {
  std::mt19937 random(3);
  for (int i = 0; i < 300; ++i) {
    const Polynomial p = random_polynomial(random, i % 7);
    const Dyadic lo = Dyadic::of(0.01 * (i % 50)), hi = Dyadic::of(0.6 + 0.001 * i);
    const Bernstein b(p, lo, hi);
    if (p.is_zero()) continue;
    EXPECT_EQ(sign(b.control[0]), sign_at(p, lo));
    EXPECT_EQ(sign(b.control[static_cast<std::size_t>(b.degree)]), sign_at(p, hi));
  }
}

TEST(Bernstein, HalvesAreTheCoefficientsOnTheHalves) {
  std::mt19937 random(4);
  for (int i = 0; i < 300; ++i) {
    const Polynomial p = random_polynomial(random, i % 7);
    const auto [left, right] = Bernstein(p, zero, one).split();
    const Bernstein expected_left(p, zero, half), expected_right(p, half, one);
    for (std::size_t j = 0; j < left.control.size(); ++j) {
      EXPECT_EQ(left.control[j], expected_left.control[j]);
      EXPECT_EQ(right.control[j], expected_right.control[j]);
    }
  }
}

TEST(Bernstein, OneVariationMeansOneRootEvenWithRootsAtTheEnds) {
  const Polynomial p = Polynomial{{0, 1}} * Polynomial{{-1, 3}} * Polynomial{{-1, 1}};
  EXPECT_EQ(Bernstein(p, zero, one).variations(), 1);
  EXPECT_EQ(Bernstein(p, zero, one).common_sign(), 0);
  const Polynomial q = Polynomial{{0, 1}} * Polynomial{{-1, 1}};
  EXPECT_EQ(Bernstein(q, zero, one).variations(), 0);
  EXPECT_EQ(Bernstein(q, zero, one).common_sign(), -1);
}

}  // namespace
}  // namespace graze::exact::polynomial_test
