#include "graze/rigid/robot/collect_proof.h"

#include <algorithm>
#include <tuple>

#include "graze/rigid/model/model.h"

namespace graze::rigid {

RobotProof collect_proof(const PathChecker::Scene& scene, std::vector<ProofInterval> claims) {
  constexpr std::uint32_t none = PathChecker::Scene::none;
  const auto& shapes = scene.mechanism.shapes;
  RobotProof proof;
  std::vector<std::uint32_t> order_of(shapes.size(), none);
  const auto order = [&](std::uint32_t shape) {
    if (order_of[shape] == none) {
      order_of[shape] = static_cast<std::uint32_t>(proof.orders.size());
      const auto faces = shapes[shape].body.model().tree.order();
      proof.orders.emplace_back(faces.begin(), faces.end());
    }
    return order_of[shape];
  };
  for (const LimbPair& pair : scene.pairs) {
    const std::uint32_t i = scene.limbs[pair.a].shape, j = scene.limbs[pair.b].shape;
    const FrameShape &a = shapes[i], &b = shapes[j];
    const std::uint32_t order_a = order(i), order_b = order(j);
    proof.pairs.push_back({scene.mechanism.items[a.item], scene.mechanism.items[b.item], a.number,
                           b.number, order_a, order_b, pair.clear});
  }
  proof.intervals = std::move(claims);
  std::sort(proof.intervals.begin(), proof.intervals.end(),
            [](const ProofInterval& x, const ProofInterval& y) {
              return std::tie(x.pair, x.piece, x.s0, x.a_begin, x.b_begin) <
                     std::tie(y.pair, y.piece, y.s0, y.a_begin, y.b_begin);
            });
  return proof;
}

}  // namespace graze::rigid
