#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <vector>

#include "graze/find_pairs.h"
#include "graze/generate/families.h"
#include "graze/gpu.h"
#include "test/gpu/device_rows.h"
#include "test/gpu/on_engines.h"
#include "test/gpu/same_bits.h"
#include "test/support/meshes.h"

namespace graze::query_times_test {
namespace {

using test::DeviceArray;
using test::HostTimes;
using test::same_bits;

class GpuTimes : public test::OnEngines {
 protected:
  // Compares the times of queries with those of the CPU, bit for bit.
  template <class Query>
  void compare(gpu::QuerySearch& search, const std::vector<Query>& queries, double t_max,
               const char* name) {
    Options options;
    options.t_max = t_max;
    const DeviceArray<double> on_gpu({queries[0].start[0].data(), 24 * queries.size()},
                                     on_device());
    DeviceArray<double> times(std::vector<double>(queries.size(), -1), on_device());
    const gpu::TimesAnswer answer =
        search.times(kind_of<Query>, on_gpu.data(), queries.size(), times.data(), options);
    ASSERT_TRUE(answer.outcome) << answer.outcome.message;
    std::vector<Impact> expected(queries.size());
    first_contact(queries, expected, options);
    std::size_t contacts = 0;
    const std::vector<double>& found = times.fetch();
    for (std::size_t i = 0; i < queries.size(); ++i) {
      ASSERT_TRUE(same_bits(found[i], expected[i].toi))
          << name << " " << i << " t_max " << t_max << ": " << found[i] << " " << expected[i].toi;
      contacts += expected[i].verdict == Verdict::contact;
    }
    EXPECT_EQ(answer.contacts, contacts);
    contacts_ += contacts;
  }

