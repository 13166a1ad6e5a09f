#include "graze/mpi.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <numeric>
#include <thread>

#include "graze/generate/random.h"
#include "graze/generate/scenes.h"
#include "graze/io/mesh_files.h"
#include "test/support/data.h"
#include "test/support/meshes.h"
#include "test/support/scale.h"

namespace graze::step_test {
namespace {

int rank_of(MPI_Comm comm = MPI_COMM_WORLD) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
int size_of_world() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

// Returns where each rank's part of `count` elements begins; the last element is `count`. Some
// parts are empty.
std::vector<std::size_t> cuts(std::size_t count, generate::Random& random) {
  std::vector<std::size_t> result = {0, count};
  for (int r = 1; r < size_of_world(); ++r)
    result.push_back(static_cast<std::size_t>(random.uniform(0, 1) * double(count + 1)));
  std::sort(result.begin(), result.end());
  return result;
}

// This rank's part of a mesh, divided at random. Every rank makes the same random numbers.
struct Part {
  Part(const OwnedMotion& motion, std::uint64_t seed) {
    generate::Random random("parts", 0, seed, 0);
    const auto rank = static_cast<std::size_t>(rank_of());
    const auto take = [&](const auto& all, auto& mine, const std::vector<std::size_t>& at) {
      mine.assign(all.begin() + std::ptrdiff_t(at[rank]),
                  all.begin() + std::ptrdiff_t(at[rank + 1]));
    };
    const auto vertices = cuts(motion.start.size(), random);
    take(motion.start, owned.start, vertices);
    take(motion.end, owned.end, vertices);
    take(motion.mesh.faces, owned.faces, cuts(motion.mesh.faces.size(), random));
    std::vector<Edge> rods;
    for (const std::uint32_t rod : motion.mesh.rods) rods.push_back(motion.mesh.edges[rod]);
    take(rods, owned.rods, cuts(rods.size(), random));
    first_vertex = vertices[rank];
  }
  mpi::OwnedPart owned;
  std::size_t first_vertex = 0;
};

bool same_bits(double a, double b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b));
}

::testing::AssertionResult same(const StepImpact& a, const StepImpact& b) {
  const Impact &x = a.impact, &y = b.impact;
  if (x.verdict == Verdict::separated && y.verdict == Verdict::separated)
    return ::testing::AssertionSuccess();
  bool equal = a.kind == b.kind && a.pair == b.pair && x.verdict == y.verdict && x.kind == y.kind &&
               same_bits(x.toi, y.toi) && same_bits(x.toi_hi, y.toi_hi) && same_bits(x.u, y.u) &&
               same_bits(x.v, y.v);
  for (int k = 0; k < 3; ++k) equal = equal && same_bits(x.normal[k], y.normal[k]);
  if (equal) return ::testing::AssertionSuccess();
  const auto text = [](const StepImpact& found) {
    std::ostringstream out;
    out.precision(17);
    out << name(found.impact.verdict) << " " << name(found.kind) << " " << found.pair.a << " "
        << found.pair.b << " toi " << found.impact.toi << " u " << found.impact.u;
    return out.str();
  };
  return ::testing::AssertionFailure() << text(a) << " is not " << text(b);
}

std::vector<StepImpact> gathered(const std::vector<StepImpact>& mine) {
  const int bytes = static_cast<int>(mine.size() * sizeof(StepImpact));
  std::vector<int> counts(static_cast<std::size_t>(size_of_world())), first = counts;
  MPI_Allgather(&bytes, 1, MPI_INT, counts.data(), 1, MPI_INT, MPI_COMM_WORLD);
  std::exclusive_scan(counts.begin(), counts.end(), first.begin(), 0);
  std::vector<StepImpact> all(std::size_t(first.back() + counts.back()) / sizeof(StepImpact));
  MPI_Allgatherv(mine.data(), bytes, MPI_BYTE, all.data(), counts.data(), first.data(), MPI_BYTE,
                 MPI_COMM_WORLD);
  return all;
}

