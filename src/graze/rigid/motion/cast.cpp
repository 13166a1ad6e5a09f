#include "graze/rigid/motion/cast.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "graze/core/numeric/strict_arithmetic.h"
#include "graze/rigid/distance/simplex.h"
#include "graze/rigid/distance/triangle_distance.h"

namespace graze::rigid {
namespace {

// Returns whether a model is that of a sphere or a capsule: one triangle with one or two vertices.
bool is_small(const Model& model) {
  return model.tree.size() == 1 && model.vertices.size() <= 2;
}

// A point or segment, the mover, that moves straight past a mesh, with neither rotating.
//
// Seen from the mesh at its start, the points x_i of the mover are at x_i + t w, where w is the
// difference of the velocities, and the mesh rests. So for a direction n and a triangle y_j the gap
//   g(t) = min n.x_i - max n.y_j + t n.w
// is linear: if it exceeds `kept` (margin and radii) at two times, it does so between them.
//
// Rounding: promise (2) of placement_error() bounds the errors of n.x_i and n.y_j by e_a + e_b,
// each at least 128u of the coordinates, the way and the size of its body, u = 2^-53. w and t n.w
// add less than 8u of the ways, the two sums 2u of everything, points of the mover at t and convex
// combinations of the y_j 10u. `error` is 1.25 (e_a + e_b), so it covers the 20u in 32u: a computed
// gap above slack = kept + error is one above kept, and a computed distance of points is off by at
// most `error`.
class CastSearch {
 public:
  CastSearch(const Model& mover, const Motion& motion, const Model& mesh, const Motion& of_mesh,
             const StoppableOptions& options, double error, double kept, double threshold)
      : mesh_(mesh),
        options_(options),
        error_(error),
        slack_((error + kept) * (1 + 0x1p-51)),
        threshold_(kept + threshold),
        refined_(kept + std::max(threshold / 64, std::min(threshold, 4 * error))),
        mesh_start_(placement_at(of_mesh, 0)),
        way_(motion.velocity - of_mesh.velocity),
        is_point_(mover.vertices.size() == 1) {
    const Placement from = placement_at(motion, 0);
    const Eigen::Matrix3d back = mesh_start_.rotation.transpose();
    mesh_way_ = back * way_;
    start_ = {from * mover.vertices.front(), from * mover.vertices.back()};
    const Vec3 x = back * (start_[0] - mesh_start_.offset),
               y = back * (start_[1] - mesh_start_.offset);
    const Vec3 around = Vec3::Constant(slack_ + error_);
    lo_ = x.cwiseMin(y) - around;
    hi_ = x.cwiseMax(y) + around;
    per_way_ = mesh_way_.cwiseInverse();
  }

  enum class Outcome : std::uint8_t { decided, spent, lost };

  // Visits the nodes of the tree; of two children, the one that is reached earlier comes first.
  // Nodes that are reached after the first contact found so far are skipped.
  Outcome run() {
    std::array<Open, 128> stack;
    std::size_t open = 0;
    if (const auto whole = reached(0)) stack[open++] = *whole;
    while (open > 0) {
      const Open at = stack[--open];
      if (!(at.from < end_)) continue;
      ++checks_;
      if (is_over(checks_, options_)) {
        end_ = std::min(end_, at.from);
        while (open > 0) end_ = std::min(end_, stack[--open].from);
        return Outcome::spent;
      }
      const HullTree::Box& box = mesh_.tree.box(at.node);
      if (box.child == 0) {
        if (!advance_leaf(box.face, at)) return Outcome::lost;
        continue;
      }
      if (open + 2 > stack.size()) return Outcome::lost;
      auto first = reached(box.child), second = reached(box.child + 1);
      if (first && second && first->from < second->from) std::swap(first, second);
      if (first) stack[open++] = *first;
      if (second) stack[open++] = *second;
    }
    return Outcome::decided;
  }

