#pragma once

#include <cstdint>
#include <span>

#include "graze/impact.h"
#include "graze/method.h"
#include "graze/query.h"

namespace graze::narrow {

// The choices for two cases that the paper leaves open.
enum class BernsteinReading : std::uint8_t {
  repaired,   // a coplanarity cubic with an inflection, or zero throughout, is a contact
  published,  // an inflection is a contact, as in [Wang 2021]; a cubic of zeros has no roots
  original,   // an inflection is passed over, as in [Tang 2014]; a cubic of zeros has no roots
};

// Returns whether the exact signs of a few polynomials rule out a contact.
//
// The corners are coplanar at the roots of a cubic Y, and touch there only if three quartics are
// not negative. If Y'' keeps its sign, Y has at most two roots in the step; whether they exist, and
// the signs of the quartics at them, follow from signs of expressions in the coefficients, without
// computing a root. Signs are computed in doubles with error bounds, and in integers where the
// bounds do not decide.
//
// For all finite input, as repaired:
//   (1) `separated` is proven: no contact in [0, options.t_max].
//   (2) Otherwise `contact` with toi 0: the method gives no time.
//   (3) The result depends on the arguments alone.
//   (4) In general position (no sign that is computed is zero), the cubic of every false `contact`
//       has an inflection in the step.
// The published reading misses contacts, and the original one misses more. Cost: a fraction of a
// microsecond, tens of microseconds where integers are needed, more where exponents spread widely.
// checks counts the quartics evaluated. Norm: none. Only options.t_max is read. Reference:
// [Tang 2014], with the change of [Wang 2021] Sec. 4.2 and Appendix C.
Impact bernstein_sign(const VertexFace& query, const Options& options = {},
                      BernsteinReading reading = BernsteinReading::repaired);
Impact bernstein_sign(const EdgeEdge& query, const Options& options = {},
                      BernsteinReading reading = BernsteinReading::repaired);

// Answers a batch with the repaired method.
void bernstein_sign(std::span<const VertexFace>, const MethodOptions&, std::span<Impact>);
void bernstein_sign(std::span<const EdgeEdge>, const MethodOptions&, std::span<Impact>);

// Answers a batch as published: the method that [Wang 2021] measured, to reproduce the false
// negatives of its Table 1. Corners that stay in one plane are `separated`. DEVIATION: the public
// code also loses signs by underflow; here signs are exact.
void bernstein_sign_published(std::span<const VertexFace>, const MethodOptions&, std::span<Impact>);
void bernstein_sign_published(std::span<const EdgeEdge>, const MethodOptions&, std::span<Impact>);

}  // namespace graze::narrow
