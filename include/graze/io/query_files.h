#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "graze/io/file_error.h"
#include "graze/query.h"

namespace graze::io {

// The queries of a file and, if known, their truth. Immutable. Copies share the storage, which may
// be a mapped file: then the file must not be shortened while the set exists. A file does not state
// the kind: vertex-face and edge-edge queries are both 24 doubles, 4 points at the start and 4 at
// the end. The caller chooses the kind by as<VertexFace>() or as<EdgeEdge>().
class QuerySet {
 public:
  QuerySet() = default;

  // `coordinates`: 24 per query, valid as long as `owner` lives. `truth`: one per query, or empty.
  QuerySet(std::shared_ptr<const void> owner, std::span<const double> coordinates,
           std::vector<std::uint8_t> truth);
  QuerySet(std::vector<double> coordinates, std::vector<std::uint8_t> truth);

  std::size_t size() const { return coordinates_.size() / 24; }  // the number of queries
  // Returns the numbers of all queries, 24 each.
  std::span<const double> coordinates() const { return coordinates_; }

  // Returns a view of the queries as vertex-face or as edge-edge queries, valid while this set or a
  // copy of it exists.
  template <class Query>
  std::span<const Query> as() const {
    static_assert(sizeof(Query) == 24 * sizeof(double) && alignof(Query) == alignof(double));
    return {reinterpret_cast<const Query*>(coordinates_.data()), size()};
  }

  // Returns 1 (contact) or 0 (no contact) per query; empty if the truth is not known.
  std::span<const std::uint8_t> truth() const { return truth_; }
  // Returns the same queries with this truth: one element per query.
  QuerySet with_truth(std::vector<std::uint8_t> truth) const {
    return QuerySet(owner_, coordinates_, std::move(truth));
  }

 private:
  std::shared_ptr<const void> owner_;
  std::span<const double> coordinates_;
  std::vector<std::uint8_t> truth_;
};

// Reads a query file. The extension names the format:
//   .csv  rational numbers, Appendix A of [Wang 2021]: no header, eight rows per query, one per
//         point; 6 columns (numerator and denominator of x, y, z), or 7 with the truth
//   .npy  a NumPy array of little-endian float64, N x 8 x 3 or N x 24; mapped, not copied. If
//         NAME.truth.npy exists, the truth is read from it.
// Every coordinate is exactly the number in the file; a rational number that is no double is an
// error. Throws FileError, "file:line: reason" or "file: reason".
QuerySet read_queries(const std::filesystem::path& path);

// Writes a query file. read_queries() returns the same bits, except that .csv turns minus zero into
// zero. NaN and infinity are an error in .csv. `truth`: one per query, or empty. Throws FileError
// and then leaves no file behind.
void write_queries(const std::filesystem::path& path, std::span<const VertexFace> queries,
                   std::span<const std::uint8_t> truth = {});
void write_queries(const std::filesystem::path& path, std::span<const EdgeEdge> queries,
                   std::span<const std::uint8_t> truth = {});
void write_queries(const std::filesystem::path& path, const QuerySet& queries);

}  // namespace graze::io
