#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <sstream>

#include "bench/harness/failure_report.h"
#include "bench/harness/suite.h"
#include "commands/command.h"
#include "graze/io/atomic_file.h"
#include "terminal/interrupt.h"
#include "terminal/machine.h"
#include "terminal/program.h"
#include "terminal/query_page.h"
#include "terminal/terminal.h"

namespace graze::command {
namespace {

namespace fs = std::filesystem;
using bench::Input;

struct Arguments {
  bench::Request request;
  std::string suite = "narrow", methods = "all", out;
  std::optional<double> seconds;
  bool json = false, fresh = false, papers = false;
  DeviceArguments device;
};

// Returns the named methods; none for "all".
std::vector<const Method*> parse_methods(const std::string& list) {
  std::vector<const Method*> chosen;
  if (list == "all") return chosen;
  std::istringstream names(list);
  for (std::string name; std::getline(names, name, ',');) chosen.push_back(&require_method(name));
  if (chosen.empty()) throw UsageError("--methods: the list is empty");
  return chosen;
}

std::string suite_list() {
  std::string text;
  for (const auto& suite : bench::suites())
    text += fmt::format("\n  {:<16} {}", suite.name, suite.description);
  return text;
}

// Throws UsageError for an option that is given and that the suite does not read.
void refuse_unread(const CLI::App& command, const bench::Suite& suite) {
  constexpr std::pair<const char*, Input> options[] = {{"PATH", Input::data | Input::queries},
                                                       {"--kind", Input::kind},
                                                       {"--methods", Input::methods},
                                                       {"--count", Input::count},
                                                       {"--seed", Input::seed},
                                                       {"--budget", Input::budget},
                                                       {"--threads", Input::threads},
                                                       {"--explain", Input::explain},
                                                       {"--fresh", Input::store},
                                                       {"--t-max", Input::t_max},
                                                       {"--distance-tol", Input::tolerances},
                                                       {"--time-tol", Input::tolerances},
                                                       {"--max-checks", Input::tolerances},
                                                       {"--min-separation", Input::min_separation},
                                                       {"--no-zero-toi", Input::tolerances},
                                                       {"--device", Input::device},
                                                       {"--targets", Input::targets}};
  for (const auto& [name, input] : options)
    if (command.count(name) > 0 && !suite.reads(input))
      throw UsageError(fmt::format("the suite {} does not use {}", suite.name, name));
  if (command.count("--targets") > 0)
    for (const char* name : {"--methods", "--threads", "--explain", "--distance-tol", "--time-tol",
                             "--max-checks", "--no-zero-toi", "--device"})
      if (command.count(name) > 0)
        throw UsageError(fmt::format("{} is not used with --targets", name));
  if (suite.reads(Input::queries) && command.count("PATH") > 0)
    for (const char* name : {"--count", "--seed"})
      if (command.count(name) > 0)
        throw UsageError(fmt::format("{} is for generated queries; PATH names query files", name));
}

// Writes the page to which the report links its worst queries.
void write_worst_queries(const fs::path& page, const std::vector<bench::ShownFailure>& failures,
                         const Options& options) {
  std::vector<ShownQuery> shown;
  for (const auto& [method, set, kind, file, failure, coordinates] : failures) {
    if (coordinates.empty()) continue;
    const std::string id = bench::query_id(set, kind, failure.index);
    if (std::ranges::find(shown, id, &ShownQuery::id) == shown.end())
      shown.push_back({id, fmt::format("Query {} of {} {}", failure.index, set, name(kind)), kind,
                       coordinates});
  }
  if (!shown.empty()) write_query_page(page.string(), shown, options);
}

void create_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw io::FileError(folder.string(), "cannot be created: " + error.message());
}

void run(const CLI::App& command, Arguments arguments) {
  using Json = nlohmann::ordered_json;
  if (arguments.papers) arguments.suite = "papers";
  if (arguments.suite == "papers" && arguments.out.empty()) arguments.out = "graze-papers";
  const bench::Suite* suite = bench::find_suite(arguments.suite);
  if (!suite)
    throw UsageError(fmt::format("--suite: no suite has the name '{}'; see graze bench --help",
                                 arguments.suite));
  refuse_unread(command, *suite);
  auto& request = arguments.request;
  request.methods = parse_methods(arguments.methods);
  for (const Method& method : methods())
    if (request.methods.empty() || std::ranges::count(request.methods, &method) > 0)
      check_options(request.options, method);
  request.seconds = arguments.seconds.value_or(suite->seconds);
  if (!(request.seconds > 0 && request.seconds < 1e6))
    throw UsageError("--budget must be in (0, 1e6) seconds");
  const fs::path folder = arguments.out;
  const fs::path page = arguments.out.empty() ? "graze-report.html" : folder / "report.html";
  const bool pages = suite->name == "narrow" && !request.paths.empty() && has_viewer();
  const fs::path queries = arguments.out.empty() ? "graze-queries.html" : folder / "queries.html";
  if (pages) request.query_page = queries.filename().string();
  if (arguments.out.empty())
    check_writable(page);
  else
    check_writable_folder(folder);
  if (!arguments.out.empty() && !arguments.fresh && suite->reads(Input::store))
    request.store = folder / "measured.jsonl";
  const bool has_device = suite->reads(Input::device);
  if (has_device)
    if (const std::vector<int> gpus = choose_gpus(arguments.device, request.device); !gpus.empty())
      request.gpu = gpus[0];

  std::optional<bench::Result> result;
  {
    ProgressBar bar("reading");
    result.emplace(suite->run(request, std::ref(bar)));
  }
  Json json = json_of(*result);
  if (has_device) {
    json["device"] = request.device.name;
    json["device_reason"] = request.device.reason.empty() ? Json() : Json(request.device.reason);
  }
  json["report"] = page.string();
  {
    const Uninterrupted guard;
    if (!arguments.out.empty()) {
      create_folder(folder);
      io::write_file(folder / "results.json",
                     json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
    }
    io::write_file(page, result->report.html());
    if (pages) write_worst_queries(queries, result->failures, request.options);
  }
  if (arguments.json) {
    print(json);
    return;
  }
  for (const auto& table : result->tables) print(table), fmt::print("\n");
  if (result->recalled > 0)
    fmt::print("{} rows were measured by an earlier run ({}); --fresh measures them again\n",
               result->recalled, request.store.string());
  if (has_device && arguments.device.tries_gpu()) fmt::print("{}\n", request.device.line());
  fmt::print("wrote {}\n", page.string());
}

// Adds the options of the benchmark to the application.
void add_benchmark(CLI::App& command) {
  const auto arguments = std::make_shared<Arguments>();
  auto& request = arguments->request;
  command.add_option("PATH", request.paths,
                     "narrow: query files or folders of them [generated queries]; other suites: "
                     "the folder of real data [the folder that GRAZE_DATA names]");
  add_kind(command, request.kind);
  command
      .add_option("--methods", arguments->methods,
                  "names separated by commas, or all; papers: of the tables of queries alone, its "
                  "simulations and the suites of single papers have methods of their own")
      ->capture_default_str();
  command.add_option("--suite", arguments->suite, "what to measure; one of the names under Suites")
      ->capture_default_str();
  command
      .add_flag("--papers", arguments->papers,
                "the suite papers: the tables and figures of the papers, into ./graze-papers")
      ->excludes("--suite");
  command.add_option("--out", arguments->out,
                     "folder for report.html and results.json; narrow and papers also keep "
                     "measured.jsonl, from which the next run continues [./graze-report.html]");
  command.add_flag("--fresh", arguments->fresh, "measure everything again; keep no measured.jsonl");
  command.add_option("--budget", arguments->seconds,
                     "seconds for each method on each set [0.2; papers: 4; edges: 3]");
  add_whole_number(command, "--count", request.count, 1, 1'000'000'000,
                   "number of generated queries, triangles, shots or edges [by suite]");
  add_seed(command, request.seed);
  add_device(command, arguments->device);
  command.add_flag("--explain", request.explain, "also measure each stage of exact (suite exact)");
  command.add_flag("--targets", request.targets,
                   "measure the SIMD kernels with each instruction set, and nothing else (suites "
                   "exact and step)");
  add_threads(command, request.threads);
  add_json(command, arguments->json);
  add_solver_options(command, request.options);
  command.footer(
      "\nMethods are timed on one thread; --threads is for the ground truth. A suite refuses "
      "options\n"
      "that it does not use. With a GPU the suites narrow and step also measure the exact method "
      "on it\n"
      "and compare its answers.\n"
      "\nExit codes: 0 measured, 2 bad input or bad usage, 130 interrupted.\n"
      "\nSuites:" +
      suite_list() +
      "\n\nExamples:\n"
      "  graze bench\n"
      "  graze bench queries --methods tight_inclusion,oracle --out results\n"
      "  graze bench cloth.npy --kind edge-edge --json\n"
      "  graze bench --suite exact --explain\n"
      "  graze bench --suite step --targets\n"
      "  graze bench --papers");
  command.callback([arguments, &command] { run(command, *arguments); });
}

}  // namespace
}  // namespace graze::command

int main(int argc, char** argv) {
  using namespace graze::command;
  return run_program("graze bench", [&] {
    CLI::App app("Measures the time and the errors of the methods and writes a report",
                 "graze bench");
    add_version(app, "graze");
    add_benchmark(app);
    return parse(app, argc, argv);
  });
}
