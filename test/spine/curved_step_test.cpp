#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "graze/first_contact.h"
#include "graze/generate/random.h"
#include "graze/step.h"
#include "test/support/curved.h"
#include "test/support/scale.h"

namespace graze::curved_step_test {
namespace {

using generate::Random;

// A mesh of triangles, rods and points with random control points.
struct CurvedScene {
  Mesh mesh;
  Curve curve;
  std::array<std::vector<Vec3>, 4> points;

  CurvedScene(Curve path, std::uint64_t seed, bool lattice) : curve(path) {
    Random random("curved step", static_cast<std::uint64_t>(path), seed, lattice);
    std::vector<Face> faces;
    for (std::uint32_t v = 0; v < 18; v += 3) faces.push_back({v, v + 1, v + 2});
    mesh = make_mesh(24, faces, {{18, 19}, {20, 21}});
    std::vector<Vec3> center(8);
    for (Vec3& c : center) c = random.cube(-2, 2);
    for (std::size_t i = 0; i < point_count(curve); ++i) {
      const Vec3 drift = random.cube(-1, 1);
      const bool velocity = curve == Curve::hermite && (i == 1 || i == 2);
      for (std::uint32_t v = 0; v < 24; ++v) {
        const Vec3 x = lattice ? Vec3(random.lattice(2)) : random.cube(-1, 1);
        points[i].push_back(lattice || velocity ? x : Vec3(center[v / 3] + drift + 0.6 * x));
      }
    }
  }
  CurvedMesh moving() const { return {mesh, curve, {points[0], points[1], points[2], points[3]}}; }
};

// Returns all impacts by testing every pair of features without a common vertex.
std::vector<StepImpact> by_brute_force(const CurvedMesh& moving) {
  std::vector<StepImpact> found;
  const Mesh& mesh = moving.mesh;
  const auto add = [&](Kind kind, std::size_t a, std::size_t b, const auto& query) {
    const Impact impact = first_contact(query);
    if (impact.verdict == Verdict::contact)
      found.push_back(
          {kind, {static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)}, impact});
  };
  for (std::size_t f = 0; f < mesh.faces.size(); ++f)
    for (std::size_t v = 0; v < mesh.vertex_count; ++v)
      if (std::find(mesh.faces[f].begin(), mesh.faces[f].end(), v) == mesh.faces[f].end())
        add(Kind::vertex_face, v, f, moving.vertex_face(v, f));
  for (std::size_t a = 0; a < mesh.edges.size(); ++a)
    for (std::size_t b = a + 1; b < mesh.edges.size(); ++b) {
      const Edge &x = mesh.edges[a], &y = mesh.edges[b];
      if (x[0] != y[0] && x[0] != y[1] && x[1] != y[0] && x[1] != y[1])
        add(Kind::edge_edge, a, b, moving.edge_edge(a, b));
    }
  for (const std::uint32_t p : mesh.points)
    for (const std::uint32_t r : mesh.rods) add(Kind::vertex_edge, p, r, moving.vertex_edge(p, r));
  for (const std::uint32_t p : mesh.points)
    for (const std::uint32_t q : mesh.points)
      if (p < q) add(Kind::vertex_vertex, p, q, moving.vertex_vertex(p, q));
  std::sort(found.begin(), found.end(), [](const StepImpact& a, const StepImpact& b) {
    return std::tie(a.impact.toi, a.kind, a.pair) < std::tie(b.impact.toi, b.kind, b.pair);
  });
  return found;
}

void expect_equal(const StepImpact& given, const StepImpact& truth) {
  EXPECT_EQ(given.kind, truth.kind);
  EXPECT_EQ(given.pair, truth.pair);
  EXPECT_EQ(test::time_difference(given.impact, truth.impact), "");
}

TEST(CurvedStep, FindsExactlyThePairsThatTouch) {
  std::size_t impacts = 0;
  for (const Curve curve : test::curves)
    for (std::uint64_t seed = 0; seed < test::scaled(12); ++seed) {
      const CurvedScene scene(curve, seed, seed % 3 == 0);
      SCOPED_TRACE("curve " + std::to_string(int(curve)) + " seed " + std::to_string(seed));
      const std::vector<StepImpact> truth = by_brute_force(scene.moving());
      StepOptions options;
      options.start_check = false;
      const AllImpacts all = all_impacts(scene.moving(), options);
      ASSERT_EQ(all.impacts.size(), truth.size());
      for (std::size_t i = 0; i < truth.size(); ++i) expect_equal(all.impacts[i], truth[i]);
      const FirstImpact first = earliest_impact(scene.moving(), options);
      ASSERT_EQ(first.impact.verdict, truth.empty() ? Verdict::separated : Verdict::contact);
      if (!truth.empty()) expect_equal(first, truth[0]);
      impacts += truth.size();
    }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(impacts, 500u);
}

TEST(CurvedStep, AnswersTheSameForEveryStrategyAndNumberOfThreads) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const CurvedScene scene(Curve::cubic, seed, seed == 0);
    const AllImpacts expected = all_impacts(scene.moving(), {}, {.threads = 1});
    for (const PairStrategy& strategy : pair_strategies()) {
      StepOptions options;
      options.strategy = &strategy;
      for (const int threads : {1, 2}) {
        const AllImpacts given = all_impacts(scene.moving(), options, {.threads = threads});
        ASSERT_EQ(given.impacts.size(), expected.impacts.size()) << strategy.name;
        for (std::size_t i = 0; i < given.impacts.size(); ++i)
          expect_equal(given.impacts[i], expected.impacts[i]);
        const FirstImpact first = earliest_impact(scene.moving(), options, {.threads = threads});
        if (!expected.impacts.empty()) expect_equal(first, expected.impacts[0]);
      }
    }
  }
}

