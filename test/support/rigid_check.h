#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <unordered_map>
#include <vector>

#include "graze/core/numeric/strict_arithmetic.h"
#include "graze/exact/interval.h"
#include "graze/mesh.h"
#include "graze/rigid/motion.h"
#include "test/support/triangle_gap.h"

namespace graze::test {

// A pose in doubles. The exact position of every vertex x lies within `err` of linear x + offset.
struct CheckedPose {
  Eigen::Matrix3d linear;
  Vec3 offset;
  double err = 0;

  Vec3 operator()(const Vec3& x) const { return linear * x + offset; }
};

namespace rigid_check {

using exact::Interval;
using exact::IntervalVector;
using Quaternion = std::array<Interval, 4>;

// Returns x / y, y > 0. Like a product, a quotient has an error of half a unit in the last place.
inline Interval over(const Interval& x, const Interval& y) {
  const double a = x.lo / y.lo, b = x.lo / y.hi, c = x.hi / y.lo, d = x.hi / y.hi;
  return exact::widened(std::min(std::min(a, b), std::min(c, d)),
                        std::max(std::max(a, b), std::max(c, d)));
}

// Returns cos x (first = 1) or sin(x)/x (first = 2) for x^2 = s in [0, 16], by their series. The
// terms decrease from s^2/4! on, so the remainder is below the first omitted term, 16^24/48! <
// 1e-32.
inline Interval series(const Interval& s, int first) {
  Interval sum = 1;
  for (int k = 46; k >= 0; k -= 2)
    sum = Interval(1) - over(s * sum, Interval((first + k) * (first + k + 1.0)));
  return sum + Interval(-1e-30, 1e-30);
}

inline Quaternion product(const Quaternion& p, const Quaternion& q) {
  return {p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
          p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
          p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
          p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]};
}

using IntervalMatrix = std::array<IntervalVector, 3>;

inline IntervalMatrix matrix_of(const Quaternion& q) {
  const auto& [w, x, y, z] = q;
  const Interval n = w * w + x * x + y * y + z * z, two = 2;
  const IntervalMatrix numerators = {
      {{w * w + x * x - y * y - z * z, two * (x * y - w * z), two * (x * z + w * y)},
       {two * (x * y + w * z), w * w - x * x + y * y - z * z, two * (y * z - w * x)},
       {two * (x * z - w * y), two * (y * z + w * x), w * w - x * x - y * y + z * z}}};
  IntervalMatrix result;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) result[i][j] = over(numerators[i][j], n);
  return result;
}

// Returns the pose at t for vertices at most `reach` from the origin of the body. t is exact.
inline CheckedPose pose_at(const rigid::Motion& motion, double t, double reach) {
  // t rotation / 2, halved until the series is valid for it.
  Vec3 half = motion.rotation / 2;
  int halvings = 0;
  while (std::abs(t) * half.norm() > 3.9) half /= 2, ++halvings;
  IntervalVector w;
  for (int k = 0; k < 3; ++k) w[std::size_t(k)] = Interval(t) * Interval(half[k]);
  const Interval s = exact::dot(w, w), square(std::max(s.lo, 0.0), s.hi);
  const Interval sinc = series(square, 2);
  Quaternion turn = {series(square, 1), w[0] * sinc, w[1] * sinc, w[2] * sinc};
  for (; halvings > 0; --halvings) turn = product(turn, turn);
  const Eigen::Quaterniond& q = motion.start.rotation;
  const IntervalMatrix turned = matrix_of(turn),
                       whole = matrix_of(product(turn, {q.w(), q.x(), q.y(), q.z()}));

  CheckedPose pose;
  double width = 0, entry_width = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    Interval offset =
        Interval(motion.centre[int(i)]) + Interval(t) * Interval(motion.velocity[int(i)]);
    for (std::size_t j = 0; j < 3; ++j) {
      offset = offset + turned[i][j] * (Interval(motion.start.translation[int(j)]) -
                                        Interval(motion.centre[int(j)]));
      const Interval& entry = whole[i][j];
      pose.linear(int(i), int(j)) = std::midpoint(entry.lo, entry.hi);
      entry_width = std::max(entry_width, entry.width());
    }
    pose.offset[int(i)] = std::midpoint(offset.lo, offset.hi);
    width = std::max(width, offset.width());
  }
  // Half of each width, 3 entries per coordinate, and a factor sqrt(3) for the length. The
  // evaluation in doubles rounds 6 times.
  pose.err = width + 3 * entry_width * reach +
             64 * 0x1p-53 * (reach + pose.offset.lpNorm<Eigen::Infinity>());
  return pose;
}

}  // namespace rigid_check

