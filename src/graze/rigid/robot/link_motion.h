#pragma once

#include <span>
#include <vector>

#include "graze/rigid/robot/scene.h"

namespace graze::rigid {

// The computed positions of frames at one time of a piece, each computed when it is first used.
struct PathSample {
  double s = 0;
  std::vector<Placement> routes, steps;               // steps: of frames, in their parent frames
  std::vector<std::uint8_t> route_known, step_known;  // 0 or 1
};

// Bounds on the motion of a limb against its base on an interval of a piece.
struct LimbBound {
  double acceleration = 0;  // bounds |p''| for all points of the shape, per square of s
  double speed = 0;         // bounds |p'|, per s
};

// The motion of one piece. Not for two threads at once.
class LinkMotion {
 public:
  LinkMotion(const PathChecker::Scene& scene, PieceCurves curves);

  // Makes `to` a sample at s, without positions.
  void begin(double s, PathSample& to) const;
  // Return the placement of the end of a route in the coordinates of its base, and the centre of
  // the ball of a limb.
  const Placement& route(PathSample& at, std::uint32_t route) const;
  Vec3 centre(PathSample& at, std::uint32_t limb) const {
    const Limb& from = scene_.limbs[limb];
    return limb < scene_.moving ? Vec3(route(at, from.route) * from.centre) : from.centre;
  }
  // Bounds the motion of a limb on [s0, s1], where `at` is the sample at s0.
  LimbBound bound(PathSample& at, double s1, std::uint32_t limb) const;
  // Returns the placement of a frame in the world, up to rounding.
  Placement frame_at(std::uint32_t frame, double s) const;
  // Bounds the error of computed positions of points of a limb, and of their dot products with
  // vectors of length <= 2; a length.
  double error(std::uint32_t limb) const {
    return limb < scene_.moving ? errors_[limb] : scene_.limbs[limb].still_error;
  }

 private:
  Placement step_at(std::uint32_t frame, double s) const;  // in the parent frame

  const PathChecker::Scene& scene_;
  PieceCurves curves_;
  std::vector<double> errors_;  // of moving limbs
  // Bounds on |q'| and |q''| of a frame on [s0, s1].
  struct Rate {
    double speed, acceleration;
  };
  Rate rate(std::uint32_t frame, double s0, double s1) const;
};

// Returns error() of a limb that does not move against its base.
double still_error(double reach);

// Returns sin and cos of |q| <= 2^21 with an error below 8 2^-53 each, computed without libm.
struct SinCos {
  double sin, cos;
};
SinCos sin_cos(double q);

}  // namespace graze::rigid
