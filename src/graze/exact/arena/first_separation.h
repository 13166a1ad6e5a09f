#pragma once

#include "graze/exact/arena/integer_polygon.h"
#include "graze/impact.h"

namespace graze::exact {

struct FirstSeparation {
  bool found = false;
  double lo = Impact::inf, hi = Impact::inf;  // tightest doubles around the time
  int candidates = 0;                         // times examined
};

// The first time in [0, t_max] at which the polygon of differences comes within its d > 0 of 0, in
// the Euclidean or in the max norm, decided in integer arithmetic: the last stage of
// separation_root. t_max in (0, 1]. To be called in a FloatEnvironment, since doubles decide what
// they can.
//
// For all finite primitives:
//   (1) found if and only if the distance is <= d at some t in [0, t_max].
//   (2) lo is the largest double not after the earliest such time, hi the smallest not before it.
//   (3) Nothing depends on what the arena was used for; the caller gives back what was allocated.
// Cost: docs/methods/separation.md, section 7.
FirstSeparation first_separation_l2(const IntegerPolygon& polygon, double t_max);
FirstSeparation first_separation_linf(const IntegerPolygon& polygon, double t_max);

// The same for a query; the arena is scratch and left as it was.
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
