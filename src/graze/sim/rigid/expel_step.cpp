#include "graze/sim/rigid/expel_step.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "graze/polyhedron/contacts.h"
#include "graze/polyhedron/zone.h"
#include "graze/sim/inner_run.h"
#include "graze/sim/rigid/penetration.h"
#include "graze/sim/rigid/step_base.h"

namespace graze::sim::rigid {
namespace {

// Moves one body after another through the others, which stand still meanwhile: a translation, then
// a rotation by the same share of the time, each up to the expel zone of the first body in the way.
//
// A pair is examined in the coordinates of the body that stands still. So the surfaces of all
// shapes are prepared once, and the answers of expel_move() are exact for the relative pose, which
// is rounded. The zone is wider than that rounding by far (an eighth of the gap against 1e-15 of
// the coordinates), and every stored pose is tested again, exactly, as it is stored.
//
// A body has its own time, the share of the step for which it has moved. A body that would meet
// another one that parts from it waits until the other has moved. If they approach each other, both
// get impulses at the time of the meeting, to which the other body is moved first.
//
// DEVIATION: the paper moves a body by the whole step. Here fast bodies move in up to 32 slices of
// the step in turns, each by about a quarter of its radius: bricks that fly off together would hit
// each other if one moved by the whole step while the others stand.
class ExpelStep : public StepBase {
 public:
  ExpelStep(const Model& model, State& state, double seconds, Report& report)
      : StepBase(model, state, seconds, report),
        zone_{model.gap / 2},
        slow_(2e-3 * seconds * model.gravity.norm()),
        done_(state.bodies.size()),
        neighbours_(state.bodies.size()) {}

  // Moves all bodies to the end of the step. Returns false if the run is stopped.
  bool move(const Run& run) {
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) set_motion(i, 0);
    for (const auto& [i, j] : pairs()) {
      neighbours_[i].push_back(j);
      neighbours_[j].push_back(i);
    }
    double slices = 1;
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) slices = std::max(slices, slices_of(i));
    most_meetings_ += static_cast<std::size_t>(slices);
    for (double slice = 1; slice <= slices; ++slice) {
      const double until = slice < slices ? slice / slices : 1;
      const auto has_turn = [&](std::uint32_t i) {
        if (done_[i] >= until || !has_time(i)) return false;
        const double own = std::min(slices_of(i), slices);
        return slice == slices || std::floor(until * own) > std::floor(done_[i] * own);
      };
      bool waits = true;
      for (int round = 0; round < most_rounds && waits; ++round) {
        waits = false;
        for (std::uint32_t i = 0; i < bodies_.size(); ++i)
          if (has_turn(i)) {
            if (is_stopped(run)) return false;
            if (const auto other = advance(i, until)) follow(i, *other);
            waits = waits || has_turn(i);
          }
      }
    }
    for (std::uint32_t i = 0; i < bodies_.size(); ++i)
      if (has_time(i)) stop(i, left_of(i, 1));
    finish();
    return true;
  }

 private:
  // The most attempts of a body to pass others in a slice of the step. A body that has not passed
  // at the end of the step is stopped.
  static constexpr int most_rounds = 8;
  static constexpr double most_slices = 32;

  // Returns the number of parts in which a body moves, at most most_slices: so many that it sweeps
  // a quarter of its radius in each. A point, which sweeps no volume, moves in one part.
  double slices_of(std::uint32_t i) const {
    const double radius = system_.shape(bodies_[i]).radius;
    if (!has_time(i) || radius == 0) return 1;
    const double way = seconds_ * (bodies_[i].velocity.norm() + radius * bodies_[i].spin.norm());
    return std::clamp(std::ceil(4 * way / radius), 1., most_slices);
  }

  bool has_time(std::uint32_t i) const {
    return done_[i] < 1 && bodies_[i].is_active() && system_.stopped[i] == 0;
  }

  // ---- Motion

  // Moves a body from its time to the time `until`, or to the first body in its way, which is
  // returned.
  std::optional<std::uint32_t> advance(std::uint32_t i, double until) {
    const double seconds = (until - done_[i]) * seconds_;
    const Body& body = bodies_[i];
    const Vec3 from = body.pose.translation;
    std::optional<std::uint32_t> met;
    const double share = translate(i, seconds * body.velocity, met);
    // A body that slid ends lower or higher than its velocity predicts: energy_accounts.h.
    const Vec3 aside = body.pose.translation - from - share * seconds * body.velocity;
    system_.accounts.balance(i) += system_.shape(body).mass * model_.gravity.dot(aside);
    if (share > 0) rotate(i, share * seconds * body.spin, met);
    done_[i] = share < 1 ? done_[i] + share * (until - done_[i]) : until;
    return met;
  }

