#include "commands/command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <limits>
#include <vector>

#include "graze/io/file_error.h"
#include "terminal/report.h"

namespace graze::command {
namespace {

// "a, b, c"
template <class Names>
std::string joined(const Names& names) {
  std::string text;
  for (const auto& name : names) text += fmt::format("{}{}", text.empty() ? "" : ", ", name);
  return text;
}

}  // namespace

CLI::Option* add_whole_number(CLI::App& command, const std::string& flag, std::uint64_t lo,
                              std::uint64_t hi, const std::function<void(std::uint64_t)>& set,
                              const std::string& description) {
  const auto parse = [=](const std::string& text) {
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || rest != end || number < lo || number > hi)
      throw UsageError(fmt::format("{}: '{}' is not a whole number in {} .. {}", flag, text,
                                   report::format_count(lo), report::format_count(hi)));
    set(number);
  };
  return command.add_option_function<std::string>(flag, parse, description)->type_name("N");
}

void add_solver_options(CLI::App& command, Options& options) {
  constexpr const char* group = "Options of the methods";
  const auto add = [&](const char* flag, double& value, const char* description) {
    command.add_option(flag, value, description)->capture_default_str()->group(group);
  };
  add("--t-max", options.t_max, "consider [0, T] only; fraction of the step, in (0, 1]");
  add("--distance-tol", options.distance_tol, "length to which inclusion methods refine");
  add("--time-tol", options.time_tol, "fraction of the step to which root finders refine");
  add_whole_number(
      command, "--max-checks", options.max_checks, 0, std::numeric_limits<std::uint32_t>::max(),
      "budget of the iterative methods, beyond which they answer undecided; 0: no limit")
      ->group(group);
  add("--min-separation", options.min_separation,
      "length: contact means a distance of at most this (methods with a norm; see graze methods)");
  command
      .add_flag("--no-zero-toi", options.no_zero_toi,
                "conservative methods refine until the time of impact is above 0")
      ->group(group);
}

void add_method(CLI::App& command, std::string& method) {
  command.add_option("--method", method,
                     "see graze methods [exact; separation_root with --min-separation]");
}

void add_kind(CLI::App& command, std::optional<Kind>& kind) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kind_count; ++i) names.emplace_back(name(static_cast<Kind>(i)));
  const std::string list = joined(names);
  command
      .add_option_function<std::string>(
          "--kind",
          [&kind, list](const std::string& text) {
            kind = find_kind(text);
            if (!kind) throw UsageError(fmt::format("--kind: '{}' is none of {}", text, list));
          },
          list + "; needed where the file name does not contain it")
      ->type_name("KIND");
}

void add_threads(CLI::App& command, int& threads) {
  add_whole_number(command, "--threads", threads, 0, 4096, "number of threads; 0: all cores");
}

void add_seed(CLI::App& command, std::uint64_t& seed) {
  add_whole_number(command, "--seed", seed, 0, std::numeric_limits<std::uint64_t>::max(),
                   "seed of the random numbers");
}

void add_json(CLI::App& command, bool& json) {
  command.add_flag("--json", json, "print one JSON value on standard output and nothing else");
}

const Method& require_method(const std::string& name) {
  if (const Method* method = find_method(name)) return *method;
  std::vector<std::string_view> known;
  for (const Method& method : methods()) known.push_back(method.name);
  throw UsageError(
      fmt::format("no method has the name '{}'; the methods are {}", name, joined(known)));
}

const Method& chosen_method(const std::string& name, const Options& options) {
  return name.empty() ? default_method(options) : require_method(name);
}

void check_options(const Options& options, const Method& method) {
  if (!(options.t_max > 0 && options.t_max <= 1)) throw UsageError("--t-max must be in (0, 1]");
  if (!is_sensible(options))
    throw UsageError(
        "--distance-tol and --time-tol must be above 0, --min-separation at least 0, all finite");
  if (!method.takes(options)) {
    std::vector<std::string_view> able;
    for (const Method& row : methods())
      if (row.min_separation()) able.push_back(row.name);
    throw UsageError(fmt::format("--min-separation is not supported by {}; it is by {}",
                                 method.name, joined(able)));
  }
}

void check_primitive(const Method& method, Kind kind) {
  if (!method.has(kind))
    throw UsageError(fmt::format("{} does not answer {} queries", method.name, name(kind)));
}

void refuse_options(const CLI::App& command, std::initializer_list<const char*> flags,
                    const std::string& use) {
  for (const char* flag : flags)
    if (command.count(flag) > 0)
      throw UsageError(fmt::format("{} has no meaning for {}", flag, use));
}

void check_writable(const std::filesystem::path& file) {
  std::error_code ignored;
  const auto status = std::filesystem::status(file, ignored);
  if (is_directory(status)) throw io::FileError(file.string(), "is a folder, not a file");
  if (exists(status) && !is_regular_file(status)) return;  // a pipe or a device
  auto folder = file.parent_path();
  if (folder.empty()) folder = ".";
  if (!std::filesystem::is_directory(folder, ignored))
    throw io::FileError(file.string(), "its folder does not exist");
  if (access(folder.c_str(), W_OK) != 0)
    throw io::FileError(file.string(), "its folder is not writable");
}

void check_writable_folder(const std::filesystem::path& folder) {
  std::error_code ignored;
  std::filesystem::path existing = folder;
  while (!existing.empty() && !std::filesystem::exists(existing, ignored)) {
    const auto parent = existing.parent_path();
    if (parent == existing) break;
    existing = parent;
  }
  if (existing.empty()) existing = ".";
  const std::string which =
      existing == folder ? "" : fmt::format("cannot be created: {} ", existing.string());
  if (!std::filesystem::is_directory(existing, ignored))
    throw io::FileError(folder.string(), which + "is not a folder");
  if (access(existing.c_str(), W_OK) != 0)
    throw io::FileError(folder.string(), which + "is not writable");
}

}  // namespace graze::command
