#pragma once

#include <span>
#include <string_view>

#include "bench/peers/sweep_peer.h"

namespace graze::bench {

// A sphere, or a capsule along z around the origin.
struct RoundShape {
  double radius;
  double half_length;  // of the segment inside the capsule; 0: a sphere
};

// Another library that moves a sphere or a capsule straight through a world of triangles.
struct CastPeer {
  std::string_view name, description;
  SweepQuery (*prepare)(const generate::SurfaceModel& world, const RoundShape& shape);
};

// Returns the peers; none unless built with the CMake option GRAZE_PEERS.
std::span<const CastPeer> cast_peers();

// The rows of that table.
SweepQuery prepare_bullet_cast(const generate::SurfaceModel& world, const RoundShape& shape);
SweepQuery prepare_fcl_cast(const generate::SurfaceModel& world, const RoundShape& shape);

}  // namespace graze::bench
