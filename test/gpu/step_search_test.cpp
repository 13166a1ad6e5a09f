#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <set>

#include "graze/generate/random.h"
#include "graze/generate/scenes.h"
#include "graze/gpu.h"
#include "graze/io/mesh_files.h"
#include "test/gpu/device_rows.h"
#include "test/gpu/on_engines.h"
#include "test/gpu/same_bits.h"
#include "test/support/data.h"
#include "test/support/meshes.h"

namespace graze::step_search_test {
namespace {

using test::same_bits;

OwnedMotion scene(const char* name, const char* first, const char* second) {
  const auto frames = test::data_folder() / "scenes" / name / "frames";
  io::MeshFrame start = io::read_mesh(frames / first), end = io::read_mesh(frames / second);
  return {std::move(start.mesh), std::move(start.positions), std::move(end.positions)};
}
OwnedMotion data_scene(int index) {
  if (index == 0) return scene("cloth-funnel", "227.ply", "228.ply");
  if (index == 1) return scene("armadillo-rollers", "326.ply", "327.ply");
  return scene("cloth-ball", "cloth_ball92.ply", "cloth_ball93.ply");
}

class GpuSearch : public test::OnEngines {
 protected:
  void compare_first(const gpu::FirstAnswer& found, const FirstImpact& expected) {
    ASSERT_TRUE(found.outcome) << found.outcome.message;
    ASSERT_TRUE(same_bits(found.impact, expected.impact))
        << found.impact.toi << " " << expected.impact.toi;
    EXPECT_EQ(found.work.start_contacts, expected.work.start_contacts);
    if (expected.impact.verdict != Verdict::contact) return;
    EXPECT_EQ(found.kind, expected.kind);
    EXPECT_EQ(found.pair, expected.pair);
  }
  void compare_all(const gpu::AllAnswer& found, const AllImpacts& expected) {
    ASSERT_TRUE(found.outcome) << found.outcome.message;
    EXPECT_EQ(found.verdict, expected.verdict);
    EXPECT_EQ(found.complete, expected.complete);
    EXPECT_TRUE(same_bits(found.toi, expected.toi));
    ASSERT_EQ(found.impacts.size(), expected.impacts.size());
    for (std::size_t i = 0; i < found.impacts.size(); ++i)
      ASSERT_TRUE(same_bits(found.impacts[i], expected.impacts[i]))
          << i << ": " << found.impacts[i].impact.toi << " " << expected.impacts[i].impact.toi;
    contacts_ += expected.impacts.size();
    for (const StepImpact& impact : expected.impacts) kinds_.insert(impact.kind);
  }
  void compare_free_step(gpu::StepSearch& search, const OwnedMotion& motion, double keep_distance,
                         const StepOptions& options = {}) {
    const gpu::FreeStepAnswer found =
        search.collision_free_step(motion.start, motion.end, keep_distance, options);
    ASSERT_TRUE(found.outcome) << found.outcome.message;
    const double expected = collision_free_step(motion.moving(), keep_distance, options);
    ASSERT_TRUE(same_bits(found.step, expected)) << found.step << " " << expected;
    if (expected == 0)
      steps_.insert(0);
    else
      steps_.insert(expected < options.query.t_max ? 1 : 2);
  }
  // Compares the answers for a step with those of graze/step.h.
  void compare(gpu::StepSearch& search, const OwnedMotion& motion,
               const StepOptions& options = {}) {
    compare_all(search.all_impacts(motion.start, motion.end, options),
                all_impacts(motion.moving(), options));
    compare_first(search.earliest_impact(motion.start, motion.end, options),
                  earliest_impact(motion.moving(), options));
  }
  void compare_pairs(gpu::StepSearch& search, const OwnedMotion& motion,
                     const PairOptions& options = {}) {
    const gpu::PairsAnswer pairs = search.find_pairs(motion.start, motion.end, options);
    ASSERT_TRUE(pairs.outcome) << pairs.outcome.message;
    const Pairs expected = collect_pairs(motion.moving(), options);
    EXPECT_TRUE(static_cast<const Pairs&>(pairs) == expected)
        << pairs.vertex_face.size() << " " << expected.vertex_face.size() << ", "
        << pairs.edge_edge.size() << " " << expected.edge_edge.size() << ", "
        << pairs.vertex_edge.size() << " " << expected.vertex_edge.size() << ", "
        << pairs.vertex_vertex.size() << " " << expected.vertex_vertex.size();
  }

