#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "graze/mesh.h"
#include "graze/sim/impulse.h"
#include "graze/sim/line_search.h"
#include "graze/step.h"

namespace graze::sim {

// A linear constraint that keeps the two primitives of a pair apart: gap(x) >= 0, where
// gap(x) = normal . stencil.between(x) - eta. The stencil is that of the contact points; the normal
// points to the side of the first primitive at the start of the motion.
struct ContactConstraint {
  Kind kind{};  // of the pair
  Pair pair{};
  double toi = 0;  // fraction of the motion that found the pair
  double eta = 0;  // length
  Vec3 normal;     // unit vector
  ContactStencil stencil;

  // Returns the signed gap at `positions`, which are indexed by vertex.
  double gap(std::span<const Vec3> positions) const {
    return normal.dot(stencil.between(positions)) - eta;
  }
};

// The constraints of all pairs that came within eta of each other, collected over the iterations of
// a time step.
//   (1) After update(), every pair that comes within eta during that motion (Euclidean norm; eta =
//       0: that touches) has a constraint. With the default method (separation_root, or exact for
//       eta = 0) no other pair has one; with a conservative method others may.
//   (2) A pair has one constraint, that of the first update that found it, until clear(); more only
//       by renew().
//   (3) gap > 0 at the start of the motion, up to rounding, if the pair was more than eta apart
//       there and its contact is not degenerate.
// Reference: [Wang 2021] Alg. 3, Section 7.1.
class ActiveSet {
 public:
  explicit ActiveSet(double eta) : eta_(eta) {}  // length, >= 0

  // Adds a constraint for every new pair that comes within eta during the motion and returns how
  // many were added. options.query.min_separation is replaced by eta. If the method reports no
  // normal, the normal of the face, or of both edges, at toi is used; if it reports no contact
  // points, the closest points at toi are used. Non-finite positions add nothing.
  std::size_t update(const MovingMesh& moving, StepOptions options = {}, const Run& run = {});
  // Adds a constraint for every pair that touches during the motion, decided by `exact`, also for
  // those that have one: its points and its normal are those of this motion. Returns how many were
  // added. `pairs` are the filters of the search.
  std::size_t renew(const MovingMesh& moving, const PairOptions& pairs = {}, const Run& run = {});
  // Removes all constraints.
  void clear();

  std::span<const ContactConstraint> constraints() const { return constraints_; }

 private:
  double eta_;
  std::vector<ContactConstraint> constraints_;
  std::set<std::tuple<Kind, Pair>> known_;
};

}  // namespace graze::sim

// Elastic solids and sheets, moved in time by implicit Euler, with contact by barriers (certified)
// or by an active set of constraints (certified on demand).
//
//   soft::Model model = ...;                     // constant; problem(model) is empty
//   soft::State state = soft::start(model);      // what moves
//   soft::Workspace workspace(model);            // prepared data, kept between steps
//   soft::Report report = soft::step(model, state, workspace);
//
// Units are metres, kilograms and seconds. No function throws; calls with different states and
// workspaces may run at the same time.
namespace graze::sim::soft {
// The material of a solid of tetrahedra.
struct SolidMaterial {
  double density = 1000;  // kg/m^3, > 0
  double young = 1e5;     // Young's modulus, Pa, > 0
  double poisson = 0.4;   // Poisson's ratio, in [0, 0.5)
};
// The material of a sheet of triangles.
struct SheetMaterial {
  double density = 500;     // kg/m^3, > 0
  double young = 1e6;       // Young's modulus, Pa, > 0
  double poisson = 0.3;     // Poisson's ratio, in [0, 1)
  double thickness = 1e-3;  // m, > 0
};

// A prescribed rigid motion from the positions at time 0: a constant velocity and a constant spin
// (radians per second) about `center`, which end at time `until`.
struct Drive {
  Vec3 velocity = {0, 0, 0}, spin = {0, 0, 0}, center = {0, 0, 0};
  double until = std::numeric_limits<double>::infinity();

