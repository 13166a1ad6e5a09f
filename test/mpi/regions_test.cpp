#include "graze/mpi/regions.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "graze/generate/random.h"
#include "test/support/scale.h"

namespace graze::mpi::regions_test {
namespace {

CellBox random_box(generate::Random& random, double size) {
  CellBox box;
  for (std::size_t k = 0; k < 3; ++k) {
    const double lo = random.uniform(0, 65535);
    box.lo[k] = static_cast<std::uint16_t>(lo);
    box.hi[k] = static_cast<std::uint16_t>(std::min(65535.0, lo + size * random.uniform(0, 1)));
  }
  return box;
}

// A pair belongs to one rank, which both boxes touch; boxes of few cells are tested cell by cell.
TEST(Regions, OwnThePairsOfTheirFeatures) {
  generate::Random random("regions", 0, test::seed(), 0);
  std::size_t pairs = 0, several = 0;
  for (const std::size_t ranks : {1u, 2u, 3u, 7u, 16u, 64u}) {
    std::vector<CellBox> sample;
    for (int i = 0; i < 500; ++i) sample.push_back(random_box(random, i % 3 == 0 ? 20000 : 50));
    const Regions regions(sample, 1, ranks);
    ASSERT_EQ(regions.ranks(), ranks);
    const auto ranks_of = [&](const CellBox& box) {
      std::vector<std::size_t> found;
      regions.for_each_rank(box, [&](std::size_t rank) { found.push_back(rank); });
      return found;
    };
    for (const CellBox& box : sample) {
      const auto found = ranks_of(box);
      EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
      EXPECT_EQ(std::adjacent_find(found.begin(), found.end()), found.end());
      several += found.size() > 1;
      EXPECT_EQ(found.size() == 1, regions.only_rank(box) < ranks || found.size() == 1);
      for (const CellBox& other : sample) {
        Cell corner;
        bool overlap = true;
        for (std::size_t k = 0; k < 3; ++k) {
          corner[k] = std::max(box.lo[k], other.lo[k]);
          overlap = overlap && corner[k] <= std::min(box.hi[k], other.hi[k]);
        }
        if (!overlap) continue;
        ++pairs;
        EXPECT_TRUE(std::binary_search(found.begin(), found.end(), regions.owner(corner)));
      }
    }
    for (int i = 0; i < 50; ++i) {
      const CellBox box = random_box(random, 9);
      std::vector<std::size_t> expected;
      for (unsigned x = box.lo[0]; x <= box.hi[0]; ++x)
        for (unsigned y = box.lo[1]; y <= box.hi[1]; ++y)
          for (unsigned z = box.lo[2]; z <= box.hi[2]; ++z)
            expected.push_back(
                regions.owner({std::uint16_t(x), std::uint16_t(y), std::uint16_t(z)}));
      std::sort(expected.begin(), expected.end());
      expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
      EXPECT_EQ(ranks_of(box), expected);
    }
  }
  EXPECT_GT(pairs, 3000u);
  EXPECT_GT(several, 100u);
}

TEST(Regions, ShareTheWorkEvenly) {
  generate::Random random("regions", 1, test::seed(), 0);
  std::vector<CellBox> boxes;
  for (int i = 0; i < 20000; ++i) boxes.push_back(random_box(random, 50));
  const Regions regions(boxes, 1, 8);
  std::vector<std::size_t> counts(8);
  for (const CellBox& box : boxes) ++counts[regions.owner(box.lo)];
  for (const std::size_t count : counts) EXPECT_NEAR(double(count), 2500, 250);
}

}  // namespace
}  // namespace graze::mpi::regions_test
