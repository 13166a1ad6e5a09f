// Promise (3) of exact_root.h: where and how the primitives touch first.

#include "graze/narrow/contact/contact_point.h"

#include <gtest/gtest.h>

#include <array>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <vector>

#include "graze/exact/judge/oracle.h"
#include "graze/narrow/contact/exact_root.h"
#include "test/support/corpus.h"
#include "test/support/generated.h"
#include "test/support/scale.h"

namespace graze::narrow::contact_point_test {
namespace {

using test::generated;
using Real = boost::multiprecision::cpp_bin_float_100;
using RealVec3 = std::array<Real, 3>;

template <class Query>
Impact exact(const Query& query) {
  Impact impact;
  exact_root(std::span<const Query>(&query, 1), {}, std::span<Impact>(&impact, 1));
  return impact;
}

// ---- constructed contacts ----------------------------------------------------------------------

// Returns a face in the plane z = 0 that a vertex meets at `place` (in quarters of its sides of
// length 4) at the time meeting/3. Both move, and the face turns about the place of contact.
VertexFace vertex_meets_face(const Vec3& place, int meeting) {
  const std::array<Vec3, 3> face{Vec3(0, 0, 0), Vec3(4, 0, 0), Vec3(0, 4, 0)};
  const Vec3 travel(3, -6, 9), fall(0, 0, 3);
  VertexFace query;
  query.start[0] = place + meeting * fall;
  query.end[0] = place + (meeting - 3) * fall + travel;
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3 tilt(0, 0, (face[i] - place)[0]);
    query.start[i + 1] = face[i] - meeting * tilt;
    query.end[i + 1] = face[i] + (3 - meeting) * tilt + travel;
  }
  return query;
}

// Returns edges along x and y of length 4 that meet at (u, v) quarters.
EdgeEdge edge_meets_edge(int u, int v, int meeting) {
  const Vec3 travel(3, -6, 9), fall(0, 0, 3);
  EdgeEdge query;
  query.start = {Vec3(-u, 0, 0), Vec3(4 - u, 0, 0), Vec3(0, -v, 0), Vec3(0, 4 - v, 0)};
  query.end = query.start;
  for (std::size_t i = 0; i < 2; ++i) {
    query.start[i] += meeting * fall;
    query.end[i] += (meeting - 3) * fall;
  }
  for (Vec3& corner : query.end) corner += travel;
  return query;
}

TEST(ExactRoot3, KindAndPlaceOfVertexFaceContactsAreExact) {
  for (int meeting = 0; meeting <= 3; ++meeting)
    for (int a = 0; a <= 4; ++a)
      for (int b = 0; a + b <= 4; ++b) {
        SCOPED_TRACE(testing::Message() << meeting << "/3 " << a << ' ' << b);
        const VertexFace query = vertex_meets_face(Vec3(a, b, 0), meeting);
        const Impact impact = exact(query);
        ASSERT_EQ(impact.verdict, Verdict::contact);
        EXPECT_LE(impact.toi, meeting / 3.0);
        EXPECT_GE(impact.toi_hi, meeting / 3.0);
        const int zeros = (a == 0) + (b == 0) + (a + b == 4);
        EXPECT_EQ(impact.kind, zeros == 0   ? ContactKind::interior
                               : zeros == 1 ? ContactKind::edge
                                            : ContactKind::vertex);
        EXPECT_NEAR(impact.u, a / 4.0, 1e-15);
        EXPECT_NEAR(impact.v, b / 4.0, 1e-15);
        if (a == 0) {
          EXPECT_EQ(impact.u, 0);
        }
        if (b == 0) {
          EXPECT_EQ(impact.v, 0);
        }
        if (a + b == 4) {
          EXPECT_EQ(1 - impact.u - impact.v, 0);
        }
        EXPECT_LT((impact.normal - Vec3(0, 0, 1)).norm(), 1e-14);
      }
}

TEST(ExactRoot3, KindAndPlaceOfEdgeEdgeContactsAreExact) {
  for (int meeting = 0; meeting <= 3; ++meeting)
    for (int u = 0; u <= 4; ++u)
      for (int v = 0; v <= 4; ++v) {
        SCOPED_TRACE(testing::Message() << meeting << "/3 " << u << ' ' << v);
        const Impact impact = exact(edge_meets_edge(u, v, meeting));
        ASSERT_EQ(impact.verdict, Verdict::contact);
        const int ends = (u % 4 == 0) + (v % 4 == 0);
        EXPECT_EQ(impact.kind, ends == 0   ? ContactKind::interior
                               : ends == 1 ? ContactKind::edge
                                           : ContactKind::vertex);
        EXPECT_NEAR(impact.u, u / 4.0, 1e-15);
        EXPECT_NEAR(impact.v, v / 4.0, 1e-15);
        if (u % 4 == 0) {
          EXPECT_EQ(impact.u, u / 4);
        }
        if (v % 4 == 0) {
          EXPECT_EQ(impact.v, v / 4);
        }
        EXPECT_LT((impact.normal - Vec3(0, 0, 1)).norm(), 1e-14);
      }
}

TEST(ExactRoot3, MotionInOnePlaneIsCoplanar) {
  // The vertex slides in the plane of the face over its border x = 0, at height 1 of 4.
  VertexFace query;
  query.start = {Vec3(-1, 1, 0), Vec3(0, 0, 0), Vec3(4, 0, 0), Vec3(0, 4, 0)};
  query.end = query.start;
  query.end[0] = Vec3(1, 1, 0);
  const Impact impact = exact(query);
  EXPECT_EQ(impact.kind, ContactKind::coplanar);
  EXPECT_EQ(impact.toi, 0.5);
  EXPECT_EQ(impact.toi_hi, 0.5);
  EXPECT_EQ(impact.u, 0);
  EXPECT_EQ(impact.v, 0.25);
  EXPECT_EQ(std::abs(impact.normal[2]), 1);
}

TEST(ExactRoot3, ACollapsedFaceIsCoplanarWithANormalAcrossItsSegment) {
  // A face that is a segment along x, and a vertex that falls on its middle.
  VertexFace query;
  query.start = {Vec3(1, 0, 1), Vec3(0, 0, 0), Vec3(4, 0, 0), Vec3(2, 0, 0)};
  query.end = query.start;
  query.end[0] = Vec3(1, 0, -3);
  const Impact impact = exact(query);
  EXPECT_EQ(impact.kind, ContactKind::coplanar);
  EXPECT_EQ(impact.toi, 0.25);
  EXPECT_EQ(impact.normal, Vec3(0, 0, 1));
  const Vec3 touched = (1 - impact.u - impact.v) * query.start[1] + impact.u * query.start[2] +
                       impact.v * query.start[3];
  EXPECT_EQ(touched, Vec3(1, 0, 0));
}

TEST(ExactRoot3, ParallelEdgesAreCoplanarWithANormalAcrossThem) {
  EdgeEdge query;
  query.start = {Vec3(0, 0, 1), Vec3(4, 0, 1), Vec3(3, 0, 0), Vec3(8, 0, 0)};
  query.end = {Vec3(0, 0, -1), Vec3(4, 0, -1), Vec3(3, 0, 0), Vec3(8, 0, 0)};
  const Impact impact = exact(query);
  EXPECT_EQ(impact.kind, ContactKind::coplanar);
  EXPECT_EQ(impact.toi, 0.5);
  EXPECT_EQ(impact.normal, Vec3(0, 0, 1));
  EXPECT_EQ(4 * impact.u, 3 + 5 * impact.v);
}

TEST(ExactRoot3, PointsAtRestHaveANormalToo) {
  VertexFace query;
  query.start.fill(Vec3(1, 2, 3));
  query.end = query.start;
  const Impact impact = exact(query);
  EXPECT_EQ(impact.kind, ContactKind::coplanar);
  EXPECT_EQ(impact.normal, Vec3(1, 0, 0));
}

// ---- all families ------------------------------------------------------------------------------

RealVec3 minus(const Vec3& x, const Vec3& y) {
  return {Real(x[0]) - y[0], Real(x[1]) - y[1], Real(x[2]) - y[2]};
}

// Returns the vectors of F(u, v) = w + u p + v q, the point of the second primitive minus that of
// the first, at both ends of the step.
template <class Query>
std::array<std::array<RealVec3, 3>, 2> vectors(const Query& query) {
  std::array<std::array<RealVec3, 3>, 2> at;
  for (const std::size_t time : {0u, 1u}) {
    const auto& x = time == 0 ? query.start : query.end;
    if constexpr (std::is_same_v<Query, VertexFace>)
      at[time] = {minus(x[1], x[0]), minus(x[2], x[1]), minus(x[3], x[1])};
    else
      at[time] = {minus(x[2], x[0]), minus(x[0], x[1]), minus(x[3], x[2])};
  }
  return at;
}

// Returns the distance at toi of the two points that u and v give, as a multiple of the allowed
// distance: the motion between toi and toi_hi, the rounding of the differences at both ends of the
// step, and the conditioning of needles (1e-11 of the size at toi).
template <class Query>
double gap_ratio(const Query& query, const Impact& impact) {
  const auto at = vectors(query);
  const Real t = impact.toi;
  Real gap = 0, size = 0, extent = 0, speed = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    Real sum = 0;
    const std::array<Real, 3> weight{1, impact.u, impact.v};
    for (std::size_t i = 0; i < 3; ++i) {
      const Real now = (1 - t) * at[0][i][k] + t * at[1][i][k];
      sum += weight[i] * now;
      size = std::max<Real>(size, abs(now));
      speed = std::max<Real>(speed, abs(at[1][i][k] - at[0][i][k]));
      extent = std::max<Real>({extent, abs(at[0][i][k]), abs(at[1][i][k])});
    }
    gap = std::max<Real>(gap, abs(sum));
  }
  const Real allowed =
      (Real(impact.toi_hi) - t) * speed + 8 * Real(0x1p-53) * extent + Real(1e-11) * size;
  return gap == 0 ? 0 : Real(gap / allowed).convert_to<double>();
}

