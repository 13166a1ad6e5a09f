#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>

#include "graze/core/numeric/common_scale.h"
#include "graze/exact/triangle_meet.h"
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

// Returns whether two triangles share a point at the start, by exact integers.
bool meet_at_start(const Triangle& a, const Triangle& b) {
  numeric::CommonScale scale;
  for (const Triangle* triangle : {&a, &b})
    for (const Vec3& corner : *triangle) scale.include(corner);
  const auto integers = [&](const Triangle& triangle) {
    exact::IntegerTriangle result;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t k = 0; k < 3; ++k)
        result[i][k] = exact::to_integer(scale.scaled(triangle[i][static_cast<int>(k)]));
    return result;
  };
  return exact::triangles_meet(integers(a), integers(b));
}

// Returns the place of a point at time t, up to rounding.
Vec3 turned(const Turn& turn, double t, const Vec3& x) {
  const Eigen::AngleAxisd rotation(t * turn.angle, turn.axis.normalized());
  return turn.point + rotation * (x - turn.point);
}

// The pairs of turns of the test, all about oblique axes.
enum class Turns { one, equal, opposite, twice, other_axes, count };

std::array<Turn, 2> random_turns(Turns kind, generate::Random& random) {
  std::array<Turn, 2> turns{};
  for (Turn& turn : turns) {
    turn.point = random.cube(-1, 1);
    // Short coordinates keep the integers small where one angle is twice the other.
    turn.axis = kind == Turns::twice ? Vec3(random.integer(1, 4), -1, random.integer(-4, 4))
                                     : random.cube(-1, 1);
  }
  auto& [first, second] = turns;
  first.angle = random.uniform(-3, 3);
  if (kind == Turns::one) return turns;
  // Exchanged coordinates keep the length of an axis, so both angles have one parameter.
  second.axis = kind == Turns::other_axes || (kind == Turns::twice && random.one_in(2))
                    ? Vec3(first.axis[1], -first.axis[2], first.axis[0])
                    : first.axis;
  second.angle = kind == Turns::opposite ? -first.angle : first.angle;
  if (kind == Turns::twice) second.angle *= random.one_in(2) ? 0.5 : -2;
  return turns;
}

// advance() is never later than first_contact(), and stops within its threshold of the contact. It
// stops at 0 if and only if the triangles meet or are within the threshold at the start; there
// first_contact() need not report a contact, since no features of crossing triangles touch.
TEST(Turning, AgreesWithAdvance) {
  const Face face{0, 1, 2};
  constexpr auto kinds = static_cast<std::size_t>(Turns::count);
  std::array<int, kinds> contacts{}, close{};
  int meeting = 0;
  for (std::uint64_t i = 0; i < test::scaled(300); ++i) {
    generate::Random random("turning bodies", 0, test::seed(), i);
    Triangle a, b;
    for (Vec3& corner : a) corner = random.cube(-1, 1);
    const std::size_t kind = i % kinds;
    const std::array<Turn, 2> turns = random_turns(static_cast<Turns>(kind), random);
    // Near the first triangle at some time, so that they often touch before.
    const double near = random.uniform(0.3, 1);
    const Vec3 centre = turned(turns[0], near, (a[0] + a[1] + a[2]) / 3);
    for (Vec3& corner : b) corner = turned(turns[1], -near, centre + random.cube(-1, 1));
    ASSERT_TRUE(has_one_parameter(Turning<VertexFace>{{a[0], b[0], b[1], b[2]}, turns})) << i;
    const auto motion = [&](const Turn& turn) {
      return rotation_about({}, turn.point, turn.angle * turn.axis.normalized());
    };
    const double threshold = 1e-6;
    const BodyImpact given =
        advance(make_body(a, std::span(&face, 1)), motion(turns[0]),
                make_body(b, std::span(&face, 1)), motion(turns[1]), {.threshold = threshold});
    const bool meets = meet_at_start(a, b);
    meeting += meets;
    if (meets || given.impact.toi == 0) {
      EXPECT_EQ(given.impact.toi, 0) << i;
      EXPECT_EQ(given.impact.verdict, Verdict::contact) << i;
      if (!meets) {
        EXPECT_LE(given.distance, threshold) << i;
      }
      continue;
    }
    const Impact truth = earliest(a, b, turns);
    EXPECT_LE(given.impact.toi, truth.toi_hi) << i;
    if (truth.verdict != Verdict::contact) continue;
    EXPECT_EQ(given.impact.verdict, Verdict::contact) << i;
    ++contacts[kind];
    close[kind] += truth.toi - given.impact.toi < 1e-4;
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(meeting, 20);
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    EXPECT_GT(contacts[kind], 10) << kind;
    EXPECT_GE(10 * close[kind], 9 * contacts[kind]) << kind;
  }
}

}  // namespace
}  // namespace graze::rigid::turning_test
