#include "graze/rigid/shapes/shape_distance.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "graze/core/numeric/strict_arithmetic.h"
#include "graze/rigid/shapes/closest_parts.h"
#include "graze/rigid/shapes/mesh_parts.h"

namespace graze::rigid {
namespace {

// Closest points of leaves are sought up to this share of their distance.
constexpr double leaf_share = 0x1p-40;

// Two parts, at least `lo` apart as computed. For a half space, b is 0.
struct OpenPair {
  double lo;
  std::uint32_t a, b;

  bool operator<(const OpenPair& other) const {  // a heap with the closest pair on top
    return std::tie(lo, a, b) > std::tie(other.lo, other.a, other.b);
  }
};

// The two bodies of a query: bounds of pairs of parts.
class PlacedPair {
 public:
  PlacedPair(const Model& a, const Placement& at_a, const Model& b, const Placement& at_b)
      : parts_a_(a),
        parts_b_(b),
        at_a_(at_a),
        at_b_(at_b),
        plane_(a.half_space   ? 1
               : b.half_space ? 2
                              : 0) {
    if (plane_ != 1) err += placing_error(*parts_a_, at_a);
    if (plane_ != 2) err += placing_error(*parts_b_, at_b);
    if (plane_ != 0) {
      // The third column of the rotation is taken as n, of length 1 up to the shear; x - q is at
      // most as long as the coordinates of both.
      const Placement& base = plane_ == 1 ? at_a : at_b;
      const Placement& other = plane_ == 1 ? at_b : at_a;
      const double length = base.rotation.col(2).norm();
      const double far =
          4 * (plane_ == 1 ? *parts_b_ : *parts_a_).reach() +
          2 * (other.offset.cwiseAbs().maxCoeff() + base.offset.cwiseAbs().maxCoeff());
      err += (0x1p-46 + 2 * std::abs(length - 1)) * far;
    }
  }

  double err = 0;

  OpenPair roots() const {
    return {0, plane_ == 1 ? 0 : (*parts_a_).root(), plane_ == 2 ? 0 : (*parts_b_).root()};
  }
  bool are_leaves(const OpenPair& p) const {
    return (plane_ == 1 || part_a(p).leaf) && (plane_ == 2 || part_b(p).leaf);
  }
  std::uint32_t face_a(const OpenPair& p) const { return plane_ == 1 ? 0 : part_a(p).face; }
  std::uint32_t face_b(const OpenPair& p) const { return plane_ == 2 ? 0 : part_b(p).face; }

  // Returns the closest points and bounds of a pair, as closest_parts() does. `far`, `near`: as in
  // ClosestGoal.
  ClosestParts closest(const OpenPair& p, double near, double far) const {
    if (plane_ != 0) return from_plane(p);
    const Part a = part_a(p), b = part_b(p);
    const Vec3 between = at_a_ * a.centre - at_b_ * b.centre;
    const double distance = between.norm();
    ClosestParts found;
    found.lo = distance - a.radius - b.radius;
    found.n = distance > 0 ? Vec3(between / distance) : Vec3(Vec3::UnitX());
    if (found.lo >= far) return found;
    ClosestGoal goal;
    goal.size = std::max({a.radius + b.radius, distance, 0x1p-500});
    goal.near = near;
    goal.far = far;
    const bool leaves = a.leaf && b.leaf;
    if (leaves) goal.tol = leaf_share;
    if (leaves) goal.max_steps = 1000;
    return closest_parts({*parts_a_, p.a, a.margin, at_a_}, {*parts_b_, p.b, b.margin, at_b_},
                         found.n, goal);
  }

  // Calls use(child) for each child of the pair.
  template <class Use>
  void divide(const OpenPair& p, const Use& use) const {
    bool first = plane_ == 2;
    if (plane_ == 0) {
      const Part a = part_a(p), b = part_b(p);
      first = b.leaf || (!a.leaf && a.radius >= b.radius);
    }
    Parts::Children children;
    const std::uint32_t count =
        first ? (*parts_a_).children(p.a, children) : (*parts_b_).children(p.b, children);
    for (std::uint32_t k = 0; k < count; ++k)
      use(first ? OpenPair{p.lo, children[k], p.b} : OpenPair{p.lo, p.a, children[k]});
  }

 private:
  Part part_a(const OpenPair& p) const { return (*parts_a_).part(p.a); }
  Part part_b(const OpenPair& p) const { return (*parts_b_).part(p.b); }

  ClosestParts from_plane(const OpenPair& p) const {
    const bool flip = plane_ == 1;
    const Placement &base = flip ? at_a_ : at_b_, &at = flip ? at_b_ : at_a_;
    const Parts& parts = flip ? *parts_b_ : *parts_a_;
    const std::uint32_t i = flip ? p.b : p.a;
    const Vec3 n = base.rotation.col(2);
    const Vec3 point = PlacedPart{parts, i, 0, at}.extreme(-n);
    const double gap = n.dot(point - base.offset);
    const Vec3 below = point - std::max(gap, 0.0) * n;
    ClosestParts found;
    found.lo = gap - parts.part(i).margin;
    found.hi = std::max(gap, 0.0);
    found.n = flip ? Vec3(-n) : n;
    found.a = flip ? below : point;
    found.b = flip ? point : below;
    return found;
  }

