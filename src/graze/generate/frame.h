#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include "graze/generate/random.h"
#include "graze/query.h"

// The common parametrization of the recipes. Both kinds of queries are given by a point of contact,
// two edge vectors e1 and e2, a place (u, v) and a gap between the two primitives.
//
// vertex-face: vertex = point + gap and the face base, base + e1, base + e2 with
// base = point - u e1 - v e2.
//
// edge-edge: a = point - u e1 + [0, e1] and b = point + gap - v e2 + [0, e2].
//
// If gap = 0, the primitives touch if (u, v) lies in the domain of the query. The coplanarity
// determinant is det(e1, e2, gap) up to its sign. Linear motion of all four vectors moves all
// corners linearly, so a family is a choice of four moving vectors.
namespace graze::generate {

template <class Query>
constexpr bool is_vertex_face = std::is_same_v<Query, VertexFace>;

// A vector that changes linearly over the step.
struct Moving {
  Vec3 start, end;
};

// The time part/whole of the step.
struct Instant {
  int part, whole;
};

struct Frame {
  Moving point, e1, e2, gap;
};

struct Place {
  double u, v;
};

enum class Where { inside, border, outside };

inline Moving fixed(const Vec3& value) {
  return {value, value};
}

// Returns a moving vector that has the given value at the given instant. Exact on integers, even if
// the instant is not a double.
inline Moving passing(const Vec3& value, const Vec3& step, Instant at) {
  return {value - at.part * step, value + (at.whole - at.part) * step};
}

inline Moving combine(const Moving& a, double factor_start, double factor_end) {
  return {factor_start * a.start, factor_end * a.end};
}

inline Moving operator+(const Moving& a, const Moving& b) {
  return {a.start + b.start, a.end + b.end};
}

template <class Query>
std::array<Vec3, 4> corners(const Vec3& point, const Vec3& e1, const Vec3& e2, const Vec3& gap,
                            Place at) {
  if constexpr (is_vertex_face<Query>) {
    const Vec3 base = (point - at.u * e1) - at.v * e2;
    return {point + gap, base, base + e1, base + e2};
  } else {
    const Vec3 a = point - at.u * e1;
    const Vec3 b = (point + gap) - at.v * e2;
    return {a, a + e1, b, b + e2};
  }
}

template <class Query>
Query sweep(const Frame& f, Place at) {
  return {corners<Query>(f.point.start, f.e1.start, f.e2.start, f.gap.start, at),
          corners<Query>(f.point.end, f.e1.end, f.e2.end, f.gap.end, at)};
}

// Returns a random instant, both ends of the step included. Thirds and fifths are not doubles.
inline Instant instant(Random& random) {
  constexpr std::array wholes{1, 2, 3, 4, 5, 8};
  const int whole = wholes[random.below(wholes.size())];
  return {random.integer(0, whole), whole};
}

inline Instant inner_instant(Random& random) {
  constexpr std::array wholes{2, 3, 4, 5, 8};
  const int whole = wholes[random.below(wholes.size())];
  return {random.integer(1, whole - 1), whole};
}

inline Where where(Random& random) {
  constexpr std::array odds{Where::inside, Where::inside,  Where::border, Where::border,
                            Where::border, Where::outside, Where::outside};
  return odds[random.below(odds.size())];
}

// Returns a random place in multiples of 1/16 or, if `rough`, with all bits.
template <class Query>
Place place(Random& random, Where where, bool rough = false) {
  const auto fraction = [&] {
    return rough ? random.uniform(0.01, 0.99) : 0.25 * random.integer(1, 3);
  };
  const double f = fraction();
  const double g = fraction();
  const auto kind = random.below(6);
  if constexpr (is_vertex_face<Query>) {
    constexpr std::array<Place, 3> corner{{{0, 0}, {1, 0}, {0, 1}}};
    if (where == Where::inside) return {f, (1 - f) * g};
    if (where == Where::border && kind < 3) return corner[kind];
    const double beyond = where == Where::border ? 0 : g / 4;
    if (kind % 3 == 0) return {f, -beyond};
    if (kind % 3 == 1) return {-beyond, f};
    return {f + beyond, 1 - f};
  } else {
    if (where == Where::inside) return {f, g};
    const double beyond = where == Where::border ? 0 : g / 4;
    const double end = kind % 2 ? -beyond : 1 + beyond;
    if (kind < 2) return {end, double(random.below(2))};
    return kind < 4 ? Place{end, f} : Place{f, end};
  }
}

template <class Query>
Place place(Random& random) {
  const Where drawn = where(random);
  return place<Query>(random, drawn);
}

// Returns the range of lattice coordinates for a recipe: from very few points to generic position.
inline int size(Random& random) {
  constexpr std::array sizes{1, 2, 5, 100, 1 << 16};
  return sizes[random.below(sizes.size())];
}

// Returns an edge vector of integers divisible by 16, so that every place() on it is exact.
inline Vec3 edge(Random& random, int size) {
  return 16 * random.lattice(size);
}

inline Moving moving_edge(Random& random, int size) {
  return {.start = edge(random, size), .end = edge(random, size)};
}

// Returns a freely moving point of contact.
inline Moving moving_point(Random& random, int size) {
  return moving_edge(random, size);
}

// Returns a gap that closes at the given instant, or nearly closes in three cases of eight.
inline Moving closing_gap(Random& random, int size, Instant at) {
  const Vec3 step = random.lattice(size);
  const bool misses = random.below(8) < 3;
  return passing(misses ? random.lattice(2) : Vec3::Zero(), step, at);
}

template <class Query, class Change>
void for_each_coordinate(Query& query, Change&& change) {
  for (auto* side : {&query.start, &query.end})
    for (Vec3& corner : *side)
      for (int k = 0; k < 3; ++k) change(corner[k], k);
}

template <class Query>
Query scaled(Query query, double factor) {
  for_each_coordinate(query, [&](double& x, int) { x *= factor; });
  return query;
}

// Moves one to six coordinates by one to four ulps each. A zero moves by ulps of 1, since denormals
// have a family of their own.
template <class Query>
Query nudged(Random& random, Query query) {
  const int count = random.integer(1, 6);
  for (int i = 0; i < count; ++i) {
    const auto side = random.below(2);
    const auto corner = random.below(4);
    const auto axis = static_cast<int>(random.below(3));
    double& x = (side ? query.end : query.start)[corner][axis];
    const double towards = random.one_in(2) ? 1 : -1;
    int ulps = random.integer(1, 4);
    if (x == 0) {
      x = towards * ulps * std::numeric_limits<double>::epsilon();
      continue;
    }
    for (; ulps > 0; --ulps)
      x = std::nextafter(x, towards * std::numeric_limits<double>::infinity());
  }
  return query;
}

}  // namespace graze::generate
