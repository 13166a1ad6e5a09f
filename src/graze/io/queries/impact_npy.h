#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "graze/impact.h"

namespace graze::io {

// An impact as a record of a NumPy array: the fields of the CSV (impact_csv.h) but for the index.
// `verdict` and `kind` are the numbers of Verdict and ContactKind.
struct ImpactRecord {
  double toi, toi_hi, u, v, nx, ny, nz, reached_tol;
  std::uint32_t checks;
  std::uint8_t verdict, kind;
  std::array<std::uint8_t, 2> unused;
};
static_assert(sizeof(ImpactRecord) == 72);

// Returns the header of an array of `impacts` records, which precedes them. Its length is the same
// for all numbers of records.
std::string impact_npy_header(std::size_t impacts);

std::vector<ImpactRecord> to_records(std::span<const Impact> impacts);
std::vector<Impact> from_records(std::span<const ImpactRecord> records);

}  // namespace graze::io
