#include "graze/io/query_files.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "graze/io/atomic_file.h"
#include "graze/io/mapped_file.h"
#include "graze/io/queries/query_csv.h"
#include "graze/io/queries/query_npy.h"

namespace graze::io {
namespace {

constexpr const char* unknown_extension = "query files end in .csv or .npy";

std::filesystem::path truth_path(std::filesystem::path path) {
  return path.replace_extension(".truth.npy");
}

QuerySet read_npy(const std::filesystem::path& path, const std::string& name) {
  const auto file = std::make_shared<const MappedFile>(path);
  QuerySet set = parse_query_npy(file, file->bytes(), name);
  const std::filesystem::path beside = truth_path(path);
  std::error_code ignored;
  if (!std::filesystem::exists(beside, ignored)) return set;
  auto truth = parse_truth_npy(MappedFile(beside).bytes(), beside.string());
  if (truth.size() != set.size())
    throw FileError(beside.string(), "the truth of " + std::to_string(truth.size()) +
                                         " queries, but " + name + " has " +
                                         std::to_string(set.size()));
  return set.with_truth(std::move(truth));
}

template <class Query>
std::span<const double> coordinates_of(std::span<const Query> queries) {
  return {reinterpret_cast<const double*>(queries.data()), 24 * queries.size()};
}

template <class Value>
std::string_view bytes_of(std::span<const Value> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

void write_csv(const std::filesystem::path& path, std::span<const double> coordinates,
               std::span<const std::uint8_t> truth) {
  constexpr std::size_t piece = 1024;  // queries: about 0.8 MB of text
  const auto bad = std::find_if(coordinates.begin(), coordinates.end(),
                                [](double value) { return !std::isfinite(value); });
  if (bad != coordinates.end())
    throw FileError(path.string(), "query " + std::to_string((bad - coordinates.begin()) / 24) +
                                       " has NaN or infinity, which .csv cannot hold (.npy can)");
  AtomicFile file(path);
  const std::size_t queries = coordinates.size() / 24;
  for (std::size_t i = 0; i < queries; i += piece) {
    const std::size_t count = std::min(piece, queries - i);
    file.write(format_query_csv(coordinates.subspan(24 * i, 24 * count),
                                truth.empty() ? truth : truth.subspan(i, count)));
  }
  file.commit();
}

// Writes the queries and their truth. At no time is the truth of one set beside the queries of
// another set.
void write_npy(const std::filesystem::path& path, std::span<const double> coordinates,
               std::span<const std::uint8_t> truth) {
  const std::filesystem::path beside = truth_path(path);
  AtomicFile file(path);
  file.write(query_npy_header(coordinates.size() / 24));
  file.write(bytes_of(coordinates));
  std::optional<AtomicFile> truth_file;
  if (!truth.empty()) {
    truth_file.emplace(beside);
    truth_file->write(truth_npy_header(truth.size()));
    truth_file->write(bytes_of(truth));
  }
  std::error_code error;
  std::filesystem::remove(beside, error);
  if (error) throw FileError(beside.string(), "cannot be replaced: " + error.message());
  file.commit();
  if (truth_file) truth_file->commit();
}

void write(const std::filesystem::path& path, std::span<const double> coordinates,
           std::span<const std::uint8_t> truth) {
  assert(truth.empty() || 24 * truth.size() == coordinates.size());
  if (path.extension() == ".csv") return write_csv(path, coordinates, truth);
  if (path.extension() == ".npy") return write_npy(path, coordinates, truth);
  throw FileError(path.string(), unknown_extension);
}

}  // namespace

QuerySet::QuerySet(std::shared_ptr<const void> owner, std::span<const double> coordinates,
                   std::vector<std::uint8_t> truth)
    : owner_(std::move(owner)), coordinates_(coordinates), truth_(std::move(truth)) {
  assert(coordinates_.size() % 24 == 0 && (truth_.empty() || truth_.size() == size()));
}

QuerySet::QuerySet(std::vector<double> coordinates, std::vector<std::uint8_t> truth) {
  auto owner = std::make_shared<const std::vector<double>>(std::move(coordinates));
  const std::span<const double> view = *owner;
  *this = QuerySet(std::move(owner), view, std::move(truth));
}

QuerySet read_queries(const std::filesystem::path& path) {
  const std::string name = path.string();
  if (path.extension() == ".csv") return parse_query_csv(MappedFile(path).bytes(), name);
  if (path.extension() == ".npy") return read_npy(path, name);
  throw FileError(name, unknown_extension);
}

void write_queries(const std::filesystem::path& path, std::span<const VertexFace> queries,
                   std::span<const std::uint8_t> truth) {
  write(path, coordinates_of(queries), truth);
}
void write_queries(const std::filesystem::path& path, std::span<const EdgeEdge> queries,
                   std::span<const std::uint8_t> truth) {
  write(path, coordinates_of(queries), truth);
}
void write_queries(const std::filesystem::path& path, const QuerySet& queries) {
  write(path, queries.coordinates(), queries.truth());
}

}  // namespace graze::io
