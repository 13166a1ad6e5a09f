#include "graze/step.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "graze/generate/models.h"
#include "graze/generate/scenes.h"
#include "test/support/meshes.h"
#include "test/support/moving_meshes.h"
#include "test/support/rational_distance.h"

namespace graze::step_search_test {
namespace {

using test::mesh_families;
using test::random_mesh;
using Frame = std::vector<Vec3>;
using Vertices = std::vector<std::uint32_t>;

bool equal_bits(double a, double b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b));
}

bool equal_answers(const StepImpact& a, const StepImpact& b) {
  const Impact &x = a.impact, &y = b.impact;
  bool equal = a.kind == b.kind && a.pair == b.pair && x.verdict == y.verdict && x.kind == y.kind &&
               equal_bits(x.toi, y.toi) && equal_bits(x.toi_hi, y.toi_hi) && equal_bits(x.u, y.u) &&
               equal_bits(x.v, y.v);
  for (int k = 0; k < 3; ++k) equal = equal && equal_bits(x.normal[k], y.normal[k]);
  return equal;
}

bool equal_answers(const AllImpacts& a, const AllImpacts& b) {
  return a.verdict == b.verdict && equal_bits(a.toi, b.toi) && a.complete == b.complete &&
         std::equal(a.impacts.begin(), a.impacts.end(), b.impacts.begin(), b.impacts.end(),
                    [](const StepImpact& x, const StepImpact& y) { return equal_answers(x, y); });
}

// Compares the three answers of a search with those of the functions.
void expect_equal_answers(StepSearch& search, const Frame& start, const Frame& end,
                          const StepOptions& options = {}, const Run& run = {.threads = 1}) {
  const MovingMesh moving{search.mesh(), start, end};
  const double distance = options.query.min_separation;
  EXPECT_TRUE(equal_answers(search.earliest_impact(start, end, options, run),
                            earliest_impact(moving, options, run)));
  EXPECT_TRUE(equal_answers(search.all_impacts(start, end, options, run),
                            all_impacts(moving, options, run)));
  EXPECT_TRUE(equal_bits(search.collision_free_step(start, end, distance, options, run),
                         collision_free_step(moving, distance, options, run)));
}

// Returns frames of a mesh on curved paths through the positions of a random motion.
std::vector<Frame> curved_frames(const OwnedMotion& motion, double speed, double curve,
                                 std::size_t count) {
  std::vector<Frame> frames(count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t v = 0; v < motion.start.size(); ++v) {
      const double t = speed * static_cast<double>(i);
      const Vec3 by = motion.end[v] - motion.start[v];
      frames[i].push_back(motion.start[v] +
                          (t + curve * std::sin(6 * t + static_cast<double>(v))) * by);
    }
  return frames;
}

TEST(StepSearch, GivesTheBitsOfASearchAnew1) {
  std::uint64_t forecast = 0, all = 0;
  for (const auto& family : mesh_families)
    for (const double speed : {0.0, 0.01, 0.1})
      for (const double curve : {0.0, 0.001, 0.1})
        for (const int threads : {1, 2}) {
          SCOPED_TRACE(testing::Message() << family.name << " " << speed << " " << curve);
          const OwnedMotion motion = random_mesh(family, 12, 1);
          const auto frames = curved_frames(motion, speed, curve, 8);
          StepSearch search(motion.mesh);
          for (std::size_t i = 0; i + 1 < frames.size(); ++i)
            expect_equal_answers(search, frames[i], frames[i + 1], {}, {.threads = threads});
          forecast += search.use().forecast;
          all += search.use().all;
        }
  EXPECT_EQ(all, 3u * 7 * 2 * 9 * std::size(mesh_families));
  EXPECT_GT(forecast, all / 4);
}

