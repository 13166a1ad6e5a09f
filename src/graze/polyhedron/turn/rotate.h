#pragma once

#include "graze/polyhedron/move/filtered.h"

namespace graze::polyhedron {

// Tests a point on the curve x(f) / weight(f) against a fixed facet: [van Waveren 2005] 2.4. The
// quadratic a r^2 + 2 b r + c is given by its Bernstein coefficients on the path, so that neither
// a = 0 nor an angle of pi is a special case. a = b = c = 0 is unclear. If `enters`, only roots
// count directly after which the point is behind the facet.
Filtered rotate_vertex_facet(const CurveVector<Interval>& x, const Curve<Interval>& weight,
                             const IntervalFacet& facet, bool enters = false);

// Tests a turning edge, with the line a and the ends x0, x1, all times the weight, against the edge
// b0-b1: [van Waveren 2005] 2.5.
Filtered rotate_edge_edge(const std::array<Line<Interval>, 3>& a, const CurveVector<Interval>& x0,
                          const CurveVector<Interval>& x1, const Curve<Interval>& weight,
                          const IntervalPoint& b0, const IntervalPoint& b1);

}  // namespace graze::polyhedron
