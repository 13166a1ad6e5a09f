#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <vector>

#include "graze/exact/arena/first_turning_contact.h"
#include "graze/exact/judge/turning_oracle.h"
#include "graze/first_contact.h"
#include "graze/generate/random.h"
#include "graze/generate/turning_families.h"
#include "graze/narrow/turning/exact_turning.h"
#include "graze/narrow/turning/turning_position.h"
#include "test/support/curved.h"
#include "test/support/scale.h"
#include "test/support/turning.h"

namespace graze::turning_test {
namespace {

using test::for_each_turning;

// Promises (1) and (2): verdict and times are those of the oracle.
TEST(Turning, AgreesWithTheOracle) {
  int contacts = 0, misses = 0;
  for (const generate::TurningFamily& family : generate::turning_families())
    for_each_turning(family, test::scaled(family.mixed ? 5 : 20), test::seed(),
                     [&](const auto& query, std::uint64_t i) {
                       ASSERT_TRUE(has_one_parameter(query));
                       const Impact truth = exact::turning_oracle(query);
                       ASSERT_EQ(test::time_difference(first_contact(query), truth), "")
                           << family.name << ' ' << i;
                       ++(truth.verdict == Verdict::contact ? contacts : misses);
                     });
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(contacts, 60);
  EXPECT_GT(misses, 100);
}

TEST(Turning, UsesEveryStage) {
  narrow::TurningTally tally;
  for (const generate::TurningFamily& family : generate::turning_families())
    for (std::uint64_t i = 0; i < test::scaled(20); ++i) {
      const Turning<EdgeEdge> query = family.edge_edge(2, i);
      narrow::exact_turning(query, {}, &tally);
    }
  // Axes of different lengths and directions: doubles do not have the common length exactly.
  for (std::uint64_t i = 0; i < test::scaled(40); ++i) {
    Turning<EdgeEdge> query = generate::turning_families()[0].edge_edge(2, i);
    for (Turn& turn : query.turns) turn.angle = 3;
    query.turns[0].axis = Vec3(1, 2, 2);
    query.turns[1].axis = Vec3(0, 0, 3);
    narrow::exact_turning(query, {}, &tally);
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(tally.pieces, 40u);
  EXPECT_GT(tally.contact, 4u);
  EXPECT_GT(tally.integer_time, 0u);
  EXPECT_GT(tally.integer, 40u);
}

// Integers give the same answers as the stages in floating point, whose times are rounded in pairs
// of doubles.
TEST(Turning, HasTheAnswersOfTheIntegers) {
  narrow::TurningTally tally;
  exact::Arena arena;
  for (const generate::TurningFamily& family : generate::turning_families())
    for (std::uint64_t i = 0; i < test::scaled(family.mixed ? 10 : 60); ++i) {
      const auto compare = [&](const auto& query, double t_max) {
        const Impact given = *narrow::exact_turning(query, {.t_max = t_max}, &tally);
        const exact::FirstContact truth =
            exact::first_contact(query, *exact::shared_turn(query.turns), t_max, arena);
        ASSERT_EQ(given.verdict == Verdict::contact, truth.found) << family.name << ' ' << i;
        if (!truth.found) return;
        EXPECT_EQ(given.toi, truth.lo) << family.name << ' ' << i;
        EXPECT_EQ(given.toi_hi, truth.hi) << family.name << ' ' << i;
      };
      compare(family.vertex_face(test::seed() + 5, i), 1);
      compare(family.edge_edge(test::seed() + 5, i), i % 3 == 0 ? 0.25 : 1);
    }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(tally.contact, 40u);
}

// Promise (2) without the oracle: the contact is after toi and not after toi_hi.
TEST(Turning, TimesAreTight) {
  int contacts = 0;
  for (const generate::TurningFamily& family : generate::turning_families())
    for_each_turning(family, test::scaled(20), 3, [&](const auto& query, std::uint64_t i) {
      const Impact impact = first_contact(query);
      if (impact.verdict != Verdict::contact || impact.toi_hi == 0) return;
      ++contacts;
      EXPECT_EQ(impact.toi_hi, std::nextafter(impact.toi, 1.0));
      const Impact until = first_contact(query, {.t_max = impact.toi_hi});
      EXPECT_EQ(test::time_difference(until, impact), "") << family.name << ' ' << i;
      if (impact.toi == 0) return;
      EXPECT_EQ(first_contact(query, {.t_max = impact.toi}).verdict, Verdict::separated)
          << family.name << ' ' << i;
    });
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(contacts, 25);
}

// Returns a vertex at (1, 0, 0) that turns about z, and a face in the plane x = 0 around (0, 1, 0).
Turning<VertexFace> quarter_turn(double angle) {
  Turning<VertexFace> query{{Vec3(1, 0, 0), Vec3(0, 0.5, -1), Vec3(0, 1.5, -1), Vec3(0, 1, 1)}, {}};
  query.turns[0].angle = angle;
  return query;
}

TEST(Turning, MeetsAfterAQuarterOfATurn) {
  for (const double angle : {1.6, 3.0, 3.2, 10.0, 1000.0, 1e9}) {
    const Impact impact = first_contact(quarter_turn(angle));
    ASSERT_EQ(impact.verdict, Verdict::contact);
    EXPECT_NEAR(impact.toi * angle, std::numbers::pi / 2, 1e-14);
    EXPECT_EQ(impact.kind, ContactKind::interior);
    EXPECT_NEAR(impact.normal[0], 1, 1e-12);
    EXPECT_NEAR(impact.u, 0.25, 1e-12);
    EXPECT_NEAR(impact.v, 0.5, 1e-12);
  }
  EXPECT_EQ(first_contact(quarter_turn(1.57)).verdict, Verdict::separated);
  // The other way round it takes three quarters of a turn.
  const Impact back = first_contact(quarter_turn(-6));
  EXPECT_NEAR(back.toi * 6, 1.5 * std::numbers::pi, 1e-14);
  EXPECT_EQ(first_contact(quarter_turn(-4.7)).verdict, Verdict::separated);
}

// The length of the axis does not matter, and turning one primitive is equivalent to turning the
// other one in the opposite sense.
TEST(Turning, DependsOnTheRelativeTurn) {
  const generate::TurningFamily& family = generate::turning_families()[0];
  for (std::uint64_t i = 0; i < test::scaled(100); ++i) {
    Turning<EdgeEdge> query = family.edge_edge(4, i);
    const std::size_t turns = query.turns[0].angle != 0 ? 0 : 1;
    const Impact impact = first_contact(query);
    Turning<EdgeEdge> other = query;
    other.turns[turns].axis *= -8;
    other.turns[turns].angle *= -1;
    EXPECT_EQ(test::time_difference(first_contact(other), impact), "") << i;
    other = query;
    other.turns[1 - turns] = query.turns[turns];
    other.turns[1 - turns].angle *= -1;
    other.turns[turns].angle = 0;
    EXPECT_EQ(test::time_difference(first_contact(other), impact), "") << i;
    // A common translation changes nothing.
    other = query;
    other.turns[0].way = other.turns[1].way = {1, 2, 3};
    EXPECT_EQ(test::time_difference(first_contact(other), impact), "") << i;
  }
}

// Promise (3): the points that u and v give meet, and the normal is against the approach.
TEST(Turning, NamesThePointOfContact) {
  int contacts = 0;
  for (const generate::TurningFamily& family : generate::turning_families()) {
    if (family.mixed) continue;
    for (std::uint64_t i = 0; i < test::scaled(40); ++i) {
      const Turning<EdgeEdge> query = family.edge_edge(5, i);
      const Impact impact = first_contact(query);
      if (impact.verdict != Verdict::contact) continue;
      ++contacts;
      narrow::TurningCorner at[4];
      for (std::size_t c = 0; c < 4; ++c)
        at[c] = narrow::turning_corner(query.corners[c], query.turns[c / 2], impact.toi);
      const auto between = [](const Vec3& a, const Vec3& b, double s) {
        return (1 - s) * a + s * b;
      };
      const Vec3 a = between(at[0].position, at[1].position, impact.u),
                 b = between(at[2].position, at[3].position, impact.v);
      const Vec3 approach = between(at[0].velocity, at[1].velocity, impact.u) -
                            between(at[2].velocity, at[3].velocity, impact.v);
      EXPECT_LT((a - b).norm(), 1e-9) << family.name << ' ' << i;
      EXPECT_NEAR(impact.normal.norm(), 1, 1e-12);
      EXPECT_LE(impact.normal.dot(approach), 1e-9 * (1 + approach.norm()))
          << family.name << ' ' << i;
    }
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(contacts, 50);
}

TEST(Turning, AnswersInvalidForUnusableInput) {
  const auto verdict = [](const Turning<VertexFace>& query, const Options& options = {}) {
    return first_contact(query, options).verdict;
  };
  Turning<VertexFace> query = quarter_turn(1);
  EXPECT_EQ(verdict(query, {.t_max = 2}), Verdict::invalid);
  query.turns[0].axis = Vec3::Zero();
  EXPECT_EQ(verdict(query), Verdict::invalid);
  EXPECT_FALSE(has_one_parameter(query));
  query = quarter_turn(Impact::inf);
  EXPECT_EQ(verdict(query), Verdict::invalid);
  query = quarter_turn(1);
  query.corners[2][1] = Impact::nan;
  EXPECT_EQ(verdict(query), Verdict::invalid);
  query = quarter_turn(1);
  query.turns[1].axis = Vec3::Zero();  // not read: the face rests
  EXPECT_EQ(verdict(query), Verdict::separated);
}

TEST(Turning, FindsTheTurnsThatShareAParameter) {
  Turning<VertexFace> query = quarter_turn(1);
  Turn& face = query.turns[1];
  const auto shared = [&](const Vec3& axis, double angle) {
    face.axis = axis;
    face.angle = angle;
    return has_one_parameter(query);
  };
  EXPECT_TRUE(shared({0, 0, 1}, 1));
  EXPECT_TRUE(shared({0.1, 0, 0}, -1));
  EXPECT_TRUE(shared({1, 2, 2}, 2));
  EXPECT_TRUE(shared({1, 2, 2}, -0.5));
  EXPECT_FALSE(shared({1, 1, 0}, 1));
  EXPECT_FALSE(shared({0, 0, 1}, 3));
  EXPECT_FALSE(shared({0, 0, 1}, std::nextafter(1.0, 2.0)));
  EXPECT_TRUE(shared({1, 1, 0}, 0));
  face.way = {0, 0, 0.5};
  EXPECT_FALSE(has_one_parameter(query));
}

// A part of a path contains the corners at all of its times, computed here with more digits.
TEST(TurningPath, EnclosesEveryCorner) {
  using Wide = Eigen::Matrix<long double, 3, 1>;
  generate::Random random("turning path", 0, test::seed(), 0);
  for (std::uint64_t i = 0; i < test::scaled(300); ++i) {
    Turning<EdgeEdge> query;
    for (Vec3& corner : query.corners) corner = random.cube(-2, 2);
    for (Turn& turn : query.turns)
      turn = {random.cube(-1, 1), random.cube(-1, 1), random.uniform(-9, 9), random.cube(-1, 1)};
    const double first = random.uniform(), second = random.uniform();
    const double begin = std::min(first, second),
                 end = random.one_in(2) ? std::max(first, second) : begin + 1e-6 * (1 - begin);
    const EnclosedPath<EdgeEdge> part = turning_path(query)(begin, end);
    for (int j = 0; j <= 8; ++j) {
      const long double s = j / 8.0L, t = begin + s * (static_cast<long double>(end) - begin);
      for (std::size_t c = 0; c < 4; ++c) {
        const Turn& turn = query.turns[c / 2];
        const Wide axis = turn.axis.cast<long double>().normalized(),
                   v = query.corners[c].cast<long double>() - turn.point.cast<long double>();
        const long double angle = t * turn.angle;
        const Wide turned = std::cos(angle) * v + std::sin(angle) * axis.cross(v) +
                            (1 - std::cos(angle)) * axis.dot(v) * axis;
        const Wide exact =
            turn.point.cast<long double>() + t * turn.way.cast<long double>() + turned;
        const Wide chord = (1 - s) * part.chord.start[c].cast<long double>() +
                           s * part.chord.end[c].cast<long double>();
        ASSERT_LE((exact - chord).norm(), part.deviation) << i << ' ' << j << ' ' << c;
      }
    }
    if (end - begin < 1e-5) {
      EXPECT_LT(part.deviation, 1e-9);
    }
  }
}

// The enclosure is never late, and finds every contact that the exact method finds.
TEST(TurningPath, IsNeverLate) {
  int contacts = 0;
  for (const generate::TurningFamily& family : generate::turning_families()) {
    if (family.degenerate) continue;
    for_each_turning(family, test::scaled(30), 6, [&](const auto& query, std::uint64_t i) {
      const Impact truth = first_contact(query);
      const Impact given = first_contact(turning_path(query), {.max_checks = 3000});
      EXPECT_LE(given.toi, truth.toi_hi) << family.name << ' ' << i;
      if (truth.verdict == Verdict::separated) return;
      EXPECT_NE(given.verdict, Verdict::separated);
      ++contacts;
    });
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(contacts, 5);
}

// Without a common parameter: a vertex that turns about z meets a face that moves straight.
TEST(TurningPath, TurnsAgainstStraightMotion) {
  Turning<VertexFace> query = quarter_turn(2);
  query.turns[1].way = {0.5, 0, 0};
  ASSERT_FALSE(has_one_parameter(query));
  const Impact impact = first_contact(query);
  ASSERT_EQ(impact.verdict, Verdict::contact);
  // cos(2 t) = t / 2
  double lo = 0, hi = 1;
  for (int i = 0; i < 60; ++i) (std::cos(lo + hi) > (lo + hi) / 4 ? lo : hi) = (lo + hi) / 2;
  EXPECT_LE(impact.toi, hi);
  EXPECT_GT(impact.toi, hi - 1e-5);
}

TEST(Turning, BatchesGiveTheSameAnswers) {
  std::vector<Turning<VertexFace>> queries;
  for (const generate::TurningFamily& family : generate::turning_families())
    for (std::uint64_t i = 0; i < test::scaled(8); ++i) queries.push_back(family.vertex_face(7, i));
  for (const Options& options : {Options{}, Options{.max_checks = 50, .min_separation = 0.01}}) {
    std::vector<Impact> impacts(queries.size());
    first_contact(queries, impacts, options, {.threads = 2});
    for (std::size_t i = 0; i < queries.size(); ++i)
      EXPECT_EQ(test::time_difference(impacts[i], first_contact(queries[i], options)), "") << i;
  }
}

}  // namespace
}  // namespace graze::turning_test
