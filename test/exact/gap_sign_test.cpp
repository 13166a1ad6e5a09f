#include "graze/exact/arena/gap_sign.h"

#include <gtest/gtest.h>

#include "test/support/norms.h"
#include "test/support/rational_distance.h"
#include "test/support/scale.h"

namespace graze::exact::gap_sign_test {
namespace {

using test::Rational;
using test::RationalVec;
using test::operator-;
using test::cross;
using test::dot;

// Compares, at a double, the sign of the squared distance less d squared for each corner, line and
// plane.
TEST(GapSign, IsThatOfRationalDistances) {
  int signs[3] = {};
  test::for_each_query(test::scaled(2), 75, [&](const auto& query) {
    std::vector<double> lengths = test::distances(query);
    if (!lengths.empty()) lengths.push_back(closest_points(query, 0.5).distance);
    for (const double d : lengths)
      for (const double t : {0.0, 0.5, 1 / 3.0, 1.0}) {
        const Rational d_sq = Rational(d) * Rational(d);
        const auto e = test::differences_at(query, Rational(t));
        const auto expect = [&](std::size_t feature, const Rational& gap) {
          ASSERT_EQ(gap_sign(query, feature, d, t), gap.sign());
          ++signs[gap.sign() + 1];
        };
        for (std::size_t i = 0; i < e.size(); ++i) expect(i, dot(e[i], e[i]) - d_sq);
        const std::size_t edges = e.size() > 2 ? e.size() : e.size() - 1;
        for (std::size_t i = 0; i < edges; ++i) {
          const RationalVec &a = e[i], &b = e[(i + 1) % e.size()], g = b - a, turn = cross(a, b);
          expect(e.size() + i, dot(turn, turn) - d_sq * dot(g, g));
        }
        if (e.size() < 3) continue;
        const RationalVec normal = cross(e[1] - e[0], e.back() - e[0]);
        const Rational offset = dot(normal, e[0]);
        expect(e.size() + edges, offset * offset - d_sq * dot(normal, normal));
      }
  });
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(signs[0], 1000);
  EXPECT_GT(signs[1], 50);
  EXPECT_GT(signs[2], 1000);
}

}  // namespace
}  // namespace graze::exact::gap_sign_test
