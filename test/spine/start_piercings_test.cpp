#include "graze/spine/start_piercings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "graze/check_mesh.h"
#include "graze/generate/models.h"
#include "graze/generate/random.h"
#include "test/support/meshes.h"
#include "test/support/moving_meshes.h"
#include "test/support/pierced.h"
#include "test/support/scale.h"

namespace graze::start_piercings_test {
namespace {

using generate::Random;

std::vector<Pair> pairs_of(const std::vector<StepImpact>& impacts) {
  std::vector<Pair> pairs;
  for (const StepImpact& found : impacts) {
    EXPECT_EQ(found.kind, Kind::edge_face);
    pairs.push_back(found.pair);
  }
  return pairs;
}

std::vector<Pair> found_at_rest(const Mesh& mesh, const std::vector<Vec3>& x,
                                const PairFilter& filter = {}, int threads = 1) {
  return pairs_of(start_piercings({mesh, x, x}, filter, {.threads = threads}));
}

// Appends a surface to a mesh.
void append(const generate::SurfaceModel& model, const Vec3& at, std::vector<Vec3>& x,
            std::vector<Face>& faces) {
  const auto first = static_cast<std::uint32_t>(x.size());
  for (const Vec3& vertex : model.vertices) x.push_back(vertex + at);
  for (const Face& face : model.faces)
    faces.push_back({face[0] + first, face[1] + first, face[2] + first});
}

// Returns a box that starts 0.05 deep in another and moves further in.
OwnedMotion boxes_that_start_pierced() {
  OwnedMotion motion;
  std::vector<Face> faces;
  append(generate::box({1.5, 0.5, 1.5}), Vec3::Zero(), motion.start, faces);
  append(generate::box({0.5, 0.5, 0.5}), {0.01, 0.95, 0}, motion.start, faces);
  motion.mesh = make_mesh(motion.start.size(), faces);
  motion.end = motion.start;
  for (std::size_t v = 8; v < 16; ++v) motion.end[v][1] -= 0.5;
  return motion;
}

TEST(StartPiercings, OfAStepAreContactsAtZero) {
  const OwnedMotion motion = boxes_that_start_pierced();
  const auto expected = test::pierced_pairs(motion.mesh, motion.start);
  ASSERT_FALSE(expected.empty());
  const FirstImpact first = earliest_impact(motion.moving());
  EXPECT_EQ(first.impact.verdict, Verdict::contact);
  EXPECT_EQ(first.impact.toi, 0);
  EXPECT_EQ(first.impact.toi_hi, 0);
  EXPECT_EQ(first.kind, Kind::edge_face);
  EXPECT_EQ(first.pair, expected[0]);
  EXPECT_EQ(collision_free_step(motion.moving(), 0), 0);
  EXPECT_EQ(collision_free_step(motion.moving(), 0.1), 0);
  const AllImpacts all = all_impacts(motion.moving());
  EXPECT_EQ(all.verdict, Verdict::contact);
  EXPECT_EQ(all.toi, 0);
  EXPECT_EQ(pairs_of(all.impacts), expected);
  StepOptions options;
  options.at_start = StartContacts::skip;
  EXPECT_EQ(earliest_impact(motion.moving(), options).kind, Kind::edge_face);
  options.start_check = false;
  EXPECT_EQ(earliest_impact(motion.moving(), options).impact.verdict, Verdict::separated);
  EXPECT_TRUE(all_impacts(motion.moving(), options).impacts.empty());
  EXPECT_EQ(collision_free_step(motion.moving(), 0, options), 1);
  for (const StepImpact& found : all.impacts) {
    const Vec3 point = contact_position(motion.moving(), found);
    EXPECT_GE(point[1], 0.45);
    EXPECT_LE(point[1], 0.5 + 1e-15);
    EXPECT_EQ(found.impact.normal.cwiseAbs().maxCoeff(), 1);
  }
}

// The rows of random meshes of every kind: crossing, touching, coplanar, collapsed, tiny and huge.
TEST(StartPiercings, AreThoseOfRationalNumbers1) {
  std::size_t pierced = 0, free = 0;
  const auto check = [&](const OwnedMotion& motion) {
    const auto expected = test::pierced_pairs(motion.mesh, motion.start);
    EXPECT_EQ(found_at_rest(motion.mesh, motion.start), expected);
    (expected.empty() ? free : pierced) += 1;
  };
  for (const auto& family : test::mesh_families)
    for (const std::uint32_t triangles : {2u, 12u, 40u})
      for (std::uint64_t seed = 0; seed < test::scaled(3); ++seed) {
        SCOPED_TRACE(testing::Message() << family.name << " " << triangles << ", seed " << seed);
        check(test::random_mesh(family, triangles, seed));
      }
  for (const auto& family : test::coordinate_families)
    for (std::uint64_t seed = 0; seed < test::scaled(3); ++seed) {
      SCOPED_TRACE(testing::Message() << family.name << ", seed " << seed);
      const OwnedMotion motion = test::random_motion(20, seed, family.draw);
      if (std::all_of(motion.start.begin(), motion.start.end(),
                      [](const Vec3& x) { return x.allFinite(); }))
        check(motion);
    }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(pierced, 30u);
  EXPECT_GT(free, 10u);
}

// Right and wrong guesses, with and without a filter.
TEST(StartPiercings, DoNotDependOnAGuessOfTheFirst1) {
  std::size_t used = 0;
  for (const auto& family : test::mesh_families) {
    SCOPED_TRACE(family.name);
    const OwnedMotion motion = test::random_mesh(family, 12, 1);
    const MovingMesh moving{motion.mesh, motion.start, motion.start};
    PairFilter odd;
    odd.admits = [](Kind, const Pair& pair) { return (pair.a + pair.b) % 2 == 1; };
    for (const PairFilter& filter : {PairFilter(), odd}) {
      const StartPiercings start(motion.mesh, motion.start, filter);
      const std::vector<Pair> all = found_at_rest(motion.mesh, motion.start, filter);
      const std::vector<Pair> first(all.begin(), all.begin() + !all.empty());
      std::vector<Pair> guesses = all;
      for (std::uint32_t edge = 0; edge < motion.mesh.edges.size(); edge += 3)
        guesses.push_back({edge, edge % std::uint32_t(motion.mesh.faces.size())});
      for (const Pair& guess : guesses) {
        EXPECT_EQ(pairs_of(start_piercings(moving, filter, {.threads = 1}, 1, guess)), first);
        const std::optional<Pair> found = start.first_up_to(guess);
        if (!found) continue;
        EXPECT_EQ(*found, all.at(0));
        EXPECT_TRUE(std::binary_search(all.begin(), all.end(), guess));
        ++used;
      }
    }
  }
  EXPECT_GT(used, 20u);
}

// Connected sheets: neighbours share vertices, and packets of the tree hold both sides of a fold.
TEST(StartPiercings, OfFoldedSheetsAreThoseOfRationalNumbers1) {
  std::size_t pierced = 0;
  for (std::uint64_t seed = 0; seed < test::scaled(12); ++seed) {
    Random random("folded", 0, 1, seed);
    OwnedMotion motion = test::sheet(12);
    const double roll = random.uniform(0.5, 4), shift = random.uniform(0, 0.6);
    const bool flat = random.one_in(4), lattice = random.one_in(4);
    for (Vec3& x : motion.start) {
      // Rolls the sheet around a cylinder, so that it meets itself after one turn.
      const double angle = flat ? 0 : x[0] * roll / 4;
      const double radius = flat ? 0 : 2.5 + 0.05 * x[0] + 0.4 * x[2];
      const double height = flat && !lattice ? 0 : x[2];
      x = flat ? Vec3(x[0] + 0.3 * x[1], x[1], height)
               : Vec3(radius * std::cos(angle), x[1] + shift * x[2], radius * std::sin(angle));
      if (lattice) x = (x * 4).array().round() / 4;
    }
    const auto expected = test::pierced_pairs(motion.mesh, motion.start);
    for (const int threads : {1, 2})
      EXPECT_EQ(found_at_rest(motion.mesh, motion.start, {}, threads), expected) << seed;
    pierced += expected.size();
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(pierced, 50u);
}

// A face with neighbours and an edge that is far shorter or longer than its sides, steep or flat,
// in any direction: the piercing shows in pairs of edges or of a vertex and a face
// (crossing-inl.h).
TEST(StartPiercings, OfEdgesOfAnyLengthAndSlopeAreThoseOfRationalNumbers1) {
  std::size_t pierced = 0, free = 0;
  for (std::uint64_t seed = 0; seed < test::scaled(3000); ++seed) {
    Random random("slopes", 0, 1, seed);
    // Slopes of the face: flat along an axis, steep, or any.
    const Vec3 stretch(1, std::pow(2, -random.uniform(0, 6)), std::pow(2, -random.uniform(0, 6)));
    const int turn = static_cast<int>(seed % 3);
    const auto place = [&](const Vec3& v) {
      return Vec3(v[turn], v[(turn + 1) % 3], v[(turn + 2) % 3]);
    };
    std::vector<Vec3> x;
    for (int v = 0; v < 6; ++v) x.push_back(place(stretch.cwiseProduct(random.cube(-1, 1))));
    const Vec3 at =
        0.3 * x[0] + random.uniform(0.1, 0.6) * (x[1] - x[0]) / 2 + 0.35 * x[1] + 0.35 * x[2];
    const double length = std::pow(4, random.uniform(-4, 2));
    Vec3 along = length * place(stretch.cwiseProduct(random.cube(-1, 1)));
    if (random.one_in(3)) along = length * Vec3::Unit(static_cast<int>(seed / 3 % 3));
    x.push_back(at - random.uniform(-0.2, 1) * along);
    x.push_back(at + random.uniform(-0.2, 1) * along);
    x.push_back(x[6] + 0.3 * length * random.cube(-1, 1));
    const Mesh mesh = make_mesh(x.size(), {{0, 1, 2}, {1, 0, 3}, {2, 1, 4}, {0, 2, 5}, {6, 7, 8}});
    const auto expected = test::pierced_pairs(mesh, x);
    EXPECT_EQ(found_at_rest(mesh, x), expected) << seed;
    (expected.empty() ? free : pierced) += 1;
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(pierced, 1000u);
  EXPECT_GT(free, 200u);
}

// All edges have many neighbours, and the blocks of crossings are full.
TEST(StartPiercings, OfAHeapOfLargeFacesAreThoseOfAllPairs1) {
  Random random("heap", 0, 1, 7);
  std::vector<Vec3> x;
  std::vector<Face> faces;
  for (std::uint32_t face = 0; face < 400; ++face) {
    for (int c = 0; c < 3; ++c) x.push_back(random.cube(-1, 1));
    faces.push_back({3 * face, 3 * face + 1, 3 * face + 2});
  }
  const Mesh mesh = make_mesh(x.size(), faces);
  std::vector<Pair> pairs, expected;
  for (std::uint32_t e = 0; e < mesh.edges.size(); ++e)
    for (std::uint32_t f = 0; f < mesh.faces.size(); ++f) pairs.push_back({e, f});
  StartPiercings(mesh, x, {}).find_all(pairs, expected);
  EXPECT_GT(expected.size(), 1000u);
  for (const int threads : {1, 2}) EXPECT_EQ(found_at_rest(mesh, x, {}, threads), expected);
  const auto first = pairs_of(start_piercings({mesh, x, x}, {}, {.threads = 1}, 1));
  EXPECT_EQ(first, std::vector{expected[0]});
}

// Edges that pass by a side or a corner of a face at a distance of 1e-2 to 1e-14, end as close to
// the face or are nearly parallel to it, in meshes of any size and place: the margins of the tests
// in floats and doubles.
TEST(StartPiercings, NearTheBorderOfAFaceAreThoseOfRationalNumbers1) {
  std::size_t pierced = 0, free = 0;
  for (std::uint64_t seed = 0; seed < test::scaled(1500); ++seed) {
    Random random("border", 0, 1, seed);
    const auto small = [&](double from, double to) {
      return std::pow(10, -random.uniform(from, to));
    };
    const Vec3 a = random.cube(-1, 1), b = random.cube(-1, 1);
    const Vec3 c = random.one_in(4)
                       ? Vec3(a + random.uniform(0, 1) * (b - a) + small(1, 7) * random.cube(-1, 1))
                       : random.cube(-1, 1);
    const Vec3 side = a + random.uniform(0, 1) * (b - a);
    const Vec3 at = random.one_in(3)
                        ? Vec3(a + small(2, 14) * random.cube(-1, 1))
                        : Vec3(side + (random.one_in(2) ? 1 : -1) * small(2, 14) * (c - side));
    Vec3 along = random.cube(-1, 1);
    if (random.one_in(3)) {
      const Vec3 normal = (b - a).cross(c - a).normalized();
      along += (small(1, 10) - along.dot(normal)) * normal;
    }
    const double before = random.uniform(0.01, 1);
    const double after = random.one_in(4) ? small(3, 14) : random.uniform(0.01, 1);
    std::vector<Vec3> x = {a, b, c, at - before * along, at + after * along};
    std::vector<Face> faces = {{0, 1, 2}};
    std::vector<Edge> rods;
    if (seed % 3 == 0) {
      x.push_back(random.cube(-1, 1));
      faces.push_back({3, 4, 5});
    } else if (seed % 3 == 1) {
      faces.push_back({3, 4, 2});  // with a common vertex
    } else {
      rods.push_back({3, 4});
    }
    // A face far away makes the floats coarse.
    const auto first = static_cast<std::uint32_t>(x.size());
    const double far = 1 / small(0, 7);
    for (const Vec3& corner : {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)})
      x.push_back(far * Vec3::Ones() + corner);
    faces.push_back({first, first + 1, first + 2});
    const double scale = random.one_in(3) ? std::pow(2, std::round(random.uniform(-300, 300))) : 1;
    const Vec3 shift = random.one_in(2) ? Vec3(far * random.cube(-1, 1)) : Vec3(Vec3::Zero());
    for (Vec3& point : x) point = scale * (point + shift);
    const Mesh mesh = make_mesh(x.size(), faces, rods);
    const auto expected = test::pierced_pairs(mesh, x);
    EXPECT_EQ(found_at_rest(mesh, x), expected) << seed;
    (expected.empty() ? free : pierced) += 1;
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(pierced, 400u);
  EXPECT_GT(free, 300u);
}

TEST(StartPiercings, DoNotIncludeTouchesCoplanarEdgesAndNeighbours1) {
  // A face in the plane z = 0 and a rod.
  const auto pierced = [](const Vec3& p, const Vec3& q) {
    const std::vector<Vec3> x = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, p, q};
    return !found_at_rest(make_mesh(5, {{0, 1, 2}}, std::vector{Edge{3, 4}}), x).empty();
  };
  EXPECT_TRUE(pierced({1, 1, -1}, {1, 1, 1}));
  EXPECT_TRUE(pierced({1, 1, -0x1p-1074}, {1, 1, 1}));
  EXPECT_FALSE(pierced({1, 1, 0}, {1, 1, 1})) << "ends in the face";
  EXPECT_FALSE(pierced({2, 2, -1}, {2, 2, 1})) << "through a side";
  EXPECT_TRUE(pierced({2, std::nextafter(2, 0), -1}, {2, std::nextafter(2, 0), 1}));
  EXPECT_FALSE(pierced({2, std::nextafter(2, 3), -1}, {2, std::nextafter(2, 3), 1}));
  EXPECT_FALSE(pierced({4, 0, -1}, {4, 0, 1})) << "through a corner";
  EXPECT_FALSE(pierced({-1, 1, 0}, {5, 1, 0})) << "in the plane";
  EXPECT_FALSE(pierced({1, 1, 1}, {1, 1, 2}));
  EXPECT_FALSE(pierced({1, 1, 1}, {1, 1, 1})) << "a point";

  // A face without area.
  const std::vector<Vec3> line = {{0, 0, 0}, {4, 0, 0}, {2, 0, 0}, {1, -1, 0}, {1, 1, 0}};
  EXPECT_TRUE(found_at_rest(make_mesh(5, {{0, 1, 2}}, std::vector{Edge{3, 4}}), line).empty());

  // The rod starts at a corner of the face; its line passes through the face.
  const std::vector<Vec3> joined = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 1}, {1, 1, -1}};
  EXPECT_TRUE(found_at_rest(make_mesh(5, {{0, 1, 2}}, std::vector{Edge{0, 3}}), joined).empty());
  // Faces with one common vertex: the side across it counts, the sides at it do not.
  EXPECT_EQ(found_at_rest(make_mesh(5, {{0, 1, 2}, {0, 3, 4}}), joined).size(), 1u);

