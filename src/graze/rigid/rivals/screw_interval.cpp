#include "graze/rigid/rivals/screw_interval.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <queue>
#include <tuple>
#include <unordered_map>

#include "graze/core/numeric/float_environment.h"
#include "graze/exact/interval.h"
#include "graze/rigid/distance/model_distance.h"
#include "graze/rigid/motion/motion_bound.h"

namespace graze::rigid {
namespace {

using exact::Interval;

double smallest(const Interval& x) {
  return std::max({0.0, x.lo, -x.hi});
}
double largest(const Interval& x) {
  return x.magnitude();
}
Interval around(double x, double radius) {
  return exact::widened(x - radius, x + radius);
}

// A box with axes of its own, in the coordinates of the body.
struct Box {
  Vec3 centre, half;
  Eigen::Matrix3d axes;  // columns, orthonormal up to rounding
};

// Returns a box around the polytope of a node, along the principal axes of its vertices. The axes
// are orthonormal up to 2^-48, by which the coordinates of a point along them may fall short.
Box box_around(const HullTree& tree, const HullNode& node) {
  Vec3 mean = Vec3::Zero();
  for (std::uint32_t i = 0; i < node.vertices; ++i) mean += tree.vertex(node, i);
  mean /= node.vertices;
  Eigen::Matrix3d spread = Eigen::Matrix3d::Zero();
  for (std::uint32_t i = 0; i < node.vertices; ++i) {
    const Vec3 x = tree.vertex(node, i) - mean;
    spread += x * x.transpose();
  }
  Box box;
  box.axes = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(spread).eigenvectors();
  if (!((box.axes.transpose() * box.axes - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff() <
        0x1p-48))
    box.axes.setIdentity();
  Vec3 lo = box.axes.transpose() * tree.vertex(node, 0), hi = lo;
  for (std::uint32_t i = 1; i < node.vertices; ++i) {
    const Vec3 x = box.axes.transpose() * tree.vertex(node, i);
    lo = lo.cwiseMin(x);
    hi = hi.cwiseMax(x);
  }
  box.centre = box.axes * ((lo + hi) / 2);
  const double margin = node.margin + 0x1p-44 * tree.reach();
  box.half = ((hi - lo) / 2).array() + margin;
  return box;
}

// The boxes of the nodes that a search has visited.
class Boxes {
 public:
  explicit Boxes(const HullTree& tree) : tree_(tree) {}
  const Box& of(std::uint32_t i) {
    const auto [place, is_new] = boxes_.try_emplace(i);
    if (is_new) place->second = box_around(tree_, tree_.node(i));
    return place->second;
  }

 private:
  const HullTree& tree_;
  std::unordered_map<std::uint32_t, Box> boxes_;
};

// A pair of nodes during a piece of time.
struct Task {
  double t0, t1;
  std::uint32_t i, j;

  // The order of the queue: the earliest piece first, of equal ones the deepest nodes.
  friend bool operator<(const Task& a, const Task& b) {
    return std::tie(b.t0, b.t1, a.i, a.j) < std::tie(a.t0, a.t1, b.i, b.j);
  }
};

class Search {
 public:
  Search(const Model& a, const Motion& motion_a, const Model& b, const Motion& motion_b,
         const StoppableOptions& options)
      : a_(a),
        b_(b),
        motion_a_(motion_a),
        motion_b_(motion_b),
        bound_a_(motion_a, 2 * a.tree.reach()),
        bound_b_(motion_b, 2 * b.tree.reach()),
        options_(options),
        speed_((motion_a.velocity - motion_b.velocity).norm() * (1 + 0x1p-40)),
        boxes_a_(a.tree),
        boxes_b_(b.tree) {
    error_ = 1.25 * (bound_a_.error + bound_b_.error) + 0x1p-50 * options.margin;
    result_.threshold = contact_threshold(std::max(a.size, b.size), options, error_);
    threshold_ = options.margin + result_.threshold;
  }

  // Visits the pairs of nodes in the order of time. A pair that no axis separates during its piece
  // of time is divided: the piece if the nodes move further during it than they are large, the
  // larger node otherwise. The first contact found is the earliest, because all pairs with an
  // earlier piece are proven free.
  BodyImpact run() {
    if (!(error_ < 0x1p400)) {
      result_.impact = Impact::undecided(0, options_.t_max);
      return result_;
    }
    std::priority_queue<Task> tasks;
    tasks.push({0, options_.t_max, 0, 0});
    while (!tasks.empty()) {
      const Task task = tasks.top();
      tasks.pop();
      ++checks_;
      enter(task.t0, task.t1);
      const HullNode &x = a_.tree.node(task.i), &y = b_.tree.node(task.j);
      const Box &p = boxes_a_.of(task.i), &q = boxes_b_.of(task.j);
      const double way = way_of(p.centre, q.centre);
      if (are_separated(p, q, way)) continue;
      const bool leaves = x.is_leaf() && y.is_leaf();
      if (leaves && triangles_are_apart(x, y, task.t0)) continue;
      if (result_.impact.verdict == Verdict::contact) break;
      const double middle = task.t0 + (task.t1 - task.t0) / 2;
      const bool divides_time = leaves || way > std::max(p.half.maxCoeff(), q.half.maxCoeff());
      if (is_over(checks_, options_) ||
          (divides_time && (middle <= task.t0 || middle >= task.t1))) {
        result_.impact = Impact::undecided(task.t0, options_.t_max);
        break;
      }
      if (divides_time) {
        ++result_.iterations;
        tasks.push({task.t0, middle, task.i, task.j});
        tasks.push({middle, task.t1, task.i, task.j});
      } else {
        const bool first = divides_first(x, y);
        for (const std::uint32_t k : {0u, 1u})
          tasks.push(
              {task.t0, task.t1, first ? x.child + k : task.i, first ? task.j : y.child + k});
      }
    }
    result_.impact.checks = checks_;
    return result_;
  }

 private:
  // Places the bodies at the middle of a piece of time, unless that has been done.
  void enter(double t0, double t1) {
    if (t0 == t0_ && t1 == t1_) return;
    t0_ = t0;
    t1_ = t1;
    const double middle = t0 + (t1 - t0) / 2;
    half_ = std::max(middle - t0, t1 - middle) * (1 + 0x1p-40);
    at_a_ = placement_at(motion_a_, middle);
    at_b_ = placement_at(motion_b_, middle);
    // Bounds on the change of any part of a unit vector of a body during half of the piece.
    turn_a_ = bound_a_.turn * half_ + bound_a_.error / a_.tree.reach() + 0x1p-45;
    turn_b_ = bound_b_.turn * half_ + bound_b_.error / b_.tree.reach() + 0x1p-45;
    seen_ = relative_placement(at_a_, a_.tree.reach(), at_b_, b_.tree.reach());
  }

  // Bounds how far the vector between a point of each body changes during half of the piece.
  double way_of(const Vec3& a, const Vec3& b) const {
    return (speed_ + bound_a_.turn * bound_a_.axis_distance(a, 0) +
            bound_b_.turn * bound_b_.axis_distance(b, 0)) *
               half_ * (1 + 0x1p-40) +
           error_;
  }

  // Tests the fifteen axes of two boxes in interval arithmetic, in the coordinates of the first,
  // whose axes are e_i. T is the vector between the centres, the columns of C are the axes of the
  // second. During half of the piece, C changes by at most turn_a_ + turn_b_, T by at most way +
  // turn_a_ |T|.
  bool are_separated(const Box& p, const Box& q, double way) const {
    const Vec3 apart = at_b_ * q.centre - at_a_ * p.centre;
    const Eigen::Matrix3d U = at_a_.rotation * p.axes, V = at_b_.rotation * q.axes;
    const Eigen::Matrix3d cosines = U.transpose() * V;
    const Vec3 along = U.transpose() * apart;
    const double far = apart.norm() * (1 + 0x1p-40) + way;
    std::array<Interval, 3> T;
    std::array<std::array<Interval, 3>, 3> C;
    for (std::size_t i = 0; i < 3; ++i) {
      T[i] = around(along[int(i)], (way + turn_a_ * far) * (1 + 0x1p-40));
      for (std::size_t j = 0; j < 3; ++j)
        C[i][j] = around(cosines(int(i), int(j)), turn_a_ + turn_b_);
    }
    const double gap = options_.margin + error_;
    const auto exceeds = [&](double distance, const Interval& size) { return distance > size.hi; };
    for (std::size_t i = 0; i < 3; ++i) {
      Interval size = Interval(p.half[int(i)]) + gap;
      for (std::size_t j = 0; j < 3; ++j) size = size + Interval(q.half[int(j)]) * largest(C[i][j]);
      if (exceeds(smallest(T[i]), size)) return true;
    }
    for (std::size_t j = 0; j < 3; ++j) {
      Interval size = Interval(q.half[int(j)]) + gap, distance = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        size = size + Interval(p.half[int(i)]) * largest(C[i][j]);
        distance = distance + T[i] * C[i][j];
      }
      if (exceeds(smallest(distance), size)) return true;
    }
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) {
        const std::size_t i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
        const Interval distance = T[i2] * C[i1][j] - T[i1] * C[i2][j];
        // |e_i x b_j| <= 1, so the gap needs no factor.
        const Interval size = Interval(p.half[int(i1)]) * largest(C[i2][j]) +
                              Interval(p.half[int(i2)]) * largest(C[i1][j]) +
                              Interval(q.half[int(j1)]) * largest(C[i][j2]) +
                              Interval(q.half[int(j2)]) * largest(C[i][j1]) + gap;
        if (exceeds(smallest(distance), size)) return true;
      }
    return false;
  }

