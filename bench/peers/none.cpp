#include "bench/peers/rigid_peer.h"

namespace graze::bench {

std::span<const RigidPeer> rigid_peers() {
  return {};
}

}  // namespace graze::bench