  // Returns whether velocity or spin differ from 0.
  bool moves() const { return !velocity.isZero(0) || !spin.isZero(0); }
  // Returns where a vertex that starts at `at_start` belongs at `time`.
  Vec3 place(const Vec3& at_start, double time) const;
};

// Vertices of a body that are fixed, or driven if the drive moves.
struct Hold {
  std::vector<std::uint32_t> vertices;  // indices in the body
  Drive drive;
};

// A surface embedded in tetrahedra: each vertex is a fixed combination of the corners of one
// tetrahedron.
struct Skin {
  // A vertex of the skin: the tetrahedron that carries it and its weights there.
  struct Vertex {
    std::uint32_t tet;              // index in Body::tets
    std::array<double, 4> weights;  // of the corners; they sum to 1
  };
  std::vector<Vertex> vertices;
  std::vector<Face> faces;  // indices into `vertices`
};

// A deformable body: a solid of tetrahedra, a sheet of triangles, or both on the same vertices.
struct Body {
  std::string name;                         // in messages and recordings
  std::vector<Vec3> rest;                   // positions without strain
  std::vector<Vec3> positions, velocities;  // at the start; empty: the rest positions, and 0
  std::vector<Tetrahedron> tets;            // of the material `solid`
  std::vector<Face> sheet;                  // of the material `cloth`
  SolidMaterial solid;
  SheetMaterial cloth;
  Skin skin;  // the contact surface of the solid; without faces: the boundary of the tetrahedra
  std::vector<Hold> holds;
};

// A surface that never moves: its name, the positions of its vertices, its faces.
struct Obstacle {
  std::string name;
  std::vector<Vec3> positions;
  std::vector<Face> faces;
};

// The data that are constant during a run.
struct Model {
  std::vector<Body> bodies;
  std::vector<Obstacle> obstacles;
  Vec3 gravity = {0, 0, -9.81};  // length per second squared
  double step = 1.0 / 60;        // seconds, > 0: the default length of a step
  double reach = 1e-3;           // length, > 0: barriers act on surfaces that are closer
  double repulsion = 1e-3;       // energy scale of the barriers, > 0
};

// Returns an empty string if the model can be simulated, otherwise a sentence that names the first
// defect with the names or indices concerned: no bodies, indices or values out of range, or faces
// that touch at the start.
std::string problem(const Model& model);

// The surfaces of all bodies, in their order, then those of all obstacles, as one mesh. Each vertex
// is a combination of up to four moving vertices, which are numbered through all bodies.
struct ContactSurface {
  // The vertices of the model that carry a vertex of the surface, with their weights.
  struct Carrier {
    std::array<std::uint32_t, 4> vertices{};
    std::array<double, 4> weights{};
    std::size_t size = 0;    // entries in use; 0: the vertex is static
    Vec3 place = {0, 0, 0};  // position of a static vertex
    std::uint32_t body = 0;  // obstacles are numbered after the bodies
  };
  Mesh mesh;
  std::vector<Carrier> carriers;    // of each vertex of the mesh
  std::vector<std::uint8_t> fixed;  // of each vertex of the mesh: 1 if it is static
  std::vector<Vec3> rest;           // positions with all bodies at rest

  // Returns the positions of the mesh. A vertex carried by one vertex has its position bit for bit.
  std::vector<Vec3> positions(std::span<const Vec3> carrying) const;
};
// Returns the surface of all bodies and obstacles on which contacts are searched.
ContactSurface contact_surface(const Model& model);

// The data that a step changes: the vertices of all bodies, one body after the other. Saving and
// restoring a state continues with the same bits.
struct State {
  double time = 0;                          // seconds
  std::vector<Vec3> positions, velocities;  // one per vertex
};

// Returns the state at time 0.
State start(const Model& model);

// Contact by barriers: incremental potential contact ([Li 2020], [Wang 2021] Alg. 4). The next
// positions minimize, over all that can be reached without contact,
//   sum m/2h^2 |x - (x0 + h v0 + h^2 g)|^2 + elastic energy + barriers of all pairs within reach
// plus springs that pull driven vertices to their places, by Newton's method with projected
// Hessians and a line search that collision detection bounds.
//   (1) From one accepted Newton step to the next, on straight lines between the positions as
//       stored, no two features touch: decided by `exact`, whatever method bounds the steps. Hence
//       no surface passes through another.
//   (2) The energy above falls with every Newton step.
//   (3) Held vertices that are not driven do not move.
//   (4) A step always ends.
//   (5) The states depend on the model, the start, the lengths of the steps and the search options
//       alone: not on `run`, the workspace, or on being saved and restored in between.
struct Barriers {
  // The fields `pairs` and `observer` are replaced. Empty: default_search(model).
  std::optional<LineSearchOptions> search;
};

// Returns the default line search, which keeps 0.2 of the distances, or a tenth of the reach.
LineSearchOptions default_search(const Model& model);

// Contact by an active set of linear constraints ([Wang 2021] Section 7.1, Alg. 3). The next
// positions minimize
//   sum m/2h^2 |x - (x0 + h v0 + h^2 g)|^2 + elastic energy   subject to
//   n . (p1(x) - p2(x)) >= eta
// for all pairs that came within eta of each other on the way from x0 to an iterate,
// by sequential quadratic programming. Each iteration solves the quadratic programme of the
// projected Hessian, moves along the solution while energy and violation fall together, and adds
// the pairs that the motion from x0 activates. The set is emptied after each time step.
//
// A constraint keeps two points apart along a fixed normal. If features turn or slide within a
// step, other points of theirs may meet. A certified step is therefore examined by `exact`: where
// features touch on the way, their constraints are renewed with the points and the normal of that
// contact; where that does not end, the step is cut in two; and where the shortest part still
// touches, it ends on the way, at half of the time of the first contact.
//   (1) After a step that converged with nothing dropped, every constraint holds to a thousandth of
//       eta.
//   (2) If no pair comes within eta, a step is one of unconstrained implicit Euler.
//   (3) Held vertices do not move. Drives and barriers of the model are not supported.
//   (4) The states depend on the model, the start, the lengths of the steps and these options
//       alone.
//   (5) If certified, and if no faces meet at the start: no two features touch between the stored
//       positions of one part and the next, on straight lines, for any method, eta and length of
//       the step. Hence no surface passes through another.
struct Constraints {
  double eta = 1e-3;        // length, > 0: the distance that constraints keep
  StepOptions collisions;   // method and tolerances; `pairs` and `observer` are replaced
  int max_iterations = 40;  // of the quadratic programmes in a step
  bool certified = true;    // false: as in the paper; intersections are unlikely, not excluded
};

// Options of step().
struct Options {
  double seconds = 0;  // length of the step; 0: model.step
  std::variant<Barriers, Constraints> contacts;
  MotionObserver observer;  // called with every motion that is examined
  // Called at the end of a step, once per straight part of the motion of the positions, in order,
  // with the states at the ends of the part: with Barriers per accepted Newton step, with
  // Constraints per part into which the step was cut; once if nothing moved. The first `before` is
  // the state before the step, each other one the `after` of the call before, the last `after` the
  // state that is stored. A state between two parts has the time of the start and, with Barriers,
  // its velocities. find_crossing() in here certifies a run.
  std::function<void(const State& before, const State& after)> monitor;
};

// The outcome of a step.
struct Report {
  // separated: the step is done, and every straight part of its motion is certified or leaves all
  // positions unchanged. contact: the step is done, but not certified (Constraints::certified is
  // false): features may touch or intersect. undecided: run.stop ended the step. invalid: see
  // step(). With the last two the state is unchanged, the monitor was not called, and the other
  // fields have their defaults.
  Verdict verdict = Verdict::separated;
  int iterations = 0;        // Newton steps, or quadratic programmes
  bool converged = true;     // false: the budget of iterations was spent
  std::size_t contacts = 0;  // barriers: pairs within reach at the end; else: constraints
  // Barriers only.
  double bound = 1;               // the smallest step that contact allowed
  double off_course = 0;          // largest distance of a driven vertex from its place
  std::uint64_t bound_pairs = 0;  // examined to bound steps
  // Constraints only.
  std::size_t pressing = 0;  // constraints with a force
  int dropped = 0;           // constraints that contradicted others in the last programme
  int parts = 1;             // into which the step was cut
  int stopped = 0;           // parts that ended on the way
  // Wall time: to bound steps or to find constraints, to certify steps, and for the rest. The time
  // of the monitor does not count.
  double collision_seconds = 0, check_seconds = 0, solver_seconds = 0;
};

// Energies of the vertices that are not fixed: kinetic, of gravity, elastic, and of the barrier;
// total() is their sum.
struct Energy {
  double kinetic = 0, gravity = 0, elastic = 0;
  double barrier = 0;
  double total() const { return kinetic + gravity + elastic + barrier; }
};

// Prepared data and scratch memory for the steps of one model: contact surface, elements, matrix
// pattern. It holds nothing that a result depends on. Not for use by two threads at once.
class Workspace {
 public:
  explicit Workspace(const Model& model);  // problem(model) is empty
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;
  ~Workspace();

