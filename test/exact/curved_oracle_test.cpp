#include "graze/exact/judge/curved_oracle.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "graze/exact/judge/curved_condition.h"
#include "graze/exact/judge/oracle.h"
#include "graze/exact/judge/sturm_sequence.h"
#include "graze/generate/families.h"
#include "graze/generate/random.h"
#include "test/support/curved.h"
#include "test/support/scale.h"

namespace graze::exact::curved_oracle_test {
namespace {

// Two oracles that share no code agree on lines.
TEST(CurvedOracle, AgreesWithTheOracleOnLines) {
  int contacts = 0;
  for (const generate::Family& family : generate::families())
    for (std::uint64_t i = 0; i < test::scaled(10); ++i) {
      const VertexFace face = family.vertex_face(9, i);
      const Impact truth = oracle(face);
      ASSERT_EQ(test::time_difference(curved_oracle(as_curved(face)), truth), "")
          << family.name << ' ' << i;
      const EdgeEdge edges = family.edge_edge(9, i);
      ASSERT_EQ(test::time_difference(curved_oracle(as_curved(edges)), oracle(edges)), "")
          << family.name << ' ' << i;
      contacts += truth.verdict == Verdict::contact;
    }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(contacts, 50);
}

// Exchanging axes and renaming corners changes no answer; points and segments are faces without
// area.
TEST(CurvedOracle, DoesNotDependOnNamesAndAxes) {
  for (const generate::CurvedFamily& family : generate::curved_families()) {
    if (family.mixed) continue;
    for (const Curve curve : {Curve::quadratic, Curve::cubic, Curve::hermite})
      for (std::uint64_t i = 0; i < test::scaled(4); ++i) {
        const Curved<VertexFace> query = family.vertex_face(curve, 10, i);
        const Impact truth = curved_oracle(query);
        Curved<VertexFace> turned = query;
        for (auto& corners : turned.points) {
          std::rotate(corners.begin() + 1, corners.begin() + 2, corners.end());
          for (Vec3& corner : corners) corner = Vec3(corner[1], corner[2], -corner[0]);
        }
        ASSERT_EQ(test::time_difference(curved_oracle(turned), truth), "") << family.name << i;
        const auto segment = generate::as_vertex_edge(query);
        ASSERT_EQ(
            test::time_difference(curved_oracle(segment), curved_oracle(as_vertex_face(segment))),
            "")
            << family.name << i;
      }
  }
}

// Returns a polynomial of this degree with small or large integer coefficients.
Coefficients random_polynomial(generate::Random& random, int degree, bool large) {
  Coefficients p;
  for (int i = 0; i <= degree; ++i) {
    Integer c = random.integer(-9, 9);
    if (large) c = (c << 90) + Integer(random.bits());
    p.push_back(c);
  }
  if (p.back().is_zero()) p.back() = 1;
  return p;
}

// The common divisor of the coordinates of a vector has the roots of its square, which the oracle
// need not form: isolated roots have the same enclosures, and no roots are lost.
TEST(CurvedCondition, HasTheZerosOfTheSquare) {
  int without = 0, roots = 0, several = 0;
  for (std::uint64_t i = 0; i < test::scaled(300); ++i) {
    generate::Random random("zeros of vectors", 0, test::seed(), i);
    const bool large = random.one_in(2);
    // No common factor, or factors with the roots n/m; a coordinate may be 0.
    Coefficients common{1};
    for (int k = random.integer(0, 3); k > 0; --k) {
      const int m = random.integer(1, 9);
      common = common * Coefficients{Integer(-random.integer(0, m)), Integer(m)};
    }
    curved_condition::CurvedVector v;
    for (Coefficients& coordinate : v)
      if (!random.one_in(6))
        coordinate = common * random_polynomial(random, random.integer(0, 3), large);
    const Coefficients zeros = curved_condition::zeros_of(v),
                       square = curved_condition::dot_of(v, v);
    ASSERT_EQ(zeros.empty(), square.empty()) << i;
    if (square.empty()) continue;
    std::vector<SturmRoot> few = SturmRoot::all(zeros), all = SturmRoot::all(square);
    ASSERT_EQ(few.size(), all.size()) << i;
    for (std::size_t k = 0; k < all.size(); ++k) {
      EXPECT_EQ(few[k].enclosure(), all[k].enclosure()) << i;
      for (const Coefficients& coordinate : v) EXPECT_EQ(few[k].sign_of(coordinate), 0) << i;
    }
    without += all.empty();
    roots += !all.empty();
    several += all.size() > 1;
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(without, 30);
  EXPECT_GT(roots, 100);
  EXPECT_GT(several, 30);
}

// A test of a point and a segment holds at the same times by its square: |p x q|^2 = 0 and p.q <=
// 0. Paths of the families, whose points meet at some times, at all times and never.
TEST(CurvedCondition, SegmentsHoldWhereTheSquareVanishes) {
  int held = 0, lasting = 0;
  for (std::uint64_t i = 0; i < test::scaled(200); ++i) {
    generate::Random random("segments of vectors", 0, test::seed(), i);
    curved_condition::CurvedVector p, q;
    // q = -s p on a line at all times, or at the roots of the factor of the rest.
    const Coefficients side = random_polynomial(random, random.integer(0, 1), false);
    const int m = random.integer(1, 9);
    const Coefficients factor{Integer(-random.integer(0, m)), Integer(m)};
    const bool always = random.one_in(4);
    for (std::size_t k = 0; k < 3; ++k) {
      p[k] = random_polynomial(random, 2, false);
      q[k] = side * p[k];
      if (!always) q[k] = q[k] + factor * random_polynomial(random, 1, false);
    }
    const curved_condition::SegmentTest segment(p, q);
    const curved_condition::CurvedVector cross = curved_condition::cross_of(p, q);
    const Coefficients cross_sq = curved_condition::dot_of(cross, cross),
                       dot = curved_condition::dot_of(p, q);
    const auto holds = [&](SturmRoot& t) {
      return t.sign_of(cross_sq) == 0 && t.sign_of(dot) <= 0;
    };
    // Every time at which the test can begin or end to hold, by the square.
    std::vector<std::array<double, 2>> by_square, by_segment;
    for (const Coefficients* polynomial : {&cross_sq, &dot})
      if (!polynomial->empty())
        for (SturmRoot& t : SturmRoot::all(*polynomial)) {
          ASSERT_EQ(segment.holds_at(t), holds(t)) << i;
          if (holds(t)) by_square.push_back(t.enclosure());
        }
    if (const Coefficients events = segment.events(); !events.empty())
      for (SturmRoot& t : SturmRoot::all(events))
        if (segment.holds_at(t)) by_segment.push_back(t.enclosure());
    std::sort(by_square.begin(), by_square.end());
    by_square.erase(std::unique(by_square.begin(), by_square.end()), by_square.end());
    EXPECT_EQ(by_segment, by_square) << i;
    held += !by_segment.empty();
    lasting += cross_sq.empty();
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(held, 30);
  EXPECT_GT(lasting, 20);
}

TEST(CurvedOracle, AnswersInvalidForBadInput) {
  Curved<VertexVertex> query{Curve::cubic, {}};
  EXPECT_EQ(curved_oracle(query).verdict, Verdict::contact);
  EXPECT_EQ(curved_oracle(query, {.min_separation = 1}).verdict, Verdict::invalid);
  query.points[2][0][0] = Impact::nan;
  EXPECT_EQ(curved_oracle(query).verdict, Verdict::invalid);
}

TEST(SturmSequence, FindsTheRootsOfAProduct) {
  // (2t - 1)^2 (3t - 1) (t^2 + 1) (t - 2)
  Coefficients p{1};
  for (const Coefficients& factor : {Coefficients{-1, 2}, Coefficients{-1, 2}, Coefficients{-1, 3},
                                     Coefficients{1, 0, 1}, Coefficients{-2, 1}})
    p = p * factor;
  std::vector<SturmRoot> roots = SturmRoot::all(p);
  ASSERT_EQ(roots.size(), 2u);
  EXPECT_EQ(roots[0].enclosure(), (std::array{0x1.5555555555555p-2, 0x1.5555555555556p-2}));
  EXPECT_EQ(roots[1].enclosure(), (std::array{0.5, 0.5}));
  EXPECT_EQ(roots[0].sign_of({-1, 3}), 0);
  EXPECT_EQ(roots[0].sign_of({-1, 2}), -1);
  EXPECT_EQ(roots[1].sign_of({-1, 3}), 1);
  EXPECT_EQ(roots[1].sign_of({-1, 0, 4}), 0);
}

}  // namespace
}  // namespace graze::exact::curved_oracle_test
