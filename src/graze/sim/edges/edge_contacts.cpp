#include "graze/sim/edges/edge_contacts.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

#include "graze/broad/pair_log.h"
#include "graze/core/numeric/float_environment.h"
#include "graze/narrow/separation/separation_root.h"
#include "graze/sim/contact_stencil.h"

namespace graze::sim::edges {
namespace {

class ReachSearch {
 public:
  ReachSearch(const MovingMesh& moving, std::span<const double> radii, double margin,
              const MotionObserver& observer)
      : moving_(moving), radii_(radii), margin_(margin), log_(observer) {}

  std::vector<Contact> search(PairOptions options, const Run& run) {
    double largest = 0;
    for (const double radius : radii_) largest = std::max(largest, radius);
    options.separation = 2 * largest + margin_;
    options.shared_vertices = true;
    const PairConsumer consumer = [&](Kind kind, std::span<const Pair> pairs) {
      log_.add(kind, pairs);
      switch (kind) {
        case Kind::vertex_face:
          return examine(kind, pairs, &MovingMesh::vertex_face);
        case Kind::edge_edge:
          return examine(kind, pairs, &MovingMesh::edge_edge);
        case Kind::vertex_edge:
          return examine(kind, pairs, &MovingMesh::vertex_edge);
        case Kind::vertex_vertex:
          return examine(kind, pairs, &MovingMesh::vertex_vertex);
        case Kind::edge_face:  // no query
          return;
      }
    };
    find_pairs(moving_, consumer, options, run);
    std::sort(found_.begin(), found_.end(), [](const Contact& a, const Contact& b) {
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

  double reach(Kind kind, const Pair& pair) const {
    const Mesh& mesh = moving_.mesh;
    switch (kind) {
      case Kind::vertex_face:
        return margin_ + radii_[pair.a] + radius(mesh.faces[pair.b]);
      case Kind::edge_edge:
        return margin_ + radius(mesh.edges[pair.a]) + radius(mesh.edges[pair.b]);
      case Kind::vertex_edge:
        // A pair without a point (Mesh::points) consists of an edge and the end of its neighbour.
        return std::binary_search(mesh.points.begin(), mesh.points.end(), pair.a)
                   ? margin_ + radii_[pair.a] + radius(mesh.edges[pair.b])
                   : margin_;
      case Kind::vertex_vertex:
        return margin_ + radii_[pair.a] + radii_[pair.b];
      case Kind::edge_face:  // no query
        break;
    }
    return margin_;
  }

  // Solves one batch per distinct distance: as many as there are kinds of cables.
  template <class Query>
  void examine(Kind kind, std::span<const Pair> pairs,
               Query (MovingMesh::*query_of)(std::size_t, std::size_t) const) {
    std::map<double, std::vector<Pair>> by_reach;
    for (const Pair& pair : pairs) by_reach[reach(kind, pair)].push_back(pair);
    std::vector<Query> queries;
    std::vector<Impact> impacts;
    for (const auto& [distance, group] : by_reach) {
      queries.clear();
      impacts.resize(group.size());
      for (const Pair& pair : group) queries.push_back((moving_.*query_of)(pair.a, pair.b));
      graze::Options options;
      options.min_separation = distance;
      narrow::separation_root(std::span<const Query>(queries), options, impacts);
      for (std::size_t i = 0; i < group.size(); ++i)
        if (impacts[i].verdict != Verdict::separated) keep(kind, group[i], distance, impacts[i]);
    }
  }

  void keep(Kind kind, const Pair& pair, double distance, const Impact& impact) {
    Contact reached{kind,
                    pair,
                    impact.toi,
                    distance,
                    contact_stencil(moving_.mesh, kind, pair, impact.u, impact.v),
                    impact.normal};
    // With a distance > 0 the normal is the direction between the closest points, which already
    // points to the first feature.
    if (distance == 0)
      reached.normal = facing_normal(reached.stencil, impact.normal, moving_.start, moving_.end);
    const std::lock_guard lock(mutex_);
    found_.push_back(reached);
  }

  const MovingMesh& moving_;
  std::span<const double> radii_;
  double margin_;
  broad::PairLog log_;
  std::mutex mutex_;
  std::vector<Contact> found_;
};

}  // namespace

std::vector<Contact> reached_pairs(const MovingMesh& moving, std::span<const double> radii,
                                   double margin, const PairOptions& options, const Run& run,
                                   const MotionObserver& observer) {
  const FloatEnvironment environment;
  return ReachSearch(moving, radii, margin, observer).search(options, run);
}

}  // namespace graze::sim::edges
