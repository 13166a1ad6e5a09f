#include "graze/gpu.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

#include "graze/generate/families.h"
#include "graze/generate/scenes.h"
#include "graze/io/mesh_files.h"
#include "test/gpu/device_rows.h"
#include "test/gpu/same_bits.h"
#include "test/gpu/twin.h"
#include "test/support/data.h"
#include "test/support/meshes.h"

namespace graze {
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

// A surface without rods and points.
OwnedMotion surface(const test::MeshFamily& family, std::uint32_t triangles, std::uint64_t seed) {
  OwnedMotion motion = test::random_mesh(family, triangles, seed);
  std::vector<std::uint32_t> place(motion.mesh.vertex_count, no_edge);
  std::vector<Face> faces = motion.mesh.faces;
  OwnedMotion result;
  std::erase_if(faces, [](const Face& f) { return f[0] == f[1] || f[1] == f[2] || f[2] == f[0]; });
  for (Face& face : faces)
    for (std::uint32_t& vertex : face) {
      if (place[vertex] == no_edge) {
        place[vertex] = static_cast<std::uint32_t>(result.start.size());
        result.start.push_back(motion.start[vertex]);
        result.end.push_back(motion.end[vertex]);
      }
      vertex = place[vertex];
    }
  result.mesh = make_mesh(result.start.size(), faces);
  return result;
}

void expect_same(const AllImpacts& found, const AllImpacts& expected) {
  EXPECT_EQ(found.verdict, expected.verdict);
  EXPECT_EQ(found.complete, expected.complete);
  EXPECT_TRUE(same_bits(found.toi, expected.toi));
  ASSERT_EQ(found.impacts.size(), expected.impacts.size());
  for (std::size_t i = 0; i < found.impacts.size(); ++i)
    ASSERT_TRUE(same_bits(found.impacts[i], expected.impacts[i]))
        << i << ": " << found.impacts[i].impact.toi << " " << expected.impacts[i].impact.toi;
}
void expect_same(const FirstImpact& found, const FirstImpact& expected) {
  ASSERT_TRUE(same_bits(found.impact, expected.impact))
      << found.impact.toi << " " << expected.impact.toi;
  if (expected.impact.verdict != Verdict::contact) return;
  EXPECT_EQ(found.kind, expected.kind);
  EXPECT_EQ(found.pair, expected.pair);
}

// ---- without a device --------------------------------------------------------------------------

TEST(GpuTwin, FindsTheImpactsOfTheCpuOnDataScenes) {
  GRAZE_SKIP_WITHOUT_DATA();
  for (int i = 0; i < 3; ++i) {
    const OwnedMotion motion = data_scene(i);
    StepOptions options;
    options.start_check = false;
    const AllImpacts expected = all_impacts(motion.moving(), options);
    test::Twin twin(motion.moving());
    const std::vector<StepImpact> found = twin.all();
    ASSERT_EQ(found.size(), expected.impacts.size()) << i;
    for (std::size_t k = 0; k < found.size(); ++k)
      ASSERT_TRUE(same_bits(found[k], expected.impacts[k])) << i << " " << k;
    EXPECT_LT(twin.work().open, 100u) << i;
  }
}

TEST(GpuTwin, FindsTheImpactsOfTheCpuOnSurfacesWithDegeneracies) {
  std::size_t contacts = 0;
  for (const test::MeshFamily& family : test::mesh_families) {
    const OwnedMotion motion = surface(family, 60, 5);
    StepOptions options;
    options.start_check = false;
    const AllImpacts expected = all_impacts(motion.moving(), options);
    const std::vector<StepImpact> found = test::Twin(motion.moving()).all();
    ASSERT_EQ(found.size(), expected.impacts.size()) << family.name;
    // The number of checks depends on the slabs of the search.
    for (std::size_t k = 0; k < found.size(); ++k)
      EXPECT_TRUE(same_bits(found[k].impact.toi, expected.impacts[k].impact.toi) &&
                  found[k].pair == expected.impacts[k].pair)
          << family.name << " " << k;
    contacts += found.size();
  }
  EXPECT_GT(contacts, 100u);
}

TEST(Gpu, SaysWhyThereIsNoDevice) {
  const gpu::Devices devices = gpu::devices();
  if (!devices.list.empty()) GTEST_SKIP() << "there is a device: " << devices.list[0].name;
  EXPECT_EQ(devices.outcome.status, gpu::Status::no_device);
  EXPECT_FALSE(devices.outcome.message.empty());
  const OwnedMotion motion = surface(test::mesh_families[0], 20, 1);
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

// ---- with a device -----------------------------------------------------------------------------

class GpuDevice : public testing::Test {
 protected:
  void SetUp() override {
    const gpu::Devices devices = gpu::devices();
    if (devices.list.empty()) GTEST_SKIP() << devices.outcome.message;
  }
};

TEST_F(GpuDevice, FindsTheImpactsOfTheCpuOnDataScenes) {
  GRAZE_SKIP_WITHOUT_DATA();
  for (int i = 0; i < 3; ++i) {
    const OwnedMotion motion = data_scene(i);
    gpu::StepSearch search(motion.mesh);
    ASSERT_TRUE(search.outcome()) << search.outcome().message;
    for (const bool start_check : {false, true}) {
      StepOptions options;
      options.start_check = start_check;
      const AllImpacts expected = all_impacts(motion.moving(), options);
      const gpu::AllAnswer all = search.all_impacts(motion.start, motion.end, options);
      ASSERT_TRUE(all.outcome) << all.outcome.message;
      expect_same(all, expected);
      const gpu::FirstAnswer first = search.earliest_impact(motion.start, motion.end, options);
      ASSERT_TRUE(first.outcome) << first.outcome.message;
      expect_same(first, earliest_impact(motion.moving(), options));
    }
    const gpu::PairsAnswer pairs = search.find_pairs(motion.start, motion.end);
    ASSERT_TRUE(pairs.outcome) << pairs.outcome.message;
    const Pairs expected_pairs = collect_pairs(motion.moving());
    EXPECT_TRUE(static_cast<const Pairs&>(pairs) == expected_pairs)
        << pairs.vertex_face.size() << " " << expected_pairs.vertex_face.size() << " "
        << pairs.edge_edge.size() << " " << expected_pairs.edge_edge.size();
  }
}

TEST_F(GpuDevice, FindsTheImpactsOfTheCpuOnSurfacesWithDegeneracies) {
  std::size_t contacts = 0;
  for (const test::MeshFamily& family : test::mesh_families)
    for (const std::uint32_t triangles : {1u, 2u, 60u})
      for (const double t_max : {1.0, 0.37})
        for (std::uint64_t seed = 0; seed < 3; ++seed) {
          const OwnedMotion motion = surface(family, triangles, seed);
          StepOptions options;
          options.query.t_max = t_max;
          options.start_check = seed == 0;
          gpu::StepSearch search(motion.mesh);
          const gpu::AllAnswer all = search.all_impacts(motion.start, motion.end, options);
          ASSERT_TRUE(all.outcome) << all.outcome.message;
          const AllImpacts expected = all_impacts(motion.moving(), options);
          SCOPED_TRACE(family.name);
          expect_same(all, expected);
          const gpu::FirstAnswer first = search.earliest_impact(motion.start, motion.end, options);
          ASSERT_TRUE(first.outcome) << first.outcome.message;
          expect_same(first, earliest_impact(motion.moving(), options));
          if (HasFatalFailure()) return;
          contacts += expected.impacts.size();
        }
  EXPECT_GT(contacts, 1000u);
}

TEST_F(GpuDevice, AnswersStepsOneAfterTheOther) {
  const generate::FrameSequence scene = generate::scene_recipes()[0].make(3000, 6);
  gpu::StepSearch search(scene.mesh);
  for (std::size_t k = 0; k + 1 < scene.frames.size(); ++k) {
    const MovingMesh moving = scene.step(k);
    expect_same(search.all_impacts(moving.start, moving.end), all_impacts(moving));
    expect_same(search.earliest_impact(moving.start, moving.end), earliest_impact(moving));
    if (k == 2) search.renew_order();
  }
}

TEST_F(GpuDevice, LosesNoPairWhenListsAreTooShort) {
  const OwnedMotion motion = surface(test::mesh_families[0], 700, 3);
  const AllImpacts expected = all_impacts(motion.moving());
  gpu::StepSearch::Settings settings;
  settings.first_packets = settings.first_pairs = settings.first_contacts = 1;
  gpu::StepSearch search(motion.mesh, settings);
  expect_same(search.all_impacts(motion.start, motion.end), expected);
  gpu::StepSearch other(motion.mesh, settings);
  expect_same(other.earliest_impact(motion.start, motion.end), earliest_impact(motion.moving()));
}

TEST_F(GpuDevice, RepeatsItsBits) {
  const OwnedMotion motion = surface(test::mesh_families[0], 700, 4);
  gpu::StepSearch search(motion.mesh);
  StepOptions options;
  options.start_check = false;
  const AllImpacts expected = all_impacts(motion.moving(), options);
  const FirstImpact first = earliest_impact(motion.moving(), options);
  for (int i = 0; i < 100; ++i) {
    expect_same(search.all_impacts(motion.start, motion.end, options), expected);
    expect_same(search.earliest_impact(motion.start, motion.end, options), first);
    if (HasFatalFailure()) return;
  }
}

TEST_F(GpuDevice, SaysThatMemoryIsNotEnoughAndWorksOn) {
  const OwnedMotion motion = surface(test::mesh_families[0], 700, 4);
  gpu::StepSearch::Settings settings;
  settings.memory_limit = 10000;
  const gpu::StepSearch none(motion.mesh, settings);
  EXPECT_EQ(none.outcome().status, gpu::Status::out_of_memory) << none.outcome().message;
  settings.first_packets = settings.first_pairs = settings.first_contacts = 16;
  settings.memory_limit = 0;
  const std::size_t least = gpu::StepSearch(motion.mesh, settings).memory();
  settings.memory_limit = least + 60000;
  gpu::StepSearch search(motion.mesh, settings);
  ASSERT_TRUE(search.outcome()) << search.outcome().message;
  const gpu::AllAnswer all = search.all_impacts(motion.start, motion.end);
  EXPECT_EQ(all.outcome.status, gpu::Status::out_of_memory);
  EXPECT_EQ(all.verdict, Verdict::invalid);
  // A step without a pair needs no list.
  std::vector<Vec3> line(motion.mesh.vertex_count);
  for (std::size_t i = 0; i < line.size(); ++i)
    line[i] = Vec3(double(i / 3 * 10), double(i % 3), 0);
  const gpu::FirstAnswer later = search.earliest_impact(line, line);
  EXPECT_TRUE(later.outcome || later.outcome.status == gpu::Status::out_of_memory)
      << later.outcome.message;
}

TEST_F(GpuDevice, UsesPositionsOnTheDevice) {
  for (const std::uint32_t triangles : {20u, 700u}) {
    const OwnedMotion motion = surface(test::mesh_families[0], triangles, 4);
    const test::DeviceRows start(motion.start), end(motion.end);
    gpu::StepSearch search(motion.mesh);
    for (const bool start_check : {false, true}) {
      StepOptions options;
      options.start_check = start_check;
      expect_same(search.earliest_impact(start.positions(), end.positions(), options),
                  earliest_impact(motion.moving(), options));
      const AllImpacts expected = all_impacts(motion.moving(), options);
      expect_same(search.all_impacts(start.positions(), end.positions(), options), expected);
      const gpu::ViewAnswer view =
          search.view_all_impacts(start.positions(), end.positions(), options);
      ASSERT_EQ(view.impacts.size(), expected.impacts.size());
      for (std::size_t i = 0; i < view.impacts.size(); ++i)
        ASSERT_TRUE(same_bits(view.impacts[i], expected.impacts[i])) << i;
      const gpu::DeviceAnswer left =
          search.all_impacts_on_device(start.positions(), end.positions(), options);
      ASSERT_TRUE(left.outcome) << left.outcome.message;
      ASSERT_EQ(left.count, expected.impacts.size());
      EXPECT_TRUE(same_bits(left.toi, expected.toi));
      std::vector<StepImpact> copy(left.count);
      test::copy_from_device(copy.data(), left.impacts, left.count * sizeof(StepImpact));
      for (std::size_t i = 0; i < copy.size(); ++i)
        ASSERT_TRUE(same_bits(copy[i], expected.impacts[i])) << i;
    }
  }
}

TEST_F(GpuDevice, RefusesWhatItDoesNotSupport) {
  const OwnedMotion motion = surface(test::mesh_families[0], 20, 4);
  gpu::StepSearch search(motion.mesh);
  StepOptions options;
  options.query.min_separation = 0.1;
  EXPECT_EQ(search.earliest_impact(motion.start, motion.end, options).outcome.status,
            gpu::Status::unsupported);
  options = {};
  options.at_start = StartContacts::skip;
  EXPECT_EQ(search.all_impacts(motion.start, motion.end, options).outcome.status,
            gpu::Status::unsupported);
  const OwnedMotion rods = test::random_mesh(test::mesh_families[0], 20, 4);
  gpu::StepSearch with_rods(rods.mesh);
  EXPECT_EQ(with_rods.earliest_impact(rods.start, rods.end).outcome.status,
            gpu::Status::unsupported);
}

TEST_F(GpuDevice, AnswersInvalidWhereTheCpuDoes) {
  OwnedMotion motion = surface(test::mesh_families[0], 20, 4);
  gpu::StepSearch search(motion.mesh);
  StepOptions options;
  options.query.t_max = 2;
  expect_same(search.earliest_impact(motion.start, motion.end, options),
              earliest_impact(motion.moving(), options));
  motion.end[3][1] = Impact::nan;
  expect_same(search.earliest_impact(motion.start, motion.end), earliest_impact(motion.moving()));
  expect_same(search.all_impacts(motion.start, motion.end), all_impacts(motion.moving()));
  motion.end[3][1] = 0;
  expect_same(search.all_impacts(motion.start, motion.end), all_impacts(motion.moving()));
  const OwnedMotion empty{make_mesh(0, {}), {}, {}};
  gpu::StepSearch nothing(empty.mesh);
  expect_same(nothing.earliest_impact(empty.start, empty.end), earliest_impact(empty.moving()));
  expect_same(nothing.all_impacts(empty.start, empty.end), all_impacts(empty.moving()));
}

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
}  // namespace graze
