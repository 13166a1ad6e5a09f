#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graze/core/impact.h"
#include "graze/polyhedron/brush_model.h"
#include "graze/rigid/motion.h"
#include "graze/rigid/rigid_model.h"

namespace graze::polyhedron {

// A model made ready to translate and turn at once. Immutable once made; threads may share it.
struct MotionModel {
  BrushModel model;
  RigidModel surface;                   // the facets as fans of triangles: the same points exactly
  std::vector<std::uint32_t> facet_of;  // of the faces of `surface`

  bool ok() const { return model.ok() && surface.valid(); }
};
MotionModel make_motion_model(BrushModel model);

struct MovingBody {
  const MotionModel* model;
  Motion motion;
};

struct MotionOptions {
  double t_max = 1;  // only [0, t_max] counts, at most 1
  double distance_tol =
      0;  // length: nearer than this is contact; 0: what doubles cannot tell from 0
  std::uint32_t max_checks = 1000000;  // for each body of the world
};

struct MotionContact {
  std::uint32_t body = 0;  // of the world
  std::uint32_t mover_facet = 0, world_facet = 0;
  Vec3 mover_point = Vec3::Zero(), world_point = Vec3::Zero();  // the closest of both facets
  Vec3 normal = Vec3::Zero();                                   // of length 1, to the mover
};

struct MotionResult {
  Verdict verdict = Verdict::invalid;
  double fraction = 0, fraction_hi = 0;
  Pose end;  // of the mover, at `fraction`, within rounding
  MotionContact contact;
  std::uint64_t checks = 0;
};

// Moves a model through a world of models that move too, each along any rigid motion: translation
// and rotation at once, which [van Waveren 2005] replaces by one after the other.
//   (1) The mover shares no point with any body of the world in [0, fraction), whatever the
//       verdict; in [0, t_max] where separated (then both fractions are t_max).
//   (2) contact: at `fraction` the surfaces are within distance_tol of each other, or, if that is
//       0, within 16 placement_error of the two motions: some 1e-12 of the coordinates.
//   (3) undecided: max_checks was spent, or numbers are beyond the range of placement_error;
//       `fraction` is safe. invalid: a model or a motion is; both fractions are 0.
//   (4) The answer depends on the arguments alone; models are only read. Memory is local.
// Here the first contact is not algebraic: it is enclosed, by the bounds of rigid/advance.h, where
// polyhedron/move.h computes it to the last bit. What surfaces are is the same: both sides, closed.
// Points and single polygons are models like others; two single points pass through each other.
MotionResult move(std::span<const MovingBody> world, const MotionModel& mover, const Motion& motion,
                  const MotionOptions& options = {});

}  // namespace graze::polyhedron
