#include "graze/step.h"

#include <gtest/gtest.h>
#include <immintrin.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <thread>
#include <tuple>

#include "graze/first_contact.h"
#include "graze/generate/scenes.h"
#include "graze/narrow/contact/contact_point.h"
#include "graze/narrow/contact/exact_root.h"
#include "graze/narrow/separation/separation_root.h"
#include "graze/spine/start_sides.h"
#include "test/support/hash.h"
#include "test/support/meshes.h"
#include "test/support/pierced.h"
#include "test/support/scale.h"

namespace graze::step_test {
namespace {

using test::mesh_families;
using test::random_mesh;

bool same_bits(double a, double b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b));
}

// Returns whether two impacts are equal. start_piercings_test.cpp compares the point of an edge in
// a face.
bool same(const StepImpact& a, const StepImpact& b) {
  const Impact &x = a.impact, &y = b.impact;
  return a.kind == b.kind && a.pair == b.pair && x.verdict == y.verdict && x.kind == y.kind &&
         same_bits(x.toi, y.toi) && same_bits(x.toi_hi, y.toi_hi) &&
         (a.kind == Kind::edge_face ||
          (same_bits(x.u, y.u) && same_bits(x.v, y.v) && same_bits(x.normal[0], y.normal[0]) &&
           same_bits(x.normal[1], y.normal[1]) && same_bits(x.normal[2], y.normal[2])));
}

using StepImpacts = std::vector<StepImpact>;

bool same(const StepImpacts& a, const StepImpacts& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const StepImpact& x, const StepImpact& y) { return same(x, y); });
}

// Returns the fields on which all exact methods agree.
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
        visit(Kind::vertex_face, Pair{v, f}, moving.vertex_face(v, f));
  for (std::uint32_t a = 0; a < mesh.edges.size(); ++a)
    for (std::uint32_t b = a + 1; b < mesh.edges.size(); ++b)
      if (apart(mesh.edges[a], mesh.edges[b]))
        visit(Kind::edge_edge, Pair{a, b}, moving.edge_edge(a, b));
  for (const std::uint32_t v : mesh.points) {
    for (const std::uint32_t e : mesh.rods)
      visit(Kind::vertex_edge, Pair{v, e}, moving.vertex_edge(v, e));
    for (const std::uint32_t w : mesh.points)
      if (v < w) visit(Kind::vertex_vertex, Pair{v, w}, moving.vertex_vertex(v, w));
  }
}

template <class Query>
Impact exact(const Query& query, const Options& options = {}) {
  return first_contact(query, options);
}

void sort(StepImpacts& impacts) {
  std::sort(impacts.begin(), impacts.end(), [](const StepImpact& a, const StepImpact& b) {
    return std::tuple(a.impact.toi, a.kind, a.pair) < std::tuple(b.impact.toi, b.kind, b.pair);
  });
}

// Appends the edges that pierce faces at the start, by rational numbers.
void add_piercings(const MovingMesh& moving, StepImpacts& impacts) {
  for (const Pair& pair : test::pierced_pairs(moving.mesh, moving.start)) {
    impacts.push_back({Kind::edge_face, pair, Impact::contact(0, 0)});
    impacts.back().impact.kind = ContactKind::interior;
  }
}

// Returns the impacts of all pairs, each tested alone, without a broad phase.
StepImpacts reference(const MovingMesh& moving, const Options& options = {}) {
  StepImpacts impacts;
  for_each_pair(moving, [&](Kind kind, Pair pair, const auto& query) {
    const Impact impact = exact(query, options);
    if (impact.verdict != Verdict::separated) impacts.push_back({kind, pair, impact});
  });
  add_piercings(moving, impacts);
  sort(impacts);
  return impacts;
}