// Returns the number of random meshes: `count` times the scale, and at scale 1 fewer on many ranks,
// which share few cores here.
std::size_t scaled_by_ranks(std::size_t count) {
  const auto ranks = static_cast<std::size_t>(size_of_world());
  return test::scaled(ranks > 3 && test::scale() <= 1 ? 2 * count / ranks : count);
}

// Counts over a whole test, which must not be 0.
struct Tally {
  std::size_t meshes = 0, contacts = 0, pierced = 0, free = 0;
};

// Compares the answers of all ranks with those of one process, computed by rank 0 alone. `part`: of
// this rank; `motion` is read on rank 0 alone.
void compare(const mpi::OwnedPart& part, const OwnedMotion& motion, const StepOptions& options,
             Tally& tally, const PairFilter& mine = {}) {
  StepOptions own = options;
  own.pairs.filter = mine;
  const Run run{.threads = 1};
  const mpi::FirstImpact first = mpi::earliest_impact(MPI_COMM_WORLD, part.part(), own, run);
  const mpi::AllImpacts all = mpi::all_impacts(MPI_COMM_WORLD, part.part(), own, run);
  const std::vector<StepImpact> impacts = gathered(all.impacts);
  if (rank_of() > 0) return;
  const FirstImpact one_first = earliest_impact(motion.moving(), options, run);
  const AllImpacts one_all = all_impacts(motion.moving(), options, run);
  EXPECT_TRUE(same(first, one_first));
  EXPECT_EQ(first.work.slabs, one_first.work.slabs);
  EXPECT_EQ(first.work.pairs, one_first.work.pairs);
  EXPECT_EQ(first.work.start_contacts, one_first.work.start_contacts);
  EXPECT_EQ(all.verdict, one_all.verdict);
  EXPECT_EQ(all.toi, one_all.toi);
  EXPECT_EQ(all.complete, one_all.complete);
  EXPECT_EQ(all.work.pairs, one_all.work.pairs);
  ASSERT_EQ(impacts.size(), one_all.impacts.size());
  EXPECT_EQ(all.contacts + all.undecided, impacts.size());
  for (std::size_t i = 0; i < impacts.size(); ++i)
    ASSERT_TRUE(same(impacts[i], one_all.impacts[i])) << i;
  if (!impacts.empty()) {
    EXPECT_TRUE(same(all.first, one_all.impacts[0]));
    const Vec3 position = contact_position(motion.moving(), one_all.impacts[0]);
    for (int k = 0; k < 3; ++k) EXPECT_TRUE(same_bits(all.first.position[k], position[k]));
  }
  EXPECT_EQ(all.first.counts.vertices, motion.mesh.vertex_count);
  EXPECT_EQ(all.first.counts.edges, motion.mesh.edges.size());
  EXPECT_EQ(all.first.counts.faces, motion.mesh.faces.size());
  ++tally.meshes;
  tally.contacts += impacts.size();
  for (const StepImpact& found : impacts) tally.pierced += found.kind == Kind::edge_face;
  tally.free += impacts.empty();
}

// The same for a mesh that is divided at random.
void compare(const OwnedMotion& motion, const StepOptions& options, std::uint64_t seed,
             Tally& tally, const PairFilter& mine = {}) {
  compare(Part(motion, seed).owned, motion, options, tally, mine);
}

