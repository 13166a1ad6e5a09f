#pragma once

#include <array>
#include <type_traits>

#include "graze/exact/arena/exact_query.h"
#include "graze/exact/interval.h"
#include "graze/query.h"

namespace graze::exact {

// The convex polygon (or segment, or point) of the differences between points of the second and the
// first primitive. The distance of the primitives is the distance of this polygon from 0. Its
// corners move on straight lines: corner i, in the order around the polygon, is start[i] +
// t motion[i]. All values and the distance d are multiplied by a common power of two that makes
// them integers. `rough` encloses the corners without that factor.
struct IntegerPolygon {
  Arena* arena;
  std::size_t size;
  std::array<IntegerVec3, 4> start, motion;
  ArenaInteger d;
  std::array<std::array<MovingInterval, 3>, 4> rough;
  double rough_d;

  std::size_t next(std::size_t i) const { return i + 1 == size ? 0 : i + 1; }
  std::size_t edges() const { return size > 2 ? size : size - 1; }
};

template <class Query>
IntegerPolygon integer_polygon(const Query& query, double d, Arena& arena) {
  constexpr bool two_edges = std::is_same_v<Query, EdgeEdge>;
  constexpr std::size_t points = std::tuple_size_v<decltype(query.start)>;
  constexpr std::size_t second[] = {two_edges ? 2 : 1, two_edges ? 3 : 2, 3, 2};
  constexpr std::size_t first[] = {0, 0, two_edges ? 1 : 0, two_edges ? 1 : 0};

  numeric::CommonScale scale;
  scale.include_corners(query);
  scale.include(d);
  const auto integer = [&](double x) { return ArenaInteger(arena, scale.scaled(x)); };
  std::array<IntegerVec3, points> start, end;
  for (std::size_t c = 0; c < points; ++c)
    for (std::size_t k = 0; k < 3; ++k) {
      start[c][k] = integer(query.start[c][static_cast<int>(k)]);
      end[c][k] = integer(query.end[c][static_cast<int>(k)]);
    }
  IntegerPolygon polygon{&arena, two_edges ? 4 : points - 1, {}, {}, integer(d), {}, d};
  for (std::size_t i = 0; i < polygon.size; ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t x = second[i], y = first[i];
      const int axis = static_cast<int>(k);
      polygon.start[i][k] = start[x][k] - start[y][k];
      polygon.motion[i][k] = (end[x][k] - end[y][k]) - polygon.start[i][k];
      polygon.rough[i][k] = {query.start[x][axis], query.start[y][axis], query.end[x][axis],
                             query.end[y][axis]};
    }
  return polygon;
}

}  // namespace graze::exact
