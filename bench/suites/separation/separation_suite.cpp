#include "bench/suites/separation/separation_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <type_traits>

#include "bench/harness/bar.h"
#include "bench/harness/scene_pairs.h"
#include "graze/generate/families.h"
#include "terminal/machine.h"

namespace graze::bench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::array relative_distances{1e-8, 1e-4, 1e-2};
constexpr std::array scenes{"armadillo-rollers", "cloth-ball", "cloth-funnel"};

// Figure 8: a sample of the pairs of one scene, at distances with a ratio of ten.
constexpr const char* figure_scene = "cloth-ball";
constexpr std::size_t figure_count = 300;
constexpr int figure_decades[] = {-10, -1};

// Returns the largest difference between coordinates along one axis.
double size_of(std::span<const double> coordinates) {
  double size = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double lo = coordinates[axis], hi = lo;
    for (std::size_t i = axis; i < coordinates.size(); i += 3) {
      lo = std::min(lo, coordinates[i]);
      hi = std::max(hi, coordinates[i]);
    }
    size = std::max(size, hi - lo);
  }
  return size;
}

template <class Query>
NamedSet packed(std::string name, const std::vector<Query>& queries) {
  const double* first = queries.empty() ? nullptr : queries[0].start[0].data();
  std::vector<double> coordinates(first, first + 24 * queries.size());
  const Kind kind = std::is_same_v<Query, VertexFace> ? Kind::vertex_face : Kind::edge_edge;
  return {std::move(name), "", kind, io::QuerySet(std::move(coordinates), {}), {}};
}

struct Measured {
  Row row;
  Norm norm;
  double relative, distance;  // of the size of the set; a length
};

// Returns the oracle of the norm.
const Method& judge(Norm norm) {
  return *find_method(norm == Norm::l2 ? "oracle" : "oracle_linf");
}

class SeparationSuite {
 public:
  SeparationSuite(const Request& request, const Progress& progress)
      : request_(request), progress_(progress), methods_(request.methods) {
    if (methods_.empty())
      for (const Method& method : methods())
        if (method.min_separation() && &method != &judge(method.norm)) methods_.push_back(&method);
    for (const Method* method : methods_)
      if (!method->min_separation())
        throw std::invalid_argument(
            fmt::format("--methods: {} does not support a separation", method->name));
  }

  void run() {
    const fs::path data = real_data(request_.paths);
    const std::size_t count = request_.count.value_or(3000);
    for (const char* scene : scenes) {
      const fs::path folder = inside(data, fs::path("scenes") / scene);
      if (!fs::is_directory(folder)) {
        missing_.push_back(std::string("scene ") + scene);
        continue;
      }
      const ScenePairs all = read_scene_pairs(folder);
      measure_pairs<VertexFace>(all, all.pairs.vertex_face, count);
      measure_pairs<EdgeEdge>(all, all.pairs.edge_edge, count);
    }
    if (fs::is_directory(inside(data, "queries")))
      measure_handcrafted(data / "queries");
    else
      missing_.push_back("handcrafted queries");
    const generate::Family& random = *generate::find_family("random");
    measure_set(packed("random", generate::generate_vertex_face(random, count, request_.seed)), 1);
    measure_set(packed("random", generate::generate_edge_edge(random, count, request_.seed)), 1);
  }

  const std::vector<Measured>& rows() const { return rows_; }
  const std::vector<Measured>& figure_rows() const { return figure_rows_; }
  const std::vector<std::string>& missing() const { return missing_; }

