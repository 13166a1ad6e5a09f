#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/harness/measure.h"
#include "bench/harness/suite.h"

namespace graze::bench {

// A step in which the vertices of a scene move on cubic curves with given velocities, beside the
// step in which they move straight between the same positions: all impacts, on one thread.
struct CurvedSceneRow {
  std::string scene;
  std::size_t triangles = 0;
  std::uint64_t straight_pairs = 0, curved_pairs = 0;  // that the broad phase reports
  std::size_t straight_contacts = 0, curved_contacts = 0;
  double straight_seconds = 0, curved_seconds = 0;  // processor time
  std::size_t judged = 0;                           // pairs compared with the oracle
  Counts counts = {};                               // of the judged pairs

  double pair_ratio() const {
    return static_cast<double>(curved_pairs) / static_cast<double>(straight_pairs);
  }
  double time_ratio() const { return curved_seconds / straight_seconds; }
};

// Measures the generated scenes, with about twice request.count triangles (500 to 4,000), and the
// scenes of the folder of real data; appends the names of those that are not there to `missing`.
//
// Velocities: those of the scene where it has them; otherwise those of Catmull-Rom curves through
// four frames. Real scenes have two frames. Their vertices are accelerated evenly and begin the
// step with the mean displacement of their neighbours.
//
// The oracle judges up to 100 pairs of each scene: pairs that touch on the curves, and pairs that
// touch on the lines.
std::vector<CurvedSceneRow> measure_curved_scenes(const Request& request,
                                                  std::vector<std::string>& missing);

}  // namespace graze::bench
