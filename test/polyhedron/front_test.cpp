#include <gtest/gtest.h>

#include <cmath>

#include "graze/generate/random.h"
#include "graze/polyhedron/move.h"
#include "test/support/brush_shapes.h"
#include "test/support/rational_contact.h"
#include "test/support/scale.h"

namespace graze::polyhedron {
namespace {

using generate::Random;
using test::Rational;

constexpr MoveOptions front{Sides::front};

// The times at which the interiors of two convex solids overlap and at which the solids touch, by
// separating axes.
struct Overlap {
  Rational open_from = -1000, open_to = 1000, closed_from = -1000, closed_to = 1000;

  bool insides() const { return open_from < open_to; }
};

Overlap overlap_of(const Model& world, const Model& mover, const Path& path) {
  test::Corners<Rational> p, q;
  for (const Vec3& x : mover.vertices) p.push_back(test::place(path, x, 0));
  for (const Vec3& x : world.vertices) q.push_back(test::rational(x));
  const auto normals = [](const Model& model, const test::Corners<Rational>& x) {
    std::vector<test::Point<Rational>> n;
    for (const Facet& f : model.facets)
      n.push_back(test::times(test::minus(x[f.plane[1]], x[f.plane[0]]),
                              test::minus(x[f.plane[2]], x[f.plane[0]])));
    return n;
  };
  auto axes = normals(mover, p);
  for (const auto& n : normals(world, q)) axes.push_back(n);
  for (const ModelEdge& a : mover.edges)
    for (const ModelEdge& b : world.edges)
      axes.push_back(test::times(test::minus(p[a.b], p[a.a]), test::minus(q[b.b], q[b.a])));
  const auto way = test::rational(path.way);
  Overlap overlap;
  for (const auto& axis : axes) {
    if (axis == test::Point<Rational>{}) continue;
    const auto sp = test::shadow(p, axis), sq = test::shadow(q, axis);
    const Rational v = test::product(way, axis);
    if (v == 0) {
      if (sp[1] <= sq[0] || sq[1] <= sp[0]) overlap.open_from = 2000;
      if (sp[1] < sq[0] || sq[1] < sp[0]) overlap.closed_from = 2000;
      continue;
    }
    Rational enter = (sq[0] - sp[1]) / v, leave = (sq[1] - sp[0]) / v;
    if (v < 0) std::swap(enter, leave);
    overlap.open_from = std::max(overlap.open_from, enter);
    overlap.closed_from = std::max(overlap.closed_from, enter);
    overlap.open_to = std::min(overlap.open_to, leave);
    overlap.closed_to = std::min(overlap.closed_to, leave);
  }
  return overlap;
}

template <class Draw>
Model random_solid(Random& random, const Draw& draw) {
  for (;;) {
    std::vector<Vec3> points;
    for (int i = random.integer(4, 7); i > 0; --i) points.push_back(draw());
    const Vec3 a = draw(), b = draw();
    const Model model =
        random.one_in(3) ? model_of_box({a.cwiseMin(b), a.cwiseMax(b)}) : convex_hull(points);
    if (model.ok()) return model;
  }
}

// Promise (6): interiors stay apart, a stopped body touches, and generic motions stop exactly where
// the interiors begin to overlap.
TEST(Front, ConvexSolidsStopBeforeTheirInteriorsOverlapAndOnlyWhereTheyTouch) {
  Scratch scratch;
  std::size_t entering = 0, touching_starts = 0;
  const std::size_t cases = test::scaled(120);
  for (std::size_t i = 0; i < cases; ++i) {
    Random random("front", 0, 1, i);
    const bool lattice = i % 4 != 0;
    const auto draw = [&] { return lattice ? random.lattice(2) : random.cube(-1, 1); };
    const Model world = random_solid(random, draw), mover = random_solid(random, draw);
    const Vec3 from = lattice ? random.lattice(4) : random.cube(-3, 3);
    const Vec3 way = lattice ? (random.one_in(2) ? random.lattice(3) : Vec3(-2 * from))
                             : Vec3(-2 * from + random.cube(-0.5, 0.5));
    Path path = translating(Pose::from_quaternion(1, 0, 0, 0, from), way);
    if (random.one_in(3)) path.start.rotation = {1, double(random.integer(-1, 1)), 0, 0};
    const Overlap truth = overlap_of(world, mover, path);
    if (way == Vec3::Zero()) continue;
    if (truth.insides() && truth.open_from < 0 && truth.open_to > 0) continue;  // starts inside
    const Obstacle obstacle = make_obstacle(world);
    const MoveResult result = move({&obstacle, 1}, mover, path, scratch, front);
    const bool enters = truth.insides() && truth.open_from >= 0 && truth.open_from < 1;
    if (enters) {
      ++entering;
      ASSERT_EQ(result.verdict, Verdict::contact) << i;
      ASSERT_LE(Rational(result.toi), truth.open_from) << i;
      if (!lattice) {
        ASSERT_GE(Rational(result.toi_hi), truth.open_from) << i;
      }
    }
    if (result.verdict == Verdict::contact) {
      ASSERT_LE(truth.closed_from, Rational(result.toi_hi)) << i;
      ASSERT_GE(truth.closed_to, Rational(result.toi)) << i;
    }
    touching_starts += truth.closed_from <= 0 && truth.closed_to >= 0;
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(10 * entering, cases);
  EXPECT_GT(60 * touching_starts, cases);
}

// Hulls that stand on a table on a corner, an edge or a side.
TEST(Front, ABodyOnATableMovesFreelyUnlessDown) {
  const Obstacle table = make_obstacle(model_of_box({Vec3(-50, -50, -1), Vec3(50, 50, 0)}));
  Scratch scratch;
  for (std::size_t i = 0; i < test::scaled(300); ++i) {
    Random random("table", 0, 1, i);
    std::vector<Vec3> points;
    for (int n = random.integer(4, 9); n > 0; --n)
      points.push_back(Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.integer(0, 2)));
    const Model mover = convex_hull(points);
    if (!mover.ok()) continue;
    const double low = mover.box.lo[2];
    const Vec3 way(random.uniform(-9, 9), random.uniform(-9, 9),
                   random.one_in(2) ? 0 : random.uniform(-1, 1));
    const MoveResult result =
        move({&table, 1}, mover,
             translating(Pose::from_quaternion(1, 0, 0, 0, Vec3(0, 0, -low)), way), scratch, front);
    ASSERT_EQ(result.verdict, way[2] < 0 ? Verdict::contact : Verdict::separated) << i;
    if (way[2] < 0) {
      ASSERT_EQ(result.toi_hi, 0) << i;
    }
  }
}

TEST(Front, ABoxOnAFloorSlidesAndRisesButDoesNotSink) {
  const Obstacle floor = make_obstacle(model_of_box({Vec3(-9, -9, -1), Vec3(9, 9, 0)}));
  const Model box = model_of_box({Vec3(-1, -1, 0), Vec3(1, 1, 2)});
  Scratch scratch;
  const auto go = [&](const Vec3& way) {
    return move({&floor, 1}, box, translating({}, way), scratch, front);
  };
  EXPECT_EQ(go({3, 1, 0}).verdict, Verdict::separated);
  EXPECT_EQ(go({3, 1, 2}).verdict, Verdict::separated);
  EXPECT_EQ(go({0, 0, 1}).verdict, Verdict::separated);
  const MoveResult down = go({1, 0, -0x1p-60});
  EXPECT_EQ(down.verdict, Verdict::contact);
  EXPECT_EQ(down.toi_hi, 0);
  EXPECT_EQ(down.contact.normal, Vec3(0, 0, 1));
  EXPECT_EQ(
      move({&floor, 1}, box, rotating({}, Vec3::Zero(), {1, 1, 0, 0}), scratch, front).verdict,
      Verdict::invalid);
}

// A rugged closed surface, a third of whose edges are grooves, from outside: excluding features
// that cannot be met from the front changes nothing.
TEST(Front, FromOutsideASolidTheFirstContactIsThatOfBothSides) {
  Random shape("rugged", 0, 1, 0);
  const Model rugged = test::rugged(shape, 12, 6);
  ASSERT_TRUE(rugged.ok()) << describe(rugged);
  ASSERT_TRUE(rugged.is_closed());
  const auto grooves = std::count_if(rugged.edges.begin(), rugged.edges.end(),
                                     [](const auto& e) { return e.kind == EdgeKind::internal; });
  EXPECT_GT(5 * grooves, static_cast<std::ptrdiff_t>(rugged.edges.size()));
  const Obstacle world = make_obstacle(rugged);
  Scratch scratch;
  std::size_t contacts = 0, fewer = 0;
  for (std::size_t i = 0; i < test::scaled(400); ++i) {
    Random random("outside", 0, 1, i);
    const auto draw = [&] { return Vec3(random.cube(-0.4, 0.4)); };
    const Model mover = i % 3 ? random_solid(random, draw) : rugged;
    const Vec3 from = 4 * random.cube(-1, 1).normalized();
    const Path path =
        translating(Pose::from_axis_angle(draw(), 1, from), Vec3(-2 * from + random.cube(-1, 1)));
    const MoveResult a = move({&world, 1}, mover, path, scratch);
    const MoveResult b = move({&world, 1}, mover, path, scratch, front);
    ASSERT_EQ(a.verdict, b.verdict) << i;
    ASSERT_EQ(a.toi, b.toi) << i;
    ASSERT_EQ(a.toi_hi, b.toi_hi) << i;
    contacts += a.verdict == Verdict::contact;
    fewer += b.examined < a.examined;
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(2 * contacts, test::scaled(400));
  EXPECT_GT(2 * fewer, test::scaled(400));
}

}  // namespace
}  // namespace graze::polyhedron
