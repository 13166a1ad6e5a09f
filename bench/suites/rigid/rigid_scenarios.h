#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "graze/generate/models.h"
#include "graze/rigid/motion.h"

namespace graze::bench {

struct RigidShot {
  rigid::Motion a, b;
};

// A benchmark of [Zhang 2006] Sec. 6.2, as the paper and its errata describe it, or an additional
// one: two models and many motions.
struct RigidScenario {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  std::string name, figure;     // the figure of the paper that shows it
  generate::SurfaceModel a, b;  // about their centres of mass
  std::vector<RigidShot> shots;
  std::size_t translations = 0;   // the first shots have no rotation
  double threshold = 0;           // a thousandth of the size of the larger model
  double published_ms = unknown;  // mean, Pentium 4 3.6 GHz, 2006
};

// Returns the scenarios with `shots` random shots each; those that are not random have fewer.
// Models that are not in data/models are appended to `missing`, and their scenarios are left out.
std::vector<RigidScenario> rigid_scenarios(const std::filesystem::path& data, std::size_t shots,
                                           std::uint64_t seed, std::vector<std::string>& missing);

// Returns the motion of a body, randomly oriented, from a random place at a distance towards a
// place on the other side of a body at rest; with `turning` it also turns by pi / 3 about x and
// about y.
RigidShot random_shot(double size, bool turning, std::uint64_t seed, std::uint64_t index);

// Returns the diagonal of the bounding box of a model.
double size_of(const generate::SurfaceModel& model);

}  // namespace graze::bench
