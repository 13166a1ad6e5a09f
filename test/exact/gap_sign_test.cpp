#include "graze/exact/gap_sign.h"

#include <gtest/gtest.h>

#include <vector>

#include "test/support/norms.h"
#include "test/support/rational_distance.h"
#include "test/support/scale.h"

namespace graze::exact {
namespace {

using test::Rational;
using RationalVector = std::array<Rational, 3>;

RationalVector operator-(const RationalVector& a, const RationalVector& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
Rational product(const RationalVector& a, const RationalVector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
// Their cross product, squared.
Rational turn_sq(const RationalVector& a, const RationalVector& b) {
  return product(a, a) * product(b, b) - product(a, b) * product(a, b);
}

// At a double, that of distance squared less d squared for each corner, line and plane.
TEST(GapSign, IsThatOfRationalDistances) {
  int signs[3] = {};
  test::for_each_query(test::scaled(2), 75, [&]<class Query>(const Query& query) {
    std::vector<double> lengths = test::distances(query);
    if (!lengths.empty()) lengths.push_back(closest_points(query, 0.5).distance);
    for (const double d : lengths)
      for (const double t : {0.0, 0.5, 1 / 3.0, 1.0}) {
        const Rational time(t), d_sq = Rational(d) * Rational(d);
        const auto difference = [&](std::size_t to, std::size_t from) {
          RationalVector e;
          for (int k = 0; k < 3; ++k)
            e[static_cast<std::size_t>(k)] =
                (1 - time) * (Rational(query.start[to][k]) - Rational(query.start[from][k])) +
                time * (Rational(query.end[to][k]) - Rational(query.end[from][k]));
          return e;
        };
        std::vector<RationalVector> e;
        if constexpr (std::is_same_v<Query, EdgeEdge>)
          e = {difference(2, 0), difference(3, 0), difference(3, 1), difference(2, 1)};
        else
          for (std::size_t i = 1; i < query.start.size(); ++i) e.push_back(difference(i, 0));
        const auto expect = [&](std::size_t feature, const Rational& gap) {
          ASSERT_EQ(gap_sign(query, feature, d, t), gap.sign());
          ++signs[gap.sign() + 1];
        };
        for (std::size_t i = 0; i < e.size(); ++i) expect(i, product(e[i], e[i]) - d_sq);
        const std::size_t edges = e.size() > 2 ? e.size() : e.size() - 1;
        for (std::size_t i = 0; i < edges; ++i) {
          const RationalVector &a = e[i], &b = e[(i + 1) % e.size()], along = b - a;
          expect(e.size() + i, turn_sq(a, b) - d_sq * product(along, along));
        }
        if (e.size() < 3) continue;
        const RationalVector p = e[1] - e[0], q = e.back() - e[0];
        const Rational offset = e[0][0] * (p[1] * q[2] - p[2] * q[1]) +
                                e[0][1] * (p[2] * q[0] - p[0] * q[2]) +
                                e[0][2] * (p[0] * q[1] - p[1] * q[0]);
        expect(e.size() + edges, offset * offset - d_sq * turn_sq(p, q));
      }
  });
  EXPECT_GT(signs[0], 1000);
  EXPECT_GT(signs[1], 50);
  EXPECT_GT(signs[2], 1000);
}

}  // namespace
}  // namespace graze::exact
