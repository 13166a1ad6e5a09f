#include "graze/sim/active_set.h"

namespace graze {
namespace {

ContactConstraint constraint_of(const MovingMesh& moving, const StepImpact& found, double eta) {
  const Impact& impact = found.impact;
  const auto stencil = contact_stencil(moving.mesh, found.kind, found.pair, impact.u, impact.v);
  const Vec3 normal = facing_normal(stencil, impact.normal, moving.start, moving.end);
  return {found.kind, found.pair, impact.toi, eta, normal, stencil};
}

}  // namespace

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
