#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "graze/find_pairs.h"
#include "graze/impact.h"
#include "graze/mesh.h"
#include "graze/options.h"
#include "graze/sim/impulse.h"

// Particles joined by springs, cables, edges and faces, moved in time with certified contact.
//
//   edges::Model model = ...;                       // constant; problem(model) is empty
//   edges::State state = edges::start(model);       // what moves
//   edges::Workspace workspace(model);              // prepared data, kept between steps
//   edges::Report report = edges::step(model, state, workspace);
//
// Lengths, masses and times are in any consistent units. No function throws; calls with different
// states and workspaces may run at the same time.
namespace graze::sim::edges {

// An edge that resists a change of its length.
struct Spring {
  Edge ends;         // two particles
  double length;     // rest length, > 0
  double stiffness;  // force per length, > 0; infinity: the length is a constraint
};

// A cable that is straight at rest: a discrete elastic rod with a round cross-section.
struct Cable {
  std::vector<std::uint32_t> particles;  // at least 2, in order, all different
  double stretch = 0;                    // force per strain: modulus times cross-section, > 0
  double bend = 0, twist = 0;            // modulus times second moment of area, >= 0
  double turn = 0;          // radians by which the last element is turned against the first
  bool holds_turn = false;  // both ends are clamped against turning; otherwise no twist remains
};

// The data that are constant during a run. The positions and velocities are those of the start; the
// rest lengths of the cables are the lengths of their elements there.
struct Model {
  std::vector<Vec3> positions, velocities;
  std::vector<double> masses;  // > 0; infinity: the particle keeps its velocity (pinned)
  std::vector<double> radii;   // >= 0; an edge or face has the largest radius of its particles
  std::vector<Vec3> forces;    // constant, one per particle, or empty
  std::vector<Spring> springs;
  std::vector<Edge> edges;  // in addition to those of springs, cables and faces
  std::vector<Face> faces;  // of particles, for contacts
  std::vector<Cable> cables;
  Vec3 gravity = {0, 0, 0};  // acceleration
  double drag = 0;           // fraction of the velocity that is lost per time, >= 0
  ImpulseLaw law;            // of contacts
  double margin = 0;         // length, > 0: contact impulses act on surfaces this close
};

// Appends a straight cable of `elements` >= 1 equal springs between two points ([Jansen] 3.7): adds
// elements + 1 particles at rest, in order, with the radius and the mass (of the whole cable)
// given. Half of the mass of an element belongs to each of its ends. Returns the cable, whose
// stretch, bend and twist are still 0; the reference is valid until model.cables changes.
Cable& add_cable(Model& model, const Vec3& from, const Vec3& to, std::size_t elements, double mass,
                 double radius = 0);
// The same between two particles that exist already and keep their masses and radii: adds
// elements - 1 particles with the mass of an element each.
Cable& add_cable(Model& model, std::uint32_t from, std::uint32_t to, std::size_t elements,
                 double mass, double radius = 0);

// Returns an empty string if the model can be simulated, otherwise a sentence that names the first
// defect and its indices: no particles, wrong sizes or indices, values out of range, or features
// that are within their radii of each other at the start.
std::string problem(const Model& model);

// Returns the mesh of all edges and faces of the model.
Mesh mesh_of(const Model& model);

// The material frame of a cable element.
struct CableFrame {
  Vec3 along, across;  // unit vectors: direction of the element, and one orthogonal to it
  double twist;        // radians, against the frame of the element before
};

// The data that a step changes. Saving and restoring a state continues with the same bits.
struct State {
  double time = 0;                              // in the unit of the model
  std::vector<Vec3> positions, velocities;      // one per particle
  std::vector<std::vector<CableFrame>> frames;  // of each cable, one per element
  std::vector<double> tensions;                 // of springs and cable elements; 0 if not rigid
};

// Returns the state at time 0. problem(model) is empty.
State start(const Model& model);

// Options of step().
struct Options {
  double seconds = 1.0 / 60;  // length of the step, > 0
  MotionObserver observer;    // called with every motion that is examined
  // Called once per stored step, with the state before the step and the state that is stored. All
  // particles move on straight lines from one to the other. find_crossing() in here certifies a
  // run.
  std::function<void(const State& before, const State& after)> monitor;
};

// Two features that come within reach of each other during a step, where they receive an impulse.
struct Contact {
  Kind kind{};  // of the pair
  Pair pair{};
  double toi = 0;          // fraction of the step at which the impulse acts
  double reach = 0;        // distance that counts as contact: radii and margin
  ContactStencil stencil;  // of the closest points at toi
  Vec3 normal;             // unit vector towards the first feature
};

// The outcome of a step.
struct Report {
  // separated: the step is done, and promises (1) and (2) of step() are certified, or no particle
  // moved (part 0). undecided: run.stop ended the step. invalid: see step(). With the last two the
  // state is unchanged, the monitor was not called, and the other fields have their defaults.
  Verdict verdict = Verdict::separated;
  int newton_steps = 0;           // of the prediction
  int rounds = 0;                 // of impulses
  bool whole_step = false;        // impulses acted on the whole step, see step()
  int repeats = 0;                // of the step, because impulses had added energy
  std::size_t impulses = 0;       // applied
  std::vector<Contact> contacts;  // that received an impulse before any repeat
  std::size_t zones = 0;          // groups of particles that had to move as one rigid body
  double part = 1;                // fraction of the motion that was taken; < 1 as the last resort
  double contact_seconds = 0;     // wall time spent on contact, repeats included
};

// Prepared data and scratch memory for the steps of one model: mesh, springs, matrix pattern. It
// holds nothing that a result depends on. Not for use by two threads at once.
class Workspace {
 public:
  explicit Workspace(const Model& model);  // problem(model) is empty
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;
  ~Workspace();

