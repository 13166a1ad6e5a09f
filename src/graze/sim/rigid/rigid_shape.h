#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "graze/polyhedron/move.h"
#include "graze/rigid/model/model.h"
#include "graze/rigid/motion.h"
#include "graze/sim/rigid.h"

namespace graze::sim::rigid {

// A polygon of a convex shape, counter-clockwise as seen from outside.
struct ShapeFace {
  std::vector<std::uint32_t> corners;
  Vec3 normal;
};

// The data of a Shape. The model is moved so that the centre of mass is its origin.
struct ShapeData {
  std::string problem;  // empty if the shape can be simulated
  graze::rigid::Model model;
  double mass = 0, radius = 0;  // radius of the ball about the centre of mass
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero(), inverse_inertia = inertia;
  Vec3 centre = Vec3::Zero();  // of mass, in the coordinates the shape was made from
  bool convex = false;
  std::vector<ShapeFace> faces;  // of a convex shape; a polygon has two, a particle none

  bool is_particle() const { return convex && faces.empty(); }
  // Returns the same surface as polygons, for Mover::expel; not ok() if the polyhedron room does
  // not accept it. Built by the first call. Threads may share it.
  const polyhedron::Obstacle& surface() const;

 private:
  mutable std::once_flag once_;
  mutable polyhedron::Obstacle surface_;
};

// Returns a box that contains the shape during the motion, which turns about its centre of mass.
// Rounded outwards.
Aabb placed_box(const ShapeData& shape, const graze::rigid::Motion& motion);

}  // namespace graze::sim::rigid
