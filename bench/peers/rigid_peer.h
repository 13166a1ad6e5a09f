#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "graze/core/impact.h"
#include "graze/generate/models.h"
#include "graze/rigid/motion.h"

namespace graze::bench {

struct PeerAnswer {
  Verdict verdict = Verdict::separated;
  double toi = Impact::inf;  // claimed: no contact in [0, toi)
  int iterations = 0;        // distance queries
};

using PeerQuery = std::function<PeerAnswer(const Motion& a, const Motion& b, double threshold)>;

// What else a user could ask when two rigid meshes meet.
struct RigidPeer {
  std::string_view name, description;
  // Builds what the peer needs for two meshes, once; the result owns it.
  PeerQuery (*prepare)(const SurfaceModel& a, const SurfaceModel& b);
};

// None unless configured with GRAZE_PEERS.
std::span<const RigidPeer> rigid_peers();

}  // namespace graze::bench
