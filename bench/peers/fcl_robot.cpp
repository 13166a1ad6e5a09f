#include <fcl/fcl.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "bench/peers/robot_peer.h"
#include "graze/rigid/robot/link_motion.h"

// Edges of robots with FCL: poses at equal steps by collide(), and advancement on distance(). Both
// skip pairs whose boxes are apart, as a broad phase does, and stop at the first pair in contact.
namespace graze::bench {
namespace {

using rigid::PathChecker;
using Tree = fcl::BVHModel<fcl::OBBRSSd>;

// The shapes as FCL's meshes. The contacts of rounded shapes are those of their meshes alone, so
// worlds for this peer have no spheres and capsules.
struct FclScene {
  const PathChecker::Scene& scene;
  std::vector<std::shared_ptr<Tree>> trees;

  explicit FclScene(const PathChecker& checker) : scene(checker.scene()) {
    for (const rigid::FrameShape& shape : scene.mechanism.shapes) {
      std::vector<fcl::Triangle> triangles;
      for (const auto& [a, b, c] : shape.body.faces()) triangles.emplace_back(a, b, c);
      auto tree = std::make_shared<Tree>();
      tree->beginModel();
      tree->addSubModel({shape.body.vertices().begin(), shape.body.vertices().end()}, triangles);
      tree->endModel();
      tree->computeLocalAABB();
      trees.push_back(std::move(tree));
    }
  }

  fcl::Transform3d at(const rigid::LinkMotion& motion, rigid::PathSample& sample,
                      std::uint32_t limb) const {
    const rigid::Placement& placement = motion.route(sample, scene.limbs[limb].route);
    fcl::Transform3d transform = fcl::Transform3d::Identity();
    transform.linear() = placement.rotation;
    transform.translation() = placement.offset;
    return transform;
  }
  const Tree* tree(std::uint32_t limb) const { return trees[scene.limbs[limb].shape].get(); }

  // A lower bound on the distance by balls.
  double ball_gap(const rigid::LinkMotion& motion, rigid::PathSample& sample,
                  const rigid::LimbPair& pair) const {
    return (motion.centre(sample, pair.a) - motion.centre(sample, pair.b)).norm() -
           scene.limbs[pair.a].radius - scene.limbs[pair.b].radius;
  }
};

double largest_change(const rigid::Trajectory& edge) {
  double most = 0;
  for (std::size_t j = 0; j < edge.joints; ++j)
    most = std::max(most, std::abs(edge.polynomial(0, j)[1]));
  return most;
}

RobotPeerQuery sampled(const PathChecker& checker, double step) {
  return [fcl_scene = std::make_shared<FclScene>(checker), step](const rigid::Trajectory& edge) {
    const auto& scene = fcl_scene->scene;
    const rigid::LinkMotion motion(scene, rigid::curves_of(scene.mechanism, edge, 0));
    const int poses = std::max(1, static_cast<int>(std::ceil(largest_change(edge) / step - 1e-9)));
    rigid::PathSample sample;
    for (int k = 0; k <= poses; ++k) {
      motion.begin(static_cast<double>(k) / poses, sample);
      for (const rigid::LimbPair& pair : scene.pairs) {
        if (fcl_scene->ball_gap(motion, sample, pair) > 0) continue;
        const fcl::CollisionRequestd request;
        fcl::CollisionResultd result;
        if (fcl::collide(fcl_scene->tree(pair.a), fcl_scene->at(motion, sample, pair.a),
                         fcl_scene->tree(pair.b), fcl_scene->at(motion, sample, pair.b), request,
                         result))
          return Verdict::contact;
      }
    }
    return Verdict::separated;
  };
}

RobotPeerQuery sampled_coarse(const PathChecker& checker) {
  return sampled(checker, 0.01);
}
RobotPeerQuery sampled_fine(const PathChecker& checker) {
  return sampled(checker, 0.001);
}

// Each pair advances by its distance over the bound on its speed, until contact within 1e-4 m.
RobotPeerQuery advanced(const PathChecker& checker) {
  return [fcl_scene = std::make_shared<FclScene>(checker)](const rigid::Trajectory& edge) {
    const auto& scene = fcl_scene->scene;
    const rigid::LinkMotion motion(scene, rigid::curves_of(scene.mechanism, edge, 0));
    rigid::PathSample start, sample;
    motion.begin(0, start);
    for (const rigid::LimbPair& pair : scene.pairs) {
      const double speed =
          motion.bound(start, 1, pair.a).speed + motion.bound(start, 1, pair.b).speed;
      for (double s = 0; s < 1;) {
        motion.begin(s, sample);
        double gap = fcl_scene->ball_gap(motion, sample, pair);
        if (gap < speed * (1 - s)) {
          const fcl::DistanceRequestd request;
          fcl::DistanceResultd result;
          gap = fcl::distance(fcl_scene->tree(pair.a), fcl_scene->at(motion, sample, pair.a),
                              fcl_scene->tree(pair.b), fcl_scene->at(motion, sample, pair.b),
                              request, result);
        }
        if (gap <= 1e-4) return Verdict::contact;
        s += gap / speed;
      }
    }
    return Verdict::separated;
  };
}

constexpr auto robot_peer_table = std::to_array<RobotPeer>({
    {"fcl_0.01", "FCL's collide() at poses 0.01 radians apart", true, sampled_coarse},
    {"fcl_0.001", "FCL's collide() at poses 0.001 radians apart", true, sampled_fine},
    {"fcl_distance", "advancement on FCL's distance(), contact within 1e-4 m", false, advanced},
});

}  // namespace

std::span<const RobotPeer> robot_peers() {
  return robot_peer_table;
}

}  // namespace graze::bench
