#include "graze/earliest_impact.h"

#include <gtest/gtest.h>
#include <immintrin.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>
#include <optional>
#include <tuple>

#include "graze/generate/scenes.h"
#include "graze/narrow/contact_point.h"
#include "graze/narrow/contact_times.h"
#include "graze/narrow/exact_root.h"
#include "graze/narrow/separation_root.h"
#include "graze/start_sides.h"
#include "test/support/hash.h"
#include "test/support/meshes.h"
#include "test/support/scale.h"

namespace graze {
namespace {

using test::mesh_families;
using test::random_mesh;

bool same_bits(double a, double b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b));
}

bool same(const StepImpact& a, const StepImpact& b) {
  const Impact &x = a.impact, &y = b.impact;
  return a.kind == b.kind && a.pair == b.pair && x.verdict == y.verdict && x.kind == y.kind &&
         same_bits(x.toi, y.toi) && same_bits(x.toi_hi, y.toi_hi) && same_bits(x.u, y.u) &&
         same_bits(x.v, y.v) && same_bits(x.normal[0], y.normal[0]) &&
         same_bits(x.normal[1], y.normal[1]) && same_bits(x.normal[2], y.normal[2]);
}

using StepImpacts = std::vector<StepImpact>;

bool same(const StepImpacts& a, const StepImpacts& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const StepImpact& x, const StepImpact& y) { return same(x, y); });
}

// What all exact methods agree on.
auto key(const StepImpact& found) {
  return std::tuple(found.impact.verdict, found.impact.toi, found.impact.toi_hi, found.kind,
                    found.pair);
}
bool same_keys(const StepImpacts& a, const StepImpacts& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const StepImpact& x, const StepImpact& y) { return key(x) == key(y); });
}

// Calls visit(kind, pair, query) for all pairs that share no vertex.
template <class Visit>
void for_each_pair(const MovingMesh& moving, Visit&& visit) {
  const Mesh& mesh = moving.mesh;
  const auto apart = [](const auto& a, const auto& b) {
    return std::none_of(a.begin(), a.end(),
                        [&](auto v) { return std::count(b.begin(), b.end(), v) > 0; });
  };
  for (std::uint32_t v = 0; v < mesh.vertex_count; ++v)
    for (std::uint32_t f = 0; f < mesh.faces.size(); ++f)
      if (apart(std::array{v}, mesh.faces[f]))
        visit(PairKind::vertex_face, Pair{v, f}, moving.vertex_face(v, f));
  for (std::uint32_t a = 0; a < mesh.edges.size(); ++a)
    for (std::uint32_t b = a + 1; b < mesh.edges.size(); ++b)
      if (apart(mesh.edges[a], mesh.edges[b]))
        visit(PairKind::edge_edge, Pair{a, b}, moving.edge_edge(a, b));
  for (const std::uint32_t v : mesh.points) {
    for (const std::uint32_t e : mesh.rods)
      visit(PairKind::vertex_edge, Pair{v, e}, moving.vertex_edge(v, e));
    for (const std::uint32_t w : mesh.points)
      if (v < w) visit(PairKind::vertex_vertex, Pair{v, w}, moving.vertex_vertex(v, w));
  }
}

template <class Query>
Impact exact(const Query& query, const Options& options = {}) {
  Impact impact;
  exact_root(std::span(&query, 1), options, std::span(&impact, 1));
  return impact;
}

void sort(StepImpacts& impacts) {
  std::sort(impacts.begin(), impacts.end(), [](const StepImpact& a, const StepImpact& b) {
    return std::tuple(a.impact.toi, a.kind, a.pair) < std::tuple(b.impact.toi, b.kind, b.pair);
  });
}

// Every pair alone, without a broad phase.
StepImpacts reference(const MovingMesh& moving, const Options& options = {}) {
  StepImpacts impacts;
  for_each_pair(moving, [&](PairKind kind, Pair pair, const auto& query) {
    const Impact impact = exact(query, options);
    if (impact.verdict != Verdict::separated) impacts.push_back({kind, pair, impact});
  });
  sort(impacts);
  return impacts;
}

