#include "graze/gpu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "graze/generate/families.h"
#include "test/gpu/device_rows.h"
#include "test/gpu/on_engines.h"
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

class GpuQueries : public test::OnEngines {};
GRAZE_ON_ENGINES(GpuQueries);

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

TEST_P(GpuQueries, OfAllFamiliesAreAnsweredAsTheCpuDoes) {
  const char* const text = std::getenv("GRAZE_GPU_QUERIES");
  const std::size_t count = !on_device() ? 200 : text ? std::strtoul(text, nullptr, 10) : 4000;
  test::HostQueries::work() = {};
  for (const generate::Family& family : generate::families())
    for (const double t_max : {1.0, 0.37}) {
      compare_queries(generate::generate_vertex_face(family, count, 31), t_max, family.name.data());
      compare_queries(generate::generate_edge_edge(family, count, 32), t_max, family.name.data());
      if (HasFatalFailure()) return;
    }
  if (on_device()) return;
  // Every stage decided queries.
  const test::HostQueries::Work work = test::HostQueries::work();
  EXPECT_GT(work.culled, 1000u);
  EXPECT_GT(work.by_step, 1000u);
  EXPECT_GT(work.by_pieces, 100u);
  EXPECT_GT(work.located, 1000u);
  EXPECT_GT(work.open, 10u);
}

TEST_P(GpuQueries, WithANumberThatIsNotFiniteAreInvalid) {
  std::vector<EdgeEdge> queries = generate::generate_edge_edge(generate::families()[0], 48, 5);
  for (std::size_t i = 0; i < 24; ++i) {
    queries[2 * i].start[0].data()[i] = Impact::nan;
    queries[2 * i + 1].start[0].data()[i] = -Impact::inf;
  }
  compare_queries(queries, 1, "invalid");
}

TEST_P(GpuQueries, WithOptionsThatTheDeviceCannotHonourAreRefused) {
  const std::vector<EdgeEdge> queries = generate::generate_edge_edge(generate::families()[0], 5, 5);
  std::vector<Impact> found(queries.size());
  Options apart;
  apart.min_separation = 1;
  const gpu::Outcome outcome =
      gpu::first_contact(std::span<const EdgeEdge>(queries), std::span(found), apart);
  EXPECT_EQ(outcome.status, gpu::Status::unsupported);
  for (const Impact& impact : found) EXPECT_EQ(impact.verdict, Verdict::invalid);
}

// Makes the n-th allocation of first_contact() fail, for every n: no impact is given, and a later
// call is right.
TEST_P(GpuQueries, SurviveAFailureOfEveryAllocation) {
  const std::vector<EdgeEdge> queries =
      generate::generate_edge_edge(generate::families()[0], 300, 7);
  std::vector<Impact> expected(queries.size());
  first_contact(queries, expected);
  ASSERT_TRUE(std::ranges::any_of(expected, [](const Impact& impact) { return impact.toi < 1; }));
  std::vector<Impact> found(queries.size());
  // The first call on a device makes its context.
  ASSERT_TRUE(gpu::first_contact(std::span<const EdgeEdge>(queries), std::span(found)));
  const std::size_t free_before = test::free_device_memory();
  int failures = 0;
  for (long n = 0;; ++n) {
    ASSERT_LT(n, 1000);
    found = expected;
    gpu::allocations_before_failure = n;
    const gpu::Outcome outcome =
        gpu::first_contact(std::span<const EdgeEdge>(queries), std::span(found));
    const bool failed = gpu::allocations_before_failure < 0;
    gpu::allocations_before_failure = -1;
    if (!failed) break;
    ++failures;
    EXPECT_EQ(outcome.status, gpu::Status::out_of_memory) << n << " " << outcome.message;
    EXPECT_FALSE(outcome.message.empty());
    for (const Impact& impact : found) {
      ASSERT_EQ(impact.verdict, Verdict::invalid) << n;
      ASSERT_EQ(impact.toi, 0) << n;
    }
    compare_queries(queries, 1, "after a failure");
    if (HasFatalFailure()) return;
  }
  EXPECT_GE(failures, on_device() ? 6 : 3);
  EXPECT_EQ(test::free_device_memory(), free_before);
}

}  // namespace
}  // namespace graze::gpu_test
