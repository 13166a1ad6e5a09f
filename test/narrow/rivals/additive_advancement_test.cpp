#include "graze/narrow/rivals/additive_advancement.h"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>

#include "graze/exact/judge/oracle.h"
#include "test/support/data_queries.h"
#include "test/support/sampled_distance.h"
#include "test/support/scale.h"

namespace graze::narrow::additive_advancement_test {
namespace {

using test::generated;
using test::scaled;
using Real = boost::multiprecision::cpp_bin_float_50;
using Point = std::array<Real, 3>;

template <class Query>
Impact solve(const Query& query, const Options& options = {}) {
  Impact impact;
  additive_advancement(std::span(&query, 1), {options}, std::span(&impact, 1));
  return impact;
}

Point operator-(const Point& a, const Point& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
Real dot(const Point& a, const Point& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Point along(const Point& a, const Point& b, const Real& s) {
  return {a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1]), a[2] + s * (b[2] - a[2])};
}

Real point_segment_sq(const Point& p, const Point& a, const Point& b) {
  const Point edge = b - a, from = p - a;
  const Real length_sq = dot(edge, edge);
  Real s = length_sq > 0 ? Real(dot(from, edge) / length_sq) : Real(0);
  s = s < 0 ? Real(0) : s > 1 ? Real(1) : s;
  const Point apart = p - along(a, b, s);
  return dot(apart, apart);
}

// Returns the distance at time t to some 45 digits: of corners from edges and, if the common normal
// passes through both primitives, along that normal.
template <class Query>
Real distance(const Query& query, double t) {
  constexpr bool is_face = std::is_same_v<Query, VertexFace>;
  std::array<Point, 4> x;
  for (std::size_t i = 0; i < 4; ++i)
    for (int k = 0; k < 3; ++k)
      x[i][std::size_t(k)] = Real(query.start[i][k]) * (1 - Real(t)) + Real(query.end[i][k]) * t;
  Real sq = -1;
  const auto reach = [&](const Real& other) { sq = sq < 0 || other < sq ? other : sq; };
  if constexpr (is_face) {
    for (std::size_t i = 1; i < 4; ++i) reach(point_segment_sq(x[0], x[i], x[i % 3 + 1]));
  } else {
    for (const std::size_t i : {0u, 1u}) {
      reach(point_segment_sq(x[i], x[2], x[3]));
      reach(point_segment_sq(x[i + 2], x[0], x[1]));
    }
  }
  // x0 - foot = w + r e + s f with the foot's residue normal to e and f.
  const Point e = is_face ? x[1] - x[2] : x[1] - x[0], f = is_face ? x[1] - x[3] : x[2] - x[3];
  const Point w = is_face ? x[0] - x[1] : x[0] - x[2];
  const Real ee = dot(e, e), ef = dot(e, f), ff = dot(f, f), we = dot(w, e), wf = dot(w, f);
  const Real det = ee * ff - ef * ef;
  if (det > 0) {
    const Real r = (ef * wf - ff * we) / det, s = (ef * we - ee * wf) / det;
    if (r >= 0 && s >= 0 && (is_face ? r + s <= 1 : r <= 1 && s <= 1)) {
      const Point apart = {w[0] + r * e[0] + s * f[0], w[1] + r * e[1] + s * f[1],
                           w[2] + r * e[2] + s * f[2]};
      reach(dot(apart, apart));
    }
  }
  return sqrt(sq);
}

// Judges promises 1, 2 and 3 by distances, whatever the separation. Returns whether the answer is a
// contact after the start.
template <class Query>
bool judge(const Query& query, const Options& options) {
  const Impact impact = solve(query, options);
  const Real s = options.min_separation, err = Real(test::extent(query)) * 0x1p-46;
  const double until = std::min(impact.toi, options.t_max);
  for (const double part : {0.0, 0.3, 0.7, 0.9, 0.99})
    if (part * until < impact.toi) {
      EXPECT_GT(distance(query, part * until), s);
    }
  if (impact.verdict != Verdict::contact) return false;
  const Real gap = distance(query, 0) - s;
  if (impact.toi == 0) {
    EXPECT_LE(gap, err);
    return false;
  }
  EXPECT_GE(distance(query, impact.toi) - s, gap / 10 - err);
  return true;
}

TEST(AdditiveAdvancement, Promises1To3HoldAtAnySeparation) {
  int moved = 0;
  for (const generate::Family& family : generate::families()) {
    // The extent of one is infinite, the polygons of the other are too narrow for promise 2.
    if (family.name == "huge_1e300" || family.name == "mixed_magnitudes") continue;
    SCOPED_TRACE(std::string(family.name));
    const auto judge_all = [&](const auto& queries) {
      for (const auto& query : queries)
        for (const double part : {0.0, 1e-9, 0.01, 0.3})
          moved += judge(query, {.max_checks = 2000, .min_separation = part * test::extent(query)});
    };
    judge_all(generated<VertexFace>(family, scaled(10)));
    judge_all(generated<EdgeEdge>(family, scaled(10)));
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(moved, 500);
}

TEST(AdditiveAdvancement, Promise1HoldsAgainstTheExactDistance) {
  const Method& truth = *find_method("oracle");
  int contacts = 0;
  for (const generate::Family& family : generate::families())
    test::both_each(family.name, scaled(2), [&](const auto& query) {
      for (const double part : {1e-6, 0.1}) {
        const double separation = part * test::extent(query);
        if (!(separation < Impact::inf)) continue;
        const Options options{.max_checks = 2000, .min_separation = separation};
        const Impact exact = first_contact(query, options, truth), impact = solve(query, options);
        contacts += exact.verdict == Verdict::contact;
        ASSERT_TRUE(exact.verdict != Verdict::contact || impact.toi <= exact.toi);
      }
    });
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(contacts, 50);
}

TEST(AdditiveAdvancement, Promise1HoldsOnTheData) {
  GRAZE_SKIP_WITHOUT_DATA();
  const Method& method = *find_method("additive_advancement");
  EXPECT_EQ(test::expect_promises_on_data(method, {}, 1), 2429u + 138179u);
}

// Returns a vertex `gap` above a face, which moves down by 1.
VertexFace hovering(double gap) {
  return {{Vec3(0.25, 0.25, gap), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)},
          {Vec3(0.25, 0.25, gap - 1), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)}};
}

TEST(AdditiveAdvancement, StepsNineTenthsAndStopsAtATenth) {
  const Impact impact = solve(hovering(0.5));
  EXPECT_EQ(impact.verdict, Verdict::contact);
  EXPECT_NEAR(impact.toi, 0.45, 1e-12);
  EXPECT_EQ(impact.toi_hi, 1);
  EXPECT_EQ(impact.checks, 3u);
}

TEST(AdditiveAdvancement, Promise2ACloseStartStillLeavesAPositiveTime) {
  for (const double gap : {1e-3, 1e-9, 1e-14}) {
    EXPECT_GT(solve(hovering(gap)).toi, 0) << gap;
    EXPECT_LE(solve(hovering(gap)).toi, gap);
  }
  // An axis with small differences only keeps their precision.
  for (const double gap : {1e-20, 1e-100, 1e-300}) {
    VertexFace falling = hovering(gap);
    falling.end[0][2] = -gap;
    EXPECT_GT(solve(falling, {.max_checks = 1000}).toi, 0) << gap;
    EXPECT_LE(solve(falling, {.max_checks = 1000}).toi, 0.5) << gap;
  }
  EXPECT_EQ(solve(hovering(0)).toi, 0);
  EXPECT_EQ(solve(hovering(0)).verdict, Verdict::contact);
}

TEST(AdditiveAdvancement, MeasuresSeparationInTheEuclideanNorm) {
  // Passes the corner at the origin diagonally, at distance sqrt(2): 1 in the maximum norm.
  const VertexFace passing{{Vec3(-1, -1, 3), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)},
                           {Vec3(-1, -1, -3), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)}};
  EXPECT_EQ(solve(passing, {.min_separation = 1}).verdict, Verdict::separated);
  const Impact impact = solve(passing, {.min_separation = 1.5});
  EXPECT_EQ(impact.verdict, Verdict::contact);
  EXPECT_LT(impact.toi, 0.5);
  EXPECT_GT(impact.toi, 0.2);
}

