#include "graze/narrow/contact/area_inclusion.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "graze/exact/judge/oracle.h"
#include "graze/first_contact.h"
#include "test/support/coplanarity.h"
#include "test/support/generated.h"
#include "test/support/sturm.h"

namespace graze::narrow::area_inclusion_test {
namespace {

template <class Query>
std::vector<Query> generate(std::string_view name, std::size_t count, std::uint64_t seed) {
  return test::generated<Query>(test::family(name), count, seed);
}

struct Count {
  int queries = 0, hits = 0, false_positives = 0, false_negatives = 0, late = 0, undecided = 0;
};

template <class Query>
Count compare_with_oracle(std::string_view family, std::size_t count, const Options& options) {
  Count result;
  for (const Query& query : generate<Query>(family, count, 11)) {
    const Impact truth = exact::oracle(query, options);
    const Impact impact = area_inclusion(query, options).impact;
    const bool touches = truth.verdict == Verdict::contact;
    ++result.queries;
    result.hits += touches;
    result.false_positives += !touches && impact.verdict == Verdict::contact;
    result.false_negatives += touches && impact.verdict == Verdict::separated;
    result.undecided += impact.verdict == Verdict::undecided;
    result.late += touches && impact.toi > truth.toi;
    EXPECT_NE(impact.verdict, Verdict::invalid);
  }
  return result;
}

// Returns a face at rest and a vertex that moves.
VertexFace vertex_over(const std::array<Vec3, 3>& face, const Vec3& start, const Vec3& end) {
  return {{start, face[0], face[1], face[2]}, {end, face[0], face[1], face[2]}};
}
const std::array<Vec3, 3> unit_face{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};

void expect_contact_near(const AreaInclusionResult& result, double toi, double tol = 2e-9) {
  EXPECT_EQ(result.impact.verdict, Verdict::contact);
  EXPECT_LE(result.impact.toi, toi);
  EXPECT_GE(result.impact.toi, toi - tol);
  EXPECT_GE(result.contacts, 1);
}

template <class Query>
class AreaInclusionOn : public testing::Test {};
using Primitives = testing::Types<VertexFace, EdgeEdge>;
TYPED_TEST_SUITE(AreaInclusionOn, Primitives);

TYPED_TEST(AreaInclusionOn, MissesNoContactOfTheRandomFamilyAtAnyTolerance) {
  for (const double tol : {1e-6, 1e-9, 1e-13}) {
    Options options;
    options.time_tol = tol;
    const Count count = compare_with_oracle<TypeParam>("random", 10000, options);
    EXPECT_EQ(count.false_negatives, 0) << tol;
    EXPECT_EQ(count.late, 0) << tol;
    EXPECT_EQ(count.undecided, 0) << tol;
    EXPECT_LE(count.false_positives, tol > 1e-7 ? 5 : 0) << tol;
    // 7.7 % of the vertex-face and 20.8 % of the edge-edge queries are contacts.
    const double rate = std::is_same_v<TypeParam, VertexFace> ? 0.0773 : 0.208;
    EXPECT_NEAR(count.hits, rate * 10000, 200);
  }
}

// Promise (1).
TYPED_TEST(AreaInclusionOn, HasNoContactBeforeItsTimeInAnyFamily) {
  int hits = 0;
  for (const generate::Family& family : generate::families())
    for (const double t_max : {1.0, 0.5}) {
      Options options;
      options.t_max = t_max;
      options.max_checks = 2000;
      const Count count = compare_with_oracle<TypeParam>(family.name, 300, options);
      EXPECT_EQ(count.false_negatives, 0) << family.name;
      EXPECT_EQ(count.late, 0) << family.name;
      EXPECT_LE(count.undecided, count.queries / 5) << family.name;
      hits += count.hits;
    }
  EXPECT_GT(hits, 5000);
}

TYPED_TEST(AreaInclusionOn, KeepsItsPromiseOnAnyBudget) {
  int undecided = 0;
  for (const char* name : {"triple_root", "near_double_root", "mixed_magnitudes", "coplanar"})
    for (const std::uint32_t budget : {1u, 10u, 100u}) {
      Options options;
      options.max_checks = budget;
      const Count count = compare_with_oracle<TypeParam>(name, 300, options);
      EXPECT_EQ(count.false_negatives, 0) << name;
      EXPECT_EQ(count.late, 0) << name;
      undecided += count.undecided;
    }
  EXPECT_GT(undecided, 300);
}

TYPED_TEST(AreaInclusionOn, StartsAfterZeroOnRequest) {
  Options options;
  options.no_zero_toi = true;
  options.time_tol = 1e-2;
  int separated_starts = 0;
  for (const TypeParam& query : generate<TypeParam>("random", 10000, 3)) {
    const Impact truth = exact::oracle(query);
    if (truth.verdict != Verdict::contact || truth.toi == 0 || truth.toi > 1e-2) continue;
    ++separated_starts;
    const Impact impact = area_inclusion(query, options).impact;
    EXPECT_GT(impact.toi, 0);
    EXPECT_LE(impact.toi, truth.toi);
  }
  EXPECT_GT(separated_starts, 3);
}

// Promise (2): the areas are computed anew at times at which the interval may have been tested.
TEST(AreaInclusion, ReportsContactOnlyWhereTheAreasAgreeWithinTheLemma) {
  int contacts = 0;
  for (const char* name : {"random", "touching", "near_ulp", "near_lattice", "double_root"})
    for (const double tol : {1e-4, 1e-9})
      for (const VertexFace& query : generate<VertexFace>(name, 1000, 5)) {
        Options options;
        options.time_tol = tol;
        const Impact impact = area_inclusion(query, options).impact;
        if (impact.verdict != Verdict::contact) continue;
        ++contacts;
        double largest = 0;
        std::array<Vec3, 4> speed;
        for (std::size_t i = 0; i < 4; ++i) speed[i] = query.end[i] - query.start[i];
        for (std::size_t i = 0; i < 4; ++i)
          for (std::size_t j = 0; j < i; ++j)
            largest = std::max({largest, (query.start[i] - query.start[j]).cwiseAbs().maxCoeff(),
                                (query.end[i] - query.end[j]).cwiseAbs().maxCoeff()});
        const auto lemma = [&](std::size_t a, std::size_t b, std::size_t c) {
          const auto longest = [&](const auto& points) {
            return std::max({(points[a] - points[b]).norm(), (points[b] - points[c]).norm(),
                             (points[c] - points[a]).norm()});
          };
          const double c2 = longest(speed), c1 = longest(query.start) + c2;
          return tol * c1 * c2 + tol * tol * c2 * c2 / 2;
        };
        const double tolerance = lemma(0, 1, 2) + lemma(0, 2, 3) + lemma(0, 3, 1) + lemma(1, 2, 3) +
                                 4 * 0x1p-43 * largest * largest;
        const auto excess = [&](double t) {
          const auto at = [&](std::size_t i) -> Vec3 { return query.start[i] + t * speed[i]; };
          const auto area = [&](std::size_t a, std::size_t b, std::size_t c) {
            return (at(b) - at(a)).cross(at(c) - at(a)).norm() / 2;
          };
          return area(0, 1, 2) + area(0, 2, 3) + area(0, 3, 1) - area(1, 2, 3);
        };
        double least = Impact::inf;
        for (int i = 0; i <= 16; ++i) least = std::min(least, excess(impact.toi + tol * i / 16));
        EXPECT_LE(least, tolerance * 1.001) << name;
      }
  EXPECT_GT(contacts, 2000);
}

// Promise (3), one test for each reduction of the dimension.
TEST(AreaInclusion, ReducesCoplanarMotionToAVertexMeetingAnEdge) {
  // The vertex slides in the plane z = 1/4 through an edge of the face.
  const Vec3 up(0, 0, 0.25);
  const auto query = vertex_over({unit_face[0] + up, unit_face[1] + up, unit_face[2] + up},
                                 Vec3(-1, 0.25, 0.25), Vec3(1, 0.25, 0.25));
  const auto result = area_inclusion(query);
  EXPECT_TRUE(result.degenerate);
  EXPECT_EQ(result.coplanarity_roots, 0);
  expect_contact_near(result, 0.5);

  const auto beside = area_inclusion(vertex_over(unit_face, Vec3(-1, 2, 0), Vec3(3, 2, 0)));
  EXPECT_EQ(beside.impact.verdict, Verdict::separated);
}

TEST(AreaInclusion, ReducesCoplanarMotionOfEdgesToAnEndMeetingAnEdge) {
  const EdgeEdge query{{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0.5, 3, 0), Vec3(0.5, 1, 0)},
                       {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0.5, 1, 0), Vec3(0.5, -1, 0)}};
  const auto result = area_inclusion(query);
  EXPECT_TRUE(result.degenerate);
  expect_contact_near(result, 0.5);
}

