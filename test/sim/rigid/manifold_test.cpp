#include "graze/sim/rigid/contacts/manifold.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "graze/generate/random.h"
#include "graze/rigid/distance/model_distance.h"
#include "graze/sim/rigid/body_pairs.h"
#include "test/support/scale.h"

namespace graze::sim::rigid::manifold_test {
namespace {

using graze::rigid::Placement;

Placement placed(const Pose& pose) {
  return graze::rigid::placement_at(graze::rigid::resting(pose), 0);
}
Placement at(const Vec3& place) {
  return placed({Eigen::Quaterniond::Identity(), place});
}

TEST(Manifold, OfTwoBricksHasTheFourCornersOfTheOverlapOfTheirFaces) {
  const Shape shape = make_box_shape({2, 1, 0.5});
  const ShapeData& brick = shape.data();
  const auto points = find_manifold(brick, at({2, 0, 1.001}), brick, at({0, 0, 0}), 0.01);
  ASSERT_EQ(points.size(), 4u);
  for (const ManifoldPoint& p : points) {
    EXPECT_NEAR(p.distance, 0.001, 1e-12);
    EXPECT_NEAR((p.normal - Vec3(0, 0, 1)).norm(), 0, 1e-12);
    EXPECT_NEAR(std::abs(p.point[0] - 1), 1, 1e-9);  // x from 0 to 2
    EXPECT_NEAR(std::abs(p.point[1]), 1, 1e-9);
    EXPECT_NEAR(p.point[2], 0.5005, 1e-9);
  }
  EXPECT_TRUE(find_manifold(brick, at({2, 0, 1.02}), brick, at({0, 0, 0}), 0.01).empty());
}

// A box over the edge of a step that runs along y. The box is tilted a little, so that one of its
// edges is nearest although the normal of its lower face has nearly the same direction.
TEST(Manifold, HasTheEdgesThatAreNearestForAllGaps) {
  const Shape step_shape = make_box_shape({0.15, 1.5, 0.17}),
              box_shape = make_box_shape({0.1, 0.1, 0.1});
  const ShapeData &step = step_shape.data(), &box = box_shape.data();
  const Vec3 up = Vec3(2, 0, 3).normalized(), along = up.cross(Vec3::UnitY());
  for (const double gap : {1e-3, 1e-5, 1e-7, 1e-9}) {
    Eigen::Matrix3d turn;
    turn << along, Vec3::UnitY(), -up;  // the z axis of the box points down
    Pose pose;
    pose.rotation = Eigen::Quaterniond(Eigen::AngleAxisd(0.07, along) * turn);
    double lowest = 0;
    for (const Vec3& corner : box.model.vertices)
      lowest = std::min(lowest, up.dot(pose.rotation * corner));
    pose.translation = Vec3(0.15, 0, 0.17) + (gap - lowest) * up;
    const Placement at_pose = placed(pose);
    const auto points = find_manifold(box, at_pose, step, at({0, 0, 0}), 0.01);
    const auto first = std::find_if(points.begin(), points.end(), [&](const ManifoldPoint& p) {
      return std::abs(p.distance - gap) < 1e-3 * gap && (p.normal - up).norm() < 1e-9;
    });
    EXPECT_NE(first, points.end()) << gap;
    const Separation apart = convex_separation(box, at_pose, step, at({0, 0, 0}));
    EXPECT_NEAR(apart.distance, gap, 1e-3 * gap);
  }
}

TEST(Manifold, HandlesPolygonsAndParticles) {
  const Shape box_shape = make_box_shape({1, 1, 1});
  const Shape sheet_shape =
      make_polygon_shape(std::vector<Vec3>{{-.5, -.5, 0}, {.5, -.5, 0}, {0, .5, 0}}, 0.01);
  const Shape grain_shape = make_particle_shape(1);
  const ShapeData &box = box_shape.data(), &sheet = sheet_shape.data(), &grain = grain_shape.data();
  for (const double side : {1.0, -1.0}) {
    const auto on = find_manifold(sheet, at({0, 0, side * 1.001}), box, at({0, 0, 0}), 0.01);
    ASSERT_EQ(on.size(), 3u);
    for (const auto& p : on) EXPECT_NEAR(p.normal[2], side, 1e-9);
    const auto point = find_manifold(grain, at({0, 0, side * 0.005}), sheet, at({0, 0, 0}), 0.01);
    ASSERT_EQ(point.size(), 1u);
    EXPECT_NEAR(point[0].normal[2], side, 1e-9);
    EXPECT_NEAR(point[0].distance, 0.005, 1e-12);
  }
}

TEST(Manifold, SeparationIsABoundOnTheDistance) {
  const Shape shape = make_box_shape({1, 0.5, 0.2});
  const ShapeData& box = shape.data();
  for (std::size_t i = 0; i < test::scaled(500); ++i) {
    generate::Random random("separation", 0, 1, i);
    const auto pose = [&](double reach) {
      const Vec3 axis = random.cube(-1, 1);
      const double angle = random.one_in(3) ? 0 : random.uniform(-3, 3);
      return Pose::from_axis_angle(axis, angle, reach * random.cube(-1, 1));
    };
    const Placement a = placed(pose(2)), b = placed(pose(1));
    const Separation found = convex_separation(box, a, box, b);
    const graze::rigid::BodyDistance truth = distance(box.model, a, box.model, b);
    EXPECT_LE(found.distance, truth.hi);
    if (truth.lo > 1e-6) {
      EXPECT_GT(found.distance, 0.99 * truth.lo);
    }
  }
}

TEST(BodyPairs, AreAllPairsOfBoxesThatOverlap) {
  for (std::size_t i = 0; i < 20; ++i) {
    generate::Random random("body pairs", 0, 1, i);
    std::vector<Aabb> boxes;
    for (int k = 0; k < 60; ++k) {
      const Vec3 lo = random.lattice(6);
      boxes.push_back({lo, lo + random.lattice(2).cwiseAbs()});
    }
    std::vector<std::pair<std::uint32_t, std::uint32_t>> all;
    for (std::uint32_t a = 0; a < boxes.size(); ++a)
      for (std::uint32_t b = a + 1; b < boxes.size(); ++b)
        if (overlap(boxes[a], boxes[b])) all.emplace_back(a, b);
    EXPECT_EQ(overlapping_pairs(boxes), all);
  }
}

}  // namespace
}  // namespace graze::sim::rigid::manifold_test
