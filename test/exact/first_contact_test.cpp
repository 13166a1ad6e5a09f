// Tests the integer stage alone, without the filter that usually precedes it.

#include "graze/exact/arena/first_contact.h"

#include <gtest/gtest.h>

#include <cmath>

#include "graze/exact/judge/oracle.h"
#include "test/support/coplanarity.h"
#include "test/support/corpus.h"
#include "test/support/generated.h"
#include "test/support/scale.h"

namespace graze::exact::first_contact_test {
namespace {

using test::generated;
using test::Rational;

template <class Query>
void expect_agreement(const Query& query, double t_max, Arena& arena) {
  const Impact truth = oracle(query, {.t_max = t_max});
  const FirstContact first = first_contact(query, t_max, arena);
  ASSERT_EQ(first.found, truth.verdict == Verdict::contact) << test::corpus_text(query, truth);
  EXPECT_EQ(first.lo, truth.toi) << test::corpus_text(query, truth);
  EXPECT_EQ(first.hi, truth.toi_hi) << test::corpus_text(query, truth);
  EXPECT_EQ(first.kind == ContactKind::unknown, !first.found);
}

template <class Query>
void expect_agreement_on_families() {
  Arena arena;
  const Arena::Limb* const start = arena.allocate(1);
  int found = 0, coplanar = 0;
  for (const generate::Family& family : generate::families())
    for (const Query& query : generated<Query>(family, test::scaled(150), 61)) {
      expect_agreement(query, 1, arena);
      const FirstContact first = first_contact(query, 1, arena);
      found += first.found;
      coplanar += first.kind == ContactKind::coplanar;
      if (!first.found || first.hi == 0) continue;
      // The step just reaches the contact, and just does not.
      expect_agreement(query, first.hi, arena);
      if (const double before = std::nextafter(first.hi, 0); before > 0)
        expect_agreement(query, before, arena);
    }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(found, 1000);
  EXPECT_GT(coplanar, 200);
  EXPECT_EQ(arena.allocate(1), start + 1) << "the arena is not left as it was";
}

TEST(FirstContact, AgreesWithTheOracleOnVertexFaceFamilies) {
  expect_agreement_on_families<VertexFace>();
}

TEST(FirstContact, AgreesWithTheOracleOnEdgeEdgeFamilies) {
  expect_agreement_on_families<EdgeEdge>();
}

TEST(FirstContact, AgreesWithTheOracleOnTheCorpus) {
  Arena arena;
  for (const auto& entry : test::read_corpus())
    std::visit([&](const auto& query) { expect_agreement(query, 1, arena); }, entry.query);
}

TEST(FirstContact, GivesTheSignOfTheCoplanarityAtADouble) {
  Arena arena;
  int zeros = 0;
  const auto check = [&](const auto& query, const Rational& orientation) {
    const test::Cubic d = test::coplanarity(query);
    for (const double t : {0.0, 5e-324, 0.1, 0.5, 2.0 / 3, 0.75, std::nextafter(1.0, 0.0), 1.0}) {
      const Rational s(t);
      const Rational value = (((d[3] * s + d[2]) * s + d[1]) * s + d[0]) * orientation;
      EXPECT_EQ(coplanarity_sign(query, t, arena), value.sign());
      zeros += value == 0;
    }
  };
  for (const generate::Family& family : generate::families()) {
    for (const auto& query : generated<VertexFace>(family, test::scaled(20), 62)) check(query, 1);
    for (const auto& query : generated<EdgeEdge>(family, test::scaled(20), 62)) check(query, -1);
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(zeros, 100);
}

}  // namespace
}  // namespace graze::exact::first_contact_test
