#include "graze/polyhedron/zone.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "graze/generate/level.h"
#include "graze/generate/random.h"
#include "graze/io/mesh_files.h"
#include "test/support/brush_shapes.h"
#include "test/support/data.h"
#include "test/support/scale.h"
#include "test/support/zone_walk.h"

namespace graze::polyhedron::zone_test {
namespace {

using generate::Random;
using test::at;

bool same(const Pose& a, const Pose& b) {
  return a.translation == b.translation && a.rotation.coeffs() == b.rotation.coeffs();
}

// Promises (1) and (3), in heaps of solids, convex and not.
TEST(ExpelZone, StoredPosesShareNoPointAndStopsAreWithinTheThickness) {
  test::ZoneTally tally;
  for (std::size_t i = 0; i < test::scaled(60); ++i) {
    Random random("expel", 0, test::seed(), i);
    std::vector<Obstacle> world;
    for (int k = 0; k < 5; ++k) {
      const Model solid =
          random.one_in(3) ? test::rugged(random, 6, 4) : test::random_solid(random, 1);
      world.push_back(make_obstacle(placed(solid, at(random.cube(-2, 2)))));
    }
    const Model mover =
        random.one_in(4) ? test::rugged(random, 5, 3) : test::random_solid(random, 0.5);
    const ExpelOptions options{random.one_in(4) ? 1e-3 : 0};
    test::zone_walk(world, mover, at({0, 0, 6}), 1, 40, i, options, tally);
  }
  EXPECT_EQ(tally.failures, 0u) << tally.failure;
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(4 * tally.stops, tally.moves);
  EXPECT_GT(12 * tally.turning_stops, tally.moves);
  EXPECT_GT(15 * tally.still, tally.moves);
}

// The same promises in scanned models with a closed surface, and in a level.
TEST(ExpelZone, StoredPosesShareNoPointInScannedModelsAndALevel) {
  GRAZE_SKIP_WITHOUT_DATA();
  for (const char* file : {"stanford-bunny.obj", "spot.obj", ""}) {
    std::vector<Obstacle> world;
    double size = 8;
    if (*file) {
      const io::MeshFrame frame = io::read_mesh(test::data_folder() / "models" / file);
      std::vector<Vec3> vertices = frame.positions;
      Aabb box{vertices[0], vertices[0]};
      for (const Vec3& x : vertices) box.include({x, x});
      for (Vec3& x : vertices) x -= (box.lo + box.hi) / 2;
      size = (box.hi - box.lo).maxCoeff() / 2;
      ModelOptions soup;
      soup.accept_soup = true;
      world.push_back(make_obstacle(model_of_mesh(frame.mesh, vertices, soup)));
    } else {
      for (const auto& corners : generate::level_solids(1))
        world.push_back(make_obstacle(convex_hull(corners)));
    }
    for (const Obstacle& obstacle : world) ASSERT_TRUE(obstacle.model.ok()) << file;
    test::ZoneTally tally;
    const std::size_t walks = test::scaled(5);
    for (std::size_t i = 0; i < walks; ++i) {
      Random random("scans", 0, test::seed(), i);
      const double part = size * (*file ? random.uniform(0.02, 0.2) : 0.06);
      const Model mover = random.one_in(4) ? test::scaled_by(test::rugged(random, 5, 3), part)
                                           : test::random_solid(random, part);
      test::zone_walk(world, mover, at(*file ? Vec3(0, 0, 4 * size) : Vec3(0, 0, 1.2)), size, 60, i,
                      {}, tally);
    }
    EXPECT_EQ(tally.failures, 0u) << file << tally.failure;
    if (test::scale() < 1) continue;  // few queries need not meet every case
    EXPECT_GT(5 * tally.stops, tally.moves) << file;
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
}

// Promise (2), in the zone of a floor, away from its border.
TEST(ExpelZone, ABodyInTheZoneCanOnlyLeaveIt) {
  const Obstacle floor = make_obstacle(model_of_box({Vec3(-9, -9, -1), Vec3(9, 9, 0)}));
  Scratch scratch;
  for (std::size_t i = 0; i < test::scaled(300); ++i) {
    Random random("in the zone", 0, test::seed(), i);
    Model mover = test::random_solid(random, 1);
    const ExpelOptions options{random.one_in(2) ? 0.01 : 0};
    const double size = std::pow(10, random.uniform(-12, 0.5));
    const Vec3 way = size * random.cube(-1, 1);
    const double thickness =
        std::max(options.thickness, expel_thickness({&floor, 1}, mover, translating({}, way)));
    const double height = random.uniform(0.02, 0.24) * thickness;
    const Pose pose = at({0, 0, height - mover.box.lo[2]});
    // A path that descends so little that it passes the border above the floor is free.
    if (way[2] < 0 && height * way.head<2>().norm() > -7 * way[2]) continue;
    const ExpelResult straight =
        expel_move({&floor, 1}, mover, translating(pose, way), scratch, options);
    ASSERT_EQ(straight.verdict, way[2] < 0 ? Verdict::contact : Verdict::separated) << i;
    if (way[2] < 0) {
      ASSERT_EQ(straight.fraction, 0) << i;
      ASSERT_TRUE(same(straight.end, pose)) << i;
      ASSERT_LT((straight.contact.normal - Vec3(0, 0, 1)).norm(), 1e-12) << i;
    }
    // In a rotation, no corner goes deeper.
    const Eigen::Quaterniond turn = Pose::from_axis_angle(random.cube(-1, 1), 0.3 * size).rotation;
    const Path turning_path = rotating(pose, random.cube(-1, 1), turn);
    const ExpelResult turned = expel_move({&floor, 1}, mover, turning_path, scratch, options);
    double lowest = HUGE_VAL, start = HUGE_VAL;
    for (const Vec3& x : mover.vertices) {
      lowest = std::min(lowest, (turned.end * x)[2]);
      start = std::min(start, (pose * x)[2]);
    }
    ASSERT_GE(lowest, std::min(start, turned.thickness / 4) - 1e-13) << i;
  }
}

// Figures 2 to 4 of the paper, with a point that turns about a horizontal axis over a floor.
TEST(ExpelZone, ATurningPointStopsAtOnceAtTheTopOrWhereItReturns) {
  const Obstacle floor = make_obstacle(model_of_box({Vec3(-9, -9, -1), Vec3(9, 9, 0)}));
  const Model point = model_of_point(Vec3::Zero());
  Scratch scratch;
  const ExpelOptions options{0.4};  // so the zone is 0.1 high
  const auto turn = [&](const Vec3& from, const Vec3& centre, double angle) {
    return expel_move({&floor, 1}, point, turning(at(from), centre, {0, 1, 0}, angle), scratch,
                      options);
  };
  // The angle runs from z to x. The point moves down from the start.
  const ExpelResult down = turn({0.3, 0, 0.05}, {0, 0, 0.05}, 1);
  EXPECT_EQ(down.verdict, Verdict::contact);
  EXPECT_EQ(down.fraction, 0);
  // The point rises from 0.05 to 0.08, still in the zone, and then descends: it stops at the top.
  // The centre at the height c has 0.3^2 + (0.05 - c)^2 = (0.08 - c)^2.
  const double c = -(0.3 * 0.3 + 0.05 * 0.05 - 0.08 * 0.08) / (2 * (0.08 - 0.05));
  const ExpelResult top = turn({-0.3, 0, 0.05}, {0, 0, c}, 0.6);
  EXPECT_EQ(top.verdict, Verdict::contact);
  EXPECT_NEAR(top.end.translation[0], 0, 1e-7);
  EXPECT_NEAR(top.end.translation[2], 0.08, 1e-12);
  // The point leaves the zone and enters it on the other side.
  const ExpelResult back = turn({-0.3, 0, 0.05}, {0, 0, 0.02}, 3);
  EXPECT_EQ(back.verdict, Verdict::contact);
  EXPECT_NEAR(back.end.translation[2], 0.1, 1e-12);
  EXPECT_GT(back.end.translation[0], 0.2);
  // The point moves away all the time.
  EXPECT_EQ(turn({-0.3, 0, 0.05}, {0, 0, 0.05}, 1.5).verdict, Verdict::separated);
}

// Promise (4) at borders: equal bricks exactly on top of each other.
TEST(ExpelZone, BricksThatTouchAlongTheirBordersSlideTurnAndPart) {
  const Model brick = model_of_box({Vec3(-2, -1, 0), Vec3(2, 1, 1)});
  const Obstacle lower = make_obstacle(brick);
  Scratch scratch;
  for (const Vec3& way : {Vec3(1, 0, 0), Vec3(-1, 0, 0), Vec3(0, 1, 0), Vec3(0, -1, 0),
                          Vec3(1, 2, 0), Vec3(-3, 2, 0.5), Vec3(0, 0, 1), Vec3(9, 0, 0)}) {
    const ExpelResult result =
        expel_move({&lower, 1}, brick, translating(at({0, 0, 1}), way), scratch);
    EXPECT_EQ(result.verdict, Verdict::separated) << way.transpose();
    EXPECT_TRUE(result.expelled);
    EXPECT_LT((result.end.translation - way - Vec3(0, 0, 1)).norm(), result.thickness);
    // The motion can be continued from there.
    const ExpelResult again =
        expel_move({&lower, 1}, brick, translating(result.end, -way), scratch);
    EXPECT_EQ(again.verdict, way[2] > 0 ? Verdict::contact : Verdict::separated);
    EXPECT_FALSE(again.expelled);
    const ExpelResult sunk =
        expel_move({&lower, 1}, brick, translating(again.end, {0.1, 0, -0.5}), scratch);
    EXPECT_EQ(sunk.verdict, Verdict::contact);
    EXPECT_GT(sunk.end.translation[2], 1);
    EXPECT_LT(sunk.end.translation[2], 1 + sunk.thickness);
  }
  for (const double angle : {0.7, -0.7, 3.})
    EXPECT_EQ(
        expel_move({&lower, 1}, brick, turning(at({0, 0, 1}), {0, 0, 1}, {0, 0, 1}, angle), scratch)
            .verdict,
        Verdict::separated);
  // Tipped over the edge: free one way, stopped the other way, where the far end descends.
  const Vec3 rim(2, 0, 1), axis(0, 1, 0);
  EXPECT_EQ(expel_move({&lower, 1}, brick, turning(at({0, 0, 1}), rim, axis, 1), scratch).verdict,
            Verdict::separated);
  const ExpelResult held =
      expel_move({&lower, 1}, brick, turning(at({0, 0, 1}), rim, axis, -1), scratch);
  EXPECT_EQ(held.verdict, Verdict::contact);
  EXPECT_LT(held.fraction, held.thickness);
}

TEST(ExpelZone, AWedgedBodyDoesNotMove) {
  std::vector<Obstacle> walls;
  walls.push_back(make_obstacle(model_of_box({Vec3(-2, -1, -1), Vec3(-1, 1, 1)})));
  walls.push_back(make_obstacle(model_of_box({Vec3(1, -1, -1), Vec3(2, 1, 1)})));
  const Model box = model_of_box({Vec3(-1, -1, -1), Vec3(1, 1, 1)});
  Scratch scratch;
  const ExpelResult result = expel_move(walls, box, translating({}, {0, 1, 0}), scratch);
  EXPECT_EQ(result.verdict, Verdict::contact);
  EXPECT_EQ(result.fraction, 0);
  EXPECT_EQ(result.end.translation, Vec3(0, 0, 0));
  // Shrunk by half the thickness on every side, the body passes.
  const double thickness = expel_thickness(walls, box, translating({}, {0, 1, 0}));
  for (Obstacle& wall : walls) wall = make_obstacle(shrunk(wall.model, thickness / 2));
  EXPECT_EQ(
      expel_move(walls, shrunk(box, thickness / 2), translating({}, {0, 1, 0}), scratch).verdict,
      Verdict::separated);
}

TEST(ExpelZone, ShrinkingMovesFacetsInward) {
  const Model box = shrunk(model_of_box({Vec3(-2, -1, 0), Vec3(2, 1, 1)}), 0.25);
  ASSERT_TRUE(box.ok());
  EXPECT_LT((box.box.lo - Vec3(-1.75, -0.75, 0.25)).norm(), 1e-14);
  EXPECT_LT((box.box.hi - Vec3(1.75, 0.75, 0.75)).norm(), 1e-14);
  Random random("shrink", 0, 1, 0);
  for (int i = 0; i < 20; ++i) {
    const Model solid = test::random_solid(random, 1), small = shrunk(solid, 1e-6);
    ASSERT_TRUE(small.ok()) << describe(small);
    EXPECT_LT((solid.box.lo - small.box.lo).cwiseAbs().maxCoeff(), 4e-6);
    // The surfaces share no point, by rational arithmetic. The other way round they do: a model
    // touches itself.
    EXPECT_FALSE(test::surfaces_meet(make_obstacle(solid), small, {})) << i;
    EXPECT_TRUE(test::surfaces_meet(make_obstacle(solid), solid, {})) << i;
  }
  const Model point = model_of_point({1, 2, 3});
  EXPECT_EQ(shrunk(point, 1).vertices[0], point.vertices[0]);
}

TEST(ExpelZone, ShrinkingAcceptsMergedModels) {
  std::vector<Vec3> points = {Vec3(0.5, 0.5, 0)};  // in a facet of the hull
  for (int i = 0; i < 8; ++i) points.push_back(Vec3(i & 1, i >> 1 & 1, i >> 2));
  const Model small = shrunk(convex_hull(points), 0.01);
  ASSERT_TRUE(small.ok());
  EXPECT_LT((small.box.lo - Vec3::Constant(0.01)).norm(), 1e-14);
  EXPECT_LT((small.box.hi - Vec3::Constant(0.99)).norm(), 1e-14);
  // A cube whose bottom is a fan around (0.5, 0.5, 0), which merging leaves without a polygon.
  std::vector<Polygon> polygons = {{1, 3, 0},    {3, 4, 0},    {4, 2, 0},
                                   {2, 1, 0},    {5, 6, 8, 7}, {1, 2, 6, 5},
                                   {3, 7, 8, 4}, {1, 5, 7, 3}, {2, 4, 8, 6}};
  ModelOptions options;
  options.merge_coplanar = true;
  const Model merged = make_model(points, polygons, options);
  ASSERT_TRUE(merged.ok()) << describe(merged);
  EXPECT_EQ(merged.vertices.size(), 8u);
  EXPECT_TRUE(shrunk(merged, 0.01).ok());
}

// Two cubes that share an edge, as one model: each shrinks as it does alone.
TEST(ExpelZone, ShrinkingPartsSolidsThatShareAnEdge) {
  const Model cubes[] = {model_of_box({Vec3(0, 0, 0), Vec3(1, 1, 1)}),
                         model_of_box({Vec3(1, 1, 0), Vec3(2, 2, 1)})};
  std::vector<Vec3> vertices;
  std::vector<Polygon> polygons;
  for (const Model& cube : cubes) {
    for (Polygon corners : cube.polygons) {
      for (std::uint32_t& corner : corners) corner += static_cast<std::uint32_t>(vertices.size());
      polygons.push_back(std::move(corners));
    }
    vertices.insert(vertices.end(), cube.vertices.begin(), cube.vertices.end());
  }
  ModelOptions options;
  options.accept_soup = true;
  const Model small = shrunk(make_model(vertices, polygons, options), 0.125);
  ASSERT_TRUE(small.ok()) << describe(small);
  EXPECT_EQ(small.pieces.size(), 2u);
  std::vector<Vec3> expected;
  for (const Model& cube : cubes)
    for (const Vec3& vertex : shrunk(cube, 0.125).vertices) expected.push_back(vertex);
  ASSERT_EQ(small.vertices.size(), expected.size());
  for (const Vec3& vertex : small.vertices)
    EXPECT_TRUE(std::any_of(expected.begin(), expected.end(),
                            [&](const Vec3& other) { return (vertex - other).norm() < 1e-14; }));
}

// A path that grazes a far table at an angle of 1e-9 ends at the table, not before it.
TEST(ExpelZone, AGrazingPathEndsAtTheTableAndNotBeforeIt) {
  const Obstacle table = make_obstacle(model_of_box({Vec3(50, -9, -1), Vec3(90, 9, 0)}));
  const Model box = model_of_box({Vec3(-1, -1, 0), Vec3(1, 1, 2)});
  Scratch scratch;
  for (const double height : {1e-12, 1e-9, 1e-7}) {
    const ExpelResult result = expel_move(
        {&table, 1}, box, translating(at({0, 0, height}), {60, 0, -1.001 * height}), scratch);
    EXPECT_EQ(result.verdict, Verdict::contact);
    EXPECT_GT(result.end.translation[0], 49 - result.thickness);
    // If the path is above the zone at the rim of the table, it continues over the table.
    if (height > result.thickness) {
      EXPECT_GT(result.end.translation[0], 55);
    }
    EXPECT_LE(test::distance_within({&table, 1}, box, result.end, 1), result.thickness);
    const ExpelResult beside =
        expel_move({&table, 1}, box, translating(at({0, 0, -height}), {60, 0, 0}), scratch);
    EXPECT_NEAR(beside.end.translation[0], 49, beside.thickness);
  }
}

// A floor of 100 m in one polygon and a small box at its far corner: the zone is invisibly thin,
// the box lands, slides across the whole floor and is lifted again, and points do not fall through.
TEST(ExpelZone, AFloorOfAHundredMetresBehavesLikeASmallOne) {
  const std::vector<Vec3> corners = {{-50, -50, 0}, {50, -50, 0}, {50, 50, 0}, {-50, 50, 0}};
  const std::vector<Obstacle> floor = {make_obstacle(make_model(corners, {{{0, 1, 2, 3}}}))};
  const Model box = model_of_box({{-0.1, -0.1, -0.1}, {0.1, 0.1, 0.1}});
  Scratch scratch;
  Path path;
  path.start = at({-49, -49, 1});
  path.way = {0, 0, -2};
  const ExpelResult landed = expel_move(floor, box, path, scratch);
  EXPECT_EQ(landed.verdict, Verdict::contact);
  EXPECT_LT(landed.thickness, 1e-8);
  EXPECT_NEAR(landed.end.translation[2], 0.1, landed.thickness);
  path.start = landed.end;
  path.way = {98, 98, 0};
  const ExpelResult slid = expel_move(floor, box, path, scratch);
  EXPECT_EQ(slid.verdict, Verdict::separated);
  path.start = slid.end;
  path.way = {0, 0, 1};
  EXPECT_EQ(expel_move(floor, box, path, scratch).verdict, Verdict::separated);
  for (int i = 0; i < 1000; ++i) {
    Random random("huge floor", 0, 1, static_cast<std::uint64_t>(i));
    const Vec3 from = 50 * random.cube(-1, 1), to = 50 * random.cube(-1, 1);
    if (!(from[2] * to[2] < 0)) continue;
    EXPECT_EQ(trace_point(floor, from, Vec3(to - from), scratch).verdict, Verdict::contact) << i;
  }
}

TEST(ExpelZone, ExtremeAndBadInputIsSafe) {
  Scratch scratch;
  const Obstacle unit = make_obstacle(model_of_box({Vec3(-1, -1, -1), Vec3(1, 1, 1)}));
  for (const double size : {1e-300, 1e-150, 1e-20, 1e20, 1e150}) {
    const Obstacle box = make_obstacle(model_of_box({Vec3::Constant(-size), Vec3::Constant(size)}));
    const ExpelResult result = expel_move(
        {&box, 1}, box.model, translating(at({0, 0, 3 * size}), {0, 0, -9 * size}), scratch);
    ASSERT_EQ(result.verdict, Verdict::contact) << size;
    EXPECT_FALSE(position_test({&box, 1}, box.model, result.end, scratch).touches()) << size;
    if (size > 1e-200) {
      EXPECT_NEAR(result.end.translation[2] / size, 2, 1e-9) << size;
    }
  }
  EXPECT_EQ(
      expel_move({&unit, 1}, unit.model, translating(at({3, 0, NAN}), {1, 0, 0}), scratch).verdict,
      Verdict::invalid);
  EXPECT_EQ(
      expel_move({&unit, 1}, unit.model, translating(at({3, 0, 0}), {1, 0, 0}), scratch, {NAN})
          .verdict,
      Verdict::invalid);
  const ExpelResult rest =
      expel_move({&unit, 1}, unit.model, translating(at({3, 0, 0}), {0, 0, 0}), scratch);
  EXPECT_EQ(rest.verdict, Verdict::separated);
  EXPECT_EQ(rest.end.translation, Vec3(3, 0, 0));
}

}  // namespace
}  // namespace graze::polyhedron::zone_test
