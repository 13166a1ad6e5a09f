// Compares the largest observed error with each error constant of exact_root-inl.h, over all
// families in exact arithmetic. Every ratio must be below 1, and large enough to show that the
// errors were measured.

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <string>

#include "graze/generate/families.h"
#include "graze/generate/random.h"
#include "graze/narrow/simd/exact_root-inl.h"
#include "graze/narrow/simd/exact_root_culls-inl.h"
#include "test/support/coplanarity.h"
#include "test/support/corpus.h"
#include "test/support/generated.h"
#include "test/support/scale.h"

HWY_BEFORE_NAMESPACE();
namespace graze::narrow::HWY_NAMESPACE::exact_root_error_test {
namespace {

using generate::Random;
using test::Rational;
using T = Lanes<Many>;
using Real = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<400>>;

double first(T x) {
  return hn::GetLane(x.v);
}

// The largest |computed - exact| / bound, and where it occurred.
struct Ratio {
  double largest = 0;
  std::string where;

  template <class Query>
  void add(const Rational& error, const Rational& bound, const Query& query) {
    if (error == 0) return;
    add(bound == 0 ? Impact::inf : Rational(error / bound).template convert_to<double>(), query);
  }
  template <class Query>
  void add(double ratio, const Query& query) {
    if (!(ratio < largest)) where = test::corpus_text(query, Impact::separated());
    largest = std::max(largest, ratio);
  }
};

void expect_within(const char* name, const Ratio& ratio, double at_least) {
  testing::Test::RecordProperty(name, std::to_string(ratio.largest));
  std::cout << "  " << name << ": largest observed error / bound = " << ratio.largest << '\n';
  EXPECT_LT(ratio.largest, 1) << name << '\n' << ratio.where;
  if (test::scale() >= 1) {
    EXPECT_GT(ratio.largest, at_least) << name;
  }
}

Rational distance(const Rational& a, const Rational& b) {
  return a < b ? b - a : a - b;
}
Rational size_of(const Rational& x) {
  return x < 0 ? Rational(-x) : x;
}

// A query with the values that the stages compute and the exact values.
template <class Query>
struct Subject {
  using L = Layout<Query>;
  const Query& query;
  Coordinates<T> x;
  Differences<Query, T> e;
  Cubic<T> d;
  test::Cubic power;                  // the exact D in powers of t
  std::array<Rational, 4> bernstein;  // and its Bernstein coefficients
  Rational size;                      // P of the exact differences

  explicit Subject(const Query& q)
      : query(q), x(loaded(q)), e(x), d(coplanarity_cubic(e)), power(test::coplanarity(q)) {
    if (L::size == 4)
      for (Rational& c : power) c = -c;  // det(b0-a0, b1-a0, b0-a1) = -det(a1-a0, b0-a0, b1-a0)
    bernstein = {power[0], power[0] + power[1] / 3, power[0] + (2 * power[1] + power[2]) / 3,
                 power[0] + power[1] + power[2] + power[3]};
    std::array<std::array<Rational, 3>, 3> m;
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k)
        m[std::size_t(i)][std::size_t(k)] =
            std::max(size_of(difference(i, k, 0)), size_of(difference(i, k, 1)));
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t a = (k + 1) % 3, b = (k + 2) % 3;
      size += m[0][k] * (m[1][a] * m[2][b] + m[1][b] * m[2][a]);
    }
  }
  static Coordinates<T> loaded(const Query& q) {
    Coordinates<T> x;
    for (std::size_t k = 0; k < 24; ++k) x[k] = T(q.start[0].data()[k]);
    return x;
  }

  bool moderate() const { return e.moderate().bits() & 1; }
  Rational difference(int i, int k, int time) const {
    const auto& side = time == 0 ? query.start : query.end;
    const auto [a, b] = L::corners[i];
    return Rational(side[std::size_t(a)][k]) - Rational(side[std::size_t(b)][k]);
  }
  Rational difference(int i, int k, const Rational& t) const {
    return (1 - t) * difference(i, k, 0) + t * difference(i, k, 1);
  }
  Rational at(const Rational& t) const {
    return ((power[3] * t + power[2]) * t + power[1]) * t + power[0];
  }
  Rational slope_at(const Rational& t) const {
    return (3 * power[3] * t + 2 * power[2]) * t + power[1];
  }
  Rational blossom_at(const Rational& r, const Rational& s, const Rational& t) const {
    return power[0] + power[1] * (r + s + t) / 3 + power[2] * (r * s + s * t + t * r) / 3 +
           power[3] * r * s * t;
  }
};

// Returns a time in [0, 1]: an end, close to an end, or anywhere.
double some_time(Random& random) {
  const auto kind = random.below(6);
  const double t = random.uniform();
  return kind == 0 ? 0 : kind == 1 ? 1 : kind == 2 ? t * 0x1p-40 : kind == 3 ? 1 - t * 0x1p-40 : t;
}