// Returns the share of the relative motion at the contact that is along the normal; 0 at rest.
template <class Query>
double head_on(const Query& query, const Impact& impact) {
  const auto at = vectors(query);
  const std::array<Real, 3> weight{1, impact.u, impact.v};
  Real along = 0, speed = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    Real approach = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      approach += weight[i] * (at[1][i][k] - at[0][i][k]);
      speed = std::max<Real>(speed, abs(at[1][i][k] - at[0][i][k]));
    }
    along += approach * impact.normal[static_cast<int>(k)];
  }
  return speed == 0 ? 0 : Real(along / speed).convert_to<double>();
}

struct Seen {
  double worst_gap = 0;
  int contacts = 0, oriented = 0;
};

template <class Query>
void check_families(Seen& seen) {
  for (const generate::Family& family : generate::families())
    for (const Query& query : generated<Query>(family, test::scaled(60), 41)) {
      const Impact impact = exact(query);
      if (impact.verdict != Verdict::contact) continue;
      SCOPED_TRACE(test::corpus_text(query, impact));
      ++seen.contacts;
      ASSERT_NE(impact.kind, ContactKind::unknown);
      ASSERT_NEAR(impact.normal.norm(), 1, 4e-16);
      const double ratio = gap_ratio(query, impact);
      ASSERT_LT(ratio, 1) << family.name;
      seen.worst_gap = std::max(seen.worst_gap, ratio);
      const double approach = head_on(query, impact);
      ASSERT_GT(approach, -1e-10);
      const double cosine = impact.normal.dot(exact::oracle(query).normal);  // NaN: no normal there
      if (!(approach > 1e-6 && std::abs(cosine) > 0.999)) continue;          // grazing; a needle
      ASSERT_GT(cosine, 0);
      ++seen.oriented;
    }
}

TEST(ExactRoot3, UVAndNormalFitTheContactOnEveryFamily) {
  Seen seen;
  check_families<VertexFace>(seen);
  check_families<EdgeEdge>(seen);
  RecordProperty("largest_gap_over_allowed", std::to_string(seen.worst_gap));
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(seen.contacts, 1000);
  EXPECT_GT(seen.oriented, 300);
}

}  // namespace
}  // namespace graze::narrow::contact_point_test