  PartsOf parts_a_, parts_b_;
  const Placement &at_a_, &at_b_;
  int plane_;  // 1: body a is a half space; 2: body b
};

}  // namespace

// A placed point has an error of at most 8u (3.1 reach + |offset|) in each coordinate,
// Parts::extreme() 16u reach, a combination of four points 18u of their size, the dot product of a
// difference 8u of its terms: together below 100u (3.1 reach + |offset|), less than 2^-46 (4 reach
// + |offset|). A ball of a placement that is not quite a rotation is larger by |R^T R - 1| times
// its radius.
double placing_error(const Parts& parts, const Placement& at) {
  const double shear =
      (at.rotation.transpose() * at.rotation - Eigen::Matrix3d::Identity()).cwiseAbs().sum();
  return 0x1p-46 * (4 * parts.reach() + at.offset.cwiseAbs().maxCoeff()) +
         4 * parts.reach() * shear + 0x1p-1000;
}

// A best-first search: the pair with the least lower bound is next, until no pair can be closer
// than the two leaves found.
BodyDistance distance_of_shapes(const Model& a, const Placement& at_a, const Model& b,
                                const Placement& at_b, const DistanceOptions& options,
                                const std::atomic<bool>* stop) {
  const PlacedPair query(a, at_a, b, at_b);
  BodyDistance result;
  ClosestParts best;
  double lo = std::numeric_limits<double>::infinity();
  std::vector<OpenPair> heap = {query.roots()};
  const auto is_stopped = [&] { return stop && stop->load(std::memory_order_relaxed); };
  while (!heap.empty() && !(best.hi <= options.enough) && !is_stopped()) {
    std::pop_heap(heap.begin(), heap.end());
    const OpenPair pair = heap.back();
    heap.pop_back();
    if (pair.lo >= (1 - options.tol) * best.hi) {
      lo = std::min(lo, pair.lo);
      break;
    }
    ++result.checks;
    const bool leaves = query.are_leaves(pair);
    const double far = (1 - options.tol) * best.hi;
    const ClosestParts found = query.closest(pair, leaves ? options.enough : -1, far);
    if (found.lo >= far) {
      lo = std::min(lo, found.lo);
    } else if (leaves) {
      lo = std::min(lo, found.lo);
      if (found.hi < best.hi) {
        best = found;
        result.face_a = query.face_a(pair);
        result.face_b = query.face_b(pair);
      }
    } else {
      query.divide(pair, [&](OpenPair child) {
        child.lo = std::max(pair.lo, found.lo);
        heap.push_back(child);
        std::push_heap(heap.begin(), heap.end());
      });
    }
  }
  result.hi = best.hi * (1 + 0x1p-49) + query.err;
  result.lo = std::max(std::min(lo, best.hi) - query.err, 0.0) * (1 - 0x1p-49);
  if (best.hi <= options.enough || is_stopped()) result.lo = 0;
  const double limit = std::max(options.enough, 0.0);
  result.verdict = result.lo > limit    ? Verdict::separated
                   : result.hi <= limit ? Verdict::contact
                                        : Verdict::undecided;
  result.point_a = best.a;
  result.point_b = best.b;
  if (best.lo > 0) result.normal = best.n;
  return result;
}

std::vector<SurfaceContact> shape_contacts_within(const Model& a, const Placement& at_a,
                                                  const Model& b, const Placement& at_b,
                                                  double within, std::size_t max_contacts) {
  const PlacedPair query(a, at_a, b, at_b);
  const double far = std::nextafter((within + query.err) * (1 + 0x1p-49), HUGE_VAL);
  std::vector<SurfaceContact> contacts;
  std::vector<OpenPair> stack = {query.roots()};
  while (!stack.empty() && contacts.size() < max_contacts) {
    const OpenPair pair = stack.back();
    stack.pop_back();
    const ClosestParts found = query.closest(pair, -1, far);
    if (found.lo >= far) continue;
    if (query.are_leaves(pair))
      contacts.push_back({query.face_a(pair),
                          query.face_b(pair),
                          found.hi + query.err,
                          found.a,
                          found.b,
                          found.lo > 0 ? found.n : Vec3(Vec3::Zero()),
                          {},
                          {}});
    else
      query.divide(pair, [&](const OpenPair& child) { stack.push_back(child); });
  }
  std::sort(contacts.begin(), contacts.end(), [](const auto& p, const auto& q) {
    return std::pair(p.face_a, p.face_b) < std::pair(q.face_a, q.face_b);
  });
  return contacts;
}

BodyDistance gap_to_half_space(const Model& a, const Placement& at_a, const Model& b,
                               const Placement& at_b) {
  const PlacedPair query(a, at_a, b, at_b);
  const ClosestParts found = query.closest(query.roots(), -1, HUGE_VAL);
  BodyDistance result;
  result.lo = found.lo - query.err;
  result.hi = found.lo + query.err;
  result.normal = found.n;
  return result;
}

}  // namespace graze::rigid
