#include "graze/sim/rigid/penetration.h"

#include <gtest/gtest.h>

#include <cmath>

#include "graze/generate/models.h"
#include "graze/generate/random.h"
#include "test/support/rigid_check.h"
#include "test/support/scale.h"

namespace graze::sim::rigid::penetration_test {
namespace {

graze::rigid::Model model_of(const generate::SurfaceModel& surface) {
  return graze::rigid::make_model(surface.vertices, surface.faces);
}

Pose at(const Vec3& translation) {
  return {Eigen::Quaterniond::Identity(), translation};
}

TEST(Penetration, IsDecidedToTheLastBit) {
  const graze::rigid::Model cube = model_of(generate::box({0.5, 0.5, 0.5}));
  EXPECT_TRUE(find_crossing(cube, at({1, 0, 0}), cube, {}));  // touching counts
  EXPECT_FALSE(find_crossing(cube, at({std::nextafter(1, 2), 0, 0}), cube, {}));
  EXPECT_TRUE(find_crossing(cube, at({std::nextafter(1, 0), 0, 0}), cube, {}));
  // Quaternions of any length are accepted; a half turn maps the cube to itself.
  Pose turned = at({1, 0, 0});
  turned.rotation = Eigen::Quaterniond(0, 0.1, 0, 0);
  EXPECT_TRUE(find_crossing(cube, turned, cube, {}));
  turned.translation[0] = std::nextafter(1, 2);
  EXPECT_FALSE(find_crossing(cube, turned, cube, {}));
}

TEST(Penetration, IgnoresABodyInsideAnother) {
  EXPECT_FALSE(
      find_crossing(model_of(generate::tetrahedron()), {}, model_of(generate::box({2, 2, 2})), {}));
}

TEST(Penetration, AgreesWithTheDistance) {
  const std::array models = {generate::tetrahedron(), generate::l_shape(),
                             generate::torus_knot(24, 4), generate::soup(30, 0.5, 1)};
  std::vector<graze::rigid::Model> rigid;
  for (const generate::SurfaceModel& surface : models) rigid.push_back(model_of(surface));
  std::size_t crossing = 0;
  const std::size_t count = test::scaled(400);
  for (std::size_t i = 0; i < count; ++i) {
    generate::Random random("penetration", 0, 1, i);
    const std::size_t x = random.below(models.size()), y = random.below(models.size());
    graze::rigid::Motion a, b;
    for (graze::rigid::Motion* motion : {&a, &b}) {
      motion->start.rotation.coeffs() << random.cube(-1, 1), random.uniform(-1, 1);
      motion->start.translation = random.cube(-1, 1);
    }
    test::RigidCheck check(models[x].vertices, models[x].faces, a, models[y].vertices,
                           models[y].faces, b);
    const auto found = find_crossing(rigid[x], a.start, rigid[y], b.start);
    ASSERT_EQ(found.has_value(), check.distance_hi(0) < 1e-10) << i;
    crossing += found.has_value();
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(crossing, count / 10);
  EXPECT_LT(crossing, count / 10 * 9);
}

}  // namespace
}  // namespace graze::sim::rigid::penetration_test
