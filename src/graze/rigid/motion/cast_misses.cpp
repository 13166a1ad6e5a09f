#include "graze/rigid/motion/cast_misses.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "graze/core/numeric/strict_arithmetic.h"
#include "graze/rigid/distance/triangle_distance.h"

namespace graze::rigid {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

// A mesh of one or two vertices on a straight way, beside a resting mesh.
class Cast {
 public:
  Cast(const Model& a, const Motion& motion_a, const Model& b, const Motion& motion_b, double t_max,
       double slack, double error)
      : b_(b), slack_(slack) {
    const Placement a0 = placement_at(motion_a, 0), a1 = placement_at(motion_a, t_max);
    b0_ = placement_at(motion_b, 0);
    b1_ = placement_at(motion_b, t_max);
    const std::array<Vec3, 2> ends = {a.vertices.front(), a.vertices.back()};
    const Eigen::Matrix3d back = b0_.rotation.transpose();
    for (std::size_t i = 0; i < 2; ++i) {
      start_[i] = a0 * ends[i];
      end_[i] = a1 * ends[i];
      const Vec3 x = back * (start_[i] - b0_.offset);
      lo_ = i == 0 ? x : lo_.cwiseMin(x);
      hi_ = i == 0 ? x : hi_.cwiseMax(x);
    }
    way_ = t_max * (motion_a.velocity - motion_b.velocity);
    const Vec3 room = Vec3::Constant(slack + error);
    lo_ -= room;
    hi_ += room;
    turned_way_ = back * way_;
    for (int k = 0; k < 3; ++k) per_way_[k] = 1 / turned_way_[k];
  }

  std::optional<std::uint32_t> run() {
    std::array<std::uint32_t, 128> stack;
    std::size_t size = 0;
    std::uint32_t nodes = 0;
    stack[size++] = 0;
    while (size > 0) {
      const std::uint32_t i = stack[--size];
      ++nodes;
      if (!meets(b_.tree.box(i))) continue;
      const auto [child, face] = b_.tree.link(i);
      if (child == 0) {
        if (!misses(b_.faces[face])) return std::nullopt;
        continue;
      }
      if (size + 2 > stack.size()) return std::nullopt;
      stack[size++] = child;
      stack[size++] = child + 1;
    }
    return nodes;
  }

 private:
  bool meets(const HullTree::Box& box) const {
    double first = 0, last = 1;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto axis = static_cast<int>(k);
      const double near = double(box.lo[k]) - hi_[axis], far = double(box.hi[k]) - lo_[axis];
      if (std::abs(per_way_[axis]) < inf) {
        const double x = near * per_way_[axis], y = far * per_way_[axis];
        first = std::max(first, std::min(x, y));
        last = std::min(last, std::max(x, y));
      } else if (near > 0 || far < 0) {
        return false;
      }
    }
    return !(first > last);
  }

  bool misses(const Face& face) const {
    std::array<Vec3, 3> y0, y1;
    for (std::size_t c = 0; c < 3; ++c) {
      y0[c] = b0_ * b_.vertices[face[c]];
      y1[c] = b1_ * b_.vertices[face[c]];
    }
    // What a sweeps, seen from b: a segment or a parallelogram.
    const Vec3 p = start_[0] + way_, q = start_[1] + way_;
    TriangleDistance closest = triangle_distance({start_[0], p, start_[1]}, y0);
    if (start_[0] != start_[1]) {
      const TriangleDistance other = triangle_distance({start_[1], p, q}, y0);
      if (other.distance < closest.distance) closest = other;
    }
    if (!(closest.distance > slack_)) return false;
    const Vec3 n = (closest.a - closest.b) / closest.distance;
    const auto gap = [&](const std::array<Vec3, 2>& x, const std::array<Vec3, 3>& y) {
      return std::min(n.dot(x[0]), n.dot(x[1])) -
             std::max({n.dot(y[0]), n.dot(y[1]), n.dot(y[2])}) - slack_;
    };
    return gap(start_, y0) > 0 && gap(end_, y1) > 0;
  }

  const Model& b_;
  double slack_;
  Placement b0_, b1_;
  std::array<Vec3, 2> start_, end_;  // the vertices of a at both ends of the time, in the world
  Vec3 way_, lo_, hi_;               // lo, hi: the box of a at the start, in the coordinates of b
  Vec3 turned_way_, per_way_;
};

}  // namespace

std::optional<std::uint32_t> cast_misses(const Model& a, const Motion& motion_a, const Model& b,
                                         const Motion& motion_b, double t_max, double slack,
                                         double error) {
  return Cast(a, motion_a, b, motion_b, t_max, slack, error).run();
}

}  // namespace graze::rigid