// (1) of mpi::earliest_impact().
TEST(MpiStep, AnswersRandomMeshesAsOneProcess) {
  Tally tally;
  const std::size_t meshes = scaled_by_ranks(200);
  for (std::uint64_t seed = 0; seed < meshes; ++seed) {
    const auto& family = test::mesh_families[seed % std::size(test::mesh_families)];
    const auto triangles = static_cast<std::uint32_t>(seed % 7 == 0 ? 1 + seed % 5 : 3 + seed % 16);
    const OwnedMotion motion = test::random_mesh(family, triangles, seed);
    SCOPED_TRACE(std::string(family.name) + ", seed " + std::to_string(seed));
    StepOptions options;
    if (seed % 3 == 1) options.at_start = StartContacts::skip;
    if (seed % 4 == 1) options.pairs.shared_vertices = true;
    if (seed % 5 == 2) options.start_check = false;
    if (seed % 6 == 3) options.query.t_max = 0.6;
    if (seed % 8 == 5) options.query.min_separation = 0.01;
    if (seed % 9 == 4) options.max_contacts = 5;
    compare(motion, options, seed, tally);
  }
  if (rank_of() > 0) return;
  EXPECT_EQ(tally.meshes, meshes);
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(tally.contacts, 10 * tally.meshes);
  EXPECT_GT(tally.pierced, tally.meshes / 10);
}

// (1), also for the filters, whose spans have one element per vertex of the part.
TEST(MpiStep, AppliesFiltersAsOneProcess) {
  Tally tally;
  for (std::uint64_t seed = 0; seed < scaled_by_ranks(20); ++seed) {
    const OwnedMotion motion = test::random_mesh(test::mesh_families[seed % 3], 12, seed);
    SCOPED_TRACE(seed);
    std::vector<std::uint8_t> is_static;
    std::vector<std::uint32_t> group;
    std::vector<CategoryMask> masks;
    for (std::uint32_t v = 0; v < motion.mesh.vertex_count; ++v) {
      is_static.push_back(v % 5 < 3);
      group.push_back(v / 7 % 3);
      masks.push_back({v % 2 + 1, v % 11 == 0 ? 1u : 3u});
    }
    const std::vector<std::uint8_t> meets = {1, 1, 0, 1, 1, 1, 0, 1, 1};
    StepOptions options;
    PairFilter& filter = options.pairs.filter;
    filter.is_static = is_static;
    filter.group = group;
    filter.meets = meets;
    filter.masks = masks;
    const Part part(motion, seed);
    PairFilter mine = filter;
    mine.is_static = filter.is_static.subspan(part.first_vertex, part.owned.start.size());
    mine.group = filter.group.subspan(part.first_vertex, part.owned.start.size());
    mine.masks = filter.masks.subspan(part.first_vertex, part.owned.start.size());
    compare(motion, options, seed, tally, mine);
  }
  if (rank_of() > 0) return;
  EXPECT_GT(tally.contacts, tally.meshes);
}

// (1), for every method and every strategy.
TEST(MpiStep, UsesEveryMethodAndStrategyAsOneProcess) {
  if (size_of_world() > 3 && test::scale() <= 1)
    GTEST_SKIP() << "tested on up to 3 ranks; on more with GRAZE_TEST_SCALE above 1";
  Tally tally;
  const OwnedMotion motion = test::random_mesh(test::mesh_families[2], 10, 1);
  StepOptions options;
  for (const Method& method : methods()) {
    if (!method.vertex_face || !method.edge_edge) continue;
    SCOPED_TRACE(std::string(method.name));
    options.method = &method;
    compare(motion, options, 1, tally);
  }
  options.method = nullptr;
  for (const PairStrategy& strategy : pair_strategies()) {
    SCOPED_TRACE(std::string(strategy.name));
    options.strategy = &strategy;
    compare(motion, options, 1, tally);
  }
  if (rank_of() > 0) return;
  EXPECT_GT(tally.meshes, pair_strategies().size() + 1);
}

