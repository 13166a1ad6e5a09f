#include "graze/spine/pair_radii.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <vector>

#include "graze/exact/judge/separation_oracle.h"
#include "graze/generate/random.h"
#include "graze/step.h"
#include "test/support/scale.h"

namespace graze::pair_radii_test {
namespace {

using generate::Random;

// Returns three bodies of two triangles, a rod and a point each, that move through each other.
OwnedMotion bodies(Random& random, bool lattice) {
  OwnedMotion motion;
  std::vector<Face> faces;
  std::vector<Edge> rods;
  for (std::uint32_t body = 0; body < 3; ++body) {
    const std::uint32_t v = 7 * body;
    faces.push_back({v, v + 1, v + 2});
    faces.push_back({v + 1, v + 2, v + 3});
    rods.push_back({v + 4, v + 5});
    const Vec3 from = lattice ? random.lattice(4) : random.cube(-2, 2), way = -2 * from;
    for (int k = 0; k < 7; ++k) {
      const Vec3 x = lattice ? random.lattice(2) : random.cube(-1, 1);
      motion.start.push_back(from + x);
      motion.end.push_back(from + x + way + (lattice ? random.lattice(1) : random.cube(-1, 1)));
    }
  }
  motion.mesh = make_mesh(21, faces, rods);
  return motion;
}

template <class Query>
Impact judge(const Query& query, Norm norm, double separation) {
  Options options;
  options.min_separation = separation;
  return norm == Norm::linf ? exact::oracle_linf(query, options) : exact::oracle_l2(query, options);
}

// Promise (7) of earliest_impact(): the oracle judges every pair with the pair's own distance.
TEST(PairRadii, EveryPairIsJudgedByTheSumOfItsRadii) {
  std::size_t contacts = 0, misses = 0, distances = 0;
  const std::size_t count = test::scaled(24);
  for (std::size_t i = 0; i < count; ++i) {
    SCOPED_TRACE(i);
    Random random("pair radii", 0, test::seed(), i);
    const OwnedMotion motion = bodies(random, i % 2 == 0);
    const MovingMesh moving = motion.moving();
    std::vector<std::uint32_t> group(21);
    std::vector<double> radii(21);
    const double sizes[3] = {0, random.integer(0, 3) / 16.0, random.uniform(0, 0.5)};
    for (std::uint32_t v = 0; v < 21; ++v) {
      group[v] = v / 7;
      radii[v] = i % 3 == 0 ? random.integer(0, 4) / 16.0 : sizes[v / 7];
    }
    StepOptions options;
    options.start_check = false;
    options.radii = radii;
    options.pairs.filter.group = group;
    options.pairs.filter.within_group = false;
    options.query.norm = i % 4 == 3 ? Norm::linf : Norm::l2;
    if (i % 5 == 0) options.query.min_separation = 0.0625;
    PairOptions all = options.pairs;
    all.separation = 100;
    const Pairs pairs = collect_pairs(moving, all, {.threads = 1});
    std::map<std::pair<Kind, Pair>, Impact> expected;
    const auto largest = [&](const auto& feature) {
      double radius = 0;
      for (const std::uint32_t v : feature) radius = std::max(radius, radii[v]);
      return radius;
    };
    const auto examine = [&](Kind kind, const Pair& pair, double a, double b, const auto& query) {
      const Impact found = judge(query, options.query.norm, options.query.min_separation + (a + b));
      found.verdict == Verdict::contact ? ++contacts : ++misses;
      if (found.verdict == Verdict::contact) expected[{kind, pair}] = found;
      distances += a + b > 0;
    };
    const Mesh& mesh = motion.mesh;
    for (const Pair& p : pairs.vertex_face)
      examine(Kind::vertex_face, p, radii[p.a], largest(mesh.faces[p.b]),
              moving.vertex_face(p.a, p.b));
    for (const Pair& p : pairs.edge_edge)
      examine(Kind::edge_edge, p, largest(mesh.edges[p.a]), largest(mesh.edges[p.b]),
              moving.edge_edge(p.a, p.b));
    for (const Pair& p : pairs.vertex_edge)
      examine(Kind::vertex_edge, p, radii[p.a], largest(mesh.edges[p.b]),
              moving.vertex_edge(p.a, p.b));
    for (const Pair& p : pairs.vertex_vertex)
      examine(Kind::vertex_vertex, p, radii[p.a], radii[p.b], moving.vertex_vertex(p.a, p.b));

    const AllImpacts found = all_impacts(moving, options, {.threads = 1});
    ASSERT_EQ(found.impacts.size(), expected.size());
    for (const StepImpact& impact : found.impacts) {
      const auto judged = expected.find({impact.kind, impact.pair});
      ASSERT_NE(judged, expected.end());
      ASSERT_EQ(impact.impact.toi, judged->second.toi);
      ASSERT_EQ(impact.impact.toi_hi, judged->second.toi_hi);
    }
    const FirstImpact first = earliest_impact(moving, options, {.threads = 1});
    ASSERT_EQ(first.impact.toi, found.toi);
    if (!found.impacts.empty()) {
      ASSERT_EQ(first.pair, found.impacts[0].pair);
    }

    // The same bits for two threads, in a search and with candidates.
    ASSERT_EQ(all_impacts(moving, options, {.threads = 2}).impacts.size(), expected.size());
    StepSearch search(mesh);
    for (int round = 0; round < 3; ++round)
      ASSERT_EQ(search.earliest_impact(motion.start, motion.end, options).impact.toi, found.toi);
    const Candidates candidates =
        search.candidates(motion.start, motion.end, 2, options.pairs, {.threads = 1});
    const AllImpacts again = all_impacts(candidates, motion.start, motion.end, options);
    ASSERT_EQ(again.impacts.size(), expected.size());
    ASSERT_EQ(again.toi, found.toi);
    const double step =
        collision_free_step(moving, options.query.min_separation, options, {.threads = 1});
    ASSERT_LE(step, found.verdict == Verdict::contact ? found.toi : 1);
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(contacts, 500u);
  EXPECT_GT(misses, 500u);
  EXPECT_GT(distances, 2000u);
}

TEST(PairRadii, EqualRadiiAreASeparation) {
  Random random("equal radii", 0, 1, 0);
  const OwnedMotion motion = bodies(random, false);
  const std::vector<double> radii(21, 0.125);
  StepOptions round, apart;
  round.radii = radii;
  apart.query.min_separation = 0.25;
  const AllImpacts a = all_impacts(motion.moving(), round), b = all_impacts(motion.moving(), apart);
  ASSERT_EQ(a.impacts.size(), b.impacts.size());
  ASSERT_GT(a.impacts.size(), 0u);
  for (std::size_t i = 0; i < a.impacts.size(); ++i) {
    EXPECT_EQ(a.impacts[i].pair, b.impacts[i].pair);
    EXPECT_EQ(a.impacts[i].impact.toi, b.impacts[i].impact.toi);
    EXPECT_EQ(a.impacts[i].impact.checks, b.impacts[i].impact.checks);
  }
  const std::vector<double> none(21, 0);
  round.radii = none;
  EXPECT_EQ(all_impacts(motion.moving(), round).toi, all_impacts(motion.moving()).toi);
}

TEST(PairRadii, RadiiThatDoNotFitAreInvalid) {
  Random random("bad radii", 0, 1, 0);
  const OwnedMotion motion = bodies(random, false);
  for (const double bad : {-1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    std::vector<double> radii(21, 0.1);
    radii[20] = bad;
    StepOptions options;
    options.radii = radii;
    EXPECT_EQ(earliest_impact(motion.moving(), options).impact.verdict, Verdict::invalid);
    StepSearch search(motion.mesh);
    for (int round = 0; round < 3; ++round)
      EXPECT_EQ(search.earliest_impact(motion.start, motion.end, options).impact.verdict,
                Verdict::invalid);
  }
  const std::vector<double> few(20, 0.1), some(21, 0.1);
  StepOptions options;
  options.radii = few;
  EXPECT_EQ(all_impacts(motion.moving(), options).verdict, Verdict::invalid);
  options.radii = some;
  options.method = find_method("exact");  // takes no separation
  EXPECT_EQ(all_impacts(motion.moving(), options).verdict, Verdict::invalid);
}

}  // namespace
}  // namespace graze::pair_radii_test