// An independent check of rigid motion. It shares only the definition of Motion with graze/rigid
// and evaluates that definition itself. It encloses poses in intervals, bounds the speed of balls,
// measures the distance of triangles, and bisects time if that does not decide. Slow, simple,
// rigorous.
class RigidCheck {
 public:
  RigidCheck(std::span<const Vec3> vertices_a, std::span<const Face> faces_a,
             const rigid::Motion& motion_a, std::span<const Vec3> vertices_b,
             std::span<const Face> faces_b, const rigid::Motion& motion_b)
      : bodies_{Body(vertices_a, faces_a, motion_a), Body(vertices_b, faces_b, motion_b)},
        relative_speed_((motion_a.velocity - motion_b.velocity).norm() * (1 + 1e-12)) {}

  // Returns a time up to which no contact is proven: t_max if that holds for all of [0, t_max].
  // Stops at pieces of time no longer than `resolution`. Returns 0 after `budget` steps.
  double free_until(double t_max, double resolution = 1e-12, std::uint64_t budget = 20'000'000) {
    resolution_ = resolution;
    budget_ = budget;
    free_until_ = t_max;
    if (!bodies_[0].nodes.empty() && !bodies_[1].nodes.empty()) prove(0, 0, 0, t_max);
    return budget_ > 0 ? free_until_ : 0;
  }

  // Returns an upper bound on the distance of the surfaces at t.
  double distance_hi(double t) {
    best_ = std::numeric_limits<double>::infinity();
    if (!bodies_[0].nodes.empty() && !bodies_[1].nodes.empty()) descend(0, 0, poses(t));
    return best_;
  }

 private:
  struct Node {
    Vec3 centre;
    double radius, reach;  // reach: the largest distance of the ball from the centre of rotation
    std::uint32_t first = 0, second = 0;  // children; for a leaf: second is 0 and first the face
    bool leaf() const { return second == 0; }
  };

  struct Body {
    std::vector<Vec3> vertices;
    std::vector<Face> faces;
    rigid::Motion motion;
    std::vector<Node> nodes;
    double extent = 0, turning;

    Body(std::span<const Vec3> vertices_, std::span<const Face> faces_,
         const rigid::Motion& motion_)
        : vertices(vertices_.begin(), vertices_.end()),
          faces(faces_.begin(), faces_.end()),
          motion(motion_),
          turning(motion_.rotation.norm() * (1 + 1e-12)) {
      for (const Vec3& vertex : vertices) extent = std::max(extent, vertex.norm());
      std::vector<std::uint32_t> order(faces.size());
      std::iota(order.begin(), order.end(), 0u);
      const CheckedPose start = rigid_check::pose_at(motion, 0, extent);
      if (!order.empty()) build(order, start);
    }

    Vec3 middle(std::uint32_t face) const {
      return vertices[faces[face][0]] + vertices[faces[face][1]] + vertices[faces[face][2]];
    }

    std::uint32_t build(std::span<std::uint32_t> part, const CheckedPose& start) {
      Vec3 lo = vertices[faces[part[0]][0]], hi = lo;
      for (const std::uint32_t face : part)
        for (const std::uint32_t vertex : faces[face]) {
          lo = lo.cwiseMin(vertices[vertex]);
          hi = hi.cwiseMax(vertices[vertex]);
        }
      Node node{(lo + hi) / 2, 0, 0};
      for (const std::uint32_t face : part)
        for (const std::uint32_t vertex : faces[face])
          node.radius = std::max(node.radius, (vertices[vertex] - node.centre).norm());
      node.radius = node.radius * (1 + 1e-12) + 1e-15 * extent;
      node.reach =
          ((start(node.centre) - motion.centre).norm() + node.radius + start.err) * (1 + 1e-12);
      const auto index = static_cast<std::uint32_t>(nodes.size());
      node.first = part[0];
      nodes.push_back(node);
      if (part.size() == 1) return index;
      Eigen::Index axis;
      (hi - lo).maxCoeff(&axis);
      const auto half = part.begin() + static_cast<std::ptrdiff_t>(part.size() / 2);
      std::nth_element(part.begin(), half, part.end(), [&](std::uint32_t x, std::uint32_t y) {
        return middle(x)[axis] < middle(y)[axis];
      });
      const std::uint32_t first = build({part.begin(), half}, start);
      const std::uint32_t second = build({half, part.end()}, start);
      nodes[index].first = first;
      nodes[index].second = second;
      return index;
    }

