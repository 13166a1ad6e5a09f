#include "command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <vector>

#include "bench/measure.h"
#include "graze/io/file_error.h"

namespace graze::command {

void add_solver_options(CLI::App& command, Options& options) {
  constexpr const char* group = "Options of the methods";
  const auto add = [&](const char* flag, auto& value, const char* description) {
    command.add_option(flag, value, description)->capture_default_str()->group(group);
  };
  add("--t-max", options.t_max, "only contacts in [0, T] count; fraction of the step, in (0, 1]");
  add("--distance-tol", options.distance_tol, "length to which inclusion methods refine");
  add("--time-tol", options.time_tol, "fraction of the step to which root finders refine");
  add("--max-checks", options.max_checks, "budget of the iterative methods; then undecided");
  add("--min-separation", options.min_separation,
      "contact means a distance of at most this; only methods that say so (graze methods)");
  command.add_flag("--no-zero-toi", options.no_zero_toi, "refine until the time is above 0")
      ->group(group);
}

void add_kind(CLI::App& command, std::optional<bench::Kind>& kind) {
  command
      .add_option_function<std::string>(
          "--kind",
          [&kind](const std::string& text) {
            kind = bench::parse_kind(text);
            if (!kind)
              throw UsageError(
                  fmt::format("--kind: '{}' is neither vertex-face nor edge-edge", text));
          },
          "vertex-face or edge-edge, where the name of a file does not tell")
      ->type_name("KIND");
}

void add_threads(CLI::App& command, int& threads) {
  command.add_option("--threads", threads, "number of threads; 0: all cores")
      ->check(CLI::Range(0, 4096).description(""))
      ->capture_default_str();
}

void add_json(CLI::App& command, bool& json) {
  command.add_flag("--json", json, "print one JSON value on standard output and nothing else");
}

const Method& require_method(const std::string& name) {
  if (const Method* method = find_method(name)) return *method;
  std::vector<std::string_view> known;
  for (const Method& method : methods()) known.push_back(method.name);
  throw UsageError(
      fmt::format("no method is called '{}'; there are {}", name, fmt::join(known, ", ")));
}

const Method& default_method() {
  for (const char* name : {"exact", "tight_inclusion"})
    if (const Method* method = find_method(name)) return *method;
  return require_method("oracle");
}

void check_options(const Options& options, const Method& method) {
  if (!(options.t_max > 0 && options.t_max <= 1)) throw UsageError("--t-max must be in (0, 1]");
  if (!is_sensible(options))
    throw UsageError(
        "--distance-tol, --time-tol and --max-checks must be above 0, "
        "--min-separation at least 0, all finite");
  if (options.min_separation > 0 && !method.min_separation()) {
    std::vector<std::string_view> able;
    for (const Method& row : methods())
      if (row.min_separation()) able.push_back(row.name);
    throw UsageError(fmt::format("--min-separation is not known to {}; methods that know it: {}",
                                 method.name,
                                 able.empty() ? "none" : fmt::format("{}", fmt::join(able, ", "))));
  }
}

void check_primitive(const Method& method, bench::Kind kind) {
  if (!bench::has_primitive(method, kind))
    throw UsageError(fmt::format("{} does not answer {} queries", method.name, name(kind)));
}

void check_writable(const std::filesystem::path& file) {
  std::error_code ignored;
  const auto status = std::filesystem::status(file, ignored);
  if (is_directory(status)) throw io::FileError(file.string(), "is a folder");
  if (exists(status) && !is_regular_file(status)) return;  // a pipe or a device
  auto folder = file.parent_path();
  if (folder.empty()) folder = ".";
  if (!std::filesystem::is_directory(folder, ignored))
    throw io::FileError(file.string(), "the folder does not exist");
  if (access(folder.c_str(), W_OK) != 0)
    throw io::FileError(file.string(), "the folder is not writable");
}

}  // namespace graze::command
