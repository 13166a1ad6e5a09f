#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graze/rigid/advance.h"

namespace graze {

// Something that stands still in the way of a path.
struct Obstacle {
  const RigidModel* model;
  Pose pose;
  double margin = 0;     // length: nearer than this is contact
  bool allowed = false;  // may be touched: not looked at
};

enum class PathMotion : std::uint8_t { linear, screw };

struct PathOptions {
  AdvanceOptions advance;  // its margin is added to that of every obstacle
  PathMotion motion = PathMotion::linear;
  Vec3 centre = Vec3::Zero();  // of the body: what moves straight in linear motion
};

// On [0, until] of the way from poses[segment] to poses[segment + 1] the body keeps its distance
// from the obstacle; `until` itself excluded where it is less than 1.
struct CoveredInterval {
  std::uint32_t segment, obstacle;
  double until;
};

struct PathCheck {
  Verdict verdict = Verdict::separated;  // separated: all of the path is free
  // Else where it ends: the first contact, or the first time that is not decided (`until` below).
  std::uint32_t segment = 0, obstacle = 0;
  double toi = Impact::inf;              // in the segment
  RigidImpact impact;                    // of that obstacle
  std::vector<CoveredInterval> covered;  // the certificate: every obstacle that is not allowed, on
                                         // every segment up to the end
  std::uint64_t checks = 0;
};

// Returns whether a body may follow a polyline of poses without coming nearer to an obstacle than
// the margin, and a certificate of that or the first contact.
//   (1) Separated: on no segment, at no time, is an obstacle that is not allowed within its margin.
//   (2) Contact: so up to (segment, toi), where the obstacle is within margin + threshold.
//   (3) Undecided: so up to (segment, toi).
//   (4) `covered` says the same interval by interval: each can be checked by itself.
// A single pose is a path that stays there. No pose, or anything advance() refuses: invalid.
PathCheck is_path_free(const RigidModel& body, std::span<const Obstacle> world,
                       std::span<const Pose> poses, const PathOptions& options = {});

}  // namespace graze
