#pragma once

#include "graze/polyhedron/filtered.h"

namespace graze::polyhedron {

// A point at x that moves by `way`, and a facet. [van Waveren 2005] 2.2: the heights above the
// plane at both ends give the time, the sidedness of the line of motion and each side of the facet
// tells whether it passes between the sides. A sidedness depends on the side's two vertices and the
// motion alone, so facets that share a side get the same number for it.
Filtered translate_vertex_facet(const IntervalPoint& x, const IntervalPoint& way,
                                const IntervalFacet& facet);

// The edge a0-a1 that moves by `way`, and the edge b0-b1. 2.3: the sidedness of the lines is linear
// in time; those of the ends' lines of motion and the other edge tell whether the edges cross.
Filtered translate_edge_edge(const IntervalPoint& a0, const IntervalPoint& a1,
                             const IntervalPoint& b0, const IntervalPoint& b1,
                             const IntervalPoint& way);

}  // namespace graze::polyhedron
