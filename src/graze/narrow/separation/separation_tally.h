#pragma once

#include <cstdint>

namespace graze::narrow {

// The number of queries that each stage of separation_root decided.
struct SeparationTally {
  std::uint64_t axis = 0;       // more than d apart along an axis all the time
  std::uint64_t diagonal = 0;   // likewise along x+-y, y+-z, z+-x
  std::uint64_t direction = 0;  // likewise along one direction after the other
  std::uint64_t start = 0;      // within d at the start
  std::uint64_t root = 0;       // a certified root
  std::uint64_t integer = 0;    // decided by the integer stage
  std::uint64_t invalid = 0;
  std::uint64_t rounded_by_integers = 0;  // part of root: integers decided the last bit

  std::uint64_t total() const {
    return axis + diagonal + direction + start + root + integer + invalid;
  }
};

}  // namespace graze::narrow
