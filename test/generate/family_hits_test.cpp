#include <gtest/gtest.h>

#include "graze/exact/judge/oracle.h"
#include "graze/generate/families.h"
#include "test/support/generated.h"

namespace graze::generate::family_hits_test {
namespace {

using test::both;
using test::both_each;

// Brackets of the hit rates in percent, vertex-face and edge-edge.
struct Expected {
  std::string_view name;
  int lo_vf, hi_vf, lo_ee, hi_ee;
};
constexpr Expected expected[] = {
    {"random", 4, 10, 15, 27},
    {"simulation_like", 20, 32, 23, 35},
    {"lattice1", 25, 37, 43, 55},
    {"lattice2", 8, 20, 23, 35},
    {"lattice4", 5, 11, 16, 28},
    {"touching", 41, 53, 44, 56},
    {"near_ulp", 39, 51, 45, 57},
    {"lattice_contact", 68, 80, 67, 79},
    {"near_lattice", 43, 55, 46, 58},
    {"coplanar", 44, 56, 61, 73},
    {"rotating_plane", 39, 51, 47, 59},
    {"sliding", 46, 58, 55, 67},
    {"parallel", 34, 46, 59, 71},
    {"collinear", 20, 32, 23, 35},
    {"static", 32, 44, 29, 41},
    {"translation", 67, 79, 67, 79},
    {"collapsing", 57, 69, 56, 68},
    {"flipping", 60, 72, 62, 74},
    {"hourglass", 58, 70, 59, 71},
    {"double_root", 67, 79, 69, 81},
    {"near_double_root", 32, 44, 35, 47},
    {"triple_root", 67, 79, 69, 81},
    {"three_roots", 72, 84, 74, 86},
    {"contact_at_start", 66, 78, 64, 76},
    {"contact_at_end", 66, 78, 66, 78},
    {"near_start", 31, 43, 32, 44},
    {"near_end", 31, 43, 31, 43},
    {"shared_vertex", 100, 100, 100, 100},
    {"degenerate_primitive", 53, 65, 50, 62},
    {"offset_1e6", 40, 52, 44, 56},
    {"offset_1e9", 41, 53, 44, 56},
    {"scale_1e-9", 42, 54, 45, 57},
    {"tiny_1e-300", 42, 54, 44, 56},
    {"huge_1e300", 41, 53, 45, 57},
    {"mixed_magnitudes", 29, 41, 35, 47},
    {"denormal", 68, 80, 68, 80},
};

// A family that only hits or only misses tests half of a method.
TEST(FamilyHits, HitAndMissInTheStatedShares) {
  constexpr int count = 1000;
  ASSERT_EQ(std::size(expected), families().size());
  for (const Expected& row : expected)
    both(row.name, count, [&](const auto& queries) {
      int hits = 0;
      for (const auto& query : queries) hits += exact::oracle(query).verdict == Verdict::contact;
      const bool vf = std::is_same_v<decltype(queries), const std::vector<VertexFace>&>;
      EXPECT_GE(hits * 100, (vf ? row.lo_vf : row.lo_ee) * count);
      EXPECT_LE(hits * 100, (vf ? row.hi_vf : row.hi_ee) * count);
    });
}

// Table 1 of [Huh 2014]: 749,985 odd and 22,779 even contacts in 10 million, 7.728 %; four standard
// deviations of 40,000 draws are 0.53 %.
TEST(FamilyHits, RandomHitsAsOftenAsPublished) {
  int hits = 0;
  for (const VertexFace& query : test::generated<VertexFace>(test::family("random"), 40000))
    hits += exact::oracle(query).verdict == Verdict::contact;
  EXPECT_NEAR(hits / 40000.0, 0.07728, 0.0053);
}

TEST(FamilyHits, ContactsAtStartAndEndAreNowhereElse) {
  both_each("contact_at_start", 300, [](const auto& query) {
    const Impact impact = exact::oracle(query);
    EXPECT_TRUE(impact.verdict == Verdict::separated || impact.toi_hi == 0);
  });
  both_each("contact_at_end", 300, [](const auto& query) {
    const Impact impact = exact::oracle(query);
    EXPECT_TRUE(impact.verdict == Verdict::separated || impact.toi == 1);
  });
}

TEST(FamilyHits, SharedVerticesTouchFromTheStart) {
  both_each("shared_vertex", 300, [](const auto& query) {
    const Impact impact = exact::oracle(query);
    EXPECT_EQ(impact.verdict, Verdict::contact);
    EXPECT_EQ(impact.toi_hi, 0);
  });
}

}  // namespace
}  // namespace graze::generate::family_hits_test
