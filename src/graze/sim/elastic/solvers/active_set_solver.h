#pragma once

#include <memory>

#include "graze/sim/soft.h"

namespace graze::sim::soft {

// The solver behind Constraints (graze/sim/soft.h): prepared data and scratch memory of one model.
class ActiveSetSolver {
 public:
  ActiveSetSolver(const Model& model, const ContactSurface& surface);  // surface: not owned
  ~ActiveSetSolver();

  Report step(const Model& model, State& state, const Constraints& constraints,
              const Options& options, const Run& run);

 private:
  class Implementation;
  std::unique_ptr<Implementation> own_;
};

}  // namespace graze::sim::soft
