#include "bench/suites/area_inclusion/area_inclusion_suite.h"

#include <fmt/format.h>

#include <limits>
#include <stdexcept>

#include "bench/suites/area_inclusion/area_inclusion_table.h"
#include "terminal/machine.h"

namespace graze::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t published_queries = 10'000'000;

double ns_per_query(const AreaInclusionRow& row, std::uint64_t queries) {
  return row.seconds * 1e9 / static_cast<double>(queries);
}

std::string share(std::uint64_t hits, std::uint64_t queries) {
  return fmt::format("{:.3f} %", 100 * static_cast<double>(hits) / static_cast<double>(queries));
}

Json rows_of(const AreaInclusionTable& table) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const auto& row = table.rows[i];
    const auto& published = area_inclusion_published[i];
    rows.push_back({{"method", "area_inclusion"},
                    {"set", "random"},
                    {"kind", name(Kind::vertex_face)},
                    {"time_tol", row.tolerance},
                    {"queries", table.queries},
                    {"hits", row.hits()},
                    {"odd_hits", row.odd_hits},
                    {"even_hits", row.even_hits},
                    {"ns_per_query", ns_per_query(row, table.queries)},
                    {"checked_queries", table.sample},
                    {"false_positives", row.false_positives},
                    {"false_negatives", row.false_negatives},
                    {"late", row.late},
                    {"published",
                     {{"queries", published_queries},
                      {"odd_hits", published.odd_hits},
                      {"even_hits", published.even_hits},
                      {"seconds", published.seconds}}}});
  }
  return rows;
}

report::Cell wrong_cell(std::uint64_t count) {
  return {report::format_count(count), count > 0 ? report::Tone::bad : report::Tone::plain};
}

report::Table table_of(const AreaInclusionTable& measured) {
  report::Table table;
  table.caption = fmt::format("Table 1 of [Huh 2014]: area_inclusion by tolerance, {} queries",
                              report::format_count(measured.queries));
  for (const char* title : {"tolerance", "odd hits", "even hits", "share", "per query", "false +",
                            "false -", "late", "published odd", "even", "share", "per query"})
    table.columns.push_back({title});
  for (std::size_t i = 0; i < measured.rows.size(); ++i) {
    const auto& row = measured.rows[i];
    const auto& published = area_inclusion_published[i];
    table.rows.push_back(
        {{fmt::format("{:.0e}", row.tolerance)},
         {report::format_count(row.odd_hits)},
         {report::format_count(row.even_hits)},
         {share(row.hits(), measured.queries)},
         {report::format_nanoseconds(ns_per_query(row, measured.queries))},
         {report::format_count(row.false_positives)},
         wrong_cell(row.false_negatives),
         wrong_cell(row.late),
         {report::format_count(published.odd_hits)},
         {report::format_count(published.even_hits)},
         {share(published.hits(), published_queries)},
         {report::format_nanoseconds(ns_per_query(published, published_queries))}});
  }
  return table;
}

const PublishedRival* find_published(std::string_view method) {
  for (const PublishedRival& rival : area_inclusion_published_rivals)
    if (rival.method == method) return &rival;
  return nullptr;
}

double ns_per_query(const AreaInclusionTable::Rival& rival, std::uint64_t queries) {
  return rival.seconds * 1e9 / static_cast<double>(queries);
}

// Returns Table 1 (exactCCD and safeCCD) and Figure 8 (openCCD). A method that is measured as
// published has another row in its repaired form.
report::Table rivals_table(const AreaInclusionTable& measured) {
  report::Table table;
  table.caption = "Table 1 of [Huh 2014]: the rivals on the same queries";
  table.columns = {{"method", false},       {"hits"},        {"share"},          {"not odd"},
                   {"per query"},           {"false +"},     {"false -"},        {"late"},
                   {"published as", false}, {"publ. share"}, {"publ. per query"}};
  for (const auto& rival : measured.rivals) {
    const bool safe = rival.method->guarantee != Guarantee::heuristic;
    const auto errors = [&](std::uint64_t count) {
      return safe ? wrong_cell(count) : report::Cell{report::format_count(count)};
    };
    table.rows.push_back({{std::string(rival.method->name)},
                          {report::format_count(rival.hits)},
                          {share(rival.hits, measured.queries)},
                          {report::format_count(rival.not_odd)},
                          {report::format_nanoseconds(ns_per_query(rival, measured.queries))},
                          {report::format_count(rival.false_positives)},
                          errors(rival.false_negatives),
                          errors(rival.late)});
    if (const PublishedRival* published = find_published(rival.method->name))
      for (const std::string& text :
           {std::string(published->name), share(published->hits, published->queries),
            report::format_nanoseconds(published->seconds * 1e9 /
                                       static_cast<double>(published->queries))})
        table.rows.back().push_back({text, report::Tone::faint});
  }
  return table;
}

// Figure 8: the time of openCCD over that of fastCCD, and the hits, by tolerance.
report::Table figure_8(const AreaInclusionTable& measured) {
  report::Table table;
  table.caption =
      "Figure 8 of [Huh 2014]: open_cubic over area_inclusion (published: 4.5 to 5.6; openCCD with "
      "77,192 hits of one million in 8.7 s)";
  table.columns = {{"tolerance"}, {"hits"}, {"hits of open_cubic"}, {"time ratio"}};
  for (const auto& rival : measured.rivals)
    if (const PublishedRival* published = find_published(rival.method->name);
        published && published->queries == 1'000'000)
      for (const auto& row : measured.rows)
        table.rows.push_back({{fmt::format("{:.0e}", row.tolerance)},
                              {report::format_count(row.hits())},
                              {report::format_count(rival.hits)},
                              {fmt::format("{:.2f}", rival.seconds / row.seconds)}});
  return table;
}

