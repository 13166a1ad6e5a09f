#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/suites/papers/paper_published.h"
#include "bench/suites/papers/paper_report.h"

// Figure 1, Table 2 and Figures 7 and 8 of [Huh 2014].
namespace graze::bench {
namespace {

const Row* find_row(const PaperMeasurements& all, std::string_view method, std::string_view set) {
  for (const Row& row : all.scenes)
    if (row.method == method && row.set == set) return &row;
  return nullptr;
}

report::LogLines huh_figure_1(const PaperMeasurements& all) {
  report::LogLines plot{"Figure 1: time against tolerance",
                        "time_tol",
                        report::Unit::nanoseconds,
                        {"area_inclusion"},
                        {},
                        {{}}};
  for (const auto& row : all.area_inclusion.rows) {
    plot.x.push_back(row.tolerance);
    plot.y[0].push_back(row.seconds * 1e9 / static_cast<double>(all.area_inclusion.queries));
  }
  const auto add_line = [&](const std::string& series, double ns) {
    plot.series.push_back(series);
    plot.y.emplace_back(plot.x.size(), ns);
  };
  for (const char* method :
       {"root_parity_published", "root_parity", "safe_cubic_published", "safe_cubic", "exact"})
    if (const Row* row = find_row(all, method, "random")) add_line(method, row->ns_per_query);
  plot.series.push_back("published fastCCD");
  plot.y.emplace_back();
  for (const auto& row : area_inclusion_published) plot.y.back().push_back(row.seconds * 100);
  add_line("published exactCCD", area_inclusion_published_rivals[0].seconds * 100);
  return plot;
}

std::string percent(std::size_t part, std::size_t whole) {
  if (whole == 0) return "-";
  return fmt::format("{:.3g} %", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

report::Table huh_shares_table(const PaperMeasurements& all) {
  report::Table table{"Table 2 of [Huh 2014]: vertex-face pairs by the shape of their cubic",
                      {{"scene", false},
                       {"pairs"},
                       {"degenerate"},
                       {"zero A"},
                       {"publ. pairs"},
                       {"publ. degenerate"},
                       {"publ. zero A"}},
                      {}};
  for (const SceneShares& share : all.shares) {
    table.rows.push_back({{share.set},
                          {report::format_count(share.pairs)},
                          {percent(share.degenerate, share.pairs)},
                          {percent(share.zero_a, share.pairs)}});
    for (const auto& scene : published::huh_table_2) {
      if (scene.name != share.set) continue;
      const std::string pairs = std::isnan(scene.pairs)
                                    ? "-"
                                    : report::format_count(static_cast<std::uint64_t>(scene.pairs));
      for (const auto& text : {pairs, std::string(scene.degenerate), std::string(scene.zero_a)})
        table.rows.back().push_back({text.empty() ? "-" : text, report::Tone::faint});
    }
  }
  return table;
}

report::Table huh_scenes_table(const PaperMeasurements& all) {
  report::Table table{"Table 2 of [Huh 2014]: collisions and time",
                      {{"scene", false},
                       {"method", false},
                       {"pairs"},
                       {"collisions"},
                       {"false +"},
                       {"false -"},
                       {"late"},
                       {"per pair"},
                       {"published as", false},
                       {"publ. collisions"},
                       {"publ. per pair"}},
                      {}};
  for (const Row& row : all.scenes) {
    const bool safe = row.guarantee != Guarantee::heuristic;
    table.rows.push_back({{row.set},
                          {row.method},
                          reached(row),
                          {report::format_count(row.counts.hits)},
                          {report::format_count(row.counts.false_positives.value_or(0))},
                          wrong(row.counts.false_negatives, safe),
                          wrong(row.counts.late, safe),
                          {report::format_nanoseconds(row.ns_per_query)}});
    for (const auto& scene : published::huh_table_2)
      for (const auto& paper : scene.methods)
        if (scene.name == row.set && paper.method == row.method) {
          auto& cells = table.rows.back();
          cells.push_back({std::string(paper.name), report::Tone::faint});
          cells.push_back({std::string(paper.hits), report::Tone::faint});
          cells.push_back(
              {report::format_nanoseconds(1e9 * paper.seconds / scene.pairs), report::Tone::faint});
        }
  }
  return table;
}

// open_cubic over area_inclusion, by scene and on random pairs.
report::LogBars huh_figures_7_and_8(const PaperMeasurements& all) {
  report::LogBars chart{"Figures 7 and 8: time of open_cubic over area_inclusion",
                        report::Unit::ratio,
                        {"ratio"},
                        {},
                        {}};
  for (const Row& row : all.scenes)
    if (row.method == "area_inclusion") {
      const Row* open = find_row(all, "open_cubic", row.set);
      chart.labels.push_back(row.set);
      chart.values.push_back({open ? open->ns_per_query / row.ns_per_query : published::unknown});
    }
  return chart;
}

}  // namespace

void add_huh(const PaperMeasurements& all, report::Report& report,
             std::vector<report::Table>& tables) {
  report.heading("[Huh 2014] Figure 1, Table 2, Figures 7 and 8");
  report.paragraph(fmt::format(
      "Vertex-face pairs. Figure 1: {} random pairs, processor time; the published lines are of 10 "
      "million pairs on a 3.2 GHz Intel Core i5. Table 2: one step of cloth-ball (real data) and "
      "generated stand-ins for the other scenes; degenerate means that all coefficients of the "
      "coplanarity cubic are zero, zero A that the one of t^3 is, but not all, both decided "
      "exactly. "
      "Published for Figure 8: openCCD takes {} as long as fastCCD, in single "
      "precision.",
      report::format_count(all.area_inclusion.queries), published::huh_figure_8));
  report.lines({huh_figure_1(all)});
  const auto ratios = huh_figures_7_and_8(all);
  if (find_method("open_cubic")) report.bars({ratios});
  for (const report::Table& table : {huh_shares_table(all), huh_scenes_table(all)}) {
    tables.push_back(table);
    report.table(table);
  }
}

}  // namespace graze::bench