 private:
  template <class Query>
  void measure_pairs(const ScenePairs& all, const std::vector<Pair>& pairs, std::size_t count) {
    std::vector<Pair> drawn;
    for (const std::size_t i : sample(pairs.size(), count, request_.seed))
      drawn.push_back(pairs[i]);
    std::vector<Query> queries(drawn.size());
    const MovingMesh moving = all.scene.motion.moving();
    fill_queries(moving, drawn, queries);
    const double size = size_of({moving.start[0].data(), 3 * moving.start.size()});
    measure_set(packed(all.scene.name, queries), size);
    if (all.scene.name != figure_scene) return;
    std::vector<Query> few;
    for (const std::size_t i : sample(queries.size(), figure_count, request_.seed))
      few.push_back(queries[i]);
    const NamedSet set = packed(all.scene.name, few);
    for (int decade = figure_decades[0]; decade <= figure_decades[1]; ++decade)
      measure_at(set, size, std::pow(10, decade), figure_rows_);
  }

  void measure_handcrafted(const fs::path& folder) {
    for (const Kind kind : {Kind::vertex_face, Kind::edge_edge}) {
      std::vector<double> coordinates;
      for (const NamedSet& set : read_sets({folder}, kind))
        coordinates.insert(coordinates.end(), set.data.coordinates().begin(),
                           set.data.coordinates().end());
      const double size = size_of(coordinates);
      measure_set({"handcrafted", "", kind, io::QuerySet(std::move(coordinates), {}), {}}, size);
    }
  }

  void measure_set(const NamedSet& set, double size) {
    for (const double relative : relative_distances) measure_at(set, size, relative, rows_);
  }

  void measure_at(const NamedSet& set, double size, double relative, std::vector<Measured>& rows) {
    if (request_.kind && *request_.kind != set.kind) return;
    Options options = request_.options;
    options.min_separation = relative * size;
    for (const Norm norm : {Norm::l2, Norm::linf}) {
      std::optional<Truth> truth;
      for (const Method* method : methods_) {
        if (method->norm != norm || !method->has(set.kind)) continue;
        if (progress_)
          progress_(fmt::format("{} on {}, {}", method->name, set.name, name(set.kind)),
                    static_cast<double>(rows_.size()) /
                        static_cast<double>(rows_.size() + methods_.size()));
        if (!truth) truth = find_truth_at(set, options, norm);
        rows.push_back({measure(*method, set, *truth, options, request_.seconds), norm, relative,
                        options.min_separation});
      }
    }
  }

  Truth find_truth_at(const NamedSet& set, const Options& options, Norm norm) const {
    Truth truth;
    truth.impacts.resize(set.size());
    visit(set.kind, set.data, [&](const auto& queries) {
      first_contact(queries, truth.impacts, options, {.threads = request_.threads}, judge(norm));
    });
    for (const Impact& impact : truth.impacts)
      truth.contact.push_back(impact.verdict == Verdict::contact);
    return truth;
  }

  const Request& request_;
  const Progress& progress_;
  std::vector<const Method*> methods_;
  std::vector<Measured> rows_, figure_rows_;
  std::vector<std::string> missing_;
};

// ---- bars --------------------------------------------------------------------------------------

// Adds the time of method a over that of method b wherever both were measured.
void add_ratios(const std::vector<Measured>& rows, std::string_view a, std::string_view b,
                double bound, bool at_least, std::vector<Bar>& bars) {
  for (const Measured& x : rows)
    for (const Measured& y : rows) {
      const bool same =
          x.row.set == y.row.set && x.row.kind == y.row.kind && x.relative == y.relative;
      if (x.row.method != a || y.row.method != b || !same) continue;
      bars.push_back({fmt::format("{}, {}, d = {:.0e}: {} over {}", x.row.set, name(x.row.kind),
                                  x.relative, a, b),
                      "x", bound, at_least, x.row.ns_per_query / y.row.ns_per_query, ""});
    }
}

