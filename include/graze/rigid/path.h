#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "graze/rigid/advance.h"

namespace graze::rigid {

// A body that rests in the world and that a path must avoid.
struct Obstacle {
  Body body;
  Pose pose;
  double margin = 0;     // length, finite, >= 0: a distance up to this is contact
  bool allowed = false;  // contact with this obstacle is allowed: it is not tested
};

// The motion between two poses of a path.
enum class PathMotion : std::uint8_t {
  linear,  // linear_motion()
  screw    // screw_motion()
};

// Options of check_path().
struct PathOptions {
  // For each segment and obstacle. The margin is added to that of every obstacle. t_max must be 1:
  // a path is tested to its end, and any other value is `invalid`.
  AdvanceOptions advance;
  PathMotion motion = PathMotion::linear;  // between two poses
  Vec3 centre = Vec3::Zero();  // the body point that linear motion moves on straight lines
};

// A proven part of a path: on the way from poses[segment] to poses[segment + 1], the body keeps its
// distance from the obstacle for t in [0, until) if until < 1, and in [0, 1] if until is 1.
struct CoveredInterval {
  std::uint32_t segment, obstacle;
  double until;
};

// The answer of check_path(): free, or the first contact.
struct PathCheck {
  Verdict verdict = Verdict::separated;  // separated: the whole path is free
  // The end of the free part, if the verdict is not separated: the first contact, or the first time
  // that is not decided.
  std::uint32_t segment = 0, obstacle = 0;
  double toi = Impact::inf;  // within the segment, in [0, 1]
  BodyImpact impact;         // with that obstacle
  // The certificate: one entry for each tested obstacle and segment up to the end of the free part.
  std::vector<CoveredInterval> covered;
  std::uint64_t checks = 0;  // sum over all calls of advance()
};

// Returns whether a body can follow a polyline of poses without contact with any obstacle.
//   (1) Separated: on every segment and at every time, the distance to each obstacle that is not
//       allowed exceeds its margin.
//   (2) Contact: (1) holds up to (segment, toi), where the distance to `obstacle` is at most its
//       margin plus the threshold.
//   (3) Undecided: (1) holds up to (segment, toi).
//   (4) `covered` states the same by intervals, each of which can be verified by itself.
// A single pose is a path that stays there. `invalid`, with toi 0 and no intervals: no pose, a pose
// that is not finite or so far from the next that the difference overflows, a body or obstacle
// whose status is not ok, an option out of its range. Obstacles that are allowed are not examined
// at all. If another thread sets `*stop`, the call ends soon: undecided, unless it has an answer.
// `stop` may be null. Cost: one call of advance() per segment and obstacle.
PathCheck check_path(const Body& body, std::span<const Obstacle> world, std::span<const Pose> poses,
                     const PathOptions& options = {}, const std::atomic<bool>* stop = nullptr);

// A body with its motion.
struct MovingBody {
  Body body;
  Motion motion;
};

// The first contact of many bodies.
struct BodiesImpact {
  std::uint32_t a = 0, b = 0;  // the two bodies, a < b; no meaning if separated or invalid
  BodyImpact impact;           // of these two; that of advance()
  std::uint64_t pairs = 0;     // pairs of bodies tested
  std::uint64_t checks = 0;    // sum over all pairs
};

// Returns the first contact of any two of many moving bodies: the one with the smallest toi, then
// the smallest a, then the smallest b. options.max_checks is the budget of each pair.
//   (1) The distance of any two bodies, less options.margin, is > 0 on [0, toi), whatever the
//       verdict; on [0, t_max] if separated.
//   (2) On contact, promise (2) of advance() holds for bodies a and b. A pair that is undecided at
//       toi makes the verdict `undecided`.
//   (3) The result depends on the arguments alone.
// `ignored`: pairs of bodies that may touch, in any order. `invalid`: advance() is invalid for a
// pair, or `ignored` names a body that does not exist.
// If another thread sets `*stop`, the call ends soon: undecided, unless it has an answer. `stop`
// may be null. Cost: one call of advance() for each pair of bodies whose swept boxes overlap, each
// up to the smallest toi so far.
BodiesImpact first_contact(std::span<const MovingBody> bodies, const AdvanceOptions& options = {},
                           std::span<const std::array<std::uint32_t, 2>> ignored = {},
                           const std::atomic<bool>* stop = nullptr);

}  // namespace graze::rigid
