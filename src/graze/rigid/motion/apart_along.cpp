#include "graze/rigid/motion/apart_along.h"

#include "graze/core/numeric/float_environment.h"
#include "graze/rigid/motion/motion_bound.h"

namespace graze::rigid {
namespace {

struct Side {
  const HullTree& tree;
  const Motion& motion;
  MotionBound bound;

  Side(const Model& model, const Motion& path)
      : tree(model.tree), motion(path), bound(path, 2 * model.tree.reach()) {}

  // Returns the least n.p over all points p at time t.
  double lowest(const Vec3& n, double t) const {
    const Placement at = placement_at(motion, t);
    const Vec3 turned = -(at.rotation.transpose() * n);
    return n.dot(at.offset) - support(tree, tree.node(0), turned).value - tree.node(0).margin;
  }
  double curvature(const Vec3& n) const {
    if (!bound.rotates()) return 0;
    const HullNode& root = tree.node(0);
    return bound.curvature(n, bound.axis_distance(root.centre, root.radius));
  }
};

}  // namespace

// Both gaps are reduced by the margin and by the errors of both placements, so gap_lasts() receives
// lower bounds. The factor 1.25 covers the length of n, which is 1 only within rounding, and the
// sums below. An infinite error proves nothing.
double apart_along(const Model& a, const Motion& motion_a, const Model& b, const Motion& motion_b,
                   const Vec3& n, double margin) {
  const FloatEnvironment environment;
  if (!a.valid() || !b.valid() || !motion_a.is_finite() || !motion_b.is_finite() ||
      !(std::abs(n.squaredNorm() - 1) < 0x1p-40) || !(margin >= 0))
    return 0;
  const Side first(a, motion_a), second(b, motion_b);
  const double slack = (1.25 * (first.bound.error + second.bound.error) + margin) * (1 + 0x1p-51);
  if (!(slack < 0x1p400)) return 0;
  const auto gap = [&](double t) { return first.lowest(n, t) + second.lowest(-n, t) - slack; };
  const double s0 = gap(0);
  if (!(s0 > 0)) return 0;
  return time_at(0, 1, gap_lasts(s0, gap(1), first.curvature(n) + second.curvature(n), 1));
}

}  // namespace graze::rigid
