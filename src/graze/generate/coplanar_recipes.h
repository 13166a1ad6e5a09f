#pragma once

#include "graze/generate/frame.h"

// Recipes whose coplanarity determinant vanishes during the whole step, and recipes whose
// primitives keep their shape. All coordinates are exact.
namespace graze::generate {

// All corners move in one fixed plane: a coordinate plane with random coordinates of full
// precision, or an oblique plane.
template <class Query>
Query coplanar(Random& random) {
  Query query;
  if (random.one_in(2)) {
    const auto axis = static_cast<int>(random.below(3));
    const double height = random.uniform(-1, 1);
    for_each_coordinate(query,
                        [&](double& x, int k) { x = k == axis ? height : random.uniform(-1, 1); });
    return query;
  }
  const int n = size(random);
  const Vec3 origin = random.lattice(n);
  const Vec3 e1 = random.lattice(9);
  const Vec3 e2 = random.lattice(9);
  for (auto* side : {&query.start, &query.end})
    for (Vec3& corner : *side) {
      const int a = random.integer(-n, n);
      const int b = random.integer(-n, n);
      corner = origin + a * e1 + b * e2;
    }
  return query;
}

// The primitives move in a plane that turns about the direction of e1. One in four turns by half a
// turn, so that the plane is undefined at one instant.
template <class Query>
Query rotating_plane(Random& random) {
  const int n = size(random);
  Frame frame;
  frame.point = moving_point(random, n);
  frame.e1 = fixed(edge(random, n));
  frame.e2 = moving_edge(random, n);
  if (random.one_in(4)) frame.e2.end = -frame.e2.start;
  const double across = random.integer(-2, 2) / 4.0;
  const double along_start = random.integer(-24, 24) / 8.0;
  const double along_end = random.integer(-24, 24) / 8.0;
  frame.gap = combine(frame.e1, along_start, along_end) + combine(frame.e2, across, across);
  const Place at = place<Query>(random);
  return sweep<Query>(frame, at);
}

// One primitive slides along e1 of the other: in its plane, along its border or along its line.
template <class Query>
Query sliding(Random& random) {
  const int n = size(random);
  Frame frame;
  frame.point = moving_point(random, n);
  frame.e1 = fixed(edge(random, n));
  frame.e2 = fixed(edge(random, n));
  const double from = random.integer(-32, 32) / 16.0;
  const double to = random.integer(-32, 32) / 16.0;
  frame.gap = combine(frame.e1, from, to);
  const Place at{is_vertex_face<Query> ? 0.0 : 0.5, random.integer(0, 5) / 4.0};
  return sweep<Query>(frame, at);
}

// Edge-edge: edges that stay parallel, at rest or turning together. Vertex-face: a vertex that
// moves parallel to the face, in its plane or slightly above it.
template <class Query>
Query parallel(Random& random) {
  const int n = std::min(size(random), 100);
  Frame frame;
  frame.point = moving_point(random, n);
  const Place at = place<Query>(random);
  if constexpr (is_vertex_face<Query>) {
    frame.e1 = fixed(edge(random, n));
    frame.e2 = fixed(edge(random, n));
    const Vec3 normal = frame.e1.start.cross(frame.e2.start);
    const double height = random.one_in(4) ? std::ldexp(1.0, -random.integer(0, 30)) : 0;
    const auto inside_plane = [&] {
      const double a = random.integer(-16, 16) / 16.0;
      const double b = random.integer(-16, 16) / 16.0;
      return Vec3(a * frame.e1.start + b * frame.e2.start + height * normal);
    };
    frame.gap = {inside_plane(), inside_plane()};
  } else {
    frame.e1 = moving_edge(random, n);
    if (random.one_in(2)) frame.e1.end = frame.e1.start;
    const double ratio = random.nonzero(-8, 8) / 4.0;
    frame.e2 = combine(frame.e1, ratio, ratio);
    const Instant meeting = instant(random);
    frame.gap = closing_gap(random, n, meeting);
    if (random.one_in(4)) {
      const double from = random.integer(-48, 48) / 16.0;
      const double to = random.integer(-48, 48) / 16.0;
      frame.e1.end = frame.e1.start;
      frame.e2.end = frame.e2.start;
      frame.gap = combine(frame.e1, from, to);
    }
  }
  return sweep<Query>(frame, at);
}

// All corners are on one line that translates without turning.
template <class Query>
Query collinear(Random& random) {
  const int n = size(random);
  const Moving origin = moving_point(random, n);
  const Vec3 direction = random.lattice(n);
  const int reach = random.integer(1, 8);
  const int apart = random.integer(0, 4 * reach);
  constexpr std::size_t first_of_second = is_vertex_face<Query> ? 1 : 2;
  Query query;
  for (std::size_t i = 0; i < 4; ++i) {
    const int shift = i < first_of_second ? 0 : apart;
    const int from = shift + random.integer(0, reach);
    const int to = shift + random.integer(-reach, reach);
    query.start[i] = origin.start + from * direction;
    query.end[i] = origin.end + to * direction;
  }
  return query;
}

// Primitives without motion: half of them on the lattice, half in contact up to rounding.
template <class Query>
Query at_rest(Random& random) {
  Frame frame;
  Place at;
  if (random.one_in(2)) {
    const int n = size(random);
    frame = {fixed(edge(random, n)), fixed(edge(random, n)), fixed(edge(random, n)),
             fixed(Vec3::Zero())};
    if (random.one_in(4)) frame.gap = fixed(random.lattice(n));
    at = place<Query>(random);
  } else {
    frame = {fixed(random.cube(-1, 1)), fixed(random.cube(-1, 1)), fixed(random.cube(-1, 1)),
             fixed(Vec3::Zero())};
    const Where drawn = where(random);
    at = place<Query>(random, drawn, true);
  }
  return sweep<Query>(frame, at);
}

// Each primitive translates without changing its shape.
template <class Query>
Query translation(Random& random) {
  const int n = size(random);
  const Instant meeting = instant(random);
  Frame frame;
  frame.point = moving_point(random, n);
  frame.e1 = fixed(edge(random, n));
  frame.e2 = fixed(edge(random, n));
  frame.gap = passing(Vec3::Zero(), random.lattice(n), meeting);
  const Place at = place<Query>(random);
  return sweep<Query>(frame, at);
}

}  // namespace graze::generate