  const ContactSurface& surface() const;  // contact_surface(model)

 private:
  friend Report step(const Model&, State&, Workspace&, const Options&, const Run&);
  friend Energy energy(const Model&, const State&, Workspace&);
  struct Data;
  std::unique_ptr<Data> data_;
};

// Advances the state by one step, with the promises of Barriers or Constraints.
//
// invalid, and the state unchanged: seconds negative or not finite, a state whose number of
// positions or velocities is not that of `model`, positions or velocities that are not finite,
// Constraints::eta not finite or not above 0, or Barriers::search not sensible. problem(model) is
// empty; `workspace` was made from `model`. Without a workspace one is made for the call, which
// costs about as much as a Newton step. run.stop is read once per Newton step, per trial of a line
// search, per quadratic programme and per block of pairs of a search. run.progress is not called.
Report step(const Model& model, State& state, Workspace& workspace, const Options& options = {},
            const Run& run = {});
// The same with a workspace that is made for the call.
Report step(const Model& model, State& state, const Options& options = {}, const Run& run = {});

// Two features of the contact surface that touch on the straight way from one state to another, or
// two of its faces that intersect at the end of the way, if any do.
struct Crossing {
  // contact: the fields below are set. undecided: stopped. invalid: positions that do not match the
  // surface or are not finite.
  Verdict verdict = Verdict::separated;
  bool at_end = false;  // `pair` are two faces that intersect at the end; `kind` has no meaning
  Kind kind{};          // of the pair
  Pair pair{};
  double toi = 0;  // fraction of the way; 1 if at_end
};

// Finds the first two features that touch while the surface moves on straight lines from `before`
// to `after`, or the first two faces that intersect at `after`; edges that pierce faces at `before`
// count with toi 0. Exact, for the positions of the surface as stored. Pairs without a moving
// vertex do not count. Tests all pairs whose swept boxes overlap.
Crossing find_crossing(const ContactSurface& surface, const State& before, const State& after,
                       const Run& run = {});

// Returns the energies of a state.
Energy energy(const Model& model, const State& state, Workspace& workspace);
// The same with a workspace that is made for the call.
Energy energy(const Model& model, const State& state);

}  // namespace graze::sim::soft
