#pragma once

namespace graze::numeric {

// The unit roundoff of doubles: the rounded result r of one operation is within u |r|, and within u
// of the exact result's size, of the exact result, where nothing underflows.
inline constexpr double u = 0x1p-53;

}  // namespace graze::numeric