TEST(AreaInclusion, ReducesMotionInATurningPlane) {
  // The face turns about the x axis and the vertex with it; in that plane they meet at t = 1/2.
  const VertexFace query{{Vec3(-1, 0.25, 0), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)},
                         {Vec3(1, 0.25, 0.25), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 1)}};
  const auto result = area_inclusion(query);
  EXPECT_TRUE(result.degenerate);
  expect_contact_near(result, 0.5);
}

TEST(AreaInclusion, ReducesCollinearMotionToAVertexMeetingAnEnd) {
  // A flat face on the x axis and a vertex running along it.
  const std::array<Vec3, 3> flat{Vec3(1, 0, 0), Vec3(3, 0, 0), Vec3(2, 0, 0)};
  const auto hit = area_inclusion(vertex_over(flat, Vec3(-3, 0, 0), Vec3(5, 0, 0)));
  EXPECT_TRUE(hit.degenerate);
  expect_contact_near(hit, 0.5);
  const auto miss = area_inclusion(vertex_over(flat, Vec3(-3, 0, 0), Vec3(0.5, 0, 0)));
  EXPECT_TRUE(miss.degenerate);
  EXPECT_EQ(miss.impact.verdict, Verdict::separated);

  const EdgeEdge oblique{{Vec3(0, 0, 0), Vec3(1, 2, 3), Vec3(5, 10, 15), Vec3(4, 8, 12)},
                         {Vec3(0, 0, 0), Vec3(1, 2, 3), Vec3(-1, -2, -3), Vec3(-2, -4, -6)}};
  expect_contact_near(area_inclusion(oblique), 0.5);
}

