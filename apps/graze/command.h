#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

#include "bench/query_sets.h"
#include "graze/core/options.h"
#include "graze/narrow/method.h"

// What the subcommands share. Each one adds itself to the application by its add_* function; its
// work is done in the callback and bad usage or bad data leaves it as an exception. exit_code is
// that of the process where nothing is thrown, and 0 before.
namespace graze::command {

// Bad usage; main prints the one line.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

void add_step(CLI::App& app, int& exit_code);
void add_steps(CLI::App& app, int& exit_code);
void add_rigid(CLI::App& app, int& exit_code);
void add_sim(CLI::App& app, int& exit_code);
void add_trace(CLI::App& app, int& exit_code);
void add_record(CLI::App& app);
void add_methods(CLI::App& app);
void add_query(CLI::App& app);
void add_bench(CLI::App& app);
void add_generate(CLI::App& app);
void add_convert(CLI::App& app);
void add_minimize(CLI::App& app);

// As graze bench --suite.
void run_suite(const std::string& suite, std::optional<std::size_t> count, const std::string& out,
               bool json);

// --t-max, --distance-tol, --time-tol, --max-checks, --min-separation, --no-zero-toi
void add_solver_options(CLI::App& command, Options& options);
void add_kind(CLI::App& command, std::optional<bench::Kind>& kind);
void add_threads(CLI::App& command, int& threads);
void add_json(CLI::App& command, bool& json);

// The row of that name; UsageError with the known names when there is none.
const Method& require_method(const std::string& name);
// `exact`, before it exists `tight_inclusion`, before that `oracle`.
const Method& default_method();
// UsageError for values no method can use, and for a separation that `method` does not know.
void check_options(const Options& options, const Method& method);

// UsageError when the method has no such primitive.
void check_primitive(const Method& method, bench::Kind kind);

// Throws FileError when a file could not be written there, before any work is done.
void check_writable(const std::filesystem::path& file);

}  // namespace graze::command
