#pragma once

#include <array>
#include <cstdint>

#include "graze/rigid/proof/range.h"
#include "graze/rigid/robot/mechanism.h"

namespace graze::rigid::proof {

// The function n.p(s) of a point x of a frame: row . x + constant, with n fixed in a base frame.
struct LinkRow {
  Ranges row{};
  Range constant;

  Range at(const Vec3& x) const { return dot(row, x) + constant; }
};

// The value of n.p(s) and its first two derivatives with respect to s.
using LinkRows = std::array<LinkRow, 3>;

// Returns ranges that contain the rows for all s in the range, where `frame` is `base` or below it.
// The row of n is carried down from the base, joint by joint, by the product rule.
LinkRows rows_of(const Mechanism& mechanism, const PieceCurves& curves, std::uint32_t base,
                 std::uint32_t frame, const Range& s, const Vec3& n);

}  // namespace graze::rigid::proof
