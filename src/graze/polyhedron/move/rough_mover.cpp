#include "graze/polyhedron/move/rough_mover.h"

#include <algorithm>
#include <cmath>

#include "graze/core/numeric/strict_arithmetic.h"
#include "graze/core/numeric/unit_roundoff.h"

namespace graze::polyhedron {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double tiny =
    8 * std::numeric_limits<double>::min();  // more than all underflow errors together

// Returns the bound if it is below 2^900, otherwise infinity, also for NaN. Bounds below 2^900
// belong to numbers below 2^960, whose sums, and products with quotients of such numbers, do not
// overflow.
double usable(double err) {
  return err < 0x1p900 ? err : inf;
}

// Computes the positions of the vertices at the pose. Returns a bound of the error of a coordinate.
//
// Without a rotation a coordinate is one sum, off by u of it. Otherwise the entries of the matrix
// are sums of at most three products of parts of a unit quaternion, each part off by less than 4 u,
// so the entries are off by less than 40 u < 2^-47. A coordinate is the sum of three products of
// entries and coordinates of the vertex, and of the translation: off by less than 2^-46 (|x|_1 +
// |p|_1), or by underflow.
double fill(const Model& mover, const Pose& pose, Eigen::Array<double, Eigen::Dynamic, 3>& points) {
  const auto count = static_cast<Eigen::Index>(mover.vertices.size());
  const Eigen::Map<const Eigen::Matrix<double, 3, Eigen::Dynamic>> vertices(
      mover.vertices[0].data(), 3, count);
  points.resize(count, 3);
  const bool unturned = pose.rotation.vec().isZero(0) && pose.rotation.w() == 1;
  if (unturned) {
    for (int k = 0; k < 3; ++k)
      points.col(k) = vertices.row(k).transpose().array() + pose.translation[k];
  } else {
    const Eigen::Vector4d unit = pose.rotation.coeffs().stableNormalized();
    const Eigen::Matrix3d turn = Eigen::Quaterniond(unit).toRotationMatrix();
    for (Eigen::Index i = 0; i < count; ++i)
      points.row(i) = turn * vertices.col(i) + pose.translation;
  }
  const double size = mover.box.lo.cwiseAbs().cwiseMax(mover.box.hi.cwiseAbs()).sum();
  return (unturned ? 0x1p-51 : 0x1p-45) * (size + pose.translation.lpNorm<1>()) + tiny;
}

// Returns a bound of the error of the turn (p - o) x (q - o) of shadows. The computed differences
// have sizes of at most E and D; the points they are made of are off by at most e_err and d_err
// together. Rounding adds u E and u D, so with E' = e_err + u E and D' = d_err + u D each of the
// two products is off by E D' + D E' + E' D'. The rounding of the products and of their difference
// is less than 4.1 u E D; 8 u leave room for one more sum.
double turn_err(double size_e, double e_err, double size_d, double d_err) {
  const double e = e_err + numeric::u * size_e, d = d_err + numeric::u * size_d;
  const double err =
      2 * (size_e * d + size_d * e + e * d) + 8 * numeric::u * size_e * size_d + tiny;
  return usable(err * (1 + 0x1p-40));
}

}  // namespace

RoughMover::RoughMover(const Model& mover, const Path& path, Memory& memory, bool culls)
    : memory_(memory), culls_(culls), motion_({Vec3::Zero(), Vec3::Zero()}, path.way) {
  err_ = fill(mover, path.start, memory.points);
  const Vec3 slack = Vec3::Constant(err_);
  Aabb box{Vec3(memory.points.colwise().minCoeff()) - slack,
           Vec3(memory.points.colwise().maxCoeff()) + slack};
  size_ = usable(box.lo.cwiseAbs().cwiseMax(box.hi.cwiseAbs()).sum());
  if (size_ == inf) {
    err_ = inf;
    box = {Vec3::Constant(-inf), Vec3::Constant(inf)};
  }
  motion_ = BoxMotion(box, path.way);
  way_size_ = path.way.lpNorm<1>();
  moves_ = path.way.cwiseAbs().maxCoeff(&axis_) > 0;
  across_[0] = (axis_ + 1) % 3;
  across_[1] = (axis_ + 2) % 3;
  for (int k = 0; moves_ && k < 2; ++k) slant_[k] = path.way[across_[k]] / path.way[axis_];
}

