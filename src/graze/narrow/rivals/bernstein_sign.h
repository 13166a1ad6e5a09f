#pragma once

#include <cstdint>
#include <span>

#include "graze/core/impact.h"
#include "graze/core/options.h"
#include "graze/core/query.h"

namespace graze {

// How two gaps of the published method are read.
enum class BernsteinReading : std::uint8_t {
  repaired,   // a coplanarity cubic with an inflection, or zero throughout, is a contact
  published,  // an inflection is passed over; a cubic that is zero throughout has no roots
};

// Says whether the exact signs of a few polynomials rule out a contact.
//
// The corners are coplanar at the roots of a cubic Y, and touch there only if three quartics are
// not negative. If Y'' keeps its sign, Y has at most two roots in the step; whether they exist, and
// the signs of the quartics at them, follow from signs of expressions in the coefficients, without
// computing a root. Signs are taken in doubles with error bounds, and in integers where one of
// those is not known.
//
// For all finite input, as repaired:
//   (1) `separated` is proven: no contact in [0, options.t_max].
//   (2) Otherwise `contact` with toi 0: the method gives no time.
//   (3) The result depends on the arguments alone.
//   (4) In general position (no exact zero among the signs asked for), a `contact` that is none has
//       a cubic with an inflection in the step.
// As published it misses contacts. Cost: a fraction of a microsecond, tens of microseconds where
// integers are needed, more where exponents spread widely. checks counts the quartics looked at.
// Norm: none. Only options.t_max is read.
// Reference: [Tang 2014], with the change of [Wang 2021] Sec. 4.2 and Appendix C.
Impact bernstein_sign(const VertexFace& query, const Options& options = {},
                      BernsteinReading reading = BernsteinReading::repaired);
Impact bernstein_sign(const EdgeEdge& query, const Options& options = {},
                      BernsteinReading reading = BernsteinReading::repaired);

// The repaired one for batches.
void bernstein_sign(std::span<const VertexFace>, const Options&, std::span<Impact>);
void bernstein_sign(std::span<const EdgeEdge>, const Options&, std::span<Impact>);

}  // namespace graze
