#include "bench/suites/narrow/narrow_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

#include "bench/harness/failure_report.h"
#include "bench/harness/result_store.h"
#include "bench/suites/papers/simulated_sets.h"
#include "terminal/machine.h"

namespace graze::bench {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

Json to_json(const report::LogHistogram& histogram) {
  Json bins = Json::array();
  for (std::size_t bin = 0; bin < histogram.counts.size(); ++bin)
    if (histogram.counts[bin] > 0)
      bins.push_back({{"from_ns", report::LogHistogram::lower_edge(bin)},
                      {"to_ns", report::LogHistogram::lower_edge(bin + 1)},
                      {"count", histogram.counts[bin]}});
  return bins;
}

Json details_of(const std::vector<Row>& rows) {
  Json details = Json::array();
  for (const Row& row : rows)
    details.push_back({{"method", row.method},
                       {"set", row.set},
                       {"kind", name(row.kind)},
                       {"set_queries", row.set_size},
                       {"repeats", row.repeats},
                       {"note", row.note},
                       {"hit_times", to_json(row.hit_times)},
                       {"miss_times", to_json(row.miss_times)}});
  return details;
}

Json timing(const Request& request) {
  return {{"ns_per_query", "median processor time over repeats of the whole batch, one thread"},
          {"percentile_unit",
           "one query per call, one thread, least of up to 3 passes, clock overhead subtracted"},
          {"clock_overhead_ns", clock_overhead_ns()},
          {"seconds_per_method_and_set", request.seconds}};
}

Json to_json(const Options& options) {
  return {{"t_max", options.t_max},
          {"distance_tol", options.distance_tol},
          {"time_tol", options.time_tol},
          {"max_checks", options.max_checks},
          {"min_separation", options.min_separation},
          {"no_zero_toi", options.no_zero_toi}};
}

std::vector<std::string> values_of(const std::vector<Row>& rows, std::string Row::*field) {
  std::vector<std::string> values;
  for (const Row& row : rows)
    if (std::find(values.begin(), values.end(), row.*field) == values.end())
      values.push_back(row.*field);
  return values;
}

// Highlights wrong answers: misses and late times, and false alarms of exact methods.
std::vector<report::Cell> cells_of(const Row& row) {
  using report::Tone;
  const auto wrong = [](std::size_t count, Tone tone) {
    return report::Cell{report::format_count(count), count > 0 ? tone : Tone::plain};
  };
  const Tone alarm = row.guarantee == Guarantee::exact ? Tone::bad : Tone::plain;
  const auto time = [](double ns) { return report::Cell{report::format_nanoseconds(ns)}; };
  const auto& counts = row.counts;
  const std::string queries = row.queries < row.set_size
                                  ? fmt::format("{} of {}", report::format_count(row.queries),
                                                report::format_count(row.set_size))
                                  : report::format_count(row.queries);
  return {{row.method},
          {row.set},
          {name(row.kind)},
          {queries, row.queries < row.set_size ? Tone::faint : Tone::plain},
          {report::format_count(counts.hits)},
          counts.false_positives ? wrong(*counts.false_positives, alarm)
                                 : report::Cell{"unknown", Tone::faint},
          wrong(counts.false_negatives, Tone::bad),
          wrong(counts.undecided, Tone::faint),
          wrong(counts.late, Tone::bad),
          time(row.ns_per_query),
          time(row.p50_ns),
          time(row.p99_ns),
          time(row.max_ns)};
}

// Returns one row per method, kind and group. Its time is the mean over the sets, weighted by their
// sizes; the time of a part of a set counts for the whole set. Percentiles are NaN.
std::vector<Row> totals(const std::vector<Row>& rows) {
  std::vector<Row> sums;
  for (const Row& row : rows) {
    auto sum = std::find_if(sums.begin(), sums.end(), [&](const Row& other) {
      return other.method == row.method && other.group == row.group && other.kind == row.kind;
    });
    if (sum == sums.end()) {
      sum = sums.insert(sums.end(), Row{});
      sum->method = row.method;
      sum->guarantee = row.guarantee;
      sum->set = sum->group = row.group;
      sum->kind = row.kind;
      sum->counts.false_positives = 0;
      sum->ns_per_query = sum->max_ns = 0;
      sum->p50_ns = sum->p99_ns = std::numeric_limits<double>::quiet_NaN();
    }
    if (row.queries == 0) continue;
    const auto weight = [](const Row& r) { return static_cast<double>(r.set_size); };
    sum->ns_per_query = (sum->ns_per_query * weight(*sum) + row.ns_per_query * weight(row)) /
                        (weight(*sum) + weight(row));
    sum->max_ns = std::max(sum->max_ns, row.max_ns);
    sum->queries += row.queries;
    sum->set_size += row.set_size;
    sum->counts.hits += row.counts.hits;
    if (row.counts.false_positives && sum->counts.false_positives)
      *sum->counts.false_positives += *row.counts.false_positives;
    else
      sum->counts.false_positives.reset();
    sum->counts.false_negatives += row.counts.false_negatives;
    sum->counts.undecided += row.counts.undecided;
    sum->counts.late += row.counts.late;
    sum->hit_times.add(row.hit_times);
    sum->miss_times.add(row.miss_times);
  }
  const auto groups = values_of(rows, &Row::group);
  const auto order = [&](const Row& row) {
    return std::pair(std::find(groups.begin(), groups.end(), row.group), row.kind);
  };
  std::stable_sort(sums.begin(), sums.end(),
                   [&](const Row& a, const Row& b) { return order(a) < order(b); });
  return sums;
}

report::Table without_percentiles(report::Table table) {
  const auto drop = [](auto& line) { line.erase(line.begin() + 10, line.begin() + 12); };
  drop(table.columns);
  for (auto& row : table.rows) drop(row);
  return table;
}

// Time, false positives and false negatives per method: Figure 1 of [Wang 2021].
std::vector<report::LogBars> overview(const std::vector<Row>& sums, const std::string& group) {
  std::vector<std::string> kinds;  // those of the rows
  std::array<std::size_t, kind_count> series{};
  for (std::size_t i = 0; i < kind_count; ++i) {
    const auto has_kind = [&](const Row& row) { return row.kind == Kind(i); };
    if (std::none_of(sums.begin(), sums.end(), has_kind)) continue;
    series[i] = kinds.size();
    kinds.emplace_back(name(Kind(i)));
  }
  std::vector<report::LogBars> charts = {
      {"Average time per query",
       report::Unit::nanoseconds,
       kinds,
       values_of(sums, &Row::method),
       {}},
      {"False positives", report::Unit::count, kinds, values_of(sums, &Row::method), {}},
      {"False negatives", report::Unit::count, kinds, values_of(sums, &Row::method), {}}};
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  for (auto& chart : charts)
    chart.values.assign(chart.labels.size(), std::vector<double>(kinds.size(), unknown));
  for (const Row& row : sums) {
    if (row.group != group || row.queries == 0) continue;
    const auto& labels = charts[0].labels;
    const auto place = static_cast<std::size_t>(
        std::find(labels.begin(), labels.end(), row.method) - labels.begin());
    const std::size_t kind = series[static_cast<std::size_t>(row.kind)];
    charts[0].values[place][kind] = row.ns_per_query;
    if (row.counts.false_positives)
      charts[1].values[place][kind] = static_cast<double>(*row.counts.false_positives);
    charts[2].values[place][kind] = static_cast<double>(row.counts.false_negatives);
  }
  return charts;
}

// Times of hits and misses per method: Figure 5 of [Wang 2021].
std::vector<report::HistogramPlot> histograms(const std::vector<Row>& sums,
                                              const std::string& group) {
  std::vector<report::HistogramPlot> plots;
  for (const auto& method : values_of(sums, &Row::method)) {
    report::HistogramPlot plot{method, {"contacts", "misses"}, {{}, {}}};
    for (const Row& row : sums)
      if (row.method == method && row.group == group) {
        plot.histograms[0].add(row.hit_times);
        plot.histograms[1].add(row.miss_times);
      }
    if (!plot.histograms[0].empty() || !plot.histograms[1].empty()) plots.push_back(plot);
  }
  return plots;
}

// One line per set, one column per method: time (false positives / false negatives).
report::Table matrix(std::vector<Row> rows, Kind kind) {
  std::erase_if(rows, [&](const Row& row) { return row.kind != kind; });
  const auto methods = values_of(rows, &Row::method);
  report::Table table{
      fmt::format("{}: time per query (false positives / false negatives)", name(kind)),
      {{"set", false}},
      {}};
  for (const auto& method : methods) table.columns.push_back({method});
  for (const Row& row : rows) {
    if (table.rows.empty() || table.rows.back()[0].text != row.set) {
      table.rows.emplace_back(table.columns.size());
      table.rows.back()[0].text = row.set;
    }
    const auto place = std::find(methods.begin(), methods.end(), row.method) - methods.begin();
    auto& cell = table.rows.back()[static_cast<std::size_t>(place) + 1];
    const auto& counts = row.counts;
    cell.text =
        fmt::format("{}{} ({}/{})", row.queries < row.set_size ? "*" : "",
                    report::format_nanoseconds(row.ns_per_query),
                    counts.false_positives ? fmt::format("{}", *counts.false_positives) : "?",
                    counts.false_negatives);
    const bool breach = row.guarantee == Guarantee::exact && counts.false_positives.value_or(0);
    if (counts.false_negatives > 0 || breach) cell.tone = report::Tone::bad;
  }
  return table;
}

report::Table guarantees(const std::vector<Row>& rows) {
  report::Table table{"", {{"method", false}, {"guarantee", false}, {"reference", false}}, {}};
  for (const auto& name_ : values_of(rows, &Row::method))
    if (const Method* method = find_method(name_))
      table.rows.push_back({{name_}, {name(method->guarantee)}, {std::string(method->reference)}});
  return table;
}

report::Report report_of(const std::vector<Row>& rows, const std::vector<Row>& sums,
                         const std::vector<NamedSet>& read, std::size_t recalled,
                         const Request& request, const Machine& machine) {
  std::size_t sets = 0, queries = 0;
  for (const Row& row : rows)
    if (row.method == rows.front().method) ++sets, queries += row.set_size;
  report::Report report("Graze benchmark",
                        fmt::format("{} queries in {} sets. {}", report::format_count(queries),
                                    sets, describe(machine)));
  report.paragraph(
      "Every answer is compared with the exact oracle. A false positive is a contact reported "
      "where there is none; a false negative is a contact missed; late is a time after the true "
      "first contact; undecided is counted apart. Exact methods have none of these errors; "
      "conservative ones have no false negatives and no late times; heuristic ones may have all.");
  if (recalled > 0)
    report.paragraph(fmt::format(
        "{} of {} rows were measured in an earlier run, by the same program on the same queries.",
        recalled, rows.size()));
  report.table(guarantees(rows));
  if (!request.paths.empty()) add_failures(report, rows, read, request.query_page);
  for (const auto& group : values_of(sums, &Row::group)) {
    report.heading(fmt::format("Queries: {}", group));
    report.bars(overview(sums, group));
    std::vector<Row> of_group;
    for (const Row& row : sums)
      if (row.group == group) of_group.push_back(row);
    report.table(without_percentiles(table_of(of_group)));
    report.heading(fmt::format("Time of single queries: {}", group));
    report.histograms(histograms(sums, group));
  }
  report.heading("By set");
  report.paragraph("A star marks times measured on a part of the set.");
  for (std::size_t i = 0; i < kind_count; ++i)
    if (const auto table = matrix(rows, Kind(i)); !table.rows.empty()) report.table(table);
  report.heading("All rows");
  report.paragraph(fmt::format(
      "One thread. Time per query: median processor time over repeats of the whole batch, as many "
      "as fit in {} s "
      "per method and set. p50, p99 and max, and the histograms: one query per call, the "
      "least of up to "
      "three passes, less {} for reading the clock. \"n of m\": the first n queries were all that "
      "fit in the time; "
      "group times weigh each set by its size, and the time of a part counts for the whole set.",
      request.seconds, report::format_nanoseconds(clock_overhead_ns())));
  std::vector<report::Table> tables;
  for (const auto& set : values_of(rows, &Row::set)) {
    std::vector<Row> of_set;
    for (const Row& row : rows)
      if (row.set == set) of_set.push_back(row);
    tables.push_back(table_of(of_set));
    tables.back().caption = set;
  }
  report.folded(fmt::format("{} sets", tables.size()), tables);
  return report;
}

}  // namespace

