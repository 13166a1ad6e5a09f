#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

#include "graze/io/step_files.h"
#include "graze/sim/edges/edge_scenes.h"
#include "graze/sim/elastic/soft_scenes.h"
#include "interrupt.h"
#include "page.h"
#include "sim.h"
#include "soft_scene.h"
#include "step.h"
#include "terminal.h"

namespace graze::command {
namespace {

struct SimScene {
  std::string_view name, description;
  SimSummary (*run)(const SimArguments&);
};

// Rigid bodies, and all that sim/edges/edge_scenes.h and sim/elastic/soft_scenes.h have.
std::vector<SimScene> scenes() {
  std::vector<SimScene> all{
      {"bunnies", "bunnies (or --model FILE) dropped in a pile; from $GRAZE_DATA/models",
       run_bunnies},
      {"rings", "rings dropped in a pile", run_rings},
      {"wall", "a wall of --count bricks [200] is shot at, with debris", run_wall},
      {"ragdoll", "jointed figures fall down stairs", run_ragdoll},
      {"walker", "a player walks, jumps and slides through a generated level", run_walker}};
  for (const EdgeScene& scene : edge_scenes())
    all.push_back({scene.name, scene.description, run_edges});
  all.push_back(
      {"squash", "a soft cow (or --model FILE, y up) falls; from $GRAZE_DATA/models", run_soft});
  for (const SoftScene& scene : soft_scenes())
    all.push_back({scene.name, scene.description, run_soft});
  all.push_back(
      {"torus", "an elastic ring falls on a cone; kept off it by constraints", run_torus});
  return all;
}

bool is_file(const std::string& scene) {
  return scene.ends_with(".json");
}

// The page and the recording of a run, with its summary for captions.
void show_run(const SimArguments& arguments, const SimSummary& summary, io::Recording& recording) {
  if (!arguments.recording) return;
  if (recording.bodies().empty())
    throw UsageError(fmt::format("the scene {} is not recorded", arguments.scene));
  for (const auto& [fact, value] : summary.json.items())
    if (value.is_primitive() && fact != "scene")
      recording.facts.emplace_back(fact, value.is_number_float()
                                             ? fmt::format("{:.4g}", value.get<double>())
                                             : value.dump());
  const ProgressBar bar("writing");
  show(arguments.html, arguments.record, recording);
}

int run(const SimArguments& arguments) {
  const auto table = scenes();
  const auto scene = std::find_if(table.begin(), table.end(),
                                  [&](const SimScene& row) { return row.name == arguments.scene; });
  if (scene == table.end() && !is_file(arguments.scene)) {
    std::vector<std::string_view> known;
    for (const SimScene& row : table) known.push_back(row.name);
    throw UsageError(fmt::format("no scene is called '{}'; there are {}, and files *.json",
                                 arguments.scene, fmt::join(known, ", ")));
  }
  if (!(arguments.seconds > 0 && arguments.seconds <= 1e6))
    throw UsageError("--seconds must be above 0 and at most 1e6");
  if (const double step = arguments.step.value_or(1); !(step > 0 && step <= 1))
    throw UsageError("--step must be above 0 and at most 1 second");
  const auto play = scene != table.end()             ? scene->run
                    : is_soft_scene(arguments.scene) ? run_soft
                                                     : run_edges;
  const bool is_soft = play == run_soft || play == run_torus;
  const bool is_rigid = play != run_edges && !is_soft;
  for (const auto* file : {&arguments.save, &arguments.resume, &arguments.write_scene})
    if (is_rigid && !file->empty())
      throw UsageError("--save, --resume and --write-scene are not for scenes of rigid bodies");
  if (!is_rigid && !arguments.model.empty() && arguments.scene != "squash")
    throw UsageError("--model is for the scenes bunnies and squash");
  if (play == run_torus && !arguments.write_scene.empty())
    throw UsageError("--write-scene is not for the scene torus: files run with barriers");
  if (!is_soft && !arguments.ccd.empty()) throw UsageError("--ccd is for scenes of soft bodies");
  if (play != run_torus && (arguments.eta || arguments.distance_tol))
    throw UsageError("--eta and --distance-tol are for the scene torus");
  if (is_rigid && !arguments.queries.empty())
    throw UsageError(
        "--dump-queries is for scenes of edges and of soft bodies; others ask no queries of points "
        "on straight lines");
  check_page(arguments.html);
  io::Recording recording;
  recording.title = "graze sim " + arguments.scene;
  recording.z_up = true;
  recording.whole = !arguments.record.empty() && !is_recording(arguments.record);
  SimArguments recorded = arguments;
  if (!arguments.html.empty() || !arguments.record.empty()) recorded.recording = &recording;
  std::optional<io::PairQueryFiles> queries;
  if (!arguments.queries.empty()) {
    queries.emplace(arguments.queries);
    recorded.observer = [&](const MovingMesh& moving, const Pairs& pairs) {
      queries->add(moving, pairs);
    };
  }
  SimSummary summary = play(recorded);
  if (queries) {
    const Uninterrupted whole;
    queries->commit();
    summary.json["queries_written"] = {{"vertex_face", queries->vertex_faces()},
                                       {"edge_edge", queries->edge_edges()}};
    summary.text += fmt::format("wrote {} vertex-face and {} edge-edge queries\n",
                                io::format_count(queries->vertex_faces()),
                                io::format_count(queries->edge_edges()));
  }
  show_run(recorded, summary, recording);
  if (arguments.json)
    print(summary.json);
  else
    fmt::print("{}", summary.text);
  if (!summary.clean) throw std::runtime_error("the run broke its promise; see above");
  return 0;
}

}  // namespace

void add_sim(CLI::App& app, int& exit_code) {
  auto& command = *app.add_subcommand("sim", "Run a scene of moving bodies and check every step");
  const auto arguments = std::make_shared<SimArguments>();
  std::string listed;
  for (const SimScene& row : scenes())
    listed += fmt::format("\n  {:<10} {}", row.name, row.description);
  command.add_option("SCENE", arguments->scene, "one of those below, or a file *.json")->required();
  command.add_option("--seconds", arguments->seconds, "to simulate")->capture_default_str();
  command.add_option("--step", arguments->step, "seconds of a step [1/60, or as the scene likes]");
  command
      .add_option("--count", arguments->count,
                  "bodies, or about as many edges or vertices [as it likes]")
      ->check(CLI::Range(1, 100000).description(""));
  command.add_option("--seed", arguments->seed, "other seeds turn the bodies otherwise")
      ->capture_default_str();
  command.add_option("--model", arguments->model, "mesh that falls (bunnies, squash)");
  command.add_option("--save", arguments->save, "write the last state to this file");
  command.add_option("--resume", arguments->resume, "go on from a saved state");
  add_show_options(command, arguments->html, arguments->record);
  command.add_option("--write-scene", arguments->write_scene, "write the scene as JSON");
  command.add_option("--ccd", arguments->ccd,
                     "soft bodies: bound steps by this method [separation_root]");
  command.add_option("--eta", arguments->eta, "torus: distance of the constraints [1e-3]");
  command.add_option("--distance-tol", arguments->distance_tol,
                     "torus: tolerance of the method of --ccd [1e-6]");
  command.add_option(
      "--dump-queries", arguments->queries,
      "edges, soft bodies: folder for vertex-face.npy and edge-edge.npy, every query "
      "that was asked");
  add_threads(command, arguments->threads);
  add_json(command, arguments->json);
  command.footer("\nScenes:" + listed +
                 "\n\nExamples:\n"
                 "  graze sim rings\n"
                 "  graze sim wall --seconds 6 --step 0.00833 --html wall.html\n"
                 "  graze sim bunnies --count 3 --seconds 2 --json\n"
                 "  graze sim hoop --seconds 3 --html hoop.html\n"
                 "  graze sim hoop --seconds 3 --record hoop.glb\n"
                 "  graze sim squash --seconds 5 --html squash.html");
  command.callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace graze::command
