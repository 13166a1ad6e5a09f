#include "graze/first_contact.h"

#include <gtest/gtest.h>

#include <cmath>

#include "graze/exact/judge/oracle.h"
#include "test/support/generated.h"

namespace graze::narrow::contact_times_test {
namespace {

using test::both_each;

// Returns the query at rest at its positions of time t; exact if all coordinates at t are doubles.
template <class Query>
Query frozen(const Query& query, double t) {
  Query result = query;
  for (std::size_t i = 0; i < 4; ++i)
    result.start[i] = result.end[i] = query.start[i] + t * (query.end[i] - query.start[i]);
  return result;
}

bool holds(const std::vector<ContactInterval>& intervals, double t) {
  for (const ContactInterval& i : intervals)
    if (i.begin_hi <= t && t <= i.end_lo) return true;
  return false;
}

TEST(ContactTimes, Promise1BeginsWithTheFirstContactOnEveryFamily) {
  int hits = 0, misses = 0;
  for (const generate::Family& family : generate::families())
    both_each(family.name, 60, [&](const auto& query) {
      for (const double t_max : {1.0, 0.625}) {
        const Impact truth = exact::oracle(query, {.t_max = t_max});
        const auto [verdict, intervals] = contact_times(query, {.t_max = t_max});
        ASSERT_EQ(verdict, truth.verdict);
        const bool contact = truth.verdict == Verdict::contact;
        ASSERT_EQ(!intervals.empty(), contact);
        ++(contact ? hits : misses);
        if (!contact) continue;
        EXPECT_EQ(intervals.front().begin_lo, truth.toi);
        EXPECT_EQ(intervals.front().begin_hi, truth.toi_hi);
        EXPECT_LE(intervals.back().end_hi, t_max);
        double last = -1;
        for (const ContactInterval& i : intervals) {
          EXPECT_LE(last, i.begin_lo);
          EXPECT_LE(i.begin_lo, i.begin_hi);
          EXPECT_LE(i.begin_hi, i.instant ? i.begin_hi : i.end_hi);
          last = i.end_lo;
        }
      }
    });
  EXPECT_GT(hits, 500);
  EXPECT_GT(misses, 500);
}

// At multiples of 1/16 the corners of lattice queries are doubles, so a query at rest decides
// whether they touch there, whatever happened before.
TEST(ContactTimes, Promise1HoldsExactlyTheTimesAtWhichStandingPrimitivesTouch) {
  int inside = 0, outside = 0, lasting = 0;
  for (const char* name : {"lattice1", "lattice2", "coplanar", "collinear", "lattice_contact",
                           "flipping", "collapsing", "double_root", "three_roots"})
    both_each(name, 150, [&](const auto& query) {
      for (std::size_t i = 0; i < 4; ++i)
        for (const Vec3& corner : {query.start[i], query.end[i]})
          for (const double x : corner)
            if (std::abs(x) > 0x1p20 || x * 0x1p20 != std::floor(x * 0x1p20)) return;
      const auto intervals = contact_times(query).intervals;
      for (const ContactInterval& i : intervals) lasting += !i.instant;
      for (int k = 0; k <= 16; ++k) {
        const bool touches = exact::oracle(frozen(query, k / 16.0)).verdict == Verdict::contact;
        EXPECT_EQ(holds(intervals, k / 16.0), touches) << k;
        ++(touches ? inside : outside);
      }
    });
  EXPECT_GT(inside, 1000);
  EXPECT_GT(outside, 1000);
  EXPECT_GT(lasting, 100);
}

// The vertex slides in the plane of the face from one border to the other.
TEST(ContactTimes, GivesTheIntervalOfASlide) {
  const VertexFace slide{{Vec3(-1, 1, 0), Vec3(0, 0, 0), Vec3(4, 0, 0), Vec3(0, 4, 0)},
                         {Vec3(7, 1, 0), Vec3(0, 0, 0), Vec3(4, 0, 0), Vec3(0, 4, 0)}};
  const auto intervals = contact_times(slide).intervals;
  ASSERT_EQ(intervals.size(), 1u);
  EXPECT_FALSE(intervals[0].instant);
  EXPECT_EQ(intervals[0].begin_lo, 0.125);
  EXPECT_EQ(intervals[0].begin_hi, 0.125);
  EXPECT_EQ(intervals[0].end_lo, 0.5);
  EXPECT_EQ(intervals[0].end_hi, 0.5);
}

TEST(ContactTimes, GivesEveryCrossingOfACubicWithThreeRoots) {
  int three = 0;
  for (const auto& query : test::generated<VertexFace>(test::family("three_roots"), 300))
    three += contact_times(query).intervals.size() == 3;
  EXPECT_GT(three, 10);
}

TEST(ContactTimes, AreInvalidForInputThatIsNotFiniteAndForOptionsOutOfRange) {
  VertexFace query = test::generated<VertexFace>(test::family("random"), 1)[0];
  EXPECT_NE(contact_times(query).verdict, Verdict::invalid);
  EXPECT_EQ(contact_times(query, {.t_max = 2}).verdict, Verdict::invalid);
  EXPECT_EQ(contact_times(query, {.min_separation = 1}).verdict, Verdict::invalid);
  query.end[2][1] = Impact::nan;
  EXPECT_EQ(contact_times(query).verdict, Verdict::invalid);
}

TEST(WithoutArea, PointMeetsTheInsideOfASegment) {
  const VertexEdge query{{Vec3(0, 0, 1), Vec3(-1, 0, 0), Vec3(3, 0, 0)},
                         {Vec3(0, 0, -1), Vec3(-1, 0, 0), Vec3(3, 0, 0)}};
  const Impact impact = first_contact(query);
  ASSERT_EQ(impact.verdict, Verdict::contact);
  EXPECT_EQ(impact.toi, 0.5);
  EXPECT_EQ(impact.toi_hi, 0.5);
  EXPECT_EQ(impact.u, 0.25);
  EXPECT_TRUE(std::isnan(impact.v));
  EXPECT_EQ(impact.normal, Vec3(0, 0, 1));
  VertexEdge beside = query;
  beside.end[0][1] = 5e-324;
  EXPECT_EQ(first_contact(beside).verdict, Verdict::separated);
}

TEST(WithoutArea, PointsMeetOnlyWhereAllCoordinatesDo) {
  const VertexVertex meeting{{Vec3(0, 0, 0), Vec3(3, 6, -9)}, {Vec3(1, 2, -3), Vec3(1, 2, -3)}};
  const Impact impact = first_contact(meeting);
  ASSERT_EQ(impact.verdict, Verdict::contact);
  EXPECT_EQ(impact.toi, 1);
  EXPECT_TRUE(std::isnan(impact.u));
  VertexVertex passing = meeting;
  passing.end[1][2] = -3.0000000000000004;
  EXPECT_EQ(first_contact(passing).verdict, Verdict::separated);
  EXPECT_EQ(contact_times(meeting).intervals.size(), 1u);
  EXPECT_EQ(contact_times(passing).verdict, Verdict::separated);
}

// Points and segments on a small lattice meet often. The query at rest at a lattice time confirms a
// contact, the oracle a miss.
TEST(WithoutArea, AgreesWithTheOracleOnLattices) {
  int hits = 0, misses = 0;
  for (const char* name : {"lattice1", "lattice2", "near_lattice", "touching", "static"})
    for (const auto& q : test::generated<VertexFace>(test::family(name), 400)) {
      const VertexEdge edge{{q.start[0], q.start[1], q.start[2]}, {q.end[0], q.end[1], q.end[2]}};
      const VertexVertex point{{q.start[0], q.start[1]}, {q.end[0], q.end[1]}};
      const auto check = [&](const auto& query) {
        const Impact truth = exact::oracle(as_vertex_face(query)), impact = first_contact(query);
        ASSERT_EQ(impact.verdict, truth.verdict);
        EXPECT_EQ(impact.toi, truth.toi);
        EXPECT_EQ(impact.toi_hi, truth.toi_hi);
        ++(truth.verdict == Verdict::contact ? hits : misses);
      };
      check(edge);
      check(point);
    }
  EXPECT_GT(hits, 100);
  EXPECT_GT(misses, 1000);
}

}  // namespace
}  // namespace graze::narrow::contact_times_test
