#include "bench/suites/papers/paper_report.h"

#include <fmt/format.h>

#include <cmath>

#include "bench/harness/failure_report.h"
#include "bench/suites/narrow/narrow_suite.h"
#include "terminal/machine.h"

namespace graze::bench {
namespace {

using Json = nlohmann::ordered_json;

report::Table parts_table(const PaperSets& sets) {
  report::Table table{"Origin of the queries",
                      {{"set", false}, {"source", false}, {"kind", false}, {"used"}, {"of"}},
                      {}};
  for (const PaperPart& part : sets.parts)
    table.rows.push_back({{part.set},
                          {part.source},
                          {name(part.kind)},
                          {report::format_count(part.used)},
                          {report::format_count(part.of)}});
  return table;
}

Json varied(const std::vector<VariedRow>& rows, const char* option) {
  std::vector<Row> plain;
  for (const auto& [value, row] : rows) plain.push_back(row);
  Json json = to_json(plain);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    json[i][option] = rows[i].value;
    json[i]["set_queries"] = rows[i].row.set_size;
  }
  return json;
}

Json json_of(const PaperSets& sets, const PaperMeasurements& all) {
  Json budgets = Json::array();
  for (const auto& budget : all.budgets) {
    budgets.push_back(to_json({budget.row})[0]);
    budgets.back()["max_checks"] = budget.max_checks;
    budgets.back()["reached_tol"] =
        std::isnan(budget.reached_tol) ? Json() : Json(budget.reached_tol);
  }
  Json shares = Json::array(), parts = Json::array();
  for (const auto& share : all.shares)
    shares.push_back({{"set", share.set},
                      {"pairs", share.pairs},
                      {"degenerate", share.degenerate},
                      {"zero_a", share.zero_a}});
  for (const PaperPart& part : sets.parts)
    parts.push_back({{"set", part.set},
                     {"source", part.source},
                     {"kind", name(part.kind)},
                     {"used", part.used},
                     {"of", part.of}});
  Json area = Json::array();
  for (const auto& row : all.area_inclusion.rows)
    area.push_back({{"time_tol", row.tolerance},
                    {"queries", all.area_inclusion.queries},
                    {"odd_hits", row.odd_hits},
                    {"even_hits", row.even_hits},
                    {"seconds", row.seconds},
                    {"false_negatives", row.false_negatives}});
  Json rows = to_json(all.table_1);
  for (std::size_t i = 0; i < all.table_1.size(); ++i) {
    rows[i]["set_queries"] = all.table_1[i].set_size;
    rows[i]["note"] = all.table_1[i].note;
  }
  return {{"rows", rows},
          {"wang_table_2", varied(all.table_2, "min_separation")},
          {"wang_figure_6", varied(all.tolerances, "distance_tol")},
          {"wang_figure_7", budgets},
          {"wang_figure_8", varied(all.separations, "min_separation")},
          {"huh_figure_1", area},
          {"huh_table_2", to_json(all.scenes)},
          {"huh_table_2_shares", shares},
          {"parts", parts}};
}

std::vector<Row> failing_rows(const PaperMeasurements& all) {
  std::vector<Row> rows = all.table_1;
  rows.insert(rows.end(), all.scenes.begin(), all.scenes.end());
  return rows;
}

std::vector<NamedSet> shown_sets(const PaperSets& sets) {
  std::vector<NamedSet> all = sets.wang;
  all.insert(all.end(), sets.huh.begin(), sets.huh.end());
  return all;
}

}  // namespace

report::Cell reached(const Row& row) {
  if (row.queries == row.set_size) return {report::format_count(row.queries)};
  return {fmt::format("{} of {}", report::format_count(row.queries),
                      report::format_count(row.set_size)),
          report::Tone::faint};
}

report::Cell wrong(std::size_t count, bool promised_none) {
  const report::Tone tone = count == 0      ? report::Tone::plain
                            : promised_none ? report::Tone::bad
                                            : report::Tone::alarm;
  return {report::format_count(count), tone};
}

report::Cell published_time(double us) {
  return {report::format_nanoseconds(1e3 * us), report::Tone::faint};
}

void add_paper_failures(const PaperSets& sets, const PaperMeasurements& all,
                        report::Report& report) {
  add_failures(report, failing_rows(all), shown_sets(sets));
}

Result paper_result(const PaperSets& sets, const PaperMeasurements& all, const Request& request) {
  Machine where = machine();
  report::Report report("The papers' tables and figures, measured again", describe(where));
  report.paragraph(
      "Every number comes from this run, except the columns called published, which are copied "
      "from the papers: other machines, other codes, other queries. Compare methods within one "
      "column. Every answer is compared with the exact oracle. A false positive is a contact "
      "reported where there is none; a false negative is a contact missed; late is a time after "
      "the true first contact; undecided (out of budget, with a safe time) is counted apart, where "
      "the papers count it as a positive.");
  report.paragraph(fmt::format(
      "One thread, processor time. Every method gets {} s for each set of Table 1, less for the "
      "rest. All sets are "
      "shuffled with seed {}; \"n of N\" means that the first n were all that fit in the time: a "
      "sample stopped by time, whose counts and times are its own. Nothing is extrapolated. Red: "
      "errors that the guarantee of the method rules out. Orange: errors of heuristic methods.",
      request.seconds, request.seed));
  if (all.recalled > 0)
    report.paragraph(
        fmt::format("{} results were measured in an earlier run of this program.", all.recalled));
  std::vector<report::Table> tables = {parts_table(sets)};
  if (!sets.missing.empty()) tables.insert(tables.begin(), missing_table(sets.missing));
  for (const report::Table& table : tables) report.table(table);
  add_wang(all, request, report, tables);
  add_huh(all, report, tables);
  return {.suite = "paper",
          .machine = std::move(where),
          .missing = sets.missing,
          .failures = shown_failures(failing_rows(all), shown_sets(sets)),
          .recalled = all.recalled,
          .measurements = json_of(sets, all),
          .tables = std::move(tables),
          .report = std::move(report)};
}

}  // namespace graze::bench
