#include "graze/rigid/robot/near_pairs.h"

#include <algorithm>

namespace graze::rigid {

// Returns a box that contains everything within `margin` of the limb, at all times of the piece.
// The centre of the ball around the limb leaves its chord by at most an eighth of the bound on its
// acceleration; the computed ends err by error().
Aabb NearPairs::sweep(const Piece& piece, std::uint32_t i, double margin) const {
  const Vec3 c0 = piece.motion.centre(piece.start, i), c1 = piece.motion.centre(piece.end, i);
  const Limb& limb = scene_.limbs[i];
  const double reach = limb.radius + scene_.mechanism.shapes[limb.shape].body.radius() + margin +
                       piece.bound_of(i).acceleration / 8 + 2 * piece.motion.error(i);
  const double size = std::max(c0.lpNorm<Eigen::Infinity>(), c1.lpNorm<Eigen::Infinity>()) + reach;
  const Vec3 around = Vec3::Constant(reach + 0x1p-40 * size);
  return {c0.cwiseMin(c1) - around, c0.cwiseMax(c1) + around};
}

// Two limbs whose boxes are apart, one of them with the margin, are proven apart. Moving bodies of
// the world are seen from the world, as is every limb that is paired with them.
const std::vector<std::uint32_t>& NearPairs::find(const Piece& piece) {
  constexpr std::uint32_t none = PathChecker::Scene::none;
  found_ = scene_.close_pairs;
  if (!scene_.movers.empty() && !(piece.t0 == t0_ && piece.t1 == t1_)) {
    std::vector<Aabb> boxes;
    for (const std::uint32_t i : scene_.movers) boxes.push_back(sweep(piece, i, 0));
    movers_ = StillTree(boxes);
    t0_ = piece.t0;
    t1_ = piece.t1;
  }
  const auto still = static_cast<std::uint32_t>(scene_.limbs.size()) - scene_.moving;
  for (std::uint32_t i = 0; i < scene_.moving; ++i) {
    const auto& reached = scene_.reached[i];
    if (reached.pair_of.empty()) continue;
    const Aabb box = sweep(piece, i, reached.margin);
    const auto add = [&](std::uint32_t obstacle) {
      if (reached.pair_of[obstacle] != none) found_.push_back(reached.pair_of[obstacle]);
    };
    scene_.obstacles.overlapping(box, add);
    movers_.overlapping(box, [&](std::uint32_t k) { add(still + k); });
  }
  return found_;
}

}  // namespace graze::rigid
