#include "graze/polyhedron/contacts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "graze/generate/random.h"
#include "graze/rigid/distance/triangle_distance.h"
#include "test/support/brush_shapes.h"
#include "test/support/scale.h"

namespace graze::polyhedron::contacts_test {
namespace {

using generate::Random;
using test::at;

TEST(Contacts, ABoxOnAFloorHasFourContactsWithTheFloorsNormal) {
  const Obstacle floor = make_obstacle(model_of_box({Vec3(-9, -9, -1), Vec3(9, 9, 0)}));
  const Model box = model_of_box({Vec3(-1, -1, 0), Vec3(1, 1, 2)});
  Scratch scratch;
  for (const double height : {0., 1e-13, 0.005}) {
    const auto found = contacts({&floor, 1}, box, at({0.5, 0, height}), 0.01, scratch);
    ASSERT_EQ(found.size(), 4u) << height;
    for (const ContactPoint& contact : found) {
      EXPECT_EQ(contact.meeting, Meeting::vertex_facet);
      EXPECT_EQ(contact.normal, Vec3(0, 0, 1));
      EXPECT_NEAR(contact.gap, height, 1e-15);
      EXPECT_EQ(std::abs(contact.point[0] - 0.5), 1);
      EXPECT_EQ(contact.point[2], 0);
    }
  }
  EXPECT_TRUE(contacts({&floor, 1}, box, at({0, 0, 0.011}), 0.01, scratch).empty());
}

// The hull leaves out the points of the lattice that are no corners, so it rests like a box.
TEST(Contacts, TheHullOfALatticeOnAFloorHasFourContacts) {
  const Obstacle floor = make_obstacle(model_of_box({Vec3(-99, -99, -1), Vec3(99, 99, 0)}));
  std::vector<Vec3> lattice;
  for (int i = 0; i < 1000; ++i) lattice.push_back(Vec3(i % 10, i / 10 % 10, i / 100));
  const Model hull = convex_hull(lattice);
  ASSERT_EQ(hull.vertices.size(), 8u);
  Scratch scratch;
  for (const double height : {0., 0.005})
    for (const double turn : {0., 0.3}) {
      const auto found =
          contacts({&floor, 1}, hull, Pose::from_axis_angle(Vec3::UnitZ(), turn, {0.5, 0, height}),
                   0.01, scratch);
      ASSERT_EQ(found.size(), 4u) << height << " " << turn;
      for (const ContactPoint& contact : found) {
        EXPECT_EQ(contact.normal, Vec3(0, 0, 1));
        EXPECT_NEAR(contact.gap, height, 1e-14);
      }
    }
}

// Two overlapping rectangles share two corners of each, or one of each and two crossings.
TEST(Contacts, ABrickOnABrickTouchesAtTheCornersOfTheSharedPolygon) {
  const Model brick = model_of_box({Vec3(-2, -1, 0), Vec3(2, 1, 1)});
  const Obstacle lower = make_obstacle(brick);
  Scratch scratch;
  for (const Vec3& shift : {Vec3(0, 0, 1), Vec3(1, 0, 1), Vec3(1, 0.5, 1), Vec3(1e-9, -1e-9, 1),
                            Vec3(0.5, 0.25, 1 + 1e-9), Vec3(3, 1.5, 1)}) {
    const auto found = contacts({&lower, 1}, brick, at(shift), 1e-6, scratch);
    ASSERT_EQ(found.size(), 4u) << shift.transpose();
    const Vec3 lo = Vec3(-2, -1, 0).cwiseMax(Vec3(shift + Vec3(-2, -1, 0)));
    const Vec3 hi = Vec3(2, 1, 0).cwiseMin(Vec3(shift + Vec3(2, 1, 0)));
    Vec3 sum = Vec3::Zero();
    for (const ContactPoint& contact : found) {
      EXPECT_LT((contact.normal - Vec3(0, 0, 1)).norm(), 1e-15);
      sum += contact.point / 4;
    }
    EXPECT_LT((sum - (Vec3(lo[0], lo[1], 0) / 2 + Vec3(hi[0], hi[1], 2) / 2)).norm(), 1e-8);
  }
}

TEST(Contacts, ABoxOverTheEdgeOfATableTouchesTheEdge) {
  const Obstacle table = make_obstacle(model_of_box({Vec3(-9, -9, -1), Vec3(0, 9, 0)}));
  const Model box = model_of_box({Vec3(-1, -1, 0), Vec3(1, 1, 2)});
  Scratch scratch;
  Pose pose = Pose::from_axis_angle({0, 1, 0}, 1e-9, {0, 0, 1e-8});
  const auto found = contacts({&table, 1}, box, pose, 1e-6, scratch);
  ASSERT_EQ(found.size(), 4u);
  int crossings = 0;
  for (const ContactPoint& contact : found) {
    EXPECT_GT(contact.normal[2], 0.999);
    crossings += contact.meeting == Meeting::edge_edge;
  }
  EXPECT_EQ(crossings, 2);
}

TEST(Contacts, PolygonsAndPointsAreTouchedFromBothSides) {
  const std::vector<Vec3> corners{{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
  const std::vector<Polygon> face{{0, 1, 2, 3}};
  const Obstacle sheet = make_obstacle(make_model(corners, face));
  const Model point = model_of_point(Vec3::Zero());
  const Model box = model_of_box({Vec3(-3, -3, 0), Vec3(3, 3, 2)});
  Scratch scratch;
  for (const double side : {1., -1.}) {
    const auto above = contacts({&sheet, 1}, point, at({0.5, 0.5, 0.001 * side}), 0.01, scratch);
    ASSERT_EQ(above.size(), 1u);
    EXPECT_EQ(above[0].normal, Vec3(0, 0, side));
    EXPECT_EQ(above[0].gap, 0.001);
    const auto beside = contacts({&sheet, 1}, point, at({side * 1.006, 0, 0.008}), 0.011, scratch);
    ASSERT_EQ(beside.size(), 1u);
    EXPECT_LT((beside[0].normal - Vec3(0.6 * side, 0, 0.8)).norm(), 1e-9);
    const auto below =
        contacts({&sheet, 1}, box, at({0, 0, side > 0 ? 0.001 : -2.001}), 0.01, scratch);
    ASSERT_EQ(below.size(), 4u);
    for (const ContactPoint& contact : below) EXPECT_EQ(contact.normal, Vec3(0, 0, side));
  }
}

double brute_distance(const Model& a, const Model& b) {
  double least = HUGE_VAL;
  for (const rigid::Triangle& s : test::triangles_of(a))
    for (const rigid::Triangle& t : test::triangles_of(b))
      least = std::min(least, rigid::triangle_distance(s, t).distance);
  return least;
}

double distance_to(const Model& a, const Vec3& x) {
  double least = HUGE_VAL;
  for (const rigid::Triangle& s : test::triangles_of(a))
    least = std::min(least, rigid::triangle_distance(s, {x, x, x}).distance);
  return least;
}

// Promises (1), (2), (3), with random solids, convex and rugged, moved close in a random direction.
TEST(Contacts, AreOnBothSurfacesSortedByGapAndStartWithTheDistance) {
  Scratch scratch;
  std::size_t seen[4] = {}, total = 0;
  const std::size_t cases = test::scaled(400);
  for (std::size_t i = 0; i < cases; ++i) {
    Random random("contacts", 0, 1, i);
    const Model solid = i % 4 == 0 ? test::rugged(random, 7, 4) : test::random_solid(random, 1);
    const Model mover = i % 8 == 4 ? test::rugged(random, 6, 4) : test::random_solid(random, 1);
    const Obstacle obstacle = make_obstacle(solid);
    const Vec3 from = 5 * random.cube(-1, 1).normalized();
    Pose pose = Pose::from_axis_angle(random.cube(-1, 1), random.uniform(0, 3), from);
    const MoveResult result = move(
        {&obstacle, 1}, mover, translating(pose, Vec3(-2 * from + random.cube(-1, 1))), scratch);
    if (result.verdict != Verdict::contact) continue;
    const double distance = random.one_in(2) ? 0.05 : 1e-6;
    pose = result.end;
    pose.translation += random.uniform(0, 1.5) * distance * from.normalized();
    if (position_test({&obstacle, 1}, mover, pose, scratch).touches()) continue;
    const Model here = placed(mover, pose);
    const double truth = brute_distance(solid, here);
    const auto found = contacts({&obstacle, 1}, mover, pose, distance, scratch);
    if (truth > distance) {
      EXPECT_TRUE(found.empty() || found[0].gap > distance - 1e-12) << i;
      continue;
    }
    ++total;
    ASSERT_FALSE(found.empty()) << i << " " << truth << " of " << distance;
    ASSERT_NEAR(found[0].gap, truth, 1e-12) << i;
    ++seen[static_cast<int>(found[0].meeting)];
    for (std::size_t k = 0; k < found.size(); ++k) {
      const ContactPoint& contact = found[k];
      ASSERT_LE(contact.gap, distance) << i;
      ASSERT_NEAR(contact.normal.norm(), 1, 1e-12);
      ASSERT_LE(distance_to(solid, contact.point), 1e-12) << i;
      ASSERT_LE(distance_to(here, contact.point + contact.gap * contact.normal),
                distance / 5 + 1e-12)
          << i;
      for (std::size_t j = 0; j < k; ++j) {
        ASSERT_LE(found[j].gap, contact.gap) << i;
        ASSERT_TRUE((found[j].point - contact.point).norm() > distance ||
                    found[j].normal.dot(contact.normal) < 0.9999)
            << i;
      }
    }
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(3 * total, cases);
  for (const Meeting meeting : {Meeting::vertex_facet, Meeting::facet_vertex, Meeting::edge_edge})
    EXPECT_GT(20 * seen[static_cast<int>(meeting)], total) << name(meeting);
}

TEST(Contacts, InvalidInputHasNoContacts) {
  const Obstacle box = make_obstacle(model_of_box({Vec3(-1, -1, -1), Vec3(1, 1, 1)}));
  Scratch scratch;
  EXPECT_TRUE(contacts({&box, 1}, box.model, at({2, 0, NAN}), 1, scratch).empty());
  EXPECT_TRUE(contacts({&box, 1}, box.model, at({2, 0, 0}), NAN, scratch).empty());
  EXPECT_TRUE(contacts({&box, 1}, box.model, at({2, 0, 0}), -1, scratch).empty());
  EXPECT_TRUE(contacts({&box, 1}, Model(), at({2, 0, 0}), 1, scratch).empty());
  EXPECT_FALSE(contacts({&box, 1}, box.model, at({2, 0, 0}), 0, scratch).empty());
}

}  // namespace
}  // namespace graze::polyhedron::contacts_test
