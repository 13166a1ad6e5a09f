#include "graze/gpu.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "graze/generate/families.h"
#include "test/gpu/same_bits.h"
#include "test/support/meshes.h"

namespace graze::gpu_test {
namespace {

using test::same_bits;

TEST(Gpu, ReportsWhyThereIsNoDevice) {
  const gpu::Devices devices = gpu::devices();
  if (!devices.list.empty()) GTEST_SKIP() << "there is a device: " << devices.list[0].name;
  EXPECT_EQ(devices.outcome.status, gpu::Status::no_device);
  EXPECT_FALSE(devices.outcome.message.empty());
  const OwnedMotion motion = test::random_mesh(test::mesh_families[0], 20, 1);
  gpu::StepSearch search(motion.mesh);
  EXPECT_EQ(search.outcome().status, gpu::Status::no_device);
  const gpu::FirstAnswer first = search.earliest_impact(motion.start, motion.end);
  EXPECT_EQ(first.outcome.status, gpu::Status::no_device);
  EXPECT_EQ(first.impact.verdict, Verdict::invalid);
  EXPECT_EQ(first.impact.toi, 0);
  const gpu::AllAnswer all = search.all_impacts(motion.start, motion.end);
  EXPECT_EQ(all.outcome.status, gpu::Status::no_device);
  EXPECT_EQ(all.toi, 0);
  std::vector<VertexFace> queries(1);
  std::vector<Impact> impacts(1);
  EXPECT_EQ(gpu::first_contact(std::span<const VertexFace>(queries), impacts).status,
            gpu::Status::no_device);
}

class GpuDevice : public testing::Test {
 protected:
  void SetUp() override {
    const gpu::Devices devices = gpu::devices();
    if (devices.list.empty()) GTEST_SKIP() << devices.outcome.message;
  }
};

template <class Query>
void compare_queries(const std::vector<Query>& queries, double t_max, const char* name) {
  Options options;
  options.t_max = t_max;
  std::vector<Impact> expected(queries.size()), found(queries.size());
  first_contact(queries, expected, options);
  const gpu::Outcome outcome =
      gpu::first_contact(std::span<const Query>(queries), std::span(found), options);
  ASSERT_TRUE(outcome) << outcome.message;
  for (std::size_t i = 0; i < queries.size(); ++i)
    ASSERT_TRUE(same_bits(found[i], expected[i])) << name << " " << i << " t_max " << t_max;
}

TEST_F(GpuDevice, AnswersQueriesOfAllFamiliesAsTheCpuDoes) {
  const char* const text = std::getenv("GRAZE_GPU_QUERIES");
  const std::size_t count = text ? std::strtoul(text, nullptr, 10) : 4000;
  for (const generate::Family& family : generate::families())
    for (const double t_max : {1.0, 0.37}) {
      compare_queries(generate::generate_vertex_face(family, count, 31), t_max, family.name.data());
      compare_queries(generate::generate_edge_edge(family, count, 32), t_max, family.name.data());
      if (HasFatalFailure()) return;
    }
}

}  // namespace
}  // namespace graze::gpu_test
