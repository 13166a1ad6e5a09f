#include "graze/rigid/apart_along.h"

#include "graze/core/float_environment.h"
#include "graze/rigid/motion_bound.h"

namespace graze {
namespace {

struct Side {
  const HullTree& tree;
  const Motion& motion;
  MotionBound bound;

  Side(const RigidModel& model, const Motion& path)
      : tree(model.tree), motion(path), bound(path, 2 * model.tree.reach) {}

  // The least n.p at t.
  double lowest(const Vec3& n, double t) const {
    const Placement at = placement_at(motion, t);
    const Vec3 turned = -(at.rotation.transpose() * n);
    return n.dot(at.offset) - support(tree, tree.nodes[0], turned).value - tree.nodes[0].margin;
  }
  double curvature(const Vec3& n) const {
    if (!bound.rotates()) return 0;
    const HullNode& root = tree.nodes[0];
    return bound.curvature(n, bound.axis_distance(root.centre, root.radius));
  }
};

}  // namespace

// The errors of both placements, with 1.25 for a length of n that is 1 within rounding only and for
// the sums below, and the margin are taken off both gaps; so gap_lasts is about numbers that are
// too small. Infinite errors leave no gap.
double apart_along(const RigidModel& a, const Motion& motion_a, const RigidModel& b,
                   const Motion& motion_b, const Vec3& n, double margin) {
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

}  // namespace graze
