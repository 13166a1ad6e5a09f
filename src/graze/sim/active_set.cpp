#include <Eigen/Geometry>
#include <cmath>

#include "graze/separation.h"
#include "graze/sim/contact_stencil.h"
#include "graze/sim/soft.h"

namespace graze::sim {
namespace {

template <class Query>
Vec3 at_time(const Query& query, std::size_t i, double t) {
  return (1 - t) * query.start[i] + t * query.end[i];
}

// Returns a normal of the plane that the two primitives span, 0 if they span none.
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

// Adds the normal and the contact points if the method did not report them.
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
    case Kind::vertex_face:
      complete(moving.vertex_face(a, b), impact);
      break;
    case Kind::edge_edge:
      complete(moving.edge_edge(a, b), impact);
      break;
    case Kind::vertex_edge:
      complete(moving.vertex_edge(a, b), impact);
      break;
    case Kind::vertex_vertex:
      complete(moving.vertex_vertex(a, b), impact);
      break;
    case Kind::edge_face:  // update() does not search for it
      break;
  }
  const auto stencil = contact_stencil(moving.mesh, found.kind, found.pair, impact.u, impact.v);
  const Vec3 normal = facing_normal(stencil, impact.normal, moving.start, moving.end);
  return {found.kind, found.pair, impact.toi, eta, normal, stencil};
}

}  // namespace

std::size_t ActiveSet::update(const MovingMesh& moving, StepOptions options, const Run& run) {
  options.query.min_separation = eta_;
  options.start_check = false;  // an edge that pierces a face gives no constraint
  const std::size_t before = constraints_.size();
  for (const StepImpact& found : all_impacts(moving, options, run).impacts)
    if (known_.emplace(found.kind, found.pair).second)
      constraints_.push_back(constraint_of(moving, found, eta_));
  return constraints_.size() - before;
}

std::size_t ActiveSet::renew(const MovingMesh& moving, const PairOptions& pairs, const Run& run) {
  StepOptions options;
  options.pairs = pairs;
  options.start_check = false;
  const std::size_t before = constraints_.size();
  for (const StepImpact& found : all_impacts(moving, options, run).impacts) {
    known_.emplace(found.kind, found.pair);
    constraints_.push_back(constraint_of(moving, found, eta_));
  }
  return constraints_.size() - before;
}

void ActiveSet::clear() {
  constraints_.clear();
  known_.clear();
}

}  // namespace graze::sim