// Likewise, its times from contact_times() where the pair starts in contact and does not go
// through.
StepImpacts reference_after_parting(const MovingMesh& moving) {
  StepImpacts impacts;
  const StartSides sides(moving);
  for_each_pair(moving, [&](PairKind kind, Pair pair, const auto& query) {
    Impact impact = exact(query);
    if (impact.verdict == Verdict::contact && impact.toi_hi == 0 && !sides.go_through(kind, pair)) {
      const auto times = *contact_times(query);
      impact = times.size() > 1 ? Impact::contact(times[1].begin_lo, times[1].begin_hi)
                                : Impact::separated();
    }
    if (impact.verdict == Verdict::contact) impacts.push_back({kind, pair, impact});
  });
  sort(impacts);
  return impacts;
}

// Calls check(motion) for meshes of every family.
template <class Check>
void for_each_mesh(std::size_t count, std::uint32_t triangles, Check&& check) {
  for (const auto& family : mesh_families)
    for (std::uint64_t seed = 0; seed < test::scaled(count); ++seed) {
      SCOPED_TRACE(testing::Message() << family.name << ", seed " << seed);
      check(random_mesh(family, triangles, seed));
    }
}

bool same_as_first(const FirstImpact& first, const StepImpacts& all) {
  return all.empty() ? first.impact.verdict == Verdict::separated && first.impact.toi == Impact::inf
                     : same(first, all[0]);
}

TEST(EarliestImpact, IsThatOfAllPairsAlone1) {
  std::size_t contacts = 0, separated = 0, in_slabs = 0, at_start = 0;
  for (const std::uint32_t triangles : {1u, 2u, 12u})
    for_each_mesh(8, triangles, [&](const MeshMotion& motion) {
      const auto expected = reference(motion.moving());
      const FirstImpact first = earliest_impact(motion.moving());
      EXPECT_TRUE(same_as_first(first, expected))
          << first.impact.toi << " " << (expected.empty() ? -1 : expected[0].impact.toi);
      const AllImpacts all = all_impacts(motion.moving());
      EXPECT_TRUE(same(all.impacts, expected)) << all.impacts.size() << " " << expected.size();
      EXPECT_EQ(all.verdict, first.impact.verdict);
      contacts += !expected.empty();
      separated += expected.empty();
      in_slabs += first.work.slabs > 1;
      at_start += !expected.empty() && expected[0].impact.toi_hi == 0;
    });
  EXPECT_GT(contacts, separated);
  EXPECT_GT(separated, 10u);
  EXPECT_GT(in_slabs, 20u);
  EXPECT_GT(at_start, 10u);
}

TEST(EarliestImpact, IsTheFirstOfAllImpactsUpToAnyTime2) {
  for_each_mesh(3, 10, [&](const MeshMotion& motion) {
    for (const double t_max : {0x1p-1074, 1e-9, 0.1, 0.5, std::nextafter(1.0, 0.0)}) {
      StepOptions options;
      options.query.t_max = t_max;
      const auto expected = reference(motion.moving(), options.query);
      EXPECT_TRUE(same(all_impacts(motion.moving(), options).impacts, expected)) << t_max;
      EXPECT_TRUE(same_as_first(earliest_impact(motion.moving(), options), expected)) << t_max;
    }
  });
}

