#include "bench/suites/rigid/rigid_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "bench/peers/rigid_peer.h"
#include "bench/suites/rigid/mating_parts.h"
#include "bench/suites/rigid/preparation.h"
#include "bench/suites/rigid/rigid_measure.h"
#include "terminal/machine.h"

namespace graze::bench {
namespace {

namespace fs = std::filesystem;
using report::Cell;
using report::Tone;
using Json = nlohmann::ordered_json;

Cell time_cell(double seconds) {
  return {report::format_nanoseconds(1e9 * seconds)};
}
Cell milliseconds_cell(double milliseconds) {
  return std::isnan(milliseconds) ? Cell{"-", Tone::faint} : time_cell(1e-3 * milliseconds);
}

// Returns the mean number of iterations; "-" for the certified search, which has no iterations.
Cell iterations_cell(const RigidMethodResult& method, bool is_search) {
  return is_search ? Cell{"-", Tone::faint} : Cell{fmt::format("{:.1f}", method.iterations)};
}

report::Table times_table(const std::vector<RigidScenarioResult>& results) {
  report::Table table{"First contact of two rigid meshes, one thread",
                      {{"scenario", false},
                       {"method", false},
                       {"shots"},
                       {"contacts"},
                       {"missed / late / undecided"},
                       {"mean"},
                       {"median"},
                       {"p95"},
                       {"max"},
                       {"iterations"},
                       {"early, mean"},
                       {"early, max"},
                       {"2006"}},
                      {}};
  for (const RigidScenarioResult& result : results) {
    const auto add = [&](const RigidMethodResult& method, bool first) {
      const auto early_cell = [&](double early) {
        return method.contacts == 0 ? Cell{"-", Tone::faint} : Cell{fmt::format("{:.1e}", early)};
      };
      table.rows.push_back(
          {{first ? result.name : ""},
           {method.method},
           {report::format_count(method.shots.size())},
           {report::format_count(method.contacts)},
           {fmt::format("{} / {} / {}", method.missed, method.late, method.undecided),
            method.missed + method.late > 0 ? Tone::bad : Tone::plain},
           time_cell(method.mean),
           {report::format_nanoseconds(1e9 * method.median), first ? Tone::good : Tone::plain},
           time_cell(method.p95),
           time_cell(method.max),
           iterations_cell(method, first),
           early_cell(method.early),
           early_cell(method.early_max),
           first ? milliseconds_cell(result.published_ms) : Cell{}});
    };
    add(result.ours, true);
    for (const RigidMethodResult& peer : result.peers) add(peer, false);
  }
  return table;
}

// [Zhang 2006] 6.4: the paper's method, the dynamic checker and CONTACT beside ours.
report::Table methods_table(const std::vector<RigidScenarioResult>& results) {
  report::Table table{
      "The methods of graze rigid --method; the paper reports its own as 1.4 to 45.5 times as fast "
      "as CONTACT (screw_interval)",
      {{"scenario", false},
       {"method", false},
       {"shots"},
       {"contacts"},
       {"missed / late / undecided"},
       {"mean"},
       {"median"},
       {"iterations"},
       {"over fast, same shots"}},
      {}};
  for (const RigidScenarioResult& result : results) {
    const auto fast = std::find_if(result.variants.begin(), result.variants.end(),
                                   [](const auto& variant) { return variant.method == "fast"; });
    const auto add = [&](const RigidMethodResult& method, bool first) {
      const double ratio =
          fast == result.variants.end() ? RigidScenario::unknown : mean_ratio(method, *fast);
      table.rows.push_back(
          {{first ? result.name : ""},
           {first ? "certified" : method.method},
           {report::format_count(method.shots.size())},
           {report::format_count(method.contacts)},
           {fmt::format("{} / {} / {}", method.missed, method.late, method.undecided),
            method.missed + method.late > 0 ? Tone::bad : Tone::plain},
           time_cell(method.mean),
           time_cell(method.median),
           iterations_cell(method, first),
           {std::isfinite(ratio) ? fmt::format("{:.2f}", ratio) : "-"}});
    };
    add(result.ours, true);
    for (const RigidMethodResult& variant : result.variants) add(variant, false);
  }
  return table;
}

// [Zhang 2006] Alg. 1 as in the paper and with one part exchanged, beside Alg. 2 and ours.
report::Table ablation_table(const std::vector<RigidScenarioResult>& results) {
  report::Table table{
      "The paper's way against ours: Alg. 1 on convex pieces, with hill climbing, the features of "
      "the last distance and extremal vertices in the motion bound",
      {{"scenario", false},
       {"pairs of pieces"},
       {"method", false},
       {"shots"},
       {"contacts"},
       {"missed / late / undecided"},
       {"mean"},
       {"iterations"},
       {"over the paper's, same shots"}},
      {}};
  for (const RigidScenarioResult& result : results) {
    if (result.ablation.empty()) continue;
    const auto add = [&](const RigidMethodResult& method, const std::string& name) {
      const bool first = &method == &result.ablation[0];
      table.rows.push_back(
          {{first ? result.name : ""},
           {first ? report::format_count(result.pieces_a * result.pieces_b) : ""},
           {name},
           {report::format_count(method.shots.size())},
           {report::format_count(method.contacts)},
           {fmt::format("{} / {} / {}", method.missed, method.late, method.undecided),
            method.missed + method.late > 0 ? Tone::bad : Tone::plain},
           time_cell(method.mean),
           iterations_cell(method, &method == &result.ours),
           {fmt::format("{:.3g}", mean_ratio(method, result.ablation[0]))}});
    };
    for (const RigidMethodResult& row : result.ablation) add(row, "Alg. 1: " + row.method);
    if (!result.variants.empty()) add(result.variants[0], "Alg. 2 (fast)");
    add(result.ours, "ours (certified)");
  }
  return table;
}

report::Table models_table(const std::vector<RigidScenarioResult>& results) {
  report::Table table{
      "Prepared models: two, or one where both are the same",
      {{"scenario", false}, {"triangles"}, {"pieces"}, {"time"}, {"memory"}, {"per triangle"}},
      {}};
  for (const RigidScenarioResult& result : results) {
    const bool alike = result.triangles_a == result.triangles_b;
    const double triangles =
        static_cast<double>(result.triangles_a + (alike ? 0 : result.triangles_b));
    table.rows.push_back({{result.name},
                          {fmt::format("{} + {}", report::format_count(result.triangles_a),
                                       report::format_count(result.triangles_b))},
                          {fmt::format("{} + {}", report::format_count(result.pieces_a),
                                       report::format_count(result.pieces_b))},
                          time_cell(result.ours.prepare_seconds),
                          {fmt::format("{:.1f} MiB", result.bytes / 0x1p20)},
                          {fmt::format("{:.0f} B", result.bytes / triangles)}});
  }
  return table;
}

Json json_of(const RigidMethodResult& method) {
  Json json = {{"method", method.method},
               {"shots", method.shots.size()},
               {"contacts", method.contacts},
               {"missed", method.missed},
               {"late", method.late},
               {"undecided", method.undecided},
               {"prepare_s", method.prepare_seconds},
               {"mean_s", method.mean},
               {"median_s", method.median},
               {"p95_s", method.p95},
               {"max_s", method.max},
               {"iterations", method.iterations},
               {"early_mean", method.early},
               {"early_max", method.early_max}};
  if (!std::isnan(method.translation_mean)) json["translation_mean_s"] = method.translation_mean;
  return json;
}

Json json_of(const std::vector<RigidScenarioResult>& results) {
  Json rows = Json::array();
  for (const RigidScenarioResult& result : results) {
    Json methods = Json::array({json_of(result.ours)});
    for (const RigidMethodResult& peer : result.peers) methods.push_back(json_of(peer));
    for (const RigidMethodResult& variant : result.variants) methods.push_back(json_of(variant));
    Json ablation = Json::array();
    for (const RigidMethodResult& row : result.ablation) ablation.push_back(json_of(row));
    rows.push_back({{"scenario", result.name},
                    {"triangles", {result.triangles_a, result.triangles_b}},
                    {"pieces", {result.pieces_a, result.pieces_b}},
                    {"bytes", result.bytes},
                    {"published_2006_ms",
                     std::isnan(result.published_ms) ? Json() : Json(result.published_ms)},
                    {"methods", methods},
                    {"alg_1", ablation}});
  }
  return rows;
}

Json json_of(const std::vector<MatingRow>& mating) {
  Json rows = Json::array();
  for (const MatingRow& row : mating)
    rows.push_back({{"motion", row.motion},
                    {"method", row.method},
                    {"triangles", row.triangles},
                    {"verdict", name(row.verdict)},
                    {"free", row.free},
                    {"checks", row.checks},
                    {"seconds", row.seconds}});
  return rows;
}

Json json_of(const std::vector<PreparationRow>& prepared) {
  Json rows = Json::array();
  for (const PreparationRow& row : prepared) {
    Json peers = Json::object();
    for (std::size_t i = 0; i < row.peers.size(); ++i)
      peers[std::string(rigid_peers()[i].name)] = row.peers[i];
    rows.push_back({{"model", row.model},
                    {"triangles", row.triangles},
                    {"ready_s", row.ready},
                    {"all_nodes_s", row.all_nodes},
                    {"peers_s", peers}});
  }
  return rows;
}

// Times of our method, and iterations of Alg. 2, over the trials, as in Figures 4, 5, 7 and 8.
std::vector<report::Trials> trial_plots(const std::vector<RigidScenarioResult>& results) {
  std::vector<report::Trials> plots;
  for (const RigidScenarioResult& result : results) {
    const std::string title =
        result.figure.empty() ? result.name : fmt::format("{}: {}", result.figure, result.name);
    report::Trials times{title + ", time", report::Unit::nanoseconds, {}, {}};
    report::Trials steps{title + ", iterations of Alg. 2", report::Unit::count, {}, {}};
    const auto add = [](report::Trials& plot, const RigidMethodResult& method, const auto& value) {
      plot.series.push_back(method.method);
      plot.values.emplace_back();
      for (const ShotResult& shot : method.shots) plot.values.back().push_back(value(shot));
    };
    const auto nanoseconds = [](const ShotResult& shot) { return 1e9 * shot.seconds; };
    add(times, result.ours, nanoseconds);
    if (!result.peers.empty()) add(times, result.peers[0], nanoseconds);
    plots.push_back(std::move(times));
    for (const RigidMethodResult& variant : result.variants)
      if (variant.method == "fast")
        add(steps, variant, [](const ShotResult& shot) { return shot.iterations; });
    if (!steps.values.empty()) plots.push_back(std::move(steps));
  }
  return plots;
}

}  // namespace

Result run_rigid(const Request& request, const Progress& progress) {
  if (request.count == std::size_t{0}) throw std::invalid_argument("--count must be at least 1");
  const fs::path data = real_data(request.paths);
  Machine where = machine();
  std::vector<std::string> missing;
  if (progress) progress("making scenarios", 0);
  const auto scenarios = rigid_scenarios(data, request.count.value_or(250), request.seed, missing);
  std::vector<RigidScenarioResult> results;
  for (const RigidScenario& scenario : scenarios) {
    if (progress)
      progress(scenario.name,
               static_cast<double>(results.size()) / static_cast<double>(scenarios.size()));
    results.push_back(measure_rigid(scenario));
  }
  if (progress) progress("mating parts", 1);
  const std::vector<MatingRow> mating = measure_mating_parts(request.count ? 10 : 1000);
  if (progress) progress("preparation", 1);
  const std::vector<PreparationRow> prepared = measure_preparation(scenarios);
  std::vector<Bar> bars = rigid_bars(results);
  for (Bar& bar : preparation_bars(prepared)) bars.push_back(std::move(bar));
  for (Bar& bar : mating_bars(mating)) bars.push_back(std::move(bar));

  std::vector<report::Table> tables;
  if (!missing.empty()) tables.push_back(missing_table(missing));
  tables.push_back(times_table(results));
  tables.push_back(methods_table(results));
  tables.push_back(mating_table(mating));
  tables.push_back(ablation_table(results));
  tables.push_back(models_table(results));
  tables.push_back(preparation_table(prepared));
  tables.push_back(bars_table(bars, where));

  report::Report report("Rigid bodies: the first contact", describe(where));
  std::string peers;
  for (const RigidPeer& peer : rigid_peers())
    peers += fmt::format(" {}: {}.", peer.name, peer.description);
  report.paragraph(
      "The benchmarks of [Zhang 2006], Section 6.2, and two more pairs. A contact is a distance of "
      "a thousandth of the size of the model or less. Each shot is measured three times, and the "
      "median counts; processor time of one thread. early: the contact time less the reported "
      "time, "
      "as a fraction of the step. iterations: of the advancement, as the paper counts them (about "
      "4); the certified search does not advance step by step. 2006: the time of the paper for its "
      "own models on a Pentium 4 "
      "with "
      "3.6 GHz. Of the other methods of graze rigid --method, fast is run on all shots of a "
      "scenario and the others on the first 10, with a budget of 400,000 checks, beyond which a "
      "shot is undecided, and of 3 seconds, after which no shot is begun. A shot that takes less "
      "than 0.15 s is run twice, and the second time counts. Ratios of two methods are over the "
      "shots that both have." +
      (peers.empty() ? " The CMake option GRAZE_PEERS adds other libraries." : peers));
  report.heading("Results");
  for (const report::Table& table : tables) report.table(table);
  report.heading("Trial by trial");
  report.trials(trial_plots(results));

  return {.suite = "rigid",
          .machine = std::move(where),
          .bars = bars,
          .missing = std::move(missing),
          .measurements = {{"rows", json_of(results)},
                           {"mating_parts", json_of(mating)},
                           {"preparation", json_of(prepared)}},
          .tables = std::move(tables),
          .report = std::move(report)};
}

}  // namespace graze::bench