TEST(AdditiveAdvancement, APairWithinATenthOfTheGapIsAContact) {
  const auto passing = [](double beside) {
    VertexFace query = hovering(1);
    query.start[0] = Vec3(-beside, 0.25, 1);
    query.end[0] = Vec3(-beside, 0.25, -1);
    return query;
  };
  ASSERT_EQ(exact::oracle(passing(0.05)).verdict, Verdict::separated);
  EXPECT_EQ(solve(passing(0.05)).verdict, Verdict::contact);
  EXPECT_EQ(solve(passing(0.2)).verdict, Verdict::separated);
}

TEST(AdditiveAdvancement, StopsAtTheEndOfTheStepAndAtTheBudget) {
  EXPECT_EQ(solve(hovering(0.5), {.t_max = 0.4}).verdict, Verdict::separated);
  EXPECT_EQ(solve(hovering(0.5), {.t_max = 0.5}).verdict, Verdict::contact);
  // Slides a millionth above the face: each step is about as long as the gap.
  VertexFace sliding = hovering(1e-6);
  sliding.end[0] = Vec3(0.75, 0.1, 1e-6);
  const Impact impact = solve(sliding, {.max_checks = 1000});
  EXPECT_EQ(impact.verdict, Verdict::undecided);
  EXPECT_EQ(impact.checks, 1000u);
  EXPECT_GT(impact.toi, 1e-4);
  EXPECT_EQ(solve(sliding, {.max_checks = 10'000'000}).verdict, Verdict::separated);
}

TEST(AdditiveAdvancement, AnswersExtremeInput) {
  constexpr double largest = 1.7976931348623157e308;
  for (const double size : {1e-320, 1e-310, 1e-300, 1e-30, 1e30, 1e300, largest}) {
    VertexFace hit = hovering(0.5), miss = hovering(0.5);
    miss.end[0] = Vec3(0.25, 0.25, 0.75);
    for (auto* corners : {&hit.start, &hit.end, &miss.start, &miss.end})
      for (Vec3& corner : *corners) corner *= size;
    EXPECT_NEAR(solve(hit).toi, 0.45, 1e-3) << size;
    EXPECT_EQ(solve(miss).verdict, Verdict::separated) << size;
    EXPECT_EQ(solve(miss, {.min_separation = size / 4}).verdict, Verdict::separated) << size;
    EXPECT_EQ(solve(miss, {.min_separation = size / 2}).toi, 0) << size;
    EXPECT_EQ(solve(miss, {.min_separation = largest}).toi, 0) << size;
  }
}

}  // namespace
}  // namespace graze::narrow::additive_advancement_test