// Figure 8 as curves over the tolerance.
report::LogLines figure_8_curves(const AreaInclusionTable& measured) {
  report::LogLines plot{
      "Figure 8: time per query against tolerance", "time_tol", report::Unit::nanoseconds,
      {"area_inclusion", "published fastCCD"},      {},         {{}, {}}};
  for (std::size_t i = 0; i < measured.rows.size(); ++i) {
    plot.x.push_back(measured.rows[i].tolerance);
    plot.y[0].push_back(ns_per_query(measured.rows[i], measured.queries));
    plot.y[1].push_back(ns_per_query(area_inclusion_published[i], published_queries));
  }
  for (const auto& rival : measured.rivals)
    if (const PublishedRival* published = find_published(rival.method->name)) {
      plot.series.push_back(std::string(rival.method->name));
      plot.y.emplace_back(plot.x.size(), ns_per_query(rival, measured.queries));
      plot.series.push_back(fmt::format("published {}", published->name));
      plot.y.emplace_back(plot.x.size(),
                          published->seconds * 1e9 / static_cast<double>(published->queries));
    }
  return plot;
}

std::vector<report::LogBars> charts_of(const AreaInclusionTable& table) {
  const std::vector<std::string> series = {
      fmt::format("Graze, {} queries", report::format_count(table.queries)),
      fmt::format("published, {}", report::format_count(published_queries))};
  report::LogBars time{"Time per query (Figure 1)", report::Unit::nanoseconds, series, {}, {}};
  report::LogBars excess{
      "Hits beyond those at the last tolerance", report::Unit::count, series, {}, {}};
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const auto& row = table.rows[i];
    const auto& published = area_inclusion_published[i];
    const std::string label = fmt::format("{:.0e}", row.tolerance);
    time.labels.push_back(label);
    time.values.push_back(
        {ns_per_query(row, table.queries), ns_per_query(published, published_queries)});
    const auto beyond = [](std::uint64_t hits, std::uint64_t last) {
      return hits > last ? static_cast<double>(hits - last) : 0;
    };
    excess.labels.push_back(label);
    excess.values.push_back({beyond(row.hits(), table.rows.back().hits()),
                             beyond(published.hits(), area_inclusion_published.back().hits())});
  }
  for (const auto& rival : table.rivals) {
    const PublishedRival* published = find_published(rival.method->name);
    time.labels.push_back(std::string(rival.method->name));
    time.values.push_back({ns_per_query(rival, table.queries),
                           published
                               ? published->seconds * 1e9 / static_cast<double>(published->queries)
                               : std::numeric_limits<double>::quiet_NaN()});
  }
  return {time, excess};
}

}  // namespace

Result run_area_inclusion(const Request& request, const Progress& progress) {
  AreaInclusionSetup setup;
  setup.queries = request.count.value_or(setup.queries);
  setup.seed = request.seed;
  for (const char* rival : {"root_parity_published", "root_parity", "safe_cubic_published",
                            "safe_cubic", "open_cubic", "exact"})
    setup.rivals.push_back(find_method(rival));
  if (setup.queries == 0) throw std::invalid_argument("--count must be at least 1");
  const auto table = measure_area_inclusion(setup, [&](double done) {
    if (progress) progress("area_inclusion at every tolerance", done);
    return true;
  });

  Machine where = machine();
  report::Report report("Area inclusion by tolerance",
                        fmt::format("{} random vertex-face queries. {}",
                                    report::format_count(table.queries), describe(where)));
  report.paragraph(fmt::format(
      "Table 1 and Figure 1 of [Huh 2014], measured on other random queries. Odd and even: number "
      "of contacts within the step. Time is processor time of one thread; the published times are "
      "of a 3.2 GHz Intel Core i5. False positives, false negatives and late times: the first {} "
      "queries against the exact oracle. not odd: queries on which a rival's contact and an odd "
      "number of contacts do not agree; exactCCD finds the odd ones. Rows with _published read a "
      "rival as published; the same names without it are repaired here.",
      report::format_count(table.sample)));
  report.bars(charts_of(table));
  report.lines(std::vector{figure_8_curves(table)});
  std::vector<report::Table> tables = {table_of(table), rivals_table(table), figure_8(table)};
  for (const report::Table& one : tables) report.table(one);
  Json rivals = Json::array();
  for (const auto& rival : table.rivals)
    rivals.push_back({{"method", std::string(rival.method->name)},
                      {"queries", table.queries},
                      {"hits", rival.hits},
                      {"not_odd", rival.not_odd},
                      {"ns_per_query", ns_per_query(rival, table.queries)},
                      {"false_positives", rival.false_positives},
                      {"false_negatives", rival.false_negatives},
                      {"late", rival.late}});
  return {.suite = "area-inclusion",
          .machine = std::move(where),
          .measurements = {{"rows", rows_of(table)}, {"rivals", std::move(rivals)}},
          .tables = std::move(tables),
          .report = std::move(report)};
}

}  // namespace graze::bench
