#pragma once

#include <utility>
#include <vector>

#include "graze/check_mesh.h"
#include "graze/sim/soft.h"

namespace graze::sim::soft {

// A model with its state, workspace and options, for the tests of both solvers.
struct Simulation {
  explicit Simulation(Model of) : model(std::move(of)), state(start(model)), workspace(model) {}
  Simulation(Model of, Constraints constraints) : Simulation(std::move(of)) {
    options.contacts = std::move(constraints);
  }

  Report step(double seconds, int threads = 1) {
    options.seconds = seconds;
    return soft::step(model, state, workspace, options, {.threads = threads});
  }
  // Counts the motions that find_crossing() does not certify, from now on.
  void watch() {
    options.monitor = [this](const State& before, const State& after) {
      ++parts;
      crossings += find_crossing(workspace.surface(), before, after, {.threads = 1}).verdict !=
                   Verdict::separated;
    };
  }
  // Returns whether faces intersect in the current state.
  bool intersects() const {
    const ContactSurface& surface = workspace.surface();
    return find_intersections(surface.mesh, surface_positions(), surface.fixed).verdict !=
           Verdict::separated;
  }
  Energy energy() { return soft::energy(model, state, workspace); }
  std::vector<Vec3> surface_positions() const {
    return workspace.surface().positions(state.positions);
  }

  Model model;
  State state;
  Workspace workspace;
  Options options;
  std::size_t parts = 0, crossings = 0;  // seen by watch()
};

}  // namespace graze::sim::soft