bool RoughMover::may_touch(const Obstacle& obstacle, std::uint32_t entry, double until) {
  const std::uint32_t f = obstacle.index->tree.box_of(entry);
  if (!meets_moving(motion_, obstacle.model.boxes[f], until)) return false;
  side_count_ = 0;
  side_err_ = edge_err_ = inf;
  if (!plane_is_met(obstacle.index->planes[entry], until) && culls_) return false;
  return !moves_ || shadows_meet(obstacle.model, obstacle.model.facets[f]);
}

// A point on one side of the plane at both ends of its way is there at all times. Heights are off
// by the bound of PlaneBound and by |n|_1 times the error of a coordinate. At the end, another
// PlaneBound, of the way, also covers the product with `until`.
bool RoughMover::plane_is_met(const PlaneBound& plane, double until) {
  const auto& [n, offset, err_per_length, plane_err] = plane;
  const auto& points = memory_.points;
  auto& heights = memory_.heights;
  heights = (n[0] * points.col(0) + n[1] * points.col(1)) + n[2] * points.col(2) - offset;
  slope_ = (n[0] * motion_.way[0] + n[1] * motion_.way[1]) + n[2] * motion_.way[2];
  shift_ = until * slope_;
  start_err_ = (err_per_length * size_ + plane_err + n.lpNorm<1>() * err_) * (1 + 0x1p-40);
  end_err_ = usable(start_err_ + err_per_length * way_size_ + plane_err);
  if (end_err_ == inf) start_err_ = inf;
  const double lowest = heights.minCoeff();
  if (lowest > start_err_ && lowest + shift_ > end_err_) return false;
  const double highest = heights.maxCoeff();
  return !(highest < -start_err_ && highest + shift_ < -end_err_);
}

// A shadow is x_i - x_k w_i / w_k, k being the axis of the largest part of the way w. The quotient,
// of size at most 1, is off by u of itself or by half the smallest denormal. So the shadow is off
// by twice the error of a coordinate, by 3.1 u |x|_1, and by underflow.
static double shadow_error(double err, double size) {
  return usable(2 * err + 4 * numeric::u * size + tiny);
}

void RoughMover::cast_shadows() {
  has_shadows_ = true;
  const auto& points = memory_.points;
  auto& shadows = memory_.shadows;
  shadows.resize(points.rows(), 2);
  for (int k = 0; k < 2; ++k)
    shadows.col(k) = points.col(across_[k]) - points.col(axis_) * slant_[k];
  shadow_lo_ = {shadows.col(0).minCoeff(), shadows.col(1).minCoeff()};
  shadow_hi_ = {shadows.col(0).maxCoeff(), shadows.col(1).maxCoeff()};
  shadow_err_ = shadow_error(err_, size_);
  memory_.sides.resize(points.rows(), static_cast<int>(max_sides));
}

