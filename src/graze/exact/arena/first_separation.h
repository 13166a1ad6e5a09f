#pragma once

#include "graze/exact/arena/integer_polygon.h"
#include "graze/impact.h"

namespace graze::exact {

struct FirstSeparation {
  bool found = false;
  double lo = Impact::inf, hi = Impact::inf;  // tightest doubles around the time
  int candidates = 0;                         // times examined
};

// Returns the first time in [0, t_max] at which the distance of the polygon of differences from 0
// is at most its d > 0, in the Euclidean norm (l2) or the max norm (linf), decided in integer
// arithmetic. This is the last stage of separation_root. t_max is in (0, 1]. The caller must hold a
// FloatEnvironment, since clear cases are decided in doubles.
//
// For all finite primitives:
//   (1) found if and only if the distance is <= d at some t in [0, t_max].
//   (2) lo is the largest double not after the earliest such time, hi the smallest not before it.
//   (3) The result does not depend on earlier uses of the arena. The caller frees the memory that
//       the call allocates in it.
// Cost: docs/methods/separation.md, section 7.
FirstSeparation first_separation_l2(const IntegerPolygon& polygon, double t_max);
FirstSeparation first_separation_linf(const IntegerPolygon& polygon, double t_max);

// The same for a query. The arena is scratch memory; all memory allocated in the call is freed.
template <class Query>
FirstSeparation first_separation_l2(const Query& query, double d, double t_max, Arena& arena) {
  const ArenaFrame frame(arena);
  return first_separation_l2(integer_polygon(query, d, arena), t_max);
}
template <class Query>
FirstSeparation first_separation_linf(const Query& query, double d, double t_max, Arena& arena) {
  const ArenaFrame frame(arena);
  return first_separation_linf(integer_polygon(query, d, arena), t_max);
}

}  // namespace graze::exact