  double end() const { return end_; }  // the first contact; the free time if the budget is spent
  std::uint64_t checks() const { return checks_; }
  bool found() const { return found_; }
  std::uint32_t face() const { return face_; }
  std::uint32_t steps() const { return steps_; }
  // The closest points at the contact, seen from the mesh at its start, and their distance.
  const TriangleDistance& closest() const { return closest_; }

 private:
  // A node of the mesh that the mover may reach in [from, to].
  struct Open {
    double from, to;
    std::uint32_t node;
  };

  // Returns the interval of time in which the mover may reach a node, if there is one. In the
  // coordinates of the mesh, the box around the mover, enlarged by slack and error, overlaps with
  // the box of the node along each axis during an interval; the boxes meet in the intersection of
  // the three. Times have a relative error of 4u and coordinates one of 64u of their size; both
  // shift the mover by less than `error`, which is at least 160u of the coordinates and the way.
  std::optional<Open> reached(std::uint32_t node) const {
    const HullTree::Box& box = mesh_.tree.box(node);
    double first = 0, last = options_.t_max;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto axis = static_cast<int>(k);
      const double near = double(box.lo[k]) - hi_[axis], far = double(box.hi[k]) - lo_[axis];
      if (std::isfinite(per_way_[axis])) {
        const double x = near * per_way_[axis], y = far * per_way_[axis];
        first = std::max(first, std::min(x, y));
        last = std::min(last, std::max(x, y));
      } else if (near > 0 || far < 0) {
        return std::nullopt;
      }
    }
    if (first > last) return std::nullopt;
    return Open{first * (1 - 0x1p-50), std::min(last * (1 + 0x1p-50), options_.t_max), node};
  }

  // Returns the closest points of the mover at t and a triangle.
  TriangleDistance closest_at(double t, const Triangle& y) const {
    const Vec3 shift = t * way_, p = start_[0] + shift;
    if (!is_point_) return segment_distance({p, start_[1] + shift}, y);
    const auto [w] = closest_on_triangle(y[0] - p, y[1] - p, y[2] - p);
    const Vec3 on = w[0] * y[0] + w[1] * y[1] + w[2] * y[2];
    return {p, on, (p - on).norm()};
  }

  // Proves the mover apart from a triangle until at.to or end_, or makes end_ their contact.
  // Returns false if rounding prevents both.
  //
  // The distance of two convex sets on a straight way is a convex function of time. The direction n
  // between the closest points at t gives a tangent of this function, so the time until which n
  // proves the gap is a step of Newton's method from the side on which it converges. The steps go
  // on to a 64th of the threshold, mostly at the cost of one more step: a grazing contact, at which
  // the distance falls with the square of time, is then reported 8 times closer to its time.
  bool advance_leaf(std::uint32_t number, const Open& at) {
    if (options_.front_faces && is_back_face(mesh_, number, mesh_way_)) return true;
    const Face& face = mesh_.faces[number];
    const Triangle y = {mesh_start_ * mesh_.vertices[face[0]],
                        mesh_start_ * mesh_.vertices[face[1]],
                        mesh_start_ * mesh_.vertices[face[2]]};
    const double end = std::min(at.to, end_);
    double t = at.from;
    constexpr std::uint32_t most_steps = 60;
    for (std::uint32_t step = 1;; ++step) {
      ++checks_;
      const TriangleDistance now = closest_at(t, y);
      if (!(now.distance > 0)) return false;
      const double most = now.distance * (1 + 0x1p-50) + error_;
      if (most <= refined_) return stop(t, number, step, now);
      const Vec3 n = (now.a - now.b) / now.distance;
      const double speed = n.dot(way_);
      const double gap = std::min(n.dot(start_[0]), n.dot(start_[1])) -
                         std::max({n.dot(y[0]), n.dot(y[1]), n.dot(y[2])});
      const auto left = [&](double time) { return (gap + time * speed) - slack_; };
      const double left_now = left(t);
      if (left_now > 0 && left(end) > 0) return true;
      const double next = std::min(t - left_now / speed * (1 - 0x1p-40), end);
      if (!(left_now > 0 && next > t && left(next) > 0 && step < most_steps))
        return most <= threshold_ && stop(t, number, step, now);
      t = next;
    }
  }

