#include <fmt/format.h>

#include <chrono>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands/query.h"
#include "graze/io/queries/impact_csv.h"
#include "scenes/query_proof.h"
#include "terminal/interrupt.h"
#include "terminal/json_values.h"
#include "terminal/query_page.h"
#include "terminal/terminal.h"

namespace graze::command {
namespace {

constexpr std::uint64_t most_queries = std::numeric_limits<std::uint64_t>::max();
constexpr const char* query_files = "query files, .csv or .npy; numbering continues across files";

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::size_t count_of(const queries::Summary& summary, Verdict verdict) {
  return summary.verdicts[static_cast<std::size_t>(verdict)];
}

void print_json(const QueryArguments& arguments, const Method& method,
                const queries::Summary& summary, const UsedDevice& used, double load,
                double solve) {
  Json json = {{"method", method.name}, {"queries", summary.size()}};
  for (const Verdict verdict :
       {Verdict::separated, Verdict::contact, Verdict::undecided, Verdict::invalid})
    json[name(verdict)] = count_of(summary, verdict);
  json["earliest"] = nullptr;
  if (summary.earliest)
    json["earliest"] = {
        {"index", *summary.earliest}, {"toi", summary.toi}, {"toi_hi", summary.toi_hi}};
  json["device"] = used.name;
  json["device_reason"] = used.reason.empty() ? Json() : Json(used.reason);
  json["seconds"] = {{"load", load}, {"solve", solve}};
  if (!arguments.out.empty()) json["out"] = arguments.out;
  print(json);
}

void print_text(const QueryArguments& arguments, const Method& method,
                const queries::Summary& summary, double solve) {
  fmt::print("{} queries by {} ({}) in {}\n", report::format_count(summary.size()), method.name,
             name(method.guarantee), report::format_nanoseconds(solve * 1e9));
  for (const Verdict verdict :
       {Verdict::contact, Verdict::separated, Verdict::undecided, Verdict::invalid})
    if (const auto count = count_of(summary, verdict); count > 0)
      fmt::print("  {:<9}  {:>12}\n", name(verdict), report::format_count(count));
  if (summary.earliest) fmt::print("earliest toi {} at query {}\n", summary.toi, *summary.earliest);
  if (!arguments.out.empty()) fmt::print("wrote {}\n", arguments.out);
}

// Writes the page of one query. Queries are numbered through all files.
void show_query(const QueryArguments& arguments) {
  if (!arguments.show || arguments.html.empty())
    throw UsageError("--show and --html need each other");
  check_page(arguments.html);
  check_options(arguments.options, require_method("oracle"));
  std::size_t index = *arguments.show;
  for (const auto& file : arguments.files) {
    const auto kind = queries::kind_of(file, arguments.kind);
    const io::QuerySet queries = queries::read_queries(file, kind);
    if (index >= queries.size()) {
      index -= queries.size();
      continue;
    }
    const auto coordinates = queries.coordinates().subspan(24 * index, 24);
    const std::string title =
        fmt::format("Query {} of {}", index, std::filesystem::path(file).filename().string());
    write_query_page(arguments.html,
                     {{"query", title, kind, {coordinates.begin(), coordinates.end()}}},
                     arguments.options);
    fmt::print("wrote {}\n", arguments.html);
    return;
  }
  throw UsageError(fmt::format("--show {}: the files contain fewer queries", *arguments.show));
}

}  // namespace

std::vector<queries::NamedSet> read_sets_of(const QueryArguments& arguments, const Method& method) {
  std::vector<queries::NamedSet> sets;
  for (const auto& file : arguments.files) {
    const auto kind = queries::kind_of(file, arguments.kind);
    check_primitive(method, kind);
    sets.push_back({file, "", kind, queries::read_queries(file, kind)});
  }
  return sets;
}

void print_query(const QueryArguments& arguments, const Method& method,
                 const queries::Summary& summary, const UsedDevice& used, double load,
                 double solve) {
  if (arguments.json) return print_json(arguments, method, summary, used, load, solve);
  print_text(arguments, method, summary, solve);
  if (arguments.device.tries_gpu()) fmt::print("{}\n", used.line());
}

void run_query(const QueryArguments& arguments) {
  if (arguments.show || !arguments.html.empty()) return show_query(arguments);
  const Method& method = chosen_method(arguments.method, arguments.options);
  check_options(arguments.options, method);
  if (!arguments.out.empty()) check_writable(arguments.out);
  if (!arguments.certificate.empty()) {
    if (arguments.options.min_separation > 0)
      throw UsageError("--certificate proves that queries do not touch; it takes no separation");
    check_writable(arguments.certificate);
  }

  std::vector<queries::NamedSet> sets;
  std::vector<Impact> impacts;
  UsedDevice used;
  double load = 0, solve = 0;
  {
    const auto start = std::chrono::steady_clock::now();
    ProgressBar bar("reading");
    sets = read_sets_of(arguments, method);
    load = seconds_since(start);
    const std::vector<int> gpus = choose_gpus(arguments.device, used);
    bool answered = false;
    if (!gpus.empty()) {
      auto answers =
          queries::answer_on_gpu(gpus[0], method, sets, arguments.options, arguments.threads);
      answered = bool(answers.outcome);
      if (answered)
        impacts = std::move(answers.impacts);
      else
        leave_gpu(arguments.device, answers.outcome.message, used);
    }
    if (!answered)
      impacts = queries::answer(method, sets, arguments.options, arguments.threads, std::ref(bar));
    solve = seconds_since(start) - load;
  }

  if (!arguments.out.empty()) {
    const ProgressBar bar("writing " + arguments.out);
    const Uninterrupted guard;
    io::write_impacts(arguments.out, impacts);
  }
  if (!arguments.certificate.empty())
    write_query_proofs(arguments.certificate, sets, arguments.options);
  print_query(arguments, method, queries::summarize(impacts), used, load, solve);
}

void add_query(CLI::App& app, const RunQuery& run) {
  auto& command = *app.add_subcommand("query", "Answer the queries of files");
  const auto arguments = std::make_shared<QueryArguments>();
  command.add_option("FILE", arguments->files, query_files)->required();
  add_kind(command, arguments->kind);
  add_method(command, arguments->method);
  add_device(command, arguments->device);
  command.add_option(
      "--out", arguments->out,
      "write every answer, as .csv or as a NumPy array of records (.npy); docs/contract.md lists "
      "the columns");
  command.add_option(
      "--certificate", arguments->certificate,
      "write a proof of every query that is separated: .json; graze verify checks it");
  add_whole_number(command, "--show", arguments->show, 0, most_queries,
                   "show the query of this index with the answers of all methods (needs --html)");
  command.add_option("--html", arguments->html, "write the page of --show to this file");
  add_threads(command, arguments->threads);
  add_json(command, arguments->json);
  add_solver_options(command, arguments->options);
  command.footer(
      "\nA file holds 8 points per query: 4 at t = 0, then 4 at t = 1. vertex-face: the vertex and "
      "the\n"
      "corners of the face. edge-edge: the ends of both edges. vertex-edge: the vertex, the ends "
      "of the\n"
      "edge, the last one twice. vertex-vertex: the first vertex, the second three times.\n"
      "\nExit codes: 0 answered, 2 bad input or bad usage, 130 interrupted.\n"
      "\nExamples:\n"
      "  graze query vertex-face.csv\n"
      "  graze query cloth.npy --kind edge-edge --method oracle --out answers.csv\n"
      "  graze query vertex-face.csv --show 17 --html query.html");
  command.callback([arguments, run, &command] {
    if (arguments->show)
      refuse_options(command,
                     {"--method", "--device", "--out", "--certificate", "--threads", "--json"},
                     "--show");
    run(*arguments);
  });
}

}  // namespace graze::command
