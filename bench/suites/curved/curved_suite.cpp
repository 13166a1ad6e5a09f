#include "bench/suites/curved/curved_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "bench/harness/timing.h"
#include "bench/suites/curved/curved_scenes.h"
#include "graze/exact/judge/turning_oracle.h"
#include "graze/generate/curved_families.h"
#include "graze/generate/turning_families.h"

namespace graze::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array curves{Curve::quadratic, Curve::cubic, Curve::hermite};
constexpr std::array curve_names{"line", "quadratic", "cubic", "hermite"};

const char* name_of(Curve curve) {
  return curve_names[static_cast<std::size_t>(curve)];
}

template <class Query>
Curved<Query> made(const generate::CurvedFamily& family, Curve curve, std::uint64_t seed,
                   std::uint64_t index) {
  if constexpr (graze::kind_of<Query> == Kind::vertex_face)
    return family.vertex_face(curve, seed, index);
  else
    return family.edge_edge(curve, seed, index);
}

struct CurvedRow {
  std::string_view set;
  bool degenerate, mixed;
  Kind kind;
  const char* path;    // the name of the curve, or "turning"
  double ratio_bound;  // of the time over that of `exact`, for families in general position
  std::size_t queries = 0, judged = 0;
  Counts counts = {};  // of the judged queries
  double ns_per_query = 0, exact_ns_per_query = 0, max_ns = 0;

  double ratio() const { return ns_per_query / exact_ns_per_query; }
};

// Times each query alone and compares the first answers with the truth.
template <class AnyQuery, class Judge>
void judge_each(CurvedRow& row, const std::vector<AnyQuery>& queries, Judge&& judge) {
  row.judged = std::min<std::size_t>(queries.size(), row.mixed ? 10 : 100);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const double begin = processor_seconds();
    const Impact answer = first_contact(queries[i]);
    row.max_ns = std::max(row.max_ns, 1e9 * (processor_seconds() - begin));
    if (i >= row.judged) continue;
    const Impact truth = judge(queries[i]);
    row.counts.add(answer, truth.verdict == Verdict::contact, truth.toi);
  }
}

// Times all curves of a family and kind in turns with `exact` on the family's lines.
template <class Query>
void measure_family(const generate::CurvedFamily& family, const Request& request,
                    std::vector<CurvedRow>& rows) {
  const std::size_t count = request.count.value_or(2000);
  std::vector<Query> lines;
  for (std::size_t i = 0; i < count; ++i) {
    const Curved<Query> query = made<Query>(family, Curve::line, request.seed, i);
    lines.push_back({query.points[0], query.points[1]});
  }
  std::array<std::vector<Curved<Query>>, curves.size()> sets;
  std::vector<Impact> impacts(count);
  std::vector<std::function<void()>> passes{
      [&] { first_contact(lines, impacts, {}, {.threads = 1}); }};
  for (std::size_t c = 0; c < curves.size(); ++c) {
    for (std::size_t i = 0; i < count; ++i)
      sets[c].push_back(made<Query>(family, curves[c], request.seed, i));
    passes.push_back([&, c] { first_contact(sets[c], impacts, {}, {.threads = 1}); });
  }
  const std::vector<double> seconds =
      time_in_turns(passes, request.seconds * static_cast<double>(passes.size()));
  for (std::size_t c = 0; c < curves.size(); ++c) {
    CurvedRow row{family.name,
                  family.degenerate,
                  family.mixed,
                  graze::kind_of<Query>,
                  name_of(curves[c]),
                  degree(curves[c]) == 2 ? 6.0 : 12.0,
                  count};
    row.exact_ns_per_query = 1e9 * seconds[0] / static_cast<double>(count);
    row.ns_per_query = 1e9 * seconds[c + 1] / static_cast<double>(count);
    judge_each(row, sets[c], [](const Curved<Query>& query) {
      return first_contact(query, {}, *find_method("oracle"));
    });
    rows.push_back(row);
  }
}

