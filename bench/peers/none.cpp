#include "bench/peers/cast_peer.h"
#include "bench/peers/rigid_peer.h"
#include "bench/peers/robot_peer.h"
#include "bench/peers/sweep_peer.h"

namespace graze::bench {

std::span<const CastPeer> cast_peers() {
  return {};
}

std::span<const RigidPeer> rigid_peers() {
  return {};
}

std::span<const RobotPeer> robot_peers() {
  return {};
}

std::span<const SweepPeer> sweep_peers() {
  return {};
}

}  // namespace graze::bench
