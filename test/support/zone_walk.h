#pragma once

#include <cmath>
#include <string>

#include "graze/generate/random.h"
#include "graze/polyhedron/zone.h"
#include "graze/rigid/distance/triangle_distance.h"
#include "test/support/brush_shapes.h"
#include "test/support/surfaces_meet.h"

namespace graze::test {

// Returns the distance of the mover at the pose from the world if it is at most `reach`, else some
// value above `reach`.
inline double distance_within(std::span<const polyhedron::Obstacle> world,
                              const polyhedron::Model& mover, const Pose& pose, double reach) {
  auto ours = triangles_of(mover);
  for (auto& triangle : ours)
    for (Vec3& x : triangle) x = pose * x;
  double least = HUGE_VAL;
  for (const polyhedron::Obstacle& obstacle : world)
    for (const auto& a : ours) {
      Aabb box{a[0].cwiseMin(a[1]).cwiseMin(a[2]), a[0].cwiseMax(a[1]).cwiseMax(a[2])};
      box = {box.lo - Vec3::Constant(reach), box.hi + Vec3::Constant(reach)};
      const double at_once = 0;
      obstacle.index->tree.visit({box, Vec3::Zero()}, at_once, [&](std::uint32_t entry) {
        const std::uint32_t f = obstacle.index->tree.box_of(entry);
        if (!overlap(box, obstacle.model.boxes[f])) return;
        const auto c = obstacle.model.corners_of(obstacle.model.facets[f]);
        const auto at = [&](std::size_t i) { return obstacle.model.vertices[c[i % c.size()]]; };
        for (std::size_t i = 0; i < std::max<std::size_t>(c.size(), 3) - 2; ++i)  // also a point
          least =
              std::min(least, rigid::triangle_distance(a, {at(0), at(i + 1), at(i + 2)}).distance);
      });
    }
  return least;
}

// Returns a random translation or rotation: fast, tiny, grazing, or along or against the plane with
// the given normal.
inline polyhedron::Path random_path(generate::Random& random, const Pose& pose, const Vec3& normal,
                                    double size, double thickness) {
  const double lengths[] = {8 * size, size, 1e-3 * size, 4 * thickness, thickness / 16};
  const double length = lengths[random.below(5)];
  Vec3 way = length * random.cube(-1, 1);
  if (random.one_in(2)) way -= length * normal;
  if (random.one_in(3)) way -= way.dot(normal) * normal;
  if (random.one_in(6)) way -= length * random.uniform(0, 1e-6) * normal;
  if (random.one_in(2)) return polyhedron::translating(pose, way);
  const Vec3 pivot = random.one_in(3) ? Vec3(Vec3::Zero()) : Vec3(size * random.cube(-1, 1));
  const Vec3 axis = random.one_in(2) ? Vec3(normal + Vec3(0, 0, 1e-9)) : random.cube(-1, 1);
  const double angle = std::min(length / size, 1.5) * random.uniform(-1, 1);
  Eigen::Quaterniond end = Pose::from_axis_angle(axis, angle).rotation * pose.rotation;
  if (end.dot(pose.rotation) < 0) end.coeffs() *= -1;
  return polyhedron::rotating(pose, pivot, end);
}

struct ZoneTally {
  std::size_t moves = 0, stops = 0, turning_stops = 0, still = 0, failures = 0;
  std::string failure;  // the first one

  void fail(const char* what, std::uint64_t seed) {
    if (failures++ == 0)
      failure =
          std::string(what) + " at move " + std::to_string(moves) + " of " + std::to_string(seed);
  }
};

// Runs a sequence of motions, each from the end of the last one, in a world around the origin of
// half size `size`. Checks promises (1) and (3) of expel_move by methods independent of it.
inline void zone_walk(std::span<const polyhedron::Obstacle> world, const polyhedron::Model& mover,
                      const Pose& start, double size, std::size_t moves, std::uint64_t seed,
                      const polyhedron::ExpelOptions& options, ZoneTally& tally) {
  using namespace polyhedron;
  generate::Random random("zone walk", 0, 1, seed);
  Scratch scratch;
  Pose pose = start;
  Vec3 normal(0, 0, 1);
  double thickness = 0.01 * size;
  for (std::size_t i = 0; i < moves; ++i) {
    Path path = random_path(random, pose, normal, size, thickness);
    if (pose.translation.norm() > 3 * size) path = translating(pose, -1.2 * pose.translation);
    const ExpelResult result = expel_move(world, mover, path, scratch, options);
    if (result.verdict == Verdict::invalid || result.expelled) tally.fail("not apart", seed);
    for (const Obstacle& obstacle : world)
      if (overlap(obstacle.model.box, {result.end.translation - Vec3::Constant(2 * size),
                                       result.end.translation + Vec3::Constant(2 * size)}) &&
          surfaces_meet(obstacle, mover, result.end))
        tally.fail("meets", seed);
    if (result.verdict == Verdict::contact) {
      ++tally.stops;
      tally.turning_stops += path.turns;
      tally.still += result.fraction == 0;
      const double most = result.thickness * (1 + 1e-9) + 1e-14 * size;
      if (!(distance_within(world, mover, result.end, most) <= most)) tally.fail("too early", seed);
      if (!(std::abs(result.contact.normal.norm() - 1) < 1e-9)) tally.fail("no normal", seed);
      normal = result.contact.normal;
    } else {
      const Pose there = pose_at(path, 1);
      if (result.fraction != 1 || there.translation != result.end.translation ||
          there.rotation.coeffs() != result.end.rotation.coeffs())
        tally.fail("free, but not at the end", seed);
    }
    thickness = result.thickness;
    pose = result.end;
    ++tally.moves;
  }
}

}  // namespace graze::test
