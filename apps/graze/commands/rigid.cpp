#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "arguments/pose_argument.h"
#include "commands/step.h"
#include "graze/io/mesh_files.h"
#include "graze/io/meshes/step_files.h"
#include "graze/rigid/advance.h"
#include "graze/rigid/distance.h"
#include "graze/rigid/path.h"
#include "scenes/rigid_scene.h"
#include "scenes/scene_file.h"
#include "terminal/json_values.h"
#include "terminal/page.h"
#include "terminal/terminal.h"

namespace graze::command {
namespace {

// Bodies with their motions: A and B of the command line, or those of a scene file.
struct Setting {
  std::vector<std::string> names;
  std::vector<rigid::MovingBody> bodies;
  std::vector<std::array<std::uint32_t, 2>> ignored;
  std::string title;
};

// The first contact of a setting, and the features that touch then.
struct RigidAnswer {
  rigid::BodiesImpact first;
  std::vector<rigid::SurfaceContact> features;  // each pair of features once

  const rigid::BodyImpact& found() const { return first.impact; }
};

struct RigidArguments {
  std::string a, b, from, to, from_b, to_b, motion = "linear", method = "certified", out, queries,
                                            html, record;
  rigid::AdvanceOptions options;
  std::optional<std::size_t> count;
  bool bench = false, json = false;
};

// Reads a pose whose coordinates are within the range of certified motions.
Pose read_pose(const char* flag, const std::string& text) {
  Pose pose = parse_pose(flag, text);
  if (const std::string wrong = pose_problem(pose); !wrong.empty())
    throw UsageError(fmt::format("{}: {}", flag, wrong));
  return pose;
}

// Returns the kinds of the two features of a contact, such as "vertex-face".
std::string kind_of(const rigid::SurfaceContact& contact) {
  const auto word = [](const rigid::ClosestFeature& feature) {
    return feature.size == 1 ? "vertex" : feature.size == 2 ? "edge" : "face";
  };
  return fmt::format("{}-{}", word(contact.feature_a), word(contact.feature_b));
}
std::vector<std::uint32_t> vertices_of(const rigid::ClosestFeature& feature) {
  return {feature.vertices.begin(), feature.vertices.begin() + feature.size};
}

// Returns the features within the threshold at the time of contact.
std::vector<rigid::SurfaceContact> features_at(const Setting& setting,
                                               const rigid::BodiesImpact& first, double margin) {
  const rigid::BodyImpact& found = first.impact;
  if (found.impact.verdict != Verdict::contact) return {};
  const rigid::MovingBody &a = setting.bodies[first.a], &b = setting.bodies[first.b];
  return features_within(a.body, placement_at(a.motion, found.impact.toi), b.body,
                         placement_at(b.motion, found.impact.toi), margin + found.threshold)
      .list;
}

// Returns frames of the motions at equal steps of time and at the time of contact.
io::Recording recording_of(const Setting& setting, const RigidAnswer& answer) {
  const Impact& impact = answer.found().impact;
  io::Recording recording;
  recording.title = setting.title;
  recording.time_unit = "of the step";
  recording.facts.emplace_back("verdict", name(impact.verdict));
  for (std::size_t i = 0; i < setting.bodies.size(); ++i) {
    const auto vertices = setting.bodies[i].body.vertices();
    const auto faces = setting.bodies[i].body.faces();
    recording.facts.emplace_back(setting.names[i],
                                 report::format_count(faces.size()) + " triangles");
    recording.add_body({setting.names[i],
                        {vertices.begin(), vertices.end()},
                        {faces.begin(), faces.end()},
                        {},
                        {},
                        {},
                        true,
                        0});
  }
  std::vector<double> times;
  constexpr int steps = 200;
  for (int k = 0; k <= steps; ++k) times.push_back(static_cast<double>(k) / steps);
  if (std::isfinite(impact.toi)) times.push_back(std::clamp(impact.toi, 0.0, 1.0));
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  for (const double t : times) {
    recording.begin_frame(t);
    for (std::uint32_t i = 0; i < setting.bodies.size(); ++i)
      recording.set_pose(i, pose_at(setting.bodies[i].motion, t));
  }
  // Edges of a body have no numbers.
  const auto number = [](const rigid::ClosestFeature& feature, std::uint32_t face) {
    return feature.size == 1   ? feature.vertices[0]
           : feature.size == 3 ? face
                               : io::RecordedContact::unnamed;
  };
  for (const rigid::SurfaceContact& contact : answer.features)
    recording.add_contact(
        {impact.toi, contact.point_a, contact.normal, kind_of(contact), answer.first.a,
         answer.first.b, vertices_of(contact.feature_a), vertices_of(contact.feature_b),
         number(contact.feature_a, contact.face_a), number(contact.feature_b, contact.face_b)});
  return recording;
}

std::string text_of(const Vec3& x) {
  return fmt::format("({:.6g}, {:.6g}, {:.6g})", x[0], x[1], x[2]);
}

void print_features(const RigidAnswer& answer) {
  constexpr std::size_t shown = 8;
  const auto& features = answer.features;
  fmt::print("{} pair{} of features within the threshold\n", report::format_count(features.size()),
             features.size() == 1 ? "" : "s");
  for (std::size_t i = 0; i < std::min(features.size(), shown); ++i)
    fmt::print("  {} {} and {}: at {}, normal {}, distance {:.3g}\n", kind_of(features[i]),
               fmt::join(vertices_of(features[i].feature_a), " "),
               fmt::join(vertices_of(features[i].feature_b), " "), text_of(features[i].point_a),
               text_of(features[i].normal), features[i].distance);
  if (features.size() > shown) fmt::print("  … (--json lists all)\n");
}

void print_text(const Setting& setting, const RigidAnswer& answer,
                const rigid::AdvanceOptions& options) {
  const rigid::BodyImpact& found = answer.found();
  const Impact& impact = found.impact;
  if (impact.verdict == Verdict::separated) {
    fmt::print("free: no contact{}\n",
               options.t_max < 1 ? fmt::format(" up to t = {}", options.t_max) : "");
  } else if (impact.verdict == Verdict::contact) {
    fmt::print(
        "contact at t = {}: face {} of {} and face {} of {} at {}, "
        "distance {:.3g} (threshold {:.3g}{})\n",
        impact.toi, found.face_a, setting.names[answer.first.a], found.face_b,
        setting.names[answer.first.b], text_of(found.point_a), found.distance, found.threshold,
        options.margin > 0 ? fmt::format(", margin {:.3g}", options.margin) : "");
    print_features(answer);
  } else {
    fmt::print(
        "undecided at t = {} after {} checks: no contact before, unknown after; {}\n", impact.toi,
        impact.checks,
        is_spent(impact.checks, options.max_checks)
            ? "--max-checks raises the budget"
            : fmt::format("the rounding of the positions exceeds the threshold {:.3g}; --threshold "
                          "raises it",
                          found.threshold));
  }
}

Json json_of(const Setting& setting, const RigidAnswer& answer, std::string_view method) {
  const rigid::BodyImpact& found = answer.found();
  const Impact& impact = found.impact;
  const bool contact = impact.verdict == Verdict::contact;
  const bool is_pair = contact || impact.verdict == Verdict::undecided;
  Json features = Json::array(), triangles = Json::array();
  for (const rigid::SurfaceContact& feature : answer.features)
    features.push_back({{"kind", kind_of(feature)},
                        {"vertices_a", vertices_of(feature.feature_a)},
                        {"vertices_b", vertices_of(feature.feature_b)},
                        {"point_a", json_vector(feature.point_a)},
                        {"point_b", json_vector(feature.point_b)},
                        {"normal", json_vector(feature.normal)},
                        {"distance", feature.distance}});
  for (const rigid::MovingBody& moving : setting.bodies)
    triangles.push_back(moving.body.faces().size());
  return {{"verdict", name(impact.verdict)},
          {"method", method},
          {"toi", json_number(impact.toi)},
          {"toi_hi", json_number(impact.toi_hi)},
          {"a", is_pair ? Json(setting.names[answer.first.a]) : Json()},
          {"b", is_pair ? Json(setting.names[answer.first.b]) : Json()},
          {"normal", json_vector(impact.normal)},
          {"face_a", contact ? Json(found.face_a) : Json()},
          {"face_b", contact ? Json(found.face_b) : Json()},
          {"point_a", json_vector(found.point_a)},
          {"point_b", json_vector(found.point_b)},
          {"distance", json_number(found.distance)},
          {"threshold", json_number(found.threshold)},
          {"features", features},
          {"iterations", found.iterations},
          {"checks", answer.first.checks},
          {"pairs", answer.first.pairs},
          {"triangles", triangles}};
}

const rigid::AdvanceMethod& method_of(const RigidArguments& arguments) {
  if (const rigid::AdvanceMethod* method = rigid::find_advance_method(arguments.method))
    return *method;
  std::string names;
  for (const rigid::AdvanceMethod& known : rigid::advance_methods())
    names += fmt::format("{}{}", names.empty() ? "" : ", ", known.name);
  throw UsageError(fmt::format("--method: '{}' is none of {}", arguments.method, names));
}

// Returns the two meshes of the command line.
Setting read_pair(const RigidArguments& arguments) {
  if (arguments.a.empty() || arguments.b.empty())
    throw UsageError("rigid needs two meshes A and B, or a scene; see graze rigid --help");
  if (arguments.from.empty() || arguments.to.empty())
    throw UsageError("rigid needs --from POSE and --to POSE");
  if (arguments.motion != "linear" && arguments.motion != "screw")
    throw UsageError(fmt::format("--motion: '{}' is neither linear nor screw", arguments.motion));
  const Pose from = read_pose("--from", arguments.from), to = read_pose("--to", arguments.to);
  const Pose from_b = read_pose("--b-from", arguments.from_b.empty() ? "0 0 0" : arguments.from_b);
  const Pose to_b = arguments.to_b.empty() ? from_b : read_pose("--b-to", arguments.to_b);
  const bool screw = arguments.motion == "screw";
  const rigid::Body a = read_body(arguments.a), b = read_body(arguments.b);
  Setting setting;
  setting.names = {"A", "B"};
  setting.bodies = {{a, motion_between(a, from, to, screw)},
                    {b, arguments.to_b.empty() ? rigid::resting(from_b)
                                               : motion_between(b, from_b, to_b, screw)}};
  const auto stem = [](const std::string& file) {
    return std::filesystem::path(file).filename().string();
  };
  setting.title = fmt::format("graze rigid {} {}", stem(arguments.a), stem(arguments.b));
  return setting;
}

// Returns the bodies of a scene file. Options of two meshes are refused.
Setting read_scene(const RigidArguments& arguments) {
  for (const auto& [flag, given] :
       {std::pair("--from", !arguments.from.empty()), std::pair("--to", !arguments.to.empty()),
        std::pair("--b-from", !arguments.from_b.empty()),
        std::pair("--b-to", !arguments.to_b.empty()),
        std::pair("--motion", arguments.motion != "linear")})
    if (given) throw UsageError(fmt::format("{}: the motions of a scene are in its file", flag));
  RigidScene scene = read_rigid_scene(arguments.a);
  Setting setting;
  setting.names = std::move(scene.names);
  setting.bodies = std::move(scene.bodies);
  setting.ignored = std::move(scene.ignored);
  setting.title =
      fmt::format("graze rigid {}", std::filesystem::path(arguments.a).filename().string());
  return setting;
}

int run_query(const RigidArguments& arguments) {
  const rigid::AdvanceMethod& method = method_of(arguments);
  const bool is_default = &method == &rigid::advance_methods().front();
  if (!is_default && !arguments.queries.empty())
    throw UsageError("--dump-queries needs --method certified");
  const rigid::AdvanceOptions& options = arguments.options;
  if (!(options.t_max > 0 && options.t_max <= 1)) throw UsageError("--t-max must be in (0, 1]");
  for (const double length : {options.threshold, options.margin})
    if (!(length >= 0 && std::isfinite(length)))
      throw UsageError("--threshold and --margin must be at least 0 and finite");
  check_page(arguments.html);
  const bool is_scene =
      arguments.b.empty() && std::filesystem::path(arguments.a).extension() == ".json";
  if (is_scene && (!is_default || !arguments.queries.empty()))
    throw UsageError("--method and --dump-queries are for two meshes");
  const Stopwatch total;
  const Setting setting = is_scene ? read_scene(arguments) : read_pair(arguments);
  const double load = total.seconds();
  std::optional<io::PairQueryFiles> queries;
  MotionObserver observer;
  if (!arguments.queries.empty()) {
    queries.emplace(arguments.queries);
    observer = [&](const MovingMesh& moving, const Pairs& pairs) { queries->add(moving, pairs); };
  }
  const Stopwatch watch;
  RigidAnswer answer;
  if (is_scene) {
    answer.first = first_contact(setting.bodies, options, setting.ignored);
  } else {
    const auto& [a, b] = std::tie(setting.bodies[0], setting.bodies[1]);
    answer.first = {0, 1,
                    is_default
                        ? advance(a.body, a.motion, b.body, b.motion, options, observer)
                        : method.advance(a.body, a.motion, b.body, b.motion, options, nullptr),
                    1, 0};
    answer.first.checks = answer.found().impact.checks;
  }
  const double query = watch.seconds();
  if (queries) queries->commit();
  answer.features = features_at(setting, answer.first, options.margin);
  if (!arguments.html.empty() || !arguments.record.empty())
    show(arguments.html, arguments.record, recording_of(setting, answer));
  if (arguments.json) {
    Json json = json_of(setting, answer, method.name);
    json["seconds"] = {{"load", load}, {"query", query}, {"total", total.seconds()}};
    print(json);
  } else {
    print_text(setting, answer, options);
    std::size_t triangles = 0;
    for (const rigid::MovingBody& moving : setting.bodies) triangles += moving.body.faces().size();
    fmt::print("{} bodies, {} triangles, {} iteration{}; load {}, query {}\n",
               setting.bodies.size(), report::format_count(triangles), answer.found().iterations,
               answer.found().iterations == 1 ? "" : "s", report::format_nanoseconds(1e9 * load),
               report::format_nanoseconds(1e9 * query));
  }
  return exit_code_of(answer.found().impact.verdict);
}

int run(const RigidArguments& arguments) {
  if (!arguments.bench) return run_query(arguments);
  if (!arguments.a.empty()) throw UsageError("rigid --bench takes no meshes");
  std::vector<std::string> words = {"--suite", "rigid"};
  if (arguments.count) words.insert(words.end(), {"--count", std::to_string(*arguments.count)});
  if (!arguments.out.empty()) words.insert(words.end(), {"--out", arguments.out});
  if (arguments.json) words.emplace_back("--json");
  start_program("bench", words);
  return 0;
}

}  // namespace

void add_rigid(CLI::App& app, int& exit_code) {
  auto& command = *app.add_subcommand("rigid", "Find the first contact of moving rigid bodies");
  const auto arguments = std::make_shared<RigidArguments>();
  const auto bench =
      command.add_flag("--bench", arguments->bench,
                       "run the benchmarks of [Zhang 2006], as graze bench --suite rigid does");
  const auto query = [bench](CLI::Option* option) { return option->excludes(bench); };
  command.add_option("A", arguments->a,
                     "first mesh: .obj, .ply, .off or .stl; or a scene of many bodies: .json");
  command.add_option("B", arguments->b, "second mesh");
  query(command.add_option("--from", arguments->from, "pose of A at the start"));
  query(command.add_option("--to", arguments->to, "pose of A at the end"));
  query(command.add_option("--b-from", arguments->from_b, "pose of B at the start [0 0 0]"));
  query(command.add_option("--b-to", arguments->to_b, "pose of B at the end [as at the start]"));
  query(command.add_option("--motion", arguments->motion,
                           "linear: the centre of mass moves on a straight line; screw: about one "
                           "axis and along it"))
      ->capture_default_str();
  std::string methods = "method:";
  for (const rigid::AdvanceMethod& method : rigid::advance_methods())
    methods += fmt::format("\n{}: {}", method.name, method.description);
  query(command.add_option("--method", arguments->method, methods))->capture_default_str();
  const auto threshold = query(command.add_option(
      "--threshold", arguments->options.threshold,
      "length: how close to contact the search stops [a thousandth of the larger mesh]"));
  query(command.add_flag("--smallest-threshold", arguments->options.smallest_threshold,
                         "use the smallest threshold that rounding allows"))
      ->excludes(threshold);
  query(command.add_option("--margin", arguments->options.margin,
                           "length: a distance up to this is contact [0]"));
  query(
      command.add_option("--t-max", arguments->options.t_max, "test [0, T] only, T in (0, 1] [1]"));
  query(command.add_option("--max-checks", arguments->options.max_checks,
                           "budget of tests, beyond which the verdict is undecided; 0: no limit"))
      ->check(CLI::Range(0u, std::numeric_limits<std::uint32_t>::max()))
      ->capture_default_str();
  command.add_option("--count", arguments->count, "shots for each pair of meshes (--bench) [250]")
      ->needs(bench);
  command.add_option("--out", arguments->out, "folder of the report (--bench)")->needs(bench);
  query(command.add_option("--dump-queries", arguments->queries,
                           "folder: write every step of two triangles as queries on straight "
                           "lines"));
  add_show_options(command, arguments->html, arguments->record);
  for (const char* flag : {"--html", "--record"}) query(command.get_option(flag));
  add_json(command, arguments->json);
  command.footer(
      "\nA pose is \"x y z\", \"x y z rx ry rz\" (rotation vector: the axis, its length the angle "
      "in\ndegrees) or \"x y z qw qx qy qz\" (quaternion of any length). A pose turns a mesh about "
      "the\norigin of its file, then moves it. Coordinates are at most 1e100 in size.\n"
      "Between two poses a mesh turns the shorter way, by at most half a turn: \"0 0 0 0 0 270\" "
      "is "
      "reached\nby turning -90 degrees, \"0 0 0 0 0 360\" without turning.\n"
      "\nExit codes: 0 free, 1 contact, 2 bad input or bad usage, 3 undecided (budget spent).\n"
      "\nExamples:\n"
      "  graze rigid ring.obj knot.obj --from \"4 0 0\" --to \"-4 0 0\"\n"
      "  graze rigid ring.obj knot.obj --from \"4 0 0\" --to \"-4 0 0 0 0 90\" --motion screw "
      "--json\n"
      "  graze rigid ring.obj knot.obj --from \"4 0 0\" --to \"-4 0 0\" --method fast\n"
      "  graze rigid scene.json --html scene.html\n"
      "  graze rigid --bench");
  command.callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace graze::command
