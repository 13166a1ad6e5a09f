#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "bench/answer.h"
#include "command.h"
#include "graze/io/impact_csv.h"
#include "interrupt.h"
#include "query_page.h"
#include "terminal.h"

namespace graze::command {
namespace {

struct Arguments {
  std::vector<std::string> files;
  std::optional<bench::Kind> kind;
  std::string method = std::string(default_method().name), out, html;
  std::optional<std::size_t> show;
  Options options;
  int threads = 0;
  bool json = false;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void print_json(const Arguments& arguments, const std::vector<Impact>& impacts, double load,
                double solve) {
  using Json = nlohmann::ordered_json;
  const auto summary = bench::summarize(impacts);
  Json json = {{"method", arguments.method}, {"queries", impacts.size()}};
  for (const Verdict verdict :
       {Verdict::separated, Verdict::contact, Verdict::undecided, Verdict::invalid})
    json[name(verdict)] = summary.verdicts[static_cast<std::size_t>(verdict)];
  json["earliest"] = nullptr;
  if (summary.earliest)
    json["earliest"] = {{"index", *summary.earliest},
                        {"toi", impacts[*summary.earliest].toi},
                        {"toi_hi", impacts[*summary.earliest].toi_hi}};
  json["seconds"] = {{"load", load}, {"solve", solve}};
  if (!arguments.out.empty()) json["out"] = arguments.out;
  print(json);
}

void print_summary(const Arguments& arguments, const Method& method,
                   const std::vector<Impact>& impacts, double solve) {
  const auto summary = bench::summarize(impacts);
  fmt::print("{} queries by {} ({}) in {}\n", io::format_count(impacts.size()), method.name,
             name(method.guarantee), io::format_nanoseconds(solve * 1e9));
  for (const Verdict verdict :
       {Verdict::contact, Verdict::separated, Verdict::undecided, Verdict::invalid})
    if (const auto count = summary.verdicts[static_cast<std::size_t>(verdict)]; count > 0)
      fmt::print("  {:<9}  {:>12}\n", name(verdict), io::format_count(count));
  if (summary.earliest)
    fmt::print("earliest toi {} at query {}\n", impacts[*summary.earliest].toi, *summary.earliest);
  if (!arguments.out.empty()) fmt::print("wrote {}\n", arguments.out);
}

// The page of one query, numbered through all files.
void show(const Arguments& arguments) {
  if (!arguments.show || arguments.html.empty())
    throw UsageError("--show INDEX and --html FILE belong together");
  check_page(arguments.html);
  check_options(arguments.options, require_method("oracle"));
  std::size_t index = *arguments.show;
  for (const auto& file : arguments.files) {
    const auto kind = bench::kind_of(file, arguments.kind);
    const io::QuerySet queries = io::read_queries(file);
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
  throw UsageError(fmt::format("--show {}: there are fewer queries", *arguments.show));
}

void run(const Arguments& arguments) {
  if (arguments.show || !arguments.html.empty()) return show(arguments);
  const Method& method = require_method(arguments.method);
  check_options(arguments.options, method);
  if (!arguments.out.empty()) check_writable(arguments.out);

  std::vector<bench::NamedSet> sets;
  std::vector<Impact> impacts;
  double load = 0, solve = 0;
  {
    const auto start = std::chrono::steady_clock::now();
    ProgressBar bar("reading");
    for (const auto& file : arguments.files) {
      const auto kind = bench::kind_of(file, arguments.kind);
      check_primitive(method, kind);
      sets.push_back({file, "", kind, io::read_queries(file)});
    }
    load = seconds_since(start);
    impacts = bench::answer(method, sets, arguments.options, arguments.threads, std::ref(bar));
    solve = seconds_since(start) - load;
  }

  if (!arguments.out.empty()) {
    const ProgressBar bar("writing " + arguments.out);
    const Uninterrupted guard;
    io::write_impacts(arguments.out, impacts);
  }
  if (arguments.json)
    print_json(arguments, impacts, load, solve);
  else
    print_summary(arguments, method, impacts, solve);
}

}  // namespace

void add_query(CLI::App& app) {
  auto& command = *app.add_subcommand("query", "Answer the queries of files");
  const auto arguments = std::make_shared<Arguments>();
  command.add_option("FILE", arguments->files, ".csv or .npy query files; numbered through")
      ->required();
  add_kind(command, arguments->kind);
  command.add_option("--method", arguments->method, "see graze methods")->capture_default_str();
  command.add_option("--out", arguments->out,
                     "write every answer: index,verdict,toi,toi_hi,u,v,checks");
  command.add_option("--show", arguments->show,
                     "show the query of this index and what every method says of it (--html)");
  command.add_option("--html", arguments->html, "the page to write (--show)");
  add_threads(command, arguments->threads);
  add_json(command, arguments->json);
  add_solver_options(command, arguments->options);
  command.footer(
      "\nExamples:\n"
      "  graze query vertex-face.csv\n"
      "  graze query cloth.npy --kind edge-edge --method oracle --out answers.csv\n"
      "  graze query vertex-face.csv --show 17 --html query.html");
  command.callback([arguments] { run(*arguments); });
}

}  // namespace graze::command
