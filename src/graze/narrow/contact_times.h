#pragma once

#include <optional>
#include <vector>

#include "graze/core/options.h"
#include "graze/core/query.h"

namespace graze {

// A maximal interval of contact, its ends enclosed in the tightest doubles (lo == hi when the exact
// time is a double).
struct ContactInterval {
  double begin_lo, begin_hi, end_lo, end_hi;
  bool instant;  // begins and ends at the same exact time
};

// All contacts of a step, not only the first: the closed set of times in [0, options.t_max] at
// which the primitives touch, as its maximal intervals and instants in the order of time.
//
// For all finite input:
//   (1) The intervals are exactly the connected components of that set; empty for no contact. The
//       first begins at the toi of the exact method.
//   (2) The result depends on the arguments alone.
// Nothing for NaN, infinity, a nonsensical option or min_separation > 0.
// Cost: integer arithmetic on every root, microseconds; for motions in a common plane on every
// change of a sign, tens of microseconds.
std::optional<std::vector<ContactInterval>> contact_times(const VertexFace& query,
                                                          const Options& options = {});
std::optional<std::vector<ContactInterval>> contact_times(const EdgeEdge& query,
                                                          const Options& options = {});
std::optional<std::vector<ContactInterval>> contact_times(const PointEdge& query,
                                                          const Options& options = {});
std::optional<std::vector<ContactInterval>> contact_times(const PointPoint& query,
                                                          const Options& options = {});

}  // namespace graze
