#include "graze/spine/start_inside.h"

#include <gtest/gtest.h>

#include <vector>

#include "graze/generate/models.h"
#include "graze/generate/random.h"
#include "graze/step.h"
#include "test/support/scale.h"

namespace graze::start_inside_test {
namespace {

using generate::Random;

// Bodies of one mesh, each a group.
struct Bodies {
  std::vector<Vec3> positions;
  std::vector<Face> faces;
  std::vector<std::uint32_t> group;
  std::uint32_t groups = 0;

  void add(const generate::SurfaceModel& model, const Vec3& at, bool new_group = true) {
    if (new_group) ++groups;
    const auto first = static_cast<std::uint32_t>(positions.size());
    for (const Vec3& vertex : model.vertices) positions.push_back(vertex + at);
    for (const Face& face : model.faces)
      faces.push_back({face[0] + first, face[1] + first, face[2] + first});
    group.resize(positions.size(), groups - 1);
  }
  OwnedMotion resting() const { return {make_mesh(positions.size(), faces), positions, positions}; }
};

StepOptions solids(const Bodies& bodies, const std::vector<std::uint32_t>& which) {
  StepOptions options;
  options.pairs.filter.group = bodies.group;
  options.solids = which;
  return options;
}

TEST(StartInside, ABodyInsideASolidIsInContactAtTheStart) {
  Bodies bodies;
  bodies.add(generate::box({2, 2, 2}), {0, 0, 0});
  bodies.add(generate::box({0.5, 0.5, 0.5}), {0.25, 0, 0});
  const OwnedMotion motion = bodies.resting();
  const std::vector<std::uint32_t> outer = {0}, inner = {1}, both = {0, 1};
  EXPECT_EQ(earliest_impact(motion.moving()).impact.verdict, Verdict::separated);
  for (const auto& which : {outer, both}) {
    const StepOptions options = solids(bodies, which);
    const FirstImpact first = earliest_impact(motion.moving(), options);
    ASSERT_EQ(first.impact.verdict, Verdict::contact);
    EXPECT_EQ(first.impact.toi, 0);
    EXPECT_EQ(first.impact.toi_hi, 0);
    EXPECT_EQ(first.kind, Kind::vertex_face);
    EXPECT_EQ(first.pair.a, 8u);   // the first vertex of the inner box
    EXPECT_LT(first.pair.b, 12u);  // a face of the outer box
    const AllImpacts all = all_impacts(motion.moving(), options);
    ASSERT_EQ(all.impacts.size(), 1u);
    EXPECT_EQ(all.impacts[0].pair, first.pair);
    EXPECT_EQ(collision_free_step(motion.moving(), 0, options), 0);
    StepSearch search(motion.mesh);
    for (int round = 0; round < 3; ++round) {
      EXPECT_EQ(search.earliest_impact(motion.start, motion.end, options).pair, first.pair);
      EXPECT_EQ(search.all_impacts(motion.start, motion.end, options).toi, 0);
    }
    const Candidates candidates = search.candidates(motion.start, motion.end, 1, options.pairs);
    EXPECT_EQ(earliest_impact(candidates, motion.start, motion.end, options).pair, first.pair);
  }
  EXPECT_EQ(earliest_impact(motion.moving(), solids(bodies, inner)).impact.verdict,
            Verdict::separated);
  // The filter leaves the pair out.
  StepOptions apart = solids(bodies, outer);
  const std::vector<GroupPair> ignored = {{1, 0}};
  apart.pairs.filter.group_pairs = ignored;
  EXPECT_EQ(earliest_impact(motion.moving(), apart).impact.verdict, Verdict::separated);
  StepOptions still = solids(bodies, outer);
  const std::vector<std::uint8_t> is_static(motion.mesh.vertex_count, 1);
  still.pairs.filter.is_static = is_static;
  EXPECT_EQ(earliest_impact(motion.moving(), still).impact.verdict, Verdict::separated);
  StepOptions callback = solids(bodies, outer);
  callback.pairs.filter.admits = [](Kind kind, const Pair&) { return kind != Kind::vertex_face; };
  EXPECT_EQ(earliest_impact(motion.moving(), callback).impact.verdict, Verdict::separated);
  // An open surface is no solid.
  Bodies open = bodies;
  open.faces.erase(open.faces.begin());
  EXPECT_EQ(earliest_impact(open.resting().moving(), solids(open, outer)).impact.verdict,
            Verdict::invalid);
  EXPECT_EQ(earliest_impact(open.resting().moving(), solids(open, inner)).impact.verdict,
            Verdict::separated);
}

// Cubes on a lattice, one of them with a hole: a point is inside if it is in an odd number of the
// open cubes of the solid. Points of the lattice lie below vertices and edges of the cubes.
TEST(StartInside, ParityDecidesForPointsOfALattice) {
  std::size_t inside = 0, outside = 0;
  const std::size_t count = test::scaled(300);
  for (std::size_t i = 0; i < count; ++i) {
    SCOPED_TRACE(i);
    Random random("start inside", 0, test::seed(), i);
    Bodies bodies;
    std::vector<std::pair<Vec3, double>> cubes;
    for (int k = 0; k < 3; ++k) {
      const Vec3 centre = random.lattice(3);
      const double half = random.integer(1, 4);
      cubes.emplace_back(centre, half);
      bodies.add(generate::box(Vec3::Constant(half)), centre, k == 0);
    }
    const Vec3 point = random.lattice(5);
    ++bodies.groups;
    bodies.positions.push_back(point);
    bodies.group.push_back(1);
    const OwnedMotion motion = bodies.resting();
    bool touches = false, odd = false;
    for (const auto& [centre, half] : cubes) {
      const double reach = (point - centre).lpNorm<Eigen::Infinity>();
      touches = touches || reach == half;
      odd ^= reach < half;
    }
    if (touches) continue;
    const std::vector<std::uint32_t> which = {0};
    const std::vector<StepImpact> found =
        spine::start_inside(motion.moving(), solids(bodies, which));
    ASSERT_EQ(found.size(), odd ? 1u : 0u);
    odd ? ++inside : ++outside;
    StepOptions no_strays = solids(bodies, which);
    no_strays.pairs.stray_vertices = false;
    ASSERT_TRUE(spine::start_inside(motion.moving(), no_strays).empty());
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(inside, 20u);
  EXPECT_GT(outside, 50u);
}

}  // namespace
}  // namespace graze::start_inside_test