TEST(EarliestImpact, DependsOnTheArgumentsAlone3) {
  std::uint64_t pairs = 0, more_pairs = 0;
  for_each_mesh(1, 20, [&](const MeshMotion& motion) {
    const FirstImpact first = earliest_impact(motion.moving());
    const AllImpacts all = all_impacts(motion.moving());
    StepOptions by_boxes;
    by_boxes.strategy = &default_pair_strategy();
    const std::uint64_t pairs_by_boxes = earliest_impact(motion.moving(), by_boxes).work.pairs;
    pairs += all.work.pairs;
    more_pairs += all_impacts(motion.moving(), by_boxes).work.pairs;
    std::vector<const PairStrategy*> strategies = {nullptr};
    for (const PairStrategy& strategy : pair_strategies()) strategies.push_back(&strategy);
    for (const PairStrategy* strategy : strategies)
      for (const int threads : {1, 2, 3}) {
        SCOPED_TRACE(testing::Message() << (strategy ? strategy->name : "null") << " " << threads);
        StepOptions options;
        options.strategy = strategy;
        options.pairs.threads = threads;
        const FirstImpact other = earliest_impact(motion.moving(), options);
        EXPECT_TRUE(same(first, other));
        EXPECT_EQ(first.impact.checks, other.impact.checks);
        EXPECT_EQ(other.work.pairs, strategy ? pairs_by_boxes : first.work.pairs);
        EXPECT_TRUE(same(all.impacts, all_impacts(motion.moving(), options).impacts));
      }
  });
  EXPECT_LT(pairs, more_pairs);
}

TEST(EarliestImpact, DoesNotDependOnTheRoundingOfTheHost3) {
  for_each_mesh(1, 6, [&](const MeshMotion& motion) {
    StepOptions options;
    options.at_start = StartContacts::skip;
    const FirstImpact first = earliest_impact(motion.moving(), options);
    const AllImpacts all = all_impacts(motion.moving(), options);
    const unsigned standard = _mm_getcsr();
    for (const unsigned odd : {0x8040u, 0x2000u, 0x4000u, 0x6000u}) {  // flush to zero; rounding
      _mm_setcsr(standard | odd);
      const FirstImpact other = earliest_impact(motion.moving(), options);
      const AllImpacts others = all_impacts(motion.moving(), options);
      const unsigned kept = _mm_getcsr();
      _mm_setcsr(standard);
      EXPECT_EQ(kept & 0xe040u, odd);
      EXPECT_TRUE(same(first, other)) << odd;
      EXPECT_TRUE(same(all.impacts, others.impacts)) << odd;
    }
  });
}

TEST(EarliestImpact, IsTheSameByAnyExactMethod3) {
  for_each_mesh(1, 4, [&](const MeshMotion& motion) {
    const FirstImpact first = earliest_impact(motion.moving());
    const AllImpacts all = all_impacts(motion.moving());
    for (const Method& method : methods()) {
      if (method.guarantee != Guarantee::exact || !method.vertex_face) continue;
      SCOPED_TRACE(method.name);
      StepOptions options;
      options.method = &method;
      EXPECT_EQ(key(first), key(earliest_impact(motion.moving(), options)));
      EXPECT_TRUE(same_keys(all.impacts, all_impacts(motion.moving(), options).impacts));
    }
  });
}

TEST(EarliestImpact, HasThePinnedBitsOfAGeneratedScene3) {
  const FrameSequence scene = find_scene_recipe("cloth_on_cone")->make(2000, 3);
  test::Hash hash;
  for (const std::size_t frame : {0u, 1u})
    for (const StepImpact& found : all_impacts(scene.step(frame)).impacts) {
      hash.add(std::uint64_t{found.pair.a} << 32 | found.pair.b);
      for (const double x : {found.impact.toi, found.impact.toi_hi, found.impact.u, found.impact.v,
                             found.impact.normal[0]})
        hash.add(x);
    }
  EXPECT_EQ(hash.value(), 1497927346131544887u);
}