TEST(StepSearch, GivesTheBitsOfASearchAnewForOtherOptionsInBetween1) {
  const OwnedMotion motion = random_mesh(mesh_families[0], 20, 3);
  const auto frames = curved_frames(motion, 0.02, 0, 60);
  std::vector<std::uint8_t> is_static(motion.start.size());
  std::vector<std::uint32_t> group(motion.start.size());
  for (std::size_t v = 0; v < group.size(); ++v) group[v] = static_cast<std::uint32_t>(v % 3);
  std::vector<CategoryMask> masks(motion.start.size());
  for (std::size_t v = 0; v < masks.size(); ++v) masks[v] = {1u << v % 4, v % 3 == 0 ? 3u : 7u};
  const std::vector<GroupPair> listed = {{0, 0}, {1, 2}};
  std::vector<StepOptions> choices(15);
  choices[10].pairs.filter.masks = masks;
  choices[11].pairs.filter.group = group;
  choices[11].pairs.filter.group_pairs = listed;
  choices[12] = choices[11];
  choices[12].pairs.filter.listed = ListedPairs::only;
  choices[13].pairs.stray_vertices = false;
  choices[14].pairs.filter.admits = [](Kind, const Pair& pair) { return pair.b % 2 == 0; };
  choices[1].query.t_max = 0.5;
  choices[2].query.min_separation = 1e-3;
  choices[3].query.min_separation = 1e-3;
  choices[3].query.norm = Norm::linf;
  choices[4].at_start = StartContacts::skip;
  choices[5].pairs.filter.is_static = is_static;
  choices[6].pairs.filter.group = group;
  choices[6].pairs.filter.within_group = false;
  choices[7].pairs.shared_vertices = true;
  choices[8].max_contacts = 2;
  choices[9].method = find_method("tight_inclusion");
  StepSearch search(motion.mesh);
  for (std::size_t i = 0; i + 1 < frames.size(); ++i) {
    is_static[i] = i % 3 == 0;  // a filter whose elements change
    const StepOptions& options = choices[i % 4 < 2 ? 0 : i / 4 % choices.size()];
    SCOPED_TRACE(testing::Message() << "step " << i);
    expect_equal_answers(search, frames[i], frames[i + 1], options);
  }
  EXPECT_GT(search.use().forecast, search.use().all / 4);
}

// Every function that takes a filter, with one thread and several.
TEST(StepSearch, RethrowsExceptionsOfTheFilterAndAnswersRightAfterwards) {
  const OwnedMotion motion = random_mesh(mesh_families[0], 20, 3);
  const auto frames = curved_frames(motion, 0.05, 0, 6);
  for (const int threads : {1, 2, 4}) {
    const graze::Run run{.threads = threads};
    StepSearch search(motion.mesh);
    for (std::size_t i = 0; i + 1 < frames.size(); ++i) {
      const Frame &start = frames[i], &end = frames[i + 1];
      // Throws for pairs of some kinds: those of the search, or those of the start check.
      for (const bool at_start : {false, true}) {
        StepOptions options;
        options.pairs.filter.admits = [&](Kind kind, const Pair&) -> bool {
          if ((kind == Kind::edge_face) == at_start) throw std::runtime_error("filter");
          return false;
        };
        EXPECT_THROW(earliest_impact({motion.mesh, start, end}, options, run), std::runtime_error);
        EXPECT_THROW(all_impacts({motion.mesh, start, end}, options, run), std::runtime_error);
        EXPECT_THROW(collision_free_step({motion.mesh, start, end}, 0, options, run),
                     std::runtime_error);
        EXPECT_THROW(search.earliest_impact(start, end, options, run), std::runtime_error);
        EXPECT_THROW(search.all_impacts(start, end, options, run), std::runtime_error);
        EXPECT_THROW(search.collision_free_step(start, end, 0, options, run), std::runtime_error);
      }
      expect_equal_answers(search, start, end, {}, run);
    }
  }
}

TEST(StepSearch, ReusesPairsForShortenedSteps1) {
  const OwnedMotion motion = random_mesh(mesh_families[0], 20, 4);
  const auto frames = curved_frames(motion, 0.05, 0, 10);
  StepSearch search(motion.mesh);
  for (std::size_t i = 0; i + 1 < frames.size(); ++i)
    for (double part = 1; part > 0.1; part *= 0.7) {
      Frame end = frames[i];
      for (std::size_t v = 0; v < end.size(); ++v) end[v] += part * (frames[i + 1][v] - end[v]);
      expect_equal_answers(search, frames[i], end);
    }
  EXPECT_GT(search.use().forecast, search.use().all * 9 / 10);
}

