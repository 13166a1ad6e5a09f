#include "graze/sim/edges/edge_contacts.h"

#include <algorithm>
#include <tuple>

#include "graze/core/numeric/float_environment.h"
#include "graze/narrow/separation/separation_root.h"
#include "graze/sim/contact_stencil.h"

namespace graze::sim::edges {
namespace {

// Pairs of features and the distances that count as contact.
class Reach {
 public:
  Reach(const MovingMesh& moving, std::span<const double> radii, double margin)
      : moving_(moving), radii_(radii), margin_(margin) {
    double largest = 0;
    for (const double radius : radii) largest = std::max(largest, radius);
    largest_ = margin + 2 * largest;
  }

  // Returns the largest distance of all pairs.
  double largest() const { return largest_; }

  // Appends the contact of a pair that comes within a distance, whose impact is known.
  void keep(Kind kind, const Pair& pair, double distance, const Impact& impact,
            std::vector<Contact>& contacts) const {
    contacts.push_back({kind, pair, impact.toi, distance,
                        contact_stencil(moving_.mesh, kind, pair, impact.u, impact.v),
                        impact.normal});
    // With a distance > 0 the normal is the direction between the closest points, which already
    // points to the first feature.
    Contact& contact = contacts.back();
    if (distance == 0)
      contact.normal = facing_normal(contact.stencil, impact.normal, moving_.start, moving_.end);
  }

  // Appends the contact of a pair if it comes within its distance.
  void test(Kind kind, const Pair& pair, std::vector<Contact>& contacts) const {
    const double distance = of(kind, pair);
    const auto solve = [&](const auto& query) {
      MethodOptions options;
      options.min_separation = distance;
      Impact impact;
      narrow::separation_root(std::span(&query, 1), options, std::span(&impact, 1));
      if (impact.verdict != Verdict::separated) keep(kind, pair, distance, impact, contacts);
    };
    switch (kind) {
      case Kind::vertex_face:
        return solve(moving_.vertex_face(pair.a, pair.b));
      case Kind::edge_edge:
        return solve(moving_.edge_edge(pair.a, pair.b));
      case Kind::vertex_edge:
        return solve(moving_.vertex_edge(pair.a, pair.b));
      case Kind::vertex_vertex:
        return solve(moving_.vertex_vertex(pair.a, pair.b));
      case Kind::edge_face:  // no query
        return;
    }
  }

  double of(Kind kind, const Pair& pair) const {
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

 private:
  double radius(const auto& vertices) const {
    double largest = 0;
    for (const std::uint32_t vertex : vertices) largest = std::max(largest, radii_[vertex]);
    return largest;
  }

  const MovingMesh& moving_;
  std::span<const double> radii_;
  double margin_, largest_;
};

}  // namespace

void sort_by_time(std::vector<Contact>& contacts) {
  std::sort(contacts.begin(), contacts.end(), [](const Contact& a, const Contact& b) {
    return std::tuple(a.toi, a.kind, a.pair) < std::tuple(b.toi, b.kind, b.pair);
  });
}

// All pairs that come within the largest distance are found exactly; those with a smaller distance
// are tested again.
std::vector<Contact> reached_pairs(const MovingMesh& moving, std::span<const double> radii,
                                   double margin, const PairOptions& options, const Run& run,
                                   const MotionObserver& observer) {
  const FloatEnvironment environment;
  const Reach reach(moving, radii, margin);
  StepOptions step;
  step.query.min_separation = reach.largest();
  step.pairs = options;
  step.pairs.shared_vertices = true;
  step.start_check = false;
  step.observer = observer;
  std::vector<Contact> contacts;
  for (const auto& [kind, pair, impact] : all_impacts(moving, step, run).impacts)
    if (reach.of(kind, pair) == reach.largest())
      reach.keep(kind, pair, reach.largest(), impact, contacts);
    else
      reach.test(kind, pair, contacts);
  sort_by_time(contacts);
  return contacts;
}

std::vector<Contact> still_reached(const MovingMesh& moving, std::span<const double> radii,
                                   double margin, std::span<const Contact> among) {
  const FloatEnvironment environment;
  const Reach reach(moving, radii, margin);
  std::vector<Contact> contacts;
  for (const Contact& contact : among) reach.test(contact.kind, contact.pair, contacts);
  sort_by_time(contacts);
  return contacts;
}

}  // namespace graze::sim::edges
