#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "commands/command.h"
#include "commands/step.h"
#include "edge_scene.h"
#include "graze/sim/edges/edge_scenes.h"
#include "scene_recorder.h"
#include "scenes/json_reader.h"
#include "sim.h"
#include "terminal/terminal.h"

namespace graze::command {
namespace {

sim::edges::Model edge_model_of(const SimArguments& arguments) {
  for (const sim::edges::EdgeScene& scene : sim::edges::edge_scenes())
    if (scene.name == arguments.scene)
      return scene.make(arguments.count > 0 ? arguments.count : scene.usual_edges);
  return read_edge_scene(arguments.scene);
}

// Sums over the steps of a run.
struct EdgeTotals {
  std::uint64_t steps = 0, newton_steps = 0, impulses = 0, zones = 0, shortened = 0, crossings = 0;
  std::uint64_t on_whole_step = 0;  // impulses
  double contact_seconds = 0;
  double most_energy = -std::numeric_limits<double>::infinity();
  std::vector<double> frame_ms;

  void add(const sim::edges::Report& report, double energy, double milliseconds) {
    ++steps;
    newton_steps += static_cast<std::uint64_t>(report.newton_steps);
    impulses += report.impulses;
    if (report.whole_step) on_whole_step += report.impulses;
    zones += report.zones;
    shortened += report.part < 1;
    contact_seconds += report.contact_seconds;
    most_energy = std::max(most_energy, energy);
    frame_ms.push_back(milliseconds);
  }
  double percentile(double share) {
    if (frame_ms.empty()) return 0;
    const auto at = static_cast<std::size_t>(share * static_cast<double>(frame_ms.size() - 1));
    std::nth_element(frame_ms.begin(), frame_ms.begin() + static_cast<std::ptrdiff_t>(at),
                     frame_ms.end());
    return frame_ms[at];
  }
};

}  // namespace

SimSummary run_edges(const SimArguments& arguments) {
  const sim::edges::Model model = edge_model_of(arguments);
  if (!arguments.write_scene.empty()) write_json(arguments.write_scene, to_json(model));
  sim::edges::Workspace workspace(model);
  sim::edges::State state = start(model);
  if (!arguments.resume.empty()) state = read_edge_state(arguments.resume, state);
  const Run run{.threads = arguments.threads};
  EdgeTotals totals;
  sim::edges::Options options;
  options.observer = arguments.observer;
  options.monitor = [&](const sim::edges::State& before, const sim::edges::State& after) {
    totals.crossings +=
        find_crossing(workspace.mesh(), before, after, run).verdict != Verdict::separated;
  };
  MeshRecorder recorder(arguments.recording, arguments.scene, workspace.mesh(), state.positions,
                        state.time, *std::ranges::max_element(model.radii));

  const double energy_before = energy(model, state).total();
  SimSummary summary;
  const Stopwatch wall;
  {
    ProgressBar bar("moving");
    summary.interrupted = run_steps(
        arguments, arguments.step.value_or(1.0 / 60), [&](double seconds, double fraction) {
          const Stopwatch frame;
          options.seconds = seconds;
          const sim::edges::Report report = step(model, state, workspace, options, run);
          const double taken = frame.seconds();
          totals.add(report, energy(model, state).total(), 1000 * taken);
          recorder.add_frame(state.time, state.positions, report.contacts);
          bar(fmt::format("{:.2f} s, {} impulses", state.time, totals.impulses), fraction);
          return totals.crossings == 0;
        });
  }
  if (!arguments.save.empty()) write_json(arguments.save, to_json(state));

  const double seconds = wall.seconds(), energy_after = energy(model, state).total();
  const double rate = static_cast<double>(totals.steps) / seconds;
  const std::size_t edges = workspace.mesh().edges.size();
  summary.clean = totals.crossings == 0;
  if (!summary.clean)
    summary.failure =
        fmt::format("{}: features touch or cross in {} step, at {:.6g} s; 0 are allowed",
                    arguments.scene, totals.crossings, state.time);
  summary.json = {
      {"scene", arguments.scene},
      {"particles", model.positions.size()},
      {"edges", edges},
      {"simulated_s", state.time},
      {"steps", totals.steps},
      {"impulses", totals.impulses},
      {"impulses_on_whole_step", totals.on_whole_step},
      {"zones", totals.zones},
      {"shortened_steps", totals.shortened},
      {"crossings", totals.crossings},
      {"newton_steps", totals.newton_steps},
      {"energy_J", {{"start", energy_before}, {"end", energy_after}, {"most", totals.most_energy}}},
      {"frames_per_second", rate},
      {"frame_ms", {{"median", totals.percentile(0.5)}, {"p95", totals.percentile(0.95)}}},
      {"seconds", {{"contact", totals.contact_seconds}, {"total", seconds}}}};
  summary.text = fmt::format(
      "{} edges, {:.4g} s in {} steps: {}\n"
      "{} impulses ({} on the whole step), {} rigid zones, {} steps shortened\n"
      "energy {:.3g} J at the start, {:.3g} J at the end\n"
      "{:.1f} frames per second, {:.0f} % of the time in contact\n",
      report::format_count(edges), state.time, report::format_count(totals.steps),
      totals.crossings > 0 ? "CROSSED" : "nothing crossed at any step",
      report::format_count(totals.impulses), report::format_count(totals.on_whole_step),
      report::format_count(totals.zones), report::format_count(totals.shortened), energy_before,
      energy_after, rate, 100 * totals.contact_seconds / seconds);
  return summary;
}

}  // namespace graze::command
