#pragma once

#include <cstdint>
#include <vector>

#include "graze/sim/rigid/energy_accounts.h"
#include "graze/sim/rigid/rigid_shape.h"

namespace graze::sim::rigid {

// A model and its state during one step.
struct System {
  System(const Model& given_model, State& given_state)
      : model(given_model),
        state(given_state),
        stopped(given_state.bodies.size()),
        accounts(given_state.bodies.size()) {}

  const Model& model;
  State& state;
  std::vector<std::uint8_t> stopped;  // of bodies: 1 if it stands still for the rest of the step
  EnergyAccounts accounts;

  const ShapeData& shape(const Body& body) const { return model.shapes[body.shape].data(); }
};

}  // namespace graze::sim::rigid
