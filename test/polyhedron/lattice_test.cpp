#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include "graze/generate/random.h"
#include "graze/polyhedron/slide.h"
#include "graze/polyhedron/zone.h"
#include "test/support/brush_shapes.h"
#include "test/support/scale.h"
#include "test/support/surfaces_meet.h"

// Starts that touch: boxes on a lattice, whose faces are flush and whose edges and corners
// coincide. All coordinates are small integers, so the judge decides in integers whether a
// translation is free.
namespace graze::polyhedron::lattice_test {
namespace {

using generate::Random;
using test::at;
using Triple = std::array<std::int64_t, 3>;

struct LatticeBox {
  Triple lo, hi;
};

// One lattice unit in units of the judge: the mover is pushed out by 1/2^10 of a lattice unit.
constexpr std::int64_t unit = 1024;

// Returns whether the closed segment from `from` to from + way, in units of the judge, shares no
// point with the closed box of the lattice. Exact: fractions are compared by products.
bool misses(const Triple& from, const Triple& way, const LatticeBox& box) {
  // The parameters inside all slabs are [first, last], as fractions with positive denominators.
  std::int64_t first = 0, first_of = 1, last = 1, last_of = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    std::int64_t lo = unit * box.lo[i] - from[i], hi = unit * box.hi[i] - from[i], by = way[i];
    if (by == 0) {
      if (lo > 0 || hi < 0) return true;
      continue;
    }
    if (by < 0) {
      by = -by;
      const std::int64_t old = lo;
      lo = -hi;
      hi = -old;
    }
    if (lo * first_of > first * by) first = lo, first_of = by;
    if (hi * last_of < last * by) last = hi, last_of = by;
  }
  return first * last_of > last * first_of;
}

// The bodies of one query. The mover is a box at the origin of its own coordinates.
struct Lattice {
  std::vector<LatticeBox> boxes;
  Triple size, place;  // of the mover

  // Returns box `i` less the mover: the positions of the mover at which both share a point.
  LatticeBox obstacle(std::size_t i) const {
    LatticeBox box = boxes[i];
    for (std::size_t k = 0; k < 3; ++k) box.lo[k] -= size[k];
    return box;
  }
  // Returns whether the insides overlap with the mover at `where`, in units of the judge, by more
  // than `slack` of these units.
  bool overlaps(const Triple& where, std::int64_t slack) const {
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      const LatticeBox box = obstacle(i);
      bool inside = true;
      for (std::size_t k = 0; k < 3; ++k)
        inside =
            inside && unit * box.lo[k] + slack < where[k] && where[k] < unit * box.hi[k] - slack;
      if (inside) return true;
    }
    return false;
  }
  bool overlaps() const { return overlaps({unit * place[0], unit * place[1], unit * place[2]}, 0); }
  bool is_free(const Triple& push, const Triple& way) const {
    Triple from, by;
    for (std::size_t k = 0; k < 3; ++k) {
      from[k] = unit * place[k] + push[k];
      by[k] = unit * way[k];
    }
    for (std::size_t i = 0; i < boxes.size(); ++i)
      if (!misses(from, by, obstacle(i))) return false;
    return true;
  }
  // Returns whether the mover can move by `way` after it was pushed a little in some direction.
  // The planes through coincident features are those of the coordinates, so one direction in each
  // octant represents all small pushes.
  bool is_free(const Triple& way) const {
    for (int octant = 0; octant < 8; ++octant)
      if (is_free({octant & 1 ? 1 : -1, octant & 2 ? 1 : -1, octant & 4 ? 1 : -1}, way))
        return true;
    return false;
  }
  bool touches() const { return !is_free({0, 0, 0}, {0, 0, 0}); }
};

Vec3 vector(const Triple& x) {
  return Vec3(static_cast<double>(x[0]), static_cast<double>(x[1]), static_cast<double>(x[2]));
}

Lattice random_lattice(Random& random) {
  const auto any = [&](int lo, int hi) -> std::int64_t { return random.integer(lo, hi); };
  for (;;) {
    Lattice lattice;
    if (random.one_in(2)) lattice.boxes.push_back({{-9, -9, -1}, {9, 9, 0}});  // a floor
    for (int i = random.integer(1, 4); i > 0; --i) {
      const Triple lo = {any(-3, 3), any(-3, 3), any(0, 2)};
      lattice.boxes.push_back({lo, {lo[0] + any(1, 3), lo[1] + any(1, 3), lo[2] + any(1, 3)}});
    }
    lattice.size = {any(1, 2), any(1, 2), any(1, 2)};
    lattice.place = {any(-4, 4), any(-4, 4), any(0, 3)};
    if (!lattice.overlaps() && lattice.touches()) return lattice;
  }
}

std::string describe(const Lattice& lattice, const Triple& way) {
  const auto text = [](const Triple& x) {
    return "(" + std::to_string(x[0]) + " " + std::to_string(x[1]) + " " + std::to_string(x[2]) +
           ")";
  };
  std::string all =
      "mover " + text(lattice.size) + " at " + text(lattice.place) + ", way " + text(way);
  for (const LatticeBox& box : lattice.boxes) all += ", box " + text(box.lo) + text(box.hi);
  return all;
}

