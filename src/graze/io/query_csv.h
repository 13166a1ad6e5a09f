#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "graze/io/query_files.h"

namespace graze::io {

// Reads the rational CSV of Appendix A of [Wang 2021], exactly.
//
// No header. Eight rows per query, one per point: those at the start, then those at the end. A row
// is x numerator, x denominator, the same for y and z, and optionally the truth (0 or 1), the same
// on the eight rows; all rows of a file have it or none. Integers are decimal, with an optional
// sign, and need not be in lowest terms.
//   (1) Every coordinate is exactly the quotient; a quotient that is no double is an error.
//   (2) Blanks around numbers, CRLF and blank lines at the end are accepted; a file without rows
//       is an empty set. Minus zero is zero.
//   (3) Anything else throws FileError "name:line: reason".
// Integers may have 5,000 digits: doubles in lowest terms need at most 324.
// Cost: linear in the size, hundreds of megabytes per second for integers below 39 digits.
QuerySet parse_query_csv(std::string_view bytes, std::string_view name);

// The same rows for finite coordinates (24 per query), in lowest terms. Reading them back gives the
// same bits, but for minus zero, which becomes zero. `truth`: one per query, or none at all.
std::string format_query_csv(std::span<const double> coordinates,
                             std::span<const std::uint8_t> truth);

}  // namespace graze::io