// (1), for meshes that leave ranks without work: no mesh, one point, fewer features than ranks, all
// features in one cell beside one that is far away, and large faces that touch every region.
TEST(MpiStep, AnswersUnevenMeshesAsOneProcess) {
  Tally tally;
  compare({}, {}, 1, tally);
  compare({make_mesh(1, {}), {Vec3::Zero()}, {Vec3::Ones()}}, {}, 1, tally);
  const auto triangle_and_point = [](double scale) {
    OwnedMotion motion{make_mesh(4, {{0, 1, 2}}), {}, {}};
    motion.start = {{0, 0, 0}, {scale, 0, 0}, {0, scale, 0}, {scale / 4, scale / 4, scale}};
    motion.end = motion.start;
    motion.end[3][2] = -scale;
    return motion;
  };
  compare(triangle_and_point(1), {}, 1, tally);
  compare(triangle_and_point(1e-300), {}, 2, tally);
  compare(triangle_and_point(1e300), {}, 3, tally);
  OwnedMotion cell = test::random_mesh(test::mesh_families[0], 20, 1);
  cell.start.back() = Vec3::Constant(1e300);
  cell.end.back() = Vec3::Constant(1.5e300);
  compare(cell, {}, 4, tally);
  OwnedMotion floor = test::random_mesh(test::mesh_families[2], 40, 1);
  const auto first = static_cast<std::uint32_t>(floor.start.size());
  std::vector<Face> faces = floor.mesh.faces;
  faces.push_back({first, first + 1, first + 2});
  faces.push_back({first, first, first});
  floor.mesh = make_mesh(first + 3, faces);
  for (const Vec3& corner : {Vec3(-9, -9, 0), Vec3(9, -9, 0), Vec3(0, 9, 0)}) {
    floor.start.push_back(corner);
    floor.end.push_back(corner);
  }
  compare(floor, {}, 5, tally);
  if (rank_of() > 0) return;
  EXPECT_EQ(tally.meshes, 7u);
  EXPECT_GT(tally.contacts, 100u);
}

// (1), for a cloth, whose regions are small compared with the mesh.
TEST(MpiStep, AnswersACloth) {
  Tally tally;
  const generate::FrameSequence cloth = generate::find_scene_recipe("cloth_on_cone")->make(3000, 3);
  for (const std::size_t frame : {0u, 1u})
    compare({cloth.mesh, cloth.frames[frame], cloth.frames[frame + 1]}, {}, frame, tally);
  if (rank_of() > 0) return;
  EXPECT_GT(tally.contacts, 10u);
}

// Returns the files and folders in a folder, in the same order on every rank.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder) {
  const std::filesystem::directory_iterator inside(folder);
  std::vector<std::filesystem::path> entries(begin(inside), end(inside));
  std::sort(entries.begin(), entries.end());
  return entries;
}

// (1), for the scenes of GRAZE_DATA, whose files each rank reads in part.
TEST(MpiStep, AnswersRealScenesAsOneProcess) {
  GRAZE_SKIP_WITHOUT_DATA();
  Tally tally;
  for (const auto& scene : entries_of(test::data_folder() / "scenes")) {
    const std::vector<std::filesystem::path> frames = entries_of(scene / "frames");
    for (std::size_t i = 1; i < frames.size(); ++i) {
      SCOPED_TRACE(frames[i]);
      const mpi::OwnedPart part = mpi::read_motion(MPI_COMM_WORLD, frames[i - 1], frames[i]);
      OwnedMotion motion;
      if (rank_of() == 0) motion = io::read_motion(frames[i - 1], frames[i]);
      compare(part, motion, {}, tally);
    }
  }
  if (rank_of() > 0) return;
  EXPECT_GT(tally.meshes, 2u);
  EXPECT_GT(tally.contacts, 100 * tally.meshes);
}

// (2): the features of a region are a part of the mesh.
TEST(MpiStep, GivesEachRankAPartOfTheMesh) {
  const generate::FrameSequence cloth =
      generate::find_scene_recipe("cloth_on_cone")->make(20000, 3);
  const OwnedMotion motion{cloth.mesh, cloth.frames[0], cloth.frames[1]};
  const Part part(motion, 1);
  const mpi::FirstImpact first =
      mpi::earliest_impact(MPI_COMM_WORLD, part.owned.part(), {}, {.threads = 1});
  const double even = double(motion.mesh.faces.size()) / size_of_world();
  EXPECT_LT(double(first.share.faces), 2.5 * even + 500);
}