// Returns the same, with the times of contact_times() for pairs that start in contact and do not
// pass through each other.
StepImpacts reference_after_parting(const MovingMesh& moving) {
  StepImpacts impacts;
  const StartSides sides(moving);
  for_each_pair(moving, [&](Kind kind, Pair pair, const auto& query) {
    Impact impact = exact(query);
    if (impact.verdict == Verdict::contact && impact.toi_hi == 0 && !sides.go_through(kind, pair)) {
      const auto times = contact_times(query).intervals;
      impact = times.size() > 1 ? Impact::contact(times[1].begin_lo, times[1].begin_hi)
                                : Impact::separated();
    }
    if (impact.verdict == Verdict::contact) impacts.push_back({kind, pair, impact});
  });
  add_piercings(moving, impacts);
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

TEST(EarliestImpact, EqualsTheFirstOfAllPairsTestedAlone1) {
  std::size_t contacts = 0, separated = 0, in_slabs = 0, at_start = 0;
  for (const std::uint32_t triangles : {1u, 2u, 12u})
    for_each_mesh(8, triangles, [&](const OwnedMotion& motion) {
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
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(contacts, separated);
  EXPECT_GT(separated, 10u);
  EXPECT_GT(in_slabs, 20u);
  EXPECT_GT(at_start, 10u);
}

TEST(EarliestImpact, IsTheFirstOfAllImpactsUpToAnyTime2) {
  for_each_mesh(3, 10, [&](const OwnedMotion& motion) {
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
  for_each_mesh(1, 20, [&](const OwnedMotion& motion) {
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
        const graze::Run run{.threads = threads};
        const FirstImpact other = earliest_impact(motion.moving(), options, run);
        EXPECT_TRUE(same(first, other));
        EXPECT_EQ(first.impact.checks, other.impact.checks);
        EXPECT_EQ(other.work.pairs, strategy && strategy->set == PairSet::overlapping
                                        ? pairs_by_boxes
                                        : first.work.pairs);
        EXPECT_TRUE(same(all.impacts, all_impacts(motion.moving(), options, run).impacts));
      }
  });
  EXPECT_LT(pairs, more_pairs);
}

TEST(EarliestImpact, DoesNotDependOnTheRoundingOfTheHost3) {
  for_each_mesh(1, 6, [&](const OwnedMotion& motion) {
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
  for_each_mesh(1, 4, [&](const OwnedMotion& motion) {
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
  const generate::FrameSequence scene = generate::find_scene_recipe("cloth_on_cone")->make(2000, 3);
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
  // All boxes overlap: 200,000 vertex-face and more edge-edge pairs. The heap grows by less than
  // the memory of these pairs.
  const OwnedMotion motion = random_mesh(mesh_families[1], 300, 1);
  StepOptions options;
  options.max_contacts = 1;
  const auto heap = [] { return mallinfo2().uordblks + mallinfo2().hblkhd; };
  all_impacts(motion.moving(), options, graze::Run{.threads = 1});
  const std::size_t before = heap();
  std::size_t largest = before;
  const graze::Run run{1, nullptr, [&](double) { largest = std::max(largest, heap()); }};
  const std::uint64_t pairs = all_impacts(motion.moving(), options, run).work.pairs;
  EXPECT_GT(pairs, 100'000u);
  EXPECT_LT(largest - before, pairs * sizeof(Pair));
}

TEST(EarliestImpact, ShowsTheTestedPairsToAnObserver) {
  const OwnedMotion motion = random_mesh(mesh_families[1], 20, 1);
  StepOptions options;
  std::size_t calls = 0;
  Pairs tested;
  options.observer = [&](const MovingMesh& moving, const Pairs& pairs) {
    ++calls;
    tested = pairs;
    EXPECT_EQ(moving.start.data(), motion.start.data());
  };
  options.strategy = &default_pair_strategy();
  const AllImpacts all = all_impacts(motion.moving(), options);
  EXPECT_EQ(calls, 1u);
  EXPECT_EQ(all.work.slabs, 1);
  EXPECT_TRUE(tested == collect_pairs(motion.moving()));
}

TEST(EarliestImpact, IsInvalidForInvalidArguments5) {
  OwnedMotion motion = random_mesh(mesh_families[0], 10, 1);
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
  EXPECT_TRUE(refused(options)) << "exact supports no separation";
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
  const std::vector<std::uint8_t> short_static(motion.mesh.vertex_count - 1, 1);
  const std::vector<std::uint32_t> short_group(motion.mesh.vertex_count - 1);
  options = {};
  options.pairs.filter.is_static = short_static;
  EXPECT_TRUE(refused(options)) << "a filter shorter than the mesh";
  EXPECT_EQ(collision_free_step(motion.moving(), 0, options), 0);
  options = {};
  options.pairs.filter.group = short_group;
  EXPECT_TRUE(refused(options)) << "groups shorter than the mesh";
  motion.end.pop_back();
  EXPECT_TRUE(refused({})) << "a vertex without a position";
}

TEST(EarliestImpact, IsUndecidedWithASafeTimeIfStopped6) {
  std::size_t stopped = 0, later = 0;
  for_each_mesh(6, 1, [&](const OwnedMotion& motion) {
    const FirstImpact first = earliest_impact(motion.moving());
    for (const int blocks : {0, 1, 2, 4, 6, 9}) {
      std::atomic<bool> stop = blocks == 0;
      int calls = 0;
      const graze::Run run{1, &stop, [&](double) { stop = ++calls >= blocks; }};
      const FirstImpact other = earliest_impact(motion.moving(), {}, run);
      if (same(first, other)) continue;
      ++stopped;
      EXPECT_EQ(other.impact.verdict, Verdict::undecided);
      EXPECT_LE(other.impact.toi, first.impact.toi);
      EXPECT_EQ(other.impact.toi_hi, 1);
      later += other.impact.toi > 0;
      EXPECT_TRUE(blocks > 0 || other.impact.toi == 0);
    }
  });
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(stopped, 20u);
  EXPECT_GT(later, 3u);
}

// A vertex slides at a distance of 1e-9 along a face oblique to the axes: without a budget each
// method needs minutes for this pair.
TEST(EarliestImpact, StopsWithinAQueryOfAnIterativeMethod6) {
  const Mesh mesh = make_mesh(4, {{0, 1, 2}});
  const Vec3 gap = Vec3::Constant(1e-9), a(0, 0, 0), b(1, 1, -2), c(1, -1, 0);
  const std::vector<Vec3> start{a, b, c, Vec3(0.1, -0.05, -0.05) + gap};
  const std::vector<Vec3> end{a, b, c, Vec3(0.9, -0.45, -0.45) + gap};
  const MovingMesh moving{mesh, start, end};
  for (const char* name : {"tight_inclusion", "interval_univariate", "additive_advancement"}) {
    StepOptions options;
    options.method = find_method(name);
    options.query.distance_tol = 1e-13;
    options.query.max_checks = 0;
    std::atomic<bool> stop = false;
    const auto after_a_while = [&](auto call) {
      stop = false;
      std::thread other([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        stop = true;
      });
      const auto begin = std::chrono::steady_clock::now();
      call(graze::Run{1, &stop, {}});
      EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2)) << name;
      other.join();
    };
    after_a_while([&](const graze::Run& run) {
      const FirstImpact first = earliest_impact(moving, options, run);
      EXPECT_EQ(first.impact.verdict, Verdict::undecided);
      EXPECT_EQ(first.impact.toi, 0);
    });
    after_a_while([&](const graze::Run& run) {
      const AllImpacts all = all_impacts(moving, options, run);
      EXPECT_EQ(all.verdict, Verdict::undecided);
      EXPECT_FALSE(all.complete);
      EXPECT_EQ(all.toi, 0);
    });
    after_a_while(
        [&](const graze::Run& run) { EXPECT_EQ(collision_free_step(moving, 0, options, run), 0); });
  }
}

TEST(EarliestImpact, ReportsItsProgress) {
  for_each_mesh(1, 12, [&](const OwnedMotion& motion) {
    std::vector<double> fractions;
    const graze::Run run{2, nullptr, [&](double fraction) { fractions.push_back(fraction); }};
    const FirstImpact first = earliest_impact(motion.moving(), {}, run);
    EXPECT_TRUE(same(first, earliest_impact(motion.moving())));
    ASSERT_FALSE(fractions.empty());
    EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
    EXPECT_EQ(fractions.back(), 1);
  });
}

TEST(AllImpacts, AreTheFirstOnesUpToALimit2) {
  std::size_t limited = 0;
  for (const Method* method : {find_method("exact"), find_method("tight_inclusion")})
    for_each_mesh(1, 16, [&](const OwnedMotion& motion) {
      StepOptions options;
      options.method = method;
      options.query.max_checks = 2000;
      const AllImpacts all = all_impacts(motion.moving(), options);
      EXPECT_TRUE(all.complete);
      EXPECT_EQ(all.toi, all.impacts.empty() ? Impact::inf : all.impacts[0].impact.toi);
      for (const std::size_t limit : {std::size_t{1}, std::size_t{7}, all.impacts.size(),
                                      std::numeric_limits<std::size_t>::max()})
        for (const int threads : {1, 2}) {
          if (limit == 0) continue;
          options.max_contacts = limit;
          const AllImpacts some =
              all_impacts(motion.moving(), options, graze::Run{.threads = threads});
          StepImpacts expected = all.impacts;
          expected.resize(std::min(limit, expected.size()));
          EXPECT_TRUE(same(some.impacts, expected)) << limit;
          EXPECT_EQ(some.complete, all.impacts.size() <= limit);
          EXPECT_EQ(some.verdict, all.verdict);
          EXPECT_EQ(some.toi, all.toi);
          limited += !some.complete;
        }
    });
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(limited, 20u);
}

TEST(AllImpacts, AreUndecidedAndIncompleteIfStopped3) {
  std::size_t stopped = 0;
  for_each_mesh(2, 12, [&](const OwnedMotion& motion) {
    const AllImpacts all = all_impacts(motion.moving());
    for (const int blocks : {0, 1, 3}) {
      std::atomic<bool> stop = blocks == 0;
      int calls = 0;
      const graze::Run run{1, &stop, [&](double) { stop = ++calls >= blocks; }};
      const AllImpacts other = all_impacts(motion.moving(), {}, run);
      if (other.complete) continue;
      ++stopped;
      EXPECT_EQ(other.verdict, Verdict::undecided);
      EXPECT_LE(other.toi, all.toi);
      EXPECT_LE(other.impacts.size(), all.impacts.size());
    }
  });
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(stopped, 20u);
}

TEST(CollisionFreeStep, IsTheLargestDoubleBeforeTheContact2) {
  std::size_t contacts = 0;
  for (const double distance : {0.0, 0.05})
    for_each_mesh(12, 1, [&](const OwnedMotion& motion) {
      StepOptions options;
      const double step = collision_free_step(motion.moving(), distance, options);
      options.query.min_separation = distance;
      const Impact impact = earliest_impact(motion.moving(), options).impact;
      if (impact.verdict == Verdict::separated) {
        EXPECT_EQ(step, 1);
        return;
      }
      ++contacts;
      if (impact.toi == 0) {
        EXPECT_EQ(step, 0);
        return;
      }
      EXPECT_EQ(std::nextafter(step, 1.0), impact.toi_hi);
      options.query.t_max = step;
      EXPECT_EQ(earliest_impact(motion.moving(), options).impact.verdict, Verdict::separated);
      options.query.t_max = impact.toi_hi;
      EXPECT_EQ(earliest_impact(motion.moving(), options).impact.verdict, Verdict::contact);
      options.method = find_method("tight_inclusion");
      options.query.t_max = 1;
      options.query.max_checks = 20000;
      const double conservative = collision_free_step(motion.moving(), 0, options);
      options.query.min_separation = 0;
      options.method = nullptr;
      options.query.t_max = conservative;
      if (conservative > 0) {
        EXPECT_EQ(earliest_impact(motion.moving(), options).impact.verdict, Verdict::separated);
      }
    });
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(contacts, 20u);
}

TEST(CollisionFreeStep, OfPairsThatStartCloser3) {
  const Mesh mesh = make_mesh(4, {}, std::vector{Edge{0, 1}, Edge{2, 3}});
  const std::vector<Vec3> start = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 1}, {0, 1, 1}};
  const std::vector<Vec3> end = {{-1, 0, 0}, {1, 0, 0}, {0, -1, -3}, {0, 1, -3}};
  const MovingMesh moving{mesh, start, end};
  EXPECT_EQ(collision_free_step(moving, 0.5), std::nextafter(0.125, 0.0));
  EXPECT_EQ(collision_free_step(moving, 0), std::nextafter(0.25, 0.0));
  EXPECT_EQ(collision_free_step(moving, 1), 0);
  StepOptions skip;
  skip.at_start = StartContacts::skip;
  EXPECT_EQ(collision_free_step(moving, 1, skip), std::nextafter(0.25, 0.0));
  for (const double invalid : {-1.0, Impact::nan, Impact::inf})
    EXPECT_EQ(collision_free_step(moving, invalid), 0) << invalid;
  skip.query.t_max = 0.1;
  EXPECT_EQ(collision_free_step(moving, 0.5, skip), 0.1);
  const std::atomic<bool> stop = true;
  EXPECT_EQ(collision_free_step(moving, 0.5, {}, graze::Run{1, &stop, {}}), 0);
}

TEST(EarliestImpact, AnswersMeshesOfRodsPointsAndEmptyMeshes) {
  EXPECT_EQ(earliest_impact(MovingMesh{Mesh{}, {}, {}}).impact.verdict, Verdict::separated);
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
    EXPECT_EQ(all.impacts[0].kind, Kind::vertex_edge);
    EXPECT_EQ(all.impacts[0].pair, (Pair{2, 0}));
    EXPECT_NEAR(all.impacts[0].impact.toi, 0.5, 1e-6);
    EXPECT_EQ(all.impacts[1].pair, (Pair{3, 0}));
    EXPECT_EQ(all.impacts[2].kind, Kind::vertex_vertex);
    EXPECT_NEAR(all.impacts[2].impact.toi, 2.0 / 3, 1e-6);
    if (all.impacts[0].impact.u == all.impacts[0].impact.u) {
      EXPECT_EQ(all.impacts[0].impact.u, 0.25);
      EXPECT_EQ(contact_position({mesh, start, end}, all.impacts[0]), Vec3(1, 0, 0));
    }
  }
}

// A bent rod folds until its two edges overlap: a pair that shares a vertex.
TEST(EarliestImpact, AnswersFoldingRodsOnRequest) {
  const Mesh mesh = make_mesh(3, {}, std::vector{Edge{0, 1}, Edge{0, 2}});
  const std::vector<Vec3> start = {{0, 0, 0}, {2, 0, 0}, {0, 1, 0}};
  const std::vector<Vec3> end = {{0, 0, 0}, {2, 0, 0}, {2, -1, 0}};
  StepOptions options;
  EXPECT_EQ(earliest_impact({mesh, start, end}, options).impact.verdict, Verdict::separated);
  options.pairs.shared_vertices = true;
  const FirstImpact first = earliest_impact({mesh, start, end}, options);
  EXPECT_EQ(first.kind, Kind::vertex_edge);
  EXPECT_EQ(first.impact.toi, 0.5);
  EXPECT_EQ(first.pair, (Pair{2, 0}));
}

TEST(EarliestImpact, LeavesOutPairsThatTheFilterExcludes) {
  const OwnedMotion motion = random_mesh(mesh_families[1], 12, 5);
  ASSERT_FALSE(all_impacts(motion.moving()).impacts.empty());
  const std::vector<std::uint8_t> is_static(motion.mesh.vertex_count, 1);
  StepOptions options;
  options.pairs.filter.is_static = is_static;
  EXPECT_TRUE(all_impacts(motion.moving(), options).impacts.empty());
  EXPECT_EQ(earliest_impact(motion.moving(), options).impact.verdict, Verdict::separated);
}

TEST(EarliestImpact, BreaksTiesByKindThenPair) {
  // Two vertices reach two faces at the same time, and their edges cross at that time, too.
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
  for_each_mesh(6, 10, [&](const OwnedMotion& motion) {
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
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(skipped, 1000u);
  EXPECT_GT(returned, 50u);
  EXPECT_GT(through, 20u);
}

// A rod starts on another rod, leaves it upwards, turns and comes down through it.
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

TEST(StartContacts, WithinASeparationAreTestedForTrueContact) {
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
        const OwnedMotion motion = random_mesh(mesh_families[family], 6, seed);
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
        EXPECT_TRUE(
            same(first, earliest_impact(motion.moving(), options, graze::Run{.threads = 2})));
      }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
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

TEST(SeparatedSteps, EqualThoseOfAllPairsTestedAlone1) {
  std::size_t contacts = 0;
  for (const std::size_t family : {0u, 2u, 3u, 6u})
    for (const double separation : {1e-3, 0.25}) {
      SCOPED_TRACE(testing::Message() << mesh_families[family].name << " " << separation);
      const OwnedMotion motion = random_mesh(mesh_families[family], 6, 1);
      StepOptions options;
      options.query.min_separation = separation;
      StepImpacts expected;
      for_each_pair(motion.moving(), [&](Kind kind, Pair pair, const auto& query) {
        Impact impact;
        narrow::separation_root(std::span(&query, 1), {options.query}, std::span(&impact, 1));
        if (impact.verdict == Verdict::contact) expected.push_back({kind, pair, impact});
      });
      add_piercings(motion.moving(), expected);
      sort(expected);
      contacts += expected.size();
      EXPECT_TRUE(same_keys(all_impacts(motion.moving(), options).impacts, expected));
      for (const int threads : {1, 2}) {
        const FirstImpact first =
            earliest_impact(motion.moving(), options, graze::Run{.threads = threads});
        EXPECT_EQ(first.impact.verdict == Verdict::contact, !expected.empty());
        if (!expected.empty()) {
          EXPECT_EQ(key(first), key(expected[0]));
        }
      }
    }
  EXPECT_GT(contacts, 100u);
}

TEST(SeparatedSteps, UseTheNormOfTheOptions5) {
  // The second point comes within the separation 1 at different times in the two norms.
  const Mesh mesh = make_mesh(2, {});
  const std::vector<Vec3> start = {{0, 0, 0}, {2, 2, 0}}, end = {{0, 0, 0}, {0, 0, 0}};
  const MovingMesh moving{mesh, start, end};
  StepOptions options;
  options.query.min_separation = 1;
  EXPECT_NEAR(earliest_impact(moving, options).impact.toi, 1 - std::sqrt(0.125), 1e-12);
  options.query.norm = Norm::l2;
  EXPECT_NEAR(earliest_impact(moving, options).impact.toi, 1 - std::sqrt(0.125), 1e-12);
  options.query.norm = Norm::linf;
  EXPECT_EQ(earliest_impact(moving, options).impact.toi, 0.5);
  EXPECT_EQ(collision_free_step(moving, 1, options), std::nextafter(0.5, 0.0));
  options.method = find_method("tight_inclusion");
  EXPECT_NE(earliest_impact(moving, options).impact.verdict, Verdict::invalid);
  options.query.norm = Norm::l2;
  EXPECT_EQ(earliest_impact(moving, options).impact.verdict, Verdict::invalid);
  EXPECT_EQ(all_impacts(moving, options).verdict, Verdict::invalid);
}

TEST(Positions, OfRowMajorMatricesAreNotCopied) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;
  const auto address = [](const Positions& positions) { return positions.rows().data()->data(); };
  const OwnedMotion motion = random_mesh(mesh_families[0], 30, 2);
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
  EXPECT_TRUE(same(first, earliest_impact(motion.mesh, motion.start, motion.end)));
  EXPECT_EQ(collision_free_step(motion.mesh, start, end, 0),
            collision_free_step(motion.moving(), 0));
  EXPECT_EQ(earliest_impact(motion.mesh, start.topRows(rows - 1), end).impact.verdict,
            Verdict::invalid);
  const Eigen::MatrixXd two_columns = start.leftCols(2);
  EXPECT_EQ(earliest_impact(motion.mesh, two_columns, end).impact.verdict, Verdict::invalid);
}

TEST(Positions, OfFloatsAreWidenedExactly) {
  std::size_t contacts = 0;
  for_each_mesh(1, 20, [&](const OwnedMotion& motion) {
    using FloatRows = Eigen::Matrix<float, Eigen::Dynamic, 3, Eigen::RowMajor>;
    const auto rows = static_cast<Eigen::Index>(motion.start.size());
    FloatRows start(rows, 3), end(rows, 3);
    std::vector<Eigen::Vector3f> start_vector, end_vector;
    OwnedMotion widened = motion;
    for (std::size_t v = 0; v < motion.start.size(); ++v) {
      // Clamping keeps coordinates beyond the range of floats finite.
      const auto narrow = [](const Vec3& x) {
        return Eigen::Vector3f(x.cwiseMax(-1e38).cwiseMin(1e38).cast<float>());
      };
      start_vector.push_back(narrow(motion.start[v]));
      end_vector.push_back(narrow(motion.end[v]));
      start.row(static_cast<Eigen::Index>(v)) = start_vector.back().transpose();
      end.row(static_cast<Eigen::Index>(v)) = end_vector.back().transpose();
      for (int k = 0; k < 3; ++k) {
        widened.start[v][k] = double{start_vector.back()[k]};
        widened.end[v][k] = double{end_vector.back()[k]};
      }
    }
    const AllImpacts expected = all_impacts(widened.moving());
    contacts += expected.impacts.size();
    const Eigen::MatrixXf start_columns = start;
    const std::span<const Eigen::Vector3f> start_span = start_vector, end_span = end_vector;
    for (const AllImpacts& all :
         {all_impacts(motion.mesh, start, end), all_impacts(motion.mesh, start_columns, end),
          all_impacts(motion.mesh, start_vector, end_vector),
          all_impacts(motion.mesh, start_span, end_span)})
      EXPECT_TRUE(same(all.impacts, expected.impacts));
    EXPECT_TRUE(same(earliest_impact(widened.moving()), earliest_impact(motion.mesh, start, end)));
    const Positions copied(start_vector);
    const Positions second = copied;
    EXPECT_EQ(second.rows().data(), copied.rows().data()) << "copies share the widened doubles";
    EXPECT_EQ(second.rows()[0], widened.start[0]);
  });
  EXPECT_GT(contacts, 100u);
}

}  // namespace
}  // namespace graze::step_test
