#include "graze/rigid/motion/sliding.h"

#include <algorithm>
#include <array>
#include <cmath>
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

// The third derivative. Let p = c + t v + r be a point of the mover, where c + t v is the centre of
// its motion and r' = W r, W r = w x r. Let the base have the centre c_b + t v_b and the angular
// velocity w_b, and let q be p in the coordinates of the base. Up to a constant isometry,
// q = R^T (r + d), where R is the rotation of the base, R' = W_b R, and d = c - c_b + t (v - v_b).
// Hence the derivatives of q are R^T D^k (r + d) with D y = y' - W_b y. A constant matrix M gives
// D (M r) = (M W - W_b M) r. With A = W - W_b and C = [A, W_b] = [W, W_b], the cross product with
// w x w_b,
//   D r = A r, D^2 r = (A^2 + C) r, D^3 r = (A^3 + 2 C A + A C + [C, W_b]) r,
// because A^2 W - W_b A^2 = A^3 + [A^2, W_b] and [A^2, W_b] = A C + C A. So
//   |D^3 r| <= (|w - w_b|^3 + (3 |w - w_b| + |w_b|) |w x w_b|) |r|.
// D^3 d = 3 W_b^2 d' - W_b^3 d is a linear function of t, whose norm is largest at an end of the
// step. For w = w_b and d parallel to w_b nothing remains: the bodies turn as one.
//
// If one of w and w_b is 0, C = 0 and A is the rotation about a constant axis, up to the sign.
// Let n be fixed on the base, so that it is R n in the world, n' its part across the axis, and rho
// the distance of p from the axis through the centre of the mover's motion. |n'| and rho are
// constant: R turns about the axis (w = 0), or is constant and r turns about it (w_b = 0).
// A^3 = -|w - w_b|^2 A, so |n.R^T D^3 r| <= |w - w_b|^3 |n'| rho. A mover that does not rotate may
// be given any centre. That of the base makes d = t (v - v_b).
//
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
                    double t_max)
    : mover(&m.tree), base(&b.tree) {
  const Vec3 &w = motion.rotation, &w_b = of_base.rotation;
  const double sizes = extent(m, motion) + extent(b, of_base), turn = w.norm(), turn_b = w_b.norm();
  const bool turns = turn > 0, base_turns = turn_b > 0;
  const double mover_error = placement_error(motion, 2 * m.tree.reach());
  error = (mover_error + 2 * placement_error(of_base, sizes) + 0x1p-46 * sizes) * (1 + 0x1p-40);
  const Placement still{Eigen::Matrix3d::Identity(), Vec3::Zero()};
  identity = relative_placement(still, sizes, still, sizes);

  const Vec3 middle = turns || !base_turns ? motion.centre : of_base.centre;
  const Eigen::Matrix3d start = placement_at(motion, 0).rotation;
  centre = start.transpose() * (middle - motion.start.translation);
  axis = turns == base_turns ? Vec3(Vec3::Zero()) : Vec3(turns ? w / turn : w_b / turn_b);
  along = start.transpose() * axis;
  const double apart =
      w == w_b ? 0 : (w - w_b).norm() + 0x1p-50 * (turns && base_turns ? turn + turn_b : 0);
  const double across =
      turns && base_turns && w != w_b ? w.cross(w_b).norm() + 0x1p-48 * turn * turn_b : 0;
  per_reach = (apart * apart * apart + (3 * apart + turn_b) * across) * (1 + 0x1p-40);
  const Vec3 v = motion.velocity - of_base.velocity;
  rest = 0;
  for (const double t : {0.0, t_max}) {
    const Vec3 d = middle - of_base.centre + t * v;
    rest = std::max(rest, w_b.cross(w_b.cross(3 * v - w_b.cross(d))).norm());
  }
  rest = (rest + 0x1p-44 * turn_b * turn_b * (turn_b + 1) * sizes) * (1 + 0x1p-40);
}

double Sliding::View::third_derivative(const HullNode& node, const Vec3& n) const {
  if (per_reach == 0) return rest;
  const Vec3 r = node.centre - centre;
  const bool constant = !axis.isZero(0);
  const double reach = (constant ? along.cross(r).norm() : r.norm()) + node.radius + 2 * error;
  const double part = constant ? n.cross(axis).norm() + 0x1p-40 : 1;
  return (per_reach * part * reach + rest) * (1 + 0x1p-40);
}

Sliding::Sliding(const Model& a, const Motion& motion_a, const Model& b, const Motion& motion_b,
                 double t_max, double kept)
    : from_a_(b, motion_b, a, motion_a, t_max),
      from_b_(a, motion_a, b, motion_b, t_max),
      kept_(kept),
      turn_((motion_a.rotation - motion_b.rotation).norm()) {}

