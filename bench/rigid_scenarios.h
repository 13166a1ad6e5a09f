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
  Motion a, b;
};

// A benchmark of [Zhang 2006] Sec. 6.2, as that paper and ERRATA of it tell them, or one beside it:
// two models and many motions.
struct RigidScenario {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  std::string name, figure;  // the figure of the paper that shows it
  SurfaceModel a, b;         // about their centres of mass
  std::vector<RigidShot> shots;
  std::size_t translations = 0;   // the first shots have no rotation
  double threshold = 0;           // a thousandth of the size of the larger model
  double published_ms = unknown;  // mean, Pentium 4 3.6 GHz, 2006
  double cast_ms = unknown;  // Jolt's cast triangle by triangle, translation only: docs/rigid.md
};

// The scenarios; `shots` for each that is random (fewer for the others). Those that need a real
// model look for it in data/models and are named in `missing` where it is not there.
std::vector<RigidScenario> rigid_scenarios(const std::filesystem::path& data, std::size_t shots,
                                           std::uint64_t seed, std::vector<std::string>& missing);

// One body shot at another that rests: from a random place at a distance towards a place on the
// other side, turned at random; with `turning` also by a third of pi about x and about y.
RigidShot random_shot(double size, bool turning, std::uint64_t seed, std::uint64_t index);

// The diagonal of the box around a model.
double size_of(const SurfaceModel& model);

}  // namespace graze::bench
