#pragma once

#include <array>
#include <vector>

#include "graze/core/mesh.h"

namespace graze {

// A closed part of the step.
struct Slab {
  double begin, end;
};

// How many times their own size edges move in the step, on average, or of some of many; what flies
// off counts for no more than 16, so that it does not decide for all.
double relative_motion(const MovingMesh& moving);

// Cuts [0, t_max] into slabs that follow one another: the first as long as features take to move by
// `first` (> 0) of their own size, the next ones longer up to their size; one slab where they move
// no further than that in all. At most 20 for first >= 1/8. Depends on the arguments alone.
//
// Why their size: where features of size h move by m during the step, the boxes that overlap in a
// part x of it grow like (h + m x)^3, so that those of all parts together are fewest for
// x = h / 2m; building the structures for each part moves that towards h / m. A long step thus asks
// for fewer pairs in parts than at once.
std::vector<Slab> time_slabs(const MovingMesh& moving, double t_max, double first);

// Where a coordinate is at a time t in [0, 1] of the step from `start` to `end`, both finite:
// bounds that hold the exact value.
//   (1) They reach beyond it by at most 2^-49 of the larger of the two and 2^-1071, and never
//   beyond
//       these. At t = 0 and 1 they are exact.
std::array<double, 2> bounds_at(double start, double end, double t);

// The vertices' boxes of a slab as a moving mesh of its own: it moves from the lower corners of the
// boxes to the upper ones, so that its swept boxes are those of the slab. Strategies of find_pairs
// look at swept boxes alone.
//   (1) Each box holds the exact path of its vertex during the slab and is that of bounds_at() its
//       ends. The slab [0, 1] has exactly the swept boxes of the step.
// All positions are finite.
class SlabBoxes {
 public:
  SlabBoxes(const MovingMesh& moving, const Slab& slab);
  MovingMesh moving() const { return {mesh_, lo_, hi_}; }

 private:
  const Mesh& mesh_;
  std::vector<Vec3> lo_, hi_;
};

}  // namespace graze
