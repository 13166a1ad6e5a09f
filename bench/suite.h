#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/measure.h"
#include "bench/query_sets.h"
#include "graze/io/report.h"

namespace graze::bench {

struct Request {
  std::vector<std::filesystem::path> paths;  // none: generated queries
  std::optional<Kind> kind;
  std::vector<const Method*> methods;  // none: all that the suite can ask
  Options options;
  std::optional<std::size_t> count;  // generated queries; each suite has its default
  std::uint64_t seed = 1;
  double seconds = 0.2;         // for each method on each set
  int threads = 0;              // of the ground truth; methods are timed on one
  bool explain = false;         // also what each stage of a method settles and costs
  std::string query_page;       // the page that will show the worst queries, for links; or none
  std::filesystem::path store;  // keeps results for the next run; none: nothing is kept
};

struct Result {
  nlohmann::ordered_json json;
  std::vector<io::Table> tables;  // for the terminal
  io::Report report;
};

// One question that a benchmark answers.
struct Suite {
  std::string_view name, description;
  Result (*run)(const Request&, const Progress&);
  bool explains = false;
  double seconds = 0.2;  // for each method on each set, unless the request says otherwise
};

std::span<const Suite> suites();

// Null when no row has that name.
const Suite* find_suite(std::string_view name);

}  // namespace graze::bench