TEST(AreaInclusion, ReducesToPointAgainstPoint) {
  const std::array<Vec3, 3> point{Vec3(1, 1, 1), Vec3(1, 1, 1), Vec3(1, 1, 1)};
  const auto hit = area_inclusion(vertex_over(point, Vec3(0, 0, 0), Vec3(4, 4, 4)));
  EXPECT_TRUE(hit.degenerate);
  expect_contact_near(hit, 0.25);
  const auto miss = area_inclusion(vertex_over(point, Vec3(0, 0, 0), Vec3(4, 4, 4.5)));
  EXPECT_EQ(miss.impact.verdict, Verdict::separated);

  const EdgeEdge points{{Vec3(0, 0, 0), Vec3(0, 0, 0), Vec3(1, 2, 0), Vec3(1, 2, 0)},
                        {Vec3(2, 4, 0), Vec3(2, 4, 0), Vec3(1, 2, 0), Vec3(1, 2, 0)}};
  expect_contact_near(area_inclusion(points), 0.5);
}

TEST(AreaInclusion, FindsCoincidingPointsAtTheStart) {
  const Vec3 p(3, 4, 5);
  const auto result = area_inclusion(VertexFace{{p, p, p, p}, {p, p, p, p}});
  EXPECT_EQ(result.impact.verdict, Verdict::contact);
  EXPECT_EQ(result.impact.toi, 0);
}

