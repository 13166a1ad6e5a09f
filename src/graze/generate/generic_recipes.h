#pragma once

#include <bit>

#include "graze/generate/frame.h"

// Recipes without an exact degeneracy of the motion: random queries, contacts up to rounding, and
// both of these at every order of magnitude.
namespace graze::generate {

template <class Query>
Query random_cube(Random& random) {
  Query query;
  for_each_coordinate(query, [&](double& x, int) { x = random.uniform(); });
  return query;
}

template <class Query, int bound>
Query lattice(Random& random) {
  Query query;
  for_each_coordinate(query, [&](double& x, int) { x = random.integer(-bound, bound); });
  return query;
}

// A contact up to rounding at a random time, at the given kind of place; all corners move
// independently. No coordinate exceeds 5.
template <class Query>
Query aimed(Random& random, Where where) {
  const double toi = random.one_in(8) ? double(random.below(2)) : random.uniform();
  const Place at = place<Query>(random, where, true);
  const Vec3 point = random.cube(-1, 1);
  const Vec3 e1 = random.cube(-1, 1);
  const Vec3 e2 = random.cube(-1, 1);
  const auto contact = corners<Query>(point, e1, e2, Vec3::Zero(), at);
  Query query;
  for (std::size_t i = 0; i < 4; ++i) {
    const Vec3 velocity = random.cube(-1, 1);
    query.start[i] = contact[i] - toi * velocity;
    query.end[i] = contact[i] + (1 - toi) * velocity;
  }
  return query;
}

template <class Query>
Query touching(Random& random) {
  const Where drawn = where(random);
  return aimed<Query>(random, drawn);
}

template <class Query>
Query near_ulp(Random& random) {
  return nudged(random, touching<Query>(random));
}

// An exact contact with integer coordinates at a simple rational time.
template <class Query>
Query lattice_contact(Random& random) {
  const int n = size(random);
  const Instant at = instant(random);
  const auto moving = [&] {
    const Vec3 value = edge(random, n);
    const Vec3 step = edge(random, std::min(n, 1000));
    return passing(value, step, at);
  };
  Frame frame{moving(), moving(), moving(), {}};
  frame.gap = passing(Vec3::Zero(), random.lattice(n), at);
  const Place where = place<Query>(random);
  return sweep<Query>(frame, where);
}

template <class Query>
Query near_lattice(Random& random) {
  return nudged(random, lattice_contact<Query>(random));
}

template <class Query, int exponent>
Query offset(Random& random) {
  static_assert(exponent == 6 || exponent == 9);
  const Vec3 away = random.cube(-1, 1) * (exponent == 6 ? 1e6 : 1e9);
  Query query = touching<Query>(random);
  for_each_coordinate(query, [&](double& x, int k) { x += away[k]; });
  return query;
}

template <class Query>
Query scale_nano(Random& random) {
  return scaled(touching<Query>(random), 1e-9);
}

template <class Query>
Query tiny(Random& random) {
  return scaled(touching<Query>(random), 1e-300);
}

// Coordinates near 1e300, or with a largest coordinate of 1.7e308, where differences overflow.
template <class Query>
Query huge(Random& random) {
  const bool overflows = random.one_in(2);
  Query query = touching<Query>(random);
  if (!overflows) return scaled(query, 1e300);
  double bound = 0;
  for_each_coordinate(query, [&](double& x, int) { bound = std::max(bound, std::abs(x)); });
  return scaled(scaled(query, 1 / bound), 1.7e308);
}

// Scales every axis by its own power of two, which preserves the answer. Every second query also
// has single coordinates scaled by powers of two, which does not preserve the answer.
template <class Query>
Query mixed_magnitudes(Random& random) {
  Query query = touching<Query>(random);
  Vec3 factor;
  for (int k = 0; k < 3; ++k) factor[k] = std::ldexp(1.0, random.integer(-60, 60));
  const bool single = random.one_in(2);
  for_each_coordinate(query, [&](double& x, int k) {
    x *= factor[k];
    if (single && random.one_in(8)) x = std::ldexp(x, random.integer(-40, 20));
  });
  return query;
}

// Coordinates that are small multiples of the smallest denormal. One query in 32 has ordinary
// coordinates except at one corner.
template <class Query>
Query denormal(Random& random) {
  constexpr double smallest = std::numeric_limits<double>::denorm_min();
  const bool among_ordinary = random.one_in(32);
  Query query = lattice_contact<Query>(random);
  if (!among_ordinary) return scaled(query, smallest);
  const auto corner = random.below(4);
  query.start[corner] += smallest * random.lattice(4);
  query.end[corner] = smallest * random.lattice(4);
  return query;
}

// Rounds x towards zero to a float32 by clearing the bits that a float32 does not have. (g++ 12
// removes a cast to float and back when it vectorises.)
inline double truncated_to_float(double x) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & ~std::uint64_t{0x1fffffff});
}

// Edges of length 1/100 in a world of size 1, with a small common motion, a smaller motion of each
// corner, and an approach of about one thickness. Every second query has float32 coordinates.
template <class Query>
Query simulation_like(Random& random) {
  const Vec3 point = random.cube(-1, 1);
  const Vec3 common = random.cube(-0.01, 0.01);
  const Vec3 e1 = random.cube(-0.02, 0.02);
  const Vec3 e2 = random.cube(-0.02, 0.02);
  const Vec3 approach = e1.cross(e2) * random.uniform(0, 10);
  const double toi = random.uniform(-0.2, 1.4);
  const Where drawn = where(random);
  const Place at = place<Query>(random, drawn, true);
  const bool single = random.one_in(2);
  Query query = sweep<Query>(
      {{point, point + common}, fixed(e1), fixed(e2), {-toi * approach, (1 - toi) * approach}}, at);
  for (Vec3& corner : query.end) corner += random.cube(-0.0002, 0.0002);
  if (single) for_each_coordinate(query, [](double& x, int) { x = truncated_to_float(x); });
  return query;
}

}  // namespace graze::generate