std::vector<Bar> bars_of(const std::vector<Measured>& rows) {
  std::vector<Bar> bars;
  add_ratios(rows, "separation_root", "additive_advancement", 1.5, false, bars);
  add_ratios(rows, "tight_inclusion", "separation_root_linf", 100, true, bars);
  for (const char* method : {"separation_root", "separation_root_linf"}) {
    Bar slowest{fmt::format("{}, the slowest query", method), "ns", 1e6, false, {}, ""};
    Bar wrong{fmt::format("{}, wrong or late answers", method), "", 0, false, {}, ""};
    std::size_t answers = 0;
    for (const auto& [row, norm, relative, distance] : rows) {
      if (row.method != method) continue;
      const Counts& counts = row.counts;
      answers += row.queries;
      wrong.measured = wrong.measured.value_or(0) +
                       static_cast<double>(counts.false_positives.value_or(0) +
                                           counts.false_negatives + counts.undecided + counts.late);
      if (std::isnan(row.max_ns) || row.max_ns <= slowest.measured.value_or(0)) continue;
      slowest.measured = row.max_ns;
      slowest.note = fmt::format("{}, {}, d = {:.0e}", row.set, name(row.kind), relative);
    }
    wrong.note = fmt::format("{} answers compared", report::format_count(answers));
    bars.push_back(slowest);
    bars.push_back(wrong);
  }
  return bars;
}

// ---- the report --------------------------------------------------------------------------------

Json json_of(const Measured& measured) {
  const Row& row = measured.row;
  const auto number = [](double x) { return std::isnan(x) ? Json() : Json(x); };
  return {{"method", row.method},
          {"set", row.set},
          {"kind", name(row.kind)},
          {"norm", name(measured.norm)},
          {"min_separation", measured.distance},
          {"relative_separation", measured.relative},
          {"queries", row.queries},
          {"hits", row.counts.hits},
          {"false_positives", row.counts.false_positives.value_or(0)},
          {"false_negatives", row.counts.false_negatives},
          {"undecided", row.counts.undecided},
          {"late", row.counts.late},
          {"ns_per_query", number(row.ns_per_query)},
          {"p50_ns", number(row.p50_ns)},
          {"p99_ns", number(row.p99_ns)},
          {"max_ns", number(row.max_ns)}};
}

report::Table table_of(const std::vector<Measured>& rows) {
  report::Table table;
  for (const char* title : {"set", "kind", "distance", "norm", "method"})
    table.columns.push_back({title, false});
  for (const char* title :
       {"queries", "hits", "false +", "false -", "undecided", "late", "per query", "p99", "max"})
    table.columns.push_back({title});
  const auto wrong = [](std::size_t count) {
    return report::Cell{report::format_count(count),
                        count > 0 ? report::Tone::bad : report::Tone::plain};
  };
  for (const auto& [row, norm, relative, distance] : rows)
    table.rows.push_back({{row.set},
                          {name(row.kind)},
                          {fmt::format("{:.0e}", relative)},
                          {name(norm)},
                          {row.method},
                          {report::format_count(row.queries)},
                          {report::format_count(row.counts.hits)},
                          {report::format_count(row.counts.false_positives.value_or(0))},
                          wrong(row.counts.false_negatives),
                          {report::format_count(row.counts.undecided)},
                          wrong(row.counts.late),
                          {report::format_nanoseconds(row.ns_per_query)},
                          {report::format_nanoseconds(row.p99_ns)},
                          {report::format_nanoseconds(row.max_ns)}});
  return table;
}

// One chart for each set and kind: a group of bars for each distance.
std::vector<report::LogBars> charts_of(const std::vector<Measured>& rows) {
  std::vector<report::LogBars> charts;
  for (const Measured& measured : rows) {
    const Row& row = measured.row;
    const std::string title = fmt::format("{}, {}", row.set, name(row.kind));
    if (charts.empty() || charts.back().title != title)
      charts.push_back({title, report::Unit::nanoseconds, {}, {}, {}});
    report::LogBars& chart = charts.back();
    const std::string label = fmt::format("d = {:.0e}", measured.relative);
    const std::string series = fmt::format("{} ({})", row.method, name(measured.norm));
    if (std::find(chart.series.begin(), chart.series.end(), series) == chart.series.end())
      chart.series.push_back(series);
    if (chart.labels.empty() || chart.labels.back() != label) {
      chart.labels.push_back(label);
      chart.values.emplace_back();
    }
    chart.values.back().push_back(row.ns_per_query);
  }
  return charts;
}

