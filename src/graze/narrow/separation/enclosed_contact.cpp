#include "graze/narrow/separation/enclosed_contact.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "graze/core/numeric/bezier.h"
#include "graze/core/numeric/float_environment.h"
#include "graze/narrow/stop.h"
#include "graze/narrow/turning/turning_position.h"

namespace graze::narrow {

// Parts are examined in the order of time. On a part, a point of a primitive is within the
// deviation of the same point of the chord's primitive, since it is a convex combination of
// corners. So a distance <= d of the primitives implies a distance <= d + 2 deviation of the
// chord's primitives, in the Euclidean norm and, as the max norm is not larger, in the max norm
// too. The exact method for that distance proves a part free, or free up to its toi s: then up to
// begin + s (end - begin).
template <Query Q>
Impact enclosed_contact(const PathEnclosure<Q>& path, const MethodOptions& options) {
  const FloatEnvironment environment;
  if (!is_sensible(options)) return Impact::invalid();
  const double t_max = options.t_max;
  double free = 0, end = t_max;  // no contact in [0, free)
  for (std::uint32_t checks = 0;; end = t_max) {
    for (;;) {
      if (is_spent(checks, options)) return Impact::undecided(free, t_max, checks);
      ++checks;
      const EnclosedPath<Q> part = path(free, end);
      if (!is_finite(part.chord) || !(part.deviation >= 0 && part.deviation < Impact::inf))
        return Impact::invalid();
      Options local = options;
      local.t_max = 1;
      // The product by 2 is exact, also for subnormal numbers. One step upward covers the rounding
      // of the sum.
      const double reach = 2 * part.deviation;
      local.min_separation = options.min_separation + reach;
      if (reach > 0) local.min_separation = std::nextafter(local.min_separation, Impact::inf);
      if (!(local.min_separation < Impact::inf)) return Impact::undecided(free, t_max, checks);
      Impact impact = first_contact(part.chord, local);
      if (impact.verdict == Verdict::separated) break;
      // Rounded down: length, product and sum are off by 3 u of the result, less than four units of
      // its last place.
      const double begin = free, length = end - begin;
      double reached = begin + impact.toi * length;
      for (int i = 0; i < 4; ++i) reached = std::nextafter(reached, 0.0);
      free = std::max(begin, std::min(reached, end));
      if (impact.toi == 0) free = begin;
      const double middle = free + (end - free) / 2;
      const bool divisible = free < middle && middle < end;
      if (part.deviation <= options.distance_tol / 2 || !divisible) {
        impact.toi = free;
        impact.toi_hi = t_max;
        impact.checks = checks;
        impact.kind = ContactKind::unknown;
        return impact;
      }
      end = middle;
    }
    if (end == t_max) return Impact::separated(checks);
    free = end;
  }
}

// A curve minus its chord is a Bézier curve, whose control points are those of the curve on the
// part minus the points of the chord at j / n: the curve stays within the largest of them,
// coordinate by coordinate. Rounding: see numeric::ChordOfCurve.
template <Query Q>
EnclosedPath<Q> enclose(const Curved<Q>& query, double begin, double end) {
  EnclosedPath<Q> part{};
  for (std::size_t c = 0; c < part.chord.start.size(); ++c)
    for (int k = 0; k < 3; ++k) {
      std::array<double, 4> points{};
      for (std::size_t i = 0; i < point_count(query.curve); ++i) points[i] = query.points[i][c][k];
      const numeric::ChordOfCurve chord(query.curve, points, begin, end);
      part.chord.start[c][k] = chord.start;
      part.chord.end[c][k] = chord.end;
      part.deviation = std::max(part.deviation, chord.deviation);
    }
  part.deviation *= 1.7320508075688774;  // sqrt(3), rounded up: the norm of three coordinates
  return part;
}

// A corner at the distance r from its axis has the acceleration r angle^2 (the translation has
// none), so it is within r angle^2 length^2 / 8 of its chord; and within 2 r, as the chord's points
// are no further from the axis than r. Where the positions have no bound, the chord is the path of
// the point on the axis and |v| is the deviation. Roundings: five of each product, 2^-49.
template <Query Q>
EnclosedPath<Q> enclose(const Turning<Q>& query, double begin, double end) {
  EnclosedPath<Q> part{};
  for (std::size_t c = 0; c < part.chord.start.size(); ++c) {
    const Turn& turn = query.turns[primitive_of<Q>(c)];
    TurningCorner start = turning_corner(query.corners[c], turn, begin);
    TurningCorner stop = turning_corner(query.corners[c], turn, end);
    double deviation = 0;
    if (start.error < Impact::inf && stop.error < Impact::inf) {
      const double angle = turn.angle * (end - begin);
      deviation = std::min(angle * angle / 8, 2.0) * start.radius;
    } else {
      const Turn without_rotation{.way = turn.way};
      start = turning_corner(turn.point, without_rotation, begin);
      stop = turning_corner(turn.point, without_rotation, end);
      deviation = (query.corners[c] - turn.point).stableNorm();
    }
    part.chord.start[c] = start.position;
    part.chord.end[c] = stop.position;
    deviation = deviation * (1 + 0x1p-49) + 1.01 * std::max(start.error, stop.error);
    part.deviation = std::max(part.deviation, deviation);
  }
  return part;
}

// Answers for a query whose points are finite: `undecided` where the points of a chord overflow.
template <Query Q, class Paths>
Impact separation_on(const Paths& query, const MethodOptions& options) {
  const FloatEnvironment environment;
  if (!is_finite(query)) return Impact::invalid();
  const EnclosedPath<Q> whole = enclose<Q>(query, 0, 1);
  if (!is_finite(whole.chord) || !(whole.deviation < Impact::inf))
    return is_sensible(options) ? Impact::undecided(0, options.t_max) : Impact::invalid();
  return enclosed_contact<Q>(
      [&](double begin, double end) { return enclose<Q>(query, begin, end); }, options);
}

template <Query Q>
Impact curved_separation(const Curved<Q>& query, const MethodOptions& options) {
  return separation_on<Q>(query, options);
}
template <Query Q>
Impact turning_separation(const Turning<Q>& query, const MethodOptions& options) {
  return separation_on<Q>(query, options);
}

#define GRAZE_INSTANTIATE(Q)                                                       \
  template Impact enclosed_contact(const PathEnclosure<Q>&, const MethodOptions&); \
  template Impact curved_separation(const Curved<Q>&, const MethodOptions&);       \
  template EnclosedPath<Q> enclose(const Curved<Q>&, double, double);              \
  template Impact turning_separation(const Turning<Q>&, const MethodOptions&);     \
  template EnclosedPath<Q> enclose(const Turning<Q>&, double, double);
GRAZE_INSTANTIATE(VertexFace)
GRAZE_INSTANTIATE(EdgeEdge)
GRAZE_INSTANTIATE(VertexEdge)
GRAZE_INSTANTIATE(VertexVertex)
#undef GRAZE_INSTANTIATE

}  // namespace graze::narrow