// A box above, in or below another, with every two options for two steps in a row: the second step
// starts where the first one ended free of contact, in contact or intersected.
TEST(StepSearch, FindsEdgesThatPierceFacesAfterAnyStep1) {
  std::vector<Face> faces;
  std::vector<Vec3> corners;
  for (const double size : {1.5, 0.5}) {
    const auto first = static_cast<std::uint32_t>(corners.size());
    const generate::SurfaceModel box = generate::box({size, 0.5, size});
    corners.insert(corners.end(), box.vertices.begin(), box.vertices.end());
    for (const Face& face : box.faces)
      faces.push_back({face[0] + first, face[1] + first, face[2] + first});
  }
  const Mesh mesh = make_mesh(corners.size(), faces);
  const auto frame = [&](double height) {
    Frame positions = corners;
    for (std::size_t v = 8; v < 16; ++v) positions[v] += Vec3(0.01, height, 0);
    return positions;
  };
  const std::vector<std::uint8_t> lower = {1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0},
                                  most = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0};
  const std::vector<std::uint32_t> group = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
  std::vector<StepOptions> choices(7);
  choices[1].at_start = StartContacts::skip;
  choices[2].query.t_max = 0.5;
  choices[3].start_check = false;
  choices[4].pairs.filter.is_static = lower;
  choices[5].pairs.filter.is_static = most;  // and some of these move
  choices[6].pairs.filter.group = group;
  choices[6].pairs.filter.within_group = false;
  std::size_t known = 0, pierced = 0;
  const graze::Run run{.threads = 1};
  for (const double first : {2.0, 1.0, 0.95})
    for (const double second : {1.5, 1.0, 0.95, -2.0})
      for (const double third : {1.5, 0.95})
        for (const StepOptions& before : choices)
          for (const StepOptions& after : choices) {
            StepSearch search(mesh);
            const bool free =
                search.earliest_impact(frame(first), frame(second), before, run).impact.verdict ==
                Verdict::separated;
            const Frame start = frame(second), end = frame(third);
            const FirstImpact answer = search.earliest_impact(start, end, after, run);
            EXPECT_TRUE(equal_answers(answer, earliest_impact({mesh, start, end}, after, run)))
                << first << " " << second << " " << third << ", options " << &before - &choices[0]
                << " " << &after - &choices[0];
            known += free && answer.impact.verdict == Verdict::separated;
            pierced += free && answer.kind == Kind::edge_face;
          }
  EXPECT_GT(known, 50u);
  EXPECT_GT(pierced, 5u);
}

// Sheets that slide through each other: every step starts pierced, and the first edge that pierces
// a face changes.
TEST(StepSearch, FindsTheFirstPiercingOfEveryStep1) {
  const OwnedMotion motion = test::sheet(8);
  const std::size_t count = motion.start.size();
  std::vector<Face> faces = motion.mesh.faces;
  for (const Face& face : motion.mesh.faces)
    faces.push_back({face[0] + std::uint32_t(count), face[1] + std::uint32_t(count),
                     face[2] + std::uint32_t(count)});
  const Mesh mesh = make_mesh(2 * count, faces);
  const auto frame = [&](double t) {
    Frame positions;
    for (const Vec3& x : motion.start) positions.push_back(x);
    for (const Vec3& x : motion.start)
      positions.push_back({x[2] + 3.1 - 2 * t, x[1] + 0.07 + t, x[0] - 3.3});
    return positions;
  };
  std::size_t pierced = 0, changed = 0;
  Pair last{};
  StepSearch search(mesh);
  constexpr int steps = 40;
  for (int i = 0; i < steps; ++i) {
    const Frame start = frame(i / double(steps)), end = frame((i + 1) / double(steps));
    const FirstImpact answer = search.earliest_impact(start, end, {}, {.threads = 1});
    EXPECT_TRUE(equal_answers(answer, earliest_impact({mesh, start, end}, {}, {.threads = 1})));
    pierced += answer.kind == Kind::edge_face && answer.impact.verdict == Verdict::contact;
    changed += answer.pair != last;
    last = answer.pair;
  }
  EXPECT_EQ(pierced, std::size_t{steps});
  EXPECT_GT(changed, 3u);
  EXPECT_LT(changed, 30u);
  EXPECT_GT(search.use().forecast, 30u);
}

