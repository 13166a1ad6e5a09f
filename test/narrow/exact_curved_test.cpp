#include "graze/narrow/contact/exact_curved.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cfenv>
#include <cmath>
#include <cstring>

#include "graze/exact/judge/curved_oracle.h"
#include "graze/first_contact.h"
#include "graze/generate/families.h"
#include "test/support/curved.h"
#include "test/support/scale.h"

namespace graze::narrow::exact_curved_test {
namespace {

using generate::CurvedFamily;
using test::scaled;

// Returns a corner of a curved query at t, up to rounding.
Vec3 corner_at(Curve curve, const std::array<Vec3, 4>& p, double t) {
  const double s = 1 - t;
  switch (curve) {
    case Curve::line:
      return s * p[0] + t * p[1];
    case Curve::quadratic:
      return s * s * p[0] + 2 * s * t * p[1] + t * t * p[2];
    case Curve::cubic:
      return s * s * s * p[0] + 3 * s * s * t * p[1] + 3 * s * t * t * p[2] + t * t * t * p[3];
    case Curve::hermite:
      return (1 + 2 * t) * s * s * p[0] + t * s * s * p[1] - t * t * s * p[2] +
             t * t * (3 - 2 * t) * p[3];
  }
  return {};
}
template <class Q>
auto corners_at(const Curved<Q>& query, double t) {
  typename Curved<Q>::Corners corners;
  for (std::size_t c = 0; c < corners.size(); ++c)
    corners[c] = corner_at(
        query.curve,
        {query.points[0][c], query.points[1][c], query.points[2][c], query.points[3][c]}, t);
  return corners;
}

// Promises (1) and (2).
TEST(ExactCurved, AgreesWithTheOracleOnEveryFamily) {
  std::size_t contacts = 0, queries = 0;
  for (const CurvedFamily& family : generate::curved_families())
    for (const Curve curve : test::curves) {
      SCOPED_TRACE(std::string(family.name) + " curve " + std::to_string(int(curve)));
      const std::size_t count = scaled(family.mixed ? 2 : 20);
      test::for_each_curved(family, curve, count, test::seed(), [&](const auto& query, auto i) {
        const Impact given = first_contact(query), truth = exact::curved_oracle(query);
        ASSERT_EQ(test::time_difference(given, truth), "") << "query " << i;
        ++queries;
        contacts += truth.verdict == Verdict::contact;
      });
    }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(contacts * 10, queries * 2);
  EXPECT_LT(contacts * 10, queries * 7);
}

TEST(ExactCurved, AgreesWithTheOracleForShorterSteps) {
  for (const CurvedFamily& family : generate::curved_families()) {
    if (family.mixed) continue;
    SCOPED_TRACE(std::string(family.name));
    for (const Curve curve : {Curve::quadratic, Curve::cubic, Curve::hermite})
      test::for_each_curved(family, curve, scaled(6), 2, [&](const auto& query, auto i) {
        const Impact truth = exact::curved_oracle(query);
        std::vector<double> ends{0.5, 1 / 3.0, 1e-3, 5e-324};
        if (truth.toi_hi > 0 && truth.toi_hi <= 1) {
          ends.push_back(truth.toi_hi);
          if (const double before = std::nextafter(truth.toi_hi, 0.0); before > 0)
            ends.push_back(before);
        }
        for (const double t_max : ends) {
          const Options options{.t_max = t_max};
          const bool reached = truth.toi_hi <= t_max;
          ASSERT_EQ(test::time_difference(first_contact(query, options),
                                          reached ? truth : Impact::separated()),
                    "")
              << "query " << i << " until " << t_max;
        }
      });
  }
}

// Every stage decides some queries of the generic families, and all of them together decide all.
TEST(ExactCurved, DecidesGenericQueriesWithoutIntegers) {
  CurvedTally tally;
  for (const CurvedFamily& family : generate::curved_families()) {
    if (family.degenerate) continue;
    for (const Curve curve : {Curve::quadratic, Curve::cubic, Curve::hermite}) {
      std::vector<Curved<VertexFace>> faces;
      std::vector<Curved<EdgeEdge>> edges;
      for (std::uint64_t i = 0; i < 1000; ++i) {
        faces.push_back(family.vertex_face(curve, 3, i));
        edges.push_back(family.edge_edge(curve, 3, i));
      }
      std::vector<Impact> impacts(faces.size());
      exact_curved(faces, {}, impacts, tally);
      exact_curved(edges, {}, impacts, tally);
    }
  }
  EXPECT_EQ(tally.total(), 18000u);
  EXPECT_LT(tally.integer, 180u);
  for (const std::uint64_t count :
       {tally.direction, tally.coplanarity, tally.root_miss, tally.root_contact})
    EXPECT_GT(count, 100u);
}

// Promise (3): u and v are in range and name points that are at toi no further apart than they move
// until toi_hi; the normal is a unit vector along which the primitives approach.
TEST(ExactCurved, LocatesTheContact) {
  int located = 0;
  for (const CurvedFamily& family : generate::curved_families()) {
    if (family.mixed) continue;
    SCOPED_TRACE(std::string(family.name));
    for (const Curve curve : {Curve::quadratic, Curve::cubic, Curve::hermite})
      for (std::uint64_t i = 0; i < scaled(100); ++i) {
        const Curved<VertexFace> query = family.vertex_face(curve, 4, i);
        const Impact face = first_contact(query);
        if (face.verdict == Verdict::contact) {
          const auto [v, f0, f1, f2] = corners_at(query, face.toi);
          ASSERT_TRUE(face.u >= 0 && face.v >= 0 && face.u + face.v <= 1 + 1e-15) << i;
          const Vec3 point = (1 - face.u - face.v) * f0 + face.u * f1 + face.v * f2;
          ASSERT_LT((point - v).norm(), 1e-10) << i;
          ASSERT_NEAR(face.normal.norm(), 1, 1e-12) << i;
          ++located;
        }
        const Curved<EdgeEdge> pair = family.edge_edge(curve, 4, i);
        const Impact edge = first_contact(pair);
        if (edge.verdict == Verdict::contact) {
          const auto [a0, a1, b0, b1] = corners_at(pair, edge.toi);
          const Vec3 a = (1 - edge.u) * a0 + edge.u * a1, b = (1 - edge.v) * b0 + edge.v * b1;
          ASSERT_LT((a - b).norm(), 1e-10) << i;
          ASSERT_NEAR(edge.normal.norm(), 1, 1e-12) << i;
          ++located;
        }
      }
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(located, 500);
}

// Promise (4).
TEST(ExactCurved, AnswersTheSameInEveryBatchOnEveryTargetAndInAnyEnvironment) {
  std::vector<Curved<EdgeEdge>> queries;
  for (const CurvedFamily& family : generate::curved_families())
    for (const Curve curve : test::curves)
      for (std::uint64_t i = 0; i < 5; ++i) queries.push_back(family.edge_edge(curve, 5, i));
  std::vector<Impact> expected(queries.size());
  first_contact(queries, expected, {}, {.threads = 1});
  const auto expect_same = [&](const std::vector<Impact>& given, const char* what) {
    for (std::size_t i = 0; i < given.size(); ++i)
      ASSERT_TRUE(test::same_answer(given[i], expected[i])) << what << ", query " << i;
  };
  std::vector<Impact> given(queries.size());
  first_contact(queries, given, {}, {.threads = 2});
  expect_same(given, "two threads");
  for (std::size_t i = 0; i < queries.size(); ++i) given[i] = first_contact(queries[i]);
  expect_same(given, "one by one");
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    first_contact(queries, given, {}, {.threads = 1});
    expect_same(given, hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
  std::fesetround(FE_UPWARD);
  first_contact(queries, given, {}, {.threads = 1});
  std::fesetround(FE_TONEAREST);
  expect_same(given, "upward rounding");
}

// Promise (5): lines, and curves that are the same lines.
TEST(ExactCurved, HasTheBitsOfExactOnLines) {
  int elevated = 0;
  for (const generate::Family& family : generate::families()) {
    SCOPED_TRACE(std::string(family.name));
    for (std::uint64_t i = 0; i < scaled(40); ++i) {
      const VertexFace query = family.vertex_face(6, i);
      const Impact truth = first_contact(query);
      ASSERT_TRUE(test::same_answer(first_contact(as_curved(query)), truth)) << i;
      // A Hermite curve whose velocities are exactly end - start is the line.
      Curved<VertexFace> curve{Curve::hermite, {query.start, {}, {}, query.end}};
      bool exact = true;
      for (std::size_t c = 0; c < 4; ++c)
        for (int k = 0; k < 3; ++k) {
          const double a = query.start[c][k], b = query.end[c][k], way = b - a, back = way - b;
          exact = exact && std::isfinite(way) && (b - (way - back)) + (-a - back) == 0;
          curve.points[1][c][k] = curve.points[2][c][k] = way;
        }
      if (!exact) continue;
      ++elevated;
      ASSERT_EQ(test::time_difference(first_contact(curve), truth), "") << i;
    }
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(elevated, 100);
}

// Promise (6).
TEST(ExactCurved, AnswersInvalidForBadInput) {
  const Curved<VertexFace> good =
      generate::curved_families()[0].vertex_face(Curve::quadratic, 7, 0);
  for (const double bad : {Impact::nan, Impact::inf, -Impact::inf})
    for (std::size_t point = 0; point < 4; ++point) {
      Curved<VertexFace> query = good;
      query.points[point][2][1] = bad;
      const Verdict expected = point < 3 ? Verdict::invalid : first_contact(good).verdict;
      EXPECT_EQ(first_contact(query).verdict, expected) << point;
    }
  Curved<VertexFace> unknown = good;
  unknown.curve = static_cast<Curve>(9);
  EXPECT_EQ(first_contact(unknown).verdict, Verdict::invalid);
  for (const Options& options : {Options{.t_max = 0}, Options{.t_max = 2}})
    EXPECT_EQ(first_contact(good, options).verdict, Verdict::invalid);
  EXPECT_EQ(first_contact(good, {.min_separation = 1}, default_curved_method()).verdict,
            Verdict::invalid);
  EXPECT_EQ(first_contact(good, {}, *find_method("tight_inclusion")).verdict, Verdict::invalid);
  EXPECT_EQ(contact_times(unknown).verdict, Verdict::invalid);
}

TEST(ExactCurved, FindsAllContactTimes) {
  int instants = 0, several = 0, begins = 0;
  for (const CurvedFamily& family : generate::curved_families()) {
    if (family.mixed) continue;
    SCOPED_TRACE(std::string(family.name));
    for (const Curve curve : {Curve::quadratic, Curve::cubic, Curve::hermite})
      for (std::uint64_t i = 0; i < scaled(25); ++i) {
        const Curved<EdgeEdge> query = family.edge_edge(curve, 8, i);
        const ContactTimes times = contact_times(query);
        const Impact first = first_contact(query);
        ASSERT_EQ(times.verdict, first.verdict) << i;
        if (!times.intervals.empty()) {
          ASSERT_EQ(times.intervals[0].begin_lo, first.toi) << i;
          ASSERT_EQ(times.intervals[0].begin_hi, first.toi_hi) << i;
          ++begins;
        }
        const auto truth = exact::curved_contact_instants(query);
        if (truth.empty()) continue;  // apart, or in one plane at all times
        ASSERT_EQ(times.intervals.size(), truth.size()) << i;
        for (std::size_t j = 0; j < truth.size(); ++j) {
          ASSERT_EQ(times.intervals[j].begin_lo, truth[j][0]) << i;
          ASSERT_EQ(times.intervals[j].end_hi, truth[j][1]) << i;
          ASSERT_TRUE(times.intervals[j].instant) << i;
        }
        instants += static_cast<int>(truth.size());
        several += truth.size() > 1;
      }
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(instants, 100);
  EXPECT_GT(several, 20);
  EXPECT_GT(begins, 200);
}

TEST(ExactCurved, MeetsAtKnownTimes) {
  // A vertex falls on a parabola through a resting face: z = 1 - 2 t^2 at t = sqrt(1/2).
  Curved<VertexFace> query{Curve::quadratic, {}};
  for (std::size_t i = 0; i < 3; ++i)
    query.points[i] = {Vec3(0, 0, i < 2 ? 1 : -1), Vec3(-1, -1, 0), Vec3(2, -1, 0), Vec3(-1, 2, 0)};
  const Impact impact = first_contact(query);
  ASSERT_EQ(impact.verdict, Verdict::contact);
  EXPECT_EQ(impact.toi_hi, std::nextafter(impact.toi, 1.0));
  EXPECT_LT(impact.toi * impact.toi, 0.5 + 1e-16);
  EXPECT_GT(impact.toi_hi * impact.toi_hi, 0.5 - 1e-16);
  EXPECT_NEAR(impact.u, 1 / 3.0, 1e-15);
  EXPECT_NEAR(impact.normal[2], 1, 1e-15);
  // A Hermite curve that starts upward and comes down: z = t (1 - 2 t) vanishes at 0 and 1/2.
  Curved<VertexVertex> points{Curve::hermite, {}};
  points.points[0] = {Vec3(0, 0, 0.25), Vec3(0, 0, 0)};
  points.points[1] = {Vec3(0, 0, 1), Vec3(0, 0, 0)};  // z = 1/4 + t - ...
  points.points[2] = {Vec3(0, 0, -3), Vec3(0, 0, 0)};
  points.points[3] = {Vec3(0, 0, -0.75), Vec3(0, 0, 0)};
  EXPECT_EQ(test::time_difference(first_contact(points), exact::curved_oracle(points)), "");
  EXPECT_EQ(first_contact(points).verdict, Verdict::contact);
}

}  // namespace
}  // namespace graze::narrow::exact_curved_test