TEST(EarliestImpact, StoresNoPair4) {
  // Every feature overlaps every other one: 200,000 vertex-face and more edge-edge pairs.
  const MeshMotion motion = random_mesh(mesh_families[1], 300, 1);
  std::size_t largest = 0;
  std::mutex mutex;
  StepOptions options;
  options.observer = [&](PairKind, std::span<const Pair> pairs) {
    const std::lock_guard lock(mutex);
    largest = std::max(largest, pairs.size());
  };
  EXPECT_GT(all_impacts(motion.moving(), options).work.pairs, 100'000u);
  EXPECT_LE(largest, max_pair_block);
  EXPECT_GT(largest, 0u);
}

TEST(EarliestImpact, RefusesWhatMakesNoSense5) {
  MeshMotion motion = random_mesh(mesh_families[0], 10, 1);
  const auto refused = [&](const StepOptions& options) {
    const FirstImpact first = earliest_impact(motion.moving(), options);
    const AllImpacts all = all_impacts(motion.moving(), options);
    EXPECT_EQ(first.impact.verdict == Verdict::invalid, all.verdict == Verdict::invalid);
    EXPECT_TRUE(all.verdict != Verdict::invalid || (first.impact.toi == 0 && all.impacts.empty()));
    return all.verdict == Verdict::invalid;
  };
  EXPECT_FALSE(refused({}));
  StepOptions options;
  options.query.t_max = 0;
  EXPECT_TRUE(refused(options));
  options.query.t_max = Impact::nan;
  EXPECT_TRUE(refused(options));
  options = {};
  options.query.min_separation = 0.1;
  EXPECT_FALSE(refused(options));
  options.method = find_method("exact");
  EXPECT_TRUE(refused(options)) << "exact knows no separation";
  options.method = find_method("tight_inclusion");
  EXPECT_FALSE(refused(options));
  options = {};
  options.method = find_method("cardano_edge");
  EXPECT_TRUE(refused(options)) << "has no vertex-face";
  for (const double bad : {Impact::nan, Impact::inf, -Impact::inf}) {
    motion = random_mesh(mesh_families[0], 10, 1);
    motion.end.back()[1] = bad;  // a point of no edge
    EXPECT_TRUE(refused({}));
  }
  motion = random_mesh(mesh_families[0], 10, 1);
  motion.end.pop_back();
  EXPECT_TRUE(refused({})) << "a vertex without a position";
}

TEST(EarliestImpact, AnswersMeshesOfRodsOfPointsAndOfNothing) {
  EXPECT_EQ(earliest_impact({Mesh{}, {}, {}}).impact.verdict, Verdict::separated);
  const std::vector<Vec3> start = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 1}, {0, 1, 1}};
  const std::vector<Vec3> end = {{-1, 0, 0}, {1, 0, 0}, {0, -1, -3}, {0, 1, -3}};
  const Mesh points = make_mesh(4, {});
  EXPECT_EQ(earliest_impact({points, start, end}).impact.verdict, Verdict::separated);
  const Mesh rods = make_mesh(4, {}, std::vector{Edge{0, 1}, Edge{2, 3}});
  const FirstImpact first = earliest_impact({rods, start, end});
  EXPECT_EQ(first.impact.verdict, Verdict::contact);
  EXPECT_EQ(first.impact.toi, 0.25);
  EXPECT_EQ(first.impact.toi_hi, 0.25);
  EXPECT_EQ(first.pair, (Pair{0, 1}));
  EXPECT_EQ(contact_position({rods, start, end}, first), Vec3(0, 0, 0));
}