// Calls check(subject, random) for moderate queries of every family and primitive.
template <class Check>
void for_each_subject(std::size_t count, Check&& check) {
  const auto run = [&](const auto& queries, const generate::Family& family) {
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const Subject subject(queries[i]);
      Random random(family.name, 7, 51, i);
      if (subject.moderate()) check(subject, random);
    }
  };
  for (const generate::Family& family : generate::families()) {
    run(test::generated<VertexFace>(family, test::scaled(count), 51), family);
    run(test::generated<EdgeEdge>(family, test::scaled(count), 51), family);
  }
}

TEST(ExactRootErrors, CoefficientsOfTheCubic) {
  Ratio ratio, size;
  for_each_subject(30, [&](const auto& s, Random&) {
    const std::array<T, 4> c{s.d.c0, s.d.c1, s.d.c2, s.d.c3};
    for (std::size_t i = 0; i < 4; ++i) {
      ratio.add(distance(Rational(first(c[i])), s.bernstein[i]), Rational(first(s.d.err)), s.query);
      size.add(size_of(s.bernstein[i]), s.size, s.query);
    }
    // The computed P bounds the exact one, up to 2^-45 and underflow.
    EXPECT_LE(s.size, Rational(first(s.d.size)) * (1 + Rational(0x1p-45)) + Rational(0x1p-840));
  });
  expect_within("cubic_err", ratio, 0.05);
  EXPECT_LE(size.largest, 1) << size.where;
}

TEST(ExactRootErrors, LocalCoefficientsByDeCasteljau) {
  Ratio ratio;
  for_each_subject(30, [&](const auto& s, Random& random) {
    for (int i = 0; i < 6; ++i) {
      const double lo = some_time(random), hi = some_time(random);
      for (const auto& [r, t, v] : {std::array{lo, lo, lo}, {lo, lo, hi}, {lo, hi, hi}})
        ratio.add(distance(Rational(first(blossom(s.d, T(r), T(t), T(v)))),
                           s.blossom_at(Rational(r), Rational(t), Rational(v))),
                  Rational(first(s.d.eval_err)), s.query);
    }
  });
  expect_within("eval_err", ratio, 0.05);
}

TEST(ExactRootErrors, SidesDuringAnInterval) {
  Ratio instant, interval;
  for_each_subject(12, [&](const auto& s, Random& random) {
    for (int i = 0; i < 4; ++i) {
      const bool narrow = i < 2;
      const double t = some_time(random);
      const double h = narrow ? 0 : std::ldexp(random.uniform(), -random.integer(0, 60));
      const auto side = sides(s.e, T(t), T(h));
      for (const double moved : {t, std::max(t - h, 0.0), std::min(t + h, 1.0)}) {
        const Rational time(moved);
        if (distance(time, Rational(t)) > Rational(h)) continue;  // t + h was rounded up
        const auto cross_at = [&](int a, int b, int k) {
          const int m = (k + 1) % 3, n = (k + 2) % 3;
          return Rational(s.difference(a, m, time) * s.difference(b, n, time) -
                          s.difference(a, n, time) * s.difference(b, m, time));
        };
        for (int c = 0; c < side.size; ++c) {
          const CrossTerm term = std::decay_t<decltype(s)>::L::crosses[c];
          const std::array<double, 3> d{first(side.d.x), first(side.d.y), first(side.d.z)};
          Rational q = 0;
          for (int k = 0; k < 3; ++k)
            q += term.sign * Rational(d[std::size_t(k)]) * cross_at(term.i, term.j, k);
          (narrow ? instant : interval)
              .add(distance(Rational(first(side.q[c])), q), Rational(first(side.err[c])), s.query);
        }
      }
    }
  });
  expect_within("side_err_at_an_instant", instant, 0.01);
  expect_within("side_err_during_an_interval", interval, 0.2);
}

TEST(ExactRootErrors, ResidualInTwoDoubles) {
  Ratio ratio;
  for_each_subject(20, [&]<class Query>(const Subject<Query>& s, Random& random) {
    for (int i = 0; i < 4; ++i) {
      const double t = some_time(random);
      const DoubleDouble<T> f = residual<Query>(s.x, T(t));
      ratio.add(distance(Rational(first(f.hi)) + Rational(first(f.lo)), s.at(Rational(t))),
                Rational(residual_err) * Rational(first(s.d.size)) + Rational(0x1p-660), s.query);
    }
  });
  expect_within("residual_err", ratio, 0.0001);
}

