#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "graze/io/query_files.h"

namespace graze::io {

// Reads a NumPy array (.npy, format 1.0 to 3.0) of queries: little-endian float64 in C order, shape
// (N, 8, 3) or (N, 24), the points of a query in the order of the CSV's rows. The set refers to
// `bytes`, which `owner` keeps alive; only misaligned data is copied. Throws FileError
// "name: reason", also if the size of the file differs from that of the header.
QuerySet parse_query_npy(std::shared_ptr<const void> owner, std::string_view bytes,
                         std::string_view name);

// Reads an array of vectors: little-endian float64 in C order, shape (N, 3).
std::vector<Vec3> parse_vector_npy(std::string_view bytes, std::string_view name);

// Reads an array of truth: shape (N,) of bytes or booleans, each 0 or 1.
std::vector<std::uint8_t> parse_truth_npy(std::string_view bytes, std::string_view name);

// Returns the header of a NumPy file. `type`: as Python writes it, such as "'<f8'" or a list of
// fields. `shape`: the extents, separated by commas.
std::string npy_header(std::string_view type, std::string_view shape);

// Returns the header of a file of queries, or of their truth, which precedes the numbers.
std::string query_npy_header(std::size_t queries);
std::string truth_npy_header(std::size_t queries);

}  // namespace graze::io