TEST(EarliestImpact, AnswersPointsAndRodsThatMeet) {
  const Mesh mesh = make_mesh(4, {}, std::vector{Edge{0, 1}});
  const std::vector<Vec3> start = {{0, 0, 0}, {4, 0, 0}, {1, 1, 0}, {1, 5, 0}};
  const std::vector<Vec3> end = {{0, 0, 0}, {4, 0, 0}, {1, -1, 0}, {1, -3, 0}};
  for (const char* name : {"exact", "oracle"}) {
    StepOptions options;
    options.method = find_method(name);
    const AllImpacts all = all_impacts({mesh, start, end}, options);
    ASSERT_EQ(all.impacts.size(), 3u) << name;
    EXPECT_EQ(all.impacts[0].kind, PairKind::vertex_edge);
    EXPECT_EQ(all.impacts[0].pair, (Pair{2, 0}));
    EXPECT_NEAR(all.impacts[0].impact.toi, 0.5, 1e-6);
    EXPECT_EQ(all.impacts[1].pair, (Pair{3, 0}));
    EXPECT_EQ(all.impacts[2].kind, PairKind::vertex_vertex);
    EXPECT_NEAR(all.impacts[2].impact.toi, 2.0 / 3, 1e-6);
    if (all.impacts[0].impact.u == all.impacts[0].impact.u) {
      EXPECT_EQ(all.impacts[0].impact.u, 0.25);
      EXPECT_EQ(contact_position({mesh, start, end}, all.impacts[0]), Vec3(1, 0, 0));
    }
  }
}

// The corner of a bent rod folds until its arms lie on each other: pairs that share a vertex.
TEST(EarliestImpact, AnswersFoldingRodsOnRequest) {
  const Mesh mesh = make_mesh(3, {}, std::vector{Edge{0, 1}, Edge{0, 2}});
  const std::vector<Vec3> start = {{0, 0, 0}, {2, 0, 0}, {0, 1, 0}};
  const std::vector<Vec3> end = {{0, 0, 0}, {2, 0, 0}, {2, -1, 0}};
  StepOptions options;
  EXPECT_EQ(earliest_impact({mesh, start, end}, options).impact.verdict, Verdict::separated);
  options.pairs.shared_vertices = true;
  const FirstImpact first = earliest_impact({mesh, start, end}, options);
  EXPECT_EQ(first.kind, PairKind::vertex_edge);
  EXPECT_EQ(first.impact.toi, 0.5);
  EXPECT_EQ(first.pair, (Pair{2, 0}));
}

TEST(EarliestImpact, LeavesOutWhatTheFilterDoes) {
  const MeshMotion motion = random_mesh(mesh_families[1], 12, 5);
  ASSERT_FALSE(all_impacts(motion.moving()).impacts.empty());
  const std::vector<std::uint8_t> fixed(motion.mesh.vertex_count, 1);
  StepOptions options;
  options.pairs.filter.fixed = fixed;
  EXPECT_TRUE(all_impacts(motion.moving(), options).impacts.empty());
  EXPECT_EQ(earliest_impact(motion.moving(), options).impact.verdict, Verdict::separated);
}

