#include "graze/exact/judge/turning_oracle.h"

#include <gtest/gtest.h>

#include "test/support/curved.h"
#include "test/support/scale.h"
#include "test/support/turning.h"

namespace graze::exact::turning_oracle_test {
namespace {

Vec3 cycled(const Vec3& x) {
  return {x[1], x[2], x[0]};
}

// Axes of the space may be exchanged in turn and corners of the face renamed.
TEST(TurningOracle, DoesNotDependOnNamesAndAxes) {
  int contacts = 0;
  for (const generate::TurningFamily& family : generate::turning_families()) {
    if (family.mixed) continue;
    for (std::uint64_t i = 0; i < test::scaled(6); ++i) {
      const Turning<VertexFace> query = family.vertex_face(8, i);
      const Impact truth = turning_oracle(query);
      contacts += truth.verdict == Verdict::contact;
      Turning<VertexFace> other = query;
      for (Vec3& corner : other.corners) corner = cycled(corner);
      for (Turn& turn : other.turns) {
        turn.point = cycled(turn.point);
        turn.axis = cycled(turn.axis);
      }
      std::swap(other.corners[1], other.corners[3]);
      EXPECT_EQ(test::time_difference(turning_oracle(other), truth), "") << family.name << ' ' << i;
    }
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(contacts, 5);
}

}  // namespace
}  // namespace graze::exact::turning_oracle_test