  std::size_t contacts_ = 0;
};
GRAZE_ON_ENGINES(GpuTimes);

TEST_P(GpuTimes, AreThoseOfTheCpuForAllFamilies) {
  const char* const text = std::getenv("GRAZE_GPU_QUERIES");
  const std::size_t count = on_device() ? (text ? std::strtoul(text, nullptr, 10) : 4000) : 200;
  HostTimes::work() = {};
  gpu::QuerySearch search;
  for (const generate::Family& family : generate::families())
    for (const double t_max : {1.0, 0.37}) {
      compare(search, generate::generate_vertex_face(family, count, 41), t_max, family.name.data());
      compare(search, generate::generate_edge_edge(family, count, 42), t_max, family.name.data());
      if (HasFatalFailure()) return;
    }
  EXPECT_GT(contacts_, 1000u);
  if (on_device()) return;
  // Every stage decided queries.
  const HostTimes::Work work = HostTimes::work();
  EXPECT_GT(work.by_axes, 1000u);
  EXPECT_GT(work.by_directions, 500u);
  EXPECT_GT(work.examined, 1000u);
  EXPECT_GT(work.open, 10u);
}

TEST_P(GpuTimes, OfInvalidQueriesAreZero) {
  gpu::QuerySearch search;
  std::vector<EdgeEdge> queries = generate::generate_edge_edge(generate::families()[0], 300, 5);
  for (std::size_t i = 0; i < 24; ++i) {
    queries[10 * i].start[0].data()[i] = std::numeric_limits<double>::quiet_NaN();
    queries[10 * i + 1].start[0].data()[i] = -std::numeric_limits<double>::infinity();
    queries[10 * i + 2].start[0].data()[i] = std::numeric_limits<double>::max();
  }
  compare(search, queries, 1, "invalid");
  std::vector<double> nothing(1, 7);
  const gpu::TimesAnswer none = search.times(Kind::edge_edge, nullptr, 0, nothing.data());
  EXPECT_TRUE(none.outcome);
  EXPECT_EQ(none.contacts, 0u);
  EXPECT_EQ(search.times(Kind::vertex_vertex, nullptr, 0, nullptr).outcome.status,
            gpu::Status::unsupported);
  Options apart;
  apart.min_separation = 1;
  EXPECT_EQ(search.times(Kind::edge_edge, nullptr, 0, nullptr, apart).outcome.status,
            gpu::Status::unsupported);
}

TEST_P(GpuTimes, OfPairsOfAMeshAreThoseOfTheCpu) {
  for (const double t_max : {1.0, 0.4}) {
    const OwnedMotion motion = test::random_mesh(test::mesh_families[0], 60, 3);
    Pairs pairs = collect_pairs(motion.moving());
    gpu::StepSearch search(motion.mesh);
    ASSERT_TRUE(search.outcome()) << search.outcome().message;
    const auto flat = [](const std::vector<Vec3>& rows) {
      return std::span<const double>(rows[0].data(), 3 * rows.size());
    };
    const DeviceArray<double> start(flat(motion.start), on_device()),
        end(flat(motion.end), on_device());
    const std::size_t vertices = motion.start.size();
    Options options;
    options.t_max = t_max;
    for (const Kind kind : {Kind::vertex_face, Kind::edge_edge}) {
      const std::vector<Pair>& list = pairs.of(kind);
      ASSERT_GT(list.size(), 100u);
      const DeviceArray<std::uint32_t> indices({&list[0].a, 2 * list.size()}, on_device());
      DeviceArray<double> times(std::vector<double>(list.size(), -1), on_device());
      const gpu::TimesAnswer answer =
          search.pair_times(kind, indices.data(), list.size(), {start.data(), vertices},
                            {end.data(), vertices}, times.data(), options);
      ASSERT_TRUE(answer.outcome) << answer.outcome.message;
      std::size_t contacts = 0;
      for (std::size_t i = 0; i < list.size(); ++i) {
        const MovingMesh moving = motion.moving();
        const Impact expected =
            kind == Kind::vertex_face
                ? first_contact(moving.vertex_face(list[i].a, list[i].b), options)
                : first_contact(moving.edge_edge(list[i].a, list[i].b), options);
        ASSERT_TRUE(same_bits(times.fetch()[i], expected.toi)) << i;
        contacts += expected.verdict == Verdict::contact;
      }
      EXPECT_EQ(answer.contacts, contacts);
      contacts_ += contacts;
    }
  }
  EXPECT_GT(contacts_, 20u);
}

// Makes the n-th allocation fail, for every n: times() reports that the memory does not suffice,
// and a later call of the same object is right.
TEST_P(GpuTimes, SurviveAFailureOfEveryAllocation) {
  // Some of these queries need integers.
  const auto family =
      std::ranges::find(generate::families(), "double_root", &generate::Family::name);
  ASSERT_NE(family, generate::families().end());
  const std::vector<VertexFace> queries = generate::generate_vertex_face(*family, 200, 6);
  const DeviceArray<double> on_gpu({queries[0].start[0].data(), 24 * queries.size()}, on_device());
  DeviceArray<double> times(std::vector<double>(queries.size(), -1), on_device());
  HostTimes::work() = {};
  {
    gpu::QuerySearch warm_up;
    compare(warm_up, queries, 1, "warm-up");
  }
  if (!on_device()) {
    ASSERT_GT(HostTimes::work().open, 0u);
  }
  const std::size_t free_before = test::free_device_memory();
  int failures = 0;
  for (long n = 0;; ++n) {
    ASSERT_LT(n, 1000);
    gpu::allocations_before_failure = n;
    gpu::QuerySearch search;
    const gpu::TimesAnswer answer =
        search.times(Kind::vertex_face, on_gpu.data(), queries.size(), times.data());
    const bool failed = gpu::allocations_before_failure < 0;
    gpu::allocations_before_failure = -1;
    if (!failed) break;
    ++failures;
    EXPECT_EQ(answer.outcome.status, gpu::Status::out_of_memory) << n << answer.outcome.message;
    EXPECT_FALSE(answer.outcome.message.empty());
    EXPECT_EQ(answer.contacts, 0u);
    compare(search, queries, 1, "after a failure");
    compare(search, queries, 0.4, "after a failure");
    if (HasFatalFailure()) return;
  }
  EXPECT_GE(failures, on_device() ? 8 : 2);
  EXPECT_EQ(test::free_device_memory(), free_before);
}

// The same for pair_times(). An object that could not be made, or that has given up to keep the
// mesh, answers after renew_order().
TEST_P(GpuTimes, SurviveAFailureOfEveryAllocationForPairs) {
  const OwnedMotion motion = test::random_mesh(test::mesh_families[0], 30, 3);
  const MovingMesh moving = motion.moving();
  const std::vector<Pair> pairs = collect_pairs(moving).edge_edge;
  ASSERT_GT(pairs.size(), 50u);
  const auto flat = [](const std::vector<Vec3>& rows) {
    return std::span<const double>(rows[0].data(), 3 * rows.size());
  };
  const DeviceArray<double> start(flat(motion.start), on_device()),
      end(flat(motion.end), on_device());
  const DeviceArray<std::uint32_t> indices({&pairs[0].a, 2 * pairs.size()}, on_device());
  DeviceArray<double> times(std::vector<double>(pairs.size(), -1), on_device());
  const std::size_t vertices = motion.start.size();
  const auto ask = [&](gpu::StepSearch& search) {
    return search.pair_times(Kind::edge_edge, indices.data(), pairs.size(),
                             {start.data(), vertices}, {end.data(), vertices}, times.data());
  };
  {
    gpu::StepSearch warm_up(motion.mesh);
    ASSERT_TRUE(ask(warm_up).outcome);
  }
  const std::size_t free_before = test::free_device_memory();
  int failures = 0;
  for (long n = 0;; ++n) {
    ASSERT_LT(n, 1000);
    gpu::allocations_before_failure = n;
    gpu::StepSearch search(motion.mesh);
    const gpu::TimesAnswer answer = ask(search);
    const bool failed = gpu::allocations_before_failure < 0;
    gpu::allocations_before_failure = -1;
    if (!failed) break;
    ++failures;
    EXPECT_EQ(answer.outcome.status, gpu::Status::out_of_memory) << n << answer.outcome.message;
    EXPECT_FALSE(answer.outcome.message.empty());
    EXPECT_EQ(answer.contacts, 0u);
    search.renew_order();
    const gpu::TimesAnswer later = ask(search);
    ASSERT_TRUE(later.outcome) << n << later.outcome.message;
    std::size_t contacts = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const Impact expected = first_contact(moving.edge_edge(pairs[i].a, pairs[i].b));
      ASSERT_TRUE(same_bits(times.fetch()[i], expected.toi)) << n << " " << i;
      contacts += expected.verdict == Verdict::contact;
    }
    EXPECT_EQ(later.contacts, contacts);
    EXPECT_GT(contacts, 0u);
  }
  EXPECT_GE(failures, on_device() ? 30 : 2);
  EXPECT_EQ(test::free_device_memory(), free_before);
}

TEST(GpuTimesWithoutADevice, ReportTheReason) {
  if (!gpu::devices().list.empty()) GTEST_SKIP() << "there is a device";
  gpu::QuerySearch search;
  EXPECT_EQ(search.times(Kind::edge_edge, nullptr, 1, nullptr).outcome.status,
            gpu::Status::no_device);
}

}  // namespace
}  // namespace graze::query_times_test