TEST(StepSearch, AnswersRightAfterInvalidSteps3) {
  const OwnedMotion motion = random_mesh(mesh_families[0], 20, 5);
  const auto frames = curved_frames(motion, 0.02, 0, 24);
  StepSearch search(motion.mesh);
  for (std::size_t i = 0; i + 1 < frames.size(); ++i) {
    expect_equal_answers(search, frames[i], frames[i + 1]);
    Frame bad = frames[i + 1];
    bad[i % bad.size()][static_cast<int>(i % 3)] = i % 2 == 0
                                                       ? std::numeric_limits<double>::quiet_NaN()
                                                       : std::numeric_limits<double>::infinity();
    if (i % 4 == 1) expect_equal_answers(search, frames[i], bad);
    if (i % 4 == 2) expect_equal_answers(search, bad, frames[i]);
    bad.resize(i);
    if (i % 4 == 3) expect_equal_answers(search, frames[i], bad);
    StepOptions options;
    options.query.min_separation = -1;
    if (i % 5 == 0) expect_equal_answers(search, frames[i], frames[i + 1], options);
  }
  EXPECT_GT(search.use().forecast, 10u);
}

TEST(StepSearch, EndsWhenStoppedAndAnswersRightAfterwards) {
  const OwnedMotion motion = random_mesh(mesh_families[0], 20, 6);
  const auto frames = curved_frames(motion, 0.02, 0, 8);
  StepSearch search(motion.mesh);
  for (std::size_t i = 0; i + 1 < frames.size(); ++i) {
    const std::atomic<bool> stop = true;
    const FirstImpact first = search.earliest_impact(frames[i], frames[i + 1], {}, {.stop = &stop});
    EXPECT_EQ(first.impact.verdict, Verdict::undecided);
    EXPECT_EQ(first.impact.toi, 0);
    if (i % 2 == 1) expect_equal_answers(search, frames[i], frames[i + 1]);
  }
}

TEST(StepSearch, UsesAForecastForMostFramesOfACloth1) {
  const auto scene = generate::find_scene_recipe("cloth_on_cone")->make(1000, 51);
  StepSearch search(scene.mesh);
  for (std::size_t i = 0; i + 1 < scene.frames.size(); ++i)
    EXPECT_TRUE(equal_answers(search.earliest_impact(scene.frames[i], scene.frames[i + 1]),
                              earliest_impact(scene.step(i))));
  EXPECT_GE(search.use().forecast, 40u);
  EXPECT_EQ(search.use().all, 50u);
}

TEST(StepSearch, MayBeMovedAndEmpty) {
  StepSearch empty{Mesh{}};
  expect_equal_answers(empty, {}, {});
  expect_equal_answers(empty, {}, {});
  const OwnedMotion motion = random_mesh(mesh_families[0], 20, 7);
  StepSearch search(motion.mesh);
  const auto frames = curved_frames(motion, 0.02, 0, 6);
  for (std::size_t i = 0; i + 1 < frames.size(); ++i) {
    expect_equal_answers(search, frames[i], frames[i + 1]);
    StepSearch other = std::move(search);
    search = std::move(other);
  }
  EXPECT_EQ(search.mesh(), motion.mesh);
}

// Compares the three answers of candidates with those of the functions. Returns whether the
// candidates cover the step.
bool expect_equal_answers(const Candidates& candidates, const Frame& start, const Frame& end,
                          const StepOptions& options = {}, const Run& run = {.threads = 1}) {
  const MovingMesh moving{candidates.mesh(), start, end};
  const double distance = options.query.min_separation;
  StepOptions unread = options;
  unread.pairs = {};
  EXPECT_TRUE(equal_answers(earliest_impact(candidates, start, end, unread, run),
                            earliest_impact(moving, options, run)));
  EXPECT_TRUE(equal_answers(all_impacts(candidates, start, end, unread, run),
                            all_impacts(moving, options, run)));
  EXPECT_TRUE(equal_bits(collision_free_step(candidates, start, end, distance, unread, run),
                         collision_free_step(moving, distance, options, run)));
  return candidates.covers(start, end, distance);
}

// Returns the positions of a motion at a time, each moved by at most `by` along each axis.
Frame near_motion(const OwnedMotion& motion, double time, double by, generate::Random& random) {
  Frame frame;
  for (std::size_t v = 0; v < motion.start.size(); ++v)
    frame.push_back((1 - time) * motion.start[v] + time * motion.end[v] + by * random.cube(-1, 1));
  return frame;
}