Json to_json(const std::vector<Row>& rows) {
  Json array = Json::array();
  for (const Row& row : rows)
    array.push_back({{"method", row.method},
                     {"set", row.set},
                     {"kind", name(row.kind)},
                     {"queries", row.queries},
                     {"hits", row.counts.hits},
                     {"false_positives",
                      row.counts.false_positives ? Json(*row.counts.false_positives) : Json()},
                     {"false_negatives", row.counts.false_negatives},
                     {"undecided", row.counts.undecided},
                     {"late", row.counts.late},
                     {"ns_per_query", number(row.ns_per_query)},
                     {"p50_ns", number(row.p50_ns)},
                     {"p99_ns", number(row.p99_ns)},
                     {"max_ns", number(row.max_ns)}});
  return array;
}

report::Table table_of(const std::vector<Row>& rows) {
  report::Table table;
  table.columns = {{"method", false}, {"set", false}, {"kind", false}, {"queries"}, {"hits"},
                   {"false +"},       {"false -"},    {"undecided"},   {"late"},    {"per query"},
                   {"p50"},           {"p99"},        {"max"}};
  for (const Row& row : rows) table.rows.push_back(cells_of(row));
  return table;
}

Result run_narrow(const Request& request, const Progress& progress) {
  if (progress) progress("queries", 0);
  const bool generated_kind =
      !request.kind || request.kind == Kind::vertex_face || request.kind == Kind::edge_edge;
  if (request.paths.empty() && !generated_kind)
    throw std::invalid_argument(
        "--kind: generated queries are vertex-face or edge-edge; PATH names files of other kinds");
  const std::size_t count = request.count.value_or(300);
  auto sets = request.paths.empty() ? generate_sets(count, request.seed, request.kind)
                                    : read_sets(request.paths, request.kind);
  if (request.paths.empty())
    for (NamedSet& set : simulated_sets(10 * count, request.kind)) sets.push_back(std::move(set));
  std::vector<const Method*> chosen = request.methods;
  if (chosen.empty())
    for (const Method& method : methods()) chosen.push_back(&method);

  ResultStore store(request.store);
  std::vector<Row> rows;
  const double steps = static_cast<double>(sets.size() * (chosen.size() + 1));
  double step = 0;
  for (const NamedSet& set : sets) {
    std::map<Norm, Truth> truths;  // of as many norms as the methods of a distance have
    const auto known_truth = [&](const Method& method) -> const Truth& {
      const Norm norm = request.options.min_separation == 0 ? Norm::none : method.norm;
      if (!truths.contains(norm))
        truths[norm] = find_truth(
            set, request.options, request.threads,
            [&](std::string_view doing, double part) {
              if (progress) progress(doing, (step + part) / steps);
            },
            norm);
      return truths[norm];
    };
    ++step;
    for (const Method* method : chosen) {
      if (progress) progress(fmt::format("{} on {}", method->name, set.name), step / steps);
      if (method->has(set.kind))
        rows.push_back(recall_or_measure(
            store, *method, set, [&]() -> const Truth& { return known_truth(*method); },
            request.options, request.seconds));
      ++step;
    }
    const Method* const exact = &default_method();
    const bool wants_gpu = request.gpu && std::ranges::count(chosen, exact) > 0 &&
                           (set.kind == Kind::vertex_face || set.kind == Kind::edge_edge);
    if (wants_gpu)
      rows.push_back(
          measure_on_gpu(*request.gpu, set, known_truth(*exact), request.options, request.seconds));
  }
  if (progress) progress("report", 1);

  const auto sums = totals(rows);
  const Machine where = machine();
  constexpr std::size_t fit_a_screen = 40;
  std::vector<report::Table> tables;
  if (rows.size() <= fit_a_screen) tables.push_back(table_of(rows));
  if (rows.size() > fit_a_screen) {
    tables.push_back(without_percentiles(table_of(sums)));
    tables.back().caption =
        fmt::format("Sums over {} sets; the report has the rows of each.", sets.size());
  }
  if (!request.paths.empty())
    if (auto failing = failing_methods(rows); !failing.rows.empty())
      tables.push_back(std::move(failing));
  return {.suite = "narrow",
          .machine = where,
          .failures = shown_failures(rows, sets),
          .recalled = store.recalled(),
          .measurements = {{"rows", to_json(rows)},
                           {"options", to_json(request.options)},
                           {"timing", timing(request)},
                           {"details", details_of(rows)}},
          .tables = std::move(tables),
          .report = report_of(rows, sums, sets, store.recalled(), request, where)};
}

}  // namespace graze::bench