TEST(EarliestImpact, BreaksTiesByKindThenPair) {
  // Two vertices reach two faces at the same time; their edges cross at that time, too.
  const Mesh mesh = make_mesh(8, {{0, 1, 2}, {3, 4, 5}}, std::vector{Edge{6, 7}});
  const std::vector<Vec3> start = {{-4, -4, 0}, {4, -4, 0}, {0, 4, 0},  {-4, -4, 0},
                                   {4, -4, 0},  {0, 4, 0},  {0, 0, -1}, {1, 0, -1}};
  std::vector<Vec3> end = start;
  end[6][2] = end[7][2] = 1;
  StepOptions skip;
  skip.at_start = StartContacts::skip;
  const AllImpacts all = all_impacts({mesh, start, end}, skip);
  ASSERT_GE(all.impacts.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(all.impacts[i].impact.toi, 0.5);
  EXPECT_EQ(all.impacts[0].pair, (Pair{6, 0}));
  EXPECT_EQ(all.impacts[1].pair, (Pair{6, 1}));
  EXPECT_EQ(all.impacts[2].pair, (Pair{7, 0}));
  EXPECT_EQ(earliest_impact({mesh, start, end}, skip).pair, (Pair{6, 0}));
}

TEST(StartContacts, AreSkippedUntilTheyPart1) {
  std::size_t returned = 0, skipped = 0, through = 0;
  for_each_mesh(6, 10, [&](const MeshMotion& motion) {
    StepOptions options;
    options.at_start = StartContacts::skip;
    const auto expected = reference_after_parting(motion.moving());
    const AllImpacts all = all_impacts(motion.moving(), options);
    EXPECT_TRUE(same_keys(all.impacts, expected)) << all.impacts.size() << " " << expected.size();
    for (const StepImpact& found : all.impacts) EXPECT_NEAR(found.impact.normal.norm(), 1, 1e-9);
    EXPECT_TRUE(same_as_first(earliest_impact(motion.moving(), options), all.impacts));
    const auto unskipped = reference(motion.moving());
    const auto count_at_start = [](const StepImpacts& impacts) {
      return static_cast<std::size_t>(std::count_if(
          impacts.begin(), impacts.end(), [](auto& found) { return found.impact.toi_hi == 0; }));
    };
    const std::size_t at_start = count_at_start(unskipped), stopped = count_at_start(expected);
    EXPECT_EQ(all.work.start_contacts, at_start - stopped);
    skipped += at_start - stopped;
    through += stopped;
    returned += expected.size() + at_start - stopped - unskipped.size();
  });
  EXPECT_GT(skipped, 1000u);
  EXPECT_GT(returned, 50u);
  EXPECT_GT(through, 20u);
}

// A rod that starts on another one leaves it upwards, turns and comes down through it.
TEST(StartContacts, ThatPassThroughAfterPartingAreReported1) {
  const Mesh mesh = make_mesh(4, {}, std::vector{Edge{0, 1}, Edge{2, 3}});
  const std::vector<Vec3> start = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 3, 0}};
  const std::vector<Vec3> end = {{-1, 0, 0}, {1, 0, 0}, {0, -3, 3}, {0, 1, -3}};
  StepOptions options;
  EXPECT_EQ(earliest_impact({mesh, start, end}, options).impact.toi_hi, 0);
  options.at_start = StartContacts::skip;
  const FirstImpact first = earliest_impact({mesh, start, end}, options);
  EXPECT_EQ(first.work.start_contacts, 1u);
  EXPECT_EQ(first.impact.verdict, Verdict::contact);
  EXPECT_EQ(first.impact.toi, 0.5);
}

TEST(StartContacts, WithinASeparationAreWatchedForTrueContact) {
  const Mesh mesh = make_mesh(4, {}, std::vector{Edge{0, 1}, Edge{2, 3}});
  const std::vector<Vec3> start = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 1}, {0, 1, 1}};
  const std::vector<Vec3> end = {{-1, 0, 0}, {1, 0, 0}, {0, -1, -3}, {0, 1, -3}};
  StepOptions options;
  options.method = find_method("tight_inclusion");
  options.query.min_separation = 2;
  EXPECT_EQ(earliest_impact({mesh, start, end}, options).impact.toi, 0);
  options.at_start = StartContacts::skip;
  EXPECT_EQ(earliest_impact({mesh, start, end}, options).impact.toi, 0.25);
}

TEST(ConservativeSteps, AreNeverLateAndNeverMiss1) {
  std::size_t contacts = 0;
  for (const char* name : {"tight_inclusion", "area_inclusion"})
    for (std::uint64_t seed = 0; seed < test::scaled(4); ++seed)
      for (const std::size_t family : {0u, 1u, 5u}) {
        const MeshMotion motion = random_mesh(mesh_families[family], 6, seed);
        StepOptions options;
        options.method = find_method(name);
        options.query.max_checks = 20000;
        const FirstImpact first = earliest_impact(motion.moving(), options);
        const auto expected = reference(motion.moving());
        if (expected.empty()) continue;
        ++contacts;
        EXPECT_NE(first.impact.verdict, Verdict::separated);
        EXPECT_LE(first.impact.toi, expected[0].impact.toi_hi);
        EXPECT_GE(first.impact.toi, expected[0].impact.toi - 0.01);
        options.pairs.threads = 2;
        EXPECT_TRUE(same(first, earliest_impact(motion.moving(), options)));
      }
  EXPECT_GT(contacts, 10u);
}

