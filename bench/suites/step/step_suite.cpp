#include "bench/suites/step/step_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "bench/suites/step/first_call.h"
#include "bench/suites/step/step_gpu.h"
#include "bench/suites/step/step_kernels.h"
#include "bench/suites/step/step_measure.h"
#include "terminal/machine.h"

namespace graze::bench {
namespace {

namespace fs = std::filesystem;
using report::Cell;
using report::Tone;
using Json = nlohmann::ordered_json;

// The numbers of overlapping pairs that the scenes publish.
struct SceneRow {
  const char* name;
  std::uint64_t vertex_face, edge_edge;
};
constexpr SceneRow scene_rows[] = {{"cloth-funnel", 7'319, 33'770},
                                   {"armadillo-rollers", 2'031'902, 5'068'080},
                                   {"cloth-ball", 1'655'541, 5'197'332}};

struct SceneResult {
  SceneRow row;
  StepTimes times;
  StartCheckTimes start_check;
  std::vector<TargetTimes> targets;
  std::vector<StrategyResult> strategies;
  StepTruth truth;
  std::optional<FirstCall> first_call;

  bool counts_agree() const {
    return std::all_of(strategies.begin(), strategies.end(), [&](const StrategyResult& result) {
      return result.vertex_face == row.vertex_face && result.edge_edge == row.edge_edge;
    });
  }
  bool right() const {
    return counts_agree() && truth.wrong == 0 && truth.missed == 0 && truth.times_differ == 0 &&
           truth.first_agrees;
  }
};

// The first impact of one scene by all strategies.
struct StrategyRace {
  std::string scene;
  std::vector<EarliestByStrategy> strategies;

