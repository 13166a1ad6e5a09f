#include "graze/exact/arena/turn_clock.h"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>

#include "graze/generate/random.h"
#include "test/support/scale.h"

namespace graze::exact::turn_clock_test {
namespace {

using Digits = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<100>,
                                             boost::multiprecision::et_off>;

// The bounds contain sin(phi) / phi and cos(phi) of another implementation, and are narrow.
TEST(TurnClock, EnclosesSineAndCosine) {
  generate::Random random("turn clock", 0, test::seed(), 0);
  for (std::uint64_t i = 0; i < test::scaled(2000); ++i) {
    const double phi =
        random.uniform(0, 5) * std::ldexp(1.0, -random.integer(0, 3) * random.integer(0, 20));
    const unsigned bits = random.one_in(2) ? 128 : 256;
    const auto [mantissa, exponent] = decompose(phi);
    if (mantissa == 0) continue;
    const unsigned shift = exponent < 0 ? static_cast<unsigned>(-exponent) : 0;
    const Integer numerator = Integer(mantissa) << static_cast<unsigned>(std::max(exponent, 0));
    const SineCosine bounds = sine_cosine(numerator, shift, bits);
    const Digits sine = ldexp(Digits(sin(Digits(phi)) / Digits(phi)), static_cast<int>(bits)),
                 cosine = ldexp(cos(Digits(phi)), static_cast<int>(bits));
    ASSERT_LE(Digits(bounds.sine_lo), sine) << phi;
    ASSERT_GE(Digits(bounds.sine_hi), sine) << phi;
    ASSERT_LE(Digits(bounds.cosine_lo), cosine) << phi;
    ASSERT_GE(Digits(bounds.cosine_hi), cosine) << phi;
    EXPECT_LT(bounds.sine_hi - bounds.sine_lo, 4096) << phi;
    EXPECT_LT(bounds.cosine_hi - bounds.cosine_lo, 4096) << phi;
  }
}

// The bounds contain pi of another implementation, and are narrow.
TEST(TurnClock, EnclosesPi) {
  const Digits pi = 4 * atan(Digits(1));
  for (const unsigned bits : {16u, 128u, 256u}) {
    const auto [lo, hi] = pi_bounds(bits);
    const Digits scaled = ldexp(pi, static_cast<int>(bits));
    EXPECT_LT(Digits(lo), scaled) << bits;
    EXPECT_GT(Digits(hi), scaled) << bits;
    EXPECT_LT(hi - lo, 16 * bits) << bits;
  }
}

// Axes are scaled to one length exactly where the ratio of their lengths is rational.
TEST(TurnClock, SharesALength) {
  std::array<Turn, 2> turns{};
  turns[0].axis = {2, 3, 6};
  turns[1].axis = {0, 1.5, 2};
  turns[0].angle = 1;
  turns[1].angle = -1;
  const auto shared = shared_turn(turns);
  ASSERT_TRUE(shared);
  EXPECT_EQ(shared->rate, 1);
  for (const auto& axis : shared->axes) {
    const Integer square = axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2];
    EXPECT_EQ(square, shared->length_sq);
  }
  EXPECT_GT(shared->axes[0][0], 0);
  EXPECT_LT(shared->axes[1][1], 0);
  turns[1].axis = {0, 1, 1};
  EXPECT_FALSE(shared_turn(turns));
}

}  // namespace
}  // namespace graze::exact::turn_clock_test