TEST(ConservativeSteps, KeepTheSeparation1) {
  const Mesh mesh = make_mesh(4, {}, std::vector{Edge{0, 1}, Edge{2, 3}});
  const std::vector<Vec3> start = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 1}, {0, 1, 1}};
  const std::vector<Vec3> end = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0.25}, {0, 1, 0.25}};
  StepOptions options;
  options.method = find_method("tight_inclusion");
  EXPECT_EQ(earliest_impact({mesh, start, end}, options).impact.verdict, Verdict::separated);
  options.query.min_separation = 0.625;
  const FirstImpact first = earliest_impact({mesh, start, end}, options);
  EXPECT_NE(first.impact.verdict, Verdict::separated);
  EXPECT_LE(first.impact.toi, 0.5);
  EXPECT_GE(first.impact.toi, 0.25);
}

TEST(SeparatedSteps, AreThoseOfAllPairsAlone1) {
  std::size_t contacts = 0;
  for (const std::size_t family : {0u, 2u, 3u, 6u})
    for (const double separation : {1e-3, 0.25}) {
      SCOPED_TRACE(testing::Message() << mesh_families[family].name << " " << separation);
      const MeshMotion motion = random_mesh(mesh_families[family], 6, 1);
      StepOptions options;
      options.query.min_separation = separation;
      StepImpacts expected;
      for_each_pair(motion.moving(), [&](PairKind kind, Pair pair, const auto& query) {
        Impact impact;
        separation_root(std::span(&query, 1), options.query, std::span(&impact, 1));
        if (impact.verdict == Verdict::contact) expected.push_back({kind, pair, impact});
      });
      sort(expected);
      contacts += expected.size();
      EXPECT_TRUE(same_keys(all_impacts(motion.moving(), options).impacts, expected));
      for (const int threads : {1, 2}) {
        options.pairs.threads = threads;
        const FirstImpact first = earliest_impact(motion.moving(), options);
        EXPECT_EQ(first.impact.verdict == Verdict::contact, !expected.empty());
        if (!expected.empty()) {
          EXPECT_EQ(key(first), key(expected[0]));
        }
      }
    }
  EXPECT_GT(contacts, 100u);
}

TEST(Positions, OfRowMajorMatricesAreNotCopied) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;
  const auto address = [](const Positions& positions) { return positions.data(); };
  const MeshMotion motion = random_mesh(mesh_families[0], 30, 2);
  const auto rows = static_cast<Eigen::Index>(motion.start.size());
  const RowMajor start = Eigen::Map<const RowMajor>(motion.start[0].data(), rows, 3);
  const RowMajor end = Eigen::Map<const RowMajor>(motion.end[0].data(), rows, 3);
  EXPECT_EQ(address(start), start.data());
  EXPECT_EQ(address(Eigen::Map<const RowMajor>(motion.start[0].data(), rows, 3)),
            motion.start[0].data());
  EXPECT_EQ(address(start.middleRows(2, 5)), start.data() + 6);

  const FirstImpact first = earliest_impact(motion.moving());
  EXPECT_EQ(first.impact.verdict, Verdict::contact);
  const Eigen::MatrixXd start_columns = start, end_columns = end;
  EXPECT_NE(address(start_columns), start_columns.data());
  Eigen::Matrix<double, Eigen::Dynamic, 4, Eigen::RowMajor> wide(rows, 4);
  wide.leftCols(3) = start;
  EXPECT_TRUE(same(first, earliest_impact(motion.mesh, start, end)));
  EXPECT_TRUE(same(first, earliest_impact(motion.mesh, start_columns, end_columns)));
  EXPECT_TRUE(same(first, earliest_impact(motion.mesh, wide.leftCols(3), end_columns)));
  EXPECT_TRUE(same(all_impacts(motion.moving()).impacts,
                   all_impacts(motion.mesh, start_columns, end).impacts));
}

}  // namespace
}  // namespace graze
