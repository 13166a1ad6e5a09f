#pragma once

#include <vector>

#include "graze/rigid/robot/scene.h"

namespace graze::rigid {

// Returns the proof with these claims, sorted, for all pairs of a scene.
RobotProof collect_proof(const PathChecker::Scene& scene, std::vector<ProofInterval> claims);

}  // namespace graze::rigid
