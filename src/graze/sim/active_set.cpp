#include "graze/sim/active_set.h"

#include <Eigen/Geometry>
#include <cmath>

#include "graze/narrow/closest_points.h"

namespace graze {
namespace {

template <class Query>
Vec3 at_time(const Query& query, std::size_t i, double t) {
  return (1 - t) * query.start[i] + t * query.end[i];
}

// Of the plane that the two primitives span, 0 where they span none.
Vec3 plane_normal(const VertexFace& query, double t) {
  const Vec3 origin = at_time(query, 1, t);
  return (at_time(query, 2, t) - origin).cross(at_time(query, 3, t) - origin);
}
Vec3 plane_normal(const EdgeEdge& query, double t) {
  return (at_time(query, 1, t) - at_time(query, 0, t))
      .cross(at_time(query, 3, t) - at_time(query, 2, t));
}
Vec3 plane_normal(const auto&, double) {
  return Vec3::Zero();
}

// Fills in what a method does not know of a contact.
template <class Query>
void complete(const Query& query, Impact& impact) {
  if (impact.normal.allFinite()) return;
  const ClosestPoints closest = closest_points(query, impact.toi);
  impact.normal = closest.normal;
  if (std::isnan(impact.u)) {
    impact.u = closest.u;
    impact.v = closest.v;
  } else if (const Vec3 normal = plane_normal(query, impact.toi); normal.squaredNorm() > 0) {
    impact.normal = normal.normalized();
  }
}

ContactConstraint constraint_of(const MovingMesh& moving, const StepImpact& found, double eta) {
  Impact impact = found.impact;
  const auto [a, b] = found.pair;
  switch (found.kind) {
    case PairKind::vertex_face:
      complete(moving.vertex_face(a, b), impact);
      break;
    case PairKind::edge_edge:
      complete(moving.edge_edge(a, b), impact);
      break;
    case PairKind::vertex_edge:
      complete(moving.vertex_edge(a, b), impact);
      break;
    case PairKind::vertex_vertex:
      complete(moving.vertex_vertex(a, b), impact);
      break;
  }
  const auto stencil = contact_stencil(moving.mesh, found.kind, found.pair, impact.u, impact.v);
  const Vec3 normal = facing_normal(stencil, impact.normal, moving.start, moving.end);
  return {found.kind, found.pair, impact.toi, eta, normal, stencil};
}

}  // namespace

std::size_t ActiveSet::update(const MovingMesh& moving, StepOptions options) {
  options.query.min_separation = eta_;
  const std::size_t before = constraints_.size();
  for (const StepImpact& found : all_impacts(moving, options).impacts)
    if (known_.emplace(found.kind, found.pair).second)
      constraints_.push_back(constraint_of(moving, found, eta_));
  return constraints_.size() - before;
}

void ActiveSet::clear() {
  constraints_.clear();
  known_.clear();
}

}  // namespace graze
