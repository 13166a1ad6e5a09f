#include <gtest/gtest.h>

#include <array>

#include "graze/generate/random.h"
#include "graze/polyhedron/model/exact_sign.h"
#include "graze/polyhedron/move.h"
#include "test/support/scale.h"

namespace graze::polyhedron::solid_test {
namespace {

using generate::Random;

Pose at(const Vec3& translation) {
  return {Eigen::Quaterniond::Identity(), translation};
}

MoveOptions solid_options() {
  MoveOptions options;
  options.solid = true;
  return options;
}

// Returns -1 inside, 0 on the surface, 1 outside of a convex model, by exact signs.
int side_of(const Model& hull, const Vec3& x) {
  int side = -1;
  for (const Facet& facet : hull.facets)
    side = std::max(side, volume_sign(hull.vertices[facet.plane[0]], hull.vertices[facet.plane[1]],
                                      hull.vertices[facet.plane[2]], x));
  return side;
}

// Promise (7). Points of a lattice are below vertices, along edges and in planes of facets. The
// pose is turned by a quarter about an axis, whose matrix is exact; the quaternion is not of unit
// length.
TEST(Solid, APointInsideAClosedModelIsInContactAtTheStart) {
  Scratch scratch;
  const Model point = model_of_point({1, 2, 3});
  std::size_t inside = 0, outside = 0, touching = 0;
  for (std::size_t i = 0; i < test::scaled(1000); ++i) {
    Random random("solid", 0, test::seed(), i);
    std::vector<Vec3> corners;
    for (int n = random.integer(4, 10); n > 0; --n) corners.push_back(random.lattice(3));
    const Obstacle world = make_obstacle(convex_hull(corners));
    if (!world.ok() || !world.model.is_closed()) continue;
    const Vec3 x = random.lattice(3);
    Pose pose = at(x - Vec3(1, 2, 3));
    if (random.one_in(2)) pose = {Eigen::Quaterniond(3, 0, 0, 3), x - Vec3(-2, 1, 3)};
    const int side = side_of(world.model, x);
    const Path still = translating(pose, Vec3::Zero());
    const MoveResult result = move({&world, 1}, point, still, scratch, solid_options());
    ASSERT_EQ(result.verdict, side <= 0 ? Verdict::contact : Verdict::separated) << i;
    ASSERT_EQ(result.toi, side <= 0 ? 0 : Impact::inf);
    ASSERT_EQ(move({&world, 1}, point, still, scratch).verdict,
              side == 0 ? Verdict::contact : Verdict::separated);
    ASSERT_EQ(trace_point({&world, 1}, x, Vec3::Zero(), scratch, solid_options()).verdict,
              result.verdict);
    // The world inside the mover.
    const Obstacle speck = make_obstacle(model_of_point(x));
    ASSERT_EQ(
        move({&speck, 1}, world.model, translating({}, Vec3::Zero()), scratch, solid_options())
            .verdict,
        result.verdict);
    ++(side < 0 ? inside : side == 0 ? touching : outside);
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(inside, 30u);
  EXPECT_GT(touching, 30u);
  EXPECT_GT(outside, 150u);
}

// A shell: a cube with a cubic hole, and a second cube apart. A box is in the hole, in the shell or
// in the second cube; parity decides by pieces.
TEST(Solid, AHoleIsOutside) {
  std::vector<Vec3> vertices;
  std::vector<Polygon> polygons;
  const auto add = [&](const Aabb& box, bool turned) {
    const Model model = model_of_box(box);
    const auto first = static_cast<std::uint32_t>(vertices.size());
    vertices.insert(vertices.end(), model.vertices.begin(), model.vertices.end());
    for (Polygon polygon : model.polygons) {
      for (std::uint32_t& corner : polygon) corner += first;
      if (turned) std::reverse(polygon.begin(), polygon.end());
      polygons.push_back(polygon);
    }
  };
  add({{-4, -4, -4}, {4, 4, 4}}, false);
  add({{-2, -2, -2}, {2, 2, 2}}, true);
  add({{8, -1, -1}, {10, 1, 1}}, false);
  const Obstacle world = make_obstacle(make_model(vertices, polygons));
  ASSERT_TRUE(world.ok());
  ASSERT_TRUE(world.model.is_closed());
  EXPECT_EQ(world.model.pieces.size(), 3u);
  Scratch scratch;
  const Model box = model_of_box({{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}});
  const auto toi = [&](const Vec3& place, const Vec3& way) {
    return move({&world, 1}, box, translating(at(place), way), scratch, solid_options()).toi;
  };
  EXPECT_EQ(toi({0, 0, 0}, {0, 0, 0}), Impact::inf);
  EXPECT_EQ(toi({0, 0, 0}, {3, 0, 0}), 0.5);
  EXPECT_EQ(toi({3, 0, 0}, {1, 0, 0}), 0);
  EXPECT_EQ(toi({0, -3, 0.25}, {1, 0, 0}), 0);
  EXPECT_EQ(toi({9, 0, 0}, {0, 0, 0}), 0);
  EXPECT_EQ(toi({6, 0, 0}, {3, 0, 0}), 0.5);
  // A mover that contains the second cube, but not the shell.
  const Model around = model_of_box({{-1.5, -1.5, -1.5}, {1.5, 1.5, 1.5}});
  const MoveResult result = move({&world, 1}, around, translating(at({9, 0, 0}), Vec3(0, 0, 0)),
                                 scratch, solid_options());
  EXPECT_EQ(result.verdict, Verdict::contact);
  EXPECT_EQ(result.contact.meeting, Meeting::start);
  EXPECT_EQ(result.contact.world_feature, 12u);  // a facet of the second cube
  // Turning, and in pieces.
  const std::vector<Path> turn = turning(at({3, 0, 0}), {3, 0, 0}, {0, 0, 1}, 0.1);
  EXPECT_EQ(move({&world, 1}, box, turn, scratch, solid_options()).toi, 0);
  EXPECT_EQ(move({&world, 1}, box, turn, scratch).verdict, Verdict::separated);
  MoveOptions both = solid_options();
  both.sides = Sides::front;
  EXPECT_EQ(move({&world, 1}, box, turn[0], scratch, both).verdict, Verdict::invalid);
  EXPECT_EQ(trace_point({&world, 1}, {0, 0, 0}, {1, 0, 0}, scratch, both).verdict,
            Verdict::invalid);
}

// The fast path for a single point keeps the sides and the end of the way.
TEST(Solid, APointTraceWithSidesIsTheMoveOfAPointModel) {
  Scratch scratch;
  const Model point = model_of_point(Vec3::Zero());
  std::size_t contacts = 0, passed = 0;
  for (std::size_t i = 0; i < test::scaled(2000); ++i) {
    Random random("trace sides", 0, test::seed(), i);
    const bool lattice = random.one_in(2);
    const auto draw = [&] { return lattice ? random.lattice(3) : random.cube(-1, 1); };
    std::vector<Vec3> corners;
    for (int n = random.integer(3, 8); n > 0; --n) corners.push_back(draw());
    const Obstacle world = make_obstacle(convex_hull(corners));
    if (!world.ok()) continue;
    const Vec3 from = 2 * draw(), way = draw() - 1.5 * from;
    MoveOptions options;
    options.sides = random.one_in(4) ? Sides::both : Sides::front;
    if (random.one_in(2)) options.t_max = random.uniform(0.1, 1);
    const MoveResult a = trace_point({&world, 1}, from, way, scratch, options);
    const MoveResult b = move({&world, 1}, point, translating(at(from), way), scratch, options);
    ASSERT_EQ(a.verdict, b.verdict) << i;
    ASSERT_EQ(a.toi, b.toi) << i;
    ASSERT_EQ(a.toi_hi, b.toi_hi) << i;
    contacts += a.verdict == Verdict::contact;
    passed += a.verdict == Verdict::separated &&
              trace_point({&world, 1}, from, way, scratch).verdict == Verdict::contact;
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(contacts, 200u);
  EXPECT_GT(passed, 60u);
}

TEST(Solid, RadiusMarginAndInsideOfMovingBodies) {
  const Model cube = model_of_box({{-1, -1, -1}, {1, 1, 1}});
  const MotionModel plain = make_motion_model(cube), solid = make_motion_model(cube, {0, true}),
                    round = make_motion_model(cube, {0.5, false}),
                    ball = make_motion_model(model_of_point(Vec3::Zero()), {0.25, false});
  const auto world = [](const MotionModel& model) {
    return std::array{MovingBody{&model, rigid::resting({})}};
  };
  const rigid::Motion along = rigid::translation(at({-10, 0.3, 0.2}), {10, 0, 0});
  EXPECT_NEAR(move(world(plain), ball, along).toi, 0.875, 1e-12);
  EXPECT_NEAR(move(world(round), ball, along).toi, 0.825, 1e-12);
  MotionOptions margin;
  margin.margin = 1;
  const MotionResult kept = move(world(round), ball, along, margin);
  EXPECT_NEAR(kept.toi, 0.725, 1e-12);
  EXPECT_NEAR(kept.contact.normal[0], -1, 1e-9);
  EXPECT_NEAR(kept.contact.mover_point[0], -2.5, 1e-9);
  EXPECT_NEAR(kept.contact.world_point[0], -1.5, 1e-9);
  // Two balls, of which the models are single points.
  EXPECT_NEAR(move(world(ball), ball, rigid::translation(at({-1, 0, 0}), {1, 0, 0})).toi, 0.5,
              1e-12);
  // From inside to outside.
  const rigid::Motion out = rigid::translation(at({0, 0, 0}), {10, 0, 0});
  EXPECT_EQ(move(world(solid), ball, out).toi, 0);
  EXPECT_EQ(move(world(solid), ball, out).verdict, Verdict::contact);
  EXPECT_NEAR(move(world(plain), ball, out).toi, 0.075, 1e-12);
  // Fronts only: the ball leaves the cube through the backs of its faces.
  MotionOptions front;
  front.sides = Sides::front;
  EXPECT_EQ(move(world(plain), ball, out, front).verdict, Verdict::separated);
  EXPECT_NEAR(move(world(plain), ball, along, front).toi, 0.875, 1e-12);
  rigid::Motion turning = along;
  turning.rotation = {1, 0, 0};
  EXPECT_EQ(move(world(plain), ball, turning, front).verdict, Verdict::invalid);
  // Options that do not fit.
  const Model open = make_model(cube.vertices, std::vector<Polygon>{cube.polygons[0]});
  EXPECT_FALSE(make_motion_model(open, {0, true}).ok());
  EXPECT_FALSE(make_motion_model(cube, {-1, false}).ok());
  margin.margin = -1;
  EXPECT_EQ(move(world(plain), ball, along, margin).verdict, Verdict::invalid);
}

}  // namespace
}  // namespace graze::polyhedron::solid_test
