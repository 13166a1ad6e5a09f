#include "graze/rigid/distance/model_distance.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "graze/core/numeric/float_environment.h"
#include "graze/rigid/distance/triangle_distance.h"

namespace graze::rigid {
namespace {

constexpr double leaf_tol = 1e-13;

class Search {
 public:
  Search(const Model& a, const Placement& at_a, const Model& b, const Placement& at_b,
         const DistanceOptions& options, DistanceFront* front, const std::atomic<bool>* stop)
      : a_(a),
        b_(b),
        at_a_(at_a),
        options_(options),
        front_(front),
        stop_(stop),
        relative_(relative_placement(at_a, a.tree.reach(), at_b, b.tree.reach())) {}

  BodyDistance run() {
    std::vector<FrontPair> from;
    if (front_) from.swap(front_->pairs);
    const bool fresh = from.empty() || from.size() > 4 * front_->built + 64;
    if (!from.empty()) {  // the closest pair of the last query is the first
      test_leaves(from[0]);
      if (fresh) from.clear();
    }
    if (fresh) from.push_back({0, 0, 0, Vec3::Zero(), {}});
    for (const FrontPair& pair : from) descend(pair);
    if (front_) {
      if (fresh) front_->built = front_->pairs.size();
      bring_closest_first();
    }
    return finish();
  }

 private:
  const HullNode& node_a(const FrontPair& p) const { return a_.tree.node(p.a); }
  const HullNode& node_b(const FrontPair& p) const { return b_.tree.node(p.b); }
  bool far(double lo) const { return lo >= (1 - options_.tol) * hi_; }
  bool done() const { return hi_ <= options_.enough; }
  bool is_stopped() const { return stop_ && stop_->load(std::memory_order_relaxed); }

  // Tests the triangles of two leaves; ignores other pairs.
  void test_leaves(FrontPair& pair) {
    if (!node_a(pair).is_leaf() || !node_b(pair).is_leaf()) return;
    const ConvexDistance d =
        triangle_distance(polytope(a_.tree, node_a(pair)), polytope(b_.tree, node_b(pair)),
                          relative_, pair.witness, hi_);
    pair.lo = d.lo;
    pair.normal = d.normal;
    pair.witness = d.witness;
    if (!(d.hi < hi_)) return;
    hi_ = d.hi;
    closest_ = pair;
    found_ = d;
  }

  void keep(const FrontPair& pair) {
    lo_ = std::min(lo_, pair.lo);
    if (front_) front_->pairs.push_back(pair);
  }

  void descend(FrontPair start) {
    stack_.clear();
    stack_.push_back(start);
    while (!stack_.empty()) {
      FrontPair pair = stack_.back();
      stack_.pop_back();
      ++checks_;
      const HullNode &a = node_a(pair), &b = node_b(pair);
      pair.lo = std::max(ball_separation(a, b, relative_), 0.0);
      if (done() || is_stopped()) {
        keep(pair);
        continue;
      }
      if (far(pair.lo)) {
        pair.normal = Vec3::Zero();
        keep(pair);
        continue;
      }
      if (a.is_leaf() && b.is_leaf()) {
        test_leaves(pair);
        keep(pair);
        continue;
      }
      const ConvexDistance d = convex_distance(polytope(a_.tree, a), polytope(b_.tree, b),
                                               relative_, pair.witness, (1 - options_.tol) * hi_);
      pair.lo = d.lo;
      pair.normal = d.normal;
      pair.witness = d.witness;
      if (far(pair.lo)) {
        keep(pair);
        continue;
      }
      divide(pair);
    }
  }

  // Divides the larger node and pushes both pairs so that the nearer one is visited first.
  void divide(const FrontPair& pair) {
    const HullNode &a = node_a(pair), &b = node_b(pair);
    const bool of_a = divides_first(a, b);
    FrontPair near{pair.a, pair.b, 0, Vec3::Zero(), {}}, other = near;
    (of_a ? near.a : near.b) = of_a ? a.child : b.child;
    (of_a ? other.a : other.b) = 1 + (of_a ? a.child : b.child);
    const auto bound = [&](const FrontPair& p) {
      return ball_separation(node_a(p), node_b(p), relative_);
    };
    if (bound(other) < bound(near)) std::swap(near, other);
    stack_.push_back(other);
    stack_.push_back(near);
  }

  void bring_closest_first() {
    for (FrontPair& pair : front_->pairs)
      if (pair.a == closest_.a && pair.b == closest_.b)
        return std::swap(pair, front_->pairs.front());
  }