// Times queries that turn in turns with `exact` on their chords.
template <class Query>
void measure_turning(const generate::TurningFamily& family, const Request& request,
                     std::vector<CurvedRow>& rows) {
  const std::size_t count = request.count.value_or(2000);
  std::vector<Query> chords;
  std::vector<Turning<Query>> queries;
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (graze::kind_of<Query> == Kind::vertex_face)
      queries.push_back(family.vertex_face(request.seed, i));
    else
      queries.push_back(family.edge_edge(request.seed, i));
    chords.push_back(turning_path(queries.back())(0, 1).chord);
  }
  std::vector<Impact> impacts(count);
  const std::vector<std::function<void()>> passes{
      [&] { first_contact(chords, impacts, {}, {.threads = 1}); },
      [&] { first_contact(queries, impacts, {}, {.threads = 1}); }};
  const std::vector<double> seconds = time_in_turns(passes, request.seconds * 2);
  CurvedRow row{family.name, family.degenerate, family.mixed, graze::kind_of<Query>,
                "turning",   Impact::inf,       count};
  row.exact_ns_per_query = 1e9 * seconds[0] / static_cast<double>(count);
  row.ns_per_query = 1e9 * seconds[1] / static_cast<double>(count);
  judge_each(row, queries, [](const auto& query) { return exact::turning_oracle(query); });
  rows.push_back(row);
}

std::vector<Bar> bars_of_curves(const std::vector<CurvedRow>& rows,
                                const std::vector<CurvedSceneRow>& scenes) {
  std::vector<Bar> bars;
  Bar slowest{"exact_curved, the slowest query without mixed magnitudes", "ns", 5e6, false, {}, ""};
  Bar wrong{"exact_curved, wrong or late answers", "", 0, false, 0.0, ""};
  std::size_t judged = 0;
  const auto add_judged = [&](const auto& row) {
    const Counts& counts = row.counts;
    *wrong.measured +=
        static_cast<double>(counts.false_positives.value_or(0) + counts.false_negatives +
                            counts.undecided + counts.late + counts.invalid);
    judged += row.judged;
  };
  for (const CurvedSceneRow& row : scenes) add_judged(row);
  for (const CurvedRow& row : rows) {
    add_judged(row);
    const std::string what = fmt::format("{}, {}, {}", row.set, name(row.kind), row.path);
    if (!row.degenerate && row.ratio_bound < Impact::inf)
      bars.push_back(
          {what + ": exact_curved over exact", "x", row.ratio_bound, false, row.ratio(), ""});
    if (row.mixed || row.max_ns <= slowest.measured.value_or(0)) continue;
    slowest.measured = row.max_ns;
    slowest.note = what;
  }
  wrong.note = fmt::format("{} answers compared", report::format_count(judged));
  bars.push_back(slowest);
  bars.push_back(wrong);
  for (const CurvedSceneRow& row : scenes) {
    bars.push_back({fmt::format("{}: pairs on curves over pairs on lines", row.scene), "x", 3,
                    false, row.pair_ratio(), ""});
    bars.push_back({fmt::format("{}: all impacts on curves over those on lines", row.scene), "x", 3,
                    false, row.time_ratio(), "processor time"});
  }
  return bars;
}

Json json_of_row(const CurvedRow& row) {
  return {{"method", default_curved_method().name},
          {"set", row.set},
          {"kind", name(row.kind)},
          {"curve", row.path},
          {"queries", row.queries},
          {"judged", row.judged},
          {"hits", row.counts.hits},
          {"false_positives", row.counts.false_positives.value_or(0)},
          {"false_negatives", row.counts.false_negatives},
          {"undecided", row.counts.undecided},
          {"late", row.counts.late},
          {"ns_per_query", row.ns_per_query},
          {"exact_ns_per_query", row.exact_ns_per_query},
          {"max_ns", row.max_ns}};
}

report::Table scene_table(const std::vector<CurvedSceneRow>& rows) {
  report::Table table;
  table.columns.push_back({"scene", false});
  for (const char* title :
       {"triangles", "pairs, lines", "curves", "ratio", "contacts, lines", "curves", "judged",
        "false +", "false -", "late", "time, lines", "curves", "ratio"})
    table.columns.push_back({title});
  for (const CurvedSceneRow& row : rows)
    table.rows.push_back({{row.scene},
                          {report::format_count(row.triangles)},
                          {report::format_count(row.straight_pairs)},
                          {report::format_count(row.curved_pairs)},
                          {fmt::format("{:.2f}", row.pair_ratio())},
                          {report::format_count(row.straight_contacts)},
                          {report::format_count(row.curved_contacts)},
                          {report::format_count(row.judged)},
                          {report::format_count(row.counts.false_positives.value_or(0))},
                          {report::format_count(row.counts.false_negatives)},
                          {report::format_count(row.counts.late)},
                          {report::format_nanoseconds(1e9 * row.straight_seconds)},
                          {report::format_nanoseconds(1e9 * row.curved_seconds)},
                          {fmt::format("{:.2f}", row.time_ratio())}});
  return table;
}