TEST(Candidates, GiveTheBitsOfTheFunctionsWithoutThem1) {
  std::size_t covered = 0, searched = 0, contacts = 0;
  for (const auto& family : mesh_families)
    for (std::uint64_t seed = 1; seed <= 2; ++seed)
      for (const double relative : {0.0, 0.01, 0.2}) {
        SCOPED_TRACE(testing::Message() << family.name << ", seed " << seed << ", " << relative);
        generate::Random random(family.name, 2, seed, 1);
        const OwnedMotion motion = random_mesh(family, 6, seed);
        double size = 0;
        for (const Vec3& x : motion.start)
          size = std::max(size, (x - motion.start[0]).lpNorm<Eigen::Infinity>());
        const double margin = std::isfinite(size) ? relative * size : relative * 0x1p1023;
        const graze::Run run{.threads = 1 + static_cast<int>(seed % 2)};
        const Candidates candidates =
            find_candidates(motion.mesh, motion.start, motion.end, margin, {}, run);
        ASSERT_EQ(candidates.status(), PairStatus::complete);
        const auto check = [&](const Frame& start, const Frame& end) {
          for (const double separation : {random.one_in(2) ? 0.0 : 2 * margin, margin / 4}) {
            StepOptions options;
            options.query.min_separation = separation;
            options.start_check = separation == 0 || random.one_in(2);
            if (random.one_in(3)) options.at_start = StartContacts::skip;
            if (random.one_in(3)) options.query.t_max = 0.3;
            if (random.one_in(4)) options.max_contacts = 2;
            if (random.one_in(5)) options.method = find_method("tight_inclusion");
            options.query.max_checks = 100;
            (expect_equal_answers(candidates, start, end, options, run) ? covered : searched) += 1;
            contacts += !all_impacts({motion.mesh, start, end}, options).impacts.empty();
          }
        };
        check(motion.start, motion.end);
        check(motion.start, near_motion(motion, 0.5, 0, random));
        check(near_motion(motion, 0.7, 0, random), near_motion(motion, 0.2, 0, random));
        check(near_motion(motion, 0.1, margin / 4, random),
              near_motion(motion, 1, margin / 4, random));
        check(near_motion(motion, 0.1, 2 * margin, random), motion.end);
        check(motion.start, near_motion(motion, 1.5, 0, random));
        check(motion.end, motion.start);
      }
  EXPECT_GT(covered, 200u);
  EXPECT_GT(searched, 200u);
  EXPECT_GT(contacts, 200u);
}

TEST(Candidates, CoverStepsOfALineSearch2) {
  const OwnedMotion motion = random_mesh(mesh_families[0], 20, 4);
  StepSearch search(motion.mesh);
  const Candidates none = search.candidates(motion.start, motion.end, 0);
  EXPECT_TRUE(none.covers(motion.start, motion.end));
  EXPECT_TRUE(none.covers(motion.start, motion.start));
  EXPECT_FALSE(none.covers(motion.start, motion.end, 1e-9));
  const Candidates candidates = search.candidates(motion.start, motion.end, 1e-6);
  for (double part = 1; part > 1e-3; part *= 0.7) {
    Frame end = motion.start;
    for (std::size_t v = 0; v < end.size(); ++v) end[v] += part * (motion.end[v] - end[v]);
    EXPECT_TRUE(expect_equal_answers(candidates, motion.start, end));
    EXPECT_TRUE(candidates.covers(motion.start, end, 5e-7));
    EXPECT_FALSE(candidates.covers(motion.start, end, 2e-6));
  }
  // One of many vertices moves, which a sample may miss.
  OwnedMotion sparse{make_mesh(20000, {{0, 1, 7}}), Frame(20000, Vec3::Zero()), {}};
  for (std::size_t v = 0; v < 20000; ++v) sparse.start[v][0] = static_cast<double>(v);
  sparse.end = sparse.start;
  sparse.end[7][1] = 100;
  Frame part = sparse.start;
  part[7][1] = 30;
  EXPECT_TRUE(
      find_candidates(sparse.mesh, sparse.start, sparse.end, 1e-3).covers(part, sparse.end));
}

