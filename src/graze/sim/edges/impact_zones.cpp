#include "graze/sim/edges/impact_zones.h"

#include <Eigen/Dense>
#include <map>
#include <numeric>

namespace graze::sim::edges {

ImpactZones::ImpactZones(std::size_t vertices)
    : parent_(vertices), member_(vertices), pinned_(vertices) {
  std::iota(parent_.begin(), parent_.end(), std::size_t{0});
}

std::size_t ImpactZones::root(std::size_t vertex) {
  while (parent_[vertex] != vertex) vertex = parent_[vertex] = parent_[parent_[vertex]];
  return vertex;
}

void ImpactZones::add(std::span<const Contact> pairs, std::span<const double> inverse_mass) {
  for (const Contact& pair : pairs) {
    const std::span vertices(pair.stencil.vertices.data(), pair.stencil.size);
    std::size_t zone = parent_.size();
    for (const std::uint32_t vertex : vertices) {
      if (inverse_mass[vertex] == 0) continue;
      member_[vertex] = 1;
      const std::size_t other = root(vertex);
      if (zone == parent_.size()) zone = other;
      if (zone == other) continue;
      parent_[other] = zone;
      pinned_[zone].insert(pinned_[zone].end(), pinned_[other].begin(), pinned_[other].end());
    }
    if (zone == parent_.size()) continue;
    for (const std::uint32_t vertex : vertices)
      if (inverse_mass[vertex] == 0) pinned_[zone].push_back(vertex);
  }
}

bool ImpactZones::contains(std::size_t vertex) const {
  return member_[vertex] != 0;
}

std::size_t ImpactZones::move_as_one(std::span<const Vec3> x, std::span<const Vec3> ends,
                                     std::span<const double> inverse_mass, std::span<Vec3> v) {
  std::map<std::size_t, std::vector<std::size_t>> zones;
  for (std::size_t i = 0; i < parent_.size(); ++i)
    if (inverse_mass[i] > 0) zones[root(i)].push_back(i);
  std::size_t count = 0;
  for (const auto& [zone, members] : zones) {
    if (members.size() == 1 && pinned_[zone].empty()) continue;
    ++count;
    Vec3 velocity = Vec3::Zero(), spin = Vec3::Zero(), centre = Vec3::Zero();
    if (!pinned_[zone].empty()) {
      for (const std::uint32_t vertex : pinned_[zone]) velocity += v[vertex];
      velocity /= static_cast<double>(pinned_[zone].size());
    } else {
      double mass = 0;
      for (const std::size_t i : members) {
        mass += 1 / inverse_mass[i];
        centre += x[i] / inverse_mass[i];
        velocity += v[i] / inverse_mass[i];
      }
      centre /= mass;
      velocity /= mass;
      Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();
      Vec3 momentum = Vec3::Zero();
      for (const std::size_t i : members) {
        const Vec3 r = x[i] - centre;
        momentum += (ends[i] - centre).cross(v[i]) / inverse_mass[i];
        inertia +=
            (r.squaredNorm() * Eigen::Matrix3d::Identity() - r * r.transpose()) / inverse_mass[i];
      }
      // Least squares, because collinear members have no inertia about their line.
      spin = inertia.completeOrthogonalDecomposition().solve(momentum);
    }
    for (const std::size_t i : members) v[i] = velocity + spin.cross(x[i] - centre);
  }
  return count;
}

}  // namespace graze::sim::edges
