#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "command.h"
#include "edge_scene.h"
#include "graze/sim/edges/edge_scenes.h"
#include "json_reader.h"
#include "scene_recorder.h"
#include "sim.h"
#include "step.h"
#include "terminal.h"

namespace graze::command {
namespace {

EdgeModel model_of(const SimArguments& arguments) {
  for (const EdgeScene& scene : edge_scenes())
    if (scene.name == arguments.scene)
      return scene.make(arguments.count > 0 ? arguments.count : scene.usual_edges);
  if (arguments.count > 0) throw UsageError("a scene from a file has its own --count");
  return read_edge_scene(arguments.scene);
}

// Sums over the steps of a run.
struct Totals {
  std::uint64_t steps = 0, newton_steps = 0, impulses = 0, zones = 0, shortened = 0, crossings = 0;
  double contact_seconds = 0;
  double most_energy = -std::numeric_limits<double>::infinity();
  std::vector<double> frame_ms;

  void add(const EdgeStepReport& report, double energy, double milliseconds) {
    ++steps;
    newton_steps += static_cast<std::uint64_t>(report.newton_steps);
    impulses += report.impulses;
    zones += report.zones;
    shortened += report.part < 1;
    crossings += report.crossed;
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
  const EdgeModel model = model_of(arguments);
  if (!arguments.write_scene.empty()) write_json(arguments.write_scene, to_json(model));
  EdgeSystem system(model);
  system.set_monitor(true);
  system.set_observer(arguments.observer);
  if (!arguments.resume.empty()) system.restore(read_edge_state(arguments.resume, system.state()));
  MeshRecorder recorder(arguments.recording, arguments.scene, system.mesh(),
                        system.model().positions, system.time(),
                        *std::ranges::max_element(model.radii));

  const double h = arguments.step.value_or(1.0 / 60);
  const double energy_before = system.energy().total();
  Totals totals;
  const Stopwatch wall;
  {
    ProgressBar bar("moving");
    const auto steps = static_cast<std::uint64_t>(std::ceil(arguments.seconds / h - 1e-9));
    while (totals.steps < steps && totals.crossings == 0) {
      const Stopwatch frame;
      const EdgeStepReport report = system.step(h, arguments.threads);
      const double seconds = frame.seconds();
      totals.add(report, system.energy().total(), 1000 * seconds);
      recorder.add_frame(system.time(), system.model().positions, report.pushed);
      bar(fmt::format("{:.2f} s, {} impulses", system.time(), totals.impulses),
          static_cast<double>(totals.steps) / static_cast<double>(steps));
    }
  }
  if (!arguments.save.empty()) write_json(arguments.save, to_json(system.state()));

  const double seconds = wall.seconds(), energy_after = system.energy().total();
  const double rate = static_cast<double>(totals.steps) / seconds;
  const std::size_t edges = system.mesh().edges.size();
  SimSummary summary;
  summary.clean = totals.crossings == 0;
  summary.json = {
      {"scene", arguments.scene},
      {"particles", model.positions.size()},
      {"edges", edges},
      {"simulated_s", system.time()},
      {"steps", totals.steps},
      {"impulses", totals.impulses},
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
      "{} impulses, {} rigid zones, {} steps shortened; energy {:.3g} J at the start, {:.3g} J at "
      "the end\n"
      "{:.1f} frames per second, {:.0f} % of the time in contact\n",
      io::format_count(edges), system.time(), io::format_count(totals.steps),
      totals.crossings > 0 ? "CROSSED" : "nothing crossed at any step",
      io::format_count(totals.impulses), io::format_count(totals.zones),
      io::format_count(totals.shortened), energy_before, energy_after, rate,
      100 * totals.contact_seconds / seconds);
  return summary;
}

}  // namespace graze::command
