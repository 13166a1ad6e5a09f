#include "graze/sim/rigid/step_base.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

#include "graze/sim/rigid/body_pairs.h"
#include "graze/sim/rigid/contacts/contact_solver.h"

namespace graze::sim::rigid {
namespace {

// Merges contacts into a list. Both are ordered by (a, b).
void merge(std::vector<Contact>& contacts, std::span<const Contact> more) {
  const auto middle = static_cast<std::ptrdiff_t>(contacts.size());
  contacts.insert(contacts.end(), more.begin(), more.end());
  std::inplace_merge(
      contacts.begin(), contacts.begin() + middle, contacts.end(),
      [](const Contact& x, const Contact& y) { return std::pair(x.a, x.b) < std::pair(y.a, y.b); });
}

}  // namespace

StepBase::StepBase(const Model& model, State& state, double seconds, Report& report)
    : system_(model, state),
      model_(model),
      bodies_(state.bodies),
      seconds_(seconds),
      bounce_speed_(2 * seconds * model.gravity.norm() +
                    std::sqrt(20 * model.gravity.norm() * model.gap)),
      report_(report),
      tracks_(bodies_.size()),
      hits_(bodies_.size()) {
  find_groups();
}

void StepBase::find_velocities() {
  damp_rolling();
  for (std::uint32_t i = 0; i < bodies_.size(); ++i)
    if (bodies_[i].is_active()) {
      // The predicted energy loses m h^2 g.g / 2: KE(v + h g) - h m g.(v + h g) for KE(v).
      const Vec3 gained = seconds_ * model_.gravity;
      bodies_[i].velocity += gained;
      system_.accounts.balance(i) = system_.shape(bodies_[i]).mass * gained.squaredNorm() / 2;
    }
  damp_joints();
  for (std::uint32_t i = 0; i < bodies_.size(); ++i) set_motion(i, 0);
  for (const Body& body : bodies_)
    places_.push_back(box_of(body, graze::rigid::resting(body.pose)));
  near_ = pairs();
  std::vector<Contact> contacts = find_contacts(near_);
  for (int round = 0; round < 3 && wake(contacts); ++round) {
    // Waking bodies adds pairs. The contacts of the others do not change.
    std::vector<BodyPair> now = pairs(), added;
    std::set_difference(now.begin(), now.end(), near_.begin(), near_.end(),
                        std::back_inserter(added));
    merge(contacts, find_contacts(added));
    near_ = std::move(now);
  }
  std::vector<std::uint32_t> joints(model_.joints.size());
  std::iota(joints.begin(), joints.end(), 0u);
  solve_velocities(system_, contacts, joints, {seconds_, seconds_}, bounce_speed_);
  // Contacts between sleeping bodies stay for the step in which the bodies wake.
  std::erase_if(system_.state.contacts, [&](const Contact& contact) {
    return bodies_[contact.a].is_active() || bodies_[contact.b].is_active();
  });
  merge(system_.state.contacts, contacts);
}

bool StepBase::joints_turn_far() const {
  const auto turns_far = [&](std::uint32_t i, const Vec3& arm) {
    const Body& body = bodies_[i];
    return body.is_active() &&
           seconds_ * body.spin.cross(body.pose.rotation * arm).norm() > 0.2 * arm.norm();
  };
  return std::any_of(model_.joints.begin(), model_.joints.end(), [&](const BallJoint& joint) {
    return turns_far(joint.a, joint.in_a) || turns_far(joint.b, joint.in_b);
  });
}

// Finds the groups of bodies connected by joints. A group is named by one of its bodies.
void StepBase::find_groups() {
  std::vector<std::uint32_t> root(bodies_.size());
  std::iota(root.begin(), root.end(), 0u);
  const auto find = [&](std::uint32_t i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  for (const BallJoint& joint : model_.joints)
    if (!bodies_[joint.a].is_static && !bodies_[joint.b].is_static)
      root[find(joint.a)] = find(joint.b);
  groups_.resize(bodies_.size());
  group_joints_.resize(bodies_.size());
  for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
    group_of_.push_back(find(i));
    groups_[group_of_[i]].push_back(i);
  }
  for (std::uint32_t j = 0; j < model_.joints.size(); ++j) {
    const BallJoint& joint = model_.joints[j];
    group_joints_[group_of_[bodies_[joint.a].is_static ? joint.b : joint.a]].push_back(j);
  }
}

// Reduces the relative spin of jointed bodies; their angular momentum is kept.
void StepBase::damp_joints() {
  const double share = 1 - std::exp(-model_.joint_damping * seconds_);
  if (share == 0) return;
  for (const BallJoint& joint : model_.joints) {
    Body &a = bodies_[joint.a], &b = bodies_[joint.b];
    if (!a.is_active() && !b.is_active()) continue;
    const Eigen::Matrix3d x = inverse_inertia(a), y = inverse_inertia(b);
    const Vec3 change = (x + y).inverse() * (share * (b.spin - a.spin));
    a.spin += x * change;
    b.spin -= y * change;
  }
}

// Applies rolling friction to the bodies that the last step left in contact: an angular impulse
// against the relative spin w of two bodies. Along the unit vector n of w, an impulse j changes the
// kinetic energy by -j |w| + j^2 k / 2 with k = n.(A + B) n, A and B the inverse inertias. That is
// not positive for 0 <= j <= |w| / k, so that the energy does not grow, whatever the step.
void StepBase::damp_rolling() {
  if (model_.rolling_friction == 0) return;
  const double weight = seconds_ * model_.gravity.norm();  // for a mass of 1, as an impulse
  std::pair<std::uint32_t, std::uint32_t> last;
  for (const Contact& contact : system_.state.contacts) {
    const std::pair pair(contact.a, contact.b);
    if (contact.impulse.isZero(0) || pair == last) continue;  // contacts are ordered by pair
    last = pair;
    Body &a = bodies_[contact.a], &b = bodies_[contact.b];
    const Vec3 w = a.spin - b.spin;
    const double size = w.norm();
    if ((!a.is_active() && !b.is_active()) || size == 0) continue;
    const Eigen::Matrix3d x = inverse_inertia(a), y = inverse_inertia(b);
    const Vec3 n = w / size;
    const double mass = std::min(a.is_active() ? system_.shape(a).mass : HUGE_VAL,
                                 b.is_active() ? system_.shape(b).mass : HUGE_VAL);
    const double impulse =
        std::min(model_.rolling_friction * mass * weight, size / n.dot((x + y) * n));
    a.spin -= x * (impulse * n);
    b.spin += y * (impulse * n);
  }
}

Eigen::Matrix3d StepBase::inverse_inertia(const Body& body) const {
  if (!body.is_active()) return Eigen::Matrix3d::Zero();
  const Eigen::Matrix3d r = body.pose.rotation.normalized().toRotationMatrix();
  return r * system_.shape(body).inverse_inertia * r.transpose();
}

bool StepBase::is_calm(const Body& body) const {
  const double radius = system_.shape(body).radius;
  const double slow = 0.01 * std::sqrt(model_.gravity.norm() * std::max(radius, 10 * model_.gap));
  return body.velocity.norm() + radius * body.spin.norm() < slow;
}

double StepBase::parting_speed(const Contact& contact) const {
  const auto speed = [&](const Body& body) {
    return Vec3(body.velocity + body.spin.cross(contact.point - body.pose.translation));
  };
  return contact.normal.dot(speed(bodies_[contact.a]) - speed(bodies_[contact.b]));
}

// Updates for how long bodies have been calm. Jointed bodies sleep together: the joints of a body
// that is awake would pull at those that sleep.
void StepBase::rest() {
  for (const std::vector<std::uint32_t>& group : groups_) {
    double calm = std::numeric_limits<double>::infinity();
    for (const std::uint32_t i : group)
      calm = std::min(calm, is_calm(bodies_[i]) ? bodies_[i].calm : -seconds_);
    for (const std::uint32_t i : group) {
      Body& body = bodies_[i];
      if (!body.is_active()) continue;
      body.calm = calm + seconds_;
      if (body.is_asleep()) body.velocity = body.spin = Vec3::Zero();
    }
  }
}

// Wakes a body and those jointed to it.
void StepBase::rouse(std::uint32_t i) {
  for (const std::uint32_t member : groups_[group_of_[i]]) bodies_[member].calm = 0;
}

// Wakes sleeping bodies that are hit at more than the speed that gravity adds in two steps. Returns
// whether any woke.
bool StepBase::wake(std::span<const Contact> contacts) {
  bool any = false;
  for (const Contact& contact : contacts) {
    const Body &a = bodies_[contact.a], &b = bodies_[contact.b];
    if ((!a.is_asleep() && !b.is_asleep()) ||
        parting_speed(contact) > -2 * seconds_ * model_.gravity.norm())
      continue;
    for (const std::uint32_t i : {contact.a, contact.b}) {
      any = any || bodies_[i].is_asleep();
      rouse(i);
    }
  }
  return any;
}

Aabb StepBase::box_of(const Body& body, const graze::rigid::Motion& motion) const {
  Aabb box = placed_box(system_.shape(body), motion);
  box.lo -= Vec3::Constant(2 * model_.gap);
  box.hi += Vec3::Constant(2 * model_.gap);
  return box;
}

void StepBase::set_motion(std::uint32_t i, double now) {
  Track& track = tracks_[i];
  const Body& body = bodies_[i];
  track.motion = graze::rigid::resting(body.pose);
  if (body.is_active() && system_.stopped[i] == 0) {
    track.motion.velocity = (1 - now) * seconds_ * body.velocity;
    track.motion.rotation = (1 - now) * seconds_ * body.spin;
  }
  track.from = now;
  ++track.version;
  track.box = box_of(body, track.motion);
}

void StepBase::place(std::uint32_t i, const Pose& pose) {
  Body& body = bodies_[i];
  const ShapeData& shape = system_.shape(body);
  const auto in_body = [&](const Vec3& x) {
    return Vec3(body.pose.rotation.normalized().conjugate() * x);
  };
  const auto turning = [&](const Vec3& w) { return w.dot(shape.inertia * w); };
  const double before = turning(in_body(body.spin));
  const Vec3 momentum = body.pose.rotation.normalized() * (shape.inertia * in_body(body.spin));
  body.pose = pose;
  Vec3 spin = shape.inverse_inertia * in_body(momentum);
  if (const double after = turning(spin); after > before) spin *= std::sqrt(before / after);
  body.spin = body.pose.rotation.normalized() * spin;
}

bool StepBase::may_meet(std::uint32_t i, std::uint32_t j) const {
  const Body &a = bodies_[i], &b = bodies_[j];
  return (a.is_active() || b.is_active()) &&
         !(system_.shape(a).is_particle() && system_.shape(b).is_particle());
}

std::vector<StepBase::BodyPair> StepBase::pairs() const {
  std::vector<Aabb> boxes;
  for (const Track& track : tracks_) boxes.push_back(track.box);
  auto found = overlapping_pairs(boxes);
  std::erase_if(found, [&](const auto& pair) { return !may_meet(pair.first, pair.second); });
  return found;
}

std::vector<Contact> StepBase::find_contacts(std::span<const BodyPair> near) {
  std::vector<Contact> contacts;
  std::vector<Contact>& before = system_.state.contacts;
  for (const auto& [i, j] : near) {
    const std::size_t first = contacts.size();
    add_contacts(i, j, reach(i, j), contacts);
    // Warm start: contacts at the same place as in the last step begin with its impulse.
    auto old = std::lower_bound(before.begin(), before.end(), std::pair(i, j),
                                [](const Contact& contact, const auto& key) {
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

bool StepBase::solve(std::span<Contact> contacts, std::span<const std::uint32_t> joints,
                     double left, std::span<const std::uint32_t> members) {
  return solve_velocities(system_, contacts, joints, {seconds_, left}, bounce_speed_, members);
}

std::vector<std::uint32_t> StepBase::meet(std::uint32_t a, std::uint32_t b, double now,
                                          double left) {
  ++report_.impacts;
  std::vector<std::uint32_t> members, joints;
  for (const std::uint32_t i : {a, b}) {
    const std::uint32_t group = group_of_[i];
    if (bodies_[i].is_static || std::find(members.begin(), members.end(), i) != members.end())
      continue;
    members.insert(members.end(), groups_[group].begin(), groups_[group].end());
    joints.insert(joints.end(), group_joints_[group].begin(), group_joints_[group].end());
  }
  for (const std::uint32_t i : members) go_to(i, now);
  std::vector<Contact> contacts;
  add_contacts(a, b, 2 * model_.gap, contacts);
  wake(contacts);
  const std::size_t own = contacts.size();
  if (std::any_of(contacts.begin(), contacts.end(),
                  [&](const Contact& contact) { return parting_speed(contact) < -bounce_speed_; }))
    add_neighbours(members, joints, now);
  // Contacts with other near bodies count too; those bodies keep their velocity.
  for (const std::uint32_t i : members)
    for (std::uint32_t j = 0; j < bodies_.size(); ++j) {
      if (i == j || !may_meet(i, j) || !overlap(tracks_[i].box, tracks_[j].box) ||
          std::minmax(i, j) == std::minmax(a, b) ||
          (j < i && std::find(members.begin(), members.end(), j) != members.end()))
        continue;
      go_on(j, now);
      add_contacts(std::min(i, j), std::max(i, j), 2 * model_.gap, contacts);
    }
  if (left > 0 && !solve(contacts, joints, left, members)) {
    contacts.resize(own);
    solve(contacts, joints, left, members);
  }
  for (const std::uint32_t i : {a, b})
    if (++hits_[group_of_[i]] > most_meetings_ + groups_[group_of_[i]].size() &&
        !bodies_[i].is_static)
      for (const std::uint32_t member : groups_[group_of_[i]]) stop(member, left_of(member, now));
  return members;
}

// Adds the neighbours of the members and their neighbours, so that a hit acts on a part of a wall
// and not on a single brick. Wakes them.
void StepBase::add_neighbours(std::vector<std::uint32_t>& members,
                              std::vector<std::uint32_t>& joints, double now) {
  std::vector<bool> is_member(bodies_.size());
  for (const std::uint32_t i : members) is_member[i] = true;
  for (int ring = 0; ring < 2; ++ring) {
    const std::size_t inner = members.size();
    for (std::size_t k = 0; k < inner; ++k)
      for (std::uint32_t j = 0; j < bodies_.size(); ++j) {
        if (is_member[j] || bodies_[j].is_static || system_.stopped[j] != 0 ||
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

void StepBase::stop(std::uint32_t i, double left) {
  Body& body = bodies_[i];
  if (system_.stopped[i] != 0) return;
  system_.stopped[i] = 1;
  ++report_.stopped;
  const double mass = system_.shape(body).mass;
  double& balance = system_.accounts.balance(i);
  balance += energy_of(body) - left * mass * model_.gravity.dot(body.velocity);
  const Vec3 velocity = body.velocity - left * model_.gravity;
  if (velocity.norm() < body.velocity.norm()) body.velocity = velocity;
  double share = left < 0.98 * seconds_ ? 1 : 0.5;
  if (const double most = std::max(0.0, balance), energy = energy_of(body);
      share * share * energy > most)
    share = std::sqrt(most / energy);
  body.velocity *= share;
  body.spin *= share;
  balance -= energy_of(body);
}

// Slows the bodies of islands that have gained energy (energy_accounts.h).
void StepBase::repay() {
  std::vector<double> energy(bodies_.size());  // by island
  for (std::uint32_t i = 0; i < bodies_.size(); ++i)
    if (bodies_[i].is_active()) energy[system_.accounts.island(i)] += energy_of(bodies_[i]);
  for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
    const double balance = system_.accounts.balance(i);
    if (balance >= 0 || !bodies_[i].is_active()) continue;
    const double kept = 1 + balance / energy[system_.accounts.island(i)];
    const double share = kept > 0 ? std::sqrt(kept) : 0;
    bodies_[i].velocity *= share;
    bodies_[i].spin *= share;
  }
}

double StepBase::energy_of(const Body& body) const {
  const ShapeData& shape = system_.shape(body);
  const Vec3 spin = body.pose.rotation.normalized().conjugate() * body.spin;
  return (shape.mass * body.velocity.squaredNorm() + spin.dot(shape.inertia * spin)) / 2;
}

void StepBase::finish() {
  repay();
  rest();
  for (const auto& [i, j] : near_)
    if (overlap(places_[i], places_[j])) {
      if (moves(bodies_[i]) && bodies_[j].is_asleep()) rouse(j);
      if (moves(bodies_[j]) && bodies_[i].is_asleep()) rouse(i);
    }
}

}  // namespace graze::sim::rigid
