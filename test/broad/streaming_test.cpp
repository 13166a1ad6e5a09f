#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "graze/find_pairs.h"
#include "test/support/moving_meshes.h"

// Counts the bytes that the whole program has allocated.
namespace {
std::atomic<std::size_t> in_use{0}, peak{0};

void* counted(void* memory) {
  if (!memory) throw std::bad_alloc();
  const std::size_t now = in_use += malloc_usable_size(memory);
  std::size_t before = peak;
  while (before < now && !peak.compare_exchange_weak(before, now)) {
  }
  return memory;
}
void released(void* memory) noexcept {
  in_use -= malloc_usable_size(memory);
  std::free(memory);
}
}  // namespace

void* operator new(std::size_t size) {
  return counted(std::malloc(size));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto step = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(step, (size + step - 1) / step * step));
}
void operator delete(void* memory) noexcept {
  released(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  released(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  released(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  released(memory);
}

namespace graze::broad::streaming_test {
namespace {

constexpr std::size_t mebibyte = 1 << 20;

struct Cost {
  std::size_t pairs, peak_bytes;
};

Cost cost_of(const PairStrategy& strategy, const OwnedMotion& motion, int threads) {
  std::atomic<std::size_t> pairs = 0;
  peak = in_use.load();
  const std::size_t before = in_use;
  find_pairs(
      motion.moving(), [&](Kind, std::span<const Pair> block) { pairs += block.size(); }, {},
      graze::Run{.threads = threads}, strategy);
  return {pairs, peak - before};
}

// All boxes overlap: many pairs of few features.
TEST(Streaming, MemoryDoesNotGrowWithThePairs3) {
  const auto motion = test::random_motion(2500, 1, test::coordinate_families[2].draw);
  for (const PairStrategy& strategy : pair_strategies())
    for (const int threads : {1, 2}) {
      const bool all = strategy.set == PairSet::overlapping;
      const Cost cost = cost_of(strategy, motion, threads);
      EXPECT_GT(cost.pairs * sizeof(Pair), (all ? 200 : 50) * mebibyte) << strategy.name;
      EXPECT_LT(cost.peak_bytes, 16 * mebibyte) << strategy.name << ", " << threads << " threads";
    }
}

// A sheet: the strategies' own structures are linear in its features.
TEST(Streaming, MemoryOfTheStructuresIsLinear3) {
  const auto motion = test::sheet(200);
  const Mesh& mesh = motion.mesh;
  const std::size_t features = mesh.vertex_count + mesh.edges.size() + mesh.faces.size();
  for (const PairStrategy& strategy : pair_strategies()) {
    if (strategy.name == "brute_force") continue;
    const Cost cost = cost_of(strategy, motion, 2);
    std::printf("%s: %zu features, %zu pairs, %.1f bytes per feature\n", strategy.name.data(),
                features, cost.pairs, double(cost.peak_bytes) / double(features));
    EXPECT_LT(cost.peak_bytes, 2 * mebibyte + 300 * features) << strategy.name;
  }
}

}  // namespace
}  // namespace graze::broad::streaming_test
