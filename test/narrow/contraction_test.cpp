// Tests that no target of the lanes contracts products and sums, as strict_arithmetic.h requires.

#include <gtest/gtest.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "test/narrow/contraction_test.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h

#include "graze/narrow/simd/exact_root-inl.h"

HWY_BEFORE_NAMESPACE();
namespace graze::narrow::HWY_NAMESPACE {
namespace {

// Returns the largest |a b - c d| over products of equal factors; the compiler cannot prove the
// factors equal.
double difference_of_equal_products() {
  using T = Lanes<Many>;
  double largest = 0;
  for (int i = 1; i < 100; ++i) {
    volatile double x = 1 / (3.0 + i), y = 1 / (7.0 + i), z = 1 / (11.0 + i);
    const Vec<T> a{T(x), T(y), T(z)}, b{T(x), T(y), T(z)};
    const Vec<T> n = cross(a, b);
    for (const T component : {n.x, n.y, n.z})
      largest = HWY_MAX(largest, hn::GetLane(abs_of(component).v));
  }
  return largest;
}

}  // namespace
}  // namespace graze::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::narrow {
namespace {

HWY_EXPORT(difference_of_equal_products);

TEST(Contraction, DoesNotHappenInTheLanesOfAnyTarget) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    EXPECT_EQ(HWY_DYNAMIC_DISPATCH(difference_of_equal_products)(), 0) << hwy::TargetName(target);
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace
}  // namespace graze::narrow
#endif
