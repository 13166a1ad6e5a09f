#include "graze/rigid/motion/boxes_apart.h"

#include <algorithm>

#include "graze/core/numeric/float_environment.h"
#include "graze/rigid/motion/motion_bound.h"

namespace graze::rigid {
namespace {

struct BoxSide {
  const Model& model;
  MotionBound bound;
  Placement start, end;

  BoxSide(const Model& boxed, const Motion& motion, double t_max)
      : model(boxed),
        bound(motion, 2 * boxed.tree.reach()),
        start(placement_at(motion, 0)),
        end(placement_at(motion, t_max)) {}

  // Returns a lower bound of n.p over the points p of the mesh, the better one of its two boxes.
  // Along the axes of the coordinates: for each coordinate the end that is lower along n. The sum
  // is that of n.(placement * x) for a corner x of the box, whose error placement_error() bounds.
  double lowest(const Placement& at, const Vec3& n) const {
    const Vec3 m = at.rotation.transpose() * n;
    const double offset = n.dot(at.offset);
    double sum = offset;
    for (int k = 0; k < 3; ++k) sum += m[k] * (m[k] > 0 ? model.lo[k] : model.hi[k]);
    return std::max(sum, offset + model.oriented.lowest(m));
  }
  double curvature(const Vec3& n) const {
    if (!bound.rotates()) return 0;
    const Vec3 half = (model.hi - model.lo) / 2;
    return bound.curvature(n, bound.axis_distance(model.lo + half, half.stableNorm()));
  }
};

}  // namespace

// As apart_along(): gaps are reduced by the margin and by the errors of both placements, and 1.25
// covers the sums. |n| <= 1 + 2^-44, by which a gap may exceed the distance.
bool boxes_stay_apart(const Model& a, const Motion& motion_a, const Model& b,
                      const Motion& motion_b, double margin, double t_max) {
  const FloatEnvironment environment;
  const BoxSide first(a, motion_a, t_max), second(b, motion_b, t_max);
  const double slack = (1.25 * (first.bound.error + second.bound.error) + margin) * (1 + 0x1p-43);
  if (!(slack < 0x1p400)) return false;
  const auto separates = [&](const Vec3& axis) {
    for (const double sign : {1.0, -1.0}) {
      const Vec3 n = sign * axis;
      const auto gap = [&](const Placement& at_a, const Placement& at_b) {
        return first.lowest(at_a, n) + second.lowest(at_b, -n) - slack;
      };
      const double s0 = gap(first.start, second.start);
      if (!(s0 > 0)) continue;
      const double s1 = gap(first.end, second.end);
      const double curvature = (first.curvature(n) + second.curvature(n)) * (1 + 0x1p-43);
      if (gap_lasts(s0, s1, curvature, t_max) >= 1) return true;
    }
    return false;
  };
  for (const BoxSide* side : {&first, &second})
    for (int k = 0; k < 3; ++k)
      if (separates(side->start.rotation.col(k))) return true;
  for (const BoxSide* side : {&first, &second})
    for (int k = 0; side->model.oriented.exists() && k < 3; ++k)
      if (separates(side->start.rotation * side->model.oriented.axes.col(k))) return true;
  return false;
}

}  // namespace graze::rigid
