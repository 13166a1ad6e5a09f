#include "graze/exact/arena/isolated_root.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "graze/generate/random.h"
#include "test/support/arena.h"
#include "test/support/scale.h"

namespace graze::exact::isolated_root_test {
namespace {

using generate::Random;
using test::BigInteger;
using test::in_arena;
using Rational = boost::multiprecision::cpp_rational;
using Coefficients = std::vector<BigInteger>;  // ascending

Coefficients times(const Coefficients& p, const Coefficients& q) {
  Coefficients product(p.size() + q.size() - 1);
  for (std::size_t i = 0; i < p.size(); ++i)
    for (std::size_t j = 0; j < q.size(); ++j) product[i + j] += p[i] * q[j];
  return product;
}

// Returns the product of (denominator t - numerator).
Coefficients with_roots(const std::vector<Rational>& roots) {
  Coefficients p{1};
  for (const Rational& r : roots) p = times(p, {-numerator(r), denominator(r)});
  return p;
}

Rational value(const Coefficients& p, const Rational& t) {
  Rational sum = 0;
  for (std::size_t i = p.size(); i-- > 0;) sum = sum * t + p[i];
  return sum;
}

struct Isolated {
  Arena arena;
  std::array<IsolatedRoot, 3> roots;
  int count;

  explicit Isolated(const Coefficients& p) : count(isolate_roots(in_arena(arena, p), roots)) {}
  IsolatedRoot& operator[](int i) { return roots[static_cast<std::size_t>(i)]; }
};

void expect_tight(IsolatedRoot root, const Rational& r) {
  refine(root);
  EXPECT_LE(Rational(root.lo), r);
  EXPECT_GE(Rational(root.hi), r);
  EXPECT_EQ(root.hi, Rational(root.lo) == r ? root.lo : std::nextafter(root.lo, 2.0));
  EXPECT_EQ(root.exact, root.lo == root.hi);
}

void expect_roots(std::vector<Rational> roots) {
  Isolated found(with_roots(roots));
  std::sort(roots.begin(), roots.end());
  roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
  std::erase_if(roots, [](const Rational& r) { return r < 0 || r > 1; });
  ASSERT_EQ(found.count, static_cast<int>(roots.size()));
  for (int i = 0; i < found.count; ++i) expect_tight(found[i], roots[static_cast<std::size_t>(i)]);
}

Rational ratio(const BigInteger& a, const BigInteger& b) {
  return Rational(a, b);
}

TEST(IsolatedRoot, FindsRationalRoots) {
  expect_roots({ratio(1, 3), ratio(2, 5), ratio(6, 7)});
  expect_roots({ratio(6, 7), ratio(1, 3)});
  expect_roots({ratio(1, 3)});
  expect_roots({ratio(-1, 3), ratio(1, 2), 2});
  expect_roots({ratio(4, 3), 2, 3});
}

TEST(IsolatedRoot, FindsRootsAtBothEnds) {
  expect_roots({0});
  expect_roots({1});
  expect_roots({0, 1});
  expect_roots({0, 1, ratio(1, 3)});
  expect_roots({0, 0, 1});
  expect_roots({1, 1, 0});
  expect_roots({0, 0, 0});
  expect_roots({1, 1, 1});
  expect_roots({0, 0, ratio(5, 9)});
  expect_roots({1, ratio(5, 9), ratio(5, 9)});
}

TEST(IsolatedRoot, FindsMultipleRoots) {
  expect_roots({ratio(1, 3), ratio(1, 3)});
  expect_roots({ratio(1, 3), ratio(1, 3), ratio(1, 3)});
  expect_roots({ratio(1, 2), ratio(1, 2), ratio(1, 2)});
  expect_roots({ratio(1, 3), ratio(1, 3), ratio(1, 2)});
  expect_roots({ratio(1, 3), ratio(1, 2), ratio(1, 2)});
  expect_roots({ratio(4, 3), ratio(4, 3), ratio(1, 2)});
  expect_roots({ratio(1, 3), ratio(1, 3), 7});
}

TEST(IsolatedRoot, FindsRootsThatAreSplitPoints) {
  expect_roots({ratio(1, 2), ratio(1, 4), ratio(3, 4)});
  expect_roots({ratio(1, 8), ratio(3, 8), ratio(1, 2)});
  expect_roots({ratio(1, 2), ratio(1, 2), ratio(1, 4)});
  expect_roots({ratio(1, 2), ratio(3, 7), ratio(4, 7)});
}

TEST(IsolatedRoot, FindsDyadicRootsThatAreNoDoubles) {
  const BigInteger fine = BigInteger(1) << 90;
  expect_roots({ratio(fine / 2 + 1, fine)});
  expect_roots({ratio(fine / 2 + 1, fine), ratio(fine / 2 + 3, fine), ratio(1, 2)});
  expect_roots({ratio(1, BigInteger(1) << 1200)});
  expect_roots({ratio((BigInteger(1) << 1200) - 1, BigInteger(1) << 1200), 1});
}

TEST(IsolatedRoot, SeparatesRootsCloserThanDoubles) {
  const BigInteger third = boost::multiprecision::pow(BigInteger(3), 60);
  const BigInteger half = BigInteger(1) << 300;
  expect_roots({ratio(third / 7, third), ratio(third / 7 + 1, third)});
  expect_roots({ratio(third / 7, third), ratio(third / 7 + 1, third), ratio(third / 7 + 2, third)});
  expect_roots({ratio(half / 2 - 1, half), ratio(half / 2 + 1, half)});
  expect_roots({ratio(half / 2 - 1, half), ratio(1, 2), ratio(half / 2 + 1, half)});
  expect_roots({ratio(half / 3, half), ratio(1, 3), ratio(half / 3 + 1, half)});
  expect_roots({ratio(1, half), ratio(2, half)});
}

TEST(IsolatedRoot, FindsIrrationalRoots) {
  const auto expect_root = [](const Coefficients& p, double near) {
    Isolated found(p);
    ASSERT_EQ(found.count, 1);
    IsolatedRoot root = found[0];
    refine(root);
    EXPECT_FALSE(root.exact);
    EXPECT_NEAR(root.lo, near, 1e-15);
    EXPECT_EQ(root.hi, std::nextafter(root.lo, 2.0));
    EXPECT_EQ(value(p, Rational(root.lo)).sign() * value(p, Rational(root.hi)).sign(), -1);
  };
  expect_root({-1, 0, 2}, std::sqrt(0.5));
  expect_root({-1, 1, 0, 1}, 0.6823278038280193);
  expect_root({-1, 0, 0, 3}, std::cbrt(1 / 3.0));
}

// Roots with multiplicities, split points, ends and factors without real roots, up to degree 9.
TEST(IsolatedRoot, FindsAllRootsUpToDegreeNine) {
  int multiple = 0;
  for (std::uint64_t i = 0; i < test::scaled(400); ++i) {
    Random random("degree nine", 0, test::seed(), i);
    std::vector<Rational> roots;
    Coefficients p{1};
    while (p.size() < 9) {
      if (p.size() < 8 && random.one_in(4)) {  // (t - a)^2 + b^2 with b > 0, perhaps small
        const BigInteger a = random.integer(1, 7), b = random.integer(1, 3);
        const BigInteger scale = BigInteger(1) << random.integer(0, 40);
        p = times(p, {a * a * scale * scale + b * b, -16 * a * scale * scale, 64 * scale * scale});
        continue;
      }
      Rational root = ratio(random.integer(-2, 18), random.one_in(2) ? 16 : random.integer(3, 16));
      if (!roots.empty() && random.one_in(3)) root = roots[random.below(roots.size())];
      roots.push_back(root);
      p = times(p, {-numerator(root), denominator(root)});
    }
    Arena arena;
    std::vector<ArenaInteger> c;
    for (const BigInteger& x : p) c.push_back(in_arena(arena, x));
    const auto polynomial = make_polynomial<9>(c);
    std::array<IsolatedRootUpTo<9>, 9> found;
    const int count = isolate_roots(polynomial, found);
    std::sort(roots.begin(), roots.end());
    multiple += std::adjacent_find(roots.begin(), roots.end()) != roots.end();
    roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
    std::erase_if(roots, [](const Rational& r) { return r < 0 || r > 1; });
    ASSERT_EQ(count, static_cast<int>(roots.size())) << i;
    for (int j = 0; j < count; ++j) {
      IsolatedRootUpTo<9>& root = found[static_cast<std::size_t>(j)];
      const Rational& r = roots[static_cast<std::size_t>(j)];
      // Signs at the root: of its own factor, of the polynomial and of its neighbours.
      ASSERT_EQ(sign_at(polynomial, root), 0) << i;
      for (const int shift : {-1, 0, 1}) {
        const Rational other = r + ratio(shift, BigInteger(1) << 70);
        const auto line = make_polynomial<9>(std::array{
            in_arena(arena, BigInteger(-numerator(other))), in_arena(arena, denominator(other))});
        ASSERT_EQ(sign_at(line, root), -shift) << i;
      }
      refine(root);
      ASSERT_LE(Rational(root.lo), r) << i;
      ASSERT_GE(Rational(root.hi), r) << i;
      ASSERT_EQ(root.hi, Rational(root.lo) == r ? root.lo : std::nextafter(root.lo, 2.0)) << i;
    }
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(multiple, 100);
}

TEST(IsolatedRoot, FindsNoRootWhereThereIsNone) {
  EXPECT_EQ(Isolated({1, -1, 1}).count, 0);           // complex roots
  EXPECT_EQ(Isolated({5}).count, 0);                  // a constant
  EXPECT_EQ(Isolated({26, -100, 100, -1}).count, 0);  // nearly a double root
}

// Returns roots from a small pool, so that many coincide, or nearly.
std::vector<Rational> random_roots(Random& random) {
  const BigInteger scale = BigInteger(random.integer(1, 12)) << (random.one_in(3) ? 80 : 0);
  std::vector<Rational> roots;
  for (int i = random.integer(1, 3); i > 0; --i) {
    BigInteger numerator = scale * random.integer(-1, 9) / 8;
    if (random.one_in(2)) numerator += random.integer(-1, 1);
    roots.push_back(Rational(numerator, scale));
  }
  return roots;
}

TEST(IsolatedRoot, FindsAllRootsOfRandomProducts) {
  for (std::size_t i = 0; i < test::scaled(3000); ++i) {
    SCOPED_TRACE(i);
    Random random("products", 0, 1, i);
    expect_roots(random_roots(random));
  }
}

TEST(IsolatedRoot, SignsAtARootAreExact) {
  int zeros = 0;
  for (std::size_t i = 0; i < test::scaled(3000); ++i) {
    SCOPED_TRACE(i);
    Random random("signs", 0, 1, i);
    std::vector<Rational> roots = random_roots(random);
    Isolated found(with_roots(roots));
    std::sort(roots.begin(), roots.end());
    roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
    std::erase_if(roots, [](const Rational& r) { return r < 0 || r > 1; });
    ASSERT_EQ(found.count, static_cast<int>(roots.size()));
    for (int k = 0; k < found.count; ++k)
      for (const bool refined : {false, true}) {
        if (refined) refine(found[k]);
        const Rational& root = roots[static_cast<std::size_t>(k)];
        for (int j = 0; j < 6; ++j) {
          Coefficients q = with_roots(random_roots(random));
          if (j % 2 == 0) {  // vanishing at the root or next to it
            const Rational near = root + Rational(random.integer(-1, 1), BigInteger(1) << 100);
            q = times({-numerator(near), denominator(near)}, {random.integer(-3, 3), 2});
          }
          if (random.one_in(2))
            for (BigInteger& c : q) c = -c;
          const int sign = value(q, root).sign();
          EXPECT_EQ(sign_at(in_arena(found.arena, q), found[k]), sign);
          zeros += sign == 0;
        }
      }
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(zeros, 1000);
}

TEST(IsolatedRoot, SignsAtAnIrrationalRootAreExact) {
  for (const bool refined : {false, true}) {
    Isolated half({-1, 0, 2});  // sqrt(1/2)
    if (refined) refine(half[0]);
    const auto sign = [&](const Coefficients& q) {
      return sign_at(in_arena(half.arena, q), half[0]);
    };
    EXPECT_EQ(sign({-1, 0, 2}), 0);
    EXPECT_EQ(sign({3, 0, -6}), 0);
    EXPECT_EQ(sign(times({-1, 0, 2}, {-7, 3})), 0);
    EXPECT_EQ(sign({0}), 0);
    EXPECT_EQ(sign({-4}), -1);
    EXPECT_EQ(sign({-1, 1}), -1);
    EXPECT_EQ(sign({-1, 0, 3}), 1);
    // 10^k sqrt(1/2) lies strictly between its floor and its floor plus one.
    for (int digits = 1; digits < 60; ++digits) {
      const BigInteger power = boost::multiprecision::pow(BigInteger(10), unsigned(digits));
      const BigInteger floor = sqrt(BigInteger(power * power / 2));
      EXPECT_EQ(sign({-floor, power}), 1) << digits;
      EXPECT_EQ(sign({-floor - 1, power}), -1) << digits;
      EXPECT_EQ(sign({-floor * floor, 0, power * power}), 1) << digits;
    }
  }
}

TEST(IsolatedRoot, ComparesRootsOfDifferentPolynomials) {
  for (std::size_t i = 0; i < test::scaled(1000); ++i) {
    SCOPED_TRACE(i);
    Random random("compare", 0, 1, i);
    Arena arena;
    const auto isolate = [&](std::vector<Rational>& roots, std::array<IsolatedRoot, 3>& found) {
      const int count = isolate_roots(in_arena(arena, with_roots(roots)), found);
      std::sort(roots.begin(), roots.end());
      roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
      std::erase_if(roots, [](const Rational& r) { return r < 0 || r > 1; });
      return count;
    };
    std::vector<Rational> p = random_roots(random), q = random_roots(random);
    if (random.one_in(2)) q.back() = p.front();
    std::array<IsolatedRoot, 3> of_p, of_q;
    const int p_count = isolate(p, of_p), q_count = isolate(q, of_q);
    for (int a = 0; a < p_count; ++a)
      for (int b = 0; b < q_count; ++b) {
        const auto x = static_cast<std::size_t>(a), y = static_cast<std::size_t>(b);
        const int expected = p[x] < q[y] ? -1 : p[x] > q[y] ? 1 : 0;
        EXPECT_EQ(order(of_p[x], of_q[y]), expected);
        EXPECT_EQ(compare(of_p[x], of_q[y]), expected);
        expect_tight(of_p[x], p[x]);  // still the same numbers
        expect_tight(of_q[y], q[y]);
      }
  }
}

TEST(ArenaDyadic, OfADoubleIsThatDouble) {
  Arena arena;
  for (const double x : {0.0, 5e-324, 3e-310, 0.1, 0.5, 1.0}) {
    const ArenaDyadic t = make_dyadic(arena, x);
    const Rational r(x);
    EXPECT_EQ(sign_at(in_arena(arena, Coefficients{-numerator(r), denominator(r)}), t), 0) << x;
    EXPECT_EQ(exact_time(arena, x).lo, x);
    EXPECT_TRUE(exact_time(arena, x).exact);
  }
}

}  // namespace
}  // namespace graze::exact::isolated_root_test