  std::size_t contacts_ = 0;  // that were compared
  std::set<Kind> kinds_;
  std::set<int> steps_;  // collision-free steps: 0, shortened (1), whole (2)
};
GRAZE_ON_ENGINES(GpuSearch);

TEST_P(GpuSearch, FindsTheImpactsOfTheCpuOnDataScenes) {
  GRAZE_SKIP_WITHOUT_DATA();
  for (int i = 0; i < 3; ++i) {
    const OwnedMotion motion = data_scene(i);
    gpu::StepSearch search(motion.mesh);
    ASSERT_TRUE(search.outcome()) << search.outcome().message;
    StepOptions options;
    options.start_check = false;
    test::HostEngine::work() = {};
    compare(search, motion, options);
    if (!on_device()) {
      EXPECT_LT(test::HostEngine::work().open, 200u) << i;
    }
    if (!on_device() && i > 0) continue;
    compare(search, motion);
    compare_pairs(search, motion);
    if (HasFatalFailure()) return;
  }
}

TEST_P(GpuSearch, FindsTheImpactsOfTheCpuOnMeshesWithDegeneracies) {
  test::HostEngine::work() = {};
  for (const test::MeshFamily& family : test::mesh_families)
    for (const std::uint32_t triangles : {1u, 2u, 24u})
      for (const double t_max : {1.0, 0.37})
        for (std::uint64_t seed = 0; seed < 2; ++seed) {
          SCOPED_TRACE(family.name);
          const OwnedMotion motion = test::random_mesh(family, triangles, seed);
          StepOptions options;
          options.query.t_max = t_max;
          options.start_check = seed == 0;
          gpu::StepSearch search(motion.mesh);
          compare(search, motion, options);
          // Now the motion is known, so open queries are answered during the search.
          compare(search, motion, options);
          compare_pairs(search, motion);
          if (HasFatalFailure()) return;
        }
  EXPECT_GT(contacts_, 1000u);
  if (!on_device()) {
    EXPECT_GT(test::HostEngine::work().answered_open, 10u);
    EXPECT_GT(test::HostEngine::work().opened_at_once, 10u);
  }
  EXPECT_EQ(kinds_.size(), 5u);  // all kinds of contacts
}

TEST_P(GpuSearch, SortsFewAndManyContactsInTurn) {
  const generate::FrameSequence cone = generate::find_scene_recipe("cloth_on_cone")->make(4000, 3);
  const MovingMesh moving = cone.step(1);
  gpu::StepSearch search(cone.mesh);
  std::set<bool> many;
  for (const double t_max : {1.0, 1.0, 0.01, 0.01, 1.0, 0.2, 0.2, 1.0}) {
    StepOptions options;
    options.query.t_max = t_max;
    options.start_check = false;
    const AllImpacts expected = all_impacts(moving, options);
    many.insert(expected.impacts.size() > 512);
    compare_all(search.all_impacts(moving.start, moving.end, options), expected);
    if (HasFatalFailure()) return;
  }
  EXPECT_EQ(many.size(), 2u);
}

TEST_P(GpuSearch, AnswersTheDegenerateScenes) {
  const auto triangles = [](std::size_t count, auto&& place) {
    std::vector<Face> faces;
    OwnedMotion motion;
    for (std::uint32_t i = 0; i < count; ++i) {
      faces.push_back({3 * i, 3 * i + 1, 3 * i + 2});
      for (int c = 0; c < 3; ++c) {
        motion.start.push_back(place(i, c, 0));
        motion.end.push_back(place(i, c, 1));
      }
    }
    motion.mesh = make_mesh(motion.start.size(), faces);
    return motion;
  };
  const Vec3 corner[3] = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};
  const OwnedMotion scenes[] = {
      triangles(0, [&](auto, int, int) { return Vec3(0, 0, 0); }),
      triangles(1, [&](auto, int c, int) { return corner[c]; }),
      // Everything lies and moves in one plane.
      triangles(60,
                [&](auto i, int c, int t) {
                  return Vec3(corner[c] + Vec3(0.37 * i, (i % 7) * (t ? 0.21 : 0.2), 0));
                }),
      // All vertices are equal.
      triangles(30, [&](auto, int, int) { return Vec3(1, 2, 3); }),
      // One huge triangle over many small ones.
      triangles(200,
                [&](auto i, int c, int t) {
                  if (i == 0)
                    return Vec3(1e6 * (corner[c] - Vec3(0.3, 0.3, 0)) + Vec3(0, 0, t ? -1 : 1));
                  return Vec3(0.01 * corner[c] + Vec3(0.1 * (i % 14), 0.1 * (i / 14), 0.001 * i));
                }),
      triangles(40,
                [&](auto i, int c, int t) {
                  return Vec3(1e300 * (corner[c] + Vec3(0.2 * i, 0.1 * i, t ? 0 : 0.5 * (i % 3))));
                }),
      triangles(40,
                [&](auto i, int c, int t) {
                  return Vec3(5e-324 * (4 * corner[c] + Vec3(i, i % 5, t ? 0 : i % 3)));
                }),
  };
  for (const OwnedMotion& motion : scenes) {
    SCOPED_TRACE(&motion - scenes);
    gpu::StepSearch search(motion.mesh);
    compare(search, motion);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(contacts_, 200u);
}

TEST_P(GpuSearch, AnswersStepsOneAfterTheOther) {
  const generate::FrameSequence frames = generate::scene_recipes()[0].make(3000, 6);
  gpu::StepSearch search(frames.mesh);
  for (std::size_t k = 0; k + 1 < frames.frames.size(); k += on_device() ? 1 : 2) {
    const MovingMesh moving = frames.step(k);
    compare_all(search.all_impacts(moving.start, moving.end), all_impacts(moving));
    compare_first(search.earliest_impact(moving.start, moving.end), earliest_impact(moving));
    if (k == 2) search.renew_order();
  }
}

TEST_P(GpuSearch, AppliesTheFilters) {
  generate::Random random("filters", 0, 1, 0);
  std::size_t filtered = 0;
  for (std::uint32_t round = 0; round < 12; ++round)
    for (const int family : {0, 3}) {
      const OwnedMotion motion = test::random_mesh(test::mesh_families[family], 30, 100 + round);
      const std::size_t n = motion.mesh.vertex_count;
      std::vector<std::uint8_t> is_static(n), meets(16);
      std::vector<std::uint32_t> group(n);
      std::vector<CategoryMask> masks(n);
      for (std::size_t v = 0; v < n; ++v) {
        is_static[v] = random.one_in(2);
        group[v] = static_cast<std::uint32_t>(v / 12 % 4);
        masks[v] = {1u << (v % 5), random.one_in(2) ? 0x15u : 0xbu};
      }
      for (std::size_t g = 0; g < 4; ++g)
        for (std::size_t h = g; h < 4; ++h) meets[4 * g + h] = meets[4 * h + g] = random.one_in(2);
      const GroupPair listed[] = {{0, 1}, {3, 2}, {2, 2}, {0, 1}};
      StepOptions options;
      PairFilter& filter = options.pairs.filter;
      if (round % 6 == 0) filter.is_static = is_static;
      if (round % 6 != 3) filter.group = group;
      if (round % 6 == 1) filter.within_group = false;
      if (round % 6 == 2) filter.meets = meets;
      if (round % 6 == 3) filter.masks = masks;
      if (round % 6 >= 4) filter.group_pairs = listed;
      if (round % 6 == 5) filter.listed = ListedPairs::only;
      if (round >= 6)
        filter.admits = [](Kind kind, const Pair& pair) {
          return (pair.a + pair.b + static_cast<std::uint32_t>(kind)) % 3 > 0;
        };
      gpu::StepSearch search(motion.mesh);
      compare(search, motion, options);
      compare_pairs(search, motion, options.pairs);
      compare(search, motion);  // without a filter again
      filtered += all_impacts(motion.moving()).impacts.size() -
                  all_impacts(motion.moving(), options).impacts.size();
      if (HasFatalFailure()) return;
    }
  EXPECT_GT(filtered, 1000u);
  EXPECT_GT(contacts_, 1000u);
}

TEST_P(GpuSearch, KeepsASeparation) {
  for (const int family : {0, 2, 3, 5, 9})
    for (const double separation : {0x1p-1074, 1e-3, 0.25}) {
      SCOPED_TRACE(test::mesh_families[family].name);
      const OwnedMotion motion = test::random_mesh(test::mesh_families[family], 5, 9);
      StepOptions options;
      options.query.min_separation = separation;
      options.query.t_max = separation == 1e-3 ? 0.6 : 1;
      gpu::StepSearch search(motion.mesh);
      compare(search, motion, options);
      PairOptions pairs;
      pairs.separation = separation;
      compare_pairs(search, motion, pairs);
      if (HasFatalFailure()) return;
    }
  EXPECT_GT(contacts_, 300u);
}

TEST_P(GpuSearch, FindsTheCollisionFreeStepOfTheCpu) {
  for (const test::MeshFamily& family : test::mesh_families)
    for (const double distance : {0.0, 1e-3, 0.1}) {
      SCOPED_TRACE(family.name);
      const OwnedMotion motion = test::random_mesh(family, 5, 9);
      gpu::StepSearch search(motion.mesh);
      StepOptions options;
      compare_free_step(search, motion, distance, options);
      options.query.min_separation = 7;  // keep_distance replaces it
      options.start_check = false;
      compare_free_step(search, motion, distance, options);
      options.query.t_max = 0.01;
      options.at_start = StartContacts::skip;
      compare_free_step(search, motion, distance, options);
      if (HasFatalFailure()) return;
    }
  // Features that do not meet, then a vertex that meets a face.
  OwnedMotion motion;
  motion.mesh = make_mesh(4, std::vector<Face>{{0, 1, 2}});
  motion.start = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0.25, 0.25, 1)};
  motion.end = motion.start;
  gpu::StepSearch search(motion.mesh);
  for (const double z : {0.5, -1.0}) {
    motion.end[3][2] = z;
    for (const double distance : {0.0, 0.25}) compare_free_step(search, motion, distance);
  }
  EXPECT_EQ(steps_.size(), 3u);
  EXPECT_NEAR(search.collision_free_step(motion.start, motion.end, 0.25).step, 0.375, 1e-12);
  // Without an answer, or for invalid input, the step is 0.
  const std::vector<double> radii(4, 0.1);
  StepOptions thick;
  thick.radii = radii;
  const gpu::FreeStepAnswer none =
      search.collision_free_step(motion.start, motion.end, 0.25, thick);
  EXPECT_EQ(none.outcome.status, gpu::Status::unsupported);
  EXPECT_EQ(none.step, 0);
  compare_free_step(search, motion, -1);
  motion.end[3][2] = Impact::nan;
  compare_free_step(search, motion, 0.25);
  EXPECT_EQ(search.collision_free_step(motion.start, motion.end, 0.25).step, 0);
}

