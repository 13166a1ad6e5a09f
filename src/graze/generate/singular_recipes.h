#pragma once

#include "graze/generate/frame.h"

// Recipes with an exact singularity at one instant: a primitive that collapses, a multiple root of
// the coplanarity cubic, or a contact at an end of the step. All coordinates are exact.
namespace graze::generate {

// At one instant the edge vectors do not span a plane: one of them vanishes, both vanish, or they
// are parallel.
template <class Query>
Query losing_span(Random& random, Instant at) {
  const int n = std::min(size(random), 1000);
  Vec3 e1 = edge(random, n);
  Vec3 e2 = edge(random, n);
  switch (random.below(4)) {
    case 0:
      e1.setZero();
      break;
    case 1:
      e2.setZero();
      break;
    case 2:
      e1.setZero();
      e2.setZero();
      break;
    default:
      e2 = random.nonzero(-2, 2) * e1;
  }
  Frame frame;
  frame.point = moving_point(random, n);
  frame.e1 = passing(e1, edge(random, n), at);
  frame.e2 = passing(e2, edge(random, n), at);
  const bool meet_when_lost = random.one_in(2);
  const Instant meeting = meet_when_lost ? at : instant(random);
  frame.gap = closing_gap(random, n, meeting);
  const Place where = place<Query>(random);
  return sweep<Query>(frame, where);
}

// A primitive that shrinks to a segment or a point at the end, or grows from one at the start.
template <class Query>
Query collapsing(Random& random) {
  const Instant at{random.one_in(4) ? 0 : 1, 1};
  return losing_span<Query>(random, at);
}

// A primitive that collapses to a segment or a point during the step and turns over.
template <class Query>
Query flipping(Random& random) {
  const Instant at = inner_instant(random);
  return losing_span<Query>(random, at);
}

// Half turns: the edge vectors are exchanged, or both are reversed, or one is reversed, so that the
// swept primitive has a narrow waist in the middle. The first case is Appendix B of [Wang 2021].
template <class Query>
Query hourglass(Random& random) {
  const int n = std::min(size(random), 1000);
  Frame frame;
  frame.point = moving_point(random, n);
  frame.e1.start = edge(random, n);
  frame.e2.start = edge(random, n);
  const auto turn = random.below(3);
  frame.e1.end = turn == 0 ? frame.e2.start : Vec3(-frame.e1.start);
  frame.e2.end = turn == 0 ? frame.e1.start : turn == 1 ? Vec3(-frame.e2.start) : frame.e2.start;
  const Instant meeting = random.one_in(2) ? Instant{1, 2} : instant(random);
  frame.gap = closing_gap(random, n, meeting);
  const Place at = place<Query>(random);
  return sweep<Query>(frame, at);
}

// With e1 = g1 + s h1, e2 = g2 + s h2, gap = s m, s the time since the instant:
//   det = s det(g1,g2,m) + s^2 (det(h1,g2,m) + det(g1,h2,m)) + s^3 det(h1,h2,m).
// If m is in the span of g1 and g2, the root is double; if m is parallel to g1 and h1 is in that
// span, it is triple.
template <class Query, int multiplicity>
Query multiple_root(Random& random) {
  const int n = std::min(size(random), 100);
  const Instant at = instant(random);
  const Vec3 g1 = edge(random, n);
  const Vec3 g2 = edge(random, n);
  Vec3 h1 = edge(random, n);
  const Vec3 h2 = edge(random, n);
  Vec3 m = random.nonzero(-3, 3) * g1;
  if constexpr (multiplicity == 2) {
    m += random.integer(-3, 3) * g2;
  } else {
    h1 = random.integer(-3, 3) * g1;
    h1 += random.nonzero(-3, 3) * g2;
  }
  Frame frame;
  frame.point = moving_point(random, n);
  frame.e1 = passing(g1, h1, at);
  frame.e2 = passing(g2, h2, at);
  frame.gap = passing(Vec3::Zero(), m, at);
  const Place where = place<Query>(random);
  return sweep<Query>(frame, where);
}

template <class Query>
Query near_double_root(Random& random) {
  return nudged(random, multiple_root<Query, 2>(random));
}

// In a skewed basis gap = (s1, 0, 0), e1 = (*, s2, 0), e2 = (*, *, s3), each s linear in t with its
// own root. The corners are coplanar at three rational times and touch at any of them or at none.
template <class Query>
Query three_roots(Random& random) {
  const int n = 8;
  const auto scalar = [&](bool with_root) {
    const Instant at = instant(random);
    const int slope = random.nonzero(-4, 4);
    const int value = with_root ? 0 : random.integer(-n, n);
    return std::array{value - at.part * slope, value + (at.whole - at.part) * slope};
  };
  const Vec3 b1 = random.lattice(2);
  const Vec3 b2 = random.lattice(2);
  const Vec3 b3 = random.lattice(2);
  const auto s1 = scalar(true), s2 = scalar(true), s3 = scalar(true);
  const auto l1 = scalar(false), l2 = scalar(false), l3 = scalar(false);
  const auto moving = [&](const auto& x, const auto& y, const auto& z) {
    return Moving{16 * (x[0] * b1 + y[0] * b2 + z[0] * b3),
                  16 * (x[1] * b1 + y[1] * b2 + z[1] * b3)};
  };
  constexpr std::array zero{0, 0};
  Frame frame;
  frame.point = moving_point(random, n);
  frame.gap = moving(s1, zero, zero);
  frame.e1 = moving(l1, s2, zero);
  frame.e2 = moving(l2, l3, s3);
  const Place at = place<Query>(random);
  return sweep<Query>(frame, at);
}

// A contact at one end of the step, where the primitives are coplanar only at that instant: the
// edge vectors are sheared along m only, and det(e1, e2, m) is constant and not zero.
template <class Query, int end>
Query contact_at(Random& random) {
  const int n = std::min(size(random), 100);
  constexpr Instant at{end, 1};
  Vec3 e1, e2, m;
  do {
    e1 = edge(random, n);
    e2 = edge(random, n);
    m = edge(random, n);
  } while (e1.cross(e2).dot(m) == 0);
  const int shear1 = random.integer(-2, 2);
  const int shear2 = random.integer(-2, 2);
  Frame frame;
  frame.point = moving_point(random, n);
  frame.e1 = passing(e1, shear1 * m, at);
  frame.e2 = passing(e2, shear2 * m, at);
  frame.gap = passing(Vec3::Zero(), m, at);
  const Place where = place<Query>(random);
  return sweep<Query>(frame, where);
}

template <class Query, int end>
Query near_contact_at(Random& random) {
  return nudged(random, contact_at<Query, end>(random));
}

// The two primitives share a corner, as neighbours in a mesh do.
template <class Query>
Query shared_vertex(Random& random) {
  Query query;
  for_each_coordinate(query, [&](double& x, int) { x = random.uniform(-1, 1); });
  const std::size_t mine = is_vertex_face<Query> ? 0 : random.below(2);
  const std::size_t other = is_vertex_face<Query> ? 1 + random.below(3) : 2 + random.below(2);
  query.start[mine] = query.start[other];
  query.end[mine] = query.end[other];
  return query;
}

// A face that is a segment or a point, or an edge that is a point, during the whole step.
template <class Query>
Query degenerate_primitive(Random& random) {
  const int n = std::min(size(random), 1000);
  Frame frame;
  frame.point = moving_point(random, n);
  frame.e1 = moving_edge(random, n);
  frame.e2 = moving_edge(random, n);
  const auto kind = random.below(4);
  if (kind == 0 || kind == 2) frame.e1 = fixed(Vec3::Zero());
  if (kind == 1 || kind == 2) frame.e2 = fixed(Vec3::Zero());
  if (kind == 3) {
    const int ratio = random.integer(-2, 2);
    if constexpr (is_vertex_face<Query>)
      frame.e2 = combine(frame.e1, ratio, ratio);
    else
      frame.e1 = fixed(Vec3::Zero());
  }
  const Instant meeting = instant(random);
  frame.gap = closing_gap(random, n, meeting);
  const Place at = place<Query>(random);
  return sweep<Query>(frame, at);
}

}  // namespace graze::generate
