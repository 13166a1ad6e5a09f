#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "graze/io/query_files.h"

namespace graze::io {

// Reads the rational CSV of Appendix A of [Wang 2021], exactly.
//
// There is no header. A query has eight rows, one per point: the points at the start, then those at
// the end. A row has the numerator and the denominator of x, of y and of z, and optionally the
// truth (0 or 1), which is the same in all eight rows. Either all rows of a file have the truth or
// none. Integers are decimal, with an optional sign, and need not be in lowest terms.
//   (1) Every coordinate is exactly the quotient. A quotient that is no double is an error.
//   (2) Blanks around numbers, CRLF and blank lines at the end are accepted. A file without rows is
//       an empty set. Minus zero is zero.
//   (3) Anything else throws FileError "name:line: reason".
// Integers may have 5,000 digits; doubles in lowest terms need at most 324.
// Cost: linear in the size, hundreds of megabytes per second for integers below 39 digits.
QuerySet parse_query_csv(std::string_view bytes, std::string_view name);

// Returns the rows of finite coordinates (24 per query), in lowest terms. parse_query_csv() returns
// the same bits, except that minus zero becomes zero. `truth`: one per query, or empty.
std::string format_query_csv(std::span<const double> coordinates,
                             std::span<const std::uint8_t> truth);

}  // namespace graze::io
