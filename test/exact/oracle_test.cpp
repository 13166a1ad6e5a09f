#include "graze/exact/judge/oracle.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace graze::exact::oracle_test {
namespace {

constexpr double tiny = 5e-324, huge = 1.7976931348623157e308;

Impact oracle_until(const auto& query, double t_max) {
  Options options;
  options.t_max = t_max;
  return oracle(query, options);
}

void expect_contact(const auto& query, double toi, double toi_hi) {
  const Impact impact = oracle(query);
  EXPECT_EQ(impact.verdict, Verdict::contact);
  EXPECT_EQ(impact.toi, toi);
  EXPECT_EQ(impact.toi_hi, toi_hi);
}
void expect_contact(const auto& query, double toi) {
  expect_contact(query, toi, toi);
}

void expect_separated(const auto& query) {
  const Impact impact = oracle(query);
  EXPECT_EQ(impact.verdict, Verdict::separated);
  EXPECT_EQ(impact.toi, Impact::inf);
  EXPECT_EQ(impact.toi_hi, Impact::inf);
}

// Returns the triangle (0,0,0), (4,0,0), (0,4,0) at rest and a vertex that moves.
VertexFace on_triangle(const Vec3& start, const Vec3& end) {
  const std::array<Vec3, 3> face{Vec3(0, 0, 0), Vec3(4, 0, 0), Vec3(0, 4, 0)};
  return {{start, face[0], face[1], face[2]}, {end, face[0], face[1], face[2]}};
}

// Returns a face at rest and a vertex that moves.
VertexFace moving_vertex(const Vec3& start, const Vec3& end, const std::array<Vec3, 3>& face) {
  return {{start, face[0], face[1], face[2]}, {end, face[0], face[1], face[2]}};
}

// Returns edge b at rest and edge a, which moves by `motion`.
EdgeEdge moving_edge(const std::array<Vec3, 2>& a, const Vec3& motion,
                     const std::array<Vec3, 2>& b) {
  return {{a[0], a[1], b[0], b[1]}, {a[0] + motion, a[1] + motion, b[0], b[1]}};
}

template <class Query>
Query lattice(std::mt19937& random, int size) {
  std::uniform_int_distribution<int> coordinate(-size, size);
  Query query;
  for (auto* points : {&query.start, &query.end})
    for (Vec3& point : *points)
      for (double& x : point) x = coordinate(random);
  return query;
}

TEST(OracleAppendixB, FindsTheContactInsideTheHourglass) {
  const VertexFace query{{Vec3(0.1, 0.1, 0.1), Vec3(0, 0, 1), Vec3(1, 0, 1), Vec3(0, 1, 1)},
                         {Vec3(0.1, 0.1, 0.1), Vec3(0, 0, 0), Vec3(0, 1, 0), Vec3(1, 0, 0)}};
  expect_contact(query, std::nextafter(0.9, 0), 0.9);  // 1 - 0.1, the double 0.1
}

TEST(OracleAppendixC, FindsNoContactAtTheTwoCoplanarTimesAroundTheInflection) {
  const VertexFace query{{Vec3(1, 1, 0), Vec3(0, 0, 5), Vec3(2, 0, 2), Vec3(0, 1, 0)},
                         {Vec3(1, 1, 0), Vec3(0, 0, -1), Vec3(0, 0, -2), Vec3(0, 7, 0)}};
  expect_separated(query);
  EXPECT_EQ(oracle(query).checks, 2u);
}

TEST(OracleAppendixC, FindsTheDegenerateContactMissedByTheReferenceCode) {
  const VertexFace query{{Vec3(1, 0.5, 1), Vec3(0, 0.57, 1), Vec3(1, 0.57, 1), Vec3(1, 1.57, 1)},
                         {Vec3(1, 0.5, 1), Vec3(0, 0.28, 1), Vec3(1, 0.28, 1), Vec3(1, 1.28, 1)}};
  const Impact impact = oracle(query);
  EXPECT_EQ(impact.verdict, Verdict::contact);
  EXPECT_NEAR(impact.toi, 7.0 / 29, 1e-15);
}

// Promise (1): contact if and only if the primitives touch in [0, t_max].

TEST(Oracle, FindsContactAtTheVeryStart) {
  expect_contact(on_triangle({1, 1, 0}, {1, 1, 5}), 0);
  expect_contact(on_triangle({0, 0, 0}, {-3, -3, 1}), 0);
  expect_contact(
      moving_edge({Vec3(-1, 0, 0), Vec3(1, 0, 0)}, {0, 0, 2}, {Vec3(0, -1, 0), Vec3(0, 1, 0)}), 0);
}

TEST(Oracle, FindsContactAtTheVeryEnd) {
  expect_contact(on_triangle({1, 1, 5}, {1, 1, 0}), 1);
  expect_contact(on_triangle({9, 9, 9}, {2, 2, 0}), 1);
  expect_contact(
      moving_edge({Vec3(-1, 0, 1), Vec3(1, 0, 1)}, {0, 0, -1}, {Vec3(0, -1, 0), Vec3(0, 1, 0)}), 1);
  expect_separated(on_triangle({1, 1, 5}, {1, 1, tiny}));
  expect_separated(on_triangle({1, 1, tiny}, {1, 1, 5}));
}

TEST(Oracle, CountsTouchingABoundaryAndNothingBeyondIt) {
  expect_contact(on_triangle({2, 2, 1}, {2, 2, -1}), 0.5);
  expect_separated(on_triangle({2, std::nextafter(2.0, 3), 1}, {2, std::nextafter(2.0, 3), -1}));
  expect_contact(on_triangle({0, 0, 1}, {0, 0, -1}), 0.5);
  expect_separated(on_triangle({-tiny, 0, 1}, {-tiny, 0, -1}));
}

TEST(Oracle, FollowsMotionWithinThePlaneOfTheFace) {
  expect_contact(on_triangle({-4, 1, 0}, {4, 1, 0}), 0.5);
  expect_contact(on_triangle({-1, 5, 0}, {1, 3, 0}), 0.5);  // a corner
  expect_separated(on_triangle({-4, 1, 0}, {-tiny, 1, 0}));
  expect_separated(on_triangle({3, 3, 0}, {9, -2, 0}));
}

TEST(Oracle, TreatsDegenerateFacesAsSegmentsAndPoints) {
  const std::array<Vec3, 3> point{Vec3(1, 2, 3), Vec3(1, 2, 3), Vec3(1, 2, 3)};
  expect_contact(moving_vertex({0, 2, 3}, {2, 2, 3}, point), 0.5);
  expect_separated(moving_vertex({0, 2, 3}, {2, 2, std::nextafter(3.0, 4)}, point));
  const std::array<Vec3, 3> segment{Vec3(0, 0, 0), Vec3(4, 4, 4), Vec3(1, 1, 1)};
  expect_contact(moving_vertex({2, 3, 2}, {2, 1, 2}, segment), 0.5);
  expect_contact(moving_vertex({9, 9, 9}, {-1, -1, -1}, segment), 0.5);
  expect_separated(moving_vertex({5, 6, 5}, {5, 4, 5}, segment));
}

TEST(Oracle, FindsAFaceThatCollapsesOntoTheVertex) {
  // The face is a segment only at t = 1/2, when it reaches the vertex. Before that the vertex is
  // not in the plane of the face.
  const VertexFace query{{Vec3(1, 0, 0), Vec3(0, 0, -1), Vec3(4, 0, -1), Vec3(2, 2, -1)},
                         {Vec3(1, 0, 0), Vec3(0, 0, 1), Vec3(4, 0, 1), Vec3(2, -2, 1)}};
  expect_contact(query, 0.5);
}

TEST(Oracle, FindsParallelAndCollinearEdges) {
  const std::array<Vec3, 2> edge{Vec3(0, 0, 0), Vec3(2, 0, 0)};
  expect_contact(moving_edge({Vec3(1, 1, 0), Vec3(3, 1, 0)}, {0, -2, 0}, edge), 0.5);
  expect_separated(moving_edge({Vec3(3, 1, 0), Vec3(5, 1, 0)}, {0, -2, 0}, edge));
  expect_contact(moving_edge({Vec3(4, 0, 0), Vec3(6, 0, 0)}, {-4, 0, 0}, edge), 0.5);
  expect_contact(moving_edge({Vec3(3, 1, 0), Vec3(3, 1, 0)}, {-4, -2, 0}, edge), 0.5);
  expect_contact(
      moving_edge({Vec3(1, 0, 0), Vec3(1, 0, 0)}, {0, 0, 0}, {Vec3(1, 0, 0), Vec3(1, 0, 0)}), 0);
}

TEST(Oracle, FindsATripleRoot) {
  // z of the vertex seen from the face changes sign three times at t = 1/2: all three face corners
  // pass the origin's planes there.
  const VertexFace query{{Vec3(0, 0, 0), Vec3(-1, 0, 0), Vec3(0, -1, 0), Vec3(0, 0, -1)},
                         {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)}};
  expect_contact(query, 0.5);
}

