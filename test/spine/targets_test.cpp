#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <limits>
#include <vector>

#include "graze/find_pairs.h"
#include "graze/generate/scenes.h"
#include "graze/step.h"

namespace graze::targets_test {
namespace {

const Run one_thread{.threads = 1};

// Restricts the kernels to these instruction sets; 0: all.
void use(std::int64_t targets) {
  hwy::SetSupportedTargetsForTest(targets);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

// Returns the instruction sets of this machine that kernels are compiled for, the best one first.
std::vector<std::int64_t> targets() {
  std::vector<std::int64_t> result;
  for (std::int64_t left = hwy::SupportedTargets() & HWY_TARGETS; left != 0; left &= left - 1)
    result.push_back(left & -left);
  return result;
}

// The margin allows for other work on the machine. Each time is the least of several, measured in
// turns.
TEST(Targets, NoneIsSlowerThanTheNextLower) {
#ifndef NDEBUG
  GTEST_SKIP() << "times are compared in Release builds";
#endif
  const std::vector<std::int64_t> all = targets();
  for (const char* const name : {"cloth_on_cone", "twisted_rods"}) {
    const auto scene = generate::find_scene_recipe(name)->make(2500, 3);
    const MovingMesh moving = scene.step(1);
    const std::vector<std::function<void()>> calls = {
        [&] {
          find_pairs(
              moving, [](Kind, std::span<const Pair>) {}, {}, one_thread);
        },
        [&] { earliest_impact(moving, {}, one_thread); },
        [&] { all_impacts(moving, {}, one_thread); }};
    for (std::size_t call = 0; call < calls.size(); ++call) {
      std::vector<std::clock_t> least(all.size(), std::numeric_limits<std::clock_t>::max());
      for (int round = 0; round < 5; ++round)
        for (std::size_t i = 0; i < all.size(); ++i) {
          use(all[i]);
          const std::clock_t begin = std::clock();
          calls[call]();
          least[i] = std::min(least[i], std::clock() - begin);
        }
      for (std::size_t i = 0; i + 1 < all.size(); ++i)
        EXPECT_LT(static_cast<double>(least[i]), 1.3 * static_cast<double>(least[i + 1]) + 200)
            << name << ", call " << call << ", " << hwy::TargetName(all[i]);
    }
  }
  use(0);
}

}  // namespace
}  // namespace graze::targets_test
