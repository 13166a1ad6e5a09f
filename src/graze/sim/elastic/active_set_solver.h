#pragma once

#include <memory>
#include <span>
#include <vector>

#include "graze/earliest_impact.h"
#include "graze/sim/elastic/soft_model.h"

namespace graze {

struct ActiveSetOptions {
  double eta = 1e-3;        // length, > 0: the distance that constraints ask for
  StepOptions collisions;   // method and its tolerances; null: separation_root
  MotionObserver observer;  // is shown what was asked
  int max_iterations = 40;  // of a time step
};

struct ActiveSetReport {
  int iterations = 0;
  bool converged = true;        // else the budget of iterations was spent
  std::size_t constraints = 0;  // active at the end
  std::size_t pressing = 0;     // of them, those with a force
  int dropped = 0;              // that contradicted others in the last programme
  std::uint64_t pairs = 0;      // asked
  // Of the time that the step took: in collision detection, in the quadratic programmes with what
  // leads to them.
  double collision_seconds = 0, solver_seconds = 0;
};

// Lets the bodies of a model move through time by implicit Euler's rule under the constraints of an
// active set: the next positions minimize
//   E(x) = sum m/2h^2 |x - (x0 + h v0 + h^2 g)|^2 + elastic energy   subject to
//   n . (p1(x) - p2(x)) >= eta   for all pairs that came within eta on the way from x0 to an
//   iterate
// by sequential quadratic programming: each iteration solves the quadratic programme of the
// energy's projected Hessian (complementarity.h), goes along its solution as far as E and the
// violations together fall, and adds what that motion from x0 activates ([Wang 2021] Sec. 7.1, Alg.
// 3). The set is emptied with each time step.
//
// A constraint keeps the two points that met apart along the normal they had then. It is linear in
// the positions, so that a programme sees it as it is; but where features turn or slide within a
// step, others of their points may meet. So the method makes intersections unlikely and proves
// nothing: crossing_faces() tells of each frame. (BarrierSolver proves it.)
//
//   (1) After a step that converged with nothing dropped, every constraint holds to a thousandth of
//       eta.
//   (2) Where no pair comes within eta, a step is that of unconstrained implicit Euler.
//   (3) Held vertices do not move; `drive` and the model's barriers are not read.
//   (4) The states depend on the model, the steps and the options but `threads` alone.
class ActiveSetSolver {
 public:
  // problem(model) is empty; the options' filter of pairs is replaced.
  ActiveSetSolver(SoftModel model, ActiveSetOptions options);
  ActiveSetSolver(ActiveSetSolver&&) noexcept;
  ActiveSetSolver& operator=(ActiveSetSolver&&) noexcept;
  ~ActiveSetSolver();

  ActiveSetReport step(double seconds);

  const ContactSurface& surface() const;
  std::span<const Vec3> positions() const;  // of the vertices of all bodies, one after the other
  std::span<const Vec3> velocities() const;
  std::vector<Vec3> surface_positions() const;
  double time() const;
  double energy() const;  // kinetic, of height, and elastic

  SoftState state() const;
  void restore(const SoftState& state);  // of this model

 private:
  class Implementation;
  std::unique_ptr<Implementation> own_;
};

}  // namespace graze
