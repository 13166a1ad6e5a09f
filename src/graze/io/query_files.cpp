#include "graze/io/query_files.h"

#include <cassert>
#include <utility>

#include "graze/io/mapped_file.h"
#include "graze/io/query_csv.h"

namespace graze::io {

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
  throw FileError(name, "query files end in .csv");
}

}  // namespace graze::io