// Compares the boxes of both shadows, then separates them by the lines of the facet's sides. For a
// side from a to b, the turn of a, b and a point x is the distance of x from the line, up to a
// factor. If it is clearly larger (or smaller) for the whole mover than for every corner of the
// facet, the shadows are apart.
bool RoughMover::shadows_meet(const Model& model, const Facet& facet) {
  if (!has_shadows_) cast_shadows();
  auto& corners = memory_.corners;
  corners.clear();
  double size = 0;
  Shadow lo{inf, inf}, hi{-inf, -inf};
  for (const std::uint32_t c : model.corners_of(facet)) {
    const Vec3& x = model.vertices[c];
    size = std::max(size, (std::abs(x[0]) + std::abs(x[1])) + std::abs(x[2]));
    corners.push_back(shadow_of(x));
    lo = {std::min(lo.x, corners.back().x), std::min(lo.y, corners.back().y)};
    hi = {std::max(hi.x, corners.back().x), std::max(hi.y, corners.back().y)};
  }
  const double err = shadow_error(0, size), both = (err + shadow_err_) * (1 + 0x1p-40);
  if (culls_ && (lo.x - shadow_hi_.x > both || shadow_lo_.x - hi.x > both ||
                 lo.y - shadow_hi_.y > both || shadow_lo_.y - hi.y > both))
    return false;
  const double extent = std::max(hi.x - lo.x, hi.y - lo.y);
  const double own_extent = std::max(shadow_hi_.x - shadow_lo_.x, shadow_hi_.y - shadow_lo_.y);
  const double reach = std::max(std::max(hi.x - shadow_lo_.x, shadow_hi_.x - lo.x),
                                std::max(hi.y - shadow_lo_.y, shadow_hi_.y - lo.y));
  side_err_ = turn_err(extent, 2 * err, reach, both);
  edge_err_ = turn_err(own_extent, 2 * shadow_err_, reach, both);
  if (corners.size() == 1) return true;
  const double slack = side_err_ + turn_err(extent, 2 * err, extent, 2 * err);

  const auto x = memory_.shadows.col(0), y = memory_.shadows.col(1);
  side_count_ = std::min(corners.size(), max_sides);
  for (std::size_t e = 0; e < side_count_; ++e) {
    const Shadow &a = corners[e], &b = corners[e + 1 < corners.size() ? e + 1 : 0];
    const double along_x = b.x - a.x, along_y = b.y - a.y;
    double least = 0, most = 0;
    for (const Shadow& c : corners) {
      const double turn = along_x * (c.y - a.y) - along_y * (c.x - a.x);
      least = std::min(least, turn);
      most = std::max(most, turn);
    }
    auto turns = memory_.sides.col(static_cast<Eigen::Index>(e));
    turns = along_x * (y - a.y) - along_y * (x - a.x);
    beyond_hi_[e] = most + slack;
    beyond_lo_[e] = least - slack;
    if (culls_ && (turns.minCoeff() > beyond_hi_[e] || turns.maxCoeff() < beyond_lo_[e]))
      return false;
  }
  return true;
}

std::span<const RoughMover::Code> RoughMover::codes(const Aabb& box) {
  auto& codes = memory_.codes;
  const auto count = static_cast<std::size_t>(memory_.points.rows());
  codes.resize(count);
  Code* const code = codes.data();
  const double* const heights = memory_.heights.data();
  for (std::size_t v = 0; v < count; ++v) {
    const double height = heights[v], end = height + shift_;
    const Code above = height > start_err_ ? 4 : 0, below = height < -start_err_ ? 8 : 0;
    const Code stays_above = end > end_err_ ? above >> 2 : 0;
    const Code stays_below = end < -end_err_ ? below >> 2 : 0;
    code[v] = above | below | stays_above | stays_below;
  }
  const auto include = [&](const double* values, double lo, Code below, double hi, Code above) {
    for (std::size_t v = 0; v < count; ++v)
      code[v] |= (values[v] < lo ? below : 0) | (values[v] > hi ? above : 0);
  };
  for (std::size_t e = 0; e < side_count_; ++e)
    include(memory_.sides.col(static_cast<Eigen::Index>(e)).data(), beyond_lo_[e],
            Code{2} << (10 + 2 * e), beyond_hi_[e], Code{1} << (10 + 2 * e));
  if (!overlap(motion_.box, box)) {
    for (std::size_t v = 0; v < count; ++v) code[v] |= clear_of_box;
    return codes;
  }
  for (int k = 0; k < 3; ++k) {
    const double* const x = memory_.points.col(k).data();
    for (std::size_t v = 0; v < count; ++v)
      code[v] |= (box.lo[k] - x[v] > err_ ? Code{16} << (2 * k) : 0) |
                 (x[v] - box.hi[k] > err_ ? Code{32} << (2 * k) : 0);
  }
  return codes;
}

void RoughMover::shorten(double until) {
  shift_ = until * slope_;
  for (std::size_t v = 0; v < memory_.codes.size(); ++v) {
    Code& code = memory_.codes[v];
    const double end = memory_.heights[static_cast<Eigen::Index>(v)] + shift_;
    if ((code & 4) != 0 && end > end_err_) code |= 1;
    if ((code & 8) != 0 && end < -end_err_) code |= 2;
  }
}

namespace {

// Returns the zero of a linear value that is `start` at time 0 and `end` at time 1, within the
// errors.
Filtered zero_between(double start, double start_err, double end, double end_err) {
  const int from = start > start_err ? 1 : start < -start_err ? -1 : 0;
  const int to = end > end_err ? 1 : end < -end_err ? -1 : 0;
  if (from == 0 || to == 0) return {Filtered::unclear, {}};
  if (from == to) return {Filtered::apart, {}};
  return {Filtered::touching,
          zero_of({start - start_err, start + start_err}, {end - end_err, end + end_err})};
}

}  // namespace

