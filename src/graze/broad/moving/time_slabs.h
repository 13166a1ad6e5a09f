#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "graze/aabb.h"
#include "graze/broad/moving/curves.h"
#include "graze/mesh.h"

namespace graze::broad {

// A closed part of the step.
struct Slab {
  double begin, end;  // 0 <= begin <= end <= 1
};

// Returns the motion of an edge during the step divided by its size, at most 16, so a few fast
// vertices do not dominate; 0 if it does not move.
double edge_motion(const std::array<Vec3, 2>& start, const std::array<Vec3, 2>& end);

// Returns the average edge_motion() of a sample of edges (edge_sample_stride()).
double relative_motion(const MovingMesh& moving);

// Cuts [0, t_max] into consecutive slabs. In the first one features move by about `first` (> 0) of
// their own size; the others have one length, in which features move by about 1.5 of their size, or
// by `first` if that is more. Returns one slab if features move by no more than 1.5 of their size
// in all, since the pairs of a longer slab then cost less than the trees of another one.
// Returns at most 12 slabs.
// The result depends on the arguments alone.
std::vector<Slab> time_slabs(const MovingMesh& moving, double t_max, double first);

// Returns bounds of a coordinate at a time t in [0, 1] of the step from `start` to `end`, both
// finite.
//   (1) The bounds contain the exact value. They exceed it by at most 2^-49 max(|start|, |end|)
//       + 2^-1071 and lie between `start` and `end`. At t = 0 and t = 1 they are exact.
std::array<double, 2> bounds_at(double start, double end, double t);

// The boxes that vertices sweep during a slab, widened for a separation as by swept_interval(). A
// view: the positions must outlive it.
//   (1) Each box contains the exact path of its vertex during the slab: it spans the bounds_at()
//       the two ends of the slab. For the slab [0, 1] it is the swept_box() of the step. With
//       curves it contains the exact curve.
// Precondition: all positions are finite, unless the slab is [0, 1]. With curves the slab is [0, 1]
// and all control points are finite.
class SlabBoxes {
 public:
  SlabBoxes(const MovingMesh& moving, const Slab& slab, double separation = 0,
            const Curves* curves = nullptr)
      : moving_(moving), slab_(slab), separation_(separation), curves_(curves) {}

  // Returns the box of a vertex, and its interval on one axis.
  Aabb operator()(std::uint32_t vertex) const;
  std::array<double, 2> interval(std::uint32_t vertex, int axis) const;

 private:
  MovingMesh moving_;
  Slab slab_;
  double separation_;
  const Curves* curves_;  // null: straight motion
};

}  // namespace graze::broad