TEST(Oracle, DistinguishesAMissByOneUlpFromAHit) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> coordinate(0.25, 1.75);
  for (int i = 0; i < 200; ++i) {
    const double x = coordinate(random), y = 4 - x;  // on the hypotenuse when 4 - x is exact
    if (x + y != 4 || 4 - y != x) continue;
    EXPECT_EQ(oracle(on_triangle({x, y, 3}, {x, y, -5})).verdict, Verdict::contact);
    const double above = std::nextafter(y, 5);
    expect_separated(on_triangle({x, above, 3}, {x, above, -5}));
  }
}

TEST(Oracle, HonoursTheEndOfTheInterval) {
  const VertexFace at_half = on_triangle({1, 1, 1}, {1, 1, -1});
  EXPECT_EQ(oracle_until(at_half, std::nextafter(0.5, 0)).verdict, Verdict::separated);
  EXPECT_EQ(oracle_until(at_half, 0.5).verdict, Verdict::contact);
  EXPECT_EQ(oracle_until(at_half, 0.5).toi, 0.5);
  EXPECT_EQ(oracle_until(at_half, std::nextafter(0.5, 1)).toi_hi, 0.5);

  const VertexFace at_third = on_triangle({1, 1, 1}, {1, 1, -2});
  const double below = 1.0 / 3, above = std::nextafter(below, 1);
  EXPECT_EQ(oracle_until(at_third, below).verdict, Verdict::separated);
  const Impact impact = oracle_until(at_third, above);
  EXPECT_EQ(impact.verdict, Verdict::contact);
  EXPECT_EQ(impact.toi, below);
  EXPECT_EQ(impact.toi_hi, above);

  const VertexFace in_plane = on_triangle({-1, 1, 0}, {2, 1, 0});
  EXPECT_EQ(oracle_until(in_plane, below).verdict, Verdict::separated);
  EXPECT_EQ(oracle_until(in_plane, above).verdict, Verdict::contact);
  EXPECT_EQ(oracle_until(on_triangle({1, 1, 0}, {1, 1, 1}), tiny).verdict, Verdict::contact);
  EXPECT_EQ(oracle_until(at_half, tiny).verdict, Verdict::separated);
}