    Triangle triangle(std::uint32_t face, const CheckedPose& pose) const {
      return {pose(vertices[faces[face][0]]), pose(vertices[faces[face][1]]),
              pose(vertices[faces[face][2]])};
    }
  };

  using Poses = std::array<CheckedPose, 2>;

  Poses poses(double t) const {
    return {rigid_check::pose_at(bodies_[0].motion, t, bodies_[0].extent),
            rigid_check::pose_at(bodies_[1].motion, t, bodies_[1].extent)};
  }

  const Poses& kept_poses(double t) {
    if (kept_.size() > 100'000) kept_.clear();
    const auto [place, is_new] = kept_.try_emplace(t);
    if (is_new) place->second = poses(t);
    return place->second;
  }

  void prove(std::uint32_t a, std::uint32_t b, double t0, double t1) {
    if (t0 >= free_until_ || budget_ == 0) return;
    --budget_;
    const Node &x = bodies_[0].nodes[a], &y = bodies_[1].nodes[b];
    const double middle = std::midpoint(t0, t1);
    const double half = std::max(middle - t0, t1 - middle) * (1 + 1e-12);
    // Every point stays within speed * time of its position in the middle of the piece.
    const double speed =
        relative_speed_ + bodies_[0].turning * x.reach + bodies_[1].turning * y.reach;
    const double travel = speed * half * (1 + 1e-12);
    const Poses& now = kept_poses(middle);
    const double err = now[0].err + now[1].err;
    const double balls =
        (now[0](x.centre) - now[1](y.centre)).norm() * (1 - 1e-12) - x.radius - y.radius - err;
    if (balls > travel) return;
    const bool leaves = x.leaf() && y.leaf();
    if (leaves) {
      const Triangle p = bodies_[0].triangle(x.first, now[0]),
                     q = bodies_[1].triangle(y.first, now[1]);
      if (triangle_gap(p, q).lower - err > travel) return;
    }
    if (leaves || travel > x.radius + y.radius) {
      if (t1 - t0 <= resolution_ || middle <= t0 || middle >= t1) {
        free_until_ = std::min(free_until_, t0);
        return;
      }
      prove(a, b, t0, middle);
      prove(a, b, middle, t1);
    } else if (y.leaf() || (!x.leaf() && x.radius >= y.radius)) {
      prove(x.first, b, t0, t1);
      prove(x.second, b, t0, t1);
    } else {
      prove(a, y.first, t0, t1);
      prove(a, y.second, t0, t1);
    }
  }

  void descend(std::uint32_t a, std::uint32_t b, const Poses& now) {
    const Node &x = bodies_[0].nodes[a], &y = bodies_[1].nodes[b];
    if ((now[0](x.centre) - now[1](y.centre)).norm() - x.radius - y.radius >= best_) return;
    if (x.leaf() && y.leaf()) {
      const double upper =
          triangle_gap(bodies_[0].triangle(x.first, now[0]), bodies_[1].triangle(y.first, now[1]))
              .upper;
      best_ = std::min(best_, upper + now[0].err + now[1].err);
      return;
    }
    const bool split_x = y.leaf() || (!x.leaf() && x.radius >= y.radius);
    std::array<std::array<std::uint32_t, 2>, 2> pairs;
    if (split_x)
      pairs = {{{x.first, b}, {x.second, b}}};
    else
      pairs = {{{a, y.first}, {a, y.second}}};
    const auto gap = [&](const std::array<std::uint32_t, 2>& pair) {
      const Node &u = bodies_[0].nodes[pair[0]], &v = bodies_[1].nodes[pair[1]];
      return (now[0](u.centre) - now[1](v.centre)).norm() - u.radius - v.radius;
    };
    if (gap(pairs[1]) < gap(pairs[0])) std::swap(pairs[0], pairs[1]);
    for (const auto& pair : pairs) descend(pair[0], pair[1], now);
  }

  std::array<Body, 2> bodies_;
  double relative_speed_;
  double resolution_ = 0, free_until_ = 0, best_ = 0;
  std::uint64_t budget_ = 0;
  std::unordered_map<double, Poses> kept_;
};

}  // namespace graze::test
