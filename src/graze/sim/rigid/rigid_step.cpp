#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>
#include <tuple>

#include "graze/core/float_environment.h"
#include "graze/rigid/advance.h"
#include "graze/rigid/apart_along.h"
#include "graze/rigid/distance.h"
#include "graze/sim/rigid/body_pairs.h"
#include "graze/sim/rigid/manifold.h"
#include "graze/sim/rigid/rigid_system.h"

namespace graze {
namespace {

// How a body goes in what is left of the step from `from` on, times being shares of the step.
struct Track {
  Motion motion;
  double from = 0;
  std::uint32_t version = 0;  // of the motion
  Aabb box;

  bool is_still() const { return motion.velocity.isZero(0) && motion.rotation.isZero(0); }
};

// Two bodies that come too near at a time, as long as both keep their motions.
struct Event {
  double time;
  std::uint32_t a, b, version_a, version_b;

  bool operator<(const Event& other) const {  // the earliest is on top
    return std::tie(time, a, b) > std::tie(other.time, other.a, other.b);
  }
};

class Step {
 public:
  Step(RigidSystem& system, double seconds, RigidStep& tally)
      : system_(system),
        bodies_(system.bodies),
        seconds_(seconds),
        bounce_speed_(2 * seconds * system.gravity.norm() +
                      std::sqrt(20 * system.gravity.norm() * system.gap)),
        tally_(tally),
        tracks_(bodies_.size()),
        hits_(bodies_.size()) {
    find_groups();
  }

  void find_velocities() {
    for (RigidBody& body : bodies_)
      if (body.stirs()) body.velocity += seconds_ * system_.gravity;
    damp_joints();
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) set_motion(i, 0);
    for (const RigidBody& body : bodies_) places_.push_back(box_of(body, resting(body.pose)));
    near_ = pairs();
    std::vector<BodyContact> contacts = find_contacts(near_);
    for (int round = 0; round < 3 && wake(contacts); ++round) {
      near_ = pairs();
      contacts = find_contacts(near_);
    }
    std::vector<std::uint32_t> joints(system_.joints.size());
    std::iota(joints.begin(), joints.end(), 0u);
    solve_velocities(system_, contacts, joints, {seconds_, seconds_}, bounce_speed_);
    system_.contacts = std::move(contacts);
  }

  // Joints hold at the end of the step. In between their ends part by an eighth of the square of
  // the angle, in lengths of the arm.
  bool joints_turn_far() const {
    const auto turns_far = [&](std::uint32_t i, const Vec3& arm) {
      const RigidBody& body = bodies_[i];
      return body.stirs() &&
             seconds_ * body.spin.cross(body.pose.rotation * arm).norm() > 0.2 * arm.norm();
    };
    return std::any_of(system_.joints.begin(), system_.joints.end(), [&](const BallJoint& joint) {
      return turns_far(joint.a, joint.in_a) || turns_far(joint.b, joint.in_b);
    });
  }

