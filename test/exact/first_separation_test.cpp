// Compares the integer stage of separation_root alone, without the filter that usually precedes it,
// with the oracle, with which it shares no predicate.

#include "graze/exact/arena/first_separation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "graze/core/numeric/float_environment.h"
#include "test/support/corpus.h"
#include "test/support/norms.h"
#include "test/support/scale.h"

namespace graze::exact::first_separation_test {
namespace {

using test::distances;
using test::for_each_query;
using test::scaled;

FirstSeparation first(test::L2, const auto& query, const Options& options, Arena& arena) {
  return first_separation_l2(query, options.min_separation, options.t_max, arena);
}
FirstSeparation first(test::Linf, const auto& query, const Options& options, Arena& arena) {
  return first_separation_linf(query, options.min_separation, options.t_max, arena);
}

template <class Norm>
class FirstSeparationIn : public testing::Test {
 protected:
  // Returns the answer of the stage, and fails if the oracle has another one.
  FirstSeparation judged(const auto& query, const Options& options) {
    const Impact truth = Norm::oracle(query, options);
    const FirstSeparation given = first(Norm(), query, options, arena_);
    EXPECT_TRUE(given.found == (truth.verdict == Verdict::contact) && given.lo == truth.toi &&
                given.hi == truth.toi_hi)
        << std::hexfloat << "d = " << options.min_separation << ", t_max = " << options.t_max
        << ", " << query.start.size() << " points: " << given.lo << ' ' << given.hi << '\n'
        << test::corpus_text(test::as_four(query), truth);
    return given;
  }

  FloatEnvironment environment_;
  Arena arena_;
};
using Norms = testing::Types<test::L2, test::Linf>;
TYPED_TEST_SUITE(FirstSeparationIn, Norms);

TYPED_TEST(FirstSeparationIn, Promise1And2EqualTheOracleToTheLastBit) {
  int found = 0, missed = 0;
  for_each_query(scaled(8), 71, [&](const auto& query) {
    for (const double d : distances(query)) {
      const FirstSeparation whole = this->judged(query, {.min_separation = d});
      ++(whole.found ? found : missed);
      if (!whole.found || whole.hi == 0) continue;
      // The step just reaches the contact, and just does not.
      this->judged(query, {.t_max = whole.hi, .min_separation = d});
      if (const double before = std::nextafter(whole.hi, 0); before > 0)
        this->judged(query, {.t_max = before, .min_separation = d});
    }
  });
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(found, 1500);
  EXPECT_GT(missed, 800);
}

// Distances that are attained at the start, half-way or at the end, if they are doubles: primitives
// that graze, pass at exactly d, or start and end at d.
TYPED_TEST(FirstSeparationIn, Promise1HoldsForDistancesThatAreJustAttained) {
  int found = 0, missed = 0;
  for_each_query(scaled(8), 72, [&](const auto& query) {
    for (const double t : {0.0, 0.5, 1.0}) {
      const double d = TypeParam::closest(query, t).distance;
      if (!(d > 0 && d < 1e300)) continue;
      for (const double near : {d, std::nextafter(d, 0)})
        if (near > 0) ++(this->judged(query, {.min_separation = near}).found ? found : missed);
    }
  });
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(found, 2000);
  EXPECT_GT(missed, 300);
}

TYPED_TEST(FirstSeparationIn, Promise1HoldsAtTheEdgeOfTheRangeOfDoubles) {
  for_each_query(1, 73, [&](const auto& query) {
    for (const double d : {5e-324, 1e160, 1.7e308}) this->judged(query, {.min_separation = d});
  });
}

TYPED_TEST(FirstSeparationIn, Promise1And2HoldOnTheCorpus) {
  for (const auto& entry : test::read_corpus())
    std::visit(
        [&](const auto& query) {
          for (const double d : distances(query)) this->judged(query, {.min_separation = d});
          for (const double d : {0x1.83aea399f979dp-30, 1.0})
            this->judged(query, {.min_separation = d});
        },
        entry.query);
}

// Points that come within d at one instant that is no double: a double root of the gap of an edge
// and of a corner; in the max norm one direction begins to separate when another ceases to.
TYPED_TEST(FirstSeparationIn, Promise2FindsGrazingContacts) {
  const auto expect_a_third = [&](const Vec3& start, const Vec3& end, double d) {
    const std::array<Vec3, 3> face{Vec3(0, 0, 0), Vec3(8, 0, 0), Vec3(0, 8, 0)};
    const VertexFace query{{start, face[0], face[1], face[2]}, {end, face[0], face[1], face[2]}};
    const FirstSeparation at = this->judged(query, {.min_separation = d});
    EXPECT_EQ(at.lo, 1 / 3.0);
    EXPECT_EQ(at.hi, std::nextafter(1 / 3.0, 1));
    EXPECT_FALSE(this->judged(query, {.min_separation = std::nextafter(d, 0)}).found);
  };
  if constexpr (std::is_same_v<TypeParam, test::L2>) {
    expect_a_third({4, -2, -1}, {4, -2, 2}, 2);
    expect_a_third({-3, -4, -1}, {-3, -4, 2}, 5);
  } else {
    expect_a_third({-3, -1, 0}, {0, -4, 0}, 2);
    expect_a_third({-3, -2, -1}, {0, -2, -4}, 2);
  }
}

TYPED_TEST(FirstSeparationIn, Promise3DependsOnTheArgumentsAloneAndLeavesTheArenaAsItWas) {
  const Arena::Limb* const start = this->arena_.allocate(1);
  for_each_query(1, 74, [&](const auto& query) {
    for (const double d : distances(query)) {
      const Options options{.min_separation = d};
      Arena fresh;
      const FirstSeparation alone = first(TypeParam(), query, options, fresh);
      const FirstSeparation again = first(TypeParam(), query, options, this->arena_);
      ASSERT_TRUE(alone.lo == again.lo && alone.hi == again.hi);
      ASSERT_EQ(alone.candidates, again.candidates);
    }
  });
  EXPECT_EQ(this->arena_.allocate(1), start + 1);
}

}  // namespace
}  // namespace graze::exact::first_separation_test
