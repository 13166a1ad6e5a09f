#include <gtest/gtest.h>

#include "graze/generate/random.h"
#include "graze/narrow/contact/area_inclusion.h"
#include "graze/narrow/rivals/root_parity.h"
#include "test/support/scale.h"

namespace graze::narrow::odd_contacts_test {
namespace {

// Table 1 of [Huh 2014]: exactCCD finds the queries with an odd number of contacts. Two methods
// without common code count the contacts of random queries: `area_inclusion` by the roots of the
// cubic, `root_parity` by rays through the image of the domain.
template <class Query>
void compare(std::uint64_t kind) {
  std::size_t odd = 0, even = 0;
  for (std::size_t i = 0; i < test::scaled(20'000); ++i) {
    generate::Random random("odd contacts", kind, test::seed(), i);
    Query query;
    for (Vec3& x : query.start) x = random.cube(0, 1);
    for (Vec3& x : query.end) x = random.cube(0, 1);
    Options options;
    options.time_tol = 1e-12;
    const int contacts = area_inclusion(query, options).contacts;
    Impact parity;
    root_parity(std::span<const Query>(&query, 1), {options}, std::span(&parity, 1));
    ASSERT_EQ(contacts % 2 == 1, parity.verdict == Verdict::contact) << i << ": " << contacts;
    odd += contacts % 2 == 1;
    even += contacts == 2;
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(odd, 500u);
  EXPECT_GT(even, 10u);  // exactCCD misses these
}

TEST(OddContacts, AreTheHitsOfRootParity) {
  compare<VertexFace>(0);
  compare<EdgeEdge>(1);
}

}  // namespace
}  // namespace graze::narrow::odd_contacts_test
