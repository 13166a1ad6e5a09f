#include "graze/narrow/rivals/tight_bernstein.h"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <cfenv>
#include <random>

#include "graze/narrow/rivals/bounded_query.h"
#include "test/support/scale.h"
#include "test/support/workload.h"

namespace graze::narrow::tight_bernstein_test {
namespace {

using namespace bernstein;

// An exact number for the algebra of sign_classification.h.
struct Rational {
  boost::multiprecision::cpp_rational x;

  friend Rational operator+(const Rational& a, const Rational& b) { return {a.x + b.x}; }
  friend Rational operator-(const Rational& a, const Rational& b) { return {a.x - b.x}; }
  friend Rational operator*(const Rational& a, const Rational& b) { return {a.x * b.x}; }
};
Rational times(const Rational& a, unsigned factor) {
  return {a.x * factor};
}

template <class Query>
Motion<Rational> exact_motion(const Query& query) {
  using R = Roles<Query>;
  const auto difference = [&](std::size_t to, std::size_t from) {
    std::array<Vector<Rational>, 2> result;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto at = static_cast<int>(k);
      result[0][k] = Rational{query.start[to][at]} - Rational{query.start[from][at]};
      result[1][k] = Rational{query.end[to][at]} - Rational{query.end[from][at]};
    }
    return result;
  };
  Motion<Rational> motion;
  for (std::size_t i = 0; i < 3; ++i) {
    motion.offset[i] = difference(R::triangle[i], R::point);
    motion.side[i] = difference(R::triangle[(i + 1) % 3], R::triangle[i]);
  }
  return motion;
}

// Returns whether the numbers are within their bounds of the exact ones times 2^shift.
template <std::size_t N>
bool encloses(const std::array<Bounded, N>& computed, const std::array<Rational, N>& exact,
              int shift) {
  using boost::multiprecision::cpp_int;
  using boost::multiprecision::cpp_rational;
  const cpp_rational factor =
      shift >= 0 ? cpp_rational(cpp_int(1) << shift) : cpp_rational(1, cpp_int(1) << -shift);
  for (std::size_t i = 0; i < N; ++i)
    if (abs(cpp_rational(computed[i].value) - exact[i].x * factor) >
        cpp_rational(computed[i].err) * cpp_rational(ChainSlack::factor) +
            cpp_rational(ChainSlack::tiny))
      return false;
  return true;
}

// The computed polynomial is normalized by a power of two: nearly the one that takes the largest
// exact coefficient to 1, less if the computed coefficients are only rounding errors.
template <std::size_t N>
bool encloses(const std::array<Bounded, N>& computed, const std::array<Rational, N>& exact) {
  using boost::multiprecision::cpp_int;
  const auto bits = [](const cpp_int& n) { return static_cast<int>(msb(cpp_int(abs(n)))); };
  int largest = -100000;
  for (const auto& [x] : exact)
    if (x != 0) largest = std::max(largest, bits(numerator(x)) - bits(denominator(x)));
  for (int shift = 3; shift >= -120; --shift)
    if (encloses(computed, exact, shift - largest)) return true;
  return false;
}

TEST(BoundedQuery, EnclosesThePolynomialsOfEveryFamily) {
  for (const generate::Family& family : generate::families())
    test::both_each(family.name, test::scaled(20), [&]<class Query>(const Query& query) {
      const BoundedQuery<Query> computed(query);
      const auto motion = exact_motion(query);
      const auto n = normal(motion);
      EXPECT_TRUE(encloses(computed.coplanarity(), coplanarity(motion, n)));
      for (std::size_t i = 0; i < 3; ++i) {
        auto exact = inside(motion, n, i);
        if (Roles<Query>::last_negated && i == 2)
          for (Rational& c : exact) c.x = -c.x;
        EXPECT_TRUE(encloses(computed.inside(i), exact));
      }
    });
}

TEST(BoundedQuery, HasBoundsOfAFewRoundings) {
  test::both_each("random", 200, [](const auto& query) {
    for (const Bounded& c : BoundedQuery(query).coplanarity()) EXPECT_LT(c.err, 1e-13);
  });
}

TEST(Bounded, EnclosesTheExactResult) {
  using boost::multiprecision::cpp_rational;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> mantissa(-1, 1);
  std::uniform_int_distribution<int> exponent(-30, 0), operation(0, 3);
  int inexact = 0;
  for (std::size_t n = 0; n < test::scaled(500); ++n) {
    std::array<Bounded, 4> computed;
    std::array<Rational, 4> exact;
    for (std::size_t i = 0; i < 4; ++i) {
      computed[i].value = std::ldexp(mantissa(random), exponent(random));
      exact[i] = {cpp_rational(computed[i].value)};
    }
    for (int step = 0; step < 8; ++step) {
      const auto a = random() % 4, b = random() % 4, to = random() % 4;
      switch (operation(random)) {
        case 0:
          computed[to] = computed[a] + computed[b];
          exact[to] = exact[a] + exact[b];
          break;
        case 1:
          computed[to] = computed[a] - computed[b];
          exact[to] = exact[a] - exact[b];
          break;
        case 2:
          computed[to] = computed[a] * computed[b];
          exact[to] = exact[a] * exact[b];
          break;
        default:
          computed[to] = times(computed[a], 3);
          exact[to] = times(exact[a], 3);
      }
      inexact += cpp_rational(computed[to].value) != exact[to].x;
      ASSERT_TRUE(encloses(computed, exact, 0));
    }
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(inexact, 100);
}

TEST(SignClassification, DividesTheCubicByAQuadratic) {
  const Polynomial<Bounded, 3> y{{{3, 0}, {-1, 0}, {4, 0}, {-2, 0}}};
  const Polynomial<Bounded, 2> j{{{1, 0}, {-3, 0}, {2, 0}}};
  const auto [quotient, remainder, second] = divide(y, j);
  EXPECT_EQ(second.value, 9);  // 2 + 3 - (-3 - 1)
  // s^2 Y = L J + K at three times, up to the two factors of normalization.
  const auto cubic = [&](double t) {
    return 3 * std::pow(1 - t, 3) - 3 * t * std::pow(1 - t, 2) + 12 * t * t * (1 - t) -
           2 * t * t * t;
  };
  const auto quadratic = [](double t) { return std::pow(1 - t, 2) - 6 * t * (1 - t) + 2 * t * t; };
  const auto line = [](const auto& l, double t) { return l[0].value * (1 - t) + l[1].value * t; };
  const auto residual = [&, l = quotient, k = remainder](double t, double a, double b) {
    return 81 * cubic(t) - a * line(l, t) * quadratic(t) - b * line(k, t);
  };
  bool found = false;
  for (double a = 1; a < 1000; a *= 2)
    for (double b = 1; b < 1000; b *= 2)
      found |= std::abs(residual(0.1, a, b)) + std::abs(residual(0.5, a, b)) +
                   std::abs(residual(0.9, a, b)) <
               1e-9;
  EXPECT_TRUE(found);
}

TEST(SignClassification, CutsAPolynomialAtATime) {
  // 1, 2, 4, 8 at t = 1/4, with the weights 3 and 1: 64 times the coefficients, normalized.
  const Polynomial<Bounded, 3> y{{{1, 0}, {2, 0}, {4, 0}, {8, 0}}};
  const auto left = part(y, Bounded{3, 0}, Bounded{1, 0}, Part::left);
  const auto right = part(y, Bounded{3, 0}, Bounded{1, 0}, Part::right);
  const double expected_left[] = {1, 1.25, 1.5625, 1.953125};
  const double expected_right[] = {1.953125, 3.125, 5, 8};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(left[i].value / left[0].value, expected_left[i]);
    EXPECT_EQ(right[i].value / right[3].value, expected_right[i] / 8);
  }
}

const Method& method() {
  return *find_method("tight_bernstein");
}

template <class Query>
Verdict verdict(const Query& query, const Options& options = {}) {
  return first_contact(query, options, method()).verdict;
}

TEST(TightBernstein, Promises1And2HoldOnEveryFamily) {
  for (const generate::Family& family : generate::families())
    for (const double t_max : {1.0, 0.75, 0.3, 1e-9}) {
      SCOPED_TRACE(std::string(family.name));
      test::for_each_primitive(method(), [&]<class Query>(Query) {
        test::Workload<Query> work;
        work.add(test::generated<Query>(family, test::scaled(100), 21));
        test::expect_promises(method(), {.t_max = t_max}, work);
      });
    }
}

TEST(TightBernstein, Promise3GivesTheSameAnswersInEveryRoundingMode) {
  test::both("near_ulp", 200, []<class Query>(const std::vector<Query>& queries) {
    const auto expected = test::answers(method(), queries);
    std::fesetround(FE_UPWARD);
    const auto given = test::answers(method(), queries);
    std::fesetround(FE_TONEAREST);
    for (std::size_t i = 0; i < queries.size(); ++i)
      EXPECT_EQ(given[i].verdict, expected[i].verdict);
  });
}

// The signs are those of values with up to 72 coordinates as factors. Without normalization these
// underflow to 0 for coordinates of a thousandth, and the public code takes the 0 as certain.
TEST(TightBernstein, GivesTheSameAnswersOnEveryScale) {
  for (const char* family : {"random", "simulation_like", "touching", "three_roots"})
    test::both_each(family, test::scaled(200), [](const auto& query) {
      const Verdict expected = verdict(query);
      for (const int exponent : {-900, -300, -40, -13, 13, 300, 900}) {
        auto scaled = query;
        for (auto* corners : {&scaled.start, &scaled.end})
          for (Vec3& corner : *corners)
            for (double& x : corner) x = std::ldexp(x, exponent);
        EXPECT_EQ(verdict(scaled), expected) << exponent;
      }
    });
}

TEST(TightBernstein, IsRarelyWrongInGeneralPosition) {
  for (const char* family : {"random", "simulation_like"}) {
    int separated = 0, false_positives = 0;
    test::both_each(family, test::scaled(5000), [&](const auto& query) {
      if (exact::oracle(query).verdict == Verdict::contact) return;
      ++separated;
      false_positives += verdict(query) == Verdict::contact;
    });
    if (test::scale() < 1) continue;  // few queries need not meet every case
    EXPECT_GT(separated, 1000);
    EXPECT_LT(false_positives, 1 + separated / 10000) << family;
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
}

TEST(TightBernstein, DecidesACubicWithAnInflection) {
  for (const auto& entry : test::read_corpus()) {
    if (entry.name != "wang2021_appendix_c_inflection") continue;
    EXPECT_EQ(verdict(std::get<VertexFace>(entry.query)), Verdict::separated);
  }
}

// The limitation that [Wang 2021] describes: motion in one plane is always a contact.
TEST(TightBernstein, TakesMotionInOnePlaneForAContact) {
  VertexFace query{{Vec3(9, 9, 0), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)}, {}};
  query.end = query.start;
  query.end[0] = Vec3(8, 9, 0);
  EXPECT_EQ(exact::oracle(query).verdict, Verdict::separated);
  EXPECT_EQ(verdict(query), Verdict::contact);
}

TEST(TightBernstein, ReportsNoContactAfterTheEnd) {
  const VertexFace query{{Vec3(0.1, 0.1, 3), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0.5)},
                         {Vec3(0.1, 0.2, -1), Vec3(0, 0, 0), Vec3(1, 0.25, 0), Vec3(0, 1, -0.5)}};
  const double toi = exact::oracle(query).toi;
  ASSERT_GT(toi, 0.7);
  EXPECT_EQ(verdict(query), Verdict::contact);
  EXPECT_EQ(verdict(query, {.t_max = toi + 1e-12}), Verdict::contact);
  EXPECT_EQ(verdict(query, {.t_max = toi - 1e-12}), Verdict::separated);
}

}  // namespace
}  // namespace graze::narrow::tight_bernstein_test
