#include "sim.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "commands/step.h"
#include "edge_scene.h"
#include "graze/io/meshes/step_files.h"
#include "graze/sim/edges/edge_scenes.h"
#include "graze/sim/elastic/soft_scenes.h"
#include "scenes/json_reader.h"
#include "soft_scene.h"
#include "terminal/interrupt.h"
#include "terminal/page.h"
#include "terminal/terminal.h"

namespace graze::command {
namespace {

// The options that not every scene takes.
enum Takes : unsigned {
  takes_count = 1u << 0,
  takes_seed = 1u << 1,
  takes_model = 1u << 2,
  takes_state = 1u << 3,  // --save and --resume
  takes_write_scene = 1u << 4,
  takes_ccd = 1u << 5,
  takes_solver = 1u << 6,  // --solver, --eta and --distance-tol
  takes_queries = 1u << 7,
  takes_threads = 1u << 8,
  takes_wall = 1u << 9,  // --mover and --shots
};

struct SceneOption {
  const char* name;
  unsigned needs;
};
constexpr SceneOption scene_options[] = {
    {"--count", takes_count},     {"--seed", takes_seed},
    {"--model", takes_model},     {"--save", takes_state},
    {"--resume", takes_state},    {"--write-scene", takes_write_scene},
    {"--ccd", takes_ccd},         {"--solver", takes_solver},
    {"--eta", takes_solver},      {"--distance-tol", takes_solver},
    {"--mover", takes_wall},      {"--shots", takes_wall},
    {"--threads", takes_threads}, {"--dump-queries", takes_queries},
};

// A row of the table of scenes: the function that runs the scene and the options that it takes.
struct SimScene {
  std::string_view name, description;
  SimSummary (*run)(const SimArguments&);
  unsigned takes;
  std::uint32_t most = 100000;  // largest --count
};

constexpr unsigned edges_take = takes_state | takes_write_scene | takes_queries | takes_threads;
constexpr unsigned soft_takes = edges_take | takes_ccd | takes_solver;

std::vector<SimScene> scenes() {
  std::vector<SimScene> all{
      {"bunnies", "bunnies (from $GRAZE_DATA/models, or --model FILE) dropped in a pile",
       run_bunnies, takes_count | takes_seed | takes_model},
      {"rings", "rings dropped in a pile", run_rings, takes_count | takes_seed},
      {"wall", "a wall of --count bricks [200] is shot at, with debris", run_wall,
       takes_count | takes_wall},
      {"ragdoll", "jointed figures fall down stairs", run_ragdoll, takes_count | takes_seed},
      {"walker", "a player walks, jumps and slides through a generated level", run_walker,
       takes_seed}};
  for (const sim::edges::EdgeScene& scene : sim::edges::edge_scenes())
    all.push_back({scene.name, scene.description, run_edges, edges_take | takes_count,
                   static_cast<std::uint32_t>(scene.most_edges)});
  all.push_back(
      {"squash",
       "a soft figure falls: --model FILE (y up), else the cow in $GRAZE_DATA/models, else "
       "a generated figure",
       run_soft, soft_takes | takes_count | takes_model});
  for (const sim::soft::SoftScene& scene : sim::soft::soft_scenes())
    all.push_back({scene.name, scene.description, run_soft, soft_takes | takes_count});
  all.push_back({"torus", "an elastic ring falls on a cone, with linear constraints", run_torus,
                 soft_takes | takes_count});
  return all;
}

// Returns the row of a built-in scene, or one for a file by its format.
SimScene find_scene(const std::string& name) {
  const auto table = scenes();
  const auto row = std::find_if(table.begin(), table.end(),
                                [&](const SimScene& scene) { return scene.name == name; });
  if (row != table.end()) return *row;
  if (!name.ends_with(".json")) {
    std::vector<std::string_view> known;
    for (const SimScene& scene : table) known.push_back(scene.name);
    throw UsageError(fmt::format("no scene is called '{}'; there are {}, and files *.json", name,
                                 fmt::join(known, ", ")));
  }
  const JsonReader file(name);
  if (file.format() == edge_scene_format) return {"", "", run_edges, edges_take};
  if (file.format() == soft_scene_format) return {"", "", run_soft, soft_takes};
  file.fail("", fmt::format("\"format\" must be \"{}\" (edges) or \"{}\" (soft bodies)",
                            edge_scene_format, soft_scene_format));
}

// Returns the whole number that an option was given as text.
std::uint64_t whole_number(const char* option, const std::string& text, std::uint64_t least,
                           std::uint64_t most) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || at != end || value < least || value > most)
    throw UsageError(fmt::format("{} must be a whole number from {} to {}, not '{}'", option, least,
                                 most, text));
  return value;
}

