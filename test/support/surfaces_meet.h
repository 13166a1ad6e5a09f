#pragma once

#include <algorithm>
#include <vector>

#include "graze/polyhedron/model/facet_index.h"
#include "test/support/rational_contact.h"

namespace graze::test {

// Returns whether the mover at the pose shares a point with the obstacle, by separating axes of
// polygons in rational numbers, or in doubles if the polygons are apart by more than the rounding
// errors. The tree of the obstacle is used only to select nearby facets.
inline bool surfaces_meet(const polyhedron::Obstacle& obstacle, const polyhedron::Model& mover,
                          const Pose& pose) {
  const polyhedron::Model& world = obstacle.model;
  const auto doubles = [](const Vec3& x) { return Point<double>{x[0], x[1], x[2]}; };
  std::vector<Vec3> here;
  for (const Vec3& x : mover.vertices) here.push_back(pose * x);
  Aabb box{here[0], here[0]};
  for (const Vec3& x : here) box.include({x, x});
  const double size = 1 + box.lo.cwiseAbs().maxCoeff() + box.hi.cwiseAbs().maxCoeff();
  const double margin = 1e-13 * size;
  box = {box.lo - Vec3::Constant(margin), box.hi + Vec3::Constant(margin)};
  std::vector<std::uint32_t> near;
  const double at_once = 0;
  obstacle.index->tree.visit({box, Vec3::Zero()}, at_once, [&](std::uint32_t entry) {
    const std::uint32_t f = obstacle.index->tree.box_of(entry);
    if (overlap(box, world.boxes[f])) near.push_back(f);
  });
  std::sort(near.begin(), near.end());
  near.erase(std::unique(near.begin(), near.end()), near.end());
  polyhedron::Path path;
  path.start = pose;
  for (const std::uint32_t f : near) {
    Corners<double> q;
    for (const std::uint32_t c : world.corners_of(world.facets[f]))
      q.push_back(doubles(world.vertices[c]));
    for (const polyhedron::Facet& facet : mover.facets) {
      Corners<double> p;
      for (const std::uint32_t c : mover.corners_of(facet)) p.push_back(doubles(here[c]));
      if (clearly_disjoint(p, q, margin)) continue;
      Corners<Rational> exact;
      for (const std::uint32_t c : mover.corners_of(facet))
        exact.push_back(place(path, mover.vertices[c], 0));
      if (!disjoint(exact, corners_of(world, world.facets[f]))) return true;
    }
  }
  return false;
}

}  // namespace graze::test
