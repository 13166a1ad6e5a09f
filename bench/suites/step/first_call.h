#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "graze/mesh.h"

namespace graze::bench {

// The first impact of a step on one thread, in a new process and in one that has found it before.
// Seconds, medians.
struct FirstCall {
  double first = 0;    // wall time of the search in a new process
  double process = 0;  // processor time of `graze step --first-only`, from its start to its end
  double warm_wall = 0, warm_processor = 0;  // of earliest_impact() in this process

  double first_ratio() const { return first / warm_wall; }
  double process_ratio() const { return process / warm_processor; }
};

// Measures the step between two mesh files, whose motion has been read, in turns: at least 5 and at
// most 31 rounds, as many as fit in `seconds`. Returns nothing if the program `graze` does not lie
// beside this one or fails.
std::optional<FirstCall> measure_first_call(const std::array<std::filesystem::path, 2>& files,
                                            const MovingMesh& moving, double seconds);

}  // namespace graze::bench
