#include "bench/suites/papers/simulated_sets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "bench/harness/measure.h"
#include "graze/first_contact.h"
#include "test/support/data.h"

namespace graze::bench::simulated_sets_test {
namespace {

TEST(SimulatedSets, HaveTheRequestedNumberOfQueriesAndSomeTouch) {
  const auto sets = simulated_sets(400, {});
  ASSERT_EQ(sets.size(), 6u);
  for (const NamedSet& set : sets) {
    EXPECT_EQ(set.group, "simulated");
    ASSERT_EQ(set.size(), 400u) << set.name << " " << name(set.kind);
  }
  // The active set tests whether surfaces come within eta; few of its pairs touch. Most queries of
  // a line search have no contact either.
  std::size_t contacts = 0;
  for (const NamedSet& set : sets)
    visit(set.kind, set.data, [&](auto queries) {
      for (const auto& query : queries)
        contacts += first_contact(query).verdict == Verdict::contact;
    });
  std::cout << "  " << contacts << " of 2400 queries touch\n";
  EXPECT_GT(contacts, 10u);
  EXPECT_LT(contacts, 2400u);
}

// [Wang 2021] Figure 3, with two cows in place of two cow heads.
TEST(SimulatedSets, HaveTwoCowsWhereTheDataHasOne) {
  GRAZE_SKIP_WITHOUT_DATA();
  const std::filesystem::path cow = test::data_folder() / "models/spot.obj";
  if (!std::filesystem::exists(cow)) GTEST_SKIP() << cow << " is not among the data";
  const auto sets = simulated_sets(200, {}, cow);
  ASSERT_EQ(sets.size(), 8u);
  std::size_t contacts = 0;
  for (std::size_t i = 6; i < 8; ++i) {
    EXPECT_EQ(sets[i].name, "cows");
    ASSERT_EQ(sets[i].size(), 200u);
    visit(sets[i].kind, sets[i].data, [&](auto queries) {
      for (const auto& query : queries)
        contacts += first_contact(query).verdict == Verdict::contact;
    });
  }
  EXPECT_GT(contacts, 0u);
  EXPECT_LT(contacts, 400u);
  EXPECT_THROW(simulated_sets(1, {}, "no-cow.obj"), std::exception);
}

TEST(SimulatedSets, DependOnTheArgumentsAlone) {
  const auto all = simulated_sets(100, {}), again = simulated_sets(100, {});
  const auto edges = simulated_sets(100, Kind::edge_edge);
  ASSERT_EQ(edges.size(), 3u);
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_TRUE(std::ranges::equal(all[i].data.coordinates(), again[i].data.coordinates()));
  EXPECT_TRUE(std::ranges::equal(edges[0].data.coordinates(), all[1].data.coordinates()));
}

}  // namespace
}  // namespace graze::bench::simulated_sets_test
