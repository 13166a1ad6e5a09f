#pragma once

#include <array>
#include <optional>

#include "graze/rigid/model/model.h"
#include "graze/rigid/motion.h"

namespace graze::rigid {

// A mesh of one or two vertices, a sphere or a capsule without its radius, that moves straight past
// another mesh. Neither rotates.
//
// In the coordinates of the mesh the vertices move on straight lines. The box around them, enlarged
// by slack and error, overlaps with a box of the mesh along each axis during an interval of time;
// the boxes meet while all three intervals last. Times have a relative error of 4u, u = 2^-53, and
// the coordinates one of 64u of their size; both shift the vertices by less than `error`, which is
// at least 160u of the coordinates and of the way.
class Cast {
 public:
  // `moving` has at most two vertices. `slack`: the distance that the meshes must keep, the error
  // of computed gaps included. `error`: that error, e of advance(). Models and
  // motions are not owned.
  Cast(const Model& moving, const Motion& motion, const Model& mesh, const Motion& of_mesh,
       double t_max, double slack, double error);

  // Returns a time in [0, t_max] before which the two keep their distance from what is in a box of
  // the mesh; nothing if they keep it to t_max.
  std::optional<double> reaches(const HullTree::Box& box) const;

  // Returns whether the two are proven to keep their distance from a triangle of the mesh to t_max,
  // by the direction between its closest points to what the vertices sweep: the gap along a
  // direction is linear in time, so that a gap at both ends of the time is one between them.
  bool misses(const Face& face);

 private:
  // The vertices and the mesh at t_max.
  struct End {
    std::array<Vec3, 2> vertices;
    Placement mesh;
  };

  const Motion &motion_, &of_mesh_;
  const Model& mesh_;
  double t_max_, slack_;
  std::array<Vec3, 2> vertices_;  // in the coordinates of their body
  std::array<Vec3, 2> start_;     // at the start, in the world
  Placement mesh_start_;
  Vec3 way_;                // relative to the mesh
  Vec3 lo_, hi_;            // the enlarged box at the start, in the coordinates of the mesh
  Vec3 per_way_;            // the inverse of the way along each axis of the mesh
  std::optional<End> end_;  // most casts do not need it
};

}  // namespace graze::rigid
