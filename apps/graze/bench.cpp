#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <sstream>

#include "bench/failure_report.h"
#include "bench/suite.h"
#include "command.h"
#include "graze/io/atomic_file.h"
#include "interrupt.h"
#include "query_page.h"
#include "terminal.h"

namespace graze::command {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct Arguments {
  bench::Request request;
  std::string suite = "narrow", methods = "all", out;
  std::optional<double> seconds;
  bool json = false, fresh = false, paper = false;
};

// None for "all": those that the suite can ask.
std::vector<const Method*> parse_methods(const std::string& list) {
  std::vector<const Method*> chosen;
  if (list == "all") return chosen;
  std::istringstream names(list);
  for (std::string name; std::getline(names, name, ',');) chosen.push_back(&require_method(name));
  if (chosen.empty()) throw UsageError("--methods names no method");
  return chosen;
}

std::string suite_list() {
  std::string text;
  for (const auto& suite : bench::suites())
    text += fmt::format("\n  {:<16} {}", suite.name, suite.description);
  return text;
}

// The page to which the report links its worst queries.
void write_worst_queries(const fs::path& page, const Json& failures, const Options& options) {
  std::vector<ShownQuery> shown;
  for (const Json& failure : failures) {
    if (failure["coordinates"].empty()) continue;
    const auto kind = bench::parse_kind(failure["kind"].get<std::string>()).value();
    const auto set = failure["set"].get<std::string>();
    const auto index = failure["index"].get<std::size_t>();
    const std::string id = bench::query_id(set, kind, index);
    if (std::ranges::find(shown, id, &ShownQuery::id) == shown.end())
      shown.push_back({id, fmt::format("Query {} of {} {}", index, set, name(kind)), kind,
                       failure["coordinates"].get<std::vector<double>>()});
  }
  if (!shown.empty()) write_query_page(page.string(), shown, options);
}

void run(Arguments arguments) {
  if (arguments.paper) arguments.suite = "paper";
  if (arguments.suite == "paper" && arguments.out.empty()) arguments.out = "graze-paper";
  const bench::Suite* suite = bench::find_suite(arguments.suite);
  if (!suite) throw UsageError(fmt::format("no suite is called '{}'", arguments.suite));
  auto& request = arguments.request;
  if (request.explain && !suite->explains)
    throw UsageError(fmt::format("the suite '{}' has nothing to explain", suite->name));
  request.methods = parse_methods(arguments.methods);
  for (const Method& method : methods())
    if (request.methods.empty() || std::ranges::count(request.methods, &method) > 0)
      check_options(request.options, method);
  request.seconds = arguments.seconds.value_or(suite->seconds);
  if (!(request.seconds > 0 && request.seconds < 1e6))
    throw UsageError("--budget must be above 0 and below 1e6 seconds");
  const fs::path folder = arguments.out;
  const fs::path page = arguments.out.empty() ? "graze-report.html" : folder / "report.html";
  const bool pages = suite->name == "narrow" && !request.paths.empty() && has_viewer();
  const fs::path queries = arguments.out.empty() ? "graze-queries.html" : folder / "queries.html";
  if (pages) request.query_page = queries.filename().string();
  if (arguments.out.empty()) check_writable(page);
  if (!arguments.out.empty() && fs::exists(folder) && !fs::is_directory(folder))
    throw io::FileError(arguments.out, "is not a folder");
  if (!arguments.out.empty() && !arguments.fresh) request.store = folder / "measured.jsonl";

  std::optional<bench::Result> result;
  {
    ProgressBar bar("reading");
    result.emplace(suite->run(request, std::ref(bar)));
  }
  result->json["report"] = page.string();
  {
    const Uninterrupted guard;
    if (!arguments.out.empty()) {
      std::error_code error;
      fs::create_directories(folder, error);
      if (error) throw io::FileError(arguments.out, error.message());
      io::write_file(folder / "results.json",
                     result->json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
    }
    io::write_file(page, result->report.html());
    if (pages) write_worst_queries(queries, result->json["failures"], request.options);
  }
  if (arguments.json) {
    print(result->json);
    return;
  }
  for (const auto& table : result->tables) print(table), fmt::print("\n");
  if (const auto recalled = result->json.value("recalled_rows", 0); recalled > 0)
    fmt::print("{} rows are from {}; --fresh measures them anew\n", recalled,
               request.store.string());
  fmt::print("wrote {}\n", page.string());
}

}  // namespace

void run_suite(const std::string& suite, std::optional<std::size_t> count, const std::string& out,
               bool json) {
  Arguments arguments;
  arguments.suite = suite;
  arguments.request.count = count;
  arguments.out = out;
  arguments.json = json;
  run(std::move(arguments));
}

void add_bench(CLI::App& app) {
  auto& command =
      *app.add_subcommand("bench", "Time the methods and count their errors; write a report");
  const auto arguments = std::make_shared<Arguments>();
  auto& request = arguments->request;
  command.add_option(
      "PATH", request.paths,
      "query files or folders of them; none: generated (exact, paper: the folder of real data)");
  add_kind(command, request.kind);
  command.add_option("--methods", arguments->methods, "names with commas between, or all")
      ->capture_default_str();
  command.add_option("--suite", arguments->suite, "the question to answer")->capture_default_str();
  command
      .add_flag("--paper", arguments->paper,
                "the suite paper: tables and figures of the papers, into ./graze-paper (--out)")
      ->excludes("--suite");
  command.add_option("--out", arguments->out,
                     "folder for report.html, results.json and measured.jsonl, from which the next "
                     "run goes on; none: ./graze-report.html");
  command.add_flag("--fresh", arguments->fresh, "measure all anew and keep nothing for later runs");
  command.add_option("--budget", arguments->seconds,
                     "seconds for each method on each set [0.2; paper: 4]");
  command.add_option("--count", request.count, "generated queries (narrow: per degenerate family)");
  command.add_option("--seed", request.seed, "of the generated queries")->capture_default_str();
  command.add_flag("--explain", request.explain, "what each stage settles and costs (exact)");
  add_threads(command, request.threads);
  add_json(command, arguments->json);
  add_solver_options(command, request.options);
  command.footer(
      "\nMethods are timed on one thread; --threads is for the ground truth.\n"
      "\nSuites:" +
      suite_list() +
      "\n\nExamples:\n"
      "  graze bench\n"
      "  graze bench queries --methods tight_inclusion,oracle --out results\n"
      "  graze bench cloth.npy --kind edge-edge --json\n"
      "  graze bench --suite exact --explain\n"
      "  graze bench --paper");
  command.callback([arguments] { run(*arguments); });
}

}  // namespace graze::command
