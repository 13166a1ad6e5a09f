#include <gtest/gtest.h>

#include "graze/generate/random.h"
#include "graze/polyhedron/move.h"
#include "test/support/scale.h"

namespace graze::polyhedron::leak_test {
namespace {

using generate::Random;

// Returns a closed surface around the origin: a subdivided octahedron with vertices at random
// distances. Unless it is smooth, all coordinates have few digits, so that lines from the origin
// meet edges and vertices exactly.
Model star(int divisions, bool smooth) {
  std::vector<Vec3> v{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
  std::vector<Polygon> t{{0, 1, 2}, {1, 3, 2}, {3, 4, 2}, {4, 0, 2},
                         {1, 0, 5}, {3, 1, 5}, {4, 3, 5}, {0, 4, 5}};
  for (int d = 0; d < divisions; ++d) {
    std::vector<Polygon> finer;
    for (const Polygon& f : t) {
      const auto n = static_cast<std::uint32_t>(v.size());
      for (std::size_t i = 0; i < 3; ++i) v.push_back((v[f[i]] + v[f[(i + 1) % 3]]) / 2);
      finer.insert(finer.end(),
                   {{f[0], n, n + 2}, {f[1], n + 1, n}, {f[2], n + 2, n + 1}, {n, n + 1, n + 2}});
    }
    t = finer;
  }
  // Equal vertices are not merged yet: their distance must depend on their position alone.
  for (Vec3& x : v) {
    Random own("star", 0, static_cast<std::uint64_t>(x[0] * 4096 + 9000),
               static_cast<std::uint64_t>(x[1] * 4096 + 9000) * 20000 +
                   static_cast<std::uint64_t>(x[2] * 4096 + 9000));
    const double length = smooth ? 1 / x.norm() : 1;
    x *= length * (smooth ? own.uniform(0.7, 1) : own.integer(2, 4) / 4.);
  }
  return make_model(v, t);
}

// Every line from inside to outside meets the surface. Most lines here aim at vertices and edges.
TEST(Leak, NoPointLeavesAClosedSurfaceWithoutAContact) {
  Scratch scratch;
  std::size_t traces = 0, exact = 0;
  const std::size_t rounds = 20, each = test::scaled(1500);
  for (std::size_t round = 0; round < rounds; ++round) {
    Random random("leak", 0, test::seed(), round);
    const Model model = star(static_cast<int>(2 + round % 4), round % 2 == 0);
    ASSERT_TRUE(model.ok()) << describe(model);
    ASSERT_TRUE(model.is_closed());
    const Obstacle surface = make_obstacle(model);
    for (std::size_t i = 0; i < each; ++i) {
      const Vec3 from = random.one_in(2) ? Vec3(Vec3::Zero()) : random.cube(-0.05, 0.05);
      const ModelEdge& edge = model.edges[random.below(model.edges.size())];
      const double share = random.one_in(4) ? 0 : random.one_in(2) ? 0.5 : random.uniform();
      const Vec3 target =
          random.one_in(4)
              ? random.cube(-1, 1)
              : Vec3((1 - share) * model.vertices[edge.a] + share * model.vertices[edge.b]);
      if (target.norm() < 0.2) continue;
      const Vec3 way = 16 * (target - from);
      const MoveResult result = trace_point({&surface, 1}, from, way, scratch);
      ASSERT_EQ(result.verdict, Verdict::contact) << round << " " << i;
      // The same line from outside to the middle.
      const MoveResult back =
          trace_point({&surface, 1}, Vec3(from + way), Vec3(-(from + way)), scratch);
      ASSERT_EQ(back.verdict, Verdict::contact) << round << " " << i;
      traces += 2;
      exact += (result.exact > 1) + (back.exact > 1);
    }
  }
  RecordProperty("traces", static_cast<int>(traces));
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(10 * exact, traces);  // the filter left many undecided
}

}  // namespace
}  // namespace graze::polyhedron::leak_test
