#pragma once

#include <span>
#include <vector>

#include "graze/sim/edges.h"

namespace graze::sim::edges {

// Groups of vertices that move as one rigid body because impulses do not separate them. Zones only
// grow.
class ImpactZones {
 public:
  explicit ImpactZones(std::size_t vertices);

  // Merges the zones of the vertices of each pair. Pinned vertices (inverse mass 0) belong to every
  // zone that touches them.
  void add(std::span<const Contact> pairs, std::span<const double> inverse_mass);

  // Sets the velocities of each zone to the rigid motion about `positions` (at the start of the
  // step) that has the zone's momentum and its angular momentum at `ends`, or to the mean velocity
  // of its pinned vertices if it has any. Returns the number of zones.
  std::size_t move_as_one(std::span<const Vec3> positions, std::span<const Vec3> ends,
                          std::span<const double> inverse_mass, std::span<Vec3> velocities);

  // Returns whether the vertex is in a zone, pinned vertices excepted.
  bool contains(std::size_t vertex) const;

 private:
  std::size_t root(std::size_t vertex);

  std::vector<std::size_t> parent_;
  std::vector<std::uint8_t> member_;
  std::vector<std::vector<std::uint32_t>> pinned_;  // of a root: the pinned vertices of its zone
};

}  // namespace graze::sim::edges