TEST(ExactRootErrors, SlopeAndCurvature) {
  Ratio rate, curvature;
  for_each_subject(30, [&](const auto& s, Random& random) {
    const Rational err(first(s.d.err)), size(first(s.d.size));
    for (int i = 0; i < 3; ++i) {
      const double t = some_time(random);
      rate.add(distance(Rational(first(slope(s.d, T(t)))), s.slope_at(Rational(t))),
               Rational(6.1) * err + Rational(100 * u) * size, s.query);
    }
    const Rational computed = std::max(size_of(Rational(first(s.d.c0 - s.d.c1 - s.d.c1 + s.d.c2))),
                                       size_of(Rational(first(s.d.c1 - s.d.c2 - s.d.c2 + s.d.c3))));
    // D'' is linear in t: largest at an end.
    for (const Rational& exact :
         {Rational(2 * s.power[2]), Rational(2 * s.power[2] + 6 * s.power[3])})
      curvature.add(size_of(exact), Rational(6.1) * computed + 26 * err, s.query);
  });
  expect_within("rate_err", rate, 0.02);
  expect_within("curvature", curvature, 0.5);
}

// ---- simple roots ------------------------------------------------------------------------------

// Returns the root of the exact cubic in (lo, hi), where it changes its sign, with many more digits
// than a double.
template <class Query>
Real root_of(const Subject<Query>& s, double lo, double hi) {
  std::array<Real, 4> c;
  for (std::size_t i = 0; i < 4; ++i)
    c[i] = Real(numerator(s.power[i])) / Real(denominator(s.power[i]));
  Real a = lo, b = hi;
  const auto at = [&](const Real& t) { return Real(((c[3] * t + c[2]) * t + c[1]) * t + c[0]); };
  const int before = at(a).sign();
  for (int i = 0; i < 300; ++i) {
    const Real middle = (a + b) / 2;
    (at(middle).sign() == before ? a : b) = middle;
  }
  return a;
}

TEST(ExactRootErrors, EnclosureOfASimpleRoot) {
  Ratio ratio;
  int sharp = 0;
  for_each_subject(40, [&]<class Query>(const Subject<Query>& s, Random&) {
    if (s.bernstein[0].sign() * s.bernstein[3].sign() >= 0) return;
    const double middle = root_of(s, 0, 1).template convert_to<double>();
    for (const double delta : {0x1p-50, 0x1p-40, 0x1p-30}) {
      const double lo = std::max(0.0, middle - delta), hi = std::min(1.0, middle + delta);
      if (s.at(Rational(lo)).sign() * s.at(Rational(hi)).sign() >= 0) continue;
      const Real root = root_of(s, lo, hi);
      for (const double from : {middle, lo, hi}) {
        const RootCell<T> cell = root_cell<Query>(s.x, s.d, T(from), T(lo), T(hi));
        if (!(cell.sharp.bits() & 1)) continue;
        ++sharp;
        const Real at = first(cell.at), error = abs(at + Real(first(cell.rest)) - root);
        ratio.add(Real(error / Real(first(cell.err))).template convert_to<double>(), s.query);
        EXPECT_TRUE(!(cell.above.bits() & 1) || root > at);
        EXPECT_TRUE(!(cell.below.bits() & 1) || root < at);
        EXPECT_LT(root, std::nextafter(first(cell.at), 2.0));
        EXPECT_GT(root, std::nextafter(first(cell.at), -1.0));
      }
    }
  });
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(sharp, 1000);
  expect_within("root_cell_err", ratio, 0.001);
}

// ---- culling -----------------------------------------------------------------------------------

// Compares the error of each of the two values of a comparison with its part of the slack, at an
// end of the step and at t.
TEST(ExactRootErrors, ComparisonsOfTheCulls) {
  const Rational diagonal_budget = Rational(diagonal_slack) / 4,
                 early_budget = Rational(early_slack) * 62 / 160, least = Rational(0x1p-1074);
  Ratio diagonal, early;
  for_each_subject(40, [&](const auto& s, Random& random) {
    for (std::size_t c = 0; c < 4; ++c) {
      const graze::Vec3 &start = s.query.start[c], &end = s.query.end[c];
      const double t = some_time(random);
      const auto at = [&](int k) { return start[k] + t * (end[k] - start[k]); };
      const auto exact_at = [&](int k) -> Rational {
        return Rational(start[k]) + Rational(t) * (Rational(end[k]) - Rational(start[k]));
      };
      const auto reach = [&](int k) {
        return std::max(size_of(Rational(start[k])), size_of(Rational(end[k])));
      };
      diagonal.add(distance(Rational(start[0] + start[1]), Rational(start[0]) + Rational(start[1])),
                   diagonal_budget * (reach(0) + reach(1)) + least, s.query);
      early.add(distance(Rational(at(0) - at(1)), exact_at(0) - exact_at(1)),
                early_budget * (reach(0) + reach(1)) + least, s.query);
    }
  });
  expect_within("diagonal_slack", diagonal, 0.1);
  expect_within("early_slack", early, 0.05);
}

}  // namespace
}  // namespace graze::narrow::HWY_NAMESPACE::exact_root_error_test
HWY_AFTER_NAMESPACE();
