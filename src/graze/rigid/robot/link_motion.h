#pragma once

#include <span>
#include <vector>

#include "graze/rigid/robot/scene.h"

namespace graze::rigid {

// The computed positions of all frames at one time of a piece.
struct PathSample {
  double s = 0;
  std::vector<Placement> routes;
  std::vector<Vec3> centres;  // of the balls of the limbs
};

// How a limb moves against its base on an interval of a piece.
struct LimbBound {
  double acceleration = 0;  // bounds |p''| for all points of the shape, per square of s
  double speed = 0;         // bounds |p'|, per s
};

// The motion of one piece. Not for two threads at once.
class LinkMotion {
 public:
  LinkMotion(const PathChecker::Scene& scene, PieceCurves curves);

  void sample(double s, PathSample& to) const;
  // Bounds the motion of all limbs on [s0, s1], where `at` is the sample at s0.
  void bound(const PathSample& at, double s1, std::vector<LimbBound>& to) const;
  // Returns the placement of a frame in the world, up to rounding.
  Placement frame_at(std::uint32_t frame, double s) const;
  // Bounds what computed positions of points of a limb err by, in dot products with vectors of
  // length <= 2 too; a length.
  double error(std::uint32_t limb) const { return errors_[limb]; }

 private:
  Placement step_at(std::uint32_t frame, double s) const;  // in the parent frame

  const PathChecker::Scene& scene_;
  PieceCurves curves_;
  std::vector<double> errors_;
  struct Rate {
    double speed, acceleration;
  };
  // Scratch memory of bound() and sample(), by frame: a motion is for one thread.
  mutable std::vector<Rate> rates_;
  mutable std::vector<Placement> steps_;
};

// Returns sin and cos of |q| <= 2^21 with an error below 8 2^-53 each, computed without libm.
struct SinCos {
  double sin, cos;
};
SinCos sin_cos(double q);

}  // namespace graze::rigid