TEST(Oracle, AnswersTheFirstContactWhateverTheEndOfTheInterval) {
  std::mt19937 random(8);
  int contacts = 0;
  for (int i = 0; i < 500; ++i) {
    const auto query = lattice<EdgeEdge>(random, 3);
    const Impact impact = oracle(query);
    if (impact.verdict != Verdict::contact || impact.toi == 0) continue;
    ++contacts;
    const Impact at = oracle_until(query, impact.toi_hi);
    EXPECT_EQ(at.verdict, Verdict::contact);
    EXPECT_EQ(at.toi, impact.toi);
    EXPECT_EQ(at.toi_hi, impact.toi_hi);
    EXPECT_EQ(oracle_until(query, std::nextafter(impact.toi_hi, 0)).verdict, Verdict::separated);
  }
  EXPECT_GT(contacts, 50);
}

// Promise (2): the tightest doubles around the exact time.

TEST(Oracle, EnclosesATimeThatIsNoDouble) {
  const double third = 1.0 / 3;
  expect_contact(on_triangle({1, 1, 1}, {1, 1, -2}), third, std::nextafter(third, 1));
  expect_contact(on_triangle({-1, 1, 0}, {2, 1, 0}), third, std::nextafter(third, 1));
}

TEST(Oracle, EnclosesTimesBelowTheSmallestDouble) {
  expect_contact(on_triangle({1, 1, -tiny}, {1, 1, huge}), 0, tiny);
  expect_contact(on_triangle({1, 1, -tiny}, {1, 1, 1}), 0, tiny);
  expect_contact(on_triangle({-tiny, 1, 0}, {huge, 1, 0}), 0, tiny);
}

