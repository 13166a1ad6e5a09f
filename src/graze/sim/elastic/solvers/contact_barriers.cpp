#include "graze/sim/elastic/solvers/contact_barriers.h"

#include <algorithm>
#include <mutex>
#include <tuple>

#include "graze/broad/moving/time_slabs.h"
#include "graze/sim/block_matrix.h"

namespace graze::sim::soft {

ContactBarriers::ContactBarriers(const ContactSurface& surface, const Barrier& barrier)
    : surface_(surface), barrier_(barrier) {
  for (const Edge& edge : surface.mesh.edges)
    edge_lengths_.push_back((surface.rest[edge[1]] - surface.rest[edge[0]]).norm());
}

ContactBarriers::Near ContactBarriers::near(Kind kind, const Pair& pair,
                                            std::span<const Vec3> x) const {
  const Mesh& mesh = surface_.mesh;
  Near result{{kind, {}, 0}, {}, 0};
  const auto take = [&](const auto& vertices) {
    for (const std::uint32_t vertex : vertices) {
      result.feature.corners[result.size] = x[vertex];
      result.vertices[result.size++] = vertex;
    }
  };
  if (kind == Kind::edge_edge) {
    take(mesh.edges[pair.a]);
    take(mesh.edges[pair.b]);
    result.feature.parallel = parallel_threshold(edge_lengths_[pair.a], edge_lengths_[pair.b]);
  } else {
    take(std::array{pair.a});
    if (kind == Kind::vertex_face)
      take(mesh.faces[pair.b]);
    else if (kind == Kind::vertex_edge)
      take(mesh.edges[pair.b]);
    else
      take(std::array{pair.b});
  }
  return result;
}

void ContactBarriers::find(std::span<const Vec3> surface_positions, int threads) {
  PairOptions options;
  options.separation = barrier_.reach;
  options.filter.is_static = surface_.fixed;
  std::mutex mutex;
  std::vector<std::tuple<Kind, Pair>> found;
  const PairConsumer collect = [&](Kind kind, std::span<const Pair> block) {
    const std::lock_guard lock(mutex);
    for (const Pair& pair : block) found.emplace_back(kind, pair);
  };
  find_pairs({surface_.mesh, surface_positions, surface_positions}, collect, options,
             {.threads = threads}, default_pair_strategy(PairSet::meeting));
  std::sort(found.begin(), found.end());
  pairs_.clear();
  for (const auto& [kind, pair] : found)
    if (const Near candidate = near(kind, pair, surface_positions);
        barrier_.energy(candidate.feature) > 0)
      pairs_.push_back(candidate);
}

double ContactBarriers::energy() const {
  double sum = 0;
  for (const Near& pair : pairs_) sum += barrier_.energy(pair.feature);
  return sum;
}

void ContactBarriers::linearize(Eigen::VectorXd& gradient, BlockMatrix& curvature) const {
  for (const Near& pair : pairs_) {
    const LocalModel<4> model = barrier_.linearize(pair.feature, Curvature::projected);
    for (std::size_t i = 0; i < pair.size; ++i) {
      const auto row = 3 * static_cast<Eigen::Index>(i);
      const auto& a = surface_.carriers[pair.vertices[i]];
      for (std::size_t k = 0; k < a.size; ++k)
        gradient.segment<3>(3 * static_cast<Eigen::Index>(a.vertices[k])) +=
            a.weights[k] * model.gradient.segment<3>(row);
      for (std::size_t j = 0; j < pair.size; ++j) {
        const auto& b = surface_.carriers[pair.vertices[j]];
        const Eigen::Matrix3d block =
            model.hessian.block<3, 3>(row, 3 * static_cast<Eigen::Index>(j));
        for (std::size_t k = 0; k < a.size; ++k)
          for (std::size_t l = 0; l < b.size; ++l)
            curvature.add(a.vertices[k], b.vertices[l], a.weights[k] * b.weights[l] * block);
      }
    }
  }
}

void ContactBarriers::add_pairs(std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs) const {
  for (const Near& pair : pairs_)
    for (std::size_t i = 0; i < pair.size; ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const auto& a = surface_.carriers[pair.vertices[i]];
        const auto& b = surface_.carriers[pair.vertices[j]];
        for (std::size_t k = 0; k < a.size; ++k)
          for (std::size_t l = 0; l < b.size; ++l)
            if (a.vertices[k] != b.vertices[l]) pairs.emplace_back(a.vertices[k], b.vertices[l]);
      }
}

}  // namespace graze::sim::soft
