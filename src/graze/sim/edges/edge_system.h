#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "graze/core/mesh.h"
#include "graze/sim/edges/cable.h"
#include "graze/sim/edges/edge_contacts.h"
#include "graze/sim/impulse.h"

namespace graze {

class EdgeDynamics;  // edge_dynamics.h

// An edge that resists a change of its length. Infinite stiffness: it has that length.
struct Spring {
  Edge ends;
  double length;     // at rest, > 0
  double stiffness;  // force per length, > 0
};

// Particles joined by edges: what a scene says of them. Plain data.
struct EdgeModel {
  std::vector<Vec3> positions, velocities;
  std::vector<double> masses;  // > 0; infinite: moves with its velocity whatever happens
  std::vector<double> radii;   // of the particle and of what is spanned by it (the largest counts)
  std::vector<Vec3> forces;    // constant, or empty
  std::vector<Spring> springs;
  std::vector<Edge> edges;  // beyond those of springs, cables and faces
  std::vector<Face> faces;
  std::vector<CableModel> cables;
  Vec3 gravity = {0, 0, 0};
  double drag = 0;    // part of the velocity that is lost per second, >= 0
  ImpulseLaw law;     // of contact
  double margin = 0;  // > 0: contact acts where surfaces are this close
};

// Empty where the model can be simulated, else what is wrong with it: a clear sentence with the
// indices of the culprits. Among them: features that are within their radii of each other.
std::string problem(const EdgeModel& model);

// All its edges and faces.
Mesh mesh_of(const EdgeModel& model);

struct EdgeStepReport {
  int newton_steps = 0;
  int rounds = 0;                   // of impulses
  int repeats = 0;                  // of the step, for the sake of its energy
  std::size_t impulses = 0;         // given
  std::vector<ReachedPair> pushed;  // by those before any repeat; toi: of this step
  std::size_t zones = 0;            // groups that had to move as one
  double part = 1;                  // of the motion that was taken; < 1 where nothing else helped
  bool crossed = false;             // only with the monitor: never
  double contact_seconds = 0;       // of the time that the step took, with its repeats
};

// Lets the particles of a model move through time.
//
// A step goes forward by implicit Euler's rule (springs and cables by Newton's method on its
// energy), looks for what comes within reach of each other on the straight way there, gives
// impulses at the times of impact, earliest first, in rounds until nothing approaches, and goes
// forward anew with them where they made energy. What then still meets moves as one rigid zone. If
// all fails, less of the motion is taken, at last none.
//
//   (1) On the straight way of all particles from one state to the next no two features come within
//       the sum of their radii (radius 0: touch), features that share a particle excepted.
//   (2) Two edges that share a particle do not fold onto each other: no end touches the other edge.
//       (Section 3.6 of [Jansen]; by (1) and this nothing passes through anything.)
//   (3) A step always ends.
//   (4) The states depend on the model, the steps and no more: not on `threads`, and not on being
//       saved and restored in between.
// Promises (1) and (2) are decided by `separation_root` and `exact` on the states as stored.
//
// Reference: [Jansen] 3.5 to 3.7; rounds and zones after Bridson et al. 2002. Zones displace by
// h (v + w x r), an affine map whose singular values are at least 1 at all times, so that no
// distance in a zone decreases.
class EdgeSystem {
 public:
  explicit EdgeSystem(EdgeModel model);  // problem(model) is empty
  EdgeSystem(EdgeSystem&&) noexcept;
  EdgeSystem& operator=(EdgeSystem&&) noexcept;
  ~EdgeSystem();

  EdgeStepReport step(double seconds, int threads = 1);

  const EdgeModel& model() const { return model_; }  // positions and velocities are those reached
  const Mesh& mesh() const { return mesh_; }
  double time() const { return time_; }

  // Checks every step once more by `earliest_impact` and `exact`; tells in the report.
  void set_monitor(bool on) { monitor_ = on; }
  // Is shown every motion that steps ask of, with its pairs; not what the monitor asks.
  void set_observer(MotionObserver observer) { observer_ = std::move(observer); }

  struct Energy {
    double kinetic = 0, gravity = 0, forces = 0, elastic = 0;  // of particles of finite mass
    double total() const { return kinetic + gravity + forces + elastic; }
  };
  Energy energy() const { return energy(model_.positions, model_.velocities); }
  Vec3 momentum() const, angular_momentum() const;  // about 0

  // All that changes: a system of the same model that takes it goes on with the same bits.
  struct State {
    double time = 0;
    std::vector<Vec3> positions, velocities;
    std::vector<std::vector<CableElasticity::Frame>> frames;  // of the cables
    std::vector<double> tensions;                             // of the rigid springs
  };
  State state() const;
  void restore(const State& state);  // of this model

 private:
  Energy energy(std::span<const Vec3> x, std::span<const Vec3> v) const;

  EdgeModel model_;
  Mesh mesh_;
  std::vector<double> inverse_mass_;
  std::unique_ptr<EdgeDynamics> dynamics_;
  double time_ = 0;
  bool monitor_ = false;
  MotionObserver observer_;
};

}  // namespace graze
