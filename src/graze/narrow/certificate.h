#pragma once

#include <array>
#include <optional>
#include <vector>

#include "graze/core/options.h"
#include "graze/core/query.h"
#include "graze/exact/integer.h"

namespace graze {

// A proof that two moving primitives do not touch from t0 to t1: a direction n with n.(x - y) > 0
// for every corner x of the first primitive and y of the second, so that a plane with normal n
// separates them. With s running from 0 at t0 to 1 at t1 and K + 1 vectors in `direction`,
//   n(s) = sum over k of direction[k] (1 - s)^(K - k) s^k.
// x - y is linear in s, say d0 (1 - s) + d1 s, so the coefficients of n.(x - y) in the same form
// are direction[k].d0 + direction[k - 1].d1, k = 0 .. K + 1 (terms beyond the ends are absent);
// these are all positive, and that is the proof. K = 0 is a constant direction: the signs at the
// ends.
struct CertificatePiece {
  exact::Dyadic t0, t1;
  std::vector<std::array<exact::Integer, 3>> direction;
};

// Proves a miss: pieces that cover [0, options.t_max] in order, each starting where the last ends.
//
//   (1) For all finite input a certificate is returned if and only if the primitives do not touch
//   in
//       [0, t_max] (`oracle` tells), provided that options.max_checks pieces can be tried.
//   (2) It can be checked without trusting this library: see test/narrow/certificate_test.cpp.
// Nothing is returned for a contact, for NaN or infinity, or for a nonsensical option. Only t_max
// and max_checks are read; a miss by one ulp takes some hundred checks. Times and directions are
// big integers because doubles do not suffice: with coordinates of mixed magnitude, primitives can
// pass each other between two neighbouring doubles. Directions are constant in all but narrow
// misses; there they turn with the features that face each other, because a gap g next to a face
// turning with it needs in the order of 1 / g constant ones. Cost: microseconds for a clear miss;
// milliseconds where the gap is a rounding error.
std::optional<std::vector<CertificatePiece>> separation_certificate(const VertexFace& query,
                                                                    const Options& options = {});
std::optional<std::vector<CertificatePiece>> separation_certificate(const EdgeEdge& query,
                                                                    const Options& options = {});

}  // namespace graze