  // Makes t the first contact. Returns true.
  bool stop(double t, std::uint32_t number, std::uint32_t step, const TriangleDistance& now) {
    found_ = true;
    end_ = t;
    closest_ = now;
    face_ = number;
    steps_ = step;
    return true;
  }

  const Model& mesh_;
  const StoppableOptions& options_;
  double error_, slack_, threshold_, refined_;
  Placement mesh_start_;
  Vec3 way_, mesh_way_;  // of the mover relative to the mesh, in the world and in its coordinates
  Vec3 per_way_;         // the inverse of mesh_way_
  bool is_point_;
  Segment start_;  // the mover at the start, in the world
  Vec3 lo_, hi_;   // the enlarged box around it, in the coordinates of the mesh
  std::uint64_t checks_ = 0;
  double end_ = Impact::inf;
  bool found_ = false;
  std::uint32_t face_ = 0, steps_ = 0;
  TriangleDistance closest_;
};

}  // namespace

// The sides p and q of the face are rounded by u relative to their size, their product by 4u
// |p||q|, and v in the coordinates of the mesh by 64u |v|.
bool is_back_face(const Model& mesh, std::uint32_t face, const Vec3& v) {
  const Face& corners = mesh.faces[face];
  const Vec3& origin = mesh.vertices[corners[0]];
  const Vec3 p = mesh.vertices[corners[1]] - origin, q = mesh.vertices[corners[2]] - origin;
  return p.cross(q).dot(v) >= 0x1p-45 * p.norm() * q.norm() * v.norm();
}

std::optional<BodyImpact> advance_cast(const Model& a, const Motion& motion_a, const Model& b,
                                       const Motion& motion_b, const StoppableOptions& options,
                                       const Roundness& round) {
  if (!motion_a.rotation.isZero(0) || !motion_b.rotation.isZero(0)) return std::nullopt;
  const bool mesh_first = !is_small(a);
  if (mesh_first != is_small(b)) return std::nullopt;
  if (mesh_first && options.front_faces) return std::nullopt;  // the faces of the sphere count
  const double error = position_error(a, motion_a, b, motion_b, round);
  const double kept = options.margin + round.radii;
  if (!(error + kept < 0x1p400)) return std::nullopt;
  BodyImpact result;
  result.threshold = contact_threshold(round.size, options, error);
  CastSearch search =
      mesh_first ? CastSearch(b, motion_b, a, motion_a, options, error, kept, result.threshold)
                 : CastSearch(a, motion_a, b, motion_b, options, error, kept, result.threshold);
  const CastSearch::Outcome outcome = search.run();
  if (outcome == CastSearch::Outcome::lost) return std::nullopt;
  result.impact = Impact::separated();
  if (outcome == CastSearch::Outcome::spent) {
    result.impact = Impact::undecided(search.end(), options.t_max);
  } else if (search.found()) {
    result.impact = Impact::contact(search.end(), options.t_max);
    const TriangleDistance& at = search.closest();
    const Vec3 moved = search.end() * (mesh_first ? motion_a : motion_b).velocity;
    result.point_a = (mesh_first ? at.b : at.a) + moved;
    result.point_b = (mesh_first ? at.a : at.b) + moved;
    result.impact.normal = (mesh_first ? at.b - at.a : at.a - at.b) / at.distance;
    (mesh_first ? result.face_a : result.face_b) = search.face();
    result.distance = at.distance;
    result.iterations = search.steps();
  }
  result.impact.checks = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(search.checks(), std::numeric_limits<std::uint32_t>::max()));
  return result;
}

}  // namespace graze::rigid
