#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arguments/device.h"
#include "bench/harness/bar.h"
#include "bench/harness/failure_report.h"
#include "bench/harness/measure.h"
#include "bench/harness/real_data.h"
#include "queries/query_sets.h"
#include "terminal/machine.h"
#include "terminal/report.h"

namespace graze::bench {

// The input of a suite. A suite reads the fields that its row names (Input).
struct Request {
  std::vector<std::filesystem::path> paths;  // query files and folders, or one folder of real data
  std::optional<Kind> kind;                  // none: every kind
  std::vector<const Method*> methods;        // none: every method that the suite can measure
  Options options;
  std::optional<std::size_t> count;  // generated queries, shots or sizes; none: the suite's default
  std::uint64_t seed = 1;
  double seconds = 0.2;         // for each method on each set
  int threads = 0;              // for the ground truth, 0: all cores; methods are timed on one
  bool explain = false;         // also measure each stage of a method
  bool targets = false;         // measure kernels with each instruction set, and nothing else
  std::string query_page;       // the page that will show the worst queries, for links; or empty
  std::filesystem::path store;  // the file that keeps results for the next run; empty: none
  std::optional<int> gpu;       // the GPU that is measured beside the CPU
  command::UsedDevice device;   // its name, or "cpu", and the reason
};

// The result of a suite.
struct Result {
  std::string_view suite;
  Machine machine;                           // before the run
  std::vector<Bar> bars = {};                // none where the suite has no bars
  std::vector<std::string> missing = {};     // real data that was not found
  std::vector<ShownFailure> failures = {};   // worst first
  std::size_t recalled = 0;                  // rows taken from an earlier run
  nlohmann::ordered_json measurements = {};  // the suite's own part of results.json: an object
  std::vector<report::Table> tables = {};    // for the terminal
  report::Report report;
};

// Returns the content of results.json: suite, measurements, bars, missing, failures, recalled_rows,
// machine.
nlohmann::ordered_json json_of(const Result& result);

// The options of `graze bench` that not every suite reads.
enum class Input : std::uint16_t {
  data = 1,  // PATH is the folder of real data
  kind = 2,
  methods = 4,
  count = 8,
  seed = 16,
  budget = 32,
  threads = 64,
  explain = 128,
  store = 256,            // --fresh: results are kept for the next run
  tolerances = 512,       // --distance-tol, --time-tol, --max-checks, --no-zero-toi
  t_max = 1024,           // --t-max
  min_separation = 2048,  // --min-separation
  queries = 4096,         // PATH names query files in place of generated queries
  device = 8192,          // --device
  targets = 16384,        // --targets
};
constexpr Input operator|(Input a, Input b) {
  return Input(std::uint16_t(a) | std::uint16_t(b));
}

// One question that the benchmark answers.
struct Suite {
  std::string_view name, description;
  Result (*run)(const Request&, const Progress&);
  Input inputs;          // the options that it reads; the command refuses the others
  double seconds = 0.2;  // default of Request::seconds: for each method on each set

  bool reads(Input input) const { return (std::uint16_t(inputs) & std::uint16_t(input)) != 0; }
};

std::span<const Suite> suites();

// Returns null where no suite has that name.
const Suite* find_suite(std::string_view name);

}  // namespace graze::bench
