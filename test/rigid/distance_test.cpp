#include "graze/rigid/distance/model_distance.h"

#include <gtest/gtest.h>

#include <atomic>
#include "graze/generate/models.h"
#include "graze/generate/random.h"
#include "graze/impact.h"
#include "test/rigid/all_nodes.h"
#include "test/rigid/exact_polytope.h"
#include "test/support/scale.h"

namespace graze::rigid::distance_test {
namespace {

using generate::Random;
using test::Rational;

using Triangle = std::array<Vec3, 3>;

struct Family {
  const char* name;
  Triangle (*draw)(Random&);
};

Triangle drawn(Random& random, Vec3 (*corner)(Random&)) {
  const Vec3 a = corner(random);
  const Vec3 b = corner(random);
  const Vec3 c = corner(random);
  return {a, b, c};
}

const Family families[] = {
    {"anywhere", [](Random& r) { return drawn(r, [](Random& q) { return q.cube(-1, 1); }); }},
    {"lattice", [](Random& r) { return drawn(r, [](Random& q) { return q.lattice(2); }); }},
    {"one plane",
     [](Random& r) {
       return drawn(r, [](Random& q) { return Vec3(q.lattice(4).cwiseProduct(Vec3(1, 1, 0))); });
     }},
    {"two parallel planes",
     [](Random& r) {
       const double z = r.one_in(2) ? 0.1 : 0.3;
       Triangle t = drawn(r, [](Random& q) { return q.cube(-1, 1); });
       for (Vec3& v : t) v[2] = z;
       return t;
     }},
    {"needles",
     [](Random& r) {
       const Vec3 a = r.cube(-1, 1), way = r.cube(-1, 1), side = 1e-9 * r.cube(-1, 1);
       return Triangle{a, a + way, a + 0.5 * way + side};
     }},
    {"segments and points",
     [](Random& r) {
       Triangle t = drawn(r, [](Random& q) { return q.lattice(1); });
       t[2] = t[0];
       if (r.one_in(3)) t[1] = t[0];
       return t;
     }},
    {"denormals",
     [](Random& r) { return drawn(r, [](Random& q) { return Vec3(0x1p-1074 * q.lattice(9)); }); }},
    {"of size 1e-300",
     [](Random& r) { return drawn(r, [](Random& q) { return Vec3(1e-300 * q.cube(-1, 1)); }); }},
    {"of size 1e300",
     [](Random& r) { return drawn(r, [](Random& q) { return Vec3(1e300 * q.cube(-1, 1)); }); }},
    {"far from the origin",
     [](Random& r) {
       return drawn(r, [](Random& q) { return Vec3(Vec3(1e8, 1e8, 0) + q.cube(-1, 1)); });
     }},
};

double reach_of(const Triangle& t) {
  double reach = 0;
  for (const Vec3& v : t) reach = std::max(reach, v.cwiseAbs().maxCoeff());
  return reach;
}

Eigen::Matrix3d random_rotation(Random& random) {
  const double w = random.uniform(-1, 1);
  const Vec3 v = random.cube(-1, 1);
  return Eigen::Quaterniond(w, v[0], v[1], v[2]).normalized().toRotationMatrix();
}

TEST(ConvexDistance, Promise1BoundsTheDistanceOfTrianglesFromBothSides) {
  const std::size_t count = test::scaled(60);
  for (const Family& family : families) {
    std::size_t apart = 0, tight = 0, meeting = 0;
    for (std::size_t i = 0; i < count; ++i) {
      Random random(family.name, 0, 11, i);
      const Triangle x = family.draw(random), y = family.draw(random);
      Placement at{Eigen::Matrix3d::Identity(), Vec3::Zero()}, turned = at;
      if (i % 3 == 1) turned.rotation = random_rotation(random);
      if (i % 3 == 2) turned.offset = x[0] - y[1];
      const RelativePlacement placement = relative_placement(at, reach_of(x), turned, reach_of(y));
      std::array<double, 12> sx, sy;
      const PolytopeView a = test::view_of(x, sx), b = test::view_of(y, sy);
      const ConvexDistance plain = convex_distance(a, b, placement, {}, Impact::inf, 1e-12);
      const ConvexDistance best = triangle_distance(a, b, placement);
      std::vector<test::RationalVec> p, q;
      for (std::size_t k = 0; k < 3; ++k) {
        p.push_back(test::rational(x[k]));
        q.push_back(test::placed(placement, y[k]));
      }
      const Rational truth = test::triangles_distance_sq(p, q);
      for (const ConvexDistance& d : {plain, best}) {
        ASSERT_GE(d.lo, 0);
        ASSERT_LE(Rational(d.lo) * d.lo, truth) << family.name << " " << i;
        ASSERT_TRUE(std::isinf(d.hi) || Rational(d.hi) * d.hi >= truth) << family.name << " " << i;
      }
      meeting += truth <= Rational(placement.slack) * placement.slack;
      apart += best.lo > 0;
      tight += best.hi - best.lo <= 4 * placement.slack + 1e-9 * best.hi;
    }
    if (test::scale() >= 1) {
      EXPECT_GT(meeting, count / 20) << family.name;
    }
    EXPECT_GE(meeting + apart, count * 49 / 50) << family.name;
    EXPECT_GE(tight, count * 9 / 10) << family.name;
  }
}

TEST(ConvexDistance, WarmAndColdBoundsOverlap) {
  const generate::SurfaceModel surface = generate::torus_knot(60, 8);
  const Model model = make_model(surface.vertices, surface.faces);
  std::size_t fewer = 0, more = 0;
  for (std::size_t i = 0; i < test::scaled(300); ++i) {
    Random random("warm", 0, 3, i);
    const HullNode& a = model.tree.node(static_cast<std::uint32_t>(random.below(200)));
    const HullNode& b = model.tree.node(static_cast<std::uint32_t>(random.below(200)));
    Placement at{Eigen::Matrix3d::Identity(), Vec3::Zero()}, other = at;
    other.rotation = random_rotation(random);
    other.offset = 2 * random.cube(-1, 1);
    const double reach = model.tree.reach();
    const PolytopeView p = polytope(model.tree, a), q = polytope(model.tree, b);
    const ConvexDistance before =
        convex_distance(p, q, relative_placement(at, reach, other, reach), {}, Impact::inf, 1e-10);
    other.offset += 1e-3 * random.cube(-1, 1);
    const RelativePlacement now = relative_placement(at, reach, other, reach);
    const ConvexDistance cold = convex_distance(p, q, now, {}, Impact::inf, 1e-10);
    const ConvexDistance warm = convex_distance(p, q, now, before.witness, Impact::inf, 1e-10);
    EXPECT_LE(warm.lo, cold.hi);
    EXPECT_LE(cold.lo, warm.hi);
    fewer += warm.iterations < cold.iterations;
    more += warm.iterations > cold.iterations;
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(fewer, 4 * more);
}

TEST(ConvexDistance, ADirectionWithoutLengthProvesNothing) {
  const Triangle t = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};
  std::array<double, 12> s;
  const PolytopeView view = test::view_of(t, s);
  EXPECT_EQ(separation_along(view, view, test::in_place(1), Vec3::Zero()), -Impact::inf);
  EXPECT_EQ(separation_along(view, view, test::in_place(1), Vec3::Constant(Impact::nan)),
            -Impact::inf);
}

Model made(const generate::SurfaceModel& model) {
  return make_model(model.vertices, model.faces);
}

// Returns bounds on the distance, computed from all pairs of triangles.
std::array<double, 2> brute_force(const Model& a, const Placement& at_a, const Model& b,
                                  const Placement& at_b) {
  const RelativePlacement relative = relative_placement(at_a, a.tree.reach(), at_b, b.tree.reach());
  std::array<double, 2> bounds = {Impact::inf, Impact::inf};
  for (const HullNode* x : test::all_nodes(a.tree))
    for (const HullNode* y : test::all_nodes(b.tree))
      if (x->is_leaf() && y->is_leaf()) {
        const ConvexDistance d =
            triangle_distance(polytope(a.tree, *x), polytope(b.tree, *y), relative);
        bounds = {std::min(bounds[0], d.lo - relative.err),
                  std::min(bounds[1], d.hi + relative.err)};
      }
  return bounds;
}

TEST(Distance, Promise1AgreesWithAllPairsOfTriangles) {
  const Model list[] = {made(generate::torus_knot(30, 5)), made(generate::soup(60, 0.3, 3)),
                        made(generate::tetrahedron()), made(generate::bumpy_figure(12, 8)),
                        made(scaled(generate::l_shape(), 0.5))};
  std::size_t meeting = 0;
  for (std::size_t i = 0; i < test::scaled(40); ++i) {
    Random random("models", 0, 5, i);
    const Model &a = list[random.below(5)], &b = list[random.below(5)];
    Placement at_a{random_rotation(random), random.cube(-1, 1)};
    Placement at_b{random_rotation(random), 2.5 * random.cube(-1, 1)};
    const BodyDistance d = distance(a, at_a, b, at_b);
    const auto [lo, hi] = brute_force(a, at_a, b, at_b);
    EXPECT_LE(d.lo, hi);
    EXPECT_LE(lo, d.hi);
    EXPECT_LE(d.hi - d.lo, 1e-11);
    EXPECT_NEAR((d.point_a - d.point_b).norm(), d.hi, 1e-11);
    meeting += d.lo == 0;
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(meeting, 3u);
}

std::vector<std::uint32_t> leaves_of(const HullTree& tree, std::uint32_t at) {
  std::vector<std::uint32_t> leaves, stack = {at};
  while (!stack.empty()) {
    const std::uint32_t node = stack.back();
    stack.pop_back();
    if (tree.node(node).is_leaf()) {
      leaves.push_back(node);
    } else {
      stack.push_back(tree.node(node).child);
      stack.push_back(tree.node(node).child + 1);
    }
  }
  return leaves;
}

TEST(Distance, Promise3TheFrontCoversAllPairsAndItsBoundsHold) {
  const Model a = made(generate::torus_knot(24, 5)), b = made(generate::soup(50, 0.3, 8));
  DistanceFront front;
  Random random("front", 0, 1, 0);
  Placement at_a{random_rotation(random), Vec3::Zero()};
  for (int step = 0; step < 12; ++step) {
    const Placement at_b{random_rotation(random), Vec3(4 - 0.3 * step, 0.1, 0.2)};
    const BodyDistance cold = distance(a, at_a, b, at_b),
                       warm = distance(a, at_a, b, at_b, {}, &front);
    EXPECT_LE(warm.lo, cold.hi);
    EXPECT_LE(cold.lo, warm.hi);
    std::size_t covered = 0;
    const RelativePlacement relative =
        relative_placement(at_a, a.tree.reach(), at_b, b.tree.reach());
    for (const FrontPair& pair : front.pairs) {
      const HullNode &x = a.tree.node(pair.a), &y = b.tree.node(pair.b);
      covered += std::size_t{x.faces} * y.faces;
      const PolytopeView p = polytope(a.tree, x), q = polytope(b.tree, y);
      if (pair.normal != Vec3::Zero() && pair.lo > 0) {
        EXPECT_GE(separation_along(p, q, relative, pair.normal), pair.lo * (1 - 1e-12) - 1e-13);
      }
      for (const std::uint32_t leaf_a : leaves_of(a.tree, pair.a))
        for (const std::uint32_t leaf_b : leaves_of(b.tree, pair.b))
          ASSERT_LE(pair.lo, triangle_distance(polytope(a.tree, a.tree.node(leaf_a)),
                                               polytope(b.tree, b.tree.node(leaf_b)), relative)
                                 .hi);
    }
    EXPECT_EQ(covered, a.faces.size() * b.faces.size());
  }
}

TEST(Distance, AFrontSavesNodeTests) {
  const Model model = made(generate::torus_knot(120, 12));
  DistanceFront front;
  std::uint64_t cold = 0, warm = 0;
  for (int step = 0; step < 10; ++step) {
    const Placement at_a{Eigen::Matrix3d::Identity(), Vec3::Zero()};
    const Placement at_b{Eigen::AngleAxisd(0.001 * step, Vec3::UnitX()).toRotationMatrix(),
                         Vec3(3.5 - 0.001 * step, 0.3, 0)};
    cold += distance(model, at_a, model, at_b).checks;
    warm += distance(model, at_a, model, at_b, {}, &front).checks;
  }
  EXPECT_LT(warm, cold);
}

TEST(Distance, EndsWhenPointsWithinEnoughAreFound) {
  const Model model = made(generate::torus_knot(60, 8));
  const Placement at{Eigen::Matrix3d::Identity(), Vec3::Zero()}, near{at.rotation, {0, 0, 0.1}};
  const BodyDistance d = distance(model, at, model, near, {.enough = 0.05});
  EXPECT_LE(d.hi, 0.05);
  EXPECT_LT(d.checks, distance(model, at, model, near).checks);
}

TEST(Distance, TheVerdictComparesTheBoundsWithEnough) {
  const generate::SurfaceModel box = generate::box({1, 1, 1});
  const Body cube = make_body(box.vertices, box.faces);
  const auto at = [](double x) {
    return placement_of({Eigen::Quaterniond::Identity(), {x, 0, 0}});
  };
  const BodyDistance apart = distance(cube, at(0), cube, at(3));
  EXPECT_EQ(apart.verdict, Verdict::separated);
  EXPECT_NEAR(apart.lo, 1, 1e-12);
  EXPECT_EQ(distance(cube, at(0), cube, at(3), {.enough = 1.1}).verdict, Verdict::contact);
  EXPECT_EQ(distance(cube, at(0), cube, at(3), {.enough = 0.9}).verdict, Verdict::separated);
  EXPECT_EQ(distance(cube, at(0), cube, at(2)).verdict, Verdict::undecided);
  for (const DistanceOptions& bad : {DistanceOptions{.tol = -0.1}, DistanceOptions{.tol = 1},
                                     DistanceOptions{.enough = Impact::nan}})
    EXPECT_EQ(distance(cube, at(0), cube, at(3), bad).verdict, Verdict::invalid);
  EXPECT_EQ(distance(cube, at(0), cube, at(Impact::inf)).verdict, Verdict::invalid);
}

TEST(Distance, AStoppedSearchHasBoundsThatHold) {
  const generate::SurfaceModel knot = generate::torus_knot(30, 5);
  const Body body = make_body(knot.vertices, knot.faces);
  const Placement here = placement_of({}), there = placement_of({{}, {9, 1, 0}});
  std::atomic<bool> stop = false;
  for (const Body& other : {body, make_sphere(1)}) {
    const BodyDistance whole = distance(body, here, other, there, {}, &stop);
    EXPECT_EQ(whole.verdict, Verdict::separated);
    stop = true;
    const BodyDistance stopped = distance(body, here, other, there, {}, &stop);
    EXPECT_EQ(stopped.verdict, Verdict::undecided);
    EXPECT_EQ(stopped.lo, 0);
    EXPECT_GE(stopped.hi, whole.lo);
    EXPECT_LT(stopped.checks, whole.checks);
    stop = false;
  }
}

TEST(Distance, ABodyAndItsModelHaveTheSameDistance) {
  const generate::SurfaceModel knot = generate::torus_knot(30, 5);
  const Body body = make_body(knot.vertices, knot.faces);
  const Placement here = placement_of({}),
                  there = placement_of(Pose::from_axis_angle({1, 2, 3}, 1, {4, 1, 0}));
  const BodyDistance face = distance(body, here, body, there),
                     inner = distance(body.model(), here, body.model(), there);
  EXPECT_EQ(face.lo, inner.lo);
  EXPECT_EQ(face.hi, inner.hi);
  EXPECT_EQ(face.point_a, inner.point_a);
}

TEST(Distance, ReportsTheClosestFeatures) {
  const Model cube = made(generate::box({1, 1, 1}));
  generate::SurfaceModel spike{{{0, 0, 0}, {0.1, 0.1, 1}, {-0.1, 0.05, 1}}, {{0, 1, 2}}};
  const Model tip = made(spike);
  const Placement at{Eigen::Matrix3d::Identity(), Vec3::Zero()},
      above{at.rotation, {0.3, 0.2, 1.5}};
  const BodyDistance d = distance(cube, at, tip, above);
  EXPECT_NEAR(d.hi, 0.5, 1e-12);
  EXPECT_NEAR(d.lo, 0.5, 1e-12);
  EXPECT_EQ(d.feature_a.size, 3u);
  EXPECT_EQ(d.feature_b.size, 1u);
  EXPECT_EQ(d.feature_b.vertices[0], 0u);
  EXPECT_TRUE(d.normal.isApprox(Vec3(0, 0, -1), 1e-9));
  EXPECT_TRUE(d.point_a.isApprox(Vec3(0.3, 0.2, 1), 1e-12));
}

}  // namespace
}  // namespace graze::rigid::distance_test
