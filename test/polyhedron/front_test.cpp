#include <gtest/gtest.h>

#include <cmath>

#include "graze/generate/random.h"
#include "graze/polyhedron/move.h"
#include "test/support/brush_shapes.h"
#include "test/support/rational_contact.h"
#include "test/support/scale.h"

namespace graze::polyhedron::front_test {
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

// The corners of two convex solids at f of the path, and the axes that decide whether they overlap.
struct Placed {
  test::Corners<Rational> p, q;  // of the mover, of the world
  std::vector<test::Point<Rational>> axes;
};

Placed place_at(const Model& world, const Model& mover, const Path& path, const Rational& f) {
  Placed placed;
  auto& [p, q, axes] = placed;
  for (const Vec3& x : mover.vertices) p.push_back(test::place(path, x, f));
  for (const Vec3& x : world.vertices) q.push_back(test::rational(x));
  const auto normals = [](const Model& model, const test::Corners<Rational>& x) {
    std::vector<test::Point<Rational>> n;
    for (const Facet& facet : model.facets)
      n.push_back(test::times(test::minus(x[facet.plane[1]], x[facet.plane[0]]),
                              test::minus(x[facet.plane[2]], x[facet.plane[0]])));
    return n;
  };
  axes = normals(mover, p);
  for (const auto& n : normals(world, q)) axes.push_back(n);
  for (const ModelEdge& a : mover.edges)
    for (const ModelEdge& b : world.edges)
      axes.push_back(test::times(test::minus(p[a.b], p[a.a]), test::minus(q[b.b], q[b.a])));
  return placed;
}

bool is_zero(const test::Point<Rational>& x) {
  return x[0] == 0 && x[1] == 0 && x[2] == 0;
}

// Returns whether the interiors of two convex solids are disjoint at f.
bool interiors_apart(const Model& world, const Model& mover, const Path& path, double f) {
  const Placed placed = place_at(world, mover, path, Rational(f));
  for (const auto& axis : placed.axes) {
    const auto sp = test::shadow(placed.p, axis), sq = test::shadow(placed.q, axis);
    if (!is_zero(axis) && (sp[1] <= sq[0] || sq[1] <= sp[0])) return true;
  }
  return false;
}

// Returns a lower bound on the distance of two convex solids at f, up to rounding.
double distance_at(const Model& world, const Model& mover, const Path& path, double f) {
  const Placed placed = place_at(world, mover, path, Rational(f));
  double most = 0;
  for (const auto& axis : placed.axes) {
    if (is_zero(axis)) continue;
    const auto sp = test::shadow(placed.p, axis), sq = test::shadow(placed.q, axis);
    const Rational apart = std::max(Rational(sq[0] - sp[1]), Rational(sp[0] - sq[1]));
    most = std::max(most, apart.convert_to<double>() /
                              std::sqrt(test::product(axis, axis).convert_to<double>()));
  }
  return most;
}

Overlap overlap_of(const Model& world, const Model& mover, const Path& path) {
  const Placed placed = place_at(world, mover, path, 0);
  const auto way = test::rational(path.way);
  Overlap overlap;
  for (const auto& axis : placed.axes) {
    if (is_zero(axis)) continue;
    const auto sp = test::shadow(placed.p, axis), sq = test::shadow(placed.q, axis);
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
}

// Promise (6) for rotations, many of them from a start that touches.
TEST(Front, TurningSolidsStopBeforeTheirInteriorsOverlapAndOnlyWhereTheyTouch) {
  Scratch scratch;
  std::size_t cases = 0, stopped = 0, entered = 0, touching_starts = 0, freed = 0;
  for (std::size_t i = 0; i < test::scaled(100); ++i) {
    SCOPED_TRACE(i);
    Random random("front turn", 0, test::seed(), i);
    const bool lattice = i % 4 != 0;
    const auto draw = [&] { return lattice ? random.lattice(2) : random.cube(-1, 1); };
    const Model world = random_solid(random, draw), mover = random_solid(random, draw);
    const auto part = [&] { return lattice ? random.integer(-2, 2) : random.uniform(-1, 1); };
    Path path;
    path.turns = true;
    path.start.translation = lattice ? Vec3(random.lattice(3)) : Vec3(1.5 * random.cube(-1, 1));
    if (random.one_in(3)) path.start.rotation = {1, double(random.integer(-1, 1)), 0, 0};
    if (lattice && random.one_in(2)) {  // on top of the world
      path.start.rotation = Eigen::Quaterniond::Identity();
      path.start.translation = random.lattice(1);
      path.start.translation[2] = world.box.hi[2] - mover.box.lo[2];
    }
    path.begin = path.start.rotation;
    path.end = Eigen::Quaterniond{double(random.integer(1, 3)), double(part()), double(part()),
                                  double(part())} *
               path.begin;
    if (random.one_in(3)) path.end = {1, 0, 0, double(random.nonzero(-2, 2))};
    path.pivot = random.one_in(2) ? Vec3(Vec3::Zero()) : draw();
    if (!world.closed || !mover.closed || !path.is_valid()) continue;
    if (!interiors_apart(world, mover, path, 0)) continue;
    ++cases;
    const Obstacle obstacle = make_obstacle(world);
    const MoveResult result = move({&obstacle, 1}, mover, path, scratch, front);
    ASSERT_NE(result.verdict, Verdict::invalid);
    const bool contact = result.verdict == Verdict::contact;
    const double until = contact ? result.toi : 1;
    const int samples = lattice ? 8 : 3;
    for (int k = 0; k < samples; ++k)
      ASSERT_TRUE(interiors_apart(world, mover, path, until * k / samples)) << k;
    ASSERT_TRUE(interiors_apart(world, mover, path, until));  // 3 * until / 3 may be rounded up
    if (contact) {
      ++stopped;
      ASSERT_LT(distance_at(world, mover, path, until), 1e-12);
      if (until < 0.99) entered += !interiors_apart(world, mover, path, until + 0.01);
    }
    const bool touches = position_test({&obstacle, 1}, mover, path.start, scratch).touches();
    touching_starts += touches;
    freed += touches && until > 0;
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(6 * stopped, cases);
  EXPECT_GT(4 * entered, stopped);
  EXPECT_GT(16 * touching_starts, cases);
  EXPECT_GT(16 * freed, touching_starts);
}

TEST(Front, ABoxOnAFloorTurnsAndTiltsButDoesNotSink) {
  const Obstacle floor = make_obstacle(model_of_box({Vec3(-9, -9, -1), Vec3(1.5, 9, 0)}));
  const Model box = model_of_box({Vec3(-1, -1, 0), Vec3(1, 1, 2)});
  Scratch scratch;
  const auto turn = [&](const Vec3& pivot, const Eigen::Quaterniond& end) {
    return move({&floor, 1}, box, rotating({}, pivot, end), scratch, front);
  };
  EXPECT_EQ(turn({0, 0, 0}, {1, 0, 0, 1}).verdict, Verdict::separated);
  EXPECT_EQ(turn({-3, 2, 5}, {1, 0, 0, -0.2}).verdict, Verdict::separated);
  // About its lower edges: up, and the other way down.
  EXPECT_EQ(turn({1, 0, 0}, {1, 0, 0.5, 0}).verdict, Verdict::separated);
  EXPECT_EQ(turn({-1, 0, 0}, {1, 0, -0.5, 0}).verdict, Verdict::separated);
  for (const Vec3& pivot : {Vec3(1, 0, 0), Vec3(0, 0, 0), Vec3(0, 0, 2), Vec3(0.5, 0, -3)}) {
    const MoveResult down = turn(pivot, {1, 0, -0x1p-40, 0});
    ASSERT_EQ(down.verdict, Verdict::contact) << pivot[2];
    EXPECT_EQ(down.toi_hi, 0);
    EXPECT_EQ(down.contact.normal, Vec3(0, 0, 1));
  }
  // Half over the rim of the floor, about the rim itself: it tips over, but not backwards.
  Pose over;
  over.translation = {1.5, 0, 0};
  const auto tip = [&](double way) {
    return move({&floor, 1}, box, rotating(over, {0, 0, 0}, {1, 0, way, 0}), scratch, front);
  };
  EXPECT_EQ(tip(0.5).verdict, Verdict::separated);
  EXPECT_EQ(tip(-0.5).toi_hi, 0);
}

TEST(Front, FromOutsideASolidARotationStopsAtTheContactOfBothSides) {
  Random shape("rugged", 0, 1, 0);
  const Model rugged = test::rugged(shape, 12, 6);
  const Obstacle world = make_obstacle(rugged);
  Scratch scratch;
  std::size_t contacts = 0, fewer = 0;
  const std::size_t cases = test::scaled(150);
  for (std::size_t i = 0; i < cases; ++i) {
    Random random("outside turn", 0, test::seed(), i);
    const auto draw = [&] { return Vec3(random.cube(-0.4, 0.4)); };
    const Model mover = i % 3 ? random_solid(random, draw) : rugged;
    // A rotation by about half a turn takes the mover to the other side, into the solid or past it.
    const Vec3 from = 4 * random.cube(-1, 1).normalized();
    const Vec3 axis = from.cross(random.cube(-1, 1));
    const std::vector<Path> path =
        turning(Pose::from_axis_angle(draw(), 1, from), Vec3(from / 2 + random.cube(-0.3, 0.3)),
                axis, random.uniform(2, 4));
    const MoveResult a = move({&world, 1}, mover, path, scratch);
    const MoveResult b = move({&world, 1}, mover, path, scratch, front);
    ASSERT_EQ(a.verdict, b.verdict) << i;
    ASSERT_EQ(a.piece, b.piece) << i;
    ASSERT_EQ(a.toi, b.toi) << i;
    ASSERT_EQ(a.toi_hi, b.toi_hi) << i;
    contacts += a.verdict == Verdict::contact;
    fewer += b.examined < a.examined;
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(4 * contacts, cases);
  EXPECT_GT(4 * fewer, cases);
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
}  // namespace graze::polyhedron::front_test
