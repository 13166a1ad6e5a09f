#include "graze/sim/rigid/contacts/solver_bodies.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <numeric>

namespace graze::sim::rigid {

SolverBodies::SolverBodies(const System& given, std::span<const Contact> contacts,
                           std::span<const std::uint32_t> joints,
                           std::span<const std::uint32_t> only)
    : system(given) {
  std::vector<std::uint32_t> bodies;
  for (const Contact& contact : contacts) {
    bodies.push_back(contact.a);
    bodies.push_back(contact.b);
  }
  for (const std::uint32_t j : joints) {
    bodies.push_back(system.model.joints[j].a);
    bodies.push_back(system.model.joints[j].b);
  }
  std::sort(bodies.begin(), bodies.end());
  bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  std::vector<BodyState> made;
  for (const std::uint32_t i : bodies) {
    const Body& body = system.state.bodies[i];
    BodyState state{i};
    if (body.is_active() && system.stopped[i] == 0 &&
        (only.empty() || std::find(only.begin(), only.end(), i) != only.end())) {
      const ShapeData& shape = system.shape(body);
      const Eigen::Matrix3d r = body.pose.rotation.normalized().toRotationMatrix();
      state.inverse_mass = 1 / shape.mass;
      state.inverse_inertia = r * shape.inverse_inertia * r.transpose();
    }
    made.push_back(state);
  }
  const auto number = [&](std::uint32_t body) {
    const auto found = std::lower_bound(bodies.begin(), bodies.end(), body);
    return static_cast<std::uint32_t>(found - bodies.begin());
  };
  std::vector<std::uint32_t> root(bodies.size());
  std::iota(root.begin(), root.end(), 0u);
  const auto find = [&](std::uint32_t i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  for (const std::uint32_t j : joints) {
    const std::uint32_t a = number(system.model.joints[j].a), b = number(system.model.joints[j].b);
    if (made[a].inverse_mass > 0 && made[b].inverse_mass > 0)
      root[std::max(find(a), find(b))] = std::min(find(a), find(b));
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> order;
  for (std::uint32_t i = 0; i < made.size(); ++i) order.emplace_back(find(i), i);
  std::sort(order.begin(), order.end());
  velocities = Eigen::VectorXd::Zero(6 * Eigen::Index(made.size()));
  for (const auto& [group, i] : order) {
    const auto place = static_cast<std::uint32_t>(states.size());
    if (group == i) groups.push_back({place, place});
    ++groups.back().end;
    group_of.push_back(static_cast<std::uint32_t>(groups.size() - 1));
    states.push_back(made[i]);
    places_.emplace_back(made[i].body, place);
    const Body& body = system.state.bodies[made[i].body];
    if (system.stopped[made[i].body] == 0) velocity(place) = twist(body.velocity, body.spin);
  }
  std::sort(places_.begin(), places_.end());
}

std::uint32_t SolverBodies::state_of(std::uint32_t body) const {
  return std::lower_bound(places_.begin(), places_.end(), std::pair(body, 0u))->second;
}

double SolverBodies::energy(const StateRange& range) const {
  double sum = 0;
  for (std::uint32_t i = range.first; i < range.end; ++i) {
    if (!moves(i)) continue;
    const Body& body = this->body(i);
    const ShapeData& shape = system.shape(body);
    const Vec3 spin = body.pose.rotation.normalized().conjugate() * velocity(i).tail<3>();
    sum += shape.mass * velocity(i).head<3>().squaredNorm() + spin.dot(shape.inertia * spin);
  }
  return sum / 2;
}

}  // namespace graze::sim::rigid
