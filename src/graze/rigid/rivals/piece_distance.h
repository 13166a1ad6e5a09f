#pragma once

#include <array>
#include <cstdint>

#include "graze/rigid/distance/convex_distance.h"
#include "graze/rigid/model/convex_pieces.h"

namespace graze::rigid {

// The parts of [Zhang 2006] Alg. 1 that can be exchanged. The defaults are those of the paper.
struct PieceWays {
  bool climb = true;     // extremal vertices by direction table and hill climbing; else by a scan
  bool warm = true;      // a distance starts from the features of the last one; else from vertex 0
  bool extremal = true;  // motion bound by extremal vertices; else |n x w| times the axis distance
};

// The vertices of two pieces that span the closest points. size 0: none.
struct PieceWitness {
  std::uint8_t size = 0;
  std::array<std::uint32_t, 4> a{}, b{};
};

struct PieceDistance {
  double lo = 0;               // a lower bound on the distance of the hulls; 0 if none is proven
  double hi = 0;               // an upper bound
  Vec3 normal = Vec3::Zero();  // proves `lo`, points from b to a; of length about 1, or 0
};

// Returns the largest n.x over the points of a piece, in double arithmetic. By hill climbing and
// then, because rounding can stop a climb early, by a scan of all points: pieces are small.
double extreme_value(const ConvexPiece& piece, const Vec3& n, const PieceWays& ways);

// Returns the distance of the hulls of two pieces in the coordinates of a, by the method of
// [Gilbert 1988] with the extremal vertices of `ways`, from the features in `witness`, which it
// replaces. Ends when hi - lo is below 1e-3 hi or rounding allows no progress.
//   (1) lo and hi bound the distance in real arithmetic: a scan of all points along `normal` proves
//       lo.
// DEVIATION: the paper uses Voronoi marching [Ehmann 2000] for the same distance.
PieceDistance piece_distance(const ConvexPiece& a, const ConvexPiece& b,
                             const RelativePlacement& placement, const PieceWays& ways,
                             PieceWitness& witness);

}  // namespace graze::rigid
