#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "graze/core/query.h"
#include "graze/io/file_error.h"

namespace graze::io {

// Queries and, where known, their truth: what a query file holds. Immutable; copies share the
// storage, which may be a mapped file. A file does not say whether its points make vertex-face or
// edge-edge queries (both are 24 doubles: 4 points at the start, 4 at the end); the reader of it
// does, by as<VertexFace>() or as<EdgeEdge>().
class QuerySet {
 public:
  QuerySet() = default;

  // `coordinates`: 24 per query, living at least as long as `owner`. `truth`: one per query, or
  // none at all.
  QuerySet(std::shared_ptr<const void> owner, std::span<const double> coordinates,
           std::vector<std::uint8_t> truth);
  QuerySet(std::vector<double> coordinates, std::vector<std::uint8_t> truth);

  std::size_t size() const { return coordinates_.size() / 24; }
  std::span<const double> coordinates() const { return coordinates_; }

  template <class Query>
  std::span<const Query> as() const {
    static_assert(sizeof(Query) == 24 * sizeof(double) && alignof(Query) == alignof(double));
    return {reinterpret_cast<const Query*>(coordinates_.data()), size()};
  }

  // 1 for contact, 0 for none, per query; empty where the truth is not known.
  std::span<const std::uint8_t> truth() const { return truth_; }
  QuerySet with_truth(std::vector<std::uint8_t> truth) const {
    return QuerySet(owner_, coordinates_, std::move(truth));
  }

 private:
  std::shared_ptr<const void> owner_;
  std::span<const double> coordinates_;
  std::vector<std::uint8_t> truth_;
};

// Reads a query file; the extension names its format:
//   .csv  rationals, Appendix A of [Wang 2021] (query_csv.h)
//   .npy  a NumPy array, mapped (query_npy.h), its truth from NAME.truth.npy where that exists
// Throws FileError naming file, line and reason.
QuerySet read_queries(const std::filesystem::path& path);

// Writes a file that read_queries() gives back bit for bit; in .csv minus zero becomes zero, and
// NaN or infinity is an error. `truth`: one per query, or none at all. Throws FileError and then
// leaves no file behind.
void write_queries(const std::filesystem::path& path, std::span<const VertexFace> queries,
                   std::span<const std::uint8_t> truth = {});
void write_queries(const std::filesystem::path& path, std::span<const EdgeEdge> queries,
                   std::span<const std::uint8_t> truth = {});
void write_queries(const std::filesystem::path& path, const QuerySet& queries);

}  // namespace graze::io