  // Returns the share of the way that the body moves. A body that is stopped although it hardly
  // approaches the other one, by no more than the error of its velocity, slides along it.
  double translate(std::uint32_t i, const Vec3& way, std::optional<std::uint32_t>& met) {
    double done = 0;
    Vec3 rest = way;
    for (int slides = 0; !rest.isZero(0); ++slides) {
      Stop stop;
      const double share = first_stop(i, rest, 0, stop, [&](const Pose& pose, std::uint32_t j) {
        return polyhedron::translating(pose, rotation_of(j).conjugate() * rest);
      });
      const Pose pose = pose_at(polyhedron::translating(bodies_[i].pose, rest), share);
      if (share > 0 && !settle(i, pose, stop)) {
        met = stop.body;
        return done;
      }
      if (!stop.body) return 1;
      done += share * (1 - done);
      rest *= 1 - share;
      const double ahead = stop.normal.dot(rest);
      if (slides == most_slides || stop.normal.isZero(0) || ahead < -slow_ * seconds_) {
        met = stop.body;
        return done;
      }
      rest += (1e-6 * rest.norm() - std::min(ahead, 0.)) * stop.normal;
    }
    return 1;
  }

  // Rotates by at most a full turn and the rest of the angle without whole turns.
  void rotate(std::uint32_t i, const Vec3& turn, std::optional<std::uint32_t>& met) {
    if (turn.isZero(0)) return;
    constexpr double full = 2 * std::numbers::pi, most_per_piece = 1.5;  // radians
    double angle = turn.norm();
    if (angle > 2 * full) angle = full + std::fmod(angle, full);
    const double pieces = std::ceil(angle / most_per_piece);
    const Eigen::Quaterniond piece(Eigen::AngleAxisd(angle / pieces, turn.stableNormalized()));
    for (double k = 0; k < pieces; ++k) {
      const Eigen::Quaterniond end = piece * bodies_[i].pose.rotation;
      const polyhedron::Path path = polyhedron::rotating(bodies_[i].pose, Vec3::Zero(), end);
      Stop stop;
      const double share =
          first_stop(i, Vec3::Zero(), angle / pieces, stop, [&](const Pose& from, std::uint32_t j) {
            return polyhedron::rotating(from, Vec3::Zero(), rotation_of(j).conjugate() * end);
          });
      Pose pose = pose_at(path, share);
      pose.rotation.normalize();
      if (share > 0) settle(i, pose, stop);
      if (stop.body) {
        met = stop.body;
        return;
      }
    }
  }

  // The body that stops another one, and the normal there, which points to the other one; 0 if
  // unknown.
  struct Stop {
    std::optional<std::uint32_t> body;
    Vec3 normal = Vec3::Zero();
  };

  // Returns the least fraction at which a body is stopped by a neighbour, 1 if by none. `path_in`
  // returns the path in the coordinates of a neighbour from the pose there.
  template <class PathIn>
  double first_stop(std::uint32_t i, const Vec3& way, double angle, Stop& stop,
                    const PathIn& path_in) {
    double first = 1;
    const double swing = std::min(angle, 2.) * system_.shape(bodies_[i]).radius;
    for (const std::uint32_t j : neighbours_[i]) {
      const Pose from = seen_from(j, bodies_[i].pose);
      if (!may_reach(i, from, j, rotation_of(j).conjugate() * way, swing + zone_.thickness))
        continue;
      ++report_.queries;
      const polyhedron::ExpelResult found = polyhedron::expel_move(
          {&surface(j), 1}, surface(i).model, path_in(from, j), scratch_, zone_);
      if (found.verdict == Verdict::separated && !found.expelled) continue;
      // A body that touches at the start of a run is not moved: a push could take it into a third
      // body.
      const double fraction = found.expelled ? 0 : found.fraction;
      if (stop.body && fraction >= first) continue;
      first = fraction;
      stop = {j, rotation_of(j) * found.contact.normal};
    }
    return first;
  }

  // Places a body unless, exactly, its surface shares a point with that of a neighbour there.
  bool settle(std::uint32_t i, const Pose& pose, Stop& stop) {
    for (const std::uint32_t j : neighbours_[i]) {
      const Body& other = bodies_[j];
      if (!may_reach(i, seen_from(j, pose), j, Vec3::Zero(), zone_.thickness) ||
          !find_crossing(system_.shape(bodies_[i]).model, pose, system_.shape(other).model,
                         other.pose))
        continue;
      stop = {j, Vec3::Zero()};
      return false;
    }
    place(i, pose);
    return true;
  }

  // ---- Meetings

  void follow(std::uint32_t i, std::uint32_t j) {
    std::vector<Contact> contacts;
    add_contacts(std::min(i, j), std::max(i, j), 2 * model_.gap, contacts);
    if (std::none_of(contacts.begin(), contacts.end(),
                     [&](const Contact& contact) { return parting_speed(contact) < -slow_; }))
      return;
    const double now = done_[i];
    double left = std::max(left_of(i, now), bodies_[j].is_active() ? left_of(j, now) : 0.);
    if (left == 0) left = seconds_;  // impulses for the next step
    const std::vector<std::uint32_t> members = meet(std::min(i, j), std::max(i, j), now, left);
    for (const std::uint32_t member : members) {
      set_motion(member, done_[member]);
      for (std::uint32_t k = 0; k < bodies_.size(); ++k)
        if (k != member && may_meet(member, k) && overlap(tracks_[member].box, tracks_[k].box)) {
          add_neighbour(member, k);
          add_neighbour(k, member);
        }
    }
  }
  void add_neighbour(std::uint32_t i, std::uint32_t j) {
    if (std::find(neighbours_[i].begin(), neighbours_[i].end(), j) == neighbours_[i].end())
      neighbours_[i].push_back(j);
  }

