#pragma once

#include "graze/polyhedron/filtered.h"

namespace graze::polyhedron {

// A point that moves on the curve x(f) / weight(f), and a fixed facet. [van Waveren 2005] 2.4, the
// quadratic a r^2 + 2 b r + c being written by its Bernstein coefficients on the path, so that
// neither a = 0 nor an angle of pi is a special case. a = b = c = 0 is unclear: exact_touch.h.
Filtered rotate_vertex_facet(const CurveVector<Interval>& x, const Curve<Interval>& weight,
                             const IntervalFacet& facet);

// A turning edge, of the line a and the ends x0, x1, all times weight, and the edge b0-b1. 2.5.
Filtered rotate_edge_edge(const std::array<Line<Interval>, 3>& a, const CurveVector<Interval>& x0,
                          const CurveVector<Interval>& x1, const Curve<Interval>& weight,
                          const IntervalPoint& b0, const IntervalPoint& b1);

}  // namespace graze::polyhedron
