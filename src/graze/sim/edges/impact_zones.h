#pragma once

#include <span>
#include <vector>

#include "graze/sim/edges/edge_contacts.h"

namespace graze {

// Groups of vertices that must move as one because impulses do not part them. Zones only grow.
class ImpactZones {
 public:
  explicit ImpactZones(std::size_t vertices);

  // Unites the vertices of each pair; pinned vertices (inverse mass 0) are in many zones at once.
  void add(std::span<const ReachedPair> pairs, std::span<const double> inverse_mass);

  // Gives each zone the rigid velocity that keeps its momentum and angular momentum; that of its
  // pinned vertices, on average, where it has some. Returns the number of zones.
  std::size_t move_as_one(std::span<const Vec3> positions, std::span<const double> inverse_mass,
                          std::span<Vec3> velocities);

 private:
  std::size_t root(std::size_t vertex);

  std::vector<std::size_t> parent_;
  std::vector<std::vector<std::uint32_t>> pinned_;  // at the root: those that the zone is held by
};

}  // namespace graze
