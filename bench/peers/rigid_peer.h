#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "graze/generate/models.h"
#include "graze/impact.h"
#include "graze/rigid/motion.h"

namespace graze::bench {

struct PeerAnswer {
  Verdict verdict = Verdict::separated;
  double toi = Impact::inf;  // claimed: no contact in [0, toi)
  int iterations = 0;        // distance queries
};

using PeerQuery =
    std::function<PeerAnswer(const rigid::Motion& a, const rigid::Motion& b, double threshold)>;

// Another library that finds when two rigid meshes meet.
struct RigidPeer {
  std::string_view name, description;
  // Prepares two meshes. The result owns its data.
  PeerQuery (*prepare)(const generate::SurfaceModel& a, const generate::SurfaceModel& b);
};

// Returns the peers; none unless built with the CMake option GRAZE_PEERS.
std::span<const RigidPeer> rigid_peers();

}  // namespace graze::bench
