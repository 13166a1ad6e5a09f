#include "bench/suites/step/step_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "bench/suites/step/step_kernels.h"
#include "bench/suites/step/step_results.h"
#include "bench/suites/step/step_tables.h"
#include "terminal/machine.h"

namespace graze::bench {
namespace {

namespace fs = std::filesystem;

constexpr SceneRow scene_rows[] = {{"cloth-funnel", 7'319, 33'770},
                                   {"armadillo-rollers", 2'031'902, 5'068'080},
                                   {"cloth-ball", 1'655'541, 5'197'332}};

std::vector<std::size_t> sizes_up_to(std::size_t largest) {
  std::vector<std::size_t> sizes;
  for (std::size_t size = 1000; size < largest; size *= 4) sizes.push_back(size);
  sizes.push_back(largest);
  return sizes;
}

StepResults measure(const Request& request, const fs::path& data, const Progress& progress) {
  const auto sizes = sizes_up_to(request.count.value_or(4'000'000));
  constexpr std::size_t most_times = 20'000, sequence_steps = 50;
  StepResults all;
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

std::vector<Bar> bars_of(const StepResults& all) {
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
  const StepResults all = measure(request, data, progress);
  if (progress) progress("report", 1);

  std::vector<report::Table> tables = step_tables(all, request.device.name);
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
