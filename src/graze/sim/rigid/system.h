#pragma once

#include <cstdint>
#include <vector>

#include "graze/sim/rigid/rigid_shape.h"

namespace graze::sim::rigid {

// A model and its state during one step.
struct System {
  System(const Model& given_model, State& given_state)
      : model(given_model),
        state(given_state),
        stopped(given_state.bodies.size()),
        accelerated(given_state.bodies.size()) {}

  const Model& model;
  State& state;
  // Of bodies:
  std::vector<std::uint8_t> stopped;      // 1 if the body stands still for the rest of the step
  std::vector<std::uint8_t> accelerated;  // 1 if its velocity includes the gravity of the step

  const ShapeData& shape(const Body& body) const { return model.shapes[body.shape].data(); }
};

}  // namespace graze::sim::rigid
