#include "graze/sim/soft.h"

#include <algorithm>
#include <cmath>

#include "graze/check_mesh.h"
#include "graze/sim/elastic/solvers/active_set_solver.h"
#include "graze/sim/elastic/solvers/barrier_solver.h"
#include "graze/sim/elastic/solvers/step_parts.h"
#include "graze/sim/inner_run.h"
#include "graze/sim/monitor.h"

namespace graze::sim::soft {
namespace {

bool is_valid(const Model& model, const State& state, const Options& options) {
  std::size_t vertices = 0;
  for (const Body& body : model.bodies) vertices += body.rest.size();
  const auto fit = [&](const std::vector<Vec3>& vectors) {
    return vectors.size() == vertices &&
           std::ranges::all_of(vectors, [](const Vec3& x) { return x.allFinite(); });
  };
  const auto* constraints = std::get_if<Constraints>(&options.contacts);
  return std::isfinite(options.seconds) && options.seconds >= 0 && fit(state.positions) &&
         fit(state.velocities) &&
         (!constraints || (std::isfinite(constraints->eta) && constraints->eta > 0));
}

// Returns whether the vertices that carry the surface are among `vertices` vertices.
bool carry(const ContactSurface& surface, std::size_t vertices) {
  return std::ranges::all_of(surface.carriers, [&](const ContactSurface::Carrier& carrier) {
    return std::all_of(carrier.vertices.begin(), carrier.vertices.begin() + carrier.size,
                       [&](std::uint32_t vertex) { return vertex < vertices; });
  });
}

}  // namespace

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

Report step(const Model& model, State& state, Workspace& workspace, const Options& options,
            const Run& run) {
  if (!is_valid(model, state, options)) return report_of(Verdict::invalid);
  if (is_stopped(run)) return report_of(Verdict::undecided);
  if (const auto* constraints = std::get_if<Constraints>(&options.contacts))
    return workspace.data_->active_set_solver(model).step(model, state, *constraints, options, run);
  const auto& given = std::get<Barriers>(options.contacts).search;
  const LineSearchOptions search = given ? *given : default_search(model);
  if (!is_sensible(search)) return report_of(Verdict::invalid);
  return workspace.data_->barrier_solver(model).step(model, state, search, options, run);
}

Report step(const Model& model, State& state, const Options& options, const Run& run) {
  Workspace workspace(model);
  return step(model, state, workspace, options, run);
}

Crossing find_crossing(const ContactSurface& surface, const State& before, const State& after,
                       const Run& run) {
  if (!carry(surface, std::min(before.positions.size(), after.positions.size())))
    return {.verdict = Verdict::invalid};
  const std::vector<Vec3> start = surface.positions(before.positions);
  const std::vector<Vec3> end = surface.positions(after.positions);
  PairOptions pairs;
  pairs.filter.is_static = surface.fixed;
  const FirstImpact first =
      first_crossing({surface.mesh, start, end}, pairs, run, &default_pair_strategy());
  if (first.impact.verdict != Verdict::separated)
    return {first.impact.verdict, false, first.kind, first.pair, first.impact.toi};
  const Intersections found = find_intersections(surface.mesh, end, surface.fixed, inner_run(run));
  if (found.verdict != Verdict::contact) return {.verdict = found.verdict};
  return {Verdict::contact, true, {}, {found.faces[0].a, found.faces[0].b}, 1};
}

Energy energy(const Model& model, const State& state, Workspace& workspace) {
  return workspace.data_->barrier_solver(model).energy(model, state);
}

Energy energy(const Model& model, const State& state) {
  Workspace workspace(model);
  return energy(model, state, workspace);
}

}  // namespace graze::sim::soft