TEST(Oracle, EnclosesTimesNextToTheEnd) {
  const double before = std::nextafter(1.0, 0);
  expect_contact(on_triangle({1, 1, huge}, {1, 1, -tiny}), before, 1);
  expect_contact(on_triangle({1, 1, huge}, {1, 1, 0}), 1);
}

TEST(Oracle, AnswersAtTheExtremesOfTheDoubles) {
  for (const double s : {tiny, 1e-300, 1e-9, 1e9, 1e300, huge / 8}) {
    VertexFace query = on_triangle({1, 1, 1}, {1, 1, -1});
    EdgeEdge edges =
        moving_edge({Vec3(-1, 0, 1), Vec3(1, 0, 1)}, {0, 0, -2}, {Vec3(0, -1, 0), Vec3(0, 1, 0)});
    for (auto* points : {&query.start, &query.end, &edges.start, &edges.end})
      for (Vec3& point : *points) point *= s;
    expect_contact(query, 0.5);
    expect_contact(edges, 0.5);
  }
  VertexFace far = on_triangle({huge, huge, huge}, {-huge, -huge, -huge});
  expect_contact(far, 0.5);
  far.start[0].z() = std::nextafter(huge, 0);
  expect_separated(far);  // passes the plane before the corner (0, 0, 0)
}

// Promise (3), and with it the symmetries of the question.

template <class Query>
void expect_same_answer(const Query& query, const Query& other) {
  const Impact a = oracle(query), b = oracle(other);
  EXPECT_EQ(a.verdict, b.verdict);
  EXPECT_EQ(a.toi, b.toi);
  EXPECT_EQ(a.toi_hi, b.toi_hi);
}

template <class Query>
Query reordered(const Query& query, const std::array<std::size_t, 4>& order) {
  Query result;
  for (std::size_t i = 0; i < 4; ++i) {
    result.start[i] = query.start[order[i]];
    result.end[i] = query.end[order[i]];
  }
  return result;
}

template <class Query>
Query mapped(Query query, auto map) {
  for (auto* points : {&query.start, &query.end})
    for (Vec3& point : *points) point = map(point);
  return query;
}

template <class Query>
void expect_geometric_symmetries(const Query& query) {
  expect_same_answer(query, mapped(query, [](const Vec3& p) { return Vec3(p.y(), p.z(), p.x()); }));
  expect_same_answer(query, mapped(query, [](const Vec3& p) { return Vec3(p.y(), p.x(), p.z()); }));
  expect_same_answer(query, mapped(query, [](const Vec3& p) { return Vec3(-p); }));
  expect_same_answer(query, mapped(query, [](const Vec3& p) { return Vec3(p * 0x1p-900); }));
  expect_same_answer(query, mapped(query, [](const Vec3& p) { return Vec3(p * 0x1p900); }));
  const Vec3 shift(1, -2, 3);
  expect_same_answer(query, mapped(query, [&](const Vec3& p) { return Vec3(p + shift); }));
  const Query reversed{query.end, query.start};
  EXPECT_EQ(oracle(query).verdict, oracle(reversed).verdict);
}

TEST(Oracle, RespectsTheSymmetriesOfVertexFace) {
  std::mt19937 random(9);
  int contacts = 0;
  for (int i = 0; i < 600; ++i) {
    const auto query = lattice<VertexFace>(random, 1 + i % 4);
    contacts += oracle(query).verdict == Verdict::contact;
    for (const auto& order : {std::array<std::size_t, 4>{0, 2, 3, 1}, {0, 3, 1, 2}, {0, 2, 1, 3}})
      expect_same_answer(query, reordered(query, order));
    expect_geometric_symmetries(query);
  }
  EXPECT_GT(contacts, 60);
  EXPECT_LT(contacts, 540);
}

