#include "bench/suites/curved/curved_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "bench/harness/timing.h"
#include "graze/generate/curved_families.h"

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
  const generate::CurvedFamily* family;
  Kind kind;
  Curve curve;
  std::size_t queries = 0, judged = 0;
  Counts counts = {};  // of the judged queries
  double ns_per_query = 0, exact_ns_per_query = 0, max_ns = 0;

  double ratio() const { return ns_per_query / exact_ns_per_query; }
};

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
    CurvedRow row{&family, graze::kind_of<Query>, curves[c], count};
    row.exact_ns_per_query = 1e9 * seconds[0] / static_cast<double>(count);
    row.ns_per_query = 1e9 * seconds[c + 1] / static_cast<double>(count);
    row.judged = std::min<std::size_t>(count, family.mixed ? 10 : 100);
    for (std::size_t i = 0; i < count; ++i) {
      const double begin = processor_seconds();
      const Impact answer = first_contact(sets[c][i]);
      row.max_ns = std::max(row.max_ns, 1e9 * (processor_seconds() - begin));
      if (i >= row.judged) continue;
      const Impact truth = first_contact(sets[c][i], {}, *find_method("oracle"));
      row.counts.add(answer, truth.verdict == Verdict::contact, truth.toi);
    }
    rows.push_back(row);
  }
}

std::vector<Bar> bars_of_curves(const std::vector<CurvedRow>& rows) {
  std::vector<Bar> bars;
  Bar slowest{"exact_curved, the slowest query without mixed magnitudes", "ns", 5e6, false, {}, ""};
  Bar wrong{"exact_curved, wrong or late answers", "", 0, false, 0.0, ""};
  std::size_t judged = 0;
  for (const CurvedRow& row : rows) {
    const Counts& counts = row.counts;
    *wrong.measured +=
        static_cast<double>(counts.false_positives.value_or(0) + counts.false_negatives +
                            counts.undecided + counts.late + counts.invalid);
    judged += row.judged;
    if (!row.family->degenerate)
      bars.push_back({fmt::format("{}, {}, {}: exact_curved over exact", row.family->name,
                                  name(row.kind), name_of(row.curve)),
                      "x", degree(row.curve) == 2 ? 6.0 : 12.0, false, row.ratio(), ""});
    if (row.family->mixed || row.max_ns <= slowest.measured.value_or(0)) continue;
    slowest.measured = row.max_ns;
    slowest.note = fmt::format("{}, {}, {}", row.family->name, name(row.kind), name_of(row.curve));
  }
  wrong.note = fmt::format("{} answers compared", report::format_count(judged));
  bars.push_back(slowest);
  bars.push_back(wrong);
  return bars;
}

Json json_of_row(const CurvedRow& row) {
  return {{"method", default_curved_method().name},
          {"set", row.family->name},
          {"kind", name(row.kind)},
          {"curve", name_of(row.curve)},
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

report::Table curved_table(const std::vector<CurvedRow>& rows) {
  report::Table table;
  for (const char* title : {"set", "kind", "curve"}) table.columns.push_back({title, false});
  for (const char* title : {"queries", "judged", "hits", "false +", "false -", "late", "per query",
                            "exact on lines", "ratio", "max"})
    table.columns.push_back({title});
  for (const CurvedRow& row : rows)
    table.rows.push_back({{std::string(row.family->name)},
                          {name(row.kind)},
                          {name_of(row.curve)},
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
  Machine where = machine();
  report::Report report("Curved paths", describe(where));
  report.paragraph(
      "The first contact of primitives on quadratic, cubic and Hermite curves. The time of exact "
      "on "
      "straight queries of the same family was measured in the same turns. The first queries of "
      "each "
      "set are judged by the curved oracle. One thread.");
  const std::vector<Bar> bars = bars_of_curves(rows);
  const report::Table bars_met = bars_table(bars, where), table = curved_table(rows);
  report.table(bars_met);
  report.table(table);
  Json json = Json::array();
  for (const CurvedRow& row : rows) json.push_back(json_of_row(row));
  return {.suite = "curved",
          .machine = std::move(where),
          .bars = bars,
          .measurements = {{"rows", std::move(json)}},
          .tables = {table, bars_met},
          .report = std::move(report)};
}

}  // namespace graze::bench
