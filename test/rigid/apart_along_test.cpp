#include "graze/rigid/motion/apart_along.h"

#include <gtest/gtest.h>

#include <cmath>

#include "graze/generate/models.h"
#include "graze/generate/random.h"
#include "test/support/rigid_check.h"
#include "test/support/scale.h"

namespace graze::rigid::apart_along_test {
namespace {

TEST(ApartAlong, NeverProvesBodiesApartThatMeet) {
  const std::array models = {generate::tetrahedron(), generate::l_shape(),
                             generate::box({0.5, 0.2, 0.1}), generate::soup(6, 0.8, 1)};
  std::size_t whole = 0, part = 0;
  const std::size_t count = test::scaled(600);
  for (std::size_t i = 0; i < count; ++i) {
    SCOPED_TRACE(i);
    generate::Random random("apart along", 0, 1, i);
    const generate::SurfaceModel &x = models[random.below(4)], &y = models[random.below(4)];
    const Model a = make_model(x.vertices, x.faces), b = make_model(y.vertices, y.faces);
    Motion p, q;
    for (Motion* motion : {&p, &q}) {
      motion->start.rotation.coeffs() << random.cube(-1, 1), 1.5;
      motion->velocity = random.cube(-1, 1);
      motion->rotation = random.cube(-2, 2);
    }
    p.start.translation = 2.2 * random.cube(-1, 1);
    p.centre = p.start.translation + random.cube(-1, 1) / 2;
    const Vec3 n = (p.start.translation + 0.3 * random.cube(-1, 1)).normalized();
    const double t = apart_along(a, p, b, q, n, 0);
    if (t == 0) continue;
    ++(t >= 1 ? whole : part);
    test::RigidCheck check(a.vertices, a.faces, p, b.vertices, b.faces, q);
    ASSERT_GE(check.free_until(t * (1 - 1e-9), 1e-12, 2'000'000), t * (1 - 1e-9));
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(whole, count / 20);
  EXPECT_GT(part, count / 20);
}

TEST(ApartAlong, IsExactForTranslations) {
  const generate::SurfaceModel cube = generate::box({1, 1, 1});
  const Model model = make_model(cube.vertices, cube.faces);
  const Motion still = resting({}), comes = translation({{1, 0, 0, 0}, {4, 0, 0}}, {-4, 0, 0});
  EXPECT_NEAR(apart_along(model, comes, model, still, {1, 0, 0}, 0), 0.5, 1e-9);
  EXPECT_NEAR(apart_along(model, comes, model, still, {1, 0, 0}, 1), 0.25, 1e-9);
  EXPECT_EQ(apart_along(model, comes, model, still, {-1, 0, 0}, 0), 0);
  EXPECT_EQ(apart_along(model, comes, model, still, {2, 0, 0}, 0), 0);
  Motion bad = comes;
  bad.velocity[0] = std::nan("");
  EXPECT_EQ(apart_along(model, bad, model, still, {1, 0, 0}, 0), 0);
}

}  // namespace
}  // namespace graze::rigid::apart_along_test
