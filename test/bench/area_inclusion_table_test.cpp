#include "bench/suites/area_inclusion/area_inclusion_table.h"

#include <gtest/gtest.h>

namespace graze::bench::area_inclusion_table_test {
namespace {

TEST(AreaInclusionTable, AgreesWithThePublishedShares) {
  const AreaInclusionSetup setup{.queries = 100000, .sample = 5000, .tolerances = {1e-6, 1e-9}};
  const auto table = measure_area_inclusion(setup);
  EXPECT_EQ(table.queries, setup.queries);
  EXPECT_EQ(table.sample, setup.sample);
  ASSERT_EQ(table.rows.size(), 2u);
  for (const auto& row : table.rows) {
    // Five standard deviations of the counts.
    EXPECT_NEAR(static_cast<double>(row.odd_hits), 7499.85, 5 * 83);
    EXPECT_NEAR(static_cast<double>(row.even_hits), 227.79, 5 * 15);
    EXPECT_EQ(row.hits(), row.odd_hits + row.even_hits);
    EXPECT_EQ(row.false_negatives, 0u);
    EXPECT_EQ(row.late, 0u);
    EXPECT_GT(row.seconds, 0);
  }
  EXPECT_GE(table.rows[0].hits(), table.rows[1].hits());
}

TEST(AreaInclusionTable, StopsOnRequest) {
  int calls = 0;
  const auto table = measure_area_inclusion({.queries = 1000000, .sample = 0}, [&](double share) {
    EXPECT_GT(share, 0);
    return ++calls < 2;
  });
  EXPECT_EQ(calls, 2);
  EXPECT_GT(table.queries, 0u);
  EXPECT_LT(table.queries, 1000000u);
}

TEST(AreaInclusionTable, DependsOnTheSeedAlone) {
  const AreaInclusionSetup setup{.queries = 10000, .sample = 0, .seed = 7, .tolerances = {1e-9}};
  EXPECT_EQ(measure_area_inclusion(setup).rows[0].odd_hits,
            measure_area_inclusion(setup).rows[0].odd_hits);
}

TEST(AreaInclusionTable, HoldsThePublishedTable) {
  ASSERT_EQ(area_inclusion_published.size(), AreaInclusionSetup{}.tolerances.size());
  for (std::size_t i = 0; i < area_inclusion_published.size(); ++i)
    EXPECT_EQ(area_inclusion_published[i].tolerance, AreaInclusionSetup{}.tolerances[i]);
}

}  // namespace
}  // namespace graze::bench::area_inclusion_table_test
