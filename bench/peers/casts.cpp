#include <array>

#include "bench/peers/cast_peer.h"

namespace graze::bench {
namespace {

constexpr auto cast_peer_table = std::to_array<CastPeer>({
    {"bullet", "Bullet's convexSweepTest", prepare_bullet_cast},
    {"fcl", "advancement on FCL's distance of a shape and a mesh", prepare_fcl_cast},
});

}  // namespace

std::span<const CastPeer> cast_peers() {
  return cast_peer_table;
}

}  // namespace graze::bench
