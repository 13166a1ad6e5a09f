#include "graze/exact/arena/arena_integer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "graze/generate/random.h"
#include "test/support/arena.h"
#include "test/support/scale.h"

namespace graze::exact::arena_integer_test {
namespace {

using generate::Random;
using test::BigInteger;
using test::in_arena;
using Rational = boost::multiprecision::cpp_rational;

// Returns up to `limbs` limbs, often with long runs of zeros and ones, so that carries travel far.
BigInteger random_integer(Random& random, int limbs) {
  BigInteger value = 0;
  for (int i = random.integer(0, limbs); i > 0; --i) {
    const std::uint64_t pattern[] = {random.bits(), 0, ~std::uint64_t{0}, 1, random.bits() >> 40};
    value = (value << 64) + pattern[random.below(5)];
  }
  return random.one_in(2) ? BigInteger(-value) : value;
}

void expect_same(const ArenaInteger& x, const BigInteger& y) {
  EXPECT_EQ(x.sign(), y.sign());
  EXPECT_EQ(x.is_zero(), y.is_zero());
  EXPECT_EQ(x.bit_length(), y.is_zero() ? 0 : static_cast<int>(msb(abs(y))) + 1);
  EXPECT_EQ((x - in_arena(x.arena(), y)).sign(), 0);
}

TEST(ArenaInteger, ArithmeticIsThatOfIntegers) {
  for (std::size_t i = 0; i < test::scaled(3000); ++i) {
    SCOPED_TRACE(i);
    Random random("arena", 0, 1, i);
    Arena arena;
    const int size = i % 10 == 0 ? 120 : 5;
    const BigInteger a = random_integer(random, size);
    const BigInteger b = random.one_in(8) ? a : random_integer(random, size);
    const ArenaInteger x = in_arena(arena, a), y = in_arena(arena, b);
    expect_same(x, a);
    expect_same(x + y, a + b);
    expect_same(x - y, a - b);
    expect_same(y - x, b - a);
    expect_same(x * y, a * b);
    expect_same(-x, -a);
    expect_same(x + -x, 0);
    const int shift = random.integer(0, 200);
    expect_same(x << shift, a << shift);
    expect_same(x << 64, a << 64);
    const auto factor = static_cast<unsigned>(random.bits());
    expect_same(x.times(factor), a * factor);
    if (b != 0) {
      expect_same((x * y).divided_by(y), a);
      expect_same(((x * y) << shift).divided_by(y << shift), a);
    }
    // Operands are not changed.
    expect_same(x, a);
    expect_same(y, b);
  }
}

TEST(ArenaInteger, OfAMagnitudeAndAShift) {
  Arena arena;
  for (const int shift : {0, 1, 11, 12, 63, 64, 65, 127, 128, 2100})
    for (const std::uint64_t magnitude : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}})
      for (const bool negative : {false, true}) {
        BigInteger value = magnitude;
        value <<= shift;
        expect_same(ArenaInteger(arena, magnitude, shift, negative),
                    negative ? BigInteger(-value) : value);
      }
}

