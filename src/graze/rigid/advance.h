#pragma once

#include <cstdint>

#include "graze/broad/find_pairs.h"
#include "graze/core/impact.h"
#include "graze/rigid/motion.h"
#include "graze/rigid/rigid_model.h"

namespace graze {

struct AdvanceOptions {
  double t_max = 1;      // only [0, t_max] counts
  double threshold = 0;  // length: closer than this is contact; 0: a thousandth of the larger model
  bool exact_time = false;  // instead, go on until doubles cannot tell the distance from 0
  double margin = 0;        // length: the distance in question is that beyond this margin
  std::uint32_t max_checks = 1000000;  // pairs of nodes and steps of triangles; then `undecided`
};

// The answer for two moving bodies: impact.verdict, toi, toi_hi (t_max), normal (of length 1, from
// the second body to the first) and checks as core/impact.h has them; u and v are NaN.
struct RigidImpact {
  Impact impact;
  // On contact: the triangles that came within the threshold, and the closest points of them.
  std::uint32_t face_a = 0, face_b = 0;
  Vec3 point_a = Vec3::Constant(Impact::nan), point_b = Vec3::Constant(Impact::nan);
  double distance = Impact::nan;                     // between them
  std::uint32_t iterations = 0;                      // steps in time of these two triangles
  std::uint32_t node_pairs = 0, triangle_pairs = 0;  // looked at

  static RigidImpact invalid() {
    RigidImpact result;
    result.impact = Impact::invalid();
    return result;
  }
};

// Returns when two moving rigid surfaces come into contact, if they do.
//
// For all valid models and finite motions, distance meaning that of the surfaces minus the margin:
//   (1) The distance is > 0 on [0, toi), whatever the verdict; on [0, t_max] where separated.
//   (2) On contact the distance at toi is <= the threshold. (A pair of bodies that comes within the
//       threshold without touching may be told as contact or as separated.)
//   (3) A contact at the start, or a distance within the threshold, is contact at 0.
//   (4) The result depends on the arguments alone. Models may be shared by threads.
// Models that are not valid and motions that are not finite are `invalid`. Beyond the range of
// placement_error the answer is `undecided` at 0. A body inside another, surfaces apart, is
// separated.
//
// One search through both trees at once: docs/rigid.md. Cost: some hundred to some thousand pairs
// of nodes; sliding and grazing within a small threshold takes many steps, cut at max_checks.
// Reference: [Zhang 2006], with bounds of its own in space and time.
//
// What touches at toi: rigid/contacts.h with placement_at(motion, toi).
//
// The observer is shown every step of two triangles as a motion of six vertices, those of A first,
// with all pairs of vertices and faces and of edges: straight from where they were looked at to
// where the step proves them apart, or, where they are in contact, to t_max.
RigidImpact advance(const RigidModel& a, const Motion& motion_a, const RigidModel& b,
                    const Motion& motion_b, const AdvanceOptions& options = {},
                    const MotionObserver& observer = {});

// False for what is `invalid`.
bool advance_accepts(const RigidModel& a, const Motion& motion_a, const RigidModel& b,
                     const Motion& motion_b, const AdvanceOptions& options);

// The threshold beyond the margin that the options ask for, given the error of a distance.
double contact_threshold(const RigidModel& a, const RigidModel& b, const AdvanceOptions& options,
                         double error);

}  // namespace graze
