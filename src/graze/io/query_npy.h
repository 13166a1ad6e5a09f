#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "graze/io/query_files.h"

namespace graze::io {

// Reads a NumPy array (.npy, format 1.0 to 3.0) of queries: little-endian float64 in C order, shape
// (N, 8, 3) or (N, 24); the points of a query in the order of the CSV's rows. The set refers to
// `bytes`, which live as long as `owner`; only misaligned data is copied. Throws FileError
// "name: reason", also for a size that differs from what the header says.
QuerySet parse_query_npy(std::shared_ptr<const void> owner, std::string_view bytes,
                         std::string_view name);

// Likewise for the truth: shape (N,) of bytes or booleans, each 0 or 1.
std::vector<std::uint8_t> parse_truth_npy(std::string_view bytes, std::string_view name);

// What precedes the numbers in such a file.
std::string query_npy_header(std::size_t queries);
std::string truth_npy_header(std::size_t queries);

}  // namespace graze::io
