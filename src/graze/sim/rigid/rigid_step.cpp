#include "graze/sim/rigid/rigid_step.h"

#include <algorithm>
#include <queue>
#include <tuple>

#include "graze/rigid/distance/model_distance.h"
#include "graze/rigid/model_advance.h"
#include "graze/rigid/motion/apart_along.h"
#include "graze/sim/inner_run.h"
#include "graze/sim/rigid/contacts/manifold.h"
#include "graze/sim/rigid/step_base.h"

namespace graze::sim::rigid {
namespace {

// Two bodies that come too near at a time, valid while both keep the versions of their tracks.
struct Event {
  double time;
  std::uint32_t a, b, version_a, version_b;

  bool operator<(const Event& other) const {  // the earliest event is on top
    return std::tie(time, a, b) > std::tie(other.time, other.a, other.b);
  }
};

// Moves all bodies at once, each with constant velocity and spin, and certifies every pair.
class AdvanceStep : public StepBase {
 public:
  using StepBase::StepBase;

  // Moves all bodies to the end of the step, through the events in order of time. Returns false if
  // the run is stopped.
  bool move(const Run& run) {
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) set_motion(i, 0);
    for (const auto& [i, j] : pairs()) {
      if (is_stopped(run)) return false;
      certify(i, j, 0);
    }
    while (!events_.empty()) {
      if (is_stopped(run)) return false;
      const Event event = events_.top();
      events_.pop();
      if (event.version_a == tracks_[event.a].version &&
          event.version_b == tracks_[event.b].version)
        follow(event);
    }
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) go_to(i, 1);
    finish();
    return true;
  }

 private:
  // Returns the rest of a motion after a share of it.
  static graze::rigid::Motion ahead(const graze::rigid::Motion& motion, double share) {
    if (share == 0) return motion;
    const Pose pose = pose_at(motion, share);
    return {pose, pose.translation, (1 - share) * motion.velocity, (1 - share) * motion.rotation};
  }
  static graze::rigid::Motion later(const Track& track, double now) {
    return ahead(track.motion, (now - track.from) / (1 - track.from));
  }
  void go_to(std::uint32_t i, double now) override {
    const Track& track = tracks_[i];
    if (track.is_still() || now == track.from) return;
    place(i, pose_at(track.motion, (now - track.from) / (1 - track.from)));
  }
  // Shortens the track; the certified motion stays the same.
  void go_on(std::uint32_t i, double now) override {
    Track& track = tracks_[i];
    if (track.is_still() || now == track.from) return;
    const graze::rigid::Motion motion = later(track, now);
    go_to(i, now);
    track.motion = motion;
    track.from = now;
  }
  double left_of(std::uint32_t, double now) const override { return (1 - now) * seconds_; }

  // Returns twice the gap, plus, for convex bodies, the length of their relative motion in this
  // step, up to a fifth of the smaller radius.
  double reach(std::uint32_t i, std::uint32_t j) const override {
    const ShapeData &a = system_.shape(bodies_[i]), &b = system_.shape(bodies_[j]);
    if (!a.convex || !b.convex) return 2 * model_.gap;
    const graze::rigid::Motion &p = tracks_[i].motion, &q = tracks_[j].motion;
    const double way = (p.velocity - q.velocity).norm() + p.rotation.norm() * a.radius +
                       q.rotation.norm() * b.radius;
    return 2 * model_.gap + std::min(way, 0.2 * std::min(a.radius, b.radius));
  }

  void add_contacts(std::uint32_t i, std::uint32_t j, double within,
                    std::vector<Contact>& contacts) override {
    const Body &a = bodies_[i], &b = bodies_[j];
    for (const ManifoldPoint& p : find_manifold(
             system_.shape(a), graze::rigid::placement_at(graze::rigid::resting(a.pose), 0),
             system_.shape(b), graze::rigid::placement_at(graze::rigid::resting(b.pose), 0),
             within))
      contacts.push_back({i, j, p.point, p.normal, p.distance});
  }

  // Certifies a pair from `now` to the end of the step; adds an event if the pair comes too near.
  void certify(std::uint32_t i, std::uint32_t j, double now) {
    const Track &a = tracks_[i], &b = tracks_[j];
    if (a.is_still() && b.is_still()) return;
    ++report_.queries;
    const ShapeData &p = system_.shape(bodies_[i]), &q = system_.shape(bodies_[j]);
    const graze::rigid::Motion motion_a = later(a, now), motion_b = later(b, now);
    const bool convex = p.convex && q.convex;
    double margin = 0, since = 0;  // since: certified share of the remaining time
    for (int round = 0; round < (convex ? 256 : 1); ++round) {
      const graze::rigid::Motion x = ahead(motion_a, since), y = ahead(motion_b, since);
      const Separation gap = convex
                                 ? convex_separation(p, placement_at(x, 0), q, placement_at(y, 0))
                                 : mesh_separation(p, x, q, y);
      if (round == 0) margin = kept_of(std::max(gap.distance, 0.0));
      if (round > 0 && gap.distance < 1.02 * margin) break;
      const double share = apart_along(p.model, x, q.model, y, gap.normal, margin);
      if (share >= 1) return;
      since += share * (1 - since);
    }
    if (!convex) {
      graze::rigid::AdvanceOptions options;
      options.margin = margin;
      options.threshold =
          margin > 0 ? margin / (margin < model_.gap / 64 ? 64 : 4) : model_.gap * 1e-6;
      options.max_checks = 20000;  // an undecided pair is an event
      const Impact found = advance(p.model, motion_a, q.model, motion_b, {options}).impact;
      if (found.verdict == Verdict::separated) return;
      since = found.toi;
    }
    events_.push({now + since * (1 - now), i, j, a.version, b.version});
  }

  // Returns the distance that a pair must keep: an eighth of the gap, but at most half of the
  // distance that it has, or 95 % of a distance below 1/512 of the gap.
  double kept_of(double distance) const {
    return std::min(model_.gap / 8, distance * (distance < model_.gap / 512 ? 0.95 : 0.5));
  }

  static Separation mesh_separation(const ShapeData& p, const graze::rigid::Motion& x,
                                    const ShapeData& q, const graze::rigid::Motion& y) {
    const graze::rigid::BodyDistance found =
        distance(p.model, placement_at(x, 0), q.model, placement_at(y, 0), {-1, 0.2});
    return {found.lo, found.normal.normalized()};
  }

  // Gives the bodies of an event new impulses and certifies their pairs from then on.
  void follow(const Event& event) {
    const double now = event.time;
    const std::vector<std::uint32_t> members = meet(event.a, event.b, now, (1 - now) * seconds_);
    for (const std::uint32_t i : members) set_motion(i, now);
    if (now < 1)
      for (const std::uint32_t i : members)
        for (std::uint32_t j = 0; j < bodies_.size(); ++j)
          if (i != j && may_meet(i, j) && overlap(tracks_[i].box, tracks_[j].box))
            certify(std::min(i, j), std::max(i, j), now);
  }

  std::priority_queue<Event> events_;
};

}  // namespace

bool advance_once(const Model& model, State& state, double seconds, bool may_divide, Report& report,
                  const Run& run) {
  AdvanceStep step(model, state, seconds, report);
  step.find_velocities();
  if (may_divide && step.joints_turn_far()) return false;
  if (step.move(run)) return true;
  report.verdict = Verdict::undecided;
  return false;
}

}  // namespace graze::sim::rigid