  // Two boxes that stand on each other, side by side, and flush.
  const generate::SurfaceModel box = generate::box({1, 1, 1});
  for (const Vec3& at :
       {Vec3(0, 0, 2), Vec3(1, 0, 2), Vec3(2, 2, 2), Vec3(0, 0, 0), Vec3(2, 0, 0)}) {
    std::vector<Vec3> x;
    std::vector<Face> faces;
    append(box, Vec3::Zero(), x, faces);
    append(box, at, x, faces);
    const Mesh mesh = make_mesh(x.size(), faces);
    EXPECT_EQ(found_at_rest(mesh, x), test::pierced_pairs(mesh, x)) << at.transpose();
    EXPECT_TRUE(found_at_rest(mesh, x).empty()) << at.transpose();
  }
}

// Rolls a sheet around a cylinder, so that it meets itself after one turn.
OwnedMotion rolled_sheet(std::uint32_t size, std::uint64_t seed) {
  Random random("rolled", 0, 1, seed);
  OwnedMotion motion = test::sheet(size);
  const double roll = random.uniform(0.5, 4), tilt = random.uniform(-0.05, 0.2);
  for (Vec3& x : motion.start) {
    const double angle = x[0] * roll / 4, radius = 2.5 + tilt * x[0] + 0.4 * x[2];
    x = Vec3(radius * std::cos(angle), x[1], radius * std::sin(angle));
  }
  return motion;
}

TEST(StartPiercings, OfAnyNumberAreTheFirstOfAll) {
  std::size_t pierced = 0, free = 0;
  for (std::uint64_t seed = 0; seed < test::scaled(12); ++seed) {
    const OwnedMotion motion = rolled_sheet(40, seed);
    std::vector<std::uint8_t> is_static(motion.mesh.vertex_count);
    for (std::size_t v = 0; v < is_static.size(); ++v) is_static[v] = v % 3 == 0 || v < 400;
    for (const PairFilter& filter : {PairFilter{}, PairFilter{is_static, {}, {}, true}}) {
      const auto all = pairs_of(start_piercings(motion.moving(), filter, {.threads = 1}));
      (all.empty() ? free : pierced) += 1;
      for (const std::size_t most : {std::size_t{1}, std::size_t{3}})
        for (const int threads : {1, 2, 3}) {
          const auto first =
              pairs_of(start_piercings(motion.moving(), filter, {.threads = threads}, most));
          ASSERT_EQ(first.size(), std::min(most, all.size())) << seed;
          EXPECT_TRUE(std::equal(first.begin(), first.end(), all.begin())) << seed;
        }
    }
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(pierced, 5u);
  EXPECT_GT(free, 2u);
}

// Edges with one static end, static sides of moving faces, and edges of many faces: the pairs that
// show a crossing may be of two static features or of a face beyond the second at its edge.
TEST(StartPiercings, OfStaticPartsAndOfManyFacesAtAnEdgeAreThoseOfRationalNumbers2) {
  std::size_t pierced = 0, left_out = 0;
  for (std::uint64_t seed = 0; seed < test::scaled(100); ++seed) {
    Random random("books", 0, 1, seed);
    std::vector<Vec3> x;
    std::vector<Face> faces;
    for (int book = 0; book < 3; ++book) {  // faces around one edge, in any orientation
      const auto spine = static_cast<std::uint32_t>(x.size());
      x.push_back(random.cube(-1, 1));
      x.push_back(random.cube(-1, 1));
      for (int page = 0; page < 4; ++page) {
        const auto tip = static_cast<std::uint32_t>(x.size());
        x.push_back(random.cube(-1, 1));
        if (random.one_in(2))
          faces.push_back({spine, spine + 1, tip});
        else
          faces.push_back({spine, tip, spine + 1});
      }
    }
    std::vector<std::uint8_t> is_static(x.size());
    if (seed % 4 != 0)
      for (std::uint8_t& vertex : is_static) vertex = random.one_in(2);
    const Mesh mesh = make_mesh(x.size(), faces);
    std::vector<Pair> expected;
    for (const Pair& pair : test::pierced_pairs(mesh, x)) {
      bool all_static = true;
      for (const std::uint32_t v : mesh.edges[pair.a]) all_static &= is_static[v] != 0;
      for (const std::uint32_t v : mesh.faces[pair.b]) all_static &= is_static[v] != 0;
      if (all_static)
        ++left_out;
      else
        expected.push_back(pair);
    }
    pierced += expected.size();
    EXPECT_EQ(found_at_rest(mesh, x, PairFilter{is_static}), expected) << seed;
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(pierced, 300u);
  EXPECT_GT(left_out, 3u);
}

// With moving_tree the check is part of the search, with other strategies it is separate.
TEST(StartPiercings, OfAStepDoNotDependOnTheStrategyAndTheThreads) {
  std::size_t pierced = 0;
  for (std::uint64_t seed = 0; seed < test::scaled(6); ++seed)
    for (const double motion_of : {0.0, 0.01, 3.0})  // in edges: both kinds of boxes
      for (const double separation : {0.0, 0.1}) {
        OwnedMotion motion = rolled_sheet(20, seed);
        for (std::size_t v = 0; v < motion.start.size(); ++v)
          motion.end[v] = motion.start[v] + Vec3(motion_of, 0, v % 2 == 0 ? 0 : -motion_of);
        const auto expected = test::pierced_pairs(motion.mesh, motion.start);
        pierced += expected.size();
        StepOptions options;
        options.query.min_separation = separation;
        for (const PairStrategy& strategy : pair_strategies()) {
          SCOPED_TRACE(testing::Message() << strategy.name << ", seed " << seed << ", motion "
                                          << motion_of << ", separation " << separation);
          options.strategy = &strategy;
          for (const int threads : {1, 2}) {
            const AllImpacts all = all_impacts(motion.moving(), options, {.threads = threads});
            std::vector<Pair> found;
            for (const StepImpact& impact : all.impacts)
              if (impact.kind == Kind::edge_face) found.push_back(impact.pair);
            EXPECT_EQ(found, expected);
            const FirstImpact first =
                earliest_impact(motion.moving(), options, {.threads = threads});
            ASSERT_FALSE(all.impacts.empty() && !expected.empty());
            if (all.impacts.empty()) continue;
            EXPECT_EQ(first.kind, all.impacts[0].kind);
            EXPECT_EQ(first.pair, all.impacts[0].pair);
            EXPECT_EQ(first.impact.toi, all.impacts[0].impact.toi);
          }
        }
      }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(pierced, 100u);
}

// A vertex that touches a face at the start comes before the piercings.
TEST(StartPiercings, ComeAfterTouchesAtTheStart) {
  OwnedMotion motion = boxes_that_start_pierced();
  const auto expected = test::pierced_pairs(motion.mesh, motion.start);
  std::vector<Face> faces = motion.mesh.faces;
  faces.push_back({16, 17, 18});
  for (const Vec3& x : {Vec3(-1, 0.5, -0.9), Vec3(-1.2, 2, -0.9), Vec3(-0.8, 2, -1)}) {
    motion.start.push_back(x);
    motion.end.push_back(x);
  }
  motion.mesh = make_mesh(19, faces);
  const AllImpacts all = all_impacts(motion.moving());
  ASSERT_EQ(all.impacts.size(), expected.size() + 1);
  EXPECT_EQ(all.impacts[0].kind, Kind::vertex_face);
  EXPECT_EQ(all.impacts[0].impact.toi_hi, 0);
  for (std::size_t i = 1; i < all.impacts.size(); ++i)
    EXPECT_EQ(all.impacts[i].kind, Kind::edge_face);
  const FirstImpact first = earliest_impact(motion.moving());
  EXPECT_EQ(first.kind, Kind::vertex_face);
  EXPECT_EQ(first.pair, all.impacts[0].pair);
  StepOptions limited;
  limited.max_contacts = 2;
  const AllImpacts two = all_impacts(motion.moving(), limited);
  EXPECT_FALSE(two.complete);
  ASSERT_EQ(two.impacts.size(), 2u);
  EXPECT_EQ(two.impacts[1].pair, all.impacts[1].pair);
}

// With the touches at the start, the piercings are all intersections of faces without a common
// vertex: find_intersections() is the judge.
TEST(StartPiercings, AndTouchesAreAllIntersections) {
  std::size_t clean = 0, crossing = 0;
  for (const auto& family : test::mesh_families)
    for (std::uint64_t seed = 0; seed < test::scaled(20); ++seed) {
      SCOPED_TRACE(testing::Message() << family.name << ", seed " << seed);
      Random random(family.name, 1, 1, seed);
      std::vector<Vec3> x;
      for (int v = 0; v < 9; ++v) x.push_back(family.position(random));
      const Mesh mesh = make_mesh(9, {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}});
      const FirstImpact first = earliest_impact({mesh, x, x});
      EXPECT_EQ(first.impact.verdict, find_intersections(mesh, x).verdict);
      (first.impact.verdict == Verdict::contact ? crossing : clean) += 1;
    }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(clean, 40u);
  EXPECT_GT(crossing, 40u);
}

TEST(StartPiercings, LeaveOutPairsThatTheFilterExcludes2) {
  std::size_t kept = 0, dropped = 0;
  for (std::uint64_t seed = 0; seed < test::scaled(10); ++seed) {
    const OwnedMotion motion = test::random_mesh(test::mesh_families[0], 40, seed);
    const Mesh& mesh = motion.mesh;
    Random random("filter", 0, 1, seed);
    std::vector<std::uint8_t> is_static;
    std::vector<std::uint32_t> group;
    for (std::size_t v = 0; v < mesh.vertex_count; ++v) {
      is_static.push_back(v < mesh.vertex_count / 2 || random.one_in(3));
      group.push_back(static_cast<std::uint32_t>(v * 3 / mesh.vertex_count));
    }
    const std::vector<std::uint8_t> meets = {1, 0, 1, 0, 1, 0, 1, 0, 0};
    const auto all = test::pierced_pairs(mesh, motion.start);
    for (const PairFilter& filter :
         {PairFilter{is_static, {}, {}, true}, PairFilter{{}, group, {}, false},
          PairFilter{{}, group, meets, true}, PairFilter{is_static, group, meets, false}}) {
      std::vector<Pair> expected;
      for (const Pair& pair : all) {
        const Edge& edge = mesh.edges[pair.a];
        const Face& face = mesh.faces[pair.b];
        bool moves = filter.is_static.empty(), meet = false;
        for (const std::uint32_t v : edge) moves |= !is_static[v];
        for (const std::uint32_t v : face) moves |= !is_static[v];
        for (const std::uint32_t v : edge)
          for (const std::uint32_t w : face) {
            const std::uint32_t g = filter.group.empty() ? 0 : group[v],
                                h = filter.group.empty() ? 0 : group[w];
            meet |= (filter.within_group || g != h) && (filter.meets.empty() || meets[g * 3 + h]);
          }
        if (moves && meet) expected.push_back(pair);
      }
      EXPECT_EQ(found_at_rest(mesh, motion.start, filter), expected) << seed;
      kept += expected.size();
      dropped += all.size() - expected.size();
    }
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(kept, 100u);
  EXPECT_GT(dropped, 100u);
}

TEST(StartPiercings, LeaveOutPairsOfMasksListsAndCallbacks2) {
  const OwnedMotion motion = test::random_mesh(test::mesh_families[0], 40, 1);
  const Mesh& mesh = motion.mesh;
  std::vector<CategoryMask> masks;
  std::vector<std::uint32_t> group;
  for (std::uint32_t v = 0; v < mesh.vertex_count; ++v) {
    group.push_back(v % 5);
    masks.push_back({1u << v % 5, v % 5 == 4 ? 1u : 6u});
  }
  const std::vector<GroupPair> listed = {{0, 0}, {0, 1}, {4, 2}};
  std::vector<PairFilter> filters(3);
  filters[0].masks = masks;
  filters[1].group = group;
  filters[1].group_pairs = listed;
  filters[1].listed = ListedPairs::only;
  filters[2].admits = [](Kind kind, const Pair& pair) {
    return kind == Kind::edge_face && (pair.a + pair.b) % 3 == 0;
  };
  const auto all = test::pierced_pairs(mesh, motion.start);
  for (const PairFilter& filter : filters) {
    std::vector<Pair> expected;
    for (const Pair& pair : all) {
      bool some = false;
      for (const std::uint32_t p : mesh.edges[pair.a])
        for (const std::uint32_t q : mesh.faces[pair.b])
          if (&filter == &filters[0])
            some |=
                (masks[p].categories & masks[q].meets) && (masks[q].categories & masks[p].meets);
          else if (&filter == &filters[1])
            some |= std::any_of(listed.begin(), listed.end(), [&](const GroupPair& x) {
              return (x.a == group[p] && x.b == group[q]) || (x.a == group[q] && x.b == group[p]);
            });
          else
            some = filter.admits(Kind::edge_face, pair);
      if (some) expected.push_back(pair);
    }
    EXPECT_GT(expected.size(), 5u);
    EXPECT_LT(expected.size(), all.size());
    for (const int threads : {1, 2})
      EXPECT_EQ(found_at_rest(mesh, motion.start, filter, threads), expected);
    const auto first = start_piercings(motion.moving(), filter, {.threads = 2}, 1);
    ASSERT_EQ(first.size(), 1u);
    EXPECT_EQ(first[0].pair, expected[0]);
  }
}

TEST(StartPiercings, HaveThePlaceOnTheFaceAndItsNormal3) {
  const OwnedMotion motion = test::random_mesh(test::mesh_families[0], 40, 1);
  const auto impacts = start_piercings(motion.moving(), {}, {});
  ASSERT_GT(impacts.size(), 10u);
  for (const StepImpact& found : impacts) {
    const Edge& edge = motion.mesh.edges[found.pair.a];
    const Face& face = motion.mesh.faces[found.pair.b];
    const auto& x = motion.start;
    const test::Piercing truth =
        test::piercing(x[edge[0]], x[edge[1]], x[face[0]], x[face[1]], x[face[2]]);
    EXPECT_NEAR(found.impact.u, truth.u, 1e-9);
    EXPECT_NEAR(found.impact.v, truth.v, 1e-9);
    EXPECT_EQ(found.impact.kind, ContactKind::interior);
    const Vec3 normal = (x[face[1]] - x[face[0]]).cross(x[face[2]] - x[face[0]]).normalized();
    EXPECT_LT((found.impact.normal - normal).norm(), 1e-12);
  }
}

}  // namespace
}  // namespace graze::start_piercings_test
