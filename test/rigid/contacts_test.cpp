#include "graze/rigid/distance/model_contacts.h"

#include <gtest/gtest.h>

#include <set>

#include "graze/generate/models.h"
#include "graze/generate/random.h"
#include "test/rigid/all_nodes.h"

namespace graze::rigid::contacts_test {
namespace {

Model made(const generate::SurfaceModel& model) {
  return make_model(model.vertices, model.faces);
}

TEST(Contacts, Promise1ListsExactlyThePairsWithinTheDistance) {
  const Model a = made(generate::torus_knot(30, 5)), b = made(generate::soup(60, 0.3, 3));
  std::size_t listed = 0;
  for (std::size_t trial = 0; trial < 10; ++trial) {
    generate::Random random("contacts", 0, 2, trial);
    const Placement at_a{Eigen::Matrix3d::Identity(), random.cube(-1, 1)};
    const Placement at_b{
        Eigen::AngleAxisd(random.uniform(0, 6), random.cube(-1, 1).normalized()).toRotationMatrix(),
        2 * random.cube(-1, 1)};
    const double within = random.uniform(0, 0.1);
    const auto contacts = contacts_within(a, at_a, b, at_b, within);
    auto next = contacts.begin();
    const RelativePlacement relative =
        relative_placement(at_a, a.tree.reach(), at_b, b.tree.reach());
    std::vector<const HullNode*> leaves_a(a.faces.size()), leaves_b(b.faces.size());
    for (const HullNode* node : test::all_nodes(a.tree))
      if (node->is_leaf()) leaves_a[node->face] = node;
    for (const HullNode* node : test::all_nodes(b.tree))
      if (node->is_leaf()) leaves_b[node->face] = node;
    for (std::uint32_t i = 0; i < a.faces.size(); ++i)
      for (std::uint32_t j = 0; j < b.faces.size(); ++j) {
        const ConvexDistance d = triangle_distance(polytope(a.tree, *leaves_a[i]),
                                                   polytope(b.tree, *leaves_b[j]), relative);
        const bool found = next != contacts.end() && next->face_a == i && next->face_b == j;
        if (d.hi <= within) {
          ASSERT_TRUE(found);
        }
        if (!found) continue;
        EXPECT_LE(d.lo, within + 1e-11);
        EXPECT_NEAR(next->distance, d.hi, 1e-11);
        EXPECT_NEAR((next->point_a - next->point_b).norm(), d.hi, 1e-11);
        ++next;
        ++listed;
      }
    EXPECT_EQ(next, contacts.end());
  }
  EXPECT_GT(listed, 20u);
}

TEST(Contacts, ABoxOnABoxTouchesWithOneFace) {
  const Model cube = made(generate::box({1, 1, 1}));
  const Placement below{Eigen::Matrix3d::Identity(), Vec3::Zero()};
  const auto contacts =
      contacts_within(cube, {below.rotation, {0.1, 0.2, 2 + 1e-4}}, cube, below, 1e-3);
  ASSERT_GE(contacts.size(), 4u);
  for (const SurfaceContact& contact : contacts) {
    EXPECT_NEAR(contact.distance, 1e-4, 1e-11);
    EXPECT_TRUE(contact.normal.isApprox(Vec3(0, 0, 1), 1e-6));
    EXPECT_NEAR(contact.point_b[2], 1, 1e-12);
  }
}

TEST(Contacts, TheVerdictReportsWhetherTheListIsComplete) {
  const generate::SurfaceModel box = generate::box({1, 1, 1});
  const Body cube = make_body(box.vertices, box.faces);
  const auto at = [](double x) {
    return placement_of({Eigen::Quaterniond::Identity(), {x, 0, 0}});
  };
  const SurfaceContacts all = contacts_within(cube, at(0), cube, at(2.05), 0.1);
  EXPECT_EQ(all.verdict, Verdict::contact);
  EXPECT_GE(all.list.size(), 4u);
  const SurfaceContacts cut = contacts_within(cube, at(0), cube, at(2.05), 0.1, 3);
  EXPECT_EQ(cut.verdict, Verdict::undecided);
  EXPECT_EQ(cut.list.size(), 3u);
  EXPECT_EQ(contacts_within(cube, at(0), cube, at(2.2), 0.1).verdict, Verdict::separated);
  for (const double within : {-1.0, Impact::nan, Impact::inf})
    EXPECT_EQ(contacts_within(cube, at(0), cube, at(2), within).verdict, Verdict::invalid);
  EXPECT_EQ(contacts_within(cube, at(Impact::nan), cube, at(2), 1).verdict, Verdict::invalid);
}

TEST(Contacts, AtMostMaxContactsAreListed) {
  const Model cube = made(generate::box({1, 1, 1}));
  const Placement here{Eigen::Matrix3d::Identity(), Vec3::Zero()};
  EXPECT_EQ(contacts_within(cube, here, cube, here, 0.1, 5).size(), 5u);
}

// A box rests on another, turned by 0.3 about the vertical: its four lower corners are within the
// other's top, and its sides cross the diagonal of that top.
TEST(FeaturesWithin, Promise1ListsVerticesFacesAndEdgesOnce) {
  const generate::SurfaceModel small = generate::box({0.5, 0.5, 0.5}),
                               large = generate::box({2, 2, 0.5});
  const Body a = make_body(small.vertices, small.faces), b = make_body(large.vertices, large.faces);
  const Placement at_a = placement_of(Pose::from_axis_angle({0, 0, 1}, 0.3, {0.1, 0.2, 1 + 1e-6})),
                  at_b = placement_of({});
  const SurfaceContacts found = features_within(a, at_a, b, at_b, 1e-5);
  EXPECT_EQ(found.verdict, Verdict::contact);
  std::set<std::uint32_t> corners;
  std::set<std::vector<std::uint32_t>> seen;
  std::size_t edges = 0;
  for (const SurfaceContact& contact : found.list) {
    EXPECT_NEAR(contact.distance, 1e-6, 1e-12);
    EXPECT_NEAR(contact.normal.z(), 1, 1e-6);
    std::vector<std::uint32_t> key = {contact.feature_a.size, contact.feature_b.size};
    for (const ClosestFeature* feature : {&contact.feature_a, &contact.feature_b})
      for (std::uint32_t i = 0; i < feature->size; ++i) key.push_back(feature->vertices[i]);
    EXPECT_TRUE(seen.insert(key).second);
    if (contact.feature_a.size == 1) corners.insert(contact.feature_a.vertices[0]);
    EXPECT_NE(contact.feature_b.size, 1u);  // the corners of the other are far away
    edges += contact.feature_a.size == 2;
    if (contact.feature_a.size == 2) {
      EXPECT_EQ(contact.feature_b.size, 2u);
    }
  }
  EXPECT_EQ(corners.size(), 4u);
  EXPECT_GE(edges, 2u);
  EXPECT_EQ(features_within(a, at_a, b, at_b, 1e-7).verdict, Verdict::separated);
  EXPECT_EQ(features_within(a, at_a, b, at_b, -1).verdict, Verdict::invalid);
}

}  // namespace
}  // namespace graze::rigid::contacts_test
