#include "graze/rigid/rivals/advance_pieces.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "graze/generate/models.h"
#include "graze/generate/random.h"
#include "graze/rigid/distance/model_distance.h"
#include "graze/rigid/model/convex_hull.h"
#include "test/support/rigid_check.h"
#include "test/support/scale.h"

namespace graze::rigid::advance_pieces_test {
namespace {

using generate::Random;

// Returns a convex body whose vertices all lie on an ellipsoid.
generate::SurfaceModel pebble(std::size_t vertices, const Vec3& axes) {
  generate::SurfaceModel model;
  Random random("pebble", 0, 1, vertices);
  for (std::size_t i = 0; i < vertices; ++i)
    model.vertices.push_back(random.cube(-1, 1).normalized().cwiseProduct(axes));
  model.faces = convex_hull(model.vertices);
  return model;
}

const std::vector<ConvexPiece>& pieces_of(const Model& model) {
  return model.pieces->of(model.vertices, model.faces);
}

TEST(ConvexPieces, DivideTheFacesAndBoundTheirPoints) {
  for (const auto& surface : {generate::find_model_recipe("knot_2880")->make(),
                              generate::soup(40, 0.3, 4), pebble(200, {1, 1, 1})}) {
    const Model model = make_model(surface.vertices, surface.faces);
    std::multiset<std::uint32_t> faces;
    for (const ConvexPiece& piece : pieces_of(model)) {
      faces.insert(piece.faces.begin(), piece.faces.end());
      for (const std::uint32_t f : piece.faces)
        for (const std::uint32_t v : model.faces[f])
          EXPECT_TRUE(std::count(piece.points.begin(), piece.points.end(), model.vertices[v]));
      for (const Vec3& p : piece.points) EXPECT_LE((p - piece.centre).norm(), piece.radius);
    }
    EXPECT_EQ(faces.size(), model.faces.size());
    EXPECT_EQ(std::set(faces.begin(), faces.end()).size(), model.faces.size());
  }
}

TEST(ConvexPieces, HillClimbingFromTheTableFindsTheExtremalVertexOfAConvexBody) {
  const generate::SurfaceModel surface = pebble(400, {1, 0.6, 0.3});
  const Model model = make_model(surface.vertices, surface.faces);
  ASSERT_EQ(pieces_of(model).size(), 1u);
  const ConvexPiece& piece = pieces_of(model)[0];
  ASSERT_EQ(piece.points.size(), 400u);
  std::size_t at_once = 0;
  for (std::size_t i = 0; i < 2000; ++i) {
    Random random("climb", 0, 1, i);
    const Vec3 n = random.cube(-1, 1);
    const std::uint32_t begin = piece.look_up(n), top = piece.climb(n, begin);
    EXPECT_EQ(n.dot(piece.points[top]), n.dot(piece.points[piece.scan(n)]));
    EXPECT_EQ(piece.climb(n, 17), top);
    at_once += begin == top;
  }
  EXPECT_GT(at_once, 20u);    // the table is of use,
  EXPECT_LT(at_once, 1500u);  // and so is the climb
}

// The distances of two pieces by every choice of parts agree with the distance of their surfaces.
TEST(PieceDistance, BoundsTheDistanceInEveryWay) {
  const generate::SurfaceModel surface = pebble(60, {1, 0.8, 0.4});
  const Model model = make_model(surface.vertices, surface.faces);
  const ConvexPiece& piece = pieces_of(model)[0];
  for (std::size_t i = 0; i < 60; ++i) {
    Random random("piece distance", 0, 1, i);
    const Placement a = placement_of({});
    const Placement b = placement_of(Pose::from_axis_angle(
        random.cube(-1, 1), random.uniform(-3, 3), random.cube(-1, 1).normalized() * 2.2));
    const RelativePlacement seen = relative_placement(a, model.tree.reach(), b, model.tree.reach());
    const BodyDistance truth = distance(model, a, model, b, {.tol = 1e-9});
    PieceWitness kept;
    for (const PieceWays& ways :
         {PieceWays{}, PieceWays{.warm = false}, PieceWays{.climb = false}, PieceWays{}}) {
      const PieceDistance found = piece_distance(piece, piece, seen, ways, kept);
      EXPECT_LE(found.lo, truth.hi);
      EXPECT_GE(found.hi, truth.lo);
      EXPECT_LE(found.hi - found.lo, 2e-3 * found.hi);
      EXPECT_GT(kept.size, 0);
    }
  }
}

// Pieces of many vertices, concave surroundings and large rotations, judged by independent code.
TEST(AdvancePieces, IsNeitherLateNorBeyondTheThresholdWithAnyParts) {
  const generate::SurfaceModel round = pebble(40, {0.9, 0.6, 0.3}), hook = generate::l_shape();
  const Model model_a = make_model(round.vertices, round.faces),
              model_b = make_model(hook.vertices, hook.faces);
  std::size_t hits = 0, misses = 0;
  const std::size_t count = test::scaled(24);
  for (std::size_t i = 0; i < count; ++i) {
    SCOPED_TRACE(i);
    Random random("pieces", 0, 1, i);
    Motion motion;
    const Vec3 from = random.cube(-1, 1).normalized() * 3;
    motion.start = Pose::from_axis_angle(random.cube(-1, 1), random.uniform(0, 6), from);
    motion.centre = from + random.cube(-1, 1);
    motion.velocity = 1.6 * (random.cube(-0.9, 0.9) - from);
    motion.rotation = random.cube(-3, 3);
    Motion other = resting({});
    other.rotation = random.cube(-2, 2);
    const StoppableOptions options{{.threshold = 0.01, .max_checks = 20000}};
    test::RigidCheck check(round.vertices, round.faces, motion, hook.vertices, hook.faces, other);
    std::uint32_t steps[2] = {};
    for (const bool extremal : {true, false}) {
      const BodyImpact found =
          advance_pieces(model_a, motion, model_b, other, options, {.extremal = extremal});
      ASSERT_TRUE(found.impact.verdict == Verdict::contact ||
                  found.impact.verdict == Verdict::separated);
      steps[extremal] = found.iterations;
      (found.impact.verdict == Verdict::contact ? hits : misses) += 1;
      const double until = found.impact.toi <= 1 ? std::max(0.0, found.impact.toi - 1e-9) : 1;
      if (until > 0) {
        ASSERT_EQ(check.free_until(until, 1e-12, 400'000), until);
      }
      if (found.impact.verdict == Verdict::contact) {
        ASSERT_LE(check.distance_hi(found.impact.toi), options.threshold * (1 + 1e-9));
      }
    }
    EXPECT_LE(steps[1], steps[0] + 4);  // extremal vertices give longer steps
  }
  if (test::scale() < 1) return;
  EXPECT_GE(hits, 8u);
  EXPECT_GE(misses, 8u);
}

// A board that lies inside the hull of a bowl's piece, but far from its surface, is no contact.
TEST(AdvancePieces, DistinguishesAHullFromItsSurface) {
  generate::SurfaceModel bowl;
  const auto half = pebble(300, {1, 1, 1});
  bowl.vertices = half.vertices;
  for (const Face& face : half.faces)
    if (std::all_of(face.begin(), face.end(),
                    [&](std::uint32_t v) { return half.vertices[v][2] < 0.2; }))
      bowl.faces.push_back(face);
  const generate::SurfaceModel board = generate::box({0.2, 0.2, 0.01});
  const Model model_a = make_model(board.vertices, board.faces),
              model_b = make_model(bowl.vertices, bowl.faces);
  ASSERT_EQ(pieces_of(model_b).size(), 1u);
  const StoppableOptions options{{.threshold = 0.01}};
  const Motion into = translation({Eigen::Quaterniond::Identity(), {0, 0, 2}}, {0, 0, -2});
  const BodyImpact inside = advance_pieces(model_a, into, model_b, resting({}), options);
  EXPECT_EQ(inside.impact.verdict, Verdict::separated);
  const Motion through = translation({Eigen::Quaterniond::Identity(), {0, 0, 2}}, {0, 0, -4});
  const BodyImpact hit = advance_pieces(model_a, through, model_b, resting({}), options);
  ASSERT_EQ(hit.impact.verdict, Verdict::contact);
  EXPECT_GT(hit.impact.toi, 0.7);
  EXPECT_LE(hit.distance, 0.01);
}

TEST(AdvancePieces, AnswersInvalidInputAndASpentBudgetAsTheOthersDo) {
  const generate::SurfaceModel cube = generate::box({1, 1, 1});
  const Model model = make_model(cube.vertices, cube.faces);
  EXPECT_EQ(advance_pieces(make_model({}, {}), {}, model, {}).impact.verdict, Verdict::invalid);
  Motion wild = resting({});
  wild.velocity[0] = Impact::nan;
  EXPECT_EQ(advance_pieces(model, wild, model, {}).impact.verdict, Verdict::invalid);
  wild.velocity[0] = 1e300;
  const Impact far = advance_pieces(model, wild, model, {}).impact;
  EXPECT_EQ(far.verdict, Verdict::undecided);
  EXPECT_EQ(far.toi, 0);
  const Motion motion = translation({Eigen::Quaterniond::Identity(), {5, 0, 0}}, {-5, 0, 0});
  const Impact spent =
      advance_pieces(model, motion, model, resting({}), {{.threshold = 1e-9, .max_checks = 1}})
          .impact;
  EXPECT_EQ(spent.verdict, Verdict::undecided);
  EXPECT_EQ(spent.toi, 0);
}

}  // namespace
}  // namespace graze::rigid::advance_pieces_test