// A motion at rest: the condition is a box around each vertex.
TEST(Candidates, CoverNothingBeyondTheMargin1) {
  const OwnedMotion motion = random_mesh(mesh_families[0], 10, 4);
  generate::Random random("boxes", 0, 1, 1);
  for (const double separation : {0.0, 0.05}) {
    const double h = (0.1 - separation) / 2;
    const Candidates candidates = find_candidates(motion.mesh, motion.start, motion.start, 0.1);
    for (int i = 0; i < 100; ++i) {
      Frame frame = motion.start;
      const double by = random.uniform(0, 2 * h);
      const auto v = static_cast<std::size_t>(i) % frame.size();
      frame[v][i % 3] += i % 2 == 0 ? by : -by;
      if (std::abs(by - h) < 1e-9) continue;
      EXPECT_EQ(candidates.covers(frame, motion.start, separation), by < h);
      EXPECT_EQ(candidates.covers(motion.start, frame, separation), by < h);
      EXPECT_EQ(candidates.step_bounds(frame, separation).empty(), by > h);
    }
  }
  EXPECT_FALSE(find_candidates(motion.mesh, motion.start, motion.start, 0.1)
                   .covers(motion.start, motion.start, -1));
}

// Judges every two features of the mesh by their distance in rational numbers.
TEST(Candidates, BoundStepsSoThatNothingMeets45) {
  std::size_t tight = 0, zero = 0, capped = 0, kept_pairs = 0;
  for (const auto& family : mesh_families)
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      SCOPED_TRACE(testing::Message() << family.name << ", seed " << seed);
      const OwnedMotion motion = random_mesh(family, 4, seed);
      generate::Random random(family.name, 3, seed, 1);
      double size = 0;
      for (const Vec3& x : motion.start)
        size = std::max(size, (x / 2 - motion.start[0] / 2).lpNorm<Eigen::Infinity>());
      const double margin = size / 4, keep = seed % 2 == 0 ? 0 : size / 64;
      const Candidates candidates = find_candidates(motion.mesh, motion.start, motion.end, margin);
      for (const double time : {0.0, 0.4}) {  // the second with deviations
        const Frame at = near_motion(motion, time, time == 0 ? 0 : margin / 8, random);
        const std::vector<double> bounds = candidates.step_bounds(at, keep, {.threads = 1});
        EXPECT_EQ(bounds, candidates.step_bounds(at, keep, {.threads = 2}));
        if (bounds.empty()) {
          EXPECT_FALSE(candidates.covers(at, at, keep));
          continue;
        }
        ASSERT_EQ(bounds.size(), at.size());
        std::vector<double> expected(at.size(), (margin - keep) / 2);
        const auto check = [&](const auto& query, const Vertices& a, const Vertices& b) {
          const auto largest = [&](const Vertices& feature) {
            double bound = 0;
            for (const std::uint32_t v : feature) bound = std::max(bound, bounds[v]);
            return bound;
          };
          const double reach = 2 * (keep + largest(a) + largest(b)) + size / 64;
          // Boxes that are far from each other need no exact distance.
          for (int k = 0; k < 3; ++k) {
            const auto interval = [&](const Vertices& feature) {
              double lo = Impact::inf, hi = -Impact::inf;
              for (const std::uint32_t v : feature) {
                lo = std::min(lo, at[v][k] / 4);
                hi = std::max(hi, at[v][k] / 4);
              }
              return std::pair(lo, hi);
            };
            const auto [a_lo, a_hi] = interval(a);
            const auto [b_lo, b_hi] = interval(b);
            if (a_lo - b_hi > reach / 4 || b_lo - a_hi > reach / 4) return;
          }
          const test::Rational distance = test::distance_sq(query, 0), limit(keep),
                               sum =
                                   limit + test::Rational(largest(a)) + test::Rational(largest(b));
          if (distance > limit * limit) {
            ++kept_pairs;
            EXPECT_LT(sum * sum, distance);
          } else {
            EXPECT_EQ(sum, limit);
          }
          const double half = (std::sqrt(static_cast<double>(distance)) - keep) / 2;
          for (const auto* feature : {&a, &b})
            for (const std::uint32_t v : *feature) expected[v] = std::min(expected[v], half);
        };
        const Mesh& mesh = motion.mesh;
        const MovingMesh rest{mesh, at, at};
        const auto edge = [&](std::size_t e) {
          return Vertices(mesh.edges[e].begin(), mesh.edges[e].end());
        };
        const Pairs all =
            collect_pairs(rest, {.separation = 8 * size}, {}, *find_pair_strategy("brute_force"));
        for (const auto& [v, f] : all.vertex_face)
          check(rest.vertex_face(v, f), {v}, {mesh.faces[f].begin(), mesh.faces[f].end()});
        for (const auto& [a, b] : all.edge_edge) check(rest.edge_edge(a, b), edge(a), edge(b));
        for (const auto& [v, e] : all.vertex_edge) check(rest.vertex_edge(v, e), {v}, edge(e));
        for (const auto& [a, b] : all.vertex_vertex) check(rest.vertex_vertex(a, b), {a}, {b});
        for (std::size_t v = 0; v < bounds.size(); ++v) {
          EXPECT_GE(bounds[v], 0);
          zero += bounds[v] == 0;
          capped += bounds[v] > 0.999 * (margin - keep) / 2;
          if (time > 0 || &family != &mesh_families[0]) continue;
          tight += bounds[v] > 0 && bounds[v] < 0.99 * (margin - keep) / 2;
          EXPECT_GE(bounds[v], std::max(0.0, expected[v]) * (1 - 1e-9));
        }
      }
    }
  EXPECT_GT(tight, 3u);
  EXPECT_GT(zero, 50u);
  EXPECT_GT(capped, 3u);
  EXPECT_GT(kept_pairs, 300u);
}

