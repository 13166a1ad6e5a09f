#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/suites/papers/paper_published.h"
#include "bench/suites/papers/paper_report.h"

// Tables 1 and 2 and Figures 1, 5, 6, 7 and 8 of [Wang 2021].
namespace graze::bench {
namespace {

struct SetName {
  const char* set;
  Kind kind;
  const char* published;
};
constexpr SetName set_names[] = {  // in the order of the published tables
    {"handcrafted", Kind::vertex_face, "21 thousand"},
    {"handcrafted", Kind::edge_edge, "34 thousand"},
    {"simulation", Kind::vertex_face, "18 million"},
    {"simulation", Kind::edge_edge, "41 million"}};

const published::WangMethod* find_published(const std::string& method) {
  for (const auto& row : published::wang_table_1)
    if (row.method == method) return &row;
  return nullptr;
}

// Shows errors in red where the guarantee of the method rules them out.
std::vector<report::Cell> error_cells(const Row& row) {
  const bool exact = row.guarantee == Guarantee::exact;
  const bool safe = row.guarantee != Guarantee::heuristic;
  const auto allowed = [&](std::size_t count) {
    return exact ? wrong(count, true) : report::Cell{report::format_count(count)};
  };
  return {allowed(row.counts.false_positives.value_or(0)), wrong(row.counts.false_negatives, safe),
          wrong(row.counts.late, safe), allowed(row.counts.undecided)};
}

void append(std::vector<report::Cell>& cells, const std::vector<report::Cell>& more) {
  cells.insert(cells.end(), more.begin(), more.end());
}

report::Table wang_table_1(const PaperMeasurements& all, std::size_t which) {
  const auto& [set, kind, size] = set_names[which];
  report::Table table{
      fmt::format("Table 1 of [Wang 2021]: {}, {} (published: {} queries)", set, name(kind), size),
      {{"method", false},
       {"guarantee", false},
       {"queries"},
       {"per query"},
       {"false +"},
       {"false -"},
       {"late"},
       {"undecided"},
       {"published as", false},
       {"publ. time"},
       {"publ. f+"},
       {"publ. f-"}},
      {}};
  for (const Row& row : all.table_1) {
    if (row.set != set || row.kind != kind) continue;
    const auto* paper = find_published(row.method);
    table.rows.push_back({{row.method},
                          {name(row.guarantee)},
                          reached(row),
                          {report::format_nanoseconds(row.ns_per_query)}});
    append(table.rows.back(), error_cells(row));
    if (!paper) continue;
    const auto& [us, false_positives, false_negatives] = paper->sets[which];
    auto& cells = table.rows.back();
    cells.push_back({std::string(paper->name), report::Tone::faint});
    cells.push_back(published_time(us));
    for (const int count : {false_positives, false_negatives})
      cells.push_back({report::format_count(std::uint64_t(count)), report::Tone::faint});
  }
  return table;
}

report::Table wang_table_2(const PaperMeasurements& all, std::size_t which) {
  const auto& [set, kind, size] = set_names[which];
  report::Table table{
      fmt::format("Table 2 of [Wang 2021]: minimum separation d, {}, {}", set, name(kind)),
      {{"d"},
       {"method", false},
       {"norm", false},
       {"queries"},
       {"within d"},
       {"per query"},
       {"false +"},
       {"false -"},
       {"late"},
       {"undecided"},
       {"published as", false},
       {"publ. time"},
       {"publ. f+"},
       {"publ. f-"}},
      {}};
  for (const auto& [separation, row] : all.table_2) {
    if (row.set != set || row.kind != kind) continue;
    const Method* method = find_method(row.method);
    const auto& counts = row.counts;
    const std::size_t within =
        counts.hits - counts.false_positives.value_or(0) + counts.false_negatives;
    table.rows.push_back({{fmt::format("{:.0e}", separation)},
                          {row.method},
                          {method ? name(method->norm) : ""},
                          reached(row),
                          {report::format_count(within)},
                          {report::format_nanoseconds(row.ns_per_query)}});
    append(table.rows.back(), error_cells(row));
    const bool ours = row.method == "tight_inclusion";
    if (!ours && row.method != "sextic_separation") continue;
    for (const auto& paper : published::wang_table_2[which])
      if (paper.separation == separation) {
        auto& cells = table.rows.back();
        const auto& column = ours ? paper.ours : paper.msrf;
        cells.push_back({ours ? "Ours" : "MSRF", report::Tone::faint});
        cells.push_back(published_time(column.us));
        cells.push_back({std::string(column.false_positives), report::Tone::faint});
        cells.push_back({std::string(column.false_negatives), report::Tone::faint});
      }
  }
  return table;
}

std::vector<std::string> method_names(const std::vector<Row>& rows) {
  std::vector<std::string> names;
  for (const Row& row : rows)
    if (std::find(names.begin(), names.end(), row.method) == names.end())
      names.push_back(row.method);
  return names;
}

// Time, and errors per thousand queries: the methods answered different numbers of queries.
std::vector<report::LogBars> wang_figure_1(const PaperMeasurements& all) {
  const std::vector<std::string> series = {"handcrafted", "simulation"};
  const auto labels = method_names(all.table_1);
  std::vector<report::LogBars> charts = {
      {"Average time per query", report::Unit::nanoseconds, series, labels, {}},
      {"False positives among the queries reached", report::Unit::percent, series, labels, {}},
      {"False negatives among the queries reached", report::Unit::percent, series, labels, {}}};
  for (auto& chart : charts)
    chart.values.assign(labels.size(), {published::unknown, published::unknown});
  for (std::size_t i = 0; i < labels.size(); ++i)
    for (std::size_t k = 0; k < series.size(); ++k) {
      double queries = 0, ns = 0, alarms = 0, missed = 0;
      for (const Row& row : all.table_1) {
        if (row.method != labels[i] || row.group != series[k] || row.queries == 0) continue;
        const auto n = static_cast<double>(row.queries);
        queries += n;
        ns += n * row.ns_per_query;
        alarms += static_cast<double>(row.counts.false_positives.value_or(0));
        missed += static_cast<double>(row.counts.false_negatives);
      }
      if (queries == 0) continue;
      charts[0].values[i][k] = ns / queries;
      charts[1].values[i][k] = 100 * alarms / queries;
      charts[2].values[i][k] = 100 * missed / queries;
    }
  return charts;
}

std::vector<report::HistogramPlot> wang_figure_5(const PaperMeasurements& all,
                                                 const std::string& group) {
  std::vector<report::HistogramPlot> plots;
  for (const auto& method : method_names(all.table_1)) {
    report::HistogramPlot plot{method, {"contacts", "misses"}, {{}, {}}};
    for (const Row& row : all.table_1)
      if (row.method == method && row.group == group) {
        plot.histograms[0].add(row.hit_times);
        plot.histograms[1].add(row.miss_times);
      }
    if (!plot.histograms[0].empty() || !plot.histograms[1].empty()) plots.push_back(plot);
  }
  return plots;
}

// Adds a point to the line with the name `series`. The x values come in the same order for every
// line.
void add_point(report::LogLines& plot, const std::string& series, double x, double y) {
  const auto line = std::find(plot.series.begin(), plot.series.end(), series);
  const auto k = static_cast<std::size_t>(line - plot.series.begin());
  if (line == plot.series.end()) {
    plot.series.push_back(series);
    plot.y.emplace_back(plot.x.size(), published::unknown);
  }
  auto place =
      static_cast<std::size_t>(std::find(plot.x.begin(), plot.x.end(), x) - plot.x.begin());
  if (place == plot.x.size()) {
    plot.x.push_back(x);
    for (auto& values : plot.y) values.push_back(published::unknown);
  }
  plot.y[k][place] = y;
}

std::vector<report::LogLines> wang_figures_6_and_7(const PaperMeasurements& all) {
  std::vector<report::LogLines> plots = {
      {"Figure 6: time against tolerance", "distance_tol", report::Unit::nanoseconds, {}, {}, {}},
      {"Figure 7: out of checks", "max_checks", report::Unit::percent, {}, {}, {}},
      {"Figure 7: tolerance reached then", "max_checks", report::Unit::length, {}, {}, {}}};
  for (const auto& [tolerance, row] : all.tolerances)
    add_point(plots[0], name(row.kind), tolerance, row.ns_per_query);
  for (const auto& [checks, row, reached_tol] : all.budgets) {
    if (checks == 0) continue;  // no limit: in the table alone
    const double share = row.queries > 0 ? 100 * static_cast<double>(row.counts.undecided) /
                                               static_cast<double>(row.queries)
                                         : published::unknown;
    add_point(plots[1], name(row.kind), checks, share);
    add_point(plots[2], name(row.kind), checks, reached_tol > 0 ? reached_tol : 1e-6);
  }
  return plots;
}

std::vector<report::LogLines> wang_figure_8(const PaperMeasurements& all) {
  std::vector<report::LogLines> plots;
  for (const Kind kind : {Kind::vertex_face, Kind::edge_edge}) {
    plots.push_back({fmt::format("Figure 8: time against separation, {}", name(kind)),
                     "min_separation",
                     report::Unit::nanoseconds,
                     {},
                     {},
                     {}});
    for (const auto& [separation, row] : all.separations)
      if (row.kind == kind) add_point(plots.back(), row.method, separation, row.ns_per_query);
  }
  return plots;
}

report::Table wang_figures_table(const PaperMeasurements& all) {
  report::Table table{"Figures 6 and 7 in numbers: tight_inclusion on simulation queries",
                      {{"option", false},
                       {"kind", false},
                       {"queries"},
                       {"per query"},
                       {"false +"},
                       {"false -"},
                       {"late"},
                       {"undecided"},
                       {"tolerance reached"}},
                      {}};
  const auto add = [&](const std::string& option, const Row& row, const std::string& tol) {
    table.rows.push_back({{option},
                          {name(row.kind)},
                          reached(row),
                          {report::format_nanoseconds(row.ns_per_query)},
                          {report::format_count(row.counts.false_positives.value_or(0))},
                          wrong(row.counts.false_negatives, true),
                          wrong(row.counts.late, true),
                          {report::format_count(row.counts.undecided)},
                          {tol}});
  };
  for (const auto& [tolerance, row] : all.tolerances)
    add(fmt::format("distance_tol {:.0e}", tolerance), row, "");
  for (const auto& [checks, row, tol] : all.budgets)
    add(checks > 0 ? fmt::format("max_checks {:.0e}", checks) : std::string("no limit on checks"),
        row, std::isnan(tol) ? "none" : fmt::format("{:.1e}", tol > 0 ? tol : 1e-6));
  return table;
}

}  // namespace

void add_wang(const PaperMeasurements& all, const Request& request, report::Report& report,
              std::vector<report::Table>& tables) {
  report.heading("[Wang 2021] Figure 1: time and errors");
  report.paragraph(
      "Shares, not counts, because slow methods reached fewer queries. A zero is written as such.");
  report.bars(wang_figure_1(all));
  report.heading("[Wang 2021] Table 1: nine methods, two primitives, two sets");
  report.paragraph(
      "publ.: the numbers of the paper, measured on a 2.35 GHz AMD EPYC 7452; a dash where our "
      "copy "
      "of the paper is illegible. Rows with _published read a method as the paper measured it; the "
      "same names without it are repaired here. "
      "sextic_separation runs with a separation of 1e-8, as MSRF did, and is compared with the "
      "truth "
      "of contact.");
  for (std::size_t which = 0; which < std::size(set_names); ++which) {
    tables.push_back(wang_table_1(all, which));
    report.table(tables.back());
  }
  for (const char* group : {"handcrafted", "simulation"}) {
    report.heading(fmt::format("[Wang 2021] Figure 5: time of single queries, {}", group));
    report.histograms(wang_figure_5(all, group));
  }
  report.heading("[Wang 2021] Figures 6, 7 and 8");
  report.paragraph(
      "tight_inclusion on simulation queries, and in Figure 8 every method that supports a "
      "separation. Each query that ran out of checks (at most 200 of them) has a least tolerance, "
      "among four per decade, with which it is decided within the checks. Tolerance reached is the "
      "largest of these.");
  report.lines(wang_figures_6_and_7(all));
  report.lines(wang_figure_8(all));
  report.folded("Figures 6 and 7 in numbers", {wang_figures_table(all)});
  report.heading("[Wang 2021] Table 2: minimum separation");
  report.paragraph(fmt::format(
      "The first {} queries of each shuffled set, each method against the exact truth of its own "
      "norm (oracle: L2, oracle_linf: Linf). The published errors of d > 0 are against the truth "
      "of contact, so that they grow with d.",
      separation_sample(request.seconds)));
  for (std::size_t which = 0; which < std::size(set_names); ++which) {
    tables.push_back(wang_table_2(all, which));
    report.table(tables.back());
  }
}

}  // namespace graze::bench
