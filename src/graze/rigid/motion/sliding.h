#pragma once

#include "graze/rigid/distance/convex_distance.h"
#include "graze/rigid/model/model.h"
#include "graze/rigid/motion.h"

namespace graze::rigid {

// The placements of two bodies at a time.
struct Frame {
  double t;
  Placement a, b;
};

// Proves parts of two bodies apart by planes that move with one of the bodies.
//
// Mating parts, such as a nut on its bolt or a drawer in its cabinet, slide past each other at a
// small distance. The plane that keeps two of their parts apart for the longest time is in general
// not the one across their closest points, which may face the motion, and it is fixed on one of the
// bodies rather than in the world if both rotate. This class takes the direction that separates the
// positions of the parts at three times of an interval by the largest gap, seen from one of the
// bodies (the base). The gap of a vertex of the other body (the mover) is bounded by the parabola
// through its values at the three times: the source derives the bound.
class Sliding {
 public:
  // The body that a plane moves with.
  enum class Base : std::uint8_t { a, b };

  // Bodies must outlive the object. `kept`: the distance that the bodies must keep.
  Sliding(const Model& a, const Motion& motion_a, const Model& b, const Motion& motion_b,
          double t_max, double kept);

  // Returns whether a plane that moves with the base is proven to keep node i of a and node j of b
  // more than `kept` apart on all of [begin.t, end.t]. middle.t is the middle of this interval, up
  // to rounding.
  bool keeps_apart(Base base, const HullNode& i, const HullNode& j, const Frame& begin,
                   const Frame& middle, const Frame& end) const;

  // Returns the angular velocity of one body relative to the other, in radians per step.
  double turn() const { return turn_; }

 private:
  // A mover as seen from its base.
  struct View {
    const HullTree *mover, *base;
    // Bounds of the third derivative of a point of the mover, see the source.
    Vec3 axis;    // of the relative rotation in world coordinates; 0 if it is not constant
    Vec3 along;   // the same in the coordinates of the mover
    Vec3 centre;  // a point of the axis, or the centre of the mover's motion, in these coordinates
    double per_reach;
    double rest;
    double error;                // of computed positions, a length
    RelativePlacement identity;  // of coordinates of the base

    View(const Model& mover, const Motion& motion, const Model& base, const Motion& of_base,
         double t_max);
    // Bounds |n.q'''| of the points of a node; n: in the coordinates of the world.
    double third_derivative(const HullNode& node, const Vec3& n) const;
  };

  View from_a_, from_b_;
  double kept_, turn_;
};

}  // namespace graze::rigid
