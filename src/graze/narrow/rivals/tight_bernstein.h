#pragma once

#include <span>

#include "graze/impact.h"
#include "graze/method.h"
#include "graze/query.h"

namespace graze::narrow {

// Returns whether the signs of a few polynomials, computed in doubles with error bounds, rule out a
// contact.
//
// The corners are coplanar at the roots of a cubic Y, and touch there only if three quartics are
// not negative. Y is cut at its inflection, so that each piece has at most two roots; whether they
// exist, and the signs of the quartics at them, follow from signs of expressions in the
// coefficients, without computing a root. A sign within its error bound is unknown, and a query
// with an unknown sign counts as a contact.
//
// For all finite input:
//   (1) `separated` is proven: no contact in [0, options.t_max].
//   (2) Otherwise `contact` with toi 0: the method gives no time.
//   (3) The result depends on the arguments alone.
// Corners that stay in one plane always count as a contact, and so do most queries whose corners
// move so alike that Y is nearly linear. Cost: a few hundred nanoseconds at most, no loop. checks
// counts the quartics evaluated. Norm: none. Only options.t_max is read. Reference: TightCCD of
// [Wang 2015], as in [Wang 2021] Sec. 4.2.
void tight_bernstein(std::span<const VertexFace>, const MethodOptions&, std::span<Impact>);
void tight_bernstein(std::span<const EdgeEdge>, const MethodOptions&, std::span<Impact>);

// Answers like the public code that [Wang 2021] measured: polynomials are not scaled, so that
// products underflow, and where no sign is known a root is taken to lie on one side. Heuristic: it
// misses contacts of small primitives. docs/methods/tight_bernstein.md explains both.
void tight_bernstein_published(std::span<const VertexFace>, const MethodOptions&,
                               std::span<Impact>);
void tight_bernstein_published(std::span<const EdgeEdge>, const MethodOptions&, std::span<Impact>);

}  // namespace graze::narrow