// With h = 2t - 1 the vertex is at (1 + h/2, 1/2, h/2 + lift), the face at (0, 0, 0), (2, 0, h),
// (0, 2, 0), so the determinant is 4 lift - h^2.
VertexFace swinging_face(double lift) {
  return {{Vec3(0.5, 0.5, -0.5 + lift), Vec3(0, 0, 0), Vec3(2, 0, -1), Vec3(0, 2, 0)},
          {Vec3(1.5, 0.5, 0.5 + lift), Vec3(0, 0, 0), Vec3(2, 0, 1), Vec3(0, 2, 0)}};
}

TEST(AreaInclusion, FindsAContactAtADoubleRoot) {
  ASSERT_EQ(exact::oracle(swinging_face(0)).toi, 0.5);
  const auto result = area_inclusion(swinging_face(0));
  EXPECT_EQ(result.coplanarity_roots, 1);
  EXPECT_EQ(result.contacts, 1);
  expect_contact_near(result, 0.5, 2e-6);  // rounding costs half the digits of a double root
}

TEST(AreaInclusion, CountsContactsOddAndEven) {
  const auto once = vertex_over(unit_face, Vec3(0.25, 0.25, 1), Vec3(0.25, 0.25, -1));
  EXPECT_EQ(area_inclusion(once).coplanarity_roots, 1);
  EXPECT_EQ(area_inclusion(once).contacts, 1);
  const auto twice = area_inclusion(swinging_face(0.0625));
  EXPECT_EQ(twice.coplanarity_roots, 2);
  EXPECT_EQ(twice.contacts, 2);
  expect_contact_near(twice, 0.25);
  EXPECT_EQ(area_inclusion(swinging_face(-0.0625)).coplanarity_roots, 0);
}

TYPED_TEST(AreaInclusionOn, CountsTheRootsThatSturmCounts) {
  int roots = 0;
  for (const char* name : {"random", "three_roots", "lattice4"})
    for (const TypeParam& query : generate<TypeParam>(name, 500, 2)) {
      const auto result = area_inclusion(query);
      if (result.degenerate) continue;
      const int expected = test::distinct_roots_in_unit_interval(test::coplanarity(query));
      EXPECT_EQ(result.coplanarity_roots, expected) << name;
      roots += expected;
    }
  EXPECT_GT(roots, 1000);
}

TEST(AreaInclusion, HonoursTheEndOfTheStep) {
  const auto query = vertex_over(unit_face, Vec3(0.25, 0.25, 1), Vec3(0.25, 0.25, -1));
  Options options;
  options.t_max = 0.5;
  expect_contact_near(area_inclusion(query, options), 0.5);
  EXPECT_EQ(area_inclusion(query, options).impact.toi_hi, 0.5);
  options.t_max = 0.49;
  EXPECT_EQ(area_inclusion(query, options).impact.verdict, Verdict::separated);
  EXPECT_EQ(area_inclusion(query, options).coplanarity_roots, 0);
}

TEST(AreaInclusion, GivesThePlaceOfTheContact) {
  const VertexFace above = vertex_over(unit_face, Vec3(0.25, 0.5, 1), Vec3(0.25, 0.5, -1));
  const Impact face = area_inclusion(above).impact;
  EXPECT_NEAR(face.u, 0.25, 1e-8);
  EXPECT_NEAR(face.v, 0.5, 1e-8);
  EXPECT_NEAR((face.normal - Vec3(0, 0, 1)).norm(), 0, 1e-8);  // towards the vertex

  const EdgeEdge crossing{{Vec3(0, 0, 1), Vec3(1, 0, 1), Vec3(0.25, -1, 0), Vec3(0.25, 3, 0)},
                          {Vec3(0, 0, -1), Vec3(1, 0, -1), Vec3(0.25, -1, 0), Vec3(0.25, 3, 0)}};
  const Impact edge = area_inclusion(crossing).impact;
  EXPECT_NEAR(edge.u, 0.25, 1e-8);
  EXPECT_NEAR(edge.v, 0.25, 1e-8);
  EXPECT_NEAR((edge.normal - Vec3(0, 0, 1)).norm(), 0, 1e-8);  // towards edge a
}