// Writes the page and the recording of a run, with its summary for captions.
void show_run(const SimArguments& arguments, const SimSummary& summary, io::Recording& recording) {
  if (!arguments.recording) return;
  for (const auto& [fact, value] : summary.json.items())
    if (value.is_primitive() && fact != "scene")
      recording.facts.emplace_back(fact, value.is_number_float()
                                             ? fmt::format("{:.4g}", value.get<double>())
                                             : value.dump());
  const ProgressBar bar("writing");
  show(arguments.html, arguments.record, recording);
}

void check_arguments(const CLI::App& command, const SimScene& scene,
                     const SimArguments& arguments) {
  for (const auto& [option, needs] : scene_options)
    if (command.count(option) > 0 && !(scene.takes & needs))
      throw UsageError(fmt::format("the scene {} takes no {}", arguments.scene, option));
  if (!(arguments.seconds > 0 && arguments.seconds <= 1e6))
    throw UsageError("--seconds must be above 0 and at most 1e6");
  if (const double step = arguments.step.value_or(1); !(step > 0 && step <= 1))
    throw UsageError("--step must be above 0 and at most 1 second");
  check_page(arguments.html);
}

// Options that are whole numbers, as they were given.
struct WholeNumbers {
  std::string count, seed, shots;
};

int run(const CLI::App& command, SimArguments arguments, const WholeNumbers& given) {
  const SimScene scene = find_scene(arguments.scene);
  check_arguments(command, scene, arguments);
  if (command.count("--count") > 0)
    arguments.count =
        static_cast<std::uint32_t>(whole_number("--count", given.count, 1, scene.most));
  if (command.count("--seed") > 0)
    arguments.seed =
        whole_number("--seed", given.seed, 0, std::numeric_limits<std::uint64_t>::max());
  if (command.count("--shots") > 0)
    arguments.shots = static_cast<std::uint32_t>(whole_number("--shots", given.shots, 0, 1000));
  io::Recording recording;
  recording.title = "graze sim " + arguments.scene;
  recording.z_up = true;
  recording.whole = !arguments.record.empty() && !is_recording(arguments.record);
  if (!arguments.html.empty() || !arguments.record.empty()) arguments.recording = &recording;
  std::optional<io::PairQueryFiles> queries;
  if (!arguments.queries.empty()) {
    queries.emplace(arguments.queries);
    arguments.observer = [&](const MovingMesh& moving, const Pairs& pairs) {
      queries->add(moving, pairs);
    };
  }
  SimSummary summary = scene.run(arguments);
  if (queries) {
    const Uninterrupted whole;
    queries->commit();
    summary.json["queries_written"] = {{"vertex_face", queries->vertex_faces()},
                                       {"edge_edge", queries->edge_edges()}};
    summary.text += fmt::format("wrote {} vertex-face and {} edge-edge queries\n",
                                report::format_count(queries->vertex_faces()),
                                report::format_count(queries->edge_edges()));
  }
  show_run(arguments, summary, recording);
  if (arguments.json)
    print(summary.json);
  else
    fmt::print("{}", summary.text);
  if (!summary.clean) {
    fmt::print(stderr, "{}\n", summary.failure);
    return 4;
  }
  if (summary.interrupted)
    fmt::print(stderr, "graze: interrupted; the results up to the last complete step are kept\n");
  return summary.interrupted;
}

}  // namespace

