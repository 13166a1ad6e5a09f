#include "graze/rigid/model/oriented_box.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <limits>

#include "graze/generate/models.h"
#include "graze/generate/random.h"
#include "test/support/scale.h"

namespace graze::rigid::oriented_box_test {
namespace {

using Rational = boost::multiprecision::cpp_rational;

Rational exact_dot(const Vec3& a, const Vec3& b) {
  Rational sum = 0;
  for (int k = 0; k < 3; ++k) sum += Rational(a[k]) * Rational(b[k]);
  return sum;
}

Rational least_along(const generate::SurfaceModel& model, const Vec3& m) {
  Rational least = exact_dot(m, model.vertices[0]);
  for (const Vec3& x : model.vertices) least = std::min(least, exact_dot(m, x));
  return least;
}

// Turns a model in its coordinates and moves it by `far` of its size.
generate::SurfaceModel turned(generate::SurfaceModel model, generate::Random& random, double far) {
  const Eigen::Quaterniond turn = Eigen::Quaterniond(random.uniform(-1, 1), random.uniform(-1, 1),
                                                     random.uniform(-1, 1), random.uniform(0.1, 1))
                                      .normalized();
  const Vec3 way = far * random.cube(-1, 1);
  for (Vec3& x : model.vertices) x = turn * x + way;
  return model;
}

TEST(OrientedBox, LowestIsAProvenBoundOfAllPoints) {
  std::size_t close = 0, count = 0;
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(test::scaled(200)); ++i) {
    generate::Random random("oriented box", 0, 1, i);
    const double scale = std::ldexp(1, static_cast<int>(random.below(1200)) - 600);
    generate::SurfaceModel model =
        turned(random.below(2) == 0 ? generate::box({1, 0.4, 0.01}) : generate::soup(8, 0.4, i),
               random, random.below(2) == 0 ? 0 : 1e6);
    for (Vec3& x : model.vertices) x *= scale;
    const OrientedBox box = oriented_box(model.vertices, model.faces);
    ASSERT_EQ(box.exists(), scale > 0x1p-399 && scale < 0x1p398) << scale;
    if (!box.exists()) continue;
    for (int k = 0; k < 6; ++k) {
      const Vec3 m = k < 3 ? Vec3(box.axes.col(k)) : random.cube(-1, 1).normalized();
      const Rational least = least_along(model, m);
      const double found = box.lowest(m);
      EXPECT_LE(Rational(found), least) << i << " " << k;
      if (k >= 3) continue;
      ++count;  // along its own axes the box is tight
      close += Rational(found) >= least - Rational(1e-12 * box.reach);
    }
  }
  EXPECT_EQ(close, count);
  if (test::scale() >= 1) {
    EXPECT_GT(count, 300u);
  }
}

TEST(OrientedBox, AThinBoardHasABoxAsThinAsItself) {
  for (std::uint64_t i = 0; i < 20; ++i) {
    generate::Random random("thin board", 0, 1, i);
    const generate::SurfaceModel board = turned(generate::box({1, 0.7, 1e-6}), random, 0);
    const OrientedBox box = oriented_box(board.vertices, board.faces);
    EXPECT_NEAR((box.hi - box.lo).minCoeff(), 2e-6, 1e-12);
  }
}

TEST(OrientedBox, ASurfaceWithoutAreaHasNone) {
  const std::vector<Vec3> line = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, point(3, Vec3(1, 2, 3));
  const std::vector<Face> face = {{0, 1, 2}};
  for (const auto& vertices : {line, point}) {
    const OrientedBox box = oriented_box(vertices, face);
    EXPECT_FALSE(box.exists());
    EXPECT_EQ(box.lowest({1, 0, 0}), -std::numeric_limits<double>::infinity());
  }
}

}  // namespace
}  // namespace graze::rigid::oriented_box_test
