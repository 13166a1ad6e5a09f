#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "graze/rigid/motion.h"
#include "graze/sim/rigid/system.h"

namespace graze::sim::rigid {

// The motion of a body from the time `from` to the end of the step. Times are shares of the step.
struct Track {
  graze::rigid::Motion motion;
  double from = 0;
  std::uint32_t version = 0;  // increases when the motion changes
  Aabb box;                   // contains the body during the motion, with twice the gap around it

  bool is_still() const { return motion.velocity.isZero(0) && motion.rotation.isZero(0); }
};

// The part of a step that does not depend on how bodies move: velocities, impulses at a meeting,
// stopped bodies, sleep and energy. A derived class moves the bodies.
class StepBase {
 public:
  // `state` must be valid; it and `report` are changed and must outlive this object.
  StepBase(const Model& model, State& state, double seconds, Report& report);
  virtual ~StepBase() = default;
  StepBase(const StepBase&) = delete;
  StepBase& operator=(const StepBase&) = delete;

  // Applies gravity, damping and the impulses at contacts and joints.
  void find_velocities();
  // Returns whether a jointed body turns so far that its joints would open noticeably within the
  // step. They are closed at its end; in between they open by up to an eighth of the square of the
  // angle, times the length of the arm.
  bool joints_turn_far() const;

 protected:
  using BodyPair = std::pair<std::uint32_t, std::uint32_t>;

  // Returns the distance within which two bodies get contacts at the start of the step.
  virtual double reach(std::uint32_t i, std::uint32_t j) const = 0;
  // Appends the contacts of two bodies, i < j, within a distance of each other.
  virtual void add_contacts(std::uint32_t i, std::uint32_t j, double within,
                            std::vector<Contact>& contacts) = 0;
  // go_to() moves a body along its track to the time `now`, before its velocity changes. go_on()
  // does so for a body that keeps its velocity.
  virtual void go_to(std::uint32_t i, double now) = 0;
  virtual void go_on(std::uint32_t i, double now) = 0;
  // Returns the time, in seconds, for which a body still moves in this step after `now`.
  virtual double left_of(std::uint32_t i, double now) const = 0;
  // Changes the velocities of the members by impulses, by solve_velocities() of contact_solver.h.
  virtual bool solve(std::span<Contact> contacts, std::span<const std::uint32_t> joints,
                     double left, std::span<const std::uint32_t> members);

  // Gives bodies a and b, which come too near each other at the time `now`, new impulses, together
  // with the bodies jointed to them and, after a hard hit, with their neighbours. Impulses act for
  // `left` seconds. Stops a and b if they have met too often. Returns the bodies whose velocities
  // may have changed and whose tracks are to be renewed.
  std::vector<std::uint32_t> meet(std::uint32_t a, std::uint32_t b, double now, double left);

  void set_motion(std::uint32_t i, double now);
  // Places a body. Angular momentum is kept, so the spin changes as the inertia turns; it is scaled
  // down where the kinetic energy would grow.
  void place(std::uint32_t i, const Pose& pose);
  bool may_meet(std::uint32_t i, std::uint32_t j) const;
  // Returns the pairs of bodies that may meet on their tracks.
  std::vector<BodyPair> pairs() const;
  // Stops a body for the rest of the step. It loses the velocity that gravity gave it for that
  // time, and more if the energy of its island does not suffice for the height that the body keeps.
  // If nearly all of the step is left it also loses half of its velocity and spin, so that a wedged
  // body comes to rest.
  void stop(std::uint32_t i, double left);
  // Repays energy, updates which bodies are at rest and wakes neighbours of bodies that move.
  void finish();
  double energy_of(const Body& body) const;
  double parting_speed(const Contact& contact) const;

  System system_;
  const Model& model_;
  std::vector<Body>& bodies_;
  double seconds_, bounce_speed_;
  Report& report_;
  std::vector<Track> tracks_;
  std::size_t most_meetings_ = 3;  // of a body, and one more for each body jointed to it

 private:
  void find_groups();
  void damp_joints();
  void damp_rolling();
  Eigen::Matrix3d inverse_inertia(const Body& body) const;
  bool is_calm(const Body& body) const;
  bool moves(const Body& body) const { return !body.is_static && !is_calm(body); }
  void rest();
  void rouse(std::uint32_t i);
  bool wake(std::span<const Contact> contacts);
  Aabb box_of(const Body& body, const graze::rigid::Motion& motion) const;
  std::vector<Contact> find_contacts(std::span<const BodyPair> near);
  void add_neighbours(std::vector<std::uint32_t>& members, std::vector<std::uint32_t>& joints,
                      double now);
  void repay();

  std::vector<Aabb> places_;  // boxes of the bodies at the start
  std::vector<BodyPair> near_;
  std::vector<std::size_t> hits_;  // meetings, by group
  std::vector<std::uint32_t> group_of_;
  // By the body that names the group.
  std::vector<std::vector<std::uint32_t>> groups_, group_joints_;
};

}  // namespace graze::sim::rigid