  // Returns the time of the default over the least time of the other strategies.
  double default_over_best() const {
    double best = strategies[1].seconds;
    for (std::size_t i = 2; i < strategies.size(); ++i)
      best = std::min(best, strategies[i].seconds);
    return strategies[0].seconds / best;
  }
};

struct Measurements {
  std::vector<SceneResult> scenes;
  std::vector<StrategyRace> races;
  std::vector<ScalingResult> scaling;
  std::vector<SequenceResult> sequences;
  std::vector<GpuStep> gpu;  // empty without a GPU
  std::vector<std::string> missing;
};

std::vector<std::size_t> sizes_up_to(std::size_t largest) {
  std::vector<std::size_t> sizes;
  for (std::size_t size = 1000; size < largest; size *= 4) sizes.push_back(size);
  sizes.push_back(largest);
  return sizes;
}

Measurements measure(const Request& request, const fs::path& data, const Progress& progress) {
  const auto sizes = sizes_up_to(request.count.value_or(4'000'000));
  constexpr std::size_t most_times = 20'000, sequence_steps = 50;
  Measurements all;
  double done = 0;
  const auto tell = [&](const std::string& doing, double share) {
    if (progress) progress(doing, done);
    done += share;
  };
  for (const SceneRow& row : scene_rows) {
    const fs::path folder = inside(data, fs::path("scenes") / row.name);
    tell(row.name, 0.2);
    if (!fs::is_directory(folder)) {
      all.missing.push_back(fmt::format("scene {}", row.name));
      continue;
    }
    const Scene scene = read_scene(folder);
    const MovingMesh moving = scene.motion.moving();
    all.scenes.push_back({row, measure_step_times(moving, 10 * request.seconds),
                          measure_start_check(moving, 10 * request.seconds),
                          measure_targets(moving, 10 * request.seconds), measure_strategies(moving),
                          judge_step(scene, most_times, request.seed),
                          measure_first_call(scene.files, moving, 10 * request.seconds)});
    all.races.push_back({row.name, measure_earliest(moving, request.seconds)});
    if (request.gpu) all.gpu.push_back(measure_gpu_step(row.name, moving, *request.gpu));
    if (row.name == std::string_view("cloth-ball"))
      all.sequences.push_back(
          measure_sequence("cloth-ball in equal parts", in_parts(moving, sequence_steps), 0));
  }
  all.sequences.push_back(
      measure_sequence("cloth on a cone",
                       generate::find_scene_recipe("cloth_on_cone")
                           ->make(std::min<std::size_t>(sizes.back(), 100'000), sequence_steps + 1),
                       0));
  for (const auto& [name, what] :
       {std::pair("cloth_on_cone", "cloth on a cone"), std::pair("twisted_rods", "twisted rods")}) {
    const generate::FrameSequence scene =
        generate::find_scene_recipe(name)->make(std::min<std::size_t>(sizes.back(), 80'000), 3);
    for (const std::size_t step : {0u, 1u})
      all.races.push_back({fmt::format("{}, {}", what, step == 0 ? "free" : "touching"),
                           measure_earliest(scene.step(step), request.seconds)});
  }
  for (const std::size_t size : sizes) {
    tell(fmt::format("cloth of {} triangles", report::format_count(size)),
         0.4 / static_cast<double>(sizes.size()));
    all.scaling.push_back(measure_scaling(size, request.seconds));
    if (!request.gpu) continue;
    const generate::FrameSequence scene =
        generate::find_scene_recipe("cloth_on_cone")->make(size, 3);
    all.gpu.push_back(measure_gpu_step("cloth on a cone", scene.step(1), *request.gpu));
  }
  return all;
}

// Returns k in time ~ pairs^k between two sizes.
double slope(const ScalingResult& a, const ScalingResult& b, double ScalingResult::*seconds) {
  return std::log(b.*seconds / a.*seconds) /
         std::log(static_cast<double>(b.pairs) / static_cast<double>(a.pairs));
}

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

// Returns the largest value of function(call) of the scenes; none if a scene has no first call.
template <class Function>
std::optional<double> worst_first_call(const std::vector<SceneResult>& scenes,
                                       Function&& function) {
  double worst = 0;
  for (const SceneResult& scene : scenes) {
    if (!scene.first_call) return std::nullopt;
    worst = std::max(worst, function(*scene.first_call));
  }
  return worst;
}

// Returns the largest ratio of the times of an instruction set and the next lower one, for the
// scenes together.
double worst_of_lower_target(const std::vector<SceneResult>& scenes, double TargetTimes::*time) {
  std::vector<double> sums(scenes.front().targets.size());
  for (const SceneResult& scene : scenes)
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += scene.targets[i].*time;
  double worst = 0;
  for (std::size_t i = 0; i + 1 < sums.size(); ++i) worst = std::max(worst, sums[i] / sums[i + 1]);
  return worst;
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

std::vector<Bar> bars_of(const Measurements& all) {
  std::vector<Bar> bars;
  if (all.missing.empty()) {
    const auto sum = [&](std::array<double, 2> StepTimes::*times, std::size_t threads) {
      double seconds = 0;
      for (const SceneResult& scene : all.scenes) seconds += (scene.times.*times)[threads - 1];
      return seconds;
    };
    const auto gain = [&](std::array<double, 2> StepTimes::*times) {
      return sum(times, 1) / sum(times, 2);
    };
    bars.push_back({"all contacts over the time of enumerating the pairs, the scenes together",
                    "x",
                    2,
                    false,
                    sum(&StepTimes::all, 1) / sum(&StepTimes::enumerate, 1),
                    {}});
    bars.push_back({"second thread: first impact", "x", 1.8, true, gain(&StepTimes::earliest), {}});
    bars.push_back({"second thread: all contacts", "x", 1.8, true, gain(&StepTimes::all), {}});
    bars.push_back({"second thread: pairs", "x", 1.8, true, gain(&StepTimes::enumerate), {}});
  }
  if (all.missing.empty())
    for (const auto& [what, time] : {std::pair("first impact", &TargetTimes::earliest),
                                     std::pair("all contacts", &TargetTimes::all),
                                     std::pair("pairs", &TargetTimes::enumerate)})
      bars.push_back({fmt::format("an instruction set over the next lower one: {}", what),
                      "x",
                      1.1,
                      false,
                      worst_of_lower_target(all.scenes, time),
                      {}});
  if (all.missing.empty()) {
    double worst_check = 0;
    for (const SceneResult& scene : all.scenes)
      worst_check = std::max(worst_check, scene.start_check.first_ratio());
    bars.push_back({"first impact: with the start check over without, worst scene",
                    "x",
                    1.1,
                    false,
                    worst_check,
                    {}});
    bars.push_back(
        {"first call of a process over a warm call, worst scene",
         "x",
         1.2,
         false,
         worst_first_call(all.scenes, [](const auto& call) { return call.first_ratio(); }),
         {}});
    bars.push_back(
        {"process of graze step --first-only over a warm call, worst scene",
         "x",
         1.8,
         false,
         worst_first_call(all.scenes, [](const auto& call) { return call.process_ratio(); }),
         {}});
  }
  double worst_race = 0;
  for (const StrategyRace& race : all.races)
    worst_race = std::max(worst_race, race.default_over_best());
  bars.push_back({"first impact: the default over the fastest other strategy, worst scene",
                  "x",
                  1.2,
                  false,
                  worst_race,
                  {}});
  for (const SequenceResult& sequence : all.sequences)
    bars.push_back({fmt::format("StepSearch over searches anew: {}", sequence.name),
                    "x",
                    2,
                    true,
                    sequence.anew_seconds / sequence.kept_seconds,
                    {}});
  if (all.scaling.size() > 1)
    bars.push_back({"time of all contacts ~ pairs^k from the smallest cloth to the largest",
                    "",
                    1.1,
                    false,
                    slope(all.scaling.front(), all.scaling.back(), &ScalingResult::all_seconds),
                    {}});
  bars.push_back({"peak memory of the largest cloth",
                  "MiB",
                  4096,
                  false,
                  all.scaling.back().peak_bytes / 0x1p20,
                  {}});
  return bars;
}

Json json_of(const Measurements& all) {
  Json json = {{"scenes", Json::array()},
               {"races", Json::array()},
               {"sequences", Json::array()},
               {"gpu", Json::array()},
               {"rows", Json::array()}};
  for (const StrategyRace& race : all.races)
    for (const EarliestByStrategy& result : race.strategies)
      json["races"].push_back({{"scene", race.scene},
                               {"strategy", result.strategy},
                               {"earliest_s", result.seconds},
                               {"agrees", result.agrees}});
  for (const SequenceResult& result : all.sequences)
    json["sequences"].push_back({{"sequence", result.name},
                                 {"steps", result.steps},
                                 {"steps_by_forecast", result.forecast},
                                 {"steps_differ", result.differ},
                                 {"anew_s", result.anew_seconds},
                                 {"step_search_s", result.kept_seconds}});
  for (const auto& scene : all.scenes) {
    const auto& [row, times, start_check, targets, strategies, truth, first_call] = scene;
    Json by_target = Json::array();
    for (const TargetTimes& each : targets)
      by_target.push_back({{"instruction_set", each.target},
                           {"enumerate_s", each.enumerate},
                           {"earliest_s", each.earliest},
                           {"all_s", each.all}});
    Json found = Json::array();
    for (const StrategyResult& result : strategies)
      found.push_back({{"strategy", result.strategy},
                       {"vertex_face", result.vertex_face},
                       {"edge_edge", result.edge_edge},
                       {"seconds", result.seconds}});
    Json first = nullptr;
    if (first_call)
      first = {{"first_wall_s", first_call->first},
               {"warm_wall_s", first_call->warm_wall},
               {"process_processor_s", first_call->process},
               {"warm_processor_s", first_call->warm_processor}};
    json["scenes"].push_back({{"scene", row.name},
                              {"right", scene.right()},
                              {"toi", truth.toi},
                              {"contacts", truth.contacts},
                              {"wrong", truth.wrong},
                              {"missed", truth.missed},
                              {"times_checked", truth.times},
                              {"times_differ", truth.times_differ},
                              {"enumerate_s", times.enumerate},
                              {"earliest_s", times.earliest},
                              {"all_s", times.all},
                              {"piercings", truth.piercings},
                              {"start_check",
                               {{"earliest_without_s", start_check.first_without},
                                {"earliest_with_s", start_check.first_with},
                                {"all_without_s", start_check.all_without},
                                {"all_with_s", start_check.all_with}}},
                              {"first_call", first},
                              {"instruction_sets", by_target},
                              {"strategies", found}});
  }
  for (const GpuStep& step : all.gpu)
    json["gpu"].push_back({{"scene", step.name},
                           {"triangles", step.triangles},
                           {"contacts", step.contacts},
                           {"earliest_s", step.earliest_seconds},
                           {"all_s", step.all_seconds},
                           {"cpu_earliest_s", step.cpu_earliest_seconds},
                           {"cpu_all_s", step.cpu_all_seconds},
                           {"problem", step.problem.empty() ? Json() : Json(step.problem)}});
  for (const ScalingResult& result : all.scaling)
    json["rows"].push_back({{"triangles", result.triangles},
                            {"pairs", result.pairs},
                            {"contacts", result.contacts},
                            {"earliest_s", result.earliest_seconds},
                            {"all_s", result.all_seconds},
                            {"peak_bytes", result.peak_bytes}});
  return json;
}

// Returns charts of time and memory by the size of the cloth.
std::vector<report::LogBars> scaling_charts(const std::vector<ScalingResult>& scaling) {
  report::LogBars times{
      "time by triangles", report::Unit::nanoseconds, {"earliest", "all"}, {}, {}};
  report::LogBars memory{
      "peak memory in KiB by triangles", report::Unit::count, {"memory"}, {}, {}};
  for (const ScalingResult& result : scaling) {
    times.labels.push_back(report::format_count(result.triangles));
    times.values.push_back({1e9 * result.earliest_seconds, 1e9 * result.all_seconds});
    memory.labels.push_back(times.labels.back());
    memory.values.push_back({std::round(result.peak_bytes / 1024)});
  }
  return {times, memory};
}

}  // namespace

Result run_step(const Request& request, const Progress& progress) {
  if (request.count == std::size_t{0}) throw std::invalid_argument("--count must be at least 1");
  if (request.targets) return run_step_kernels(request, progress);
  const fs::path data = real_data(request.paths);
  Machine where = machine();
  const Measurements all = measure(request, data, progress);
  if (progress) progress("report", 1);

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
  if (!all.gpu.empty()) tables.push_back(gpu_table(all.gpu, request.device.name));
  tables.push_back(bars_table(bars_of(all), where));

  report::Report report("The cost of a step", describe(where));
  report.paragraph(fmt::format(
      "Medians of passes in turns: processor time on one thread, wall time on two; load before the "
      "run {:.1f}. earliest: the "
      "first impact; all: every contact, sorted; enumerate: the overlapping pairs of the whole "
      "step, by {}. Truth: contacts are those of the scene's files, no more, no fewer; a sample of "
      "their times equals the oracle's; the first is that of earliest. Memory is that of the "
      "process, the mesh and its frames included.",
      where.load.value_or(0), default_pair_strategy().name));
  report.heading("Size");
  report.bars(scaling_charts(all.scaling));
  report.heading("Results");
  for (const auto& table : tables) report.table(table);
  return {.suite = "step",
          .machine = std::move(where),
          .bars = bars_of(all),
          .missing = all.missing,
          .measurements = json_of(all),
          .tables = std::move(tables),
          .report = std::move(report)};
}

}  // namespace graze::bench
