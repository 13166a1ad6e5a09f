#include "graze/sim/soft.h"

#include <cassert>

#include "graze/sim/elastic/solvers/active_set_solver.h"
#include "graze/sim/elastic/solvers/barrier_solver.h"

namespace graze::sim::soft {

struct Workspace::Data {
  explicit Data(const Model& model) : surface(contact_surface(model)) {}

  // Each solver is prepared by its first use.
  BarrierSolver& barrier_solver(const Model& model) {
    if (!barriers) barriers = std::make_unique<BarrierSolver>(model, surface);
    return *barriers;
  }
  ActiveSetSolver& active_set_solver(const Model& model) {
    if (!active_set) active_set = std::make_unique<ActiveSetSolver>(model, surface);
    return *active_set;
  }

  ContactSurface surface;
  std::unique_ptr<BarrierSolver> barriers;
  std::unique_ptr<ActiveSetSolver> active_set;
};

Workspace::Workspace(const Model& model) : data_(std::make_unique<Data>(model)) {}
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;
Workspace::~Workspace() = default;

const ContactSurface& Workspace::surface() const {
  return data_->surface;
}

LineSearchOptions default_search(const Model& model) {
  LineSearchOptions search;
  search.separation = model.reach / 10;
  search.fraction = 0.2;
  return search;
}

Report step(const Model& model, State& state, Workspace& workspace, const Options& options) {
  assert(options.seconds >= 0);
  if (const auto* constraints = std::get_if<Constraints>(&options.contacts))
    return workspace.data_->active_set_solver(model).step(model, state, *constraints, options);
  const auto& search = std::get<Barriers>(options.contacts).search;
  return workspace.data_->barrier_solver(model).step(
      model, state, search ? *search : default_search(model), options);
}

Report step(const Model& model, State& state, const Options& options) {
  Workspace workspace(model);
  return step(model, state, workspace, options);
}

Energy energy(const Model& model, const State& state, Workspace& workspace) {
  return workspace.data_->barrier_solver(model).energy(model, state);
}

Energy energy(const Model& model, const State& state) {
  Workspace workspace(model);
  return energy(model, state, workspace);
}

}  // namespace graze::sim::soft