// The test of areas as published accepts these two; the source lists the deviations.
TEST(AreaInclusion, DoesNotTakeOppositeSidesOfAParallelogramForACrossing) {
  const EdgeEdge query{{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, -1), Vec3(1, 1, 1)},
                       {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 1), Vec3(1, 1, -1)}};
  const auto result = area_inclusion(query);
  EXPECT_EQ(result.coplanarity_roots, 1);
  EXPECT_EQ(result.impact.verdict, Verdict::separated);
}

TEST(AreaInclusion, DoesNotTakeTheLineOfAFlatFaceForTheFace) {
  const std::array<Vec3, 3> flat{Vec3(0, 0, 0), Vec3(1, 1, 0), Vec3(2, 2, 0)};
  const auto query = vertex_over(flat, Vec3(9, 9, -1), Vec3(9, 9, 1));
  EXPECT_EQ(area_inclusion(query).impact.verdict, Verdict::separated);
}

// No promise: a miss within the tolerance is reported as a contact.
TEST(AreaInclusion, ReportsANearMissWithinItsToleranceAsContact) {
  // The side that the vertex misses is not orthogonal to a direction of the culls.
  const std::array<Vec3, 3> face{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 2, 0)};
  const Vec3 beside(0.5 + 1e-7, 1 + 1e-7, 0);
  const auto query = vertex_over(face, beside + Vec3(0, 0, 1), beside - Vec3(0, 0, 1));
  ASSERT_EQ(exact::oracle(query).verdict, Verdict::separated);
  Options options;
  options.time_tol = 1e-6;
  EXPECT_EQ(area_inclusion(query, options).impact.verdict, Verdict::contact);
  options.time_tol = 1e-9;
  EXPECT_EQ(area_inclusion(query, options).impact.verdict, Verdict::separated);
}

TEST(AreaInclusion, AnswersInvalidInputAsInvalid) {
  auto query = vertex_over(unit_face, Vec3(0.25, 0.25, 1), Vec3(0.25, 0.25, -1));
  Options options;
  options.min_separation = 0.1;
  EXPECT_EQ(area_inclusion(query, options).impact.verdict, Verdict::invalid);
  query.end[2][1] = Impact::nan;
  EXPECT_EQ(area_inclusion(query).impact.verdict, Verdict::invalid);
  query.end[2][1] = Impact::inf;
  EXPECT_EQ(area_inclusion(query).impact.verdict, Verdict::invalid);
}

TEST(AreaInclusion, AnswersTheLargestAndTheSmallestDoubles) {
  for (const double scale : {0x1.8p1023, 0x1p-1070}) {
    auto query = vertex_over(unit_face, Vec3(0.25, 0.25, 1), Vec3(0.25, 0.25, -1));
    for (auto* points : {&query.start, &query.end})
      for (Vec3& point : *points) point *= scale;
    expect_contact_near(area_inclusion(query), 0.5);
  }
}

// Promise (4).
TEST(AreaInclusion, GivesTheSameAnswerAloneAndInABatch) {
  const auto queries = generate<VertexFace>("three_roots", 500, 9);
  std::vector<Impact> impacts(queries.size());
  first_contact(queries, impacts, {}, {.threads = 2}, *find_method("area_inclusion"));
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const Impact alone = area_inclusion(queries[i]).impact;
    EXPECT_EQ(alone.verdict, impacts[i].verdict);
    EXPECT_EQ(alone.toi, impacts[i].toi);
    EXPECT_EQ(alone.checks, impacts[i].checks);
  }
}

}  // namespace
}  // namespace graze::narrow::area_inclusion_test
