#include "bench/separation_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <type_traits>

#include "bench/machine.h"
#include "bench/scene_pairs.h"
#include "graze/generate/families.h"

namespace graze::bench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::array relative_distances{1e-8, 1e-4, 1e-2};
constexpr std::array scenes{"armadillo-rollers", "cloth-ball", "cloth-funnel"};

// The largest difference between coordinates along one axis.
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

class SeparationSuite {
 public:
  SeparationSuite(const Request& request, const Progress& progress)
      : request_(request), progress_(progress), methods_(request.methods) {
    if (methods_.empty())
      for (const Method& method : methods())
        if (method.min_separation() && !method.name.starts_with("oracle"))
          methods_.push_back(&method);
    for (const Method* method : methods_)
      if (!method->min_separation())
        throw std::invalid_argument(fmt::format("{} keeps no distance", method->name));
  }

  void run() {
    const char* variable = std::getenv("GRAZE_DATA");
    const fs::path data = variable ? variable : "../shared/data";
    const std::size_t count = request_.count.value_or(3000);
    for (const char* scene : scenes) {
      if (!fs::is_directory(data / "scenes" / scene)) {
        missing_.push_back(std::string("scene ") + scene);
        continue;
      }
      const ScenePairs all = read_scene_pairs(data / "scenes" / scene);
      measure_pairs<VertexFace>(all, all.pairs.vertex_face, count);
      measure_pairs<EdgeEdge>(all, all.pairs.edge_edge, count);
    }
    if (fs::is_directory(data / "queries"))
      measure_handcrafted(data / "queries");
    else
      missing_.push_back("handcrafted queries");
    const Family& random = *find_family("random");
    measure_set(packed("random", generate_vertex_face(random, count, request_.seed)), 1);
    measure_set(packed("random", generate_edge_edge(random, count, request_.seed)), 1);
  }

  const std::vector<Measured>& rows() const { return rows_; }
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
    measure_set(packed(all.scene.name, queries),
                size_of({moving.start[0].data(), 3 * moving.start.size()}));
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
    if (request_.kind && *request_.kind != set.kind) return;
    for (const double relative : relative_distances) {
      Options options = request_.options;
      options.min_separation = relative * size;
      for (const Norm norm : {Norm::l2, Norm::linf}) {
        std::optional<Truth> truth;
        for (const Method* method : methods_) {
          if (method->norm != norm || !has_primitive(*method, set.kind)) continue;
          if (progress_)
            progress_(fmt::format("{} on {}, {}", method->name, set.name, name(set.kind)),
                      static_cast<double>(rows_.size()) /
                          static_cast<double>(rows_.size() + methods_.size()));
          if (!truth) truth = find_truth_at(set, options, norm);
          rows_.push_back({measure(*method, set, *truth, options, request_.seconds), norm, relative,
                           options.min_separation});
        }
      }
    }
  }

  Truth find_truth_at(const NamedSet& set, const Options& options, Norm norm) const {
    const Method& oracle = *find_method(norm == Norm::l2 ? "oracle" : "oracle_linf");
    Truth truth;
    truth.impacts.resize(set.size());
    visit(set.kind, set.data, [&](const auto& queries) {
      solve(oracle, queries, options, std::span<Impact>(truth.impacts), request_.threads);
    });
    for (const Impact& impact : truth.impacts)
      truth.contact.push_back(impact.verdict == Verdict::contact);
    return truth;
  }

  const Request& request_;
  const Progress& progress_;
  std::vector<const Method*> methods_;
  std::vector<Measured> rows_;
  std::vector<std::string> missing_;
};

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

io::Table table_of(const std::vector<Measured>& rows) {
  io::Table table;
  for (const char* title : {"set", "kind", "distance", "norm", "method"})
    table.columns.push_back({title, false});
  for (const char* title :
       {"queries", "hits", "false +", "false -", "undecided", "late", "per query", "p99", "max"})
    table.columns.push_back({title});
  const auto wrong = [](std::size_t count) {
    return io::Cell{io::format_count(count), count > 0 ? io::Tone::bad : io::Tone::plain};
  };
  for (const auto& [row, norm, relative, distance] : rows)
    table.rows.push_back({{row.set},
                          {name(row.kind)},
                          {fmt::format("{:.0e}", relative)},
                          {name(norm)},
                          {row.method},
                          {io::format_count(row.queries)},
                          {io::format_count(row.counts.hits)},
                          {io::format_count(row.counts.false_positives.value_or(0))},
                          wrong(row.counts.false_negatives),
                          {io::format_count(row.counts.undecided)},
                          wrong(row.counts.late),
                          {io::format_nanoseconds(row.ns_per_query)},
                          {io::format_nanoseconds(row.p99_ns)},
                          {io::format_nanoseconds(row.max_ns)}});
  return table;
}

// One chart for each set and kind: a group of bars for each distance.
std::vector<io::LogBars> charts_of(const std::vector<Measured>& rows) {
  std::vector<io::LogBars> charts;
  for (const Measured& measured : rows) {
    const Row& row = measured.row;
    const std::string title = fmt::format("{}, {}", row.set, name(row.kind));
    if (charts.empty() || charts.back().title != title)
      charts.push_back({title, io::Unit::nanoseconds, {}, {}, {}});
    io::LogBars& chart = charts.back();
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

}  // namespace

Result run_separation(const Request& request, const Progress& progress) {
  if (!request.paths.empty())
    throw std::invalid_argument("the suite separation brings its own queries");
  SeparationSuite suite(request, progress);
  suite.run();

  const Json where = machine();
  io::Report report(
      "Keeping a distance",
      fmt::format("{}. {}, {}. Commit {}, {}.", where["cpu"].get<std::string>(),
                  where["compiler"].get<std::string>(), where["flags"].get<std::string>(),
                  where["commit"].get<std::string>(), where["date"].get<std::string>()));
  report.paragraph(
      "When do two primitives come within a distance d, given relative to the size of the set? "
      "Figure 8 of [Wang 2021] in both norms. Every method is judged by the exact oracle of its "
      "own norm: false positives and late times are counted against the distance d itself. Scenes: "
      "pairs whose swept boxes overlap, drawn at random. One thread.");
  report.bars(charts_of(suite.rows()));
  report.table(table_of(suite.rows()));
  Json rows = Json::array();
  for (const Measured& measured : suite.rows()) rows.push_back(json_of(measured));
  return {{{"suite", "separation"},
           {"rows", std::move(rows)},
           {"missing", suite.missing()},
           {"machine", where}},
          {table_of(suite.rows())},
          std::move(report)};
}

}  // namespace graze::bench