TEST_P(GpuSearch, SkipsContactsAtTheStart) {
  for (const test::MeshFamily& family : test::mesh_families) {
    SCOPED_TRACE(family.name);
    const OwnedMotion motion = test::random_mesh(family, 16, 2);
    StepOptions options;
    options.at_start = StartContacts::skip;
    gpu::StepSearch search(motion.mesh);
    compare(search, motion, options);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(contacts_, 100u);
}

TEST_P(GpuSearch, TakesTheOtherOptions) {
  const OwnedMotion motion = test::random_mesh(test::mesh_families[3], 40, 5);
  gpu::StepSearch search(motion.mesh);
  StepOptions options;
  options.pairs.shared_vertices = true;
  compare(search, motion, options);
  compare_pairs(search, motion, options.pairs);
  options.pairs.stray_vertices = false;
  compare(search, motion, options);
  compare_pairs(search, motion, options.pairs);
  options = {};
  options.max_contacts = 7;
  compare(search, motion, options);
  options = {};
  std::size_t observed = 0;
  options.observer = [&](const MovingMesh&, const Pairs& pairs) {
    observed = pairs.edge_edge.size();
  };
  EXPECT_TRUE(search.all_impacts(motion.start, motion.end, options).outcome);
  EXPECT_GT(observed, 0u);
  for (const Method& method : methods()) {
    options = {};
    options.method = &method;
    const gpu::FirstAnswer first = search.earliest_impact(motion.start, motion.end, options);
    if (method.guarantee == Guarantee::exact) {
      compare_first(first, earliest_impact(motion.moving(), options));
    } else {
      EXPECT_EQ(first.outcome.status, gpu::Status::unsupported) << method.name;
      EXPECT_EQ(first.impact.toi, 0);
    }
  }
}

TEST_P(GpuSearch, LosesNoPairWhenListsAreTooShort) {
  const OwnedMotion motion = test::random_mesh(test::mesh_families[0], 200, 3);
  gpu::StepSearch::Settings settings;
  settings.first_packets = settings.first_pairs = settings.first_contacts = 1;
  gpu::StepSearch search(motion.mesh, settings);
  compare_all(search.all_impacts(motion.start, motion.end), all_impacts(motion.moving()));
  gpu::StepSearch other(motion.mesh, settings);
  compare_first(other.earliest_impact(motion.start, motion.end), earliest_impact(motion.moving()));
  compare_pairs(other, motion);
}

TEST_P(GpuSearch, RepeatsItsBits) {
  const char* const text = std::getenv("GRAZE_GPU_REPLAYS");
  const int replays = !on_device() ? 2 : text ? std::atoi(text) : 100;
  const OwnedMotion motion = test::random_mesh(test::mesh_families[0], on_device() ? 400 : 60, 4);
  gpu::StepSearch search(motion.mesh);
  StepOptions options;
  const AllImpacts expected = all_impacts(motion.moving(), options);
  const FirstImpact first = earliest_impact(motion.moving(), options);
  for (int i = 0; i < replays; ++i) {
    compare_all(search.all_impacts(motion.start, motion.end, options), expected);
    compare_first(search.earliest_impact(motion.start, motion.end, options), first);
    if (i % 50 == 49) search.renew_order();
    if (HasFatalFailure()) return;
  }
}

// The engine of the device has arrays whose size does not depend on the mesh, so its mesh is
// larger.
TEST_P(GpuSearch, AnswersInPartsWithATenthOfTheMemory) {
  for (const int family : {0, 2, 6}) {
    OwnedMotion motion;
    if (on_device()) {
      const generate::FrameSequence cone =
          generate::find_scene_recipe("cloth_on_cone")->make(60000, 3);
      motion = {cone.mesh, cone.frames[1], cone.frames[2]};
    } else {
      motion = test::random_mesh(test::mesh_families[family], 100, 8);
    }
    gpu::StepSearch::Settings settings;
    {
      gpu::StepSearch whole(motion.mesh, settings);
      compare(whole, motion);
      settings.memory_limit = whole.memory() / 10;
    }
    gpu::StepSearch search(motion.mesh, settings);
    ASSERT_TRUE(search.outcome()) << search.outcome().message;
    test::HostEngine::work() = {};
    compare(search, motion);
    if (!on_device()) {
      EXPECT_GT(test::HostEngine::work().engines, 8u);
    }
    compare_pairs(search, motion);
    StepOptions options;
    options.query.min_separation = 1e-2;
    options.start_check = false;
    compare_first(search.earliest_impact(motion.start, motion.end, options),
                  earliest_impact(motion.moving(), options));
    options = {};
    options.query.t_max = 0.7;
    options.max_contacts = 11;
    std::vector<std::uint32_t> group(motion.mesh.vertex_count);
    for (std::size_t v = 0; v < group.size(); ++v) group[v] = static_cast<std::uint32_t>(v % 2);
    options.pairs.filter.group = group;
    options.pairs.filter.within_group = false;
    compare(search, motion, options);
    search.renew_order();
    compare_first(search.earliest_impact(motion.start, motion.end),
                  earliest_impact(motion.moving()));
    if (HasFatalFailure() || on_device()) return;
  }
}

TEST_P(GpuSearch, ReportsThatMemoryIsNotEnough) {
  const OwnedMotion motion = test::random_mesh(test::mesh_families[0], 50, 4);
  gpu::StepSearch::Settings settings;
  settings.memory_limit = 1000;
  gpu::StepSearch search(motion.mesh, settings);
  for (int i = 0; i < 2; ++i) {
    const gpu::AllAnswer all = search.all_impacts(motion.start, motion.end);
    EXPECT_EQ(all.outcome.status, gpu::Status::out_of_memory) << all.outcome.message;
    EXPECT_FALSE(all.outcome.message.empty());
    EXPECT_EQ(all.verdict, Verdict::invalid);
    EXPECT_EQ(all.toi, 0);
    const gpu::FirstAnswer first = search.earliest_impact(motion.start, motion.end);
    EXPECT_EQ(first.outcome.status, gpu::Status::out_of_memory);
    EXPECT_EQ(first.impact.toi, 0);
    EXPECT_EQ(search.find_pairs(motion.start, motion.end).outcome.status,
              gpu::Status::out_of_memory);
  }
}

// Makes the n-th allocation of a search fail, for every n: the answer is right or reports that the
// memory does not suffice, and a later call is right.
TEST_P(GpuSearch, SurvivesAFailureOfEveryAllocation) {
  const OwnedMotion motion = test::random_mesh(test::mesh_families[0], 20, 4);
  const AllImpacts expected = all_impacts(motion.moving());
  const FirstImpact first = earliest_impact(motion.moving());
  gpu::StepSearch::Settings settings;
  settings.first_packets = settings.first_pairs = settings.first_contacts = 16;
  const std::vector<std::uint32_t> group(motion.mesh.vertex_count);
  StepOptions filtered;
  filtered.pairs.filter.group = group;
  filtered.pairs.filter.within_group = false;
  { gpu::StepSearch warm_up(motion.mesh); }
  const std::size_t free_before = test::free_device_memory();
  int failures = 0;
  for (long n = 0;; ++n) {
    gpu::allocations_before_failure = n;
    gpu::StepSearch search(motion.mesh, settings);
    gpu::AllAnswer all = search.all_impacts(motion.start, motion.end);
    const gpu::FirstAnswer none = search.earliest_impact(motion.start, motion.end, filtered);
    const bool failed = gpu::allocations_before_failure < 0;
    gpu::allocations_before_failure = -1;
    if (!failed) break;
    ++failures;
    if (all.outcome)
      compare_all(all, expected);
    else
      EXPECT_EQ(all.outcome.status, gpu::Status::out_of_memory) << n << all.outcome.message;
    if (none.outcome) {
      EXPECT_EQ(none.impact.verdict, Verdict::separated);
    } else {
      EXPECT_EQ(none.outcome.status, gpu::Status::out_of_memory) << n << none.outcome.message;
    }
    if (!search.outcome()) {
      EXPECT_EQ(search.outcome().status, gpu::Status::out_of_memory) << n;
      continue;
    }
    compare_all(search.all_impacts(motion.start, motion.end), expected);
    compare_first(search.earliest_impact(motion.start, motion.end), first);
    ASSERT_LT(n, 10000);
    if (HasFatalFailure()) return;
  }
  EXPECT_GE(failures, on_device() ? 30 : 4);
  EXPECT_EQ(test::free_device_memory(), free_before);
}

// Uses the same device twice, as two logical devices.
TEST_P(GpuSearch, SharesStepsOutAmongDevices) {
  const generate::FrameSequence frames = generate::scene_recipes()[0].make(1000, 7);
  const int devices[] = {0, 0};
  gpu::StepQueue queue(frames.mesh, devices);
  for (std::size_t k = 0; k + 1 < frames.frames.size(); ++k)
    queue.push(frames.frames[k], frames.frames[k + 1]);
  EXPECT_EQ(queue.size(), frames.frames.size() - 1);
  for (std::size_t k = 0; k + 1 < frames.frames.size(); ++k)
    compare_all(queue.pop(), all_impacts(frames.step(k)));
  EXPECT_EQ(queue.size(), 0u);
  queue.push({}, {});
  EXPECT_EQ(queue.pop().verdict, Verdict::invalid);
  queue.push(frames.frames[0], frames.frames[1]);  // and is destroyed
}

TEST_P(GpuSearch, UsesPositionsOnTheDevice) {
  const OwnedMotion motion = test::random_mesh(test::mesh_families[0], 80, 4);
  const test::DeviceRows start_rows(motion.start), end_rows(motion.end);
  const auto rows = [](const std::vector<Vec3>& x) {
    return gpu::DevicePositions{x[0].data(), x.size()};
  };
  const gpu::DevicePositions start = on_device() ? start_rows.positions() : rows(motion.start);
  const gpu::DevicePositions end = on_device() ? end_rows.positions() : rows(motion.end);
  std::size_t need = 0;
  for (const std::size_t limit : {0u, 10u}) {
    if (limit > 0 && on_device()) continue;  // arrays of constant size need more
    gpu::StepSearch::Settings settings;
    if (limit > 0) settings.memory_limit = need / limit;
    gpu::StepSearch search(motion.mesh, settings);
    for (const bool start_check : {false, true})
      for (const double separation : {0.0, 1e-3}) {
        StepOptions options;
        options.start_check = start_check;
        options.query.min_separation = separation;
        compare_first(search.earliest_impact(start, end, options),
                      earliest_impact(motion.moving(), options));
        const gpu::FreeStepAnswer step =
            search.collision_free_step(start, end, separation, options);
        ASSERT_TRUE(step.outcome) << step.outcome.message;
        EXPECT_TRUE(
            same_bits(step.step, collision_free_step(motion.moving(), separation, options)));
        const AllImpacts expected = all_impacts(motion.moving(), options);
        compare_all(search.all_impacts(start, end, options), expected);
        const gpu::ViewAnswer view = search.view_all_impacts(start, end, options);
        ASSERT_EQ(view.impacts.size(), expected.impacts.size());
        for (std::size_t i = 0; i < view.impacts.size(); ++i)
          ASSERT_TRUE(same_bits(view.impacts[i], expected.impacts[i])) << i;
        const gpu::DeviceAnswer left = search.all_impacts_on_device(start, end, options);
        if (limit > 0) {
          EXPECT_EQ(left.outcome.status, gpu::Status::out_of_memory);
          continue;
        }
        ASSERT_TRUE(left.outcome) << left.outcome.message;
        ASSERT_EQ(left.count, expected.impacts.size());
        EXPECT_TRUE(same_bits(left.toi, expected.toi));
        std::vector<StepImpact> copy(left.count);
        if (on_device())
          test::copy_from_device(copy.data(), left.impacts, left.count * sizeof(StepImpact));
        else
          std::copy_n(static_cast<const StepImpact*>(left.impacts), left.count, copy.data());
        for (std::size_t i = 0; i < copy.size(); ++i)
          ASSERT_TRUE(same_bits(copy[i], expected.impacts[i])) << i;
      }
    need = search.memory();
  }
}

TEST_P(GpuSearch, AnswersInvalidWhereTheCpuDoes) {
  OwnedMotion motion = test::random_mesh(test::mesh_families[0], 20, 4);
  gpu::StepSearch search(motion.mesh);
  StepOptions options;
  options.query.t_max = 2;
  compare(search, motion, options);
  options = {};
  options.query.min_separation = -1;
  compare(search, motion, options);
  const std::vector<std::uint32_t> group(3);
  options = {};
  options.pairs.filter.group = group;
  compare(search, motion, options);
  for (const double separation : {0.0, 0.1}) {
    options = {};
    options.query.min_separation = separation;
    motion.end[3][1] = Impact::nan;
    compare(search, motion, options);
    motion.end[3][1] = 0;
    compare(search, motion, options);
  }
  OwnedMotion shorter = motion;
  shorter.start.pop_back();
  compare(search, shorter);
  EXPECT_EQ(search.find_pairs(shorter.start, shorter.end).status, PairStatus::invalid);
  gpu::StepSearch::Settings settings;
  settings.memory_limit = 2000;
  gpu::StepSearch in_parts(motion.mesh, settings);
  motion.end[3][1] = Impact::inf;
  compare(in_parts, motion);
}

}  // namespace
}  // namespace graze::step_search_test