  bool triangles_are_apart(const HullNode& x, const HullNode& y, double t0) {
    const PolytopeView p = polytope(a_.tree, x), q = polytope(b_.tree, y);
    const double way = (speed_ + bound_a_.turn * bound_a_.axis_distance(x.centre, x.radius) +
                        bound_b_.turn * bound_b_.axis_distance(y.centre, y.radius)) *
                       half_ * (1 + 0x1p-40);
    const ConvexDistance found = triangle_distance(p, q, seen_);
    if (found.lo - seen_.err - error_ - options_.margin > way) return true;
    const Placement at_a = placement_at(motion_a_, t0), at_b = placement_at(motion_b_, t0);
    const RelativePlacement seen = relative_placement(at_a, a_.tree.reach(), at_b, b_.tree.reach());
    const ConvexDistance first = triangle_distance(p, q, seen);
    if (first.hi + seen.err + error_ <= threshold_) {
      result_.impact = Impact::contact(t0, options_.t_max);
      result_.impact.normal = at_a.rotation * first.normal;
      result_.face_a = x.face;
      result_.face_b = y.face;
      result_.point_a = at_a * first.point_a;
      result_.point_b = at_a * first.point_b;
      result_.distance = (first.point_a - first.point_b).norm();
    }
    return false;
  }

  const Model &a_, &b_;
  const Motion &motion_a_, &motion_b_;
  MotionBound bound_a_, bound_b_;
  const StoppableOptions& options_;
  double speed_, error_, threshold_, half_ = 0, turn_a_ = 0, turn_b_ = 0;
  double t0_ = -1, t1_ = -1;  // the piece of time
  std::uint32_t checks_ = 0;
  Placement at_a_, at_b_;
  RelativePlacement seen_{};
  Boxes boxes_a_, boxes_b_;
  BodyImpact result_;
};

}  // namespace

BodyImpact advance_intervals(const Model& a, const Motion& motion_a, const Model& b,
                             const Motion& motion_b, const StoppableOptions& options) {
  const FloatEnvironment environment;
  if (advance_accepts(a, motion_a, b, motion_b, options))
    return Search(a, motion_a, b, motion_b, options).run();
  return BodyImpact::invalid();
}

}  // namespace graze::rigid
