#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "graze/generate/models.h"

namespace graze::bench {

// The part of the way that is free, 1 for all of it.
using SweepQuery = std::function<double(const Vec3& from, const Vec3& way)>;

// What else a game could ask when a convex body, or a point, moves straight through a world of
// triangles.
struct SweepPeer {
  std::string_view name, description;
  // Builds what the peer needs, once; the result owns it. `body`: the corners of a convex body
  // around the origin; none: a point.
  SweepQuery (*prepare)(const SurfaceModel& world, std::span<const Vec3> body);
};

// None unless configured with GRAZE_PEERS.
std::span<const SweepPeer> sweep_peers();

}  // namespace graze::bench
