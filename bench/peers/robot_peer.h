#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "graze/rigid/robot.h"

namespace graze::bench {

// Answers whether an edge of a robot is free.
using RobotPeerQuery = std::function<Verdict(const rigid::Trajectory& edge)>;

// Another way to check edges. Positions of links are those of Graze, so that only the checks
// differ.
struct RobotPeer {
  std::string_view name, description;
  bool samples;  // it tests poses only, and may miss contacts
  // Prepares a robot in a world. The checker must outlive the result.
  RobotPeerQuery (*prepare)(const rigid::PathChecker& checker);
};

// Returns the peers; none unless built with the CMake option GRAZE_PEERS.
std::span<const RobotPeer> robot_peers();

}  // namespace graze::bench
