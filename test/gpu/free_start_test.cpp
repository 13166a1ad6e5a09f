#include <gtest/gtest.h>

#include <set>

#include "graze/generate/models.h"
#include "graze/generate/random.h"
#include "graze/gpu.h"
#include "test/gpu/on_engines.h"
#include "test/gpu/same_bits.h"
#include "test/support/meshes.h"

namespace graze::free_start_test {
namespace {

class GpuFreeStart : public test::OnEngines {
 protected:
  void compare_first(gpu::StepSearch& search, const OwnedMotion& motion,
                     const StepOptions& options) {
    const gpu::FirstAnswer found = search.earliest_impact(motion.start, motion.end, options);
    const FirstImpact expected = earliest_impact(motion.moving(), options);
    ASSERT_TRUE(found.outcome) << found.outcome.message;
    ASSERT_TRUE(test::same_bits(found.impact, expected.impact))
        << found.impact.toi << " " << expected.impact.toi;
    if (expected.impact.verdict != Verdict::contact) return;
    ASSERT_TRUE(test::same_bits(found, expected));
    kinds_.insert(expected.kind);
  }
  void compare(gpu::StepSearch& search, const OwnedMotion& motion,
               const StepOptions& options = {}) {
    const gpu::AllAnswer found = search.all_impacts(motion.start, motion.end, options);
    const AllImpacts expected = all_impacts(motion.moving(), options);
    ASSERT_TRUE(found.outcome) << found.outcome.message;
    ASSERT_EQ(found.verdict, expected.verdict);
    ASSERT_EQ(found.impacts.size(), expected.impacts.size());
    for (std::size_t i = 0; i < found.impacts.size(); ++i)
      ASSERT_TRUE(test::same_bits(found.impacts[i], expected.impacts[i])) << i;
    compare_first(search, motion, options);
  }

  std::set<Kind> kinds_;  // of first impacts
};
GRAZE_ON_ENGINES(GpuFreeStart);

// A start that was searched and is free of piercings is not searched again. It is searched again
// after a change of one bit or of the filter, or if it was pierced.
TEST_P(GpuFreeStart, KeepsTheProofOfAFreeStart) {
  OwnedMotion motion = test::random_mesh(test::mesh_families[0], 12, 1);
  for (std::size_t v = 0; v < motion.start.size(); ++v)  // features follow each other along x
    motion.start[v] = Vec3(double(v), double(v % 2), double(v % 3));
  gpu::StepSearch search(motion.mesh);
  test::HostEngine::work() = {};
  for (int i = 0; i < 3; ++i) compare(search, motion);
  if (!on_device()) {
    EXPECT_GE(test::HostEngine::work().free_starts, 4u);
  }
  OwnedMotion other = test::random_mesh(test::mesh_families[0], 12, 1);  // pierced
  compare(search, other);
  EXPECT_TRUE(kinds_.contains(Kind::edge_face));
  motion.start.back()[0] = std::nextafter(motion.start.back()[0], 9.0);
  for (int i = 0; i < 2; ++i) compare(search, motion);
  const std::vector<std::uint8_t> is_static(motion.mesh.vertex_count, 1);
  StepOptions options;
  options.pairs.filter.is_static = is_static;
  compare(search, other, options);  // free with this filter
  compare(search, other, options);
  compare(search, other);
}

// A box above, in or below another: the second step starts where the first one ended free of
// contact, in contact, intersected or beyond the time that was searched.
TEST_P(GpuFreeStart, KeepsTheProofOfAFreeEnd) {
  std::vector<Face> faces;
  std::vector<Vec3> corners;
  for (const double size : {1.5, 0.5}) {
    const auto first = static_cast<std::uint32_t>(corners.size());
    const generate::SurfaceModel model = generate::box({size, 0.5, size});
    corners.insert(corners.end(), model.vertices.begin(), model.vertices.end());
    for (const Face& face : model.faces)
      faces.push_back({face[0] + first, face[1] + first, face[2] + first});
  }
  const Mesh mesh = make_mesh(corners.size(), faces);
  const auto step = [&](double from, double to) {
    OwnedMotion motion{mesh, corners, corners};
    for (std::size_t v = 8; v < 16; ++v) {
      motion.start[v] += Vec3(0.01, from, 0.2);
      motion.end[v] += Vec3(0.01, to, 0.2);
    }
    return motion;
  };
  // Of the upper box the corners below pass through faces that they do not meet, because they are
  // static but move, or by their group. Edges between them and the corners above pierce these
  // faces.
  std::vector<std::uint8_t> lower(16), below(16);
  std::vector<std::uint32_t> box(16), above(16);
  for (std::size_t v = 0; v < 16; ++v) {
    lower[v] = v < 8;
    below[v] = v < 8 || corners[v].y() < 0;
    box[v] = v < 8 ? 0 : 1;
    above[v] = v < 8 || corners[v].y() < 0 ? 0 : 1;
  }
  std::vector<StepOptions> choices(7);
  choices[1].query.t_max = 0.5;
  choices[2].start_check = false;
  choices[3].pairs.filter.is_static = lower;
  choices[4].pairs.filter.is_static = below;
  choices[5].pairs.filter.group = box;
  choices[6].pairs.filter.group = above;
  choices[5].pairs.filter.within_group = choices[6].pairs.filter.within_group = false;
  std::size_t pierced = 0;
  test::HostEngine::work() = {};
  for (const StepOptions& before : choices) {
    StepOptions after = before;
    after.query.t_max = 1;
    after.start_check = true;
    gpu::StepSearch search(mesh);
    compare(search, step(3, 2), after);  // after it the device has memory for positions
    for (const double first : {2.0, 1.0, 0.95})
      for (const double second : {1.5, 1.0, 0.95, -2.0})
        for (const double third : {1.5, 0.95}) {
          SCOPED_TRACE(testing::Message() << first << " " << second << " " << third << ", options "
                                          << &before - &choices[0]);
          kinds_.clear();
          const OwnedMotion one = step(first, second), two = step(second, third);
          compare_first(search, one, before);
          compare(search, two, after);
          compare_first(search, one, after);
          pierced += kinds_.contains(Kind::edge_face);
          if (HasFatalFailure()) return;
        }
  }
  EXPECT_GT(pierced, 5u);
  if (!on_device()) {
    EXPECT_GT(test::HostEngine::work().free_ends, 10u);
  }
}

}  // namespace
}  // namespace graze::free_start_test
