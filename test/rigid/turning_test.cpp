#include <gtest/gtest.h>

#include <algorithm>

#include "graze/first_contact.h"
#include "graze/generate/random.h"
#include "graze/rigid/advance.h"
#include "test/support/scale.h"

namespace graze::rigid::turning_test {
namespace {

using Triangle = std::array<Vec3, 3>;

// Returns the earliest first contact of the features of two triangles that turn.
Impact earliest(const Triangle& a, const Triangle& b, const std::array<Turn, 2>& turns) {
  Impact first;
  const auto include = [&](const Impact& impact) {
    if (impact.toi_hi < first.toi_hi) first = impact;
  };
  for (std::size_t i = 0; i < 3; ++i) {
    include(first_contact(Turning<VertexFace>{{a[i], b[0], b[1], b[2]}, turns}));
    include(first_contact(Turning<VertexFace>{{b[i], a[0], a[1], a[2]}, {turns[1], turns[0]}}));
    for (std::size_t j = 0; j < 3; ++j)
      include(
          first_contact(Turning<EdgeEdge>{{a[i], a[(i + 1) % 3], b[j], b[(j + 1) % 3]}, turns}));
  }
  return first;
}

// For triangles that are apart at the start, advance() is never later than first_contact(), and
// stops within its threshold of the contact.
TEST(Turning, AgreesWithAdvance) {
  const Face face{0, 1, 2};
  int contacts = 0, close = 0;
  for (std::uint64_t i = 0; i < test::scaled(400); ++i) {
    generate::Random random("turning bodies", 0, test::seed(), i);
    Triangle a, b;
    for (Vec3& corner : a) corner = random.cube(-1, 1);
    for (Vec3& corner : b) corner = random.cube(-1, 1) + Vec3(1.5, 0, 0);
    std::array<Turn, 2> turns{};
    turns[0].point = random.cube(-1, 1);
    turns[0].angle = random.uniform(-3, 3);
    if (random.one_in(2)) turns[1] = {random.cube(-1, 1), {0, 0, 1}, -turns[0].angle};
    const auto motion = [&](const Turn& turn) {
      return rotation_about({}, turn.point, Vec3(0, 0, turn.angle));
    };
    const BodyImpact given =
        advance(make_body(a, std::span(&face, 1)), motion(turns[0]),
                make_body(b, std::span(&face, 1)), motion(turns[1]), {.threshold = 1e-6});
    if (given.impact.toi == 0) continue;  // they may intersect at the start
    const Impact truth = earliest(a, b, turns);
    EXPECT_LE(given.impact.toi, truth.toi_hi) << i;
    if (truth.verdict != Verdict::contact) continue;
    EXPECT_EQ(given.impact.verdict, Verdict::contact) << i;
    ++contacts;
    close += truth.toi - given.impact.toi < 1e-4;
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(contacts, 20);
  EXPECT_GT(close, contacts * 9 / 10);
}

}  // namespace
}  // namespace graze::rigid::turning_test
