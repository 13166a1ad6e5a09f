#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "graze/exact/judge/turning_oracle.h"
#include "graze/first_contact.h"
#include "graze/narrow/turning/turning_position.h"
#include "test/support/scale.h"
#include "test/support/turning.h"

namespace graze::turning_times_test {
namespace {

using std::numbers::pi;

// Returns whether the primitives are within 1e-13 of each other at time t, up to the rounding of
// their positions.
template <Query Q>
bool touches_about(const Turning<Q>& query, double t) {
  Q frozen;
  for (std::size_t c = 0; c < query.corners.size(); ++c)
    frozen.start[c] = frozen.end[c] =
        narrow::turning_corner(query.corners[c], query.turns[primitive_of<Q>(c)], t).position;
  return first_contact(frozen, {.min_separation = 1e-13}).verdict == Verdict::contact;
}

// The oracle returns every time at which contact can begin or end. The rounded positions in the
// middle of an interval, and between two intervals, show which of these times are connected.
TEST(TurningTimes, AgreeWithTheOracle) {
  int instants = 0, lasting = 0, cut = 0, gaps = 0, repeated = 0;
  for (const generate::TurningFamily& family : generate::turning_families())
    test::for_each_turning(
        family, test::scaled(family.mixed ? 5 : 40), test::seed(),
        [&](const auto& query, std::uint64_t i) {
          SCOPED_TRACE(std::string(family.name) + ' ' + std::to_string(i));
          for (const double t_max : {1.0, 0.375}) {
            const Options options{.t_max = t_max};
            const auto [verdict, intervals] = contact_times(query, options);
            const Impact first = first_contact(query, options);
            ASSERT_EQ(verdict, first.verdict);
            ASSERT_EQ(intervals.empty(), verdict == Verdict::separated);
            if (intervals.empty()) continue;
            ASSERT_EQ(intervals[0].begin_lo, first.toi);
            ASSERT_EQ(intervals[0].begin_hi, first.toi_hi);
            const auto events = exact::touching_events(query, options);
            for (const auto& [lo, hi] : events) {
              bool known = false;
              for (const ContactInterval& x : intervals)
                known = known || (x.begin_lo <= lo && hi <= x.end_hi);
              EXPECT_TRUE(known) << lo;
            }
            const auto is_event = [&](double lo, double hi) {
              return std::find(events.begin(), events.end(), std::array{lo, hi}) != events.end();
            };
            const bool turns = query.turns[0].angle != 0 || query.turns[1].angle != 0;
            double last = -1;
            for (const ContactInterval& x : intervals) {
              EXPECT_TRUE(!turns || is_event(x.begin_lo, x.begin_hi)) << x.begin_lo;
              EXPECT_LE(last, x.begin_lo);
              if (x.instant) {
                EXPECT_EQ(x.begin_lo, x.end_lo);
                EXPECT_EQ(x.begin_hi, x.end_hi);
                ++instants;
              } else {
                const bool ends = x.end_lo != t_max;
                EXPECT_TRUE(!ends || is_event(x.end_lo, x.end_hi)) << x.end_lo;
                EXPECT_LT(x.begin_lo, x.end_hi);
                ++(ends ? lasting : cut);
                if (!family.mixed) {
                  EXPECT_TRUE(touches_about(query, (x.begin_lo + x.end_hi) / 2)) << x.begin_lo;
                }
              }
              if (last >= 0 && x.begin_lo - last > 1e-6 && !family.mixed) {
                EXPECT_FALSE(touches_about(query, (last + x.begin_lo) / 2)) << last;
                ++gaps;
              }
              last = x.end_hi;
            }
            repeated += intervals.size() > 2;
          }
        });
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(instants, 60);
  EXPECT_GT(lasting, 8);
  EXPECT_GT(cut, 10);
  EXPECT_GT(gaps, 15);
  EXPECT_GT(repeated, 0);
}

// Returns a vertex at (1, 0, 0) that turns about z by `angle`, and a face.
Turning<VertexFace> turning_vertex(double angle, const Vec3& a, const Vec3& b, const Vec3& c) {
  Turning<VertexFace> query{{Vec3(1, 0, 0), a, b, c}, {}};
  query.turns[0].angle = angle;
  return query;
}

// Returns turning_vertex() with a face in the plane x = 0 around (0, 1, 0).
Turning<VertexFace> through_a_face(double angle) {
  return turning_vertex(angle, {0, 0.5, -1}, {0, 1.5, -1}, {0, 1, 1});
}

TEST(TurningTimes, RepeatInEveryTurn) {
  for (const double angle : {2.0, 40.0, -40.0, 1e5}) {
    const ContactTimes times = contact_times(through_a_face(angle));
    ASSERT_EQ(times.verdict, Verdict::contact);
    const double first = angle > 0 ? pi / 2 : 1.5 * pi;
    const double count = std::floor((std::abs(angle) - first) / (2 * pi)) + 1;
    ASSERT_EQ(static_cast<double>(times.intervals.size()), count);
    for (std::size_t k = 0; k < times.intervals.size(); ++k) {
      const ContactInterval& x = times.intervals[k];
      const double t = (first + 2 * pi * static_cast<double>(k)) / std::abs(angle);
      ASSERT_TRUE(x.instant);
      ASSERT_EQ(x.begin_hi, std::nextafter(x.begin_lo, 1.0));
      ASSERT_NEAR(x.begin_lo, t, 4e-16 * t) << k;
    }
  }
  EXPECT_EQ(contact_times(through_a_face(1)).verdict, Verdict::separated);
}

// Promise: undecided if there are more intervals than the budget allows.
TEST(TurningTimes, AreUndecidedBeyondTheBudget) {
  const Turning<VertexFace> query = through_a_face(1e12);
  const ContactTimes many = contact_times(query, {.max_checks = 100});
  EXPECT_EQ(many.verdict, Verdict::undecided);
  EXPECT_TRUE(many.intervals.empty());
  const std::size_t all = contact_times(through_a_face(40)).intervals.size();
  const auto budget = static_cast<std::uint32_t>(all);
  EXPECT_EQ(contact_times(through_a_face(40), {.max_checks = budget}).intervals.size(), all);
  EXPECT_EQ(contact_times(through_a_face(40), {.max_checks = budget - 1}).verdict,
            Verdict::undecided);
  // A vertex on the axis rests on its face for any number of turns.
  Turning<VertexFace> resting = query;
  resting.turns[0].point = resting.corners[0] = {0, 1, -0.5};
  const ContactTimes always = contact_times(resting, {.max_checks = 1});
  ASSERT_EQ(always.intervals.size(), 1u);
  EXPECT_EQ(always.intervals[0].begin_hi, 0);
  EXPECT_EQ(always.intervals[0].end_lo, 1);
  EXPECT_FALSE(always.intervals[0].instant);
}

// The vertex slides over a face in the plane of its circle, through an eighth of a turn before and
// after the start of every turn, or before and after the middle of every turn.
TEST(TurningTimes, JoinIntervalsOfConsecutiveHalfTurns) {
  for (const double angle : {0.5, 3.0, 19.0, 20.0})
    for (const double side : {1.0, -1.0}) {
      SCOPED_TRACE(side * angle);
      const auto times =
          contact_times(turning_vertex(angle, {0, 0, 0}, {side * 2, -2, 0}, {side * 2, 2, 0}));
      std::vector<std::array<double, 2>> expected;
      for (int k = 0; k < 5; ++k) {
        const double middle = 2 * pi * k + (side > 0 ? 0 : pi);
        if (middle - pi / 4 >= angle) break;
        expected.push_back(
            {std::max(0.0, middle - pi / 4) / angle, std::min(angle, middle + pi / 4) / angle});
      }
      ASSERT_EQ(times.intervals.size(), expected.size());
      for (std::size_t k = 0; k < expected.size(); ++k) {
        const ContactInterval& x = times.intervals[k];
        EXPECT_FALSE(x.instant);
        EXPECT_NEAR(x.begin_lo, expected[k][0], 1e-15);
        EXPECT_NEAR(x.end_lo, expected[k][1], 1e-15);
        EXPECT_EQ(x.begin_hi, x.begin_lo == 0 ? 0 : std::nextafter(x.begin_lo, 2.0));
        EXPECT_EQ(x.end_hi, x.end_lo == 1 ? 1 : std::nextafter(x.end_lo, 2.0));
      }
    }
  // Two points that meet for an instant at the border of two half-turns.
  for (const double x : {-1.0, 1.0}) {
    Turning<VertexVertex> points{{Vec3(1, 0, 0), Vec3(x, 0, 0)}, {}};
    points.turns[0].angle = 20;
    const auto meetings = contact_times(points).intervals;
    ASSERT_EQ(meetings.size(), x < 0 ? 3u : 4u);
    for (std::size_t k = 0; k < meetings.size(); ++k) {
      EXPECT_TRUE(meetings[k].instant);
      EXPECT_NEAR(meetings[k].begin_lo, (2.0 * static_cast<double>(k) + (x < 0)) * pi / 20, 1e-15);
    }
  }
}

TEST(TurningTimes, AreInvalidWithoutACommonParameter) {
  Turning<VertexFace> query = through_a_face(1);
  EXPECT_EQ(contact_times(query, {.t_max = 2}).verdict, Verdict::invalid);
  EXPECT_EQ(contact_times(query, {.min_separation = 1}).verdict, Verdict::invalid);
  query.turns[1].angle = 0.7;
  ASSERT_FALSE(has_one_parameter(query));
  EXPECT_EQ(contact_times(query).verdict, Verdict::invalid);
}

TEST(TurningTimes, BatchesGiveTheSameAnswers) {
  std::vector<Turning<EdgeEdge>> queries;
  for (const generate::TurningFamily& family : generate::turning_families())
    for (std::uint64_t i = 0; i < test::scaled(4); ++i) queries.push_back(family.edge_edge(7, i));
  std::vector<ContactTimes> times(queries.size());
  contact_times(queries, times, {}, {.threads = 2});
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const ContactTimes alone = contact_times(queries[i]);
    ASSERT_EQ(times[i].verdict, alone.verdict);
    ASSERT_EQ(times[i].intervals.size(), alone.intervals.size());
    for (std::size_t k = 0; k < alone.intervals.size(); ++k)
      EXPECT_EQ(times[i].intervals[k].end_lo, alone.intervals[k].end_lo);
  }
}

}  // namespace
}  // namespace graze::turning_times_test