// A vertex whose shadow is in the shadow of the facet touches the facet when it reaches its plane.
Filtered RoughMover::vertex_on_facet(std::uint32_t v) const {
  if (side_count_ != memory_.corners.size()) return {Filtered::unclear, {}};
  std::size_t left = 0, right = 0;
  for (std::size_t e = 0; e < side_count_; ++e) {
    const double turn = memory_.sides(v, static_cast<Eigen::Index>(e));
    left += turn > side_err_;
    right += turn < -side_err_;
  }
  if (left > 0 && right > 0) return {Filtered::apart, {}};
  if (left + right < side_count_) return {Filtered::unclear, {}};
  const double start = memory_.heights[v];
  return zero_between(start, start_err_, start + slope_, end_err_);
}

// Let n = e x d be the normal of two features and g the vector from a point of the world to a point
// of the mover. The value n.g changes linearly to n.(g + way). e and d are differences of points,
// off by e_err and d_err and by their rounding, so the parts of n are off by turn_err; g is off by
// the error of a coordinate and by u of itself. Each of the three products of numbers of sizes N, G
// and errors N', G' is off by N G' + G N' + N' G'. The rounding of the products and sums, including
// the sum of both values, is less than 16 u N G.
Filtered RoughMover::meeting(const Vec3& e, double e_err, const Vec3& d, double d_err,
                             const Vec3& g) const {
  const Vec3 n = e.cross(d);
  const double n_size = n.lpNorm<Eigen::Infinity>(), g_size = g.lpNorm<Eigen::Infinity>();
  const double n_err =
      turn_err(e.lpNorm<Eigen::Infinity>(), e_err, d.lpNorm<Eigen::Infinity>(), d_err);
  const double g_err = err_ + numeric::u * g_size;
  const double start_err = usable((3 * (n_size * g_err + g_size * n_err + n_err * g_err) +
                                   16 * numeric::u * n_size * g_size + tiny) *
                                  (1 + 0x1p-40));
  const double end_err =
      usable((start_err + 3 * way_size_ * n_err + 16 * numeric::u * n_size * way_size_ + tiny) *
             (1 + 0x1p-40));
  const double start = n.dot(g), end = start + n.dot(motion_.way);
  return zero_between(start, start_err, end, end_err);
}

Filtered RoughMover::facet_on_vertex(const Model& mover, const Facet& own, std::size_t corner,
                                     const Vec3& x) const {
  const auto ring = mover.corners_of(own);
  int sign = 0;
  bool clear = true;
  std::uint32_t before = ring.back();
  for (const std::uint32_t next : ring) {
    const int side = side_of(before, next, corner);
    if (side == 0) clear = false;
    if (side != 0 && side == -sign) return {Filtered::apart, {}};
    if (side != 0) sign = side;
    before = next;
  }
  if (!clear) return {Filtered::unclear, {}};
  const Vec3 a = point(own.plane[0]);
  return meeting(point(own.plane[1]) - a, 2 * err_, point(own.plane[2]) - a, 2 * err_, a - x);
}

Filtered RoughMover::edge_on_edge(const ModelEdge& edge, std::size_t side, const Vec3& x,
                                  const Vec3& y) const {
  if (side >= side_count_) return {Filtered::unclear, {}};
  const auto turns = memory_.sides.col(static_cast<Eigen::Index>(side));
  const auto sign = [&](double turn) { return turn > side_err_ ? 1 : turn < -side_err_ ? -1 : 0; };
  const int of_a = sign(turns[edge.a]), of_b = sign(turns[edge.b]);
  if (of_a != 0 && of_a == of_b) return {Filtered::apart, {}};
  const std::size_t next = side + 1 < memory_.corners.size() ? side + 1 : 0;
  const int of_x = side_of(edge.a, edge.b, side), of_y = side_of(edge.a, edge.b, next);
  if (of_x != 0 && of_x == of_y) return {Filtered::apart, {}};
  if (of_a == 0 || of_b == 0 || of_x == 0 || of_y == 0) return {Filtered::unclear, {}};
  const Vec3 a = point(edge.a);
  return meeting(point(edge.b) - a, 2 * err_, y - x, 0, a - x);
}

}  // namespace graze::polyhedron
