#include "bench/suites/step/step_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "bench/harness/real_data.h"

namespace graze::bench {
namespace {

using report::Cell;
using report::Tone;

Cell time_cell(double seconds) {
  return {report::format_nanoseconds(1e9 * seconds)};
}
Cell count_cell(std::uint64_t count) {
  return {report::format_count(count)};
}
Cell ratio_cell(double ratio) {
  return {std::isfinite(ratio) ? fmt::format("{:.2f}", ratio) : "-"};
}
Cell check_cell(bool right, const std::string& otherwise) {
  return right ? Cell{"right", Tone::good} : Cell{otherwise, Tone::bad};
}

report::Table scenes_table(const std::vector<SceneResult>& scenes) {
  report::Table table{"Whole steps, medians",
                      {{"scene", false},
                       {"threads"},
                       {"earliest"},
                       {"all"},
                       {"enumerate"},
                       {"all/enumerate"},
                       {"toi"},
                       {"contacts"},
                       {"truth", false}},
                      {}};
  std::array<double, 2> earliest{}, every{}, enumerate{};
  const auto add = [&](const std::string& name_, std::size_t t, double first, double all,
                       double pairs) -> std::vector<Cell>& {
    table.rows.push_back({{name_},
                          count_cell(t + 1),
                          time_cell(first),
                          time_cell(all),
                          time_cell(pairs),
                          ratio_cell(all / pairs)});
    return table.rows.back();
  };
  for (const auto& [row, times, start_check, targets, strategies, truth, first_call] : scenes)
    for (const std::size_t t : {0u, 1u}) {
      auto& cells = add(row.name, t, times.earliest[t], times.all[t], times.enumerate[t]);
      earliest[t] += times.earliest[t];
      every[t] += times.all[t];
      enumerate[t] += times.enumerate[t];
      if (t > 0) continue;
      cells.push_back({fmt::format("{:.6g}", truth.toi)});
      cells.push_back(count_cell(truth.contacts));
      cells.push_back(
          check_cell(truth.wrong + truth.missed + truth.times_differ == 0 && truth.first_agrees,
                     fmt::format("{} wrong, {} missed, {} times differ", truth.wrong, truth.missed,
                                 truth.times_differ)));
    }
  for (const std::size_t t : {0u, 1u}) add("together", t, earliest[t], every[t], enumerate[t]);
  return table;
}

report::Table start_checks_table(const std::vector<SceneResult>& scenes) {
  report::Table table{"The start check, one thread, medians in turns",
                      {{"scene", false},
                       {"piercings"},
                       {"earliest without"},
                       {"with"},
                       {"ratio"},
                       {"all without"},
                       {"with"},
                       {"ratio"}},
                      {}};
  for (const SceneResult& scene : scenes) {
    const StartCheckTimes& times = scene.start_check;
    table.rows.push_back({{scene.row.name},
                          count_cell(scene.truth.piercings),
                          time_cell(times.first_without),
                          time_cell(times.first_with),
                          ratio_cell(times.first_ratio()),
                          time_cell(times.all_without),
                          time_cell(times.all_with),
                          ratio_cell(times.all_ratio())});
  }
  return table;
}

report::Table strategies_table(const std::vector<SceneResult>& scenes) {
  report::Table table{"All overlapping pairs of the step, one thread, once",
                      {{"scene", false},
                       {"strategy", false},
                       {"vertex-face"},
                       {"edge-edge"},
                       {"time"},
                       {"counts", false}},
                      {}};
  for (const SceneResult& scene : scenes)
    for (const StrategyResult& result : scene.strategies)
      table.rows.push_back({{scene.row.name},
                            {result.strategy},
                            count_cell(result.vertex_face),
                            count_cell(result.edge_edge),
                            time_cell(result.seconds),
                            check_cell(result.vertex_face == scene.row.vertex_face &&
                                           result.edge_edge == scene.row.edge_edge,
                                       "differ from the data")});
  return table;
}

report::Table targets_table(const std::vector<SceneResult>& scenes) {
  report::Table table{
      "Instruction sets, one thread, medians",
      {{"scene", false}, {"instructions", false}, {"earliest"}, {"all"}, {"enumerate"}},
      {}};
  for (const SceneResult& scene : scenes)
    for (const TargetTimes& times : scene.targets)
      table.rows.push_back({{scene.row.name},
                            {times.target},
                            time_cell(times.earliest),
                            time_cell(times.all),
                            time_cell(times.enumerate)});
  return table;
}

report::Table sequences_table(const std::vector<SequenceResult>& sequences) {
  report::Table table{"Steps in a row, first impacts, one thread, medians",
                      {{"sequence", false},
                       {"steps"},
                       {"anew"},
                       {"StepSearch"},
                       {"ratio"},
                       {"by forecast"},
                       {"answers", false}},
                      {}};
  for (const SequenceResult& result : sequences)
    table.rows.push_back({{result.name},
                          count_cell(result.steps),
                          time_cell(result.anew_seconds),
                          time_cell(result.kept_seconds),
                          ratio_cell(result.anew_seconds / result.kept_seconds),
                          count_cell(result.forecast),
                          check_cell(result.differ == 0, fmt::format("{} differ", result.differ))});
  return table;
}

report::Table gpu_table(const std::vector<GpuStep>& steps, const std::string& name) {
  report::Table table{fmt::format("Whole steps on {}, positions on the host, medians", name),
                      {{"scene", false},
                       {"triangles"},
                       {"contacts"},
                       {"earliest"},
                       {"all"},
                       {"earliest, CPU"},
                       {"all, CPU"},
                       {"answers", false}},
                      {}};
  for (const GpuStep& step : steps)
    table.rows.push_back({{step.name},
                          count_cell(step.triangles),
                          count_cell(step.contacts),
                          time_cell(step.earliest_seconds),
                          time_cell(step.all_seconds),
                          time_cell(step.cpu_earliest_seconds),
                          time_cell(step.cpu_all_seconds),
                          check_cell(step.problem.empty(), step.problem)});
  return table;
}

report::Table races_table(const std::vector<StrategyRace>& races) {
  report::Table table{
      "First impact by strategy, one thread, medians",
      {{"scene", false}, {"strategy", false}, {"time"}, {"over default"}, {"answer", false}},
      {}};
  for (const StrategyRace& race : races)
    for (const EarliestByStrategy& result : race.strategies)
      table.rows.push_back({{race.scene},
                            {result.strategy},
                            time_cell(result.seconds),
                            ratio_cell(result.seconds / race.strategies[0].seconds),
                            check_cell(result.agrees, "differs")});
  return table;
}

report::Table first_calls_table(const std::vector<SceneResult>& scenes) {
  report::Table table{
      "First call and whole process of graze step --first-only, one thread, medians",
      {{"scene", false},
       {"warm"},
       {"first"},
       {"first/warm"},
       {"warm, processor"},
       {"process, processor"},
       {"process/warm"}},
      {}};
  for (const SceneResult& scene : scenes)
    if (const auto& call = scene.first_call)
      table.rows.push_back({{scene.row.name},
                            time_cell(call->warm_wall),
                            time_cell(call->first),
                            ratio_cell(call->first_ratio()),
                            time_cell(call->warm_processor),
                            time_cell(call->process),
                            ratio_cell(call->process_ratio())});
  return table;
}

report::Table scaling_table(const std::vector<ScalingResult>& scaling) {
  report::Table table{"A cloth on a cone, one thread",
                      {{"triangles"},
                       {"pairs"},
                       {"contacts"},
                       {"earliest"},
                       {"all"},
                       {"all per pair"},
                       {"slope"},
                       {"peak memory"}},
                      {}};
  for (std::size_t i = 0; i < scaling.size(); ++i) {
    const ScalingResult& result = scaling[i];
    table.rows.push_back(
        {count_cell(result.triangles),
         count_cell(result.pairs),
         count_cell(result.contacts),
         time_cell(result.earliest_seconds),
         time_cell(result.all_seconds),
         time_cell(result.all_seconds /
                   static_cast<double>(std::max<std::uint64_t>(result.pairs, 1))),
         ratio_cell(i > 0 ? slope(scaling[i - 1], result, &ScalingResult::all_seconds) : NAN),
         {std::isnan(result.peak_bytes) ? "-"
                                        : fmt::format("{:.0f} MiB", result.peak_bytes / 0x1p20)}});
  }
  return table;
}

}  // namespace

std::vector<report::Table> step_tables(const StepResults& all, const std::string& device) {
  std::vector<report::Table> tables;
  if (!all.missing.empty()) tables.push_back(missing_table(all.missing));
  if (!all.scenes.empty()) {
    tables.push_back(scenes_table(all.scenes));
    tables.push_back(start_checks_table(all.scenes));
    tables.push_back(first_calls_table(all.scenes));
    tables.push_back(targets_table(all.scenes));
    tables.push_back(strategies_table(all.scenes));
  }
  tables.push_back(races_table(all.races));
  tables.push_back(sequences_table(all.sequences));
  tables.push_back(scaling_table(all.scaling));
  if (!all.gpu.empty()) tables.push_back(gpu_table(all.gpu, device));
  return tables;
}

}  // namespace graze::bench
