#pragma once

#include <functional>
#include <vector>

#include "graze/rigid/robot/link_motion.h"
#include "graze/rigid/robot/scene.h"

namespace graze::rigid {

// Finds pairs of limbs for the pieces of paths. Keeps the tree of moving bodies between pieces that
// take the same part of the time, as the edges of a roadmap do. Not for two threads at once.
class NearPairs {
 public:
  explicit NearPairs(const PathChecker::Scene& scene) : scene_(scene) {}

  // One piece of a path.
  struct Piece {
    const LinkMotion& motion;
    PathSample &start, &end;                           // at s = 0 and s = 1
    std::function<LimbBound(std::uint32_t)> bound_of;  // of a moving limb on the whole piece
    double t0, t1;                                     // in fractions of the path
  };

  // Returns pairs of limbs, among them all that come within their margin of each other.
  const std::vector<std::uint32_t>& find(const Piece& piece);

 private:
  Aabb sweep(const Piece& piece, std::uint32_t limb, double margin) const;

  const PathChecker::Scene& scene_;
  std::vector<std::uint32_t> found_;
  StillTree movers_;          // boxes around the motions of PathChecker::Scene::movers
  double t0_ = -1, t1_ = -1;  // of movers_
};

}  // namespace graze::rigid
