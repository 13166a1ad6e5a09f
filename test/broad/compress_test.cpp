#include <gtest/gtest.h>

#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "test/broad/compress_test.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "graze/broad/compress-inl.h"

HWY_BEFORE_NAMESPACE();
namespace graze::broad::HWY_NAMESPACE {
namespace {

// Compresses as many values as the target has lanes, at most 16, and returns those of the mask.
std::vector<std::uint32_t> Compressed(const std::uint32_t* values, unsigned mask,
                                      std::size_t* lanes) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::CappedTag<std::uint32_t, 16> ids;
  *lanes = hn::Lanes(ids);
  const std::uint8_t bits[8] = {static_cast<std::uint8_t>(mask),
                                static_cast<std::uint8_t>(mask >> 8)};
  const auto hit = hn::LoadMaskBits(ids, bits);
  alignas(64) std::uint32_t result[16];
  hn::Store(compress(ids, hn::LoadU(ids, values), hit), ids, result);
  return {result, result + hn::CountTrue(ids, hit)};
}

}  // namespace
}  // namespace graze::broad::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::broad {
namespace {

HWY_EXPORT(Compressed);

TEST(Compress, MovesTheLanesOfEveryMaskToTheFront) {
  const std::uint32_t values[16] = {0xffffffff, 7, 0x80000000, 3,  0, 11, 12, 13,
                                    14,         1, 0xfffffffe, 17, 2, 19, 20, 0x7fffffff};
  for (std::int64_t left = hwy::SupportedTargets(); left != 0; left &= left - 1) {
    hwy::SetSupportedTargetsForTest(left & -left);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    std::size_t lanes = 0;
    HWY_DYNAMIC_DISPATCH(Compressed)(values, 0, &lanes);
    ASSERT_GE(lanes, 1u);
    for (unsigned mask = 0; mask < 1u << lanes; ++mask) {
      std::vector<std::uint32_t> expected;
      for (std::size_t i = 0; i < lanes; ++i)
        if (mask >> i & 1) expected.push_back(values[i]);
      ASSERT_EQ(HWY_DYNAMIC_DISPATCH(Compressed)(values, mask, &lanes), expected)
          << hwy::TargetName(left & -left) << ", mask " << mask;
    }
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace
}  // namespace graze::broad
#endif