// A pair that is close in comparison with its size.
TEST(Candidates, BoundStepsOfClosePairsTightly5) {
  const Mesh mesh = make_mesh(7, {{0, 1, 2}, {3, 4, 5}});
  for (const double gap : {1e-3, 1e-8, 1e-13}) {
    const Frame x = {{0, 0, 0}, {4, 0, 1}, {0, 4, 1}, {1, 1, 0.5 + gap},
                     {9, 9, 9}, {8, 9, 9}, {50, 0, 0}};
    const auto bounds = find_candidates(mesh, x, x, 0.1).step_bounds(x);
    ASSERT_EQ(bounds.size(), 7u);
    const double distance = gap / std::sqrt(1 + 2.0 / 16);
    for (const std::size_t v : {0u, 1u, 2u, 3u}) {
      EXPECT_LE(bounds[v], distance / 2 * (1 + 1e-2));
      EXPECT_GE(bounds[v], distance / 2 * (1 - 3e-2));
    }
    for (const std::size_t v : {4u, 5u, 6u}) EXPECT_NEAR(bounds[v], 0.05, 1e-15);
  }
}

// The filter of the candidates applies and is copied.
TEST(Candidates, KeepTheirPairOptions) {
  const OwnedMotion motion = random_mesh(mesh_families[0], 20, 3);
  std::vector<std::uint32_t> group;
  for (std::uint32_t v = 0; v < motion.start.size(); ++v) group.push_back(v % 4);
  std::vector<GroupPair> listed = {{0, 1}, {2, 2}};
  StepOptions options;
  options.pairs.filter.group = group;
  options.pairs.filter.group_pairs = listed;
  options.pairs.filter.listed = ListedPairs::only;
  options.pairs.shared_vertices = true;
  auto copied = std::make_unique<std::vector<std::uint32_t>>(group);
  PairOptions pairs = options.pairs;
  pairs.filter.group = *copied;
  const Candidates candidates = find_candidates(motion.mesh, motion.start, motion.end, 0.01, pairs);
  copied.reset();
  generate::Random random("options", 0, 1, 1);
  EXPECT_TRUE(expect_equal_answers(candidates, motion.start, motion.end, options));
  EXPECT_FALSE(
      expect_equal_answers(candidates, near_motion(motion, 0.5, 1, random), motion.end, options));
  options.pairs = {};
  options.pairs.filter.admits = [](Kind kind, const Pair& pair) {
    return (pair.a + pair.b + static_cast<std::uint32_t>(kind)) % 3 == 0;
  };
  EXPECT_TRUE(expect_equal_answers(
      find_candidates(motion.mesh, motion.start, motion.end, 0.01, options.pairs), motion.start,
      motion.end, options));
  options.pairs.filter.admits = [](Kind, const Pair&) -> bool {
    throw std::runtime_error("filter");
  };
  EXPECT_THROW(find_candidates(motion.mesh, motion.start, motion.end, 0.01, options.pairs),
               std::runtime_error);
  options.pairs.filter.admits = [](Kind kind, const Pair&) {
    if (kind == Kind::edge_face) throw std::runtime_error("filter");
    return true;
  };
  const Candidates throws =
      find_candidates(motion.mesh, motion.start, motion.end, 0.01, options.pairs);
  for (int i = 0; i < 2; ++i)
    EXPECT_THROW(earliest_impact(throws, motion.start, motion.end), std::runtime_error);
  EXPECT_THROW(all_impacts(throws, motion.end, motion.start), std::runtime_error);
}