int run_steps(const SimArguments& arguments, double step_seconds,
              const std::function<bool(double seconds, double fraction)>& step) {
  const bool keeps = !arguments.save.empty() || arguments.recording || !arguments.queries.empty();
  std::optional<InterruptFlag> interrupt;
  if (keeps) interrupt.emplace();
  // A remainder below a billionth of a step is rounding.
  const double wanted = std::ceil(arguments.seconds / step_seconds - 1e-9);
  const double last = arguments.seconds - (wanted - 1) * step_seconds;
  for (double i = 0; i < wanted && !(interrupt && interrupt->exit_code()); ++i) {
    const bool is_shorter = i + 1 == wanted && last < step_seconds * (1 - 1e-9);
    if (!step(is_shorter ? last : step_seconds, (i + 1) / wanted)) break;
  }
  return interrupt ? interrupt->exit_code() : 0;
}

void add_sim(CLI::App& command, int& exit_code) {
  const auto arguments = std::make_shared<SimArguments>();
  const auto numbers = std::make_shared<WholeNumbers>();
  std::string listed;
  for (const SimScene& row : scenes())
    listed += fmt::format("\n  {:<10} {}", row.name, row.description);
  command.add_option("SCENE", arguments->scene, "one of those below, or a file *.json")->required();
  command.add_option("--seconds", arguments->seconds, "simulated time")->capture_default_str();
  command.add_option("--step", arguments->step, "seconds of a step [1/60, or the scene's default]");
  command.add_option(
      "--count", numbers->count,
      "number of bodies, or about that many edges or vertices [the scene's default]");
  command.add_option("--seed", numbers->seed, "seed of the random start [1]");
  command.add_option("--model", arguments->model, "mesh that falls (bunnies, squash)");
  command.add_option("--save", arguments->save, "write the last state to this file");
  command.add_option("--resume", arguments->resume, "continue from a saved state");
  add_show_options(command, arguments->html, arguments->record);
  command.add_option("--write-scene", arguments->write_scene, "write the scene as JSON");
  command.add_option("--ccd", arguments->ccd,
                     "soft bodies: method that bounds the steps or activates constraints "
                     "[separation_root]");
  command
      .add_option("--solver", arguments->solver,
                  "soft bodies: barriers or active_set [barriers; torus: active_set]")
      ->check(CLI::IsMember({"barriers", "active_set"}));
  command
      .add_option("--mover", arguments->mover,
                  "wall: advance (all bodies at once, by conservative advancement) or expel (one "
                  "after another, translated, then rotated, with an expel zone) [advance]")
      ->check(CLI::IsMember({"advance", "expel"}));
  command.add_option("--shots", numbers->shots,
                     "wall: number of shots, one every second [those in the first two thirds]");
  command.add_option("--eta", arguments->eta, "active_set: distance of the constraints [1e-3]");
  command.add_option("--distance-tol", arguments->distance_tol,
                     "soft bodies: tolerance of the method of --ccd [1e-6]");
  command.add_option("--dump-queries", arguments->queries,
                     "edges, soft bodies: folder for vertex-face.npy and edge-edge.npy with every "
                     "query of the run");
  add_threads(command, arguments->threads);
  add_json(command, arguments->json);
  command.footer("\nScenes:" + listed +
                 "\n\nOptions that a scene cannot use are refused. Exit code 4: a check of the run "
                 "failed.\n"
                 "Ctrl-C ends a run after the current step and keeps --save, "
                 "\n--record, --html and --dump-queries; a second Ctrl-C ends it at once.\n"
                 "\nExamples:\n"
                 "  graze sim rings\n"
                 "  graze sim wall --seconds 6 --step 0.00833 --html wall.html\n"
                 "  graze sim wall --seconds 6 --mover expel\n"
                 "  graze sim bunnies --count 3 --seconds 2 --json\n"
                 "  graze sim hoop --seconds 3 --html hoop.html\n"
                 "  graze sim hoop --seconds 3 --record hoop.glb\n"
                 "  graze sim squash --seconds 5 --html squash.html");
  command.callback([arguments, numbers, &command, &exit_code] {
    exit_code = run(command, *arguments, *numbers);
  });
}

}  // namespace graze::command