// On lines the answers are those of the straight step, also as Hermite curves.
TEST(CurvedStep, HasTheBitsOfTheStraightStepOnLines) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const CurvedScene scene(Curve::line, seed, seed % 2 == 0);
    const MovingMesh straight{scene.mesh, scene.points[0], scene.points[1]};
    const AllImpacts expected = all_impacts(straight), given = all_impacts(scene.moving());
    ASSERT_EQ(given.impacts.size(), expected.impacts.size());
    for (std::size_t i = 0; i < given.impacts.size(); ++i)
      expect_equal(given.impacts[i], expected.impacts[i]);
    EXPECT_EQ(given.verdict, expected.verdict);
    EXPECT_EQ(given.toi, expected.toi);
    if (seed % 2 != 0) continue;  // differences of points of a lattice are exact
    std::vector<Vec3> way = scene.points[1];
    for (std::size_t v = 0; v < way.size(); ++v) way[v] -= scene.points[0][v];
    const AllImpacts curved =
        all_impacts(CurvedMesh::hermite(scene.mesh, scene.points[0], way, scene.points[1], way));
    ASSERT_EQ(curved.impacts.size(), expected.impacts.size());
    for (std::size_t i = 0; i < curved.impacts.size(); ++i)
      expect_equal(curved.impacts[i], expected.impacts[i]);
  }
}

// Features touch exactly, at sizes near the rounding of the floats of the broad phase.
TEST(CurvedStep, FindsPairsThatTouchFarFromTheOrigin) {
  std::size_t impacts = 0;
  for (const Curve curve : test::curves)
    for (std::uint64_t seed = 0; seed < test::scaled(6); ++seed) {
      CurvedScene scene(curve, seed, true);
      SCOPED_TRACE("curve " + std::to_string(int(curve)) + " seed " + std::to_string(seed));
      for (std::size_t i = 0; i < point_count(curve); ++i) {
        const bool velocity = curve == Curve::hermite && (i == 1 || i == 2);
        for (std::uint32_t v = 0; v < 24; ++v) {
          Vec3& x = scene.points[i][v];
          x *= std::ldexp(1.0, -static_cast<int>(5 * (seed % 4)));
          if (!velocity && v % 2 == 0) x += Vec3(1, -2, 3);
          if (!velocity) x += Vec3(1024, -512, 256);
        }
      }
      StepOptions options;
      options.start_check = false;
      const std::vector<StepImpact> truth = by_brute_force(scene.moving());
      const AllImpacts all = all_impacts(scene.moving(), options);
      ASSERT_EQ(all.impacts.size(), truth.size());
      for (std::size_t i = 0; i < truth.size(); ++i) expect_equal(all.impacts[i], truth[i]);
      impacts += truth.size();
    }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(impacts, 100u);
}

// Edges that pierce faces at the start are found together with the pairs.
TEST(CurvedStep, FindsTheEdgesThatPierceFacesAtTheStart) {
  std::size_t pierced = 0;
  for (const Curve curve : test::curves)
    for (std::uint64_t seed = 0; seed < test::scaled(8); ++seed) {
      CurvedScene scene(curve, seed, false);
      Random random("pierced", static_cast<std::uint64_t>(curve), seed, 0);
      for (Vec3& x : scene.points[0]) x = random.cube(-1, 1);
      const MovingMesh at_start{scene.mesh, scene.points[0], scene.points[0]};
      const auto piercings = [](const AllImpacts& all) {
        std::vector<Pair> pairs;
        for (const StepImpact& found : all.impacts)
          if (found.kind == Kind::edge_face) pairs.push_back(found.pair);
        return pairs;
      };
      const std::vector<Pair> expected = piercings(all_impacts(at_start));
      EXPECT_EQ(piercings(all_impacts(scene.moving())), expected);
      pierced += expected.size();
    }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(pierced, 20u);
}

