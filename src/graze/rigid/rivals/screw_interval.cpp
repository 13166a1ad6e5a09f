#include "graze/rigid/rivals/screw_interval.h"

#include <algorithm>
#include <array>
#include <vector>

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

struct Box {
  Vec3 centre, half;
};

Box box_around(const HullTree& tree, const HullNode& node) {
  Vec3 lo = tree.vertex(node, 0), hi = lo;
  for (std::uint32_t i = 1; i < node.vertices; ++i) {
    lo = lo.cwiseMin(tree.vertex(node, i));
    hi = hi.cwiseMax(tree.vertex(node, i));
  }
  const Vec3 centre = (lo + hi) / 2;
  const double margin = node.margin + 0x1p-50 * tree.reach();
  return {centre, ((hi - centre).cwiseMax(centre - lo).array() + margin).matrix()};
}

class Search {
 public:
  Search(const Model& a, const Motion& motion_a, const Model& b, const Motion& motion_b,
         const AdvanceOptions& options)
      : a_(a),
        b_(b),
        motion_a_(motion_a),
        motion_b_(motion_b),
        bound_a_(motion_a, 2 * a.tree.reach()),
        bound_b_(motion_b, 2 * b.tree.reach()),
        options_(options),
        speed_((motion_a.velocity - motion_b.velocity).norm() * (1 + 0x1p-40)) {
    error_ = 1.25 * (bound_a_.error + bound_b_.error) + 0x1p-50 * options.margin;
    result_.threshold = contact_threshold(std::max(a.size, b.size), options, error_);
    threshold_ = options.margin + result_.threshold;
  }

  BodyImpact run() {
    if (!(error_ < 0x1p400)) {
      result_.impact = Impact::undecided(0, options_.t_max);
      return result_;
    }
    // The ends of the remaining pieces of time, the earliest last.
    std::vector<double> ends = {options_.t_max};
    double t0 = 0;
    while (!ends.empty()) {
      const double t1 = ends.back();
      ++result_.iterations;
      const bool free = is_free(t0, t1);
      if (result_.impact.verdict == Verdict::contact) break;
      const double middle = t0 + (t1 - t0) / 2;
      if (free) {
        t0 = t1;
        ends.pop_back();
      } else if (is_spent(checks_, options_.max_checks) || middle <= t0 || middle >= t1) {
        result_.impact = Impact::undecided(t0, options_.t_max);
        break;
      } else {
        ends.push_back(middle);
      }
    }
    result_.impact.checks = checks_;
    return result_;
  }

 private:
  // Returns whether [t0, t1] is proven free. Records a contact at t0 if one is found.
  bool is_free(double t0, double t1) {
    const double middle = t0 + (t1 - t0) / 2;
    half_ = std::max(middle - t0, t1 - middle) * (1 + 0x1p-40);
    at_a_ = placement_at(motion_a_, middle);
    at_b_ = placement_at(motion_b_, middle);
    // Bounds on the change of any entry of a rotation during half of the piece.
    const double turn_a = bound_a_.turn * half_ + bound_a_.error / a_.tree.reach() + 0x1p-45;
    const double turn_b = bound_b_.turn * half_ + bound_b_.error / b_.tree.reach() + 0x1p-45;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        // The bounds on |x.y - x'.y'| for two rotating unit vectors add up.
        const double product = at_a_.rotation.col(i).dot(at_b_.rotation.col(j));
        turned_[std::size_t(i)][std::size_t(j)] = around(product, turn_a + turn_b);
        axes_[std::size_t(i)][std::size_t(j)] = around(at_a_.rotation(j, i), turn_a);
      }
    seen_ = relative_placement(at_a_, a_.tree.reach(), at_b_, b_.tree.reach());
    std::vector<std::array<std::uint32_t, 2>> stack = {{0, 0}};
    while (!stack.empty()) {
      const auto [i, j] = stack.back();
      stack.pop_back();
      const HullNode &x = a_.tree.node(i), &y = b_.tree.node(j);
      ++checks_;
      if (is_spent(checks_, options_.max_checks)) return false;
      if (are_separated(x, y)) continue;
      if (x.is_leaf() && y.is_leaf()) {
        if (!triangles_are_apart(x, y, t0)) return false;
      } else {
        push_parts(stack, i, x, j, y);
      }
    }
    return true;
  }

  // Tests the fifteen axes of two boxes in interval arithmetic, in the coordinates of a, whose axes
  // are e_i. T is the vector between the centres, C has the axes of b.
  bool are_separated(const HullNode& x, const HullNode& y) const {
    const Box p = box_around(a_.tree, x), q = box_around(b_.tree, y);
    const Vec3 apart = at_b_ * q.centre - at_a_ * p.centre;
    const double way = (speed_ + bound_a_.turn * bound_a_.axis_distance(p.centre, 0) +
                        bound_b_.turn * bound_b_.axis_distance(q.centre, 0)) *
                           half_ * (1 + 0x1p-40) +
                       error_;
    std::array<Interval, 3> T;
    for (std::size_t i = 0; i < 3; ++i) {
      T[i] = 0;
      for (std::size_t k = 0; k < 3; ++k) T[i] = T[i] + around(apart[int(k)], way) * axes_[i][k];
    }
    const auto& C = turned_;
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
  const AdvanceOptions& options_;
  double speed_, error_, threshold_, half_ = 0;
  std::uint32_t checks_ = 0;
  Placement at_a_, at_b_;
  RelativePlacement seen_{};
  std::array<std::array<Interval, 3>, 3> turned_, axes_;
  BodyImpact result_;
};

}  // namespace

BodyImpact advance_intervals(const Model& a, const Motion& motion_a, const Model& b,
                             const Motion& motion_b, const AdvanceOptions& options) {
  const FloatEnvironment environment;
  if (advance_accepts(a, motion_a, b, motion_b, options))
    return Search(a, motion_a, b, motion_b, options).run();
  return BodyImpact::invalid();
}

}  // namespace graze::rigid
