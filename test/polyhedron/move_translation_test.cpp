#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <thread>

#include "graze/generate/random.h"
#include "graze/polyhedron/move.h"
#include "test/support/rational_contact.h"
#include "test/support/scale.h"

namespace graze::polyhedron::move_translation_test {
namespace {

using generate::Random;
using test::Rational;

Model polygon_model(const std::vector<Vec3>& corners) {
  Polygon all;
  for (std::uint32_t i = 0; i < corners.size(); ++i) all.push_back(i);
  return make_model(corners, {&all, 1});
}

// Returns a point, triangle, parallelogram, hull, box or bent strip of random corners.
template <class Draw>
Model random_model(Random& random, const Draw& draw) {
  for (;;) {
    Model model;
    switch (random.below(6)) {
      case 0:
        return model_of_point(draw());
      case 1: {
        const Vec3 a = draw(), b = draw(), c = draw();
        model = polygon_model({a, b, c});
        break;
      }
      case 2: {
        const Vec3 a = draw(), b = draw(), c = draw();
        model = polygon_model({a, b, Vec3(b + c - a), c});
        break;
      }
      case 3: {
        std::vector<Vec3> points;
        for (int i = random.integer(4, 6); i > 0; --i) points.push_back(draw());
        model = convex_hull(points);
        break;
      }
      case 4: {
        const Vec3 a = draw(), b = draw();
        model = model_of_box({a.cwiseMin(b), a.cwiseMax(b)});
        break;
      }
      default: {
        std::vector<Vec3> points;
        for (int i = 0; i < 5; ++i) points.push_back(draw());
        const Polygon strip[] = {{0, 1, 2}, {2, 1, 3}, {2, 3, 4}};
        ModelOptions options;
        options.merge_coplanar = random.one_in(2);
        model = make_model(points, strip, options);
      }
    }
    if (model.ok()) return model;
  }
}

std::optional<Rational> judge(const Model& world, const Model& mover, const Path& path) {
  std::optional<Rational> first;
  for (const Facet& ours : mover.facets)
    for (const Facet& theirs : world.facets) {
      test::Corners<Rational> corners;
      for (const std::uint32_t c : mover.corners_of(ours))
        corners.push_back(test::place(path, mover.vertices[c], 0));
      const auto t =
          test::first_meeting(corners, test::corners_of(world, theirs), test::rational(path.way));
      if (t && (!first || *t < *first)) first = t;
    }
  return first;
}

struct Tally {
  std::size_t contacts = 0, starts = 0, exact = 0, cases = 0;
};

void check(const Model& world_model, const Model& mover, const Path& path, Scratch& scratch,
           Tally& tally) {
  const Obstacle world = make_obstacle(world_model);
  const MoveResult result = move({&world, 1}, mover, path, scratch);
  const std::optional<Rational> truth = judge(world_model, mover, path);
  ++tally.cases;
  tally.exact += result.exact > 0;
  ASSERT_EQ(result.verdict, truth ? Verdict::contact : Verdict::separated);
  ASSERT_EQ(position_test({&world, 1}, mover, path.start, scratch).touches(), truth && *truth == 0);
  ASSERT_TRUE(test::limits_hold(world, mover, path, scratch, result));
  if (!truth) return;
  ++tally.contacts;
  tally.starts += *truth == 0;
  ASSERT_LE(Rational(result.toi), *truth);
  ASSERT_GE(Rational(result.toi_hi), *truth);
  if (Rational(result.toi) == *truth)
    ASSERT_EQ(result.toi_hi, result.toi);
  else
    ASSERT_EQ(result.toi_hi, std::nextafter(result.toi, 2));
}

Path random_path(Random& random, const Vec3& from, const Vec3& way) {
  Path path = translating({}, way);
  path.start.translation = from;
  switch (random.below(3)) {
    case 0:  // a quarter turn: stays on a lattice
      path.start.rotation = {1, double(random.integer(-1, 1)), 0, 0};
      break;
    case 1:
      path.start.rotation = {double(random.nonzero(-3, 3)), double(random.integer(-3, 3)),
                             double(random.integer(-3, 3)), double(random.integer(-3, 3))};
      break;
    default:
      break;
  }
  return path;
}

TEST(Translation, OnALatticeTheFirstTimeIsThatOfRationalArithmetic) {
  Scratch scratch;
  Tally tally;
  for (std::size_t i = 0; i < test::scaled(600) && !HasFatalFailure(); ++i) {
    SCOPED_TRACE(i);
    Random random("translate lattice", 0, 1, i);
    const auto draw = [&] { return random.lattice(2); };
    const Model world = random_model(random, draw), mover = random_model(random, draw);
    const Vec3 from = random.lattice(4);
    const Vec3 way = random.one_in(3) ? Vec3(-2 * from) : Vec3(random.lattice(5) - from);
    check(world, mover, random_path(random, from, way), scratch, tally);
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(5 * tally.contacts, tally.cases);
  EXPECT_GT(20 * (tally.contacts - tally.starts), tally.cases);
  EXPECT_GT(5 * tally.exact, tally.cases);
}

TEST(Translation, OfRandomDoublesTheFirstTimeIsThatOfRationalArithmetic) {
  Scratch scratch;
  Tally tally;
  for (std::size_t i = 0; i < test::scaled(100) && !HasFatalFailure(); ++i) {
    SCOPED_TRACE(i);
    Random random("translate random", 0, 1, i);
    const auto draw = [&] { return random.cube(-1, 1); };
    const Model world = random_model(random, draw), mover = random_model(random, draw);
    const Vec3 from = random.cube(-3, 3);
    Path path = random_path(random, from, Vec3(-2 * from + random.cube(-0.5, 0.5)));
    if (random.one_in(3)) path.start = Pose::from_axis_angle(random.cube(-1, 1), 2, from);
    check(world, mover, path, scratch, tally);
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(5 * tally.contacts, tally.cases);
}

// Points that pass through an edge or a vertex of a sheet, exactly or one ulp beside it.
TEST(Translation, ThroughSharedEdgesAndVerticesTheFirstTimeIsThatOfRationalArithmetic) {
  Scratch scratch;
  Tally tally;
  for (std::size_t i = 0; i < test::scaled(1500) && !HasFatalFailure(); ++i) {
    SCOPED_TRACE(i);
    Random random("translate edges", 0, 1, i);
    std::vector<Vec3> v;
    for (int k = 0; k < 4; ++k) v.push_back(random.lattice(8));
    const Polygon fan[] = {{0, 1, 2}, {0, 2, 3}};
    const Model sheet = make_model(v, fan);
    if (!sheet.ok()) continue;
    const Vec3 way = 2 * random.lattice(8);
    const double share = random.integer(0, 4) / 4.;
    const Vec3 target = (1 - share) * v[0] + share * v[2];
    Vec3 from = target - way / 2;
    if (random.one_in(3)) {
      const int k = random.integer(0, 2);
      from[k] = std::nextafter(from[k], random.one_in(2) ? 100. : -100.);
    }
    // The point, or a small model with a corner at that point; either of them moves.
    const Model thing = random.one_in(2) ? model_of_point(Vec3::Zero())
                                         : polygon_model({{0, 0, 0},
                                                          random.lattice(3) + Vec3(5, 0, 0),
                                                          random.lattice(3) + Vec3(0, 9, 0)});
    if (random.one_in(2)) {
      check(sheet, thing, translating(Pose::from_quaternion(1, 0, 0, 0, from), way), scratch,
            tally);
    } else {
      const Model world = placed(thing, Pose::from_quaternion(1, 0, 0, 0, from));
      check(world, sheet, translating({}, -way), scratch, tally);
    }
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(4 * tally.contacts, tally.cases);
  EXPECT_GT(4 * tally.exact, tally.cases);
}

// Returns a polygon whose sides have all directions of small integers.
Model polygon_of_many_sides() {
  std::vector<std::array<int, 2>> sides;
  for (int x = -4; x <= 4; ++x)
    for (int y = -4; y <= 4; ++y)
      if (std::gcd(x, y) == 1) sides.push_back({x, y});
  std::sort(sides.begin(), sides.end(), [](const auto& a, const auto& b) {
    return std::atan2(a[1], a[0]) < std::atan2(b[1], b[0]);
  });
  std::vector<Vec3> corners;
  Vec3 at(0, 0, 0);
  for (const auto& [x, y] : sides) {
    corners.push_back(at / 8);
    at += Vec3(x, y, 0);
  }
  const Vec3 middle = (corners[0] + corners[corners.size() / 2]) / 2;
  for (Vec3& corner : corners) corner -= middle;
  return polygon_model(corners);
}

TEST(Translation, AgainstPolygonsOfManySidesTheFirstTimeIsThatOfRationalArithmetic) {
  const Model many = polygon_of_many_sides();
  ASSERT_TRUE(many.ok()) << describe(many);
  ASSERT_GT(many.facets[0].count, 30u);
  Scratch scratch;
  Tally tally;
  for (std::size_t i = 0; i < test::scaled(60) && !HasFatalFailure(); ++i) {
    SCOPED_TRACE(i);
    Random random("translate many", 0, 1, i);
    const Model other = random_model(random, [&] { return Vec3(random.lattice(4) / 4); });
    const Vec3 from(random.integer(-16, 16) / 4., random.integer(-16, 16) / 4., 3);
    const Vec3 way(random.integer(-8, 8) / 4., random.integer(-8, 8) / 4., -6);
    if (random.one_in(2))
      check(many, other, random_path(random, from, way), scratch, tally);
    else
      check(other, many, random_path(random, from, way), scratch, tally);
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(5 * tally.contacts, tally.cases);
  EXPECT_GT(10 * (tally.cases - tally.contacts), tally.cases);
}

TEST(Translation, AtEveryScaleTheAnswerIsThatOfScaleOne) {
  Scratch scratch;
  for (std::size_t i = 0; i < test::scaled(200) && !HasFatalFailure(); ++i) {
    Random random("translate scale", 0, 1, i);
    const auto draw = [&] { return random.lattice(2); };
    const Model world = random_model(random, draw), mover = random_model(random, draw);
    const Vec3 from = random.lattice(4);
    const Path path = translating(Pose::from_quaternion(1, 0, 0, 0, from), Vec3(-2 * from));
    const Obstacle obstacle = make_obstacle(world);
    const MoveResult expected = move({&obstacle, 1}, mover, path, scratch);
    for (const double scale : {0x1p-1074, 0x1p-400, 0x1p300, 0x1p500, 0x1p1000}) {
      const auto scaled = [&](const Model& model) {
        std::vector<Vec3> v;
        for (const Vec3& x : model.vertices) v.push_back(scale * x);
        return make_model(v, model.polygons);
      };
      const Obstacle small = make_obstacle(scaled(world));
      const MoveResult result = move(
          {&small, 1}, scaled(mover),
          translating(Pose::from_quaternion(1, 0, 0, 0, scale * from), scale * path.way), scratch);
      ASSERT_EQ(result.verdict, expected.verdict) << scale;
      ASSERT_EQ(result.toi, expected.toi) << scale;
      ASSERT_EQ(result.toi_hi, expected.toi_hi) << scale;
      const Vec3 way = path.way + random.lattice(2);
      ASSERT_EQ(trace_point({&small, 1}, scale * from, scale * way, scratch).toi,
                trace_point({&obstacle, 1}, from, way, scratch).toi)
          << scale;
    }
  }
}

// Promise (5), and the fast path for a single point.
TEST(Translation, APointTraceIsTheMoveOfAPointModel) {
  Scratch scratch;
  std::size_t contacts = 0;
  const Model point = model_of_point(Vec3::Zero());
  for (std::size_t i = 0; i < test::scaled(3000); ++i) {
    Random random("trace", 0, 1, i);
    const bool lattice = random.one_in(2);
    const auto draw = [&] { return lattice ? random.lattice(3) : random.cube(-1, 1); };
    const Obstacle world = make_obstacle(random_model(random, draw));
    const Vec3 from = 2 * draw(), target = draw() / 2, way = 2 * (target - from);
    const MoveResult a = trace_point({&world, 1}, from, way, scratch);
    const MoveResult b = move({&world, 1}, point,
                              translating(Pose::from_quaternion(1, 0, 0, 0, from), way), scratch);
    ASSERT_EQ(a.verdict, b.verdict) << i;
    ASSERT_EQ(a.toi, b.toi) << i;
    ASSERT_EQ(a.toi_hi, b.toi_hi) << i;
    contacts += a.verdict == Verdict::contact;
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(5 * contacts, test::scaled(3000));
}

TEST(Translation, ThreadsShareModelsAndScratchDoesNotChangeAnswers) {
  Random random("threads", 0, 1, 0);
  std::vector<Vec3> v;
  std::vector<Polygon> t;
  for (std::uint32_t i = 0; i < 300; ++i) {
    const Vec3 at = random.cube(-5, 5);
    for (int k = 0; k < 3; ++k) v.push_back(at + random.cube(-1, 1));
    t.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  const Obstacle world = make_obstacle(make_model(v, t));
  const Model box = model_of_box({Vec3(-0.2, -0.2, -0.2), Vec3(0.2, 0.2, 0.2)});
  std::vector<Path> paths;
  for (int i = 0; i < 200; ++i) {
    const Vec3 from = random.cube(-6, 6);
    paths.push_back(
        translating(Pose::from_axis_angle(random.cube(-1, 1), 1, from), random.cube(-6, 6) - from));
  }
  std::array<std::vector<MoveResult>, 4> results;
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < 4; ++k)
    threads.emplace_back([&, k] {
      Scratch scratch;
      results[k].resize(paths.size());
      for (std::size_t i = 0; i < paths.size(); ++i) {
        const std::size_t j = k % 2 ? paths.size() - 1 - i : i;
        results[k][j] = move({&world, 1}, box, paths[j], scratch);
      }
    });
  for (std::thread& thread : threads) thread.join();
  std::size_t contacts = 0;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    contacts += results[0][i].verdict == Verdict::contact;
    for (std::size_t k = 1; k < 4; ++k) {
      const MoveResult &a = results[0][i], &b = results[k][i];
      EXPECT_EQ(a.toi, b.toi);
      EXPECT_EQ(a.contact.meeting, b.contact.meeting);
      EXPECT_EQ(a.contact.world_feature, b.contact.world_feature);
      EXPECT_EQ(a.contact.mover_feature, b.contact.mover_feature);
    }
  }
  EXPECT_GT(contacts, 50u);
}

TEST(Translation, ABoxFallsOntoAFloorAndTheContactNamesIt) {
  const Obstacle floor = make_obstacle(model_of_box({Vec3(-9, -9, -1), Vec3(9, 9, 0)}));
  const Model box = model_of_box({Vec3(-1, -1, -1), Vec3(1, 1, 1)});
  Scratch scratch;
  const MoveResult result =
      move({&floor, 1}, box,
           translating(Pose::from_quaternion(1, 0, 0, 0, Vec3(0, 0, 5)), Vec3(0, 0, -8)), scratch);
  EXPECT_EQ(result.verdict, Verdict::contact);
  EXPECT_EQ(result.toi, 0.5);
  EXPECT_EQ(result.toi_hi, 0.5);
  EXPECT_EQ(result.contact.meeting, Meeting::vertex_facet);
  EXPECT_EQ(result.contact.normal, Vec3(0, 0, 1));
  EXPECT_EQ(result.contact.point[2], 0);
  EXPECT_EQ(result.end.translation, Vec3(0, 0, 1));
}

TEST(Translation, BadPathsAndModelsAreInvalid) {
  const Obstacle floor = make_obstacle(model_of_box({Vec3(-9, -9, -1), Vec3(9, 9, 0)}));
  const Model box = model_of_box({Vec3(-1, -1, -1), Vec3(1, 1, 1)});
  Scratch scratch;
  EXPECT_EQ(move({&floor, 1}, box, translating({}, Vec3(0, 0, NAN)), scratch).verdict,
            Verdict::invalid);
  EXPECT_EQ(
      move({&floor, 1}, box, translating(Pose::from_quaternion(0, 0, 0, 0), Vec3(0, 0, 1)), scratch)
          .verdict,
      Verdict::invalid);
  EXPECT_EQ(move({&floor, 1}, {}, translating({}, Vec3(0, 0, 1)), scratch).verdict,
            Verdict::invalid);
  EXPECT_EQ(move({}, box, translating({}, Vec3(0, 0, 1)), scratch).verdict, Verdict::separated);
  for (const double t_max : {0.0, -1.0, 1.5, double(NAN)})
    EXPECT_EQ(move({}, box, translating({}, Vec3(0, 0, 1)), scratch, {Sides::both, t_max}).verdict,
              Verdict::invalid);
}

}  // namespace
}  // namespace graze::polyhedron::move_translation_test
