#pragma once

#include <utility>
#include <vector>

#include "graze/sim/soft.h"

namespace graze::sim::soft {

// A model with its state, workspace and options, for the tests of both solvers.
struct Simulation {
  explicit Simulation(Model of) : model(std::move(of)), state(start(model)), workspace(model) {}
  Simulation(Model of, Constraints constraints) : Simulation(std::move(of)) {
    options.contacts = std::move(constraints);
    options.monitor = true;
  }

  Report step(double seconds, int threads = 1) {
    options.seconds = seconds;
    options.threads = threads;
    return soft::step(model, state, workspace, options);
  }
  Energy energy() { return soft::energy(model, state, workspace); }
  std::vector<Vec3> surface_positions() const {
    return workspace.surface().positions(state.positions);
  }

  Model model;
  State state;
  Workspace workspace;
  Options options;
};

}  // namespace graze::sim::soft