TEST(Candidates, OfInvalidOrStoppedSearchesCoverNothing) {
  const OwnedMotion motion = random_mesh(mesh_families[0], 10, 3);
  Frame bad = motion.end;
  bad[3][1] = std::numeric_limits<double>::infinity();
  const std::atomic<bool> stop = true;
  const std::vector<std::uint8_t> is_static(3);
  PairOptions unfit;
  unfit.filter.is_static = is_static;
  const auto make = [&](const Frame& end, double margin, const PairOptions& options = {},
                        const graze::Run& run = {}) {
    return find_candidates(motion.mesh, motion.start, end, margin, options, run);
  };
  for (const auto& [candidates, status] :
       {std::pair(make(bad, 0.1), PairStatus::invalid),
        std::pair(make({}, 0.1), PairStatus::invalid),
        std::pair(make(motion.end, -1), PairStatus::invalid),
        std::pair(make(motion.end, Impact::inf), PairStatus::invalid),
        std::pair(make(motion.end, Impact::nan), PairStatus::invalid),
        std::pair(make(motion.end, 0.1, unfit), PairStatus::invalid),
        std::pair(make(motion.end, 0.1, {}, {.stop = &stop}), PairStatus::stopped)}) {
    EXPECT_EQ(candidates.status(), status);
    EXPECT_EQ(candidates.pairs(), Pairs());
    EXPECT_FALSE(candidates.covers(motion.start, motion.end));
    EXPECT_TRUE(candidates.step_bounds(motion.start).empty());
    const bool fits =
        earliest_impact(candidates, motion.start, motion.end).impact.verdict != Verdict::invalid;
    StepOptions options;
    if (!fits) options.pairs = unfit;
    expect_equal_answers(candidates, motion.start, motion.end, options);
  }
  const Candidates candidates = make(motion.end, 0.1);
  EXPECT_FALSE(expect_equal_answers(candidates, motion.start, bad));
  EXPECT_FALSE(expect_equal_answers(candidates, bad, motion.end));
  EXPECT_FALSE(expect_equal_answers(candidates, {}, motion.end));
  StepOptions options;
  options.query.min_separation = -1;
  expect_equal_answers(candidates, motion.start, motion.end, options);
  const FirstImpact first =
      earliest_impact(candidates, motion.start, motion.end, {}, {.stop = &stop});
  EXPECT_EQ(first.impact.verdict, Verdict::undecided);
  EXPECT_EQ(first.impact.toi, 0);
  EXPECT_TRUE(candidates.step_bounds(motion.start, 0, {.stop = &stop}).empty());
  EXPECT_TRUE(expect_equal_answers(candidates, motion.start, motion.end));
  EXPECT_TRUE(expect_equal_answers(find_candidates({}, Frame(), Frame(), 0), {}, {}));
}

TEST(Candidates, ServeSeveralThreadsAndOutliveTheirSearch) {
  const OwnedMotion motion = random_mesh(mesh_families[0], 20, 5);
  auto search = std::make_unique<StepSearch>(motion.mesh);
  const Candidates candidates = search->candidates(motion.start, motion.end, 0.01);
  search.reset();
  const Candidates copy = candidates;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] { expect_equal_answers(copy, motion.start, motion.end); });
  for (std::thread& thread : threads) thread.join();
}

// Steps after a step whose end is known to be free of intersections.
TEST(Candidates, OfASearchStoreWhetherTheirStartIsClean) {
  const auto scene = generate::find_scene_recipe("cloth_on_cone")->make(300, 51);
  StepSearch search(scene.mesh);
  for (std::size_t i = 0; i + 1 < 8; ++i) {
    const Candidates candidates = search.candidates(scene.frames[i], scene.frames[i + 1], 1e-3);
    EXPECT_TRUE(expect_equal_answers(candidates, scene.frames[i], scene.frames[i + 1]));
    search.earliest_impact(scene.frames[i], scene.frames[i + 1]);
  }
}

}  // namespace
}  // namespace graze::step_search_test