  // Moves a body to the time of a meeting; if it is stopped on the way, the time is lost.
  void go_to(std::uint32_t i, double now) override {
    if (done_[i] >= now) return;
    if (!has_time(i)) {
      done_[i] = now;
      return;
    }
    advance(i, now);
    // The body ends lower or higher than its velocity predicts: energy_accounts.h.
    const double lost = (now - done_[i]) * seconds_;
    system_.accounts.balance(i) -=
        lost * system_.shape(bodies_[i]).mass * model_.gravity.dot(bodies_[i].velocity);
    done_[i] = now;
  }
  void go_on(std::uint32_t i, double now) override { go_to(i, now); }
  double left_of(std::uint32_t i, double) const override { return (1 - done_[i]) * seconds_; }

  // Corrects the balances: the solver predicts energies for one remaining time, but each body has
  // its own.
  bool solve(std::span<Contact> contacts, std::span<const std::uint32_t> joints, double left,
             std::span<const std::uint32_t> members) override {
    const auto add_difference = [&](double sign) {
      for (const std::uint32_t i : members)
        system_.accounts.balance(i) += sign * (left - left_of(i, 0)) *
                                       system_.shape(bodies_[i]).mass *
                                       model_.gravity.dot(bodies_[i].velocity);
    };
    add_difference(1);
    const bool solved = StepBase::solve(contacts, joints, left, members);
    add_difference(-1);
    return solved;
  }

  // ---- Contacts, [van Waveren 2005] 2.6

  double reach(std::uint32_t, std::uint32_t) const override { return 2 * model_.gap; }
  void add_contacts(std::uint32_t i, std::uint32_t j, double within,
                    std::vector<Contact>& contacts) override {
    const Pose from = seen_from(j, bodies_[i].pose);
    if (!may_reach(i, from, j, Vec3::Zero(), within)) return;
    for (const polyhedron::ContactPoint& found :
         polyhedron::contacts({&surface(j), 1}, surface(i).model, from, within, scratch_))
      contacts.push_back({i, j, bodies_[j].pose * (found.point + found.gap / 2 * found.normal),
                          rotation_of(j) * found.normal, found.gap});
  }

  // ---- Geometry

  const polyhedron::Obstacle& surface(std::uint32_t i) const {
    return system_.shape(bodies_[i]).surface();
  }
  Eigen::Quaterniond rotation_of(std::uint32_t i) const {
    return bodies_[i].pose.rotation.normalized();
  }
  // Returns a pose in the coordinates of a body.
  Pose seen_from(std::uint32_t j, const Pose& pose) const {
    const Eigen::Quaterniond back = rotation_of(j).conjugate();
    return {back * pose.rotation, back * (pose.translation - bodies_[j].pose.translation)};
  }
  // Returns whether a body at a pose in the coordinates of body j may come within `margin` of body
  // j on its way, by boxes. `margin` is far wider than rounding.
  bool may_reach(std::uint32_t i, const Pose& from, std::uint32_t j, const Vec3& way,
                 double margin) const {
    const ShapeData& shape = system_.shape(bodies_[i]);
    Aabb box{from.translation, from.translation};
    if (shape.convex) {
      const Eigen::Matrix3d turn = from.rotation.normalized().toRotationMatrix();
      Vec3 lo = Vec3::Constant(HUGE_VAL), hi = -lo;
      for (const Vec3& vertex : shape.model.vertices) {
        const Vec3 x = turn * vertex;
        lo = lo.cwiseMin(x);
        hi = hi.cwiseMax(x);
      }
      box = {from.translation + lo, from.translation + hi};
    } else {
      margin += shape.radius;
    }
    box.include({box.lo + way, box.hi + way});
    box.lo -= Vec3::Constant(margin);
    box.hi += Vec3::Constant(margin);
    return overlap(box, surface(j).model.box);
  }

  static constexpr int most_slides = 3;

  polyhedron::ExpelOptions zone_;  // a quarter of it, gap / 8, is kept, as by Mover::advance
  double slow_;                    // speed that the contact solver leaves, at most
  std::vector<double> done_;       // share of the step for which a body has moved
  std::vector<std::vector<std::uint32_t>> neighbours_;
  polyhedron::Scratch scratch_;
};

}  // namespace

void expel_once(const Model& model, State& state, double seconds, Report& report, const Run& run) {
  ExpelStep step(model, state, seconds, report);
  step.find_velocities();
  if (!step.move(run)) report.verdict = Verdict::undecided;
}

}  // namespace graze::sim::rigid
