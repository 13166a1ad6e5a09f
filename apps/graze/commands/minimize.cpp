#include <fmt/format.h>

#include <limits>
#include <memory>
#include <utility>

#include "commands/command.h"
#include "graze/io/atomic_file.h"
#include "graze/io/queries/corpus_file.h"
#include "queries/shrink.h"
#include "terminal/interrupt.h"
#include "terminal/json_values.h"
#include "terminal/terminal.h"

namespace graze::command {
namespace {

namespace fs = std::filesystem;

struct MinimizeArguments {
  std::string file, method, judge = "exact", out;
  std::optional<Kind> kind;
  std::optional<std::size_t> index;
  Options options;
  queries::MinimizeLimits limits;
  int threads = 0;
  bool json = false;
};

// A query that a method answers wrongly, simplified.
template <class Query>
struct WrongAnswer {
  std::size_t index;  // of the query before it was simplified
  queries::Shrunk<Query> shrunk;
  std::string entry;  // of the corpus
};

Json json_of(const Impact& impact) {
  return {{"verdict", name(impact.verdict)},
          {"toi", json_number(impact.toi)},
          {"toi_hi", json_number(impact.toi_hi)}};
}

template <class Query>
Json json_of(const MinimizeArguments& arguments, const queries::Dispute& dispute,
             std::size_t queries, const std::optional<WrongAnswer<Query>>& found) {
  Json json = {{"method", dispute.method.name},
               {"against", dispute.judge.name},
               {"queries", queries},
               {"index", nullptr},
               {"fault", nullptr},
               {"kind", nullptr},
               {"answer", nullptr},
               {"truth", nullptr},
               {"coordinates", nullptr},
               {"tries", nullptr},
               {"finished", nullptr},
               {"out", nullptr}};
  if (!found) return json;
  const auto& [minimal, fault, answer, truth] = found->shrunk;
  json["index"] = found->index;
  json["fault"] = name(fault);
  json["kind"] = name(kind_of<Query>);
  json["answer"] = json_of(answer);
  json["truth"] = json_of(truth);
  std::vector<double> coordinates;
  for (const auto* corners : {&minimal.query.start, &minimal.query.end})
    for (const Vec3& corner : *corners)
      coordinates.insert(coordinates.end(), corner.begin(), corner.end());
  json["coordinates"] = coordinates;
  json["tries"] = minimal.tries;
  json["finished"] = minimal.finished;
  if (!arguments.out.empty()) json["out"] = arguments.out;
  return json;
}

template <class Query>
void run(const MinimizeArguments& arguments, std::span<const Query> queries) {
  const queries::Dispute dispute{require_method(arguments.method), require_method(arguments.judge),
                                 arguments.options};
  for (const Method* side : {&dispute.method, &dispute.judge}) {
    check_options(arguments.options, *side);
    check_primitive(*side, std::is_same_v<Query, VertexFace> ? Kind::vertex_face : Kind::edge_edge);
  }
  if (dispute.judge.guarantee != Guarantee::exact)
    throw UsageError(fmt::format("--against needs an exact method; {} is {}", dispute.judge.name,
                                 name(dispute.judge.guarantee)));
  std::size_t first = 0;
  if (arguments.index) {
    if (*arguments.index >= queries.size())
      throw UsageError(fmt::format("--index {}: {} contains {} queries, numbered from 0",
                                   *arguments.index, arguments.file, queries.size()));
    first = *arguments.index;
    queries = queries.subspan(first, 1);
  }

  std::optional<WrongAnswer<Query>> found;
  {
    const ProgressBar bar("comparing, then minimizing");
    std::vector<Impact> answers(queries.size()), truth(queries.size());
    first_contact(queries, answers, arguments.options, {.threads = arguments.threads},
                  dispute.method);
    first_contact(queries, truth, arguments.options, {.threads = arguments.threads}, dispute.judge);
    const auto worst = worst_failures(answers, truth, dispute.method.guarantee,
                                      arguments.options.t_max, 1, queries::Fault::invalid);
    if (!worst.empty()) {
      const std::size_t index = first + worst[0].index;
      auto shrunk = shrink(queries[worst[0].index], dispute, arguments.limits);
      auto entry = fmt::format("# From query {} of {}, in {} tries{}.\n{}", index,
                               fs::path(arguments.file).filename().string(), shrunk.minimal.tries,
                               shrunk.minimal.finished ? "" : " (ended by --budget)",
                               corpus_entry(shrunk, dispute));
      found = {index, std::move(shrunk), std::move(entry)};
    }
  }
  const bool writes = found && !arguments.out.empty();
  if (writes) {
    const Uninterrupted guard;
    io::write_file(arguments.out, found->entry);
  }
  if (arguments.json) {
    print(json_of(arguments, dispute, queries.size(), found));
  } else if (!found) {
    fmt::print("{} agrees with {} on {} of {}\n", dispute.method.name, dispute.judge.name,
               arguments.index ? fmt::format("query {}", first)
                               : fmt::format("all {} queries", queries.size()),
               arguments.file);
  } else if (writes) {
    fmt::print("wrote {}\n", arguments.out);
  } else {
    fmt::print("{}", found->entry);
  }
}

void run(const MinimizeArguments& arguments, const CLI::App& command) {
  if (!(arguments.limits.seconds > 0 && arguments.limits.seconds < 1e6))
    throw UsageError("--budget must be in (0, 1e6) seconds");
  if (!arguments.out.empty()) check_writable(arguments.out);
  const fs::path file = arguments.file;
  if (file.extension() == ".txt") {
    refuse_options(command, {"--kind", "--index"}, "an entry of the corpus");
    const auto entry = io::read_corpus_entry(file);
    std::visit([&]<class Query>(const Query& query) { run(arguments, std::span(&query, 1)); },
               entry.query);
    return;
  }
  const Kind kind = queries::kind_of(file, arguments.kind);
  if (kind != Kind::vertex_face && kind != Kind::edge_edge)
    throw UsageError(
        fmt::format("minimize takes vertex-face and edge-edge queries, not {}", name(kind)));
  queries::visit(kind, io::read_queries(file), [&](auto queries) { run(arguments, queries); });
}

}  // namespace

void add_minimize(CLI::App& app) {
  auto& command = *app.add_subcommand(
      "minimize",
      "Find the simplest query that a method answers wrongly; print it as a corpus entry");
  const auto arguments = std::make_shared<MinimizeArguments>();
  command.add_option("FILE", arguments->file, "queries (.csv, .npy) or a corpus entry (.txt)")
      ->required();
  command.add_option("--method", arguments->method, "the method to test")->required();
  command.add_option("--against", arguments->judge, "the exact method that gives the truth")
      ->capture_default_str();
  add_kind(command, arguments->kind);
  add_whole_number(command, "--index", arguments->index, 0,
                   std::numeric_limits<std::uint64_t>::max(),
                   "the query to simplify [the one with the worst answer]");
  command.add_option("--out", arguments->out, "file for the entry [standard output]");
  command.add_option("--budget", arguments->limits.seconds, "seconds for the search")
      ->capture_default_str();
  add_threads(command, arguments->threads);
  add_json(command, arguments->json);
  add_solver_options(command, arguments->options);
  command.footer(
      "\nFaults from the worst: a missed contact (the earlier the worse), a late time, a false "
      "alarm,\n"
      "inexact times of an exact method, undecided. The simplified query shows the same fault.\n"
      "\nExamples:\n"
      "  graze minimize cloth-edge-edge.csv --method cardano_edge\n"
      "  graze minimize cloth.npy --kind edge-edge --method tight_inclusion --against oracle");
  command.callback([arguments, &command] { run(*arguments, command); });
}

}  // namespace graze::command
