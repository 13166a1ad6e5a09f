#include "graze/polyhedron/turn/rough_turn.h"

#include <algorithm>
#include <cmath>

#include "graze/core/numeric/strict_arithmetic.h"
#include "graze/core/numeric/unit_roundoff.h"

namespace graze::polyhedron {
namespace {

constexpr double turn_inf = std::numeric_limits<double>::infinity();
constexpr double turn_tiny = 8 * std::numeric_limits<double>::min();
// A part turns by at most this angle, so that its middle points are near the arc.
constexpr double most_per_part = 0.4;  // radians
constexpr std::size_t most_parts = 8;

double usable_err(double err) {
  return err < 0x1p900 ? err : turn_inf;
}

// The symmetric bilinear form whose value at (q, q) is |q|^2 R(q), as in Kinematics.
Eigen::Matrix3d turn_matrix(const Eigen::Vector4d& p, const Eigen::Vector4d& q) {
  const auto square = [&](int i) { return p[i] * q[i]; };
  const auto mixed = [&](int i, int j) { return p[i] * q[j] + p[j] * q[i]; };
  const double xx = square(0), yy = square(1), zz = square(2), ww = square(3);
  const double xy = mixed(0, 1), xz = mixed(0, 2), yz = mixed(1, 2);
  const double wx = mixed(3, 0), wy = mixed(3, 1), wz = mixed(3, 2);
  Eigen::Matrix3d m;
  m << (ww + xx) - (yy + zz), xy - wz, xz + wy,  //
      xy + wz, (ww + yy) - (xx + zz), yz - wx,   //
      xz - wy, yz + wx, (ww + zz) - (xx + yy);
  return m;
}

}  // namespace

RoughTurn::RoughTurn(const Model& mover, const Path& path, Memory& memory)
    : mover_(mover), path_(path), memory_(memory) {
  memory_.points.resize(3 * static_cast<Eigen::Index>(mover.vertices.size()), 3);
  memory_.values.resize(memory_.points.rows());
  const auto count = static_cast<Eigen::Index>(mover.vertices.size());
  memory_.arms.resize(count, 3);
  for (Eigen::Index i = 0; i < count; ++i)
    memory_.arms.row(i) = mover.vertices[static_cast<std::size_t>(i)] - path.pivot;
  memory_.lo.resize(count, 3);
  memory_.hi.resize(count, 3);
  memory_.first.resize(count, 1 + static_cast<int>(max_sides));
  memory_.greatest.resize(count, 1 + static_cast<int>(max_sides));
  memory_.least_height.resize(count);
  memory_.codes.resize(mover.vertices.size());
  const double half =
      path.begin.coeffs().stableNormalized().dot(path.end.coeffs().stableNormalized());
  const double angle = 2 * std::acos(std::clamp(half, 0.0, 1.0));  // chooses parts, proves nothing
  // Parts are cut by the parameter of the path, which is even only if both quaternions have about
  // the same length.
  const double ratio = path.begin.norm() / path.end.norm();
  if (ratio > 0.5 && ratio < 2)
    parts_ = static_cast<std::size_t>(
        std::clamp(std::ceil(angle / most_per_part), 1.0, double(most_parts)));
  const Eigen::Matrix3d still =
      Eigen::Quaterniond(Eigen::Vector4d(path.start.rotation.coeffs().stableNormalized()))
          .toRotationMatrix();
  centre_ = still * path.pivot + path.start.translation;
}

// With q(f) = (1-f) begin + f end, points at the ends a and b of a part, and the form M of
// turn_matrix, a vertex x with r = x - pivot is at
//   c + (B0 M(a,a) r + 2 B1 M(a,b) r + B2 M(b,b) r) / (B0 a.a + 2 B1 a.b + B2 b.b),
// B0 = (1-s)^2, B1 = s (1-s), B2 = s^2: a mean, with weights that are not negative, of the three
// points c + M(a,a) r / a.a, c + M(a,b) r / a.b and c + M(b,b) r / b.b. (a.b > 0 since begin.end >
// 0.) Lengths of a and b change the weights alone.
//
// Errors, for unit a and b: each is a sum of two products, normalized, and off by less than 16 u in
// each part (the angle between begin and end being at most half a turn, the sum is no shorter than
// half of the longer term, or a.b below is not above 0.7). An entry of M is a sum of at most four
// products: off by less than 4 * 33 u + 6 u < 2^-45 in all. a.b is off by less than 2^-46 likewise,
// and above 0.7; a quotient by less than 2^-43. A coordinate is c and a sum of three products of
// these and parts of r, off by 2^-43 |r|_1, 4 u |r|_1 and u |c|; c is off by 2^-45 (|pivot|_1 +
// |p|_1), as in rough_mover.cpp. So 2^-41 (|x|_1 + |pivot|_1 + |p|_1) covers all.
void RoughTurn::enter(double from, double until) {
  const auto at = [&](double f) -> Eigen::Vector4d {
    return ((1 - f) * path_.begin.coeffs() + f * path_.end.coeffs()).stableNormalized();
  };
  const Eigen::Vector4d a = at(from), b = at(until);
  const double weight = a.dot(b);
  const std::array<Eigen::Matrix3d, 3> turns = {turn_matrix(a, a), turn_matrix(a, b) / weight,
                                                turn_matrix(b, b)};
  const Eigen::Index count = vertices();
  const auto& arms = memory_.arms;
  for (int k = 0; k < 3; ++k) {
    const Eigen::Matrix3d& m = turns[static_cast<std::size_t>(k)];
    for (int i = 0; i < 3; ++i)
      memory_.points.col(i).segment(k * count, count) =
          ((m(i, 0) * arms.col(0) + m(i, 1) * arms.col(1)) + m(i, 2) * arms.col(2)) + centre_[i];
  }
  const auto all = memory_.points.topRows(count), middle = memory_.points.middleRows(count, count),
             last = memory_.points.bottomRows(count);
  memory_.lo = all.min(middle).min(last);
  memory_.hi = all.max(middle).max(last);
  const double size = mover_.box.lo.cwiseAbs().cwiseMax(mover_.box.hi.cwiseAbs()).sum();
  err_ = weight > 0.7
             ? 0x1p-41 * (size + path_.pivot.lpNorm<1>() + path_.start.translation.lpNorm<1>()) +
                   turn_tiny
             : turn_inf;
  const Vec3 slack = Vec3::Constant(err_);
  box_ = {Vec3(memory_.lo.colwise().minCoeff()) - slack,
          Vec3(memory_.hi.colwise().maxCoeff()) + slack};
  size_ = usable_err(box_.lo.cwiseAbs().cwiseMax(box_.hi.cwiseAbs()).sum());
  if (!(size_ < turn_inf)) {  // also NaN
    err_ = size_ = turn_inf;
    box_ = {Vec3::Constant(-turn_inf), Vec3::Constant(turn_inf)};
  }
  box_centre_ = box_.lo / 2 + box_.hi / 2;
  box_half_ = box_.hi / 2 - box_.lo / 2;
}

// With the rounded centre c and half extents h, a point x of the box is within h (1 + 2u) + u |c|
// of c in each coordinate. With N, K the exact plane and n, k, e, e' the numbers of PlaneBound, the
// computed n.c - k is off by e |c|_1 + e'; and |N.(x - c)| exceeds the computed sum of |n_i| h_i by
// less than 3 e s, s being the size of a point of the box: e is at least the error of a part of n
// plus 8 u times the largest part, and the sum, its rounding included, is off by less than 4 u of
// itself. A box without bounds has a NaN centre and is never left out.
bool RoughTurn::box_meets(const PlaneBound& plane) const {
  const auto& [n, offset, err_per_length, plane_err] = plane;
  const double height =
      (n[0] * box_centre_[0] + n[1] * box_centre_[1]) + n[2] * box_centre_[2] - offset;
  const double reach = (std::abs(n[0]) * box_half_[0] + std::abs(n[1]) * box_half_[1]) +
                       std::abs(n[2]) * box_half_[2];
  return !(std::abs(height) - reach > 4 * (err_per_length * size_ + plane_err));
}

// Products of three parts are off by 3 u of the sum of their sizes, those of the mover also by the
// error of a coordinate; the difference of both by u of them.
double RoughTurn::product_err(const Vec3& axis, double size) const {
  const double length = axis.lpNorm<1>();
  return usable_err((length * (err_ + 8 * numeric::u * (size_ + size)) + turn_tiny) *
                    (1 + 0x1p-40));
}

void RoughTurn::project(const Vec3& axis) {
  const auto& points = memory_.points;
  memory_.values = (axis[0] * points.col(0) + axis[1] * points.col(1)) + axis[2] * points.col(2);
}

void RoughTurn::keep_values(Eigen::Index column) {
  const Eigen::Index count = vertices();
  const auto& values = memory_.values;
  memory_.first.col(column) = values.head(count);
  memory_.greatest.col(column) =
      values.head(count).max(values.segment(count, count)).max(values.tail(count));
}

bool RoughTurn::may_touch(const Obstacle& obstacle, std::uint32_t entry) {
  const Model& world = obstacle.model;
  const std::uint32_t f = obstacle.index->tree.box_of(entry);
  const auto& [n, offset, err_per_length, plane_err] = obstacle.index->planes[entry];
  project(n);
  memory_.values -= offset;
  // Heights are off by the bound of PlaneBound and by |n|_1 times the error of a coordinate.
  height_err_ =
      usable_err((err_per_length * size_ + plane_err + n.lpNorm<1>() * err_) * (1 + 0x1p-40));
  if (memory_.values.minCoeff() > height_err_ || memory_.values.maxCoeff() < -height_err_)
    return false;
  keep_values(0);
  const Eigen::Index count = vertices();
  memory_.least_height = memory_.values.head(count)
                             .min(memory_.values.segment(count, count))
                             .min(memory_.values.tail(count));

  // Every axis gives a valid test: no point of the facet has a product below the least one of its
  // corners.
  const auto corners = world.corners_of(world.facets[f]);
  const double size = world.boxes[f].lo.cwiseAbs().cwiseMax(world.boxes[f].hi.cwiseAbs()).sum();
  side_count_ = corners.size() < 3 ? 0 : std::min(corners.size(), max_sides);
  for (std::size_t e = 0; e < side_count_; ++e) {
    const Vec3 &a = world.vertices[corners[e]],
               &b = world.vertices[corners[e + 1 < corners.size() ? e + 1 : 0]];
    const Vec3 axis = n.cross(b - a);
    double least = turn_inf;
    for (const std::uint32_t c : corners)
      least = std::min(least, (axis[0] * world.vertices[c][0] + axis[1] * world.vertices[c][1]) +
                                  axis[2] * world.vertices[c][2]);
    project(axis);
    beyond_[e] = least - product_err(axis, size);
    if (memory_.values.maxCoeff() < beyond_[e]) return false;
    keep_values(static_cast<Eigen::Index>(1 + e));
  }
  return true;
}

void RoughTurn::set_codes(const Aabb& box) {
  const auto count = static_cast<std::size_t>(vertices());
  Code* const code = memory_.codes.data();
  std::fill(code, code + count, Code{0});
  // Sets the bit of the points that exceed `at` at all times, and of those that do at the start.
  const auto mark = [&](const double* least, const double* first, double at, Code bit) {
    for (std::size_t v = 0; v < count; ++v)
      code[v] |= (least[v] > at ? bit : 0) | (first[v] > at ? bit << 32 : 0);
  };
  const auto mark_below = [&](const double* greatest, const double* first, double at, Code bit) {
    for (std::size_t v = 0; v < count; ++v)
      code[v] |= (greatest[v] < at ? bit : 0) | (first[v] < at ? bit << 32 : 0);
  };
  mark(memory_.least_height.data(), memory_.first.data(), height_err_, 1);
  mark_below(memory_.greatest.data(), memory_.first.data(), -height_err_, 2);
  for (int k = 0; k < 3; ++k) {
    const double* const first = memory_.points.col(k).data();
    mark(memory_.lo.col(k).data(), first, box.hi[k] + err_, Code{4} << (2 * k));
    mark_below(memory_.hi.col(k).data(), first, box.lo[k] - err_, Code{8} << (2 * k));
  }
  for (std::size_t e = 0; e < side_count_; ++e) {
    const auto column = static_cast<Eigen::Index>(1 + e);
    mark_below(memory_.greatest.col(column).data(), memory_.first.col(column).data(), beyond_[e],
               Code{1} << (8 + e));
  }
}

Aabb RoughTurn::box_of(std::span<const std::uint32_t> corners) const {
  Aabb box{Vec3::Constant(turn_inf), Vec3::Constant(-turn_inf)};
  for (const std::uint32_t v : corners) {
    box.lo = box.lo.cwiseMin(Vec3(memory_.lo.row(v).matrix()));
    box.hi = box.hi.cwiseMax(Vec3(memory_.hi.row(v).matrix()));
  }
  return {box.lo - Vec3::Constant(err_), box.hi + Vec3::Constant(err_)};
}

bool RoughTurn::parts_along(const Vec3& axis, std::span<const std::uint32_t> corners, const Vec3& x,
                            const Vec3& y) const {
  const double err = product_err(axis, std::max(x.lpNorm<1>(), y.lpNorm<1>()));
  const double of_x = axis.dot(x), of_y = axis.dot(y);
  const double least = std::min(of_x, of_y), most = std::max(of_x, of_y);
  bool above = true, below = true;
  for (const std::uint32_t v : corners)
    for (Eigen::Index k = 0; k < 3; ++k) {
      const double value = axis.dot(
          Vec3(memory_.points.row(k * vertices() + static_cast<Eigen::Index>(v)).matrix()));
      above = above && value - most > err;
      below = below && least - value > err;
    }
  return above || below;
}

bool RoughTurn::may_reach(std::span<const std::uint32_t> corners, const Facet& own,
                          const Vec3& x) const {
  const Vec3 a = middle(own.plane[0]);
  const Vec3 normal = (middle(own.plane[1]) - a).cross(middle(own.plane[2]) - a);
  return !parts_along(normal, corners, x, x);
}

bool RoughTurn::may_cross(const ModelEdge& edge, const Vec3& x, const Vec3& y) const {
  const std::array<std::uint32_t, 2> ends = {edge.a, edge.b};
  const Vec3 along = middle(edge.b) - middle(edge.a);
  return !parts_along(along.cross(y - x), ends, x, y);
}

}  // namespace graze::polyhedron