// Two sheets stay apart, and only one vertex leaves its chord. The deviation of that vertex must
// not add pairs of other features, and accelerations that are equal must not add any.
TEST(CurvedStep, TestsFewPairsWhereOneVertexLeavesItsChord) {
  constexpr std::uint32_t side = 12;
  std::vector<Face> faces;
  std::vector<Vec3> start, end;
  for (std::uint32_t sheet = 0; sheet < 2; ++sheet)
    for (std::uint32_t y = 0; y < side; ++y)
      for (std::uint32_t x = 0; x < side; ++x) {
        const std::uint32_t v = (sheet * side + y) * side + x;
        start.emplace_back(x, y, 0.5 * sheet);
        end.emplace_back(start.back() + Vec3(0.25, 0.125, 0.25));
        if (x + 1 == side || y + 1 == side) continue;
        faces.push_back({v, v + 1, v + side});
        faces.push_back({v + 1, v + side + 1, v + side});
      }
  const Mesh mesh = make_mesh(start.size(), faces);
  const auto pairs = [&](const Vec3& of_one, const Vec3& of_all) {
    std::vector<Vec3> first, last;
    for (std::size_t v = 0; v < start.size(); ++v) {
      const Vec3 change = v == side + 1 ? Vec3(of_all + of_one) : of_all;
      first.emplace_back(end[v] - start[v] + change);
      last.emplace_back(end[v] - start[v] - change);
    }
    const AllImpacts all = all_impacts(CurvedMesh::hermite(mesh, start, first, end, last));
    EXPECT_EQ(all.verdict, Verdict::separated);
    return all.work.pairs / static_cast<std::uint64_t>(all.work.slabs);
  };
  EXPECT_EQ(pairs(Vec3::Zero(), Vec3::Zero()), 0u);
  EXPECT_LT(pairs(Vec3(0, 0, -8), Vec3::Zero()), 100u);
  EXPECT_EQ(pairs(Vec3::Zero(), Vec3(0, 0, 4)), 0u);
}

TEST(CurvedStep, SurvivesExtremeCoordinates) {
  for (const double size : {1e300, 1e-310}) {
    CurvedScene scene(Curve::hermite, 4, true);
    for (auto& points : scene.points)
      for (Vec3& x : points) x *= size;
    StepOptions options;
    options.start_check = false;
    const std::vector<StepImpact> truth = by_brute_force(scene.moving());
    const AllImpacts all = all_impacts(scene.moving(), options);
    ASSERT_EQ(all.impacts.size(), truth.size()) << size;
    for (std::size_t i = 0; i < truth.size(); ++i) expect_equal(all.impacts[i], truth[i]);
  }
}

TEST(CurvedStep, AnswersInvalidForBadInputAndStops) {
  CurvedScene scene(Curve::quadratic, 1, false);
  StepOptions apart;
  apart.query.min_separation = 1;
  EXPECT_EQ(all_impacts(scene.moving(), apart).verdict, Verdict::invalid);
  StepOptions skip;
  skip.at_start = StartContacts::skip;
  EXPECT_EQ(earliest_impact(scene.moving(), skip).impact.verdict, Verdict::invalid);
  StepOptions method;
  method.method = find_method("tight_inclusion");
  EXPECT_EQ(earliest_impact(scene.moving(), method).impact.verdict, Verdict::invalid);
  std::atomic<bool> stop{true};
  const FirstImpact stopped = earliest_impact(scene.moving(), {}, {.threads = 1, .stop = &stop});
  EXPECT_EQ(stopped.impact.verdict, Verdict::undecided);
  EXPECT_EQ(stopped.impact.toi, 0);
  scene.points[1].pop_back();
  EXPECT_EQ(all_impacts(scene.moving()).verdict, Verdict::invalid);
  scene.points[1].push_back(Vec3(0, Impact::nan, 0));
  EXPECT_EQ(all_impacts(scene.moving()).verdict, Verdict::invalid);
}

TEST(CurvedStep, GivesPositionsOnTheCurve) {
  for (const Curve curve : test::curves) {
    const CurvedScene scene(curve, 2, false);
    EXPECT_EQ(positions_at(scene.moving(), 0), scene.points[0]);
    EXPECT_EQ(positions_at(scene.moving(), 1), scene.points[point_count(curve) - 1]);
  }
  CurvedScene scene(Curve::hermite, 2, false);
  const Vec3 expected =
      (scene.points[0][5] + scene.points[3][5]) / 2 + (scene.points[1][5] - scene.points[2][5]) / 8;
  EXPECT_LT((positions_at(scene.moving(), 0.5)[5] - expected).norm(), 1e-14);
}

}  // namespace
}  // namespace graze::curved_step_test