TEST(Oracle, RespectsTheSymmetriesOfEdgeEdge) {
  std::mt19937 random(10);
  int contacts = 0;
  for (int i = 0; i < 600; ++i) {
    const auto query = lattice<EdgeEdge>(random, 1 + i % 4);
    contacts += oracle(query).verdict == Verdict::contact;
    for (const auto& order : {std::array<std::size_t, 4>{1, 0, 2, 3}, {0, 1, 3, 2}, {2, 3, 0, 1}})
      expect_same_answer(query, reordered(query, order));
    expect_geometric_symmetries(query);
  }
  EXPECT_GT(contacts, 60);
  EXPECT_LT(contacts, 540);
}

// The place of the contact.

TEST(Oracle, GivesThePlaceWhereAVertexMeetsAFace) {
  const Impact impact = oracle(on_triangle({1, 2, 1}, {1, 2, -1}));
  EXPECT_EQ(impact.u, 0.25);
  EXPECT_EQ(impact.v, 0.5);
  EXPECT_EQ(impact.normal, Vec3(0, 0, 1));  // towards where the vertex comes from
  EXPECT_EQ(oracle(on_triangle({1, 2, -1}, {1, 2, 1})).normal, Vec3(0, 0, -1));
  EXPECT_EQ(oracle(on_triangle({1, 2, 0}, {1, 2, -1})).normal, Vec3(0, 0, 1));
}

TEST(Oracle, GivesThePlaceWhereEdgesMeet) {
  const Impact impact = oracle(
      moving_edge({Vec3(-1, 0, 1), Vec3(3, 0, 1)}, {0, 0, -2}, {Vec3(0, -1, 0), Vec3(0, 1, 0)}));
  EXPECT_EQ(impact.u, 0.25);
  EXPECT_EQ(impact.v, 0.5);
  EXPECT_EQ(impact.normal, Vec3(0, 0, 1));
}

TEST(Oracle, PlacesRandomContactsWhereThePrimitivesAre) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> coordinate(0, 1);
  int contacts = 0;
  for (int i = 0; i < 2000; ++i) {
    EdgeEdge query;
    for (auto* points : {&query.start, &query.end})
      for (Vec3& point : *points)
        for (double& x : point) x = coordinate(random);
    const Impact impact = oracle(query);
    if (impact.verdict != Verdict::contact) continue;
    ++contacts;
    std::array<Vec3, 4> p;
    for (std::size_t k = 0; k < 4; ++k)
      p[k] = (1 - impact.toi) * query.start[k] + impact.toi * query.end[k];
    const Vec3 on_a = p[0] + impact.u * (p[1] - p[0]), on_b = p[2] + impact.v * (p[3] - p[2]);
    EXPECT_LT((on_a - on_b).norm(), 1e-10);
    EXPECT_NEAR(impact.normal.norm(), 1, 1e-15);
    EXPECT_NEAR(impact.normal.dot((p[1] - p[0]).normalized()), 0, 1e-10);
  }
  EXPECT_GT(contacts, 200);
}

// Invalid queries.

TEST(Oracle, RefusesNonFiniteInput) {
  for (const double bad : {Impact::inf, -Impact::inf, Impact::nan}) {
    VertexFace query = on_triangle({1, 1, 1}, {1, 1, -1});
    query.end[2].y() = bad;
    EXPECT_EQ(oracle(query).verdict, Verdict::invalid);
    EXPECT_EQ(oracle(query).toi, 0);
  }
}

TEST(Oracle, RefusesANonsensicalEndOfTheInterval) {
  const VertexFace query = on_triangle({1, 1, 1}, {1, 1, -1});
  for (const double t_max : {0.0, -1.0, 1.5, Impact::nan, Impact::inf})
    EXPECT_EQ(oracle_until(query, t_max).verdict, Verdict::invalid);
}

}  // namespace
}  // namespace graze::exact::oracle_test
