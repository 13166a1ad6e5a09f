#include "graze/step_search.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "graze/generate/models.h"
#include "graze/generate/scenes.h"
#include "test/support/meshes.h"

namespace graze {
namespace {

using test::mesh_families;
using test::random_mesh;
using Frame = std::vector<Vec3>;

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

// Frames of a mesh on curved paths through the positions of a random motion.
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
TEST(StepSearch, SeesEdgesThatPierceFacesAfterAnyStep1) {
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

}  // namespace
}  // namespace graze
