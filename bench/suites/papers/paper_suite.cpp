#include "bench/suites/papers/paper_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "bench/suites/area_inclusion/area_inclusion_suite.h"
#include "bench/suites/edges/edge_suite.h"
#include "bench/suites/papers/paper_report.h"
#include "bench/suites/papers/paper_simulations.h"
#include "bench/suites/polyhedron/polyhedron_suite.h"
#include "bench/suites/rigid/rigid_suite.h"

namespace graze::bench {
namespace {

// A suite that belongs to a paper. `share`: its seconds as a share of the request's.
struct PaperSuite {
  const char *paper, *suite, *key;
  Result (*run)(const Request&, const Progress&);
  double share;
};
constexpr PaperSuite paper_suites[] = {
    {"[Huh 2014], Table 1", "area-inclusion", "huh_table_1", run_area_inclusion, 1},
    {"[Zhang 2006]", "rigid", "zhang", run_rigid, 1},
    {"[Jansen]", "edges", "jansen", run_edges, 0.75},
    {"[van Waveren 2005]", "polyhedron", "van_waveren", run_polyhedron, 0.05},
};

struct NotMeasured {
  const char *paper, *what;
};
constexpr NotMeasured not_measured[] = {
    {"[Wang 2021]", "the full data set, 60 million queries: samples, stopped by time, replace it"},
    {"[Wang 2021]", "Figure 2: the whole handcrafted set; its public sample is measured"},
    {"[Wang 2021]",
     "Figure 3: the two cow heads, which two whole cows replace (models/spot.obj of the data), and "
     "the mat: graze sim mat runs the scene"},
    {"[Wang 2021]", "Figure 10: the octocat, which is not among the data; another figure falls"},
    {"[Wang 2021]",
     "Section 7.2: the published factor 8 of the two accelerations of the line search; "
     "docs/simulation.md has ours"},
    {"[Huh 2014]", "Cloth-ball: 92 of the 93 steps; a sample of the pairs of one step is measured"},
    {"[Huh 2014]", "the scenes Lion, N-Body and Dragon-Bunny: generated stand-ins replace them"},
    {"[Zhang 2006]", "the Santa: a generated figure replaces it"},
    {"[Zhang 2006]",
     "Algorithm 1 with single parts exchanged where the models have more than 1.2 "
     "million pairs of pieces"},
    {"[Zhang 2006]",
     "Algorithm 1 (pieces), CONTACT and the dynamic checker on all shots: at most the first 10 of "
     "a "
     "scenario are measured"},
    {"[Jansen]", "Figure 2, two edges: graze sim sticks runs the scene"},
    {"[van Waveren 2005]", "the brick wall of Section 6: graze sim wall runs it"},
    {"[van Waveren 2005]", "the player movement of Section 6: graze sim walker runs it"},
};

report::Table not_measured_table() {
  report::Table table{"Missing in this run: results of the papers that it does not have",
                      {{"paper", false}, {"missing", false}},
                      {}};
  for (const auto& [paper, what] : not_measured) table.rows.push_back({{paper}, {what}});
  return table;
}

struct MeasuredPapers {
  PaperSets sets;
  PaperMeasurements all;
};
MeasuredPapers measured_papers(const Request& request, const Progress& progress) {
  if (request.count == std::size_t{0}) throw std::invalid_argument("--count must be at least 1");
  std::vector<const Method*> chosen = request.methods;
  if (chosen.empty())
    for (const Method& method : methods()) chosen.push_back(&method);
  MeasuredPapers result;
  result.sets = read_paper_sets(real_data(request.paths), request.count.value_or(300), request.seed,
                                request.threads, progress);
  result.all = measure_paper(result.sets, request, chosen, progress);
  if (progress) progress("report", 1);
  return result;
}

}  // namespace

Result run_paper(const Request& request, const Progress& progress) {
  const auto [sets, all] = measured_papers(request, progress);
  Result result = paper_result(sets, all, request);
  add_paper_failures(sets, all, result.report);
  return result;
}

Result run_papers(const Request& request, const Progress& progress) {
  const auto [sets, measured] = measured_papers(request, progress);
  Result all = paper_result(sets, measured, request);
  all.suite = "papers";
  add_paper_simulations(
      measure_paper_simulations(real_data(request.paths), request.seconds, progress), all);
  for (const PaperSuite& part : paper_suites) {
    Request own = request;
    own.methods.clear();
    own.store.clear();
    own.seconds = part.share * request.seconds;
    Result found = part.run(own, progress);
    all.report.part(fmt::format("{}: graze bench --suite {}", part.paper, part.suite),
                    found.report);
    for (report::Table& table : found.tables) all.tables.push_back(std::move(table));
    all.bars.insert(all.bars.end(), found.bars.begin(), found.bars.end());
    for (const std::string& file : found.missing)
      if (std::find(all.missing.begin(), all.missing.end(), file) == all.missing.end())
        all.missing.push_back(file);
    all.measurements[part.key] = std::move(found.measurements);
  }
  const report::Table table = not_measured_table();
  all.report.heading("Missing in this run");
  all.report.table(table);
  all.tables.push_back(table);
  auto& json = all.measurements["not_measured"] = nlohmann::ordered_json::array();
  for (const auto& [paper, what] : not_measured) json.push_back({{"paper", paper}, {"what", what}});
  add_paper_failures(sets, measured, all.report);
  return all;
}

}  // namespace graze::bench
