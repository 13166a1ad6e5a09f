#include <fcl/fcl.h>

#include <algorithm>
#include <array>
#include <memory>

#include "bench/peers/cast_peer.h"
#include "bench/peers/rigid_peer.h"

// Conservative advancement as a user of FCL can write it. Each iteration computes the distance d of
// the meshes at t and advances t by d divided by a bound on the speed of approach, until d is
// within the threshold.
//
// The closest points of two non-convex meshes give no direction along which the whole meshes are
// apart, so only the undirected bound is valid: |v| + |w| times the largest distance from the axis.
// (FCL's continuousCollide is not usable: it misses contacts between meshes.)
namespace graze::bench {
namespace {

template <class Volume>
struct Body {
  std::shared_ptr<fcl::BVHModel<Volume>> tree = std::make_shared<fcl::BVHModel<Volume>>();
  std::vector<Vec3> vertices;

  explicit Body(const generate::SurfaceModel& model) : vertices(model.vertices) {
    std::vector<fcl::Triangle> triangles;
    for (const auto& [a, b, c] : model.faces) triangles.emplace_back(a, b, c);
    tree->beginModel();
    tree->addSubModel(vertices, triangles);
    tree->endModel();
  }

  // The largest distance of a vertex from the axis of the motion.
  double reach(const rigid::Motion& motion) const {
    if (motion.rotation.isZero(0)) return 0;
    const rigid::Placement start = placement_at(motion, 0);
    const Vec3 axis = motion.rotation.normalized();
    double largest_sq = 0;
    for (const Vec3& vertex : vertices)
      largest_sq = std::max(largest_sq, axis.cross(start * vertex - motion.centre).squaredNorm());
    return std::sqrt(largest_sq);
  }
};

fcl::Transform3d transform_at(const rigid::Motion& motion, double t) {
  const rigid::Placement placement = placement_at(motion, t);
  fcl::Transform3d transform = fcl::Transform3d::Identity();
  transform.linear() = placement.rotation;
  transform.translation() = placement.offset;
  return transform;
}

template <class Volume>
PeerQuery prepare(const generate::SurfaceModel& model_a, const generate::SurfaceModel& model_b) {
  return [a = Body<Volume>(model_a), b = Body<Volume>(model_b)](
             const rigid::Motion& motion_a, const rigid::Motion& motion_b, double threshold) {
    constexpr int most_iterations = 10'000;
    const double bound = (motion_a.velocity - motion_b.velocity).norm() +
                         motion_a.rotation.norm() * a.reach(motion_a) +
                         motion_b.rotation.norm() * b.reach(motion_b);
    const fcl::DistanceRequestd request;
    PeerAnswer answer;
    for (double t = 0; answer.iterations < most_iterations;) {
      fcl::DistanceResultd result;
      const double distance = fcl::distance(a.tree.get(), transform_at(motion_a, t), b.tree.get(),
                                            transform_at(motion_b, t), request, result);
      ++answer.iterations;
      if (distance <= threshold) return PeerAnswer{Verdict::contact, t, answer.iterations};
      t += distance / bound;
      if (!(t < 1)) return answer;
      answer.toi = t;
    }
    answer.verdict = Verdict::undecided;
    return answer;
  };
}

constexpr auto rigid_peer_table = std::to_array<RigidPeer>({
    {"fcl", "advancement on FCL's mesh distance, OBBRSS trees", prepare<fcl::OBBRSSd>},
    {"fcl_rss", "advancement on FCL's mesh distance, RSS trees", prepare<fcl::RSSd>},
});

}  // namespace

// The same for a sphere or a capsule that moves straight. An answer is within a thousandth of the
// radius before the contact.
SweepQuery prepare_fcl_cast(const generate::SurfaceModel& world, const RoundShape& shape) {
  std::shared_ptr<fcl::CollisionGeometryd> mover;
  if (shape.half_length == 0)
    mover = std::make_shared<fcl::Sphered>(shape.radius);
  else
    mover = std::make_shared<fcl::Capsuled>(shape.radius, 2 * shape.half_length);
  return [mover, mesh = Body<fcl::RSSd>(world), near = 1e-3 * shape.radius](const Vec3& from,
                                                                            const Vec3& way) {
    const double speed = way.norm();
    const fcl::DistanceRequestd request;
    double t = 0;
    for (int i = 0; i < 1000 && t < 1; ++i) {
      fcl::Transform3d at = fcl::Transform3d::Identity();
      at.translation() = from + t * way;
      fcl::DistanceResultd result;
      const double distance = fcl::distance(mover.get(), at, mesh.tree.get(),
                                            fcl::Transform3d::Identity(), request, result);
      if (distance <= near) return t;
      t += distance / speed;
    }
    return std::min(t, 1.0);
  };
}

std::span<const RigidPeer> rigid_peers() {
  return rigid_peer_table;
}

}  // namespace graze::bench
