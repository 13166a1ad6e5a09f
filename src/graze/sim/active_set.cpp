#include "graze/sim/active_set.h"

#include <cmath>

namespace graze {
namespace {

ContactConstraint constraint_of(const MovingMesh& moving, const StepImpact& found, double eta) {
  ContactConstraint c{found.kind, found.pair, found.impact.toi, eta, found.impact.normal, {},
                      {},         0};
  const auto add = [&](std::uint32_t vertex, double weight) {
    c.vertices[c.size] = vertex;
    c.weights[c.size++] = weight;
  };
  const auto add_edge = [&](std::uint32_t edge, double along, double sign) {
    const Edge& e = moving.mesh.edges[edge];
    add(e[0], sign * (1 - along));
    add(e[1], sign * along);
  };
  const double u = found.impact.u, v = found.impact.v;
  switch (found.kind) {
    case PairKind::vertex_face: {
      const Face& f = moving.mesh.faces[found.pair.b];
      add(found.pair.a, 1);
      add(f[0], -(1 - u - v));
      add(f[1], -u);
      add(f[2], -v);
      break;
    }
    case PairKind::edge_edge:
      add_edge(found.pair.a, u, 1);
      add_edge(found.pair.b, v, -1);
      break;
    case PairKind::vertex_edge:
      add(found.pair.a, 1);
      add_edge(found.pair.b, u, -1);
      break;
    case PairKind::vertex_vertex:
      add(found.pair.a, 1);
      add(found.pair.b, -1);
      break;
  }
  // Towards the side of the start; from contact at the start, against the motion.
  const auto along = [&](std::span<const Vec3> positions) { return c.gap(positions) + c.eta; };
  const double at_start = along(moving.start);
  if (at_start < 0 || (at_start == 0 && along(moving.end) > 0)) c.normal = -c.normal;
  return c;
}

}  // namespace

double ContactConstraint::gap(std::span<const Vec3> positions) const {
  Vec3 between = Vec3::Zero();
  for (std::size_t i = 0; i < size; ++i) between += weights[i] * positions[vertices[i]];
  return normal.dot(between) - eta;
}

std::size_t ActiveSet::update(const MovingMesh& moving, StepOptions options) {
  options.query.min_separation = eta_;
  options.method = find_method(eta_ > 0 ? "separation_root" : "exact");
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
