#include "graze/broad/moving/moving_tree.h"

#include <gtest/gtest.h>

#include <hwy/highway.h>

#include <algorithm>
#include <atomic>
#include <boost/multiprecision/cpp_int.hpp>
#include <mutex>
#include <thread>

#include "graze/broad/moving/moving_bounds.h"
#include "graze/broad/slab_pairs.h"
#include "graze/broad/with_threads.h"
#include "graze/core/numeric/float_environment.h"
#include "graze/first_contact.h"
#include "graze/narrow/separation/separation_root.h"
#include "test/support/meshes.h"

namespace graze::broad::moving_tree_test {
namespace {

using Rational = boost::multiprecision::cpp_rational;
using test::mesh_families;
using test::random_mesh;

constexpr Slab slabs[] = {{0, 1}, {0, 0.1}, {0.3, 0.7}, {1.0 / 3, 1}, {0, 0x1p-1074}};

Pairs meeting_pairs(const MovingMesh& moving, const Slab& slab, const PairOptions& options,
                    int threads = 1) {
  Pairs pairs;
  std::mutex mutex;
  const PairConsumer collect = [&](Kind kind, std::span<const Pair> block) {
    const std::lock_guard lock(mutex);
    pairs.of(kind).insert(pairs.of(kind).end(), block.begin(), block.end());
  };
  find_pairs(moving, slab, collect, options, graze::Run{.threads = threads},
             default_pair_strategy(PairSet::meeting));
  for (std::size_t kind = 0; kind < kind_count; ++kind)
    std::sort(pairs.of(Kind(kind)).begin(), pairs.of(Kind(kind)).end());
  return pairs;
}

Rational position(const MovingMesh& moving, std::uint32_t v, int k, double t) {
  const Rational s(moving.start[v][k]), e(moving.end[v][k]);
  return s + Rational(t) * (e - s);
}

// Returns whether the pair touches during the slab or, for a slab from 0, comes within the
// separation.
template <class Query>
bool meets(const Query& query, const Slab& slab, double separation) {
  Options options{.t_max = slab.end, .min_separation = separation};
  if (separation > 0) {
    Impact impact;
    narrow::separation_root(std::span(&query, 1), {options}, std::span(&impact, 1));
    return slab.begin == 0 && impact.verdict == Verdict::contact;
  }
  const auto times = contact_times(query, options).intervals;
  return std::any_of(times.begin(), times.end(), [&](const ContactInterval& interval) {
    return interval.end_lo >= slab.begin && interval.begin_hi <= slab.end;
  });
}
bool meets(const MovingMesh& moving, Kind kind, const Pair& pair, const Slab& slab,
           double separation) {
  if (kind == Kind::vertex_face) return meets(moving.vertex_face(pair.a, pair.b), slab, separation);
  if (kind == Kind::edge_edge) return meets(moving.edge_edge(pair.a, pair.b), slab, separation);
  if (kind == Kind::vertex_edge)
    return meets(as_vertex_face(moving.vertex_edge(pair.a, pair.b)), slab, separation);
  return meets(as_vertex_face(moving.vertex_vertex(pair.a, pair.b)), slab, separation);
}

TEST(MovingTree, FindsEveryPairThatMeets1) {
  std::size_t wanted = 0, kept = 0, all = 0;
  for (const auto& family : mesh_families)
    for (const Slab& slab : slabs)
      for (const double separation : {0.0, 0.125}) {
        SCOPED_TRACE(testing::Message() << family.name << " " << slab.begin << " " << slab.end);
        const OwnedMotion motion = random_mesh(family, 8, 1);
        const MovingMesh moving = motion.moving();
        PairOptions options{.separation = separation};
        // Every second run has static vertices, whose features are in trees of their own.
        std::vector<std::uint8_t> is_static(motion.start.size());
        for (std::size_t v = 0; v < is_static.size(); ++v) is_static[v] = v % 5 < 3;
        if (separation > 0) options.filter.is_static = is_static;
        Pairs found = meeting_pairs(moving, slab, options);
        Pairs boxes = collect_pairs(moving, options, {}, *find_pair_strategy("brute_force"));
        for (std::size_t kind = 0; kind < kind_count; ++kind) {
          auto& pairs = found.of(Kind(kind));
          EXPECT_EQ(std::adjacent_find(pairs.begin(), pairs.end()), pairs.end());
          all += boxes.of(Kind(kind)).size();
          kept += pairs.size();
          for (const Pair& pair : boxes.of(Kind(kind))) {
            if (!meets(moving, Kind(kind), pair, slab, separation)) continue;
            ++wanted;
            EXPECT_TRUE(std::binary_search(pairs.begin(), pairs.end(), pair))
                << name(Kind(kind)) << " " << pair.a << " " << pair.b;
          }
        }
      }
  EXPECT_GT(wanted, all / 20);
  EXPECT_GT(all - kept, all / 5);  // many pairs are left out
}

// A vertex lies exactly in a face and two edges cross exactly, at one end of the step, at sizes
// down to the rounding of floats. Only the slack prevents a false proof of separation.
TEST(MovingTree, FindsPairsThatTouchAtOnePointOfTime1) {
  generate::Random random("touch", 0, 1, 0);
  constexpr std::uint32_t count = 500;
  std::vector<Face> faces;
  std::vector<Edge> rods;
  std::vector<Vec3> touching, apart;
  const auto fine = [&](double size, double unit) {
    const Vec3 x = random.cube(-size / unit, size / unit);
    return Vec3(unit * Vec3(std::round(x[0]), std::round(x[1]), std::round(x[2])));
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto first = static_cast<std::uint32_t>(touching.size());
    const Vec3 place = fine(100, 0x1p-10);
    const double size = std::ldexp(1.0, -static_cast<int>(i % 20));
    const Vec3 a = place + fine(size, 0x1p-38), b = place + fine(size, 0x1p-38);
    const Vec3 c = place + fine(size, 0x1p-38), d = place + fine(size, 0x1p-38);
    const Vec3 on_face = a + (b - a) * 0.25 + (c - a) * 0.375, on_edge = a + (b - a) * 0.75;
    touching.insert(touching.end(), {on_face, a, b, c, a, b, d, 2 * on_edge - d});
    faces.push_back({first + 1, first + 2, first + 3});
    rods.push_back({first + 4, first + 5});
    rods.push_back({first + 6, first + 7});
    for (int v = 0; v < 8; ++v)
      apart.push_back(touching[first + std::size_t(v)] + fine(size, 0x1p-38));
  }
  const Mesh mesh = make_mesh(8 * count, faces, rods);
  for (const bool at_end : {false, true}) {
    const MovingMesh moving{mesh, at_end ? apart : touching, at_end ? touching : apart};
    for (const Slab& slab : {Slab{0, 1}, Slab{0, 0.3}, Slab{0.3, 1}}) {
      if (at_end ? slab.end < 1 : slab.begin > 0) continue;
      const Pairs found = meeting_pairs(moving, slab, {});
      std::size_t vertex_faces = 0, edge_edges = 0;
      for (const Pair& pair : found.vertex_face) vertex_faces += pair.a == 8 * pair.b;
      for (const Pair& pair : found.edge_edge) {
        const Edge &a = mesh.edges[pair.a], &b = mesh.edges[pair.b];
        edge_edges +=
            std::min(a[0], b[0]) % 8 == 4 && std::max(a[0], b[0]) % 8 == 6 && a[0] / 8 == b[0] / 8;
      }
      EXPECT_EQ(vertex_faces, count);
      EXPECT_EQ(edge_edges, count);
    }
  }
}

TEST(MovingTree, GivesTheSamePairsOnAnyNumberOfThreads2) {
  for (const auto& family : mesh_families)
    for (const Slab& slab : slabs) {
      const OwnedMotion motion = random_mesh(family, 100, 1);
      const Pairs one = meeting_pairs(motion.moving(), slab, {}, 1);
      EXPECT_TRUE(one == meeting_pairs(motion.moving(), slab, {}, 2)) << family.name;
    }
}

TEST(MovingTree, GivesTheSamePairsOnEveryTarget2) {
  for (const auto& family : mesh_families) {
    const OwnedMotion motion = random_mesh(family, 30, 1);
    const Pairs best = meeting_pairs(motion.moving(), {0, 1}, {});
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
      hwy::SetSupportedTargetsForTest(target);
      hwy::GetChosenTarget().Update(hwy::SupportedTargets());
      EXPECT_TRUE(best == meeting_pairs(motion.moving(), {0, 1}, {}))
          << family.name << " " << hwy::TargetName(target);
    }
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
}

TEST(MovingTree, MayBeEmpty) {
  const Mesh mesh;
  EXPECT_TRUE(meeting_pairs({mesh, {}, {}}, {0, 1}, {}) == Pairs());
}

TEST(SearchMemory, MakesArraysThatDoNotOverlap) {
  for (const std::size_t reserved : {0u, 1000u, 5u << 20}) {
    SearchMemory memory;
    memory.reserve(reserved);
    std::vector<std::span<std::uint32_t>> arrays;
    for (std::uint32_t i = 0; i < 40; ++i) {
      arrays.push_back(memory.array<std::uint32_t>(i * i * i));
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(arrays.back().data()) % 64, 0u);
      std::fill(arrays.back().begin(), arrays.back().end(), i);
      const SearchMemory::Scope scope(memory);
      const auto in_scope = memory.array<std::uint32_t>(i * 100);
      std::fill(in_scope.begin(), in_scope.end(), 77u);
    }
    for (std::uint32_t i = 0; i < 40; ++i)
      EXPECT_EQ(std::count(arrays[i].begin(), arrays[i].end(), i), i * i * i);
  }
}

TEST(SearchMemory, UsesTheMemoryOfAScopeAgain) {
  SearchMemory memory;
  memory.reserve(1 << 16);
  const auto address = [&] {
    const SearchMemory::Scope scope(memory);
    return memory.array<double>(1000).data();
  };
  EXPECT_EQ(address(), address());
}

TEST(WithThreads, StaysOnThisThreadForOne) {
  const auto here = std::this_thread::get_id();
  const auto elsewhere = [&](int threads) {
    std::atomic<bool> left = false;
    with_threads(threads, [&] {
      EXPECT_EQ(on_one_thread, threads == 1);
      for_indices(100, [&](std::size_t) { left = left || std::this_thread::get_id() != here; });
      if (threads != 1) with_threads(1, [] { EXPECT_TRUE(on_one_thread); });
      EXPECT_EQ(on_one_thread, threads == 1);
    });
    EXPECT_FALSE(on_one_thread);
    return left.load();
  };
  EXPECT_FALSE(elsewhere(1));
  elsewhere(2);
  EXPECT_THROW(with_threads(1, [] { throw SearchMonitor::Stopped(); }), SearchMonitor::Stopped);
  EXPECT_FALSE(on_one_thread);
}

TEST(MovingBounds, NeverReverseTheOrderOfExactValues) {
  std::size_t ordered = 0;
  for (const auto& family : mesh_families)
    for (const Slab& slab : slabs) {
      SCOPED_TRACE(testing::Message() << family.name << " " << slab.begin << " " << slab.end);
      const OwnedMotion motion = random_mesh(family, 4, 2);
      const MovingMesh moving = motion.moving();
      const PairOptions options;
      const FloatEnvironment environment;
      const graze::Run run;
      SearchMonitor monitor(run);
      SearchMemory memory;
      const MovingBounds bounds(PairJob(moving, slab, options, monitor), memory);
      for (std::uint32_t a = 0; a < motion.start.size(); ++a)
        for (std::uint32_t b = 0; b < motion.start.size(); ++b)
          for (std::size_t end = 0; end < 2; ++end) {
            const double t = end == 0 ? slab.begin : slab.end;
            for (int k = 0; k < 3; ++k) {
              const std::size_t at = 4 * end + static_cast<std::size_t>(k);
              if (!(bounds.lo()[bounds.place(a)][at] > bounds.hi()[bounds.place(b)][at])) continue;
              ++ordered;
              EXPECT_GT(position(moving, a, k, t), position(moving, b, k, t)) << k;
            }
          }
    }
  EXPECT_GT(ordered, 5'000u);
}

}  // namespace
}  // namespace graze::broad::moving_tree_test