  BodyDistance finish() const {
    BodyDistance result;
    result.hi = hi_ + relative_.err;
    result.lo = std::max(std::min(lo_, hi_) - relative_.err, 0.0) * (1 - 0x1p-50);
    if (done() || is_stopped()) result.lo = 0;
    const double limit = std::max(options_.enough, 0.0);
    result.verdict = result.lo > limit    ? Verdict::separated
                     : result.hi <= limit ? Verdict::contact
                                          : Verdict::undecided;
    result.face_a = node_a(closest_).face;
    result.face_b = node_b(closest_).face;
    const Witness& w = found_.witness;
    result.feature_a = closest_feature(w, w.a, a_.faces[result.face_a]);
    result.feature_b = closest_feature(w, w.b, b_.faces[result.face_b]);
    result.point_a = at_a_ * found_.point_a;
    result.point_b = at_a_ * found_.point_b;
    result.normal = at_a_.rotation * found_.normal;
    result.checks = checks_;
    return result;
  }

  const Model &a_, &b_;
  const Placement& at_a_;
  const DistanceOptions& options_;
  DistanceFront* front_;
  const std::atomic<bool>* stop_;
  RelativePlacement relative_;
  std::vector<FrontPair> stack_;
  FrontPair closest_{};
  ConvexDistance found_;
  double hi_ = std::numeric_limits<double>::infinity(), lo_ = hi_;
  std::uint32_t checks_ = 0;
};

}  // namespace

ClosestFeature closest_feature(const Witness& witness, const std::array<std::uint8_t, 4>& corners,
                               const Face& face) {
  ClosestFeature feature;
  for (std::uint32_t i = 0; i < witness.size; ++i) {
    const std::uint32_t v = face[corners[i]];
    const auto end = feature.vertices.begin() + feature.size;
    if (std::find(feature.vertices.begin(), end, v) == end) feature.vertices[feature.size++] = v;
  }
  return feature;
}

namespace {

// Improves the bounds by the closest points of the pairs of features. These are points of the
// triangles up to 8u of the largest coordinate (triangle_distance.h), and the coordinates of b are
// rounded by less than that again, so their distance is below the true one by less than `slack`.
void improve(const PolytopeView& a, const PolytopeView& b, const RelativePlacement& placement,
             ConvexDistance& d) {
  Triangle x, y;
  for (std::uint32_t i = 0; i < 3; ++i) {
    x[i] = placement.scale * a.vertex(std::min(i, a.size - 1));
    y[i] = placement.scale *
           (placement.rotation * b.vertex(std::min(i, b.size - 1)) + placement.offset);
  }
  const TriangleDistance closest = triangle_distance(x, y);
  const double hi = closest.distance / placement.scale * (1 + 0x1p-49) + placement.slack;
  if (closest.distance > 0 && hi < d.hi) {
    d.hi = hi;
    d.point_a = closest.a / placement.scale;
    d.point_b = closest.b / placement.scale;
  }
  const Vec3 n = closest.a - closest.b;
  if (const double lo = separation_along(a, b, placement, n); lo > d.lo) {
    d.lo = lo;
    d.normal = n.normalized();
  }
}

}  // namespace

ConvexDistance triangle_distance(const PolytopeView& a, const PolytopeView& b,
                                 const RelativePlacement& placement, const Witness& warm,
                                 double enough) {
  ConvexDistance d = convex_distance(a, b, placement, warm, enough, leaf_tol);
  if (d.lo > enough) return d;
  // Rounding can stop the search early if the differences of vertices form slivers.
  if (d.hi - d.lo > 64 * placement.slack + 2 * leaf_tol * d.hi) improve(a, b, placement, d);
  if (d.lo > 0 || d.hi > 64 * placement.slack) return d;
  // The closest points are too close to give a direction, so the axes of the features are tried.
  std::array<Vec3, 3> x, y, u, v;
  for (std::uint32_t i = 0; i < 3; ++i) {
    x[i] = placement.scale * a.vertex(std::min(i, a.size - 1));
    y[i] = placement.scale * (placement.rotation * b.vertex(std::min(i, b.size - 1)));
  }
  for (std::size_t i = 0; i < 3; ++i) {
    u[i] = x[(i + 1) % 3] - x[i];
    v[i] = y[(i + 1) % 3] - y[i];
  }
  const auto offer = [&](const Vec3& axis) {
    for (const Vec3& n : {axis, Vec3(-axis)})
      if (const double lo = separation_along(a, b, placement, n); lo > d.lo) {
        d.lo = lo;
        d.normal = n.normalized();
      }
  };
  const Vec3 normal_a = u[0].cross(u[1]), normal_b = v[0].cross(v[1]);
  offer(normal_a);
  offer(normal_b);
  for (const Vec3& edge : u) offer(normal_a.cross(edge));
  for (const Vec3& edge : v) offer(normal_b.cross(edge));
  for (const Vec3& edge : u)
    for (const Vec3& other : v) offer(edge.cross(other));
  return d;
}

BodyDistance distance(const Model& a, const Placement& at_a, const Model& b, const Placement& at_b,
                      const DistanceOptions& options, DistanceFront* front,
                      const std::atomic<bool>* stop) {
  const FloatEnvironment environment;
  return Search(a, at_a, b, at_b, options, front, stop).run();
}

}  // namespace graze::rigid
