#include "graze/generate/decimate.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <map>

namespace graze::generate::decimate_test {
namespace {

// Returns whether every side of a face is a side of exactly one other face, in the opposite
// direction.
bool is_closed(const SurfaceModel& model) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> sides;
  for (const Face& face : model.faces)
    for (std::size_t i = 0; i < 3; ++i) ++sides[{face[i], face[(i + 1) % 3]}];
  for (const auto& [side, count] : sides)
    if (count != 1 || !sides.contains({side.second, side.first})) return false;
  return true;
}

// Returns V - E + F of a closed triangle mesh.
long euler(const SurfaceModel& model) {
  return std::ssize(model.vertices) - std::ssize(model.faces) / 2;
}

double volume(const SurfaceModel& model) {
  double sum = 0;
  for (const Face& f : model.faces)
    sum += model.vertices[f[0]].dot(model.vertices[f[1]].cross(model.vertices[f[2]])) / 6;
  return sum;
}

TEST(Decimate, Promise1KeepsClosedModelsClosedAndTheirGenus) {
  for (const SurfaceModel& model : {ring(48, 24), bumpy_figure(40, 24)}) {
    const SurfaceModel fewer = decimated(model, model.faces.size() / 3);
    EXPECT_LE(fewer.faces.size(), model.faces.size() / 3);
    EXPECT_GE(fewer.faces.size() + 2, model.faces.size() / 3);
    ASSERT_TRUE(is_closed(model));
    EXPECT_TRUE(is_closed(fewer));
    EXPECT_EQ(euler(fewer), euler(model));
    EXPECT_NEAR(volume(fewer), volume(model), 0.1 * volume(model));
  }
}

TEST(Decimate, Promise1StopsWhereNothingCanBeContracted) {
  const SurfaceModel tetrahedron{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                 {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}};
  EXPECT_EQ(decimated(tetrahedron, 0).faces.size(), 4u);
  EXPECT_TRUE(decimated({}, 10).faces.empty());
}

TEST(Decimate, Promise1LeavesBordersAsTheyAre) {
  const SurfaceModel square{{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, {{0, 1, 2}, {0, 2, 3}}};
  EXPECT_EQ(decimated(square, 0).faces.size(), 2u);
}

}  // namespace
}  // namespace graze::generate::decimate_test
