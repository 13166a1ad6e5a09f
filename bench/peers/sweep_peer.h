#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "graze/generate/models.h"

namespace graze::bench {

// Returns the free fraction of the way, 1 for all of it.
using SweepQuery = std::function<double(const Vec3& from, const Vec3& way)>;

// Another library that moves a convex body or a point straight through a world of triangles.
struct SweepPeer {
  std::string_view name, description;
  // Prepares the world and the body. `body`: the corners of a convex body around the origin; none
  // for a point. The result owns its data.
  SweepQuery (*prepare)(const generate::SurfaceModel& world, std::span<const Vec3> body);
};

// Returns the peers; none unless built with the CMake option GRAZE_PEERS.
std::span<const SweepPeer> sweep_peers();

}  // namespace graze::bench