// Figure 8 for one kind: the average time, or the share of false positives, over the distance.
report::LogLines figure_of(const std::vector<Measured>& rows, Kind kind, bool times) {
  report::LogLines plot{
      fmt::format("{} of {}, {}", times ? "Time" : "False positives", figure_scene, name(kind)),
      "d / size of the scene",
      times ? report::Unit::nanoseconds : report::Unit::percent,
      {},
      {},
      {}};
  for (const auto& [row, norm, relative, distance] : rows) {
    if (row.kind != kind) continue;
    if (plot.x.empty() || plot.x.back() != relative) plot.x.push_back(relative);
    const std::string series = fmt::format("{} ({})", row.method, name(norm));
    auto place = std::find(plot.series.begin(), plot.series.end(), series);
    if (place == plot.series.end()) {
      place = plot.series.insert(place, series);
      plot.y.emplace_back();
    }
    const double share = 100 * static_cast<double>(row.counts.false_positives.value_or(0)) /
                         static_cast<double>(row.queries);
    plot.y[static_cast<std::size_t>(place - plot.series.begin())].push_back(times ? row.ns_per_query
                                                                                  : share);
  }
  return plot;
}

std::vector<report::LogLines> figure_8(const std::vector<Measured>& rows) {
  std::vector<report::LogLines> plots;
  for (const bool times : {true, false})
    for (const Kind kind : {Kind::vertex_face, Kind::edge_edge})
      if (report::LogLines plot = figure_of(rows, kind, times); !plot.x.empty())
        plots.push_back(std::move(plot));
  return plots;
}

}  // namespace

Result run_separation(const Request& request, const Progress& progress) {
  if (request.kind && request.kind != Kind::vertex_face && request.kind != Kind::edge_edge)
    throw std::invalid_argument("--kind: the suite separation measures vertex-face and edge-edge");
  SeparationSuite suite(request, progress);
  suite.run();

  Machine where = machine();
  report::Report report("Keeping a distance", describe(where));
  report.paragraph(
      "The time when two primitives come within a distance d, relative to the size of the set. "
      "Every "
      "method is compared with the exact oracle of its own norm: false positives and late times "
      "refer to the distance d itself. Scenes: a random sample of the pairs whose swept boxes "
      "overlap. One thread.");
  const std::vector<Bar> bars = bars_of(suite.rows());
  const report::Table bars_met = bars_table(bars, where), table = table_of(suite.rows());
  report.table(bars_met);
  if (!suite.figure_rows().empty()) {
    report.heading("Figure 8 of [Wang 2021], in both norms");
    report.paragraph(
        "The average time of a query, and the share of false positives, by the distance d. "
        "separation_root has no false positives: its lines lie on the lower border.");
    report.lines(figure_8(suite.figure_rows()));
  }
  report.heading("Every set");
  report.bars(charts_of(suite.rows()));
  report.table(table);
  const auto json_rows = [](const std::vector<Measured>& rows) {
    Json json = Json::array();
    for (const Measured& measured : rows) json.push_back(json_of(measured));
    return json;
  };
  std::vector<report::Table> tables = {table, bars_met};
  if (!suite.missing().empty()) tables.push_back(missing_table(suite.missing()));
  return {.suite = "separation",
          .machine = std::move(where),
          .bars = bars,
          .missing = suite.missing(),
          .measurements = {{"rows", json_rows(suite.rows())},
                           {"figure_8", json_rows(suite.figure_rows())}},
          .tables = std::move(tables),
          .report = std::move(report)};
}

}  // namespace graze::bench