  void move() {
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) set_motion(i, 0);
    for (const auto& [i, j] : pairs()) certify(i, j, 0);
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      if (event.version_a == tracks_[event.a].version &&
          event.version_b == tracks_[event.b].version)
        meet(event);
    }
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) go_to(i, 1);
    for (RigidBody& body : bodies_)
      if (body.stirs()) {
        body.held = false;
        body.calm = is_calm(body) ? body.calm + seconds_ : 0;
        if (body.asleep()) body.velocity = body.spin = Vec3::Zero();
      }
    for (const auto& [i, j] : near_)
      if (overlap(places_[i], places_[j])) {
        if (moves(bodies_[i]) && bodies_[j].asleep()) bodies_[j].calm = 0;
        if (moves(bodies_[j]) && bodies_[i].asleep()) bodies_[i].calm = 0;
      }
  }

 private:
  // Bodies that joints connect.
  void find_groups() {
    std::vector<std::uint32_t> root(bodies_.size());
    std::iota(root.begin(), root.end(), 0u);
    const auto find = [&](std::uint32_t i) {
      while (root[i] != i) i = root[i] = root[root[i]];
      return i;
    };
    for (const BallJoint& joint : system_.joints)
      if (!bodies_[joint.a].fixed && !bodies_[joint.b].fixed) root[find(joint.a)] = find(joint.b);
    groups_.resize(bodies_.size());
    group_joints_.resize(bodies_.size());
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
      group_of_.push_back(find(i));
      groups_[group_of_[i]].push_back(i);
    }
    for (std::uint32_t j = 0; j < system_.joints.size(); ++j) {
      const BallJoint& joint = system_.joints[j];
      group_joints_[group_of_[bodies_[joint.a].fixed ? joint.b : joint.a]].push_back(j);
    }
  }

  // The spin of jointed bodies beside each other falls, the angular momentum of both stays.
  void damp_joints() {
    const double share = 1 - std::exp(-system_.joint_damping * seconds_);
    if (share == 0) return;
    for (const BallJoint& joint : system_.joints) {
      RigidBody &a = bodies_[joint.a], &b = bodies_[joint.b];
      if (!a.stirs() && !b.stirs()) continue;
      const Eigen::Matrix3d x = inverse_inertia(a), y = inverse_inertia(b);
      const Vec3 change = (x + y).inverse() * (share * (b.spin - a.spin));
      a.spin += x * change;
      b.spin -= y * change;
    }
  }
  Eigen::Matrix3d inverse_inertia(const RigidBody& body) const {
    if (!body.stirs()) return Eigen::Matrix3d::Zero();
    const Eigen::Matrix3d r = body.pose.rotation.normalized().toRotationMatrix();
    return r * system_.shape(body).inverse_inertia * r.transpose();
  }

  bool is_calm(const RigidBody& body) const {
    const double radius = system_.shape(body).radius;
    const double slow =
        0.01 * std::sqrt(system_.gravity.norm() * std::max(radius, 10 * system_.gap));
    return body.velocity.norm() + radius * body.spin.norm() < slow;
  }
  bool moves(const RigidBody& body) const { return !body.fixed && !is_calm(body); }
  double parting_speed(const BodyContact& contact) const {
    const auto speed = [&](const RigidBody& body) {
      return Vec3(body.velocity + body.spin.cross(contact.point - body.pose.translation));
    };
    return contact.normal.dot(speed(bodies_[contact.a]) - speed(bodies_[contact.b]));
  }
  // What sleeps wakes where something hits it faster than gravity makes it in two steps.
  bool wake(std::span<const BodyContact> contacts) {
    bool any = false;
    for (const BodyContact& contact : contacts) {
      RigidBody &a = bodies_[contact.a], &b = bodies_[contact.b];
      if ((!a.asleep() && !b.asleep()) ||
          parting_speed(contact) > -2 * seconds_ * system_.gravity.norm())
        continue;
      for (RigidBody* body : {&a, &b}) any = any || body->asleep(), body->calm = 0;
    }
    return any;
  }

  Aabb box_of(const RigidBody& body, const Motion& motion) const {
    Aabb box = placed_box(system_.shape(body), motion);
    box.lo -= Vec3::Constant(2 * system_.gap);
    box.hi += Vec3::Constant(2 * system_.gap);
    return box;
  }

  void set_motion(std::uint32_t i, double now) {
    Track& track = tracks_[i];
    const RigidBody& body = bodies_[i];
    track.motion = resting(body.pose);
    if (body.stirs() && !body.held) {
      track.motion.velocity = (1 - now) * seconds_ * body.velocity;
      track.motion.rotation = (1 - now) * seconds_ * body.spin;
    }
    track.from = now;
    ++track.version;
    track.box = box_of(body, track.motion);
  }
  // The motion from a share of it on.
  static Motion ahead(const Motion& motion, double share) {
    if (share == 0) return motion;
    const Pose pose = pose_at(motion, share);
    return {pose, pose.translation, (1 - share) * motion.velocity, (1 - share) * motion.rotation};
  }
  static Motion later(const Track& track, double now) {
    return ahead(track.motion, (now - track.from) / (1 - track.from));
  }
  // Moves the body to where it is at that time. Angular momentum stays, so the spin changes where
  // the inertia has turned; but not so that the energy grows.
  void go_to(std::uint32_t i, double now) {
    const Track& track = tracks_[i];
    RigidBody& body = bodies_[i];
    if (track.is_still() || now == track.from) return;
    const RigidShape& shape = system_.shape(body);
    const auto in_body = [&](const Vec3& x) {
      return Vec3(body.pose.rotation.normalized().conjugate() * x);
    };
    const auto turning = [&](const Vec3& w) { return w.dot(shape.inertia * w); };
    const double before = turning(in_body(body.spin));
    const Vec3 momentum = body.pose.rotation.normalized() * (shape.inertia * in_body(body.spin));
    body.pose = pose_at(track.motion, (now - track.from) / (1 - track.from));
    Vec3 spin = shape.inverse_inertia * in_body(momentum);
    if (const double after = turning(spin); after > before) spin *= std::sqrt(before / after);
    body.spin = body.pose.rotation.normalized() * spin;
  }

  // The same, without a change of what is certified.
  void go_on(std::uint32_t i, double now) {
    Track& track = tracks_[i];
    if (track.is_still() || now == track.from) return;
    const Motion motion = later(track, now);
    go_to(i, now);
    track.motion = motion;
    track.from = now;
  }

  bool may_meet(std::uint32_t i, std::uint32_t j) const {
    const RigidBody &a = bodies_[i], &b = bodies_[j];
    return (a.stirs() || b.stirs()) &&
           !(system_.shape(a).is_particle() && system_.shape(b).is_particle());
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs() const {
    std::vector<Aabb> boxes;
    for (const Track& track : tracks_) boxes.push_back(track.box);
    auto found = overlapping_pairs(boxes);
    std::erase_if(found, [&](const auto& pair) { return !may_meet(pair.first, pair.second); });
    return found;
  }

  // How near places must be to get an impulse: where they are, or on the way of this step, if that
  // is short beside the bodies.
  double reach(std::uint32_t i, std::uint32_t j) const {
    const RigidShape &a = system_.shape(bodies_[i]), &b = system_.shape(bodies_[j]);
    if (!a.convex || !b.convex) return 2 * system_.gap;
    const Motion &p = tracks_[i].motion, &q = tracks_[j].motion;
    const double way = (p.velocity - q.velocity).norm() + p.rotation.norm() * a.radius +
                       q.rotation.norm() * b.radius;
    return 2 * system_.gap + std::min(way, 0.2 * std::min(a.radius, b.radius));
  }

  void add_contacts(std::uint32_t i, std::uint32_t j, double within,
                    std::vector<BodyContact>& contacts) const {
    const RigidBody &a = bodies_[i], &b = bodies_[j];
    for (const ManifoldPoint& p :
         find_manifold(system_.shape(a), placement_at(resting(a.pose), 0), system_.shape(b),
                       placement_at(resting(b.pose), 0), within))
      contacts.push_back({i, j, p.point, p.normal, p.distance});
  }

  std::vector<BodyContact> find_contacts(
      std::span<const std::pair<std::uint32_t, std::uint32_t>> near) {
    std::vector<BodyContact> contacts;
    std::vector<BodyContact>& before = system_.contacts;
    for (const auto& [i, j] : near) {
      const std::size_t first = contacts.size();
      add_contacts(i, j, reach(i, j), contacts);
      // Impulses begin with what they were in the last step, place by place.
      auto old = std::lower_bound(before.begin(), before.end(), std::pair(i, j),
                                  [](const BodyContact& contact, const auto& key) {
                                    return std::pair(contact.a, contact.b) < key;
                                  });
      const double same =
          0.1 * std::min(system_.shape(bodies_[i]).radius, system_.shape(bodies_[j]).radius);
      for (; old != before.end() && old->a == i && old->b == j; ++old)
        for (std::size_t k = first; k < contacts.size(); ++k)
          if ((contacts[k].point - old->point).norm() < same && contacts[k].impulse.isZero(0) &&
              contacts[k].normal.dot(old->normal) > 0.95) {
            contacts[k].impulse = old->impulse;
            break;
          }
    }
    return contacts;
  }

  // Looks ahead from `now` to the end of the step, and makes an event of what comes too near.
  void certify(std::uint32_t i, std::uint32_t j, double now) {
    const Track &a = tracks_[i], &b = tracks_[j];
    if (a.is_still() && b.is_still()) return;
    ++tally_.queries;
    const RigidShape &p = system_.shape(bodies_[i]), &q = system_.shape(bodies_[j]);
    const Motion motion_a = later(a, now), motion_b = later(b, now);
    const bool convex = p.convex && q.convex;
    double margin = 0, since = 0;  // since: share of what is left
    for (int look = 0; look < (convex ? 256 : 1); ++look) {
      const Motion x = ahead(motion_a, since), y = ahead(motion_b, since);
      const Separation gap = convex
                                 ? convex_separation(p, placement_at(x, 0), q, placement_at(y, 0))
                                 : mesh_separation(p, x, q, y);
      if (look == 0) margin = kept_of(std::max(gap.distance, 0.0));
      if (look > 0 && gap.distance < 1.02 * margin) break;
      const double share = apart_along(p.model, x, q.model, y, gap.normal, margin);
      if (share >= 1) return;
      since += share * (1 - since);
    }
    if (!convex) {
      ++tally_.advances;
      AdvanceOptions options;
      options.margin = margin;
      options.threshold =
          margin > 0 ? margin / (margin < system_.gap / 64 ? 64 : 4) : system_.gap * 1e-6;
      options.max_checks = 20000;  // what is not decided is an event
      const Impact found = advance(p.model, motion_a, q.model, motion_b, options).impact;
      if (found.verdict == Verdict::separated) return;
      since = found.toi;
    }
    events_.push({now + since * (1 - now), i, j, a.version, b.version});
  }

  // An eighth of the gap; where there is less than twice that, half of what there is; where there
  // is next to nothing, nearly all of it.
  double kept_of(double distance) const {
    return std::min(system_.gap / 8, distance * (distance < system_.gap / 32 ? 0.95 : 0.5));
  }

  static Separation mesh_separation(const RigidShape& p, const Motion& x, const RigidShape& q,
                                    const Motion& y) {
    const ModelDistance found =
        distance(p.model, placement_at(x, 0), q.model, placement_at(y, 0), {-1, 0.2});
    return {found.lo, found.normal.normalized()};
  }

  void meet(const Event& event) {
    ++tally_.impacts;
    const double now = event.time;
    std::vector<std::uint32_t> members, joints;
    for (const std::uint32_t i : {event.a, event.b}) {
      const std::uint32_t group = group_of_[i];
      if (bodies_[i].fixed || std::find(members.begin(), members.end(), i) != members.end())
        continue;
      members.insert(members.end(), groups_[group].begin(), groups_[group].end());
      joints.insert(joints.end(), group_joints_[group].begin(), group_joints_[group].end());
    }
    for (const std::uint32_t i : members) go_to(i, now);
    std::vector<BodyContact> contacts;
    add_contacts(event.a, event.b, 2 * system_.gap, contacts);
    wake(contacts);
    const std::size_t own = contacts.size();
    if (std::any_of(contacts.begin(), contacts.end(), [&](const BodyContact& contact) {
          return parting_speed(contact) < -bounce_speed_;
        }))
      add_neighbours(members, joints, now);
    // What else is near either goes on as it does, and is taken into account.
    for (const std::uint32_t i : members)
      for (std::uint32_t j = 0; j < bodies_.size(); ++j) {
        if (i == j || !may_meet(i, j) || !overlap(tracks_[i].box, tracks_[j].box) ||
            std::minmax(i, j) == std::minmax(event.a, event.b) ||
            (j < i && std::find(members.begin(), members.end(), j) != members.end()))
          continue;
        go_on(j, now);
        add_contacts(std::min(i, j), std::max(i, j), 2 * system_.gap, contacts);
      }
    const double left = (1 - now) * seconds_;
    const SolveTimes times{seconds_, left};
    if (left > 0 && !solve_velocities(system_, contacts, joints, times, bounce_speed_, members)) {
      contacts.resize(own);
      solve_velocities(system_, contacts, joints, times, bounce_speed_, members);
    }
    for (const std::uint32_t i : {event.a, event.b})
      if (++hits_[group_of_[i]] > 3 + groups_[group_of_[i]].size() && !bodies_[i].fixed)
        for (const std::uint32_t member : groups_[group_of_[i]]) hold(member, left);
    for (const std::uint32_t i : members) set_motion(i, now);
    if (now < 1)
      for (const std::uint32_t i : members)
        for (std::uint32_t j = 0; j < bodies_.size(); ++j)
          if (i != j && may_meet(i, j) && overlap(tracks_[i].box, tracks_[j].box))
            certify(std::min(i, j), std::max(i, j), now);
  }

  // A hit is shared with what is near, and with what is near that: a wall is more than the brick
  // that is hit. What sleeps there wakes.
  void add_neighbours(std::vector<std::uint32_t>& members, std::vector<std::uint32_t>& joints,
                      double now) {
    std::vector<bool> is_member(bodies_.size());
    for (const std::uint32_t i : members) is_member[i] = true;
    for (int ring = 0; ring < 2; ++ring) {
      const std::size_t inner = members.size();
      for (std::size_t k = 0; k < inner; ++k)
        for (std::uint32_t j = 0; j < bodies_.size(); ++j) {
          if (is_member[j] || bodies_[j].fixed || bodies_[j].held ||
              !overlap(tracks_[members[k]].box, tracks_[j].box))
            continue;
          const std::uint32_t group = group_of_[j];
          for (const std::uint32_t i : groups_[group]) {
            go_to(i, now);
            bodies_[i].calm = 0;
            is_member[i] = true;
            members.push_back(i);
          }
          joints.insert(joints.end(), group_joints_[group].begin(), group_joints_[group].end());
        }
    }
  }

  // For the rest of the step time stands still for the body. It loses what gravity would have done
  // to it; and where that is nearly all of the step, half of its velocity, lest what is wedged
  // keeps one that it cannot use.
  void hold(std::uint32_t i, double left) {
    RigidBody& body = bodies_[i];
    if (body.held) return;
    body.held = true;
    ++tally_.held;
    const Vec3 velocity = body.velocity - left * system_.gravity;
    if (velocity.norm() < body.velocity.norm()) body.velocity = velocity;
    if (left < 0.98 * seconds_) return;
    body.velocity /= 2;
    body.spin /= 2;
  }

  RigidSystem& system_;
  std::vector<RigidBody>& bodies_;
  double seconds_, bounce_speed_;
  RigidStep& tally_;
  std::vector<Track> tracks_;
  std::vector<Aabb> places_;  // where bodies are at the start
  std::vector<std::pair<std::uint32_t, std::uint32_t>> near_;
  std::vector<std::size_t> hits_;  // of groups
  std::vector<std::uint32_t> group_of_;
  std::vector<std::vector<std::uint32_t>> groups_, group_joints_;  // by the body that names one
  std::priority_queue<Event> events_;
};

// In the halves of the step where jointed bodies turn too far in the whole, or joints come out of
// it open, and so on.
void advance_in_parts(RigidSystem& system, double seconds, int halvings, RigidStep& tally) {
  const bool may_halve = halvings > 0 && !system.joints.empty();
  const auto bodies = may_halve ? system.bodies : std::vector<RigidBody>{};
  const auto contacts = may_halve ? system.contacts : std::vector<BodyContact>{};
  const double apart = std::max(joint_error(system), system.gap);
  RigidStep whole;
  Step step(system, seconds, whole);
  step.find_velocities();
  bool halve = may_halve && step.joints_turn_far();
  if (!halve) {
    step.move();
    halve = may_halve && joint_error(system) > apart;
  }
  if (!halve) {
    tally.add(whole);
    return;
  }
  system.bodies = bodies;
  system.contacts = contacts;
  for (int half = 0; half < 2; ++half) advance_in_parts(system, seconds / 2, halvings - 1, tally);
}

}  // namespace

void advance_by(RigidSystem& system, double seconds, RigidStep* step) {
  const FloatEnvironment environment;
  RigidStep tally;
  advance_in_parts(system, seconds, 3, tally);
  if (step) *step = tally;
}

}  // namespace graze