Json json_of_scene(const CurvedSceneRow& row) {
  return {{"scene", row.scene},
          {"triangles", row.triangles},
          {"straight_pairs", row.straight_pairs},
          {"curved_pairs", row.curved_pairs},
          {"straight_contacts", row.straight_contacts},
          {"curved_contacts", row.curved_contacts},
          {"judged", row.judged},
          {"false_positives", row.counts.false_positives.value_or(0)},
          {"false_negatives", row.counts.false_negatives},
          {"undecided", row.counts.undecided},
          {"late", row.counts.late},
          {"straight_seconds", row.straight_seconds},
          {"curved_seconds", row.curved_seconds}};
}

report::Table curved_table(const std::vector<CurvedRow>& rows) {
  report::Table table;
  for (const char* title : {"set", "kind", "curve"}) table.columns.push_back({title, false});
  for (const char* title : {"queries", "judged", "hits", "false +", "false -", "late", "per query",
                            "exact on lines", "ratio", "max"})
    table.columns.push_back({title});
  for (const CurvedRow& row : rows)
    table.rows.push_back({{std::string(row.set)},
                          {name(row.kind)},
                          {row.path},
                          {report::format_count(row.queries)},
                          {report::format_count(row.judged)},
                          {report::format_count(row.counts.hits)},
                          {report::format_count(row.counts.false_positives.value_or(0))},
                          {report::format_count(row.counts.false_negatives)},
                          {report::format_count(row.counts.late)},
                          {report::format_nanoseconds(row.ns_per_query)},
                          {report::format_nanoseconds(row.exact_ns_per_query)},
                          {fmt::format("{:.1f}", row.ratio())},
                          {report::format_nanoseconds(row.max_ns)}});
  return table;
}

}  // namespace

Result run_curved(const Request& request, const Progress& progress) {
  if (request.kind && request.kind != Kind::vertex_face && request.kind != Kind::edge_edge)
    throw std::invalid_argument("--kind: the suite curved measures vertex-face and edge-edge");
  std::vector<CurvedRow> rows;
  const auto families = generate::curved_families();
  for (std::size_t i = 0; i < families.size(); ++i) {
    if (progress)
      progress(fmt::format("{}", families[i].name),
               static_cast<double>(i) / static_cast<double>(families.size()));
    if (request.kind != Kind::edge_edge) measure_family<VertexFace>(families[i], request, rows);
    if (request.kind != Kind::vertex_face) measure_family<EdgeEdge>(families[i], request, rows);
  }
  for (const generate::TurningFamily& family : generate::turning_families()) {
    if (progress) progress(fmt::format("{}", family.name), 0.9);
    if (request.kind != Kind::edge_edge) measure_turning<VertexFace>(family, request, rows);
    if (request.kind != Kind::vertex_face) measure_turning<EdgeEdge>(family, request, rows);
  }
  if (progress) progress("scenes", 0.95);
  std::vector<std::string> missing;
  const std::vector<CurvedSceneRow> scenes = measure_curved_scenes(request, missing);
  Machine where = machine();
  report::Report report("Curved paths", describe(where));
  report.paragraph(
      "The first contact of primitives on quadratic, cubic and Hermite curves, and of primitives "
      "that turn. The time of exact on straight queries of the same family, or on the chords of "
      "those that turn, was measured in the same turns. The first queries of each set are judged "
      "by the curved and the turning oracle. The vertices of a scene move on cubic curves with "
      "velocities at the start and at the end of a step, and on straight lines between the same "
      "positions. One thread.");
  const std::vector<Bar> bars = bars_of_curves(rows, scenes);
  const report::Table bars_met = bars_table(bars, where), table = curved_table(rows),
                      of_scenes = scene_table(scenes);
  report.table(bars_met);
  report.table(table);
  report.table(of_scenes);
  std::vector<report::Table> tables{table, of_scenes, bars_met};
  if (!missing.empty()) {
    tables.push_back(missing_table(missing));
    report.table(tables.back());
  }
  Json json = Json::array();
  for (const CurvedRow& row : rows) json.push_back(json_of_row(row));
  Json json_scenes = Json::array();
  for (const CurvedSceneRow& row : scenes) json_scenes.push_back(json_of_scene(row));
  return {.suite = "curved",
          .machine = std::move(where),
          .bars = bars,
          .missing = missing,
          .measurements = {{"rows", std::move(json)}, {"scenes", std::move(json_scenes)}},
          .tables = std::move(tables),
          .report = std::move(report)};
}

}  // namespace graze::bench
