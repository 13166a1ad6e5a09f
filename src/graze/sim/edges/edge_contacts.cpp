#include "graze/sim/edges/edge_contacts.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

#include "graze/core/float_environment.h"
#include "graze/narrow/separation_root.h"

namespace graze {
namespace {

class ReachSearch {
 public:
  ReachSearch(const MovingMesh& moving, std::span<const double> radii, double margin,
              const MotionObserver& observer)
      : moving_(moving), radii_(radii), margin_(margin), log_(observer) {}

  std::vector<ReachedPair> run(PairOptions options) {
    double largest = 0;
    for (const double radius : radii_) largest = std::max(largest, radius);
    options.separation = 2 * largest + margin_;
    options.shared_vertices = true;
    const PairConsumer log = log_.consumer();
    find_pairs(default_pair_strategy(), moving_, options,
               [&](PairKind kind, std::span<const Pair> pairs) {
                 if (log) log(kind, pairs);
                 switch (kind) {
                   case PairKind::vertex_face:
                     return examine(kind, pairs, &MovingMesh::vertex_face);
                   case PairKind::edge_edge:
                     return examine(kind, pairs, &MovingMesh::edge_edge);
                   case PairKind::vertex_edge:
                     return examine(kind, pairs, &MovingMesh::vertex_edge);
                   case PairKind::vertex_vertex:
                     return examine(kind, pairs, &MovingMesh::vertex_vertex);
                 }
               });
    std::sort(found_.begin(), found_.end(), [](const ReachedPair& a, const ReachedPair& b) {
      return std::tuple(a.toi, a.kind, a.pair) < std::tuple(b.toi, b.kind, b.pair);
    });
    log_.show(moving_);
    return std::move(found_);
  }

 private:
  double radius(const auto& vertices) const {
    double largest = 0;
    for (const std::uint32_t vertex : vertices) largest = std::max(largest, radii_[vertex]);
    return largest;
  }

  double reach(PairKind kind, const Pair& pair) const {
    const Mesh& mesh = moving_.mesh;
    switch (kind) {
      case PairKind::vertex_face:
        return margin_ + radii_[pair.a] + radius(mesh.faces[pair.b]);
      case PairKind::edge_edge:
        return margin_ + radius(mesh.edges[pair.a]) + radius(mesh.edges[pair.b]);
      case PairKind::vertex_edge:
        // Only a point meets a rod otherwise.
        return std::binary_search(mesh.points.begin(), mesh.points.end(), pair.a)
                   ? margin_ + radii_[pair.a] + radius(mesh.edges[pair.b])
                   : margin_;
      case PairKind::vertex_vertex:
        return margin_ + radii_[pair.a] + radii_[pair.b];
    }
    return margin_;
  }

  // One batch for each distance: there are as many as kinds of cables.
  template <class Query>
  void examine(PairKind kind, std::span<const Pair> pairs,
               Query (MovingMesh::*query_of)(std::size_t, std::size_t) const) {
    std::map<double, std::vector<Pair>> by_reach;
    for (const Pair& pair : pairs) by_reach[reach(kind, pair)].push_back(pair);
    std::vector<Query> queries;
    std::vector<Impact> impacts;
    for (const auto& [distance, group] : by_reach) {
      queries.clear();
      impacts.resize(group.size());
      for (const Pair& pair : group) queries.push_back((moving_.*query_of)(pair.a, pair.b));
      Options options;
      options.min_separation = distance;
      separation_root(std::span<const Query>(queries), options, impacts);
      for (std::size_t i = 0; i < group.size(); ++i)
        if (impacts[i].verdict != Verdict::separated) keep(kind, group[i], distance, impacts[i]);
    }
  }

  void keep(PairKind kind, const Pair& pair, double distance, const Impact& impact) {
    ReachedPair reached{kind,
                        pair,
                        impact.toi,
                        distance,
                        contact_stencil(moving_.mesh, kind, pair, impact.u, impact.v),
                        impact.normal};
    // At a distance the normal is that between the closest points and faces the first already.
    if (distance == 0)
      reached.normal = facing_normal(reached.stencil, impact.normal, moving_.start, moving_.end);
    const std::lock_guard lock(mutex_);
    found_.push_back(reached);
  }

  const MovingMesh& moving_;
  std::span<const double> radii_;
  double margin_;
  PairLog log_;
  std::mutex mutex_;
  std::vector<ReachedPair> found_;
};

}  // namespace

std::vector<ReachedPair> reached_pairs(const MovingMesh& moving, std::span<const double> radii,
                                       double margin, const PairOptions& options,
                                       const MotionObserver& observer) {
  const FloatEnvironment environment;
  return ReachSearch(moving, radii, margin, observer).run(options);
}

}  // namespace graze