// Compares with the largest double not above value / 2^scale.
TEST(ArenaInteger, FloorToDoubleIsTheLargestNotAbove) {
  int exact_ones = 0, denormal = 0;
  for (std::size_t i = 0; i < test::scaled(4000); ++i) {
    SCOPED_TRACE(i);
    Random random("floor", 0, 1, i);
    Arena arena;
    BigInteger value = abs(random_integer(random, 3));
    if (random.one_in(3)) value <<= random.integer(0, 150);
    if (random.one_in(2)) value >>= std::min(100, random.integer(0, 150));
    // The result must be at most 1.
    const int bits = value == 0 ? 0 : static_cast<int>(msb(value)) + 1;
    const int scale = bits + (random.one_in(3) ? random.integer(900, 1200) : random.integer(0, 80));
    bool is_exact = false;
    const double floor = in_arena(arena, value).floor_to_double(scale, is_exact);
    const Rational exact_value(value, BigInteger(BigInteger(1) << scale));
    EXPECT_LE(Rational(floor), exact_value);
    EXPECT_GT(Rational(std::nextafter(floor, 2.0)), exact_value);
    EXPECT_EQ(is_exact, Rational(floor) == exact_value);
    exact_ones += is_exact;
    denormal += floor > 0 && floor < std::numeric_limits<double>::min();
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(exact_ones, 100);
  EXPECT_GT(denormal, 100);
  Arena arena;
  bool is_exact = false;
  EXPECT_EQ(in_arena(arena, 1).floor_to_double(0, is_exact), 1.0);
  EXPECT_TRUE(is_exact);
  EXPECT_EQ(in_arena(arena, 1).floor_to_double(1074, is_exact), 5e-324);
  EXPECT_TRUE(is_exact);
  EXPECT_EQ(in_arena(arena, 1).floor_to_double(1075, is_exact), 0.0);
  EXPECT_FALSE(is_exact);
  EXPECT_EQ(in_arena(arena, 3).floor_to_double(1075, is_exact), 5e-324);
  EXPECT_FALSE(is_exact);
}

TEST(ArenaInteger, ApproximateIsCloseWherePromised) {
  for (std::size_t i = 0; i < test::scaled(1000); ++i) {
    Random random("approximate", 0, 1, i);
    Arena arena;
    const BigInteger value = random_integer(random, 6);
    const ArenaInteger x = in_arena(arena, value);
    const int scale = x.bit_length() + random.integer(-60, 60);
    const Rational exact_value =
        scale >= 0 ? Rational(value) / (BigInteger(1) << scale) : Rational(value << -scale);
    const Rational error = Rational(x.approximate(scale)) - exact_value;
    EXPECT_LE(abs(error), abs(exact_value) * Rational(0x1p-50)) << i;
  }
}

TEST(Arena, GivesBackWhatAFrameAllocated) {
  Arena arena;
  Arena::Limb* const first = arena.allocate(10);
  {
    const ArenaFrame frame(arena);
    EXPECT_EQ(arena.allocate(7), first + 10);
    {
      const ArenaFrame inner(arena);
      EXPECT_EQ(arena.allocate(1), first + 17);
    }
    EXPECT_EQ(arena.allocate(1), first + 17);
  }
  EXPECT_EQ(arena.allocate(1), first + 10);
}

TEST(Arena, GrowsInChunksAndUsesThemAgain) {
  Arena arena;
  const Arena::Mark empty = arena.mark();
  std::vector<Arena::Limb*> before;
  for (const std::size_t limbs : {2000u, 100u, 5000u, 1u, 100000u, 3u}) {
    Arena::Limb* const place = arena.allocate(limbs);
    std::fill(place, place + limbs, limbs);
    before.push_back(place);
  }
  std::size_t i = 0;
  for (const std::size_t limbs : {2000u, 100u, 5000u, 1u, 100000u, 3u}) {
    EXPECT_EQ(before[i][0], limbs);
    EXPECT_EQ(before[i++][limbs - 1], limbs);
  }
  arena.release(empty);
  i = 0;
  for (const std::size_t limbs : {2000u, 100u, 5000u, 1u, 100000u, 3u})
    EXPECT_EQ(arena.allocate(limbs), before[i++]) << limbs;
}

TEST(Arena, AFrameThatGrewTheArenaGivesBackTheFirstChunk) {
  Arena arena;
  const ArenaInteger kept = in_arena(arena, (BigInteger(1) << 500) + 7);
  Arena::Limb* const next = arena.allocate(1);
  {
    const ArenaFrame frame(arena);
    ArenaInteger power = kept;
    for (int i = 0; i < 8; ++i) power = power * power;
    EXPECT_EQ(power.bit_length(), 500 * 256 + 1);
  }
  EXPECT_EQ(arena.allocate(1), next + 1);
  expect_same(kept, (BigInteger(1) << 500) + 7);
}

}  // namespace
}  // namespace graze::exact::arena_integer_test