// Returns a model for each box, or, if `as_one`, one of all boxes.
std::vector<Obstacle> world_of(const Lattice& lattice, bool as_one) {
  std::vector<Model> models;
  for (const LatticeBox& box : lattice.boxes)
    models.push_back(model_of_box({vector(box.lo), vector(box.hi)}));
  if (as_one) {
    std::vector<Vec3> vertices;
    std::vector<Polygon> polygons;
    for (const Model& model : models) {
      const auto first = static_cast<std::uint32_t>(vertices.size());
      vertices.insert(vertices.end(), model.vertices.begin(), model.vertices.end());
      for (Polygon polygon : model.polygons) {
        for (std::uint32_t& corner : polygon) corner += first;
        polygons.push_back(polygon);
      }
    }
    ModelOptions options;
    options.accept_soup = true;
    models = {make_model(vertices, polygons, options)};
    EXPECT_TRUE(models[0].closed);
  }
  std::vector<Obstacle> world;
  for (Model& model : models) world.push_back(make_obstacle(std::move(model)));
  return world;
}

// The body moves along a direction iff the judge finds it free. At the end the surfaces share no
// point, by rational arithmetic, and the mover is inside no box.
TEST(LatticeStarts, ABodyLeavesAlongEveryFreeDirection) {
  std::size_t free = 0, refused = 0, blocked = 0;
  Scratch scratch;
  for (std::size_t i = 0; i < test::scaled(40); ++i) {
    Random random("lattice", 0, test::seed(), i);
    const Lattice lattice = random_lattice(random);
    const std::vector<Obstacle> world = world_of(lattice, i % 2 == 1);
    for (const Obstacle& obstacle : world) ASSERT_TRUE(obstacle.ok());
    const Model mover = model_of_box({Vec3::Zero(), vector(lattice.size)});
    const Pose start = at(vector(lattice.place));
    for (std::int64_t x = -2; x <= 2; ++x)
      for (std::int64_t y = -2; y <= 2; ++y)
        for (std::int64_t z = -2; z <= 2; ++z) {
          const Triple way = {x, y, z};
          const ExpelResult result =
              expel_move(world, mover, translating(start, vector(way)), scratch);
          const bool gone = result.verdict == Verdict::separated;
          const bool is_free = lattice.is_free(way);
          (is_free ? free : blocked) += 1;
          if (is_free && !gone && refused++ < 10)
            ADD_FAILURE() << "refused: " << describe(lattice, way);
          if (result.end.translation == start.translation) continue;
          for (const Obstacle& obstacle : world)
            ASSERT_FALSE(test::surfaces_meet(obstacle, mover, result.end))
                << describe(lattice, way);
          Triple end = {};  // in units of the judge
          for (std::size_t k = 0; k < 3; ++k)
            end[k] = std::llround(static_cast<double>(unit) *
                                  result.end.translation[static_cast<int>(k)]);
          ASSERT_FALSE(lattice.overlaps(end, 1)) << describe(lattice, way);
          if (!gone) continue;
          ASSERT_TRUE(is_free) << describe(lattice, way);
          ASSERT_LE((result.end.translation - start.translation - vector(way)).norm(),
                    result.thickness)
              << describe(lattice, way);
        }
  }
  EXPECT_EQ(refused, 0u) << "of " << free << " free ways";
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(free, 1000u);
  EXPECT_GT(blocked, 500u);
}

// A player in a corner of flush walls on a floor slides out, along and up.
TEST(LatticeStarts, ASlideLeavesAFlushCorner) {
  std::vector<Obstacle> world;
  for (const Aabb& box :
       {Aabb{{-9, -9, -1}, {9, 9, 0}}, Aabb{{1, -9, 0}, {2, 9, 5}}, Aabb{{-9, 1, 0}, {2, 2, 5}}})
    world.push_back(make_obstacle(model_of_box(box)));
  const Model mover = model_of_box({Vec3(-1, -1, 0), Vec3(1, 1, 2)});
  Scratch scratch;
  for (const Vec3& way : {Vec3(-3, 0, 0), Vec3(0, -3, 0), Vec3(-3, -2, 0), Vec3(0, 0, 2),
                          Vec3(-1, -1, 2), Vec3(-1, 0, 1)}) {
    const SlideResult result = slide_move(world, mover, at({0, 0, 0}), way, scratch);
    EXPECT_LT((result.end.translation - way).norm(), 1e-5) << way.transpose();
    EXPECT_EQ(result.track.back().translation, result.end.translation);
  }
  // Against one wall, the body keeps the component along it.
  const SlideResult along = slide_move(world, mover, at({0, 0, 0}), {1, -3, 0}, scratch);
  EXPECT_LT((along.end.translation - Vec3(0, -3, 0)).norm(), 1e-4);
}

}  // namespace
}  // namespace graze::polyhedron::lattice_test