  const Mesh& mesh() const;  // mesh_of(model)

 private:
  friend Report step(const Model&, State&, Workspace&, const Options&, const Run&);
  struct Data;
  std::unique_ptr<Data> data_;
};

// Advances the state by one step.
//
// The particles move by implicit Euler (springs and cables by Newton's method on the energy).
// Impulses are then applied at the times of impact, earliest first, in rounds until no pair
// approaches. An impulse acts at the positions of its time: its particles move with their old
// velocities until then and with the new ones after it. If pairs of a model with springs or cables
// still meet or the impulses added energy, the impulses act on the whole step instead, that is, on
// the velocities from its start on. If energy is added again, the step is repeated, with the
// impulses applied before its implicit part. Pairs that still meet move as one rigid zone. If
// everything fails, a smaller part of the motion is taken, in the end none.
//
//   (1) On the straight way of all particles from one state to the next no two features come within
//       the sum of their radii (radius 0: touch), features that share a particle excepted.
//   (2) Two edges that share a particle do not fold onto each other: no end touches the other edge.
//       By (1) and (2) nothing passes through anything ([Jansen] Section 3.6).
//   (3) A step always ends.
//   (4) The states depend on the model, the start and the lengths of the steps alone: not on `run`,
//       the workspace, or on being saved and restored in between.
//   (5) Without pinned particles impulses and zones keep momentum up to rounding. Without friction
//       they keep angular momentum too, unless whole_step is set or part < 1. Friction between
//       points that are a distance r apart has the moment r times the friction impulse. Implicit
//       Euler does not keep angular momentum: it damps the motion of springs and cables.
// Promises (1) and (2) are decided by `separation_root` and `exact` on the states as stored.
//
// invalid, and the state unchanged: seconds not finite or not above 0, a state whose numbers of
// particles, cable elements or tensions are not those of `model`, or positions or velocities that
// are not finite. problem(model) is empty; `workspace` was made from `model`. Without a workspace
// one is made for the call, which costs about as much as a step.
// run.stop is read once per Newton step and per round of impulses. run.progress is not called.
// Reference: [Jansen] 3.5 to 3.7; rounds and zones after Bridson et al. 2002. Zones displace by
// h (v + w x r), an affine map whose singular values are at least 1 at all times, so that no
// distance in a zone decreases.
Report step(const Model& model, State& state, Workspace& workspace, const Options& options = {},
            const Run& run = {});
// The same with a workspace that is made for the call.
Report step(const Model& model, State& state, const Options& options = {}, const Run& run = {});

// Two features that touch on the straight way from one state to another, if any do.
struct Crossing {
  // contact: the fields below are set. undecided: stopped. invalid: numbers of positions that are
  // not that of the mesh, or positions that are not finite.
  Verdict verdict = Verdict::separated;
  Kind kind{};  // of the pair
  Pair pair{};
  double toi = 0;  // fraction of the way
};

// Finds the first two features that touch while all particles move on straight lines from `before`
// to `after`, both ends included; edges that pierce faces at `before` count with toi 0. Exact, for
// the positions as stored and without radii. Ends of edges that share a particle are tested against
// each other's edges. `mesh` is mesh_of(model).
Crossing find_crossing(const Mesh& mesh, const State& before, const State& after,
                       const Run& run = {});

// Energies of the particles of finite mass: kinetic, of gravity, of the constant forces and
// elastic; total() is their sum.
struct Energy {
  double kinetic = 0, gravity = 0, forces = 0, elastic = 0;
  double total() const { return kinetic + gravity + forces + elastic; }
};
// Returns the energies of a state.
Energy energy(const Model& model, const State& state);

// Returns the momentum of the particles of finite mass.
Vec3 momentum(const Model& model, const State& state);
// Returns the angular momentum about the origin of the particles of finite mass.
Vec3 angular_momentum(const Model& model, const State& state);

}  // namespace graze::sim::edges
