#pragma once

namespace graze::numeric {

// The unit roundoff of doubles: the rounded result r of one operation with the exact result x has
// |r - x| <= u |x| and |r - x| <= u |r|, unless it overflows or underflows.
inline constexpr double u = 0x1p-53;

}  // namespace graze::numeric
