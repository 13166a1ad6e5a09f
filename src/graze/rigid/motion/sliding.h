#pragma once

#include "graze/rigid/model/model.h"
#include "graze/rigid/motion.h"
#include "graze/rigid/motion/motion_bound.h"

namespace graze::rigid {

// Proves parts of two bodies apart by planes that move with one of the bodies.
//
// Mating parts, such as a nut on its bolt or a drawer in its cabinet, slide past each other at a
// small distance. The plane that keeps two of their parts apart for the longest time is in general
// not the one across their closest points, which may face the motion, and it is fixed on one of the
// bodies rather than in the world if both rotate. This class takes the direction that separates the
// positions of the parts at the start and at the end of an interval by the largest gap, seen from
// the body (the base) from which the other (the mover) bends less.
class Sliding {
 public:
  // Bodies must outlive the object. `kept`: the distance that the bodies must keep.
  Sliding(const Model& a, const Motion& motion_a, const Model& b, const Motion& motion_b,
          double t_max, double kept);

  // Returns the fraction of an interval of this duration, from its start, on which node i of a and
  // node j of b are proven to keep their distance; 0 if nothing is proven. The placements are those
  // at the start and the end of the interval.
  double lasts(const HullNode& i, const HullNode& j, const Placement& a0, const Placement& b0,
               const Placement& a1, const Placement& b1, double duration) const;

  // Bounds the second derivative of the paths of points of one body, seen from the other.
  double largest_curvature() const { return view_.largest_curvature(); }

 private:
  // A mover as seen from its base.
  struct View {
    const Model *mover, *base;
    MotionBound bound;  // of the mover
    bool base_rotates;
    double bend;            // bounds |q''| of the centre of the mover, see the source
    double bend_per_reach;  // and its growth with the distance from this centre
    double error;           // of computed positions, a length
    double slack;           // error, with the distance that is kept

    View(const Model& mover, const Motion& motion, const Model& base, const Motion& of_base,
         double t_max, double kept);
    // Bounds |n.q''| of the points of a node; n: in the coordinates of the world.
    double curvature(const HullNode& node, const Vec3& n) const;
    double largest_curvature() const;
  };

  View view_;
  bool base_is_first_;
};

}  // namespace graze::rigid