// Let f(t) = n.q(t) - h, where q is a point of a triangle below the moving node and h the largest
// n.x over the polytope of the other node. M bounds the third derivative of f. The parabola Q
// through f at the begin, the middle and the end of the interval, whose length is 2 k, differs from
// f by at most M/6 |(t - t0)(t - t0 - k)(t - t0 - 2 k)| <= M k^3/(9 sqrt(3)) < 0.0642 M k^3.
// q is a convex combination of vertices of the polytope plus a vector of at most the margin, and Q
// depends linearly on the three values. So Q is a convex combination of the parabolas of vertices,
// plus the parabola of the margin and that of the errors e of the values. A parabola through three
// values of at most x in size is at most 1.25 x on the interval. Hence f > kept if the parabola of
// every vertex exceeds
//   l = kept + 1.25 e + 1.25 margin + 0.0642 M k^3 + the margin of the other node.
// With the values f0, f1 and f2 and the Bernstein coefficients c0 = f0 - l, c1 = 2 f1 - (f0 + f2)/2
// - l and c2 = f2 - l, it does if c0 > 0, c2 > 0 and c1 > -sqrt(c0 c2): if c1 < 0, the least value
// has the sign of c0 c2 - c1^2; otherwise no coefficient is negative.
// The middle is off by less than 2^-52, which moves points by less than 2^-52 of speeds that e
// contains. Another quarter of e covers this and the rounding of the sums.
bool Sliding::keeps_apart(Base where, const HullNode& i, const HullNode& j, const Frame& begin,
                          const Frame& middle, const Frame& end) const {
  const bool on_a = where == Base::a;
  const View& view = on_a ? from_a_ : from_b_;
  const HullNode &moving = on_a ? j : i, &resting = on_a ? i : j;
  // The vertices of the mover at the three times, in the coordinates of the base.
  constexpr std::uint32_t times = 3, most = times * HullTree::max_vertices;
  std::array<double, 3 * most> x;
  const std::uint32_t count = moving.stride(), stride = times * count;
  const double* const from = view.mover->coordinates(moving);
  std::uint32_t time = 0;
  for (const Frame* frame : {&begin, &middle, &end}) {
    const Placement &mover = on_a ? frame->b : frame->a, &base = on_a ? frame->a : frame->b;
    const Eigen::Matrix3d back = base.rotation.transpose();
    const Eigen::Matrix3d turn = back * mover.rotation;
    const Vec3 offset = back * (mover.offset - base.offset);
    for (Eigen::Index axis = 0; axis < 3; ++axis) {
      double* const to = &x[static_cast<std::size_t>(axis) * stride + time * count];
      const double tx = turn(axis, 0), ty = turn(axis, 1), tz = turn(axis, 2), o = offset[axis];
      for (std::uint32_t k = 0; k < count; ++k)
        to[k] = tx * from[k] + ty * from[count + k] + tz * from[2 * count + k] + o;
    }
    ++time;
  }
  const PolytopeView swept{x.data(), stride, stride, moving.margin};
  const PolytopeView rest = polytope(*view.base, resting);
  const ConvexDistance closest =
      convex_distance(swept, rest, view.identity, {}, std::numeric_limits<double>::infinity(), 0.1);
  if (closest.normal.isZero(0)) return false;
  const Vec3 n = closest.normal.normalized();
  double highest = -std::numeric_limits<double>::infinity();
  for (std::uint32_t k = 0; k < rest.size; ++k) highest = std::max(highest, n.dot(rest.vertex(k)));
  const double half = 0.5 * (end.t - begin.t);
  const Vec3 world = (on_a ? begin.a : begin.b).rotation * n;
  const double less =
      highest + (1.5 * view.error + kept_ + 1.25 * moving.margin + resting.margin +
                 0.0642 * view.third_derivative(moving, world) * half * half * half) *
                    (1 + 0x1p-40);
  const double *const y = x.data() + stride, *const z = y + stride;
  for (std::uint32_t k = 0; k < count; ++k) {
    const auto at = [&](std::uint32_t l) { return n[0] * x[l] + n[1] * y[l] + n[2] * z[l]; };
    const double f0 = at(k), f1 = at(k + count), f2 = at(k + 2 * count);
    const double c0 = f0 - less, c1 = 2 * f1 - 0.5 * (f0 + f2) - less, c2 = f2 - less;
    if (!(c0 > 0 && c2 > 0)) return false;
    if (!(c1 > 0 || c1 > -std::sqrt(c0) * std::sqrt(c2) * (1 - 0x1p-40))) return false;
  }
  return true;
}

}  // namespace graze::rigid
