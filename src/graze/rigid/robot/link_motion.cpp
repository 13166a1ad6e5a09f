#include "graze/rigid/robot/link_motion.h"

#include <Eigen/Geometry>
#include <cmath>

#include "graze/core/numeric/strict_arithmetic.h"
#include "graze/core/numeric/unit_roundoff.h"
#include "graze/rigid/model/model.h"

namespace graze::rigid {

using numeric::u;

// k = rint(2 q/pi) is below 2^21. pi/2 = p1 + p2 + p3, where p1 and p2 have 31 bits, so k p1 and k
// p2 are exact. q - k p1 is exact: for k != 0 the two differ by a factor of at most 2. The next
// difference is below 1 and has an error of u; k p3, below 2^21 2^-62, adds less than u. So r, |r|
// <= pi/4 (1 + 2^-20), has an error below 2.1u. The series are cut at r^19 and r^20, with
// remainders below 2^-60; Horner's scheme on terms that fall by r^2/6 or faster loses less than 2u.
// Together less than 8u.
SinCos sin_cos(double q) {
  constexpr double p1 = 0x1.921fb544p+0, p2 = 0x1.0b4611a6p-34, p3 = 0x1.3198a2e037073p-69;
  const double k = std::nearbyint(q * 0.63661977236758134308);
  const double r = ((q - k * p1) - k * p2) - k * p3;
  const double x = r * r;
  double sine = 0, cosine = 0;
  constexpr double odd[] = {1. / 6,   1. / 20,  1. / 42,  1. / 72,
                            1. / 110, 1. / 156, 1. / 210, 1. / 272};
  constexpr double even[] = {1. / 2,   1. / 12,  1. / 30,  1. / 56, 1. / 90,
                             1. / 132, 1. / 182, 1. / 240, 1. / 306};
  for (int i = 7; i >= 0; --i) sine = (1 - sine) * (x * odd[i]);
  for (int i = 8; i >= 0; --i) cosine = (1 - cosine) * (x * even[i]);
  sine = r - r * sine;
  cosine = 1 - cosine;
  switch (static_cast<int>(static_cast<long long>(k) & 3)) {
    case 0:
      return {sine, cosine};
    case 1:
      return {cosine, -sine};
    case 2:
      return {-sine, -cosine};
    default:
      return {-cosine, sine};
  }
}

// The errors of computed placements along a route of n joints.
//
// The coordinate q of a joint, by Horner's scheme on a polynomial of degree d <= 5, has an error of
// at most e_q = 16u sum |c_k|. The rotation of a joint is along + c across + s turn: products of
// three matrices with entries <= 1 have entries with errors below 8u each, so 24u in the norm, and
// three of them 72u; c and s err by 8u and their matrices have norms <= 1.5, which adds 24u; the
// sums add 27u. So a rotation errs by less than 128u + e_q, and a product with the rotation before
// by 12u more. The errors add up: the rotation of the route errs by n (140u) + sum e_q at most, and
// products of such small numbers are below 2^-30 of it. An offset of length l, prismatic parts
// included, adds its length times that, plus 16u (l + the sum of the lengths before). With L, the
// sum of all lengths and of the distance of the points from the last frame, all errors of positions
// are below ((n + 1) 160u + sum e_q) L, plus e_q of prismatic joints. Frames that are rotations
// only up to 2^-50 enlarge each length by less than 2^-40. A dot product of a computed position
// with n, |n| <= 2, in any order adds 2 * 8u L. The constant 256u covers all.
LinkMotion::LinkMotion(const PathChecker::Scene& scene, PieceCurves curves)
    : scene_(scene), curves_(std::move(curves)) {
  const Mechanism& mechanism = scene.mechanism;
  for (std::uint32_t i = 0; i < scene.moving; ++i) {
    const Limb& limb = scene.limbs[i];
    double length = std::sqrt(3.0) * mechanism.shapes[limb.shape].body.model().tree.reach();
    double turns = 0, slides = 0, joints = 1;
    for (std::uint32_t r = limb.route; scene.routes[r].up != r; r = scene.routes[r].up) {
      const MovingFrame& frame = mechanism.frames[scene.routes[r].frame];
      double sum = 0;
      for (const double c : curves_.of(scene.routes[r].frame)) sum += std::abs(c);
      length += frame.origin.offset.norm() + (frame.revolute ? 0 : sum);
      (frame.revolute ? turns : slides) += 16 * u * sum;
      joints += 1;
    }
    errors_.push_back((((joints + 1) * 256 * u + turns) * length + slides) * (1 + 0x1p-30));
  }
}

double still_error(double reach) {
  return 2 * 256 * u * std::sqrt(3.0) * reach * (1 + 0x1p-30);
}

Placement LinkMotion::step_at(std::uint32_t f, double s) const {
  const MovingFrame& frame = scene_.mechanism.frames[f];
  const auto c = curves_.of(f);
  double q = 0;
  for (std::size_t k = c.size(); k-- > 0;) q = q * s + c[k];
  if (!frame.revolute)
    return {frame.origin.rotation, frame.origin.offset + frame.origin.rotation * (q * frame.axis)};
  const SinCos at = sin_cos(q);
  const auto& turn = scene_.turns[f];
  return {turn.along + at.cos * turn.across + at.sin * turn.turn, frame.origin.offset};
}

Placement LinkMotion::frame_at(std::uint32_t frame, double s) const {
  Placement at{Eigen::Matrix3d::Identity(), Vec3::Zero()};
  for (; frame != 0; frame = scene_.mechanism.frames[frame].parent) {
    const Placement step = step_at(frame, s);
    at = {step.rotation * at.rotation, step.rotation * at.offset + step.offset};
  }
  return at;
}

void LinkMotion::begin(double s, PathSample& to) const {
  to.s = s;
  to.routes.resize(scene_.routes.size());
  to.steps.resize(scene_.mechanism.frames.size());
  to.route_known.assign(to.routes.size(), 0);
  to.step_known.assign(to.steps.size(), 0);
}

const Placement& LinkMotion::route(PathSample& at, std::uint32_t r) const {
  Placement& to = at.routes[r];
  if (at.route_known[r] != 0) return to;
  const Route& from = scene_.routes[r];
  if (from.up == r) {
    to = {Eigen::Matrix3d::Identity(), Vec3::Zero()};
  } else {
    Placement& step = at.steps[from.frame];
    if (at.step_known[from.frame] == 0) step = step_at(from.frame, at.s);
    at.step_known[from.frame] = 1;
    const Placement& up = route(at, from.up);
    to.rotation.noalias() = up.rotation * step.rotation;
    to.offset = up.rotation * step.offset + up.offset;
  }
  at.route_known[r] = 1;
  return to;
}

// The bound. Let p be a point of a limb, seen from its base, and let joints 1 .. n lead from the
// base to it, with coordinates q_k, axes a_k (of length 1, in the coordinates of the base) and
// points o_k of the axes. For a revolute joint, dp/dq_k = a_k x (p - o_k), of length r_k, the
// distance of p from axis k. For a prismatic one dp/dq_k = a_k, of length 1; set r_k = 1. Moving an
// earlier joint j < k turns or shifts both a_k and p - o_k rigidly, so d2p/(dq_j dq_k) = a_j x
// dp/dq_k if j is revolute and 0 if it is prismatic; and d2p/dq_k^2 = a_k x dp/dq_k, 0 if
// prismatic. Hence
//   |p'|  <= sum_k |q_k'| r_k,
//   |p''| <= sum_k r_k (|q_k''| + |q_k'| (w_k + 2 sum_{j<k} w_j)),
// where w_j = |q_j'| for revolute joints and 0 for prismatic ones.
// r_k changes with time only by the joints after k, which move p against axis k by at most d_k =
// sum_{l>k} h_l r_l, where h_l bounds the change of q_l since s0. So r_k <= (its value at s0) +
// d_k, from the last joint to the first. At s0, r_k is at most the distance of the centre of the
// ball from the axis, plus the radius; the computed placements err by error(). The factor 1 + 2^-40
// covers rounding and frames that are rotations only up to 2^-50.
// |q'| and |q''| on [s0, s1] are bounded by Taylor's formula at the middle: the derivatives there
// and the absolute values of the higher ones.
LinkMotion::Rate LinkMotion::rate(std::uint32_t frame, double s0, double s1) const {
  const auto c = curves_.of(frame);
  if (c.size() == 2) return {std::abs(c[1]) * (1 + 0x1p-45), 0};
  // Taylor coefficients at the middle, by repeated synthetic division. `sum` bounds rounding.
  const double width = (s1 - s0) * (1 + 0x1p-40), middle = s0 + 0.5 * (s1 - s0);
  std::array<double, 6> b{};
  double sum = 0;
  for (std::size_t k = 0; k < c.size(); ++k) {
    b[k] = c[k];
    sum += std::abs(c[k]);
  }
  for (std::size_t i = 0; i + 1 < c.size(); ++i)
    for (std::size_t k = c.size() - 1; k-- > i;) b[k] += middle * b[k + 1];
  double speed = 0, acceleration = 0, power = 1;
  for (std::size_t k = 1; k < c.size(); ++k) {
    const double n = static_cast<double>(k);
    speed += n * std::abs(b[k]) * power;
    if (k + 1 < c.size()) acceleration += (n + 1) * n * std::abs(b[k + 1]) * power;
    power *= 0.5 * width;
  }
  // Synthetic division at |middle| <= 1 errs by less than 2^6 u times the sum of the binomial
  // multiples of the coefficients, 2^5 sum; the factors k (k + 1) are below 32.
  return {speed * (1 + 0x1p-40) + 0x1p-36 * sum, acceleration * (1 + 0x1p-40) + 0x1p-36 * sum};
}

LimbBound LinkMotion::bound(PathSample& at, double s1, std::uint32_t i) const {
  if (i >= scene_.moving) return {};
  const auto& frames = scene_.mechanism.frames;
  const double width = (s1 - at.s) * (1 + 0x1p-40);
  const Limb& limb = scene_.limbs[i];
  const Vec3 p = centre(at, i);
  const double ball = limb.radius + errors_[i] * 2;
  double speed = 0, sum = 0, drift = 0, later = 0;
  // `later` is the sum over the joints after this one of r_k |q_k'|, by which w_j enters twice.
  for (std::uint32_t r = limb.route; scene_.routes[r].up != r; r = scene_.routes[r].up) {
    const std::uint32_t f = scene_.routes[r].frame;
    const Rate moves = rate(f, at.s, s1);
    double reach = 1;
    if (frames[f].revolute) {
      const Placement& frame = route(at, r);
      const Vec3 axis = frame.rotation * frames[f].axis;
      reach = axis.cross(p - frame.offset).norm() + ball + drift;
    }
    speed += reach * moves.speed;
    const double turn = frames[f].revolute ? moves.speed : 0;
    sum += reach * (moves.acceleration + moves.speed * turn) + 2 * turn * later;
    later += reach * moves.speed;
    drift += reach * moves.speed * width;
  }
  return {sum * (1 + 0x1p-40), speed * (1 + 0x1p-40)};
}

}  // namespace graze::rigid
