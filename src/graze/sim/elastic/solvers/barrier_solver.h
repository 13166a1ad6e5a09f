#pragma once

#include <memory>

#include "graze/sim/soft.h"

namespace graze::sim::soft {

// The solver behind Barriers (graze/sim/soft.h): prepared data and scratch memory of one model.
class BarrierSolver {
 public:
  BarrierSolver(const Model& model, const ContactSurface& surface);  // surface: not owned
  ~BarrierSolver();

  Report step(const Model& model, State& state, const LineSearchOptions& search,
              const Options& options, const Run& run);
  Energy energy(const Model& model, const State& state);

 private:
  class Implementation;
  std::unique_ptr<Implementation> own_;
};

}  // namespace graze::sim::soft
