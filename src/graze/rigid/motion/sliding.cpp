#include "graze/rigid/motion/sliding.h"

#include <algorithm>
#include <array>
#include <limits>

#include "graze/core/numeric/strict_arithmetic.h"
#include "graze/rigid/distance/convex_distance.h"

namespace graze::rigid {
namespace {

// Bounds the distance of the points of a moving body from the origin, at all times of the step.
double extent(const Model& model, const Motion& motion) {
  return 2 * model.tree.reach() + motion.start.translation.norm() + 2 * motion.centre.norm() +
         motion.velocity.norm();
}

}  // namespace

// The bound. Let p = c + t v + r be a point of the mover, where c + t v is the centre of its motion
// and r' = w x r. Let the base have the centre c_b + t v_b and the angular velocity w_b, and let q
// be p in the coordinates of the base. Up to a constant isometry, q = R^T (r + d), where R is the
// rotation of the base, R' = W_b R with W_b y = w_b x y, and d = c - c_b + t (v - v_b). Hence
//   q' = R^T (r' + d' - W_b (r + d)),
//   q'' = R^T (W^2 r - 2 W_b W r + W_b^2 r + W_b^2 d - 2 W_b d').
// (W - W_b)^2 = W^2 - W W_b - W_b W + W_b^2, and W W_b - W_b W = [w x w_b], so the first three
// terms are ((W - W_b)^2 + [w x w_b]) r. This gives
//   |q''| <= (|w - w_b|^2 + |w x w_b|) |r| + |W_b^2 d - 2 W_b d'|,
// where the last term is the norm of a linear function of t, which is largest at an end of the
// step. For w = w_b and d parallel to w_b nothing remains: the bodies turn as one.
// If the base does not rotate, only W^2 r remains, and |n.q''| <= |w|^2 |n'| rho as in
// motion_bound.h.
// Rounding: |w - w_b| has an error below 2^-52 (|w| + |w_b|), the other vectors have errors below
// 2^-48 of the lengths of their terms, which are added; 1 + 2^-40 covers the rest.
//
// The error. Let S be the sum of extent() of both bodies: it exceeds the distances of all points of
// both bodies from the origin, and from the origin of the base. A computed point q~ of the mover
// is B^T (p~ - o) with a rounding of less than 2^-47 S: B and o are the computed placement of the
// base, p~ is within placement_error(mover) of p. The map B is within e = placement_error(base, S)
// of the exact map at q~, and B B^T is within e/S of the identity. The exact map is an isometry, so
// q~ is within placement_error(mover) + 2 e + 2^-47 S of q. A dot product of length-1 vectors with
// q~ or a point of the base adds less than 2^-48 S.
Sliding::View::View(const Model& m, const Motion& motion, const Model& b, const Motion& of_base,
                    double t_max, double kept)
    : mover(&m),
      base(&b),
      bound(motion, 2 * m.tree.reach()),
      base_rotates(!of_base.rotation.isZero(0)) {
  const Vec3 &w = motion.rotation, &w_b = of_base.rotation;
  const double sizes = extent(m, motion) + extent(b, of_base), turn = w.norm(), turn_b = w_b.norm();
  const double apart = (w - w_b).norm() + 0x1p-50 * (turn + turn_b);
  bend_per_reach = (apart * apart + w.cross(w_b).norm() + 0x1p-48 * turn * turn_b) * (1 + 0x1p-40);
  const Vec3 v = motion.velocity - of_base.velocity;
  bend = 0;
  for (const double t : {0.0, t_max}) {
    const Vec3 d = motion.centre - of_base.centre + t * v;
    bend = std::max(bend, (w_b.cross(w_b.cross(d)) - 2 * w_b.cross(v)).norm());
  }
  bend = (bend + 0x1p-44 * turn_b * (turn_b + 1) * sizes) * (1 + 0x1p-40);
  if (!base_rotates) bend = 0;
  error = (bound.error + 2 * placement_error(of_base, sizes) + 0x1p-46 * sizes) * (1 + 0x1p-40);
  slack = (1.25 * error + kept) * (1 + 0x1p-50);
}

double Sliding::View::curvature(const HullNode& node, const Vec3& n) const {
  if (!base_rotates)
    return bound.rotates() ? bound.curvature(n, bound.axis_distance(node.centre, node.radius)) : 0;
  const double reach = (node.centre - bound.centre).norm() + node.radius + 2 * bound.error;
  return (bend_per_reach * reach + bend) * (1 + 0x1p-40);
}

double Sliding::View::largest_curvature() const {
  return bend_per_reach * (2 * mover->tree.reach() + bound.centre.norm()) + bend;
}

Sliding::Sliding(const Model& a, const Motion& motion_a, const Model& b, const Motion& motion_b,
                 double t_max, double kept)
    : view_(a, motion_a, b, motion_b, t_max, kept), base_is_first_(false) {
  const View other(b, motion_b, a, motion_a, t_max, kept);
  if (!(other.largest_curvature() < view_.largest_curvature())) return;
  view_ = other;
  base_is_first_ = true;
}

double Sliding::lasts(const HullNode& i, const HullNode& j, const Placement& a0,
                      const Placement& b0, const Placement& a1, const Placement& b1,
                      double duration) const {
  const HullNode &moving = base_is_first_ ? j : i, &resting = base_is_first_ ? i : j;
  const HullTree &mover = view_.mover->tree, &base = view_.base->tree;
  // The vertices of the mover at both times, in the coordinates of the base.
  constexpr std::uint32_t most = 2 * HullTree::max_vertices;
  std::array<double, 3 * most> x;
  const std::uint32_t stride = 2 * moving.stride();
  const std::array<const Placement*, 2> movers = {base_is_first_ ? &b0 : &a0,
                                                  base_is_first_ ? &b1 : &a1};
  const std::array<const Placement*, 2> bases = {base_is_first_ ? &a0 : &b0,
                                                 base_is_first_ ? &a1 : &b1};
  for (std::uint32_t end = 0; end < 2; ++end) {
    const Eigen::Matrix3d back = bases[end]->rotation.transpose();
    const Eigen::Matrix3d turn = back * movers[end]->rotation;
    const Vec3 offset = back * (movers[end]->offset - bases[end]->offset);
    for (std::uint32_t k = 0; k < moving.stride(); ++k) {
      const Vec3 at = turn * mover.vertex(moving, std::min(k, moving.vertices - 1)) + offset;
      for (std::uint32_t axis = 0; axis < 3; ++axis)
        x[axis * stride + end * moving.stride() + k] = at[static_cast<Eigen::Index>(axis)];
    }
  }
  const PolytopeView swept{x.data(), stride, stride, moving.margin};
  const PolytopeView rest = polytope(base, resting);
  const RelativePlacement identity =
      relative_placement({Eigen::Matrix3d::Identity(), Vec3::Zero()}, view_.error * 0x1p44,
                         {Eigen::Matrix3d::Identity(), Vec3::Zero()}, base.reach());
  const ConvexDistance closest =
      convex_distance(swept, rest, identity, {}, std::numeric_limits<double>::infinity(), 0.1);
  if (closest.normal.isZero(0)) return 0;
  const Vec3 n = closest.normal.normalized();
  double highest = -std::numeric_limits<double>::infinity();
  for (std::uint32_t k = 0; k < rest.size; ++k) highest = std::max(highest, n.dot(rest.vertex(k)));
  std::array<double, 2> gaps;
  for (std::uint32_t end = 0; end < 2; ++end) {
    double lowest = std::numeric_limits<double>::infinity();
    for (std::uint32_t k = 0; k < moving.stride(); ++k)
      lowest = std::min(lowest, n.dot(swept.vertex(end * moving.stride() + k)));
    gaps[end] = (lowest - highest) - (moving.margin + resting.margin) - view_.slack;
  }
  if (!(gaps[0] > 0)) return 0;
  return gap_lasts(gaps[0], gaps[1], view_.curvature(moving, bases[0]->rotation * n), duration);
}

}  // namespace graze::rigid
