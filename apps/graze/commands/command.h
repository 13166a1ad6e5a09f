#pragma once

#include <CLI/CLI.hpp>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "commands/team.h"
#include "graze/first_contact.h"
#include "graze/options.h"
#include "queries/query_sets.h"

// Functions shared by the subcommands. Each add_* function adds one subcommand to the application.
// Its callback does the work and throws on bad usage or bad data. It sets exit_code, which is 0
// before.
namespace graze::command {

// Bad usage. The program prints the message as one line and exits with code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct SingleStepArguments;  // step.h
using RunStep = std::function<int(const SingleStepArguments&)>;
void add_step(CLI::App& app, int& exit_code, const RunStep& run);
void add_steps(CLI::App& app, int& exit_code, Team& team);
void add_rigid(CLI::App& app, int& exit_code);
void add_sim(CLI::App& app);
void add_trace(CLI::App& app, int& exit_code);
void add_check(CLI::App& app, int& exit_code);
void add_path(CLI::App& app, int& exit_code);
void add_verify(CLI::App& app, int& exit_code);
void add_record(CLI::App& app);
void add_methods(CLI::App& app);
struct QueryArguments;  // query.h
using RunQuery = std::function<void(const QueryArguments&)>;
void add_query(CLI::App& app, const RunQuery& run);
void add_bench(CLI::App& app);
void add_generate(CLI::App& app);
void add_convert(CLI::App& app);
void add_minimize(CLI::App& app);

// Replaces this process by graze-NAME, the program of the command `graze NAME`, with these
// arguments. Throws io::FileError where that program is not beside this one.
[[noreturn]] void start_program(const std::string& name, const std::vector<std::string>& arguments);

// Returns the exit code of step, steps, rigid and trace.
constexpr int exit_code_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::separated:
      return 0;
    case Verdict::contact:
      return 1;
    case Verdict::undecided:
      return 3;
    case Verdict::invalid:
      return 2;
  }
  return 2;
}

// The exit codes as text, for the help of these commands.
inline constexpr const char* verdict_exit_codes =
    "\nExit codes: 0 proven free, 1 contact, 3 undecided (budget spent), 2 bad input or bad "
    "usage,\n"
    "130 interrupted.\n";

// Adds an option that takes a whole number in [lo, hi]. Anything else is a UsageError that states
// the range. An optional value stays empty without the option.
CLI::Option* add_whole_number(CLI::App& command, const std::string& flag, std::uint64_t lo,
                              std::uint64_t hi, const std::function<void(std::uint64_t)>& set,
                              const std::string& description);
template <std::integral T>
CLI::Option* add_whole_number(CLI::App& command, const std::string& flag, T& value,
                              std::uint64_t lo, std::uint64_t hi, const std::string& description) {
  return add_whole_number(
             command, flag, lo, hi,
             [&value](std::uint64_t given) { value = static_cast<T>(given); }, description)
      ->default_str(std::to_string(value));
}
template <std::integral T>
CLI::Option* add_whole_number(CLI::App& command, const std::string& flag, std::optional<T>& value,
                              std::uint64_t lo, std::uint64_t hi, const std::string& description) {
  return add_whole_number(
      command, flag, lo, hi, [&value](std::uint64_t given) { value = static_cast<T>(given); },
      description);
}

// Adds --t-max, --distance-tol, --time-tol, --max-checks, --min-separation and --no-zero-toi.
void add_solver_options(CLI::App& command, Options& options);
void add_method(CLI::App& command, std::string& method);
void add_kind(CLI::App& command, std::optional<Kind>& kind);
void add_threads(CLI::App& command, int& threads);
void add_seed(CLI::App& command, std::uint64_t& seed);
void add_json(CLI::App& command, bool& json);

// Returns the method of that name. Throws UsageError with all names where there is none.
const Method& require_method(const std::string& name);

// Returns the method of that name; for an empty name exact, or separation_root with a separation.
const Method& chosen_method(const std::string& name, const Options& options);

// Throws UsageError for values that no method can use and for a separation that `method` does not
// support.
void check_options(const Options& options, const Method& method);

// Throws UsageError where the method does not answer queries of this kind.
void check_primitive(const Method& method, Kind kind);

// Throws UsageError if the command was given one of these options, which have no meaning for `use`,
// for example "a model".
void refuse_options(const CLI::App& command, std::initializer_list<const char*> flags,
                    const std::string& use);

// Throws io::FileError where the file could not be written, before any work is done.
void check_writable(const std::filesystem::path& file);

// Throws io::FileError where the folder neither exists nor could be created, or is not writable.
void check_writable_folder(const std::filesystem::path& folder);

}  // namespace graze::command
