#pragma once

#include <memory>
#include <span>
#include <vector>

#include "graze/sim/elastic/soft_model.h"
#include "graze/sim/line_search.h"

namespace graze {

struct SoftStepReport {
  int newton_steps = 0;
  bool converged = true;          // else the budget of Newton steps was spent
  std::size_t contacts = 0;       // pairs within reach at the end
  double bound = 1;               // the least step that contact allowed
  double off_course = 0;          // largest distance of a driven vertex from its place
  std::size_t intersections = 0;  // only with the monitor: always 0
  std::uint64_t bound_pairs = 0;  // examined for the bounds of the steps
  // Of the time that the step took: for the bounds of the steps, for their exact check, for all
  // else, and for the monitor.
  double bound_seconds = 0, check_seconds = 0, other_seconds = 0, monitor_seconds = 0;
};

// Lets the bodies of a model move through time by implicit Euler's rule: the next positions
// minimize, over what can be reached without touching,
//   sum m/2h^2 |x - (x0 + h v0 + h^2 g)|^2 + elastic energy + barriers of all pairs within reach,
// and springs that draw driven vertices to their places. Newton's method with projected Hessians
// and a line search filtered by collision detection ([Wang 2021] Alg. 4, Li et al. 2020).
//
//   (1) From one accepted Newton step to the next, on straight lines between the positions as
//       stored, no two features of the surfaces touch: decided by `exact`, whatever method bounds
//       the steps. Hence no surface ever passes through another, and none intersects.
//   (2) The energy above falls with every Newton step.
//   (3) Held vertices that are not driven do not move.
//   (4) A step always ends.
//   (5) The states depend on the model, the steps and the search options and no more: not on
//       `threads`, and not on being saved and restored in between.
class BarrierSolver {
 public:
  // problem(model) is empty. Of the search options, `pairs` is replaced.
  explicit BarrierSolver(SoftModel model);
  BarrierSolver(SoftModel model, const LineSearchOptions& search);
  BarrierSolver(BarrierSolver&&) noexcept;
  BarrierSolver& operator=(BarrierSolver&&) noexcept;
  ~BarrierSolver();

  // What suits a model: keeps a fifth of the distances, or a tenth of the reach.
  static LineSearchOptions usual_search(const SoftModel& model);

  SoftStepReport step(double seconds, int threads = 1);

  const SoftModel& model() const;
  const ContactSurface& surface() const;
  std::span<const Vec3> positions() const;  // of the vertices of all bodies, one after the other
  std::vector<Vec3> surface_positions() const;
  double time() const;

  // Checks every accepted Newton step once more by `exact` on all pairs whose boxes overlap, and
  // counts the pairs of triangles that meet after each time step (crossing_faces.h); tells in the
  // report.
  void set_monitor(bool on);

  struct Energy {
    double kinetic = 0, gravity = 0, elastic = 0, barrier = 0;
    double total() const { return kinetic + gravity + elastic + barrier; }
  };
  Energy energy() const;

  SoftState state() const;
  void restore(const SoftState& state);  // of this model

 private:
  class Implementation;
  std::unique_ptr<Implementation> own_;
};

}  // namespace graze
