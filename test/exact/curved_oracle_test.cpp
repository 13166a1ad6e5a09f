#include "graze/exact/judge/curved_oracle.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "graze/exact/judge/oracle.h"
#include "graze/exact/judge/sturm_sequence.h"
#include "graze/generate/families.h"
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
