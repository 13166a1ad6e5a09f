#include "bench/suites/exact/exact_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/suites/narrow/narrow_suite.h"

namespace graze::bench {
namespace {

using Json = nlohmann::ordered_json;
using report::Cell;
using report::Tone;

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

Json to_json(const Counts& counts) {
  return {{"hits", counts.hits},
          {"false_positives", counts.false_positives.value_or(0)},
          {"false_negatives", counts.false_negatives},
          {"undecided", counts.undecided},
          {"late", counts.late}};
}

Json to_json(const narrow::ExactTally& tally) {
  return {{"axis", tally.axis},
          {"diagonal", tally.diagonal},
          {"coplanarity", tally.coplanarity},
          {"root_miss", tally.root_miss},
          {"root_contact", tally.root_contact},
          {"integer", tally.integer},
          {"invalid", tally.invalid},
          {"rounded_by_integers", tally.rounded_by_integers}};
}

Json to_json(const StageResult& result) {
  return {{"stage", result.stage},
          {"set", result.set},
          {"kind", name(result.kind)},
          {"queries", result.queries},
          {"ns_per_query", number(result.ns)},
          {"answers", to_json(result.counts)}};
}

Json rows_of(const ExactMeasurements& all) {
  Json rows = to_json(all.rows);
  for (std::size_t i = 0; i < all.rows.size(); ++i) {
    rows[i]["set_queries"] = all.rows[i].set_size;
    rows[i]["ratio_to_exact"] = number(ratio_to_exact(all, all.rows[i]));
    rows[i]["note"] = all.rows[i].note;
  }
  return rows;
}

Json json_of(const ExactMeasurements& all) {
  Json json = {{"rows", rows_of(all)}};
  for (const char* key : {"streams", "integer_stage", "stages", "threads"})
    json[key] = Json::array();
  for (const auto& stream : all.streams) {
    json["streams"].push_back({{"set", stream.set},
                               {"kind", name(stream.kind)},
                               {"queries", stream.queries},
                               {"checked_queries", stream.checked},
                               {"plain_pass_ns_per_query", number(stream.plain_ns)},
                               {"ns_per_query", number(stream.exact_ns)},
                               {"answers", to_json(stream.counts)},
                               {"tally", to_json(stream.tally)}});
    if (std::isnan(stream.pairs_ns)) continue;
    json["streams"].back()["from_pairs"] = {{"ns_per_query", number(stream.pairs_ns)},
                                            {"built_ns_per_query", number(stream.built_ns)},
                                            {"answers", to_json(stream.pairs_counts)}};
  }
  for (const auto& result : all.integer_alone) json["integer_stage"].push_back(to_json(result));
  for (const auto& result : all.stages) json["stages"].push_back(to_json(result));
  for (const auto& result : all.threads)
    json["threads"].push_back({{"set", result.set},
                               {"kind", name(result.kind)},
                               {"queries", result.queries},
                               {"one_thread_ns_per_query", number(result.one_ns)},
                               {"two_threads_ns_per_query", number(result.two_ns)},
                               {"answers", to_json(result.counts)}});
  return json;
}

Cell time(double ns) {
  return std::isnan(ns) ? Cell{"-", Tone::faint} : Cell{report::format_nanoseconds(ns)};
}

Cell times(double ratio) {
  if (std::isnan(ratio)) return {"-", Tone::faint};
  return {fmt::format("{:.{}f}x", ratio, ratio < 10 ? 2 : 0)};
}

// "false + / false - / undecided / late"
Cell errors(const Counts& counts, Guarantee guarantee) {
  const std::size_t alarms = counts.false_positives.value_or(0);
  const bool breach = counts.false_negatives > 0 || counts.late > 0 ||
                      (guarantee == Guarantee::exact && alarms + counts.undecided > 0);
  return {fmt::format("{} / {} / {} / {}", alarms, counts.false_negatives, counts.undecided,
                      counts.late),
          breach ? Tone::bad : Tone::plain};
}
constexpr const char* errors_title = "f+ / f- / undecided / late";

Cell count(std::size_t value) {
  return {report::format_count(value)};
}

report::Table streams_table(const std::vector<StreamResult>& streams) {
  report::Table table{"exact, streamed from memory",
                      {{"set", false},
                       {"kind", false},
                       {"queries"},
                       {"plain pass"},
                       {"exact"},
                       {"ratio"},
                       {"from pairs"},
                       {"building queries"},
                       {"slower"},
                       {"checked"},
                       {"hits"},
                       {errors_title},
                       {"from pairs"}},
                      {}};
  for (const auto& stream : streams)
    table.rows.push_back({{stream.set},
                          {name(stream.kind)},
                          count(stream.queries),
                          time(stream.plain_ns),
                          time(stream.exact_ns),
                          times(stream.exact_ns / stream.plain_ns),
                          time(stream.pairs_ns),
                          time(stream.built_ns),
                          times(stream.built_ns / stream.pairs_ns),
                          count(stream.checked),
                          count(stream.counts.hits),
                          errors(stream.counts, Guarantee::exact),
                          std::isnan(stream.pairs_ns)
                              ? Cell{"-", Tone::faint}
                              : errors(stream.pairs_counts, Guarantee::exact)});
  return table;
}

report::Table methods_table(const ExactMeasurements& all) {
  report::Table table{"Every method",
                      {{"set", false},
                       {"kind", false},
                       {"method", false},
                       {"queries"},
                       {"per query"},
                       {"over exact"},
                       {"hits"},
                       {errors_title},
                       {"", false}},
                      {}};
  for (const Row& row : all.rows)
    table.rows.push_back({{row.set},
                          {name(row.kind)},
                          {row.method},
                          count(row.queries),
                          time(row.ns_per_query),
                          times(ratio_to_exact(all, row)),
                          count(row.counts.hits),
                          errors(row.counts, row.guarantee),
                          {row.note, Tone::faint}});
  return table;
}

report::Table stages_table(const char* caption, const std::vector<StageResult>& results) {
  report::Table table{caption,
                      {{"stage", false},
                       {"from", false},
                       {"kind", false},
                       {"queries"},
                       {"per query"},
                       {"hits"},
                       {errors_title}},
                      {}};
  for (const auto& result : results)
    table.rows.push_back({{result.stage},
                          {result.set},
                          {name(result.kind)},
                          count(result.queries),
                          time(result.ns),
                          count(result.counts.hits),
                          errors(result.counts, Guarantee::exact)});
  return table;
}

report::Table shares_table(const std::vector<StreamResult>& streams) {
  report::Table table{
      "Share of the queries that each stage decides (%)", {{"set", false}, {"kind", false}}, {}};
  for (const Stage& stage : exact_stages) table.columns.push_back({std::string(stage.name)});
  table.columns.push_back({"integers to round"});
  for (const auto& stream : streams) {
    const auto share = [&](std::uint64_t part) {
      const auto total = static_cast<double>(std::max<std::uint64_t>(stream.tally.total(), 1));
      return Cell{part == 0 ? "0" : fmt::format("{:.4f}", 100 * static_cast<double>(part) / total)};
    };
    table.rows.push_back({{stream.set}, {name(stream.kind)}});
    for (const Stage& stage : exact_stages)
      table.rows.back().push_back(share(stream.tally.*stage.count));
    table.rows.back().push_back(share(stream.tally.rounded_by_integers));
  }
  return table;
}

report::Table threads_table(const std::vector<ThreadsResult>& results) {
  report::Table table{"exact on two threads",
                      {{"set", false},
                       {"kind", false},
                       {"queries"},
                       {"one thread"},
                       {"two"},
                       {"speedup"},
                       {errors_title}},
                      {}};
  for (const auto& result : results)
    table.rows.push_back({{result.set},
                          {name(result.kind)},
                          count(result.queries),
                          time(result.one_ns),
                          time(result.two_ns),
                          times(result.one_ns / result.two_ns),
                          errors(result.counts, Guarantee::exact)});
  return table;
}

report::LogBars chart_of(const ExactMeasurements& all, const std::string& set) {
  report::LogBars chart{
      set, report::Unit::nanoseconds, {name(Kind::vertex_face), name(Kind::edge_edge)}, {}, {}};
  for (const Row& row : all.rows) {
    if (row.set != set) continue;
    auto place = std::find(chart.labels.begin(), chart.labels.end(), row.method);
    if (place == chart.labels.end()) {
      place = chart.labels.insert(place, row.method);
      chart.values.push_back(std::vector<double>(2, std::nan("")));
    }
    chart.values[static_cast<std::size_t>(place - chart.labels.begin())]
                [static_cast<std::size_t>(row.kind)] = row.ns_per_query;
  }
  return chart;
}

}  // namespace

Result result_of(const ExactMeasurements& all, const Request& request, const Machine& where) {
  const auto bars = bars_of(all);
  std::vector<report::Table> tables;
  if (!all.missing.empty()) tables.push_back(missing_table(all.missing));
  for (auto&& table : {bars_table(bars, where), streams_table(all.streams), methods_table(all),
                       threads_table(all.threads)})
    tables.push_back(table);
  if (!all.integer_alone.empty())
    tables.push_back(stages_table("Integer stage alone", all.integer_alone));
  if (request.explain) {
    tables.push_back(shares_table(all.streams));
    tables.push_back(stages_table("Cost of each stage, data in cache", all.stages));
  }

  report::Report report("The speed of exact", describe(where));
  report.paragraph(
      "One run, medians. One thread (but for the table of two) and its processor time. Scenes: all "
      "pairs whose swept boxes overlap, as queries in memory, streamed in blocks with one "
      "buffer for the impacts; the plain pass sums the doubles of the same queries; from pairs: "
      "the "
      "same answers from the indices of a mesh. Other methods answer a random sample, as large as "
      "their time allows. Answers are compared with the truth: that of the file for the verdict, "
      "the exact oracle for the time. f+: contacts that are none; f-: contacts missed; late: times "
      "after the first contact.");
  std::vector<report::LogBars> charts;
  for (const auto& stream : all.streams)
    if (charts.empty() || charts.back().title != stream.set)
      charts.push_back(chart_of(all, stream.set));
  report.heading("Time per query");
  report.bars(charts);
  report.heading("Results");
  for (const auto& table : tables) report.table(table);
  return {.suite = "exact",
          .machine = where,
          .bars = bars,
          .missing = all.missing,
          .measurements = json_of(all),
          .tables = std::move(tables),
          .report = std::move(report)};
}

}  // namespace graze::bench
