// The methods as the papers measured them, beside the same methods repaired: each row has the
// errors that Table 1 of [Wang 2021] and Table 1 of [Huh 2014] report.

#include <gtest/gtest.h>

#include "graze/narrow/rivals/root_parity.h"
#include "graze/narrow/rivals/tight_bernstein.h"
#include "test/support/error_count.h"

namespace graze::narrow::published_test {
namespace {

using test::error_count;
using test::ErrorCount;

const Method& row(std::string_view name) {
  return *find_method(name);
}

// cubic_root_published, (1). The public code missed 4,014 of 7,596 and 8,795 of 20,978 contacts.
TEST(CubicRootPublished, Promise1MissesAboutEverySecondRandomContact) {
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  const ErrorCount count = error_count(row("cubic_root_published"), "random", test::scaled(4000));
  EXPECT_GT(count.contacts, 500u);
  EXPECT_GT(count.false_negatives * 10, count.contacts * 3);
  EXPECT_LT(count.false_negatives * 10, count.contacts * 7);
  EXPECT_EQ(count.false_positives, 0u);
}

TEST(CubicRootPublished, Promise2MissesParallelEdges) {
  const EdgeEdge parallel{{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 0, 1), Vec3(1, 0, 1)},
                          {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 0, -1), Vec3(1, 0, -1)}};
  EXPECT_EQ(exact::oracle(parallel).verdict, Verdict::contact);
  EXPECT_EQ(first_contact(parallel, {}, row("cubic_root_published")).verdict, Verdict::separated);
}

// safe_cubic_published, (1) and (2). The public code had 325 and 360 false positives in 100,000
// random queries each, and times that are late in half of the contacts.
TEST(SafeCubicPublished, Promises1And2MissesNothingInGeneralPositionAndIsOftenLate) {
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  const ErrorCount count = error_count(row("safe_cubic_published"), "random", test::scaled(10000));
  EXPECT_EQ(count.false_negatives, 0u);
  EXPECT_GT(count.false_positives, 20u);
  EXPECT_LT(count.false_positives, 200u);
  EXPECT_GT(count.late * 4, count.contacts);
  EXPECT_EQ(error_count(row("safe_cubic"), "random", 10000).false_positives, 0u);
}

// A gap beyond the tolerance of about 0.005 B is no contact, and a gap within it is one.
TEST(SafeCubicPublished, AcceptsCornersWithinAFixedShareOfTheMotion) {
  const auto beside = [](double gap) {  // a vertex falls past a corner of the face, `gap` beside it
    return VertexFace{{Vec3(-gap, -gap, 1), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)},
                      {Vec3(-gap, -gap, -1), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)}};
  };
  const Method& published = row("safe_cubic_published");
  EXPECT_EQ(first_contact(beside(1e-3), {}, published).verdict, Verdict::contact);
  EXPECT_EQ(first_contact(beside(0.1), {}, published).verdict, Verdict::separated);
  EXPECT_EQ(first_contact(beside(1e-3), {}, row("safe_cubic")).verdict, Verdict::separated);
}

// Both miss contacts that come in pairs, and nothing else of random queries.
TEST(RootParityPublished, MissesWhatRootParityMissesOnRandomQueries) {
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  const ErrorCount published =
      error_count(row("root_parity_published"), "random", test::scaled(4000));
  const ErrorCount repaired = error_count(row("root_parity"), "random", test::scaled(4000));
  EXPECT_EQ(published.false_positives, 0u);
  EXPECT_GT(published.false_negatives, 10u);
  EXPECT_EQ(published.false_negatives, repaired.false_negatives);
}

// All rays of the public code lie in the plane z = 0. An edge of the image in that plane, through
// which no ray passes clearly, leaves no ray after ten: the answer is contact.
TEST(RootParityPublished, ReportsAContactWhereNoRayIsClear) {
  int given_up = 0;
  for (const char* family : {"lattice1", "lattice2", "coplanar", "parallel"})
    test::both_each(family, test::scaled(1000), [&](const auto& query) {
      const Impact impact = first_contact(query, {}, row("root_parity_published"));
      given_up += impact.checks == 10 && exact::oracle(query).verdict == Verdict::separated;
    });
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(given_up, 0);
}

// The coordinates are not scaled: with differences below 1e-4 the last signs underflow to 0, and
// then a root may be placed on the wrong side.
TEST(TightBernsteinPublished, DependsOnTheUnitOfLength) {
  std::size_t missed = 0, changed = 0;
  test::both_each("random", test::scaled(5000), [&]<class Query>(Query query) {
    const Verdict before = first_contact(query, {}, row("tight_bernstein_published")).verdict;
    const bool touches = exact::oracle(query).verdict == Verdict::contact;
    EXPECT_FALSE(touches && before == Verdict::separated);
    for (auto* side : {&query.start, &query.end})
      for (Vec3& corner : *side) corner *= 0x1p-14;
    const Verdict after = first_contact(query, {}, row("tight_bernstein_published")).verdict;
    changed += before != after;
    missed += touches && after == Verdict::separated;
    EXPECT_FALSE(touches &&
                 first_contact(query, {}, row("tight_bernstein")).verdict == Verdict::separated);
  });
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(changed, 0u);
  EXPECT_GT(missed, 0u);
}

TEST(Published, AreHeuristicAndKeepTheKindsOfTheRepairedRows) {
  std::size_t count = 0;
  for (const Method& method : methods()) {
    constexpr std::string_view suffix = "_published";
    if (!method.name.ends_with(suffix)) continue;
    ++count;
    const Method* repaired = find_method(method.name.substr(0, method.name.size() - suffix.size()));
    ASSERT_NE(repaired, nullptr) << method.name;
    EXPECT_EQ(method.guarantee, Guarantee::heuristic) << method.name;
    EXPECT_EQ(method.gives_time, repaired->gives_time) << method.name;
    for (const Kind kind : {Kind::vertex_face, Kind::edge_edge})
      EXPECT_EQ(method.has(kind), repaired->has(kind)) << method.name;
  }
  EXPECT_EQ(count, 5u);
}

}  // namespace
}  // namespace graze::narrow::published_test