// (3)
TEST(MpiStep, IsInvalidOnEveryRankIfAnyPartIs) {
  const OwnedMotion motion = test::random_mesh(test::mesh_families[0], 12, 1);
  const auto verdict = [&](const mpi::MeshPart& part, const StepOptions& options = {}) {
    const Verdict all = mpi::all_impacts(MPI_COMM_WORLD, part, options).verdict;
    EXPECT_EQ(mpi::earliest_impact(MPI_COMM_WORLD, part, options).impact.verdict, all);
    return all;
  };
  const int last = size_of_world() - 1;
  Part part(motion, 1);
  const auto last_vertices = [&] {
    if (part.owned.start.empty()) {
      part.owned.start.emplace_back();
      part.owned.end.emplace_back();
    }
  };
  EXPECT_EQ(verdict(part.owned.part()), Verdict::contact);
  last_vertices();
  if (rank_of() == last) part.owned.end[0][1] = Impact::nan;
  EXPECT_EQ(verdict(part.owned.part()), Verdict::invalid);
  part = Part(motion, 1);
  if (rank_of() == last) part.owned.faces.push_back({0, 1, 4000000000u});
  EXPECT_EQ(verdict(part.owned.part()), Verdict::invalid);
  part = Part(motion, 1);
  if (rank_of() == last) part.owned.end.emplace_back();
  EXPECT_EQ(verdict(part.owned.part()), Verdict::invalid);
  part = Part(motion, 1);
  StepOptions options;
  options.pairs.filter.admits = [](Kind, const Pair&) { return true; };
  EXPECT_EQ(verdict(part.owned.part(), options), Verdict::invalid);
}

// (4)
TEST(MpiStep, StopsOnAllRanksIfOneStops) {
  const OwnedMotion motion = test::random_mesh(test::mesh_families[0], 30, 1);
  const Part part(motion, 1);
  const std::atomic<bool> stop = rank_of() == size_of_world() - 1;
  const graze::Run run{.threads = 1, .stop = &stop};
  const mpi::FirstImpact first = mpi::earliest_impact(MPI_COMM_WORLD, part.owned.part(), {}, run);
  EXPECT_EQ(first.impact.verdict, Verdict::undecided);
  EXPECT_EQ(first.impact.toi, 0);
  EXPECT_EQ(mpi::all_impacts(MPI_COMM_WORLD, part.owned.part(), {}, run).verdict,
            Verdict::undecided);
}

// (4), in the middle of a query that takes a minute: a vertex that slides along a triangle in an
// oblique plane, at a distance of 1e-9, answered by a method of bisection without a budget.
TEST(MpiStep, StopsInTheMiddleOfAQuery) {
  OwnedMotion motion{make_mesh(4, {{0, 1, 2}}), {}, {}};
  motion.start = {{0, 0, 0}, {1, 1, -2}, {1, -1, 0}, {0.1 + 1e-9, -0.05 + 1e-9, -0.05 + 1e-9}};
  motion.end = motion.start;
  motion.end[3] = {0.9 + 1e-9, -0.45 + 1e-9, -0.45 + 1e-9};
  const Part part(motion, 1);
  StepOptions options;
  options.method = find_method("tight_inclusion");
  options.query.distance_tol = 1e-13;
  options.query.max_checks = 0;
  const int rank = rank_of();
  for (const int stopping : {0, size_of_world() - 1}) {
    std::atomic<bool> stop = false;
    std::thread timer([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      stop = rank == stopping;
    });
    const graze::Run run{.threads = 1, .stop = &stop};
    const auto begin = std::chrono::steady_clock::now();
    const mpi::FirstImpact first =
        mpi::earliest_impact(MPI_COMM_WORLD, part.owned.part(), options, run);
    const auto ended = std::chrono::steady_clock::now();
    timer.join();
    EXPECT_EQ(first.impact.verdict, Verdict::undecided);
    EXPECT_LT(ended - begin, std::chrono::seconds(20));
  }
}

}  // namespace
}  // namespace graze::step_test
