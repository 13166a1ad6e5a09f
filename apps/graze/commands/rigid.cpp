#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands/pose_argument.h"
#include "commands/step.h"
#include "graze/io/mesh_files.h"
#include "graze/io/meshes/step_files.h"
#include "graze/rigid/advance.h"
#include "graze/rigid/advance_methods.h"
#include "graze/sim/rigid.h"
#include "terminal/json_values.h"
#include "terminal/page.h"
#include "terminal/terminal.h"

namespace graze::command {
namespace {

struct RigidArguments {
  std::string a, b, from, to, from_b, to_b, motion = "linear", method = "certified", out, queries,
                                            html, record;
  rigid::AdvanceOptions options;
  std::optional<std::size_t> count;
  bool bench = false, json = false;
};

rigid::Body read_body(const std::string& file) {
  const io::MeshFrame frame = io::read_mesh(file);
  rigid::Body body = rigid::make_body(frame.positions, frame.mesh.faces);
  if (body.status() != rigid::Status::ok) throw io::FileError(file, body.problem());
  return body;
}

// Reads a pose whose coordinates are within the range of certified motions.
Pose read_pose(const char* flag, const std::string& text) {
  constexpr double largest = 1e100;
  Pose pose = parse_pose(flag, text);
  for (const double x : pose.translation)
    if (std::abs(x) > largest)
      throw UsageError(fmt::format(
          "{}: the coordinate {} is beyond {}, the largest that rigid accepts", flag, x, largest));
  return pose;
}

// Returns the centre of mass; the middle of the bounding box if the mesh has no volume.
Vec3 centre_of(const rigid::Body& body) {
  const auto vertices = body.vertices();
  const sim::rigid::Shape shape = sim::rigid::make_mesh_shape(vertices, body.faces());
  if (shape.ok() && shape.centre().allFinite()) return shape.centre();
  Vec3 lo = vertices[body.faces()[0][0]], hi = lo;
  for (const Face& face : body.faces())
    for (const std::uint32_t vertex : face) {
      lo = lo.cwiseMin(vertices[vertex]);
      hi = hi.cwiseMax(vertices[vertex]);
    }
  return lo / 2 + hi / 2;
}

rigid::Motion motion_between(const RigidArguments& arguments, const rigid::Body& body,
                             const Pose& from, const Pose& to) {
  return arguments.motion == "screw" ? rigid::screw_motion(from, to)
                                     : rigid::linear_motion(from, to, centre_of(body));
}

// Returns frames of both motions at equal steps of time and at the time of contact.
io::Recording recording_of(const RigidArguments& arguments,
                           const std::array<rigid::Body, 2>& bodies,
                           const std::array<rigid::Motion, 2>& motions,
                           const rigid::BodyImpact& found) {
  io::Recording recording;
  recording.title = "graze rigid";
  recording.time_unit = "of the step";
  recording.facts.emplace_back("verdict", name(found.impact.verdict));
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string file = std::filesystem::path(i == 0 ? arguments.a : arguments.b).filename();
    recording.title += " " + file;
    const std::string body = (i == 0 ? "A " : "B ") + file;
    const auto vertices = bodies[i].vertices();
    const auto faces = bodies[i].faces();
    recording.facts.emplace_back(body, report::format_count(faces.size()) + " triangles");
    recording.add_body({body,
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
  if (std::isfinite(found.impact.toi)) times.push_back(std::clamp(found.impact.toi, 0.0, 1.0));
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  for (const double t : times) {
    recording.begin_frame(t);
    for (std::uint32_t i = 0; i < 2; ++i) recording.set_pose(i, pose_at(motions[i], t));
  }
  if (found.impact.verdict == Verdict::contact) {
    const auto corners = [&](std::size_t i, std::uint32_t face) {
      const Face& f = bodies[i].faces()[face];
      return std::vector<std::uint32_t>(f.begin(), f.end());
    };
    recording.add_contact({found.impact.toi, found.point_a, found.impact.normal, "faces", 0, 1,
                           corners(0, found.face_a), corners(1, found.face_b), found.face_a,
                           found.face_b});
  }
  return recording;
}

void print_text(const rigid::BodyImpact& found, const rigid::AdvanceOptions& options) {
  const Impact& impact = found.impact;
  if (impact.verdict == Verdict::separated) {
    fmt::print("free: no contact{}\n",
               options.t_max < 1 ? fmt::format(" up to t = {}", options.t_max) : "");
  } else if (impact.verdict == Verdict::contact) {
    fmt::print(
        "contact at t = {}: face {} of A and face {} of B at ({:.6g}, {:.6g}, {:.6g}), "
        "distance {:.3g} (threshold {:.3g}{})\n",
        impact.toi, found.face_a, found.face_b, found.point_a[0], found.point_a[1],
        found.point_a[2], found.distance, found.threshold,
        options.margin > 0 ? fmt::format(", margin {:.3g}", options.margin) : "");
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

int run_query(const RigidArguments& arguments) {
  if (arguments.a.empty() || arguments.b.empty())
    throw UsageError("rigid needs two meshes A and B; see graze rigid --help");
  if (arguments.from.empty() || arguments.to.empty())
    throw UsageError("rigid needs --from POSE and --to POSE");
  if (arguments.motion != "linear" && arguments.motion != "screw")
    throw UsageError(fmt::format("--motion: '{}' is neither linear nor screw", arguments.motion));
  const rigid::AdvanceMethod* method = rigid::find_advance_method(arguments.method);
  if (!method) {
    std::string names;
    for (const rigid::AdvanceMethod& known : rigid::advance_methods())
      names += fmt::format("{}{}", names.empty() ? "" : ", ", known.name);
    throw UsageError(fmt::format("--method: '{}' is none of {}", arguments.method, names));
  }
  const bool is_default = method == &rigid::advance_methods().front();
  if (!is_default && !arguments.queries.empty())
    throw UsageError("--dump-queries needs --method certified");
  const rigid::AdvanceOptions& options = arguments.options;
  if (!(options.t_max > 0 && options.t_max <= 1)) throw UsageError("--t-max must be in (0, 1]");
  for (const double length : {options.threshold, options.margin})
    if (!(length >= 0 && std::isfinite(length)))
      throw UsageError("--threshold and --margin must be at least 0 and finite");
  const Pose from = read_pose("--from", arguments.from), to = read_pose("--to", arguments.to);
  const Pose from_b = read_pose("--b-from", arguments.from_b.empty() ? "0 0 0" : arguments.from_b);
  const Pose to_b = arguments.to_b.empty() ? from_b : read_pose("--b-to", arguments.to_b);

  check_page(arguments.html);
  const Stopwatch total;
  const rigid::Body a = read_body(arguments.a), b = read_body(arguments.b);
  const double load = total.seconds();
  const rigid::Motion motion_a = motion_between(arguments, a, from, to),
                      motion_b = arguments.to_b.empty()
                                     ? rigid::resting(from_b)
                                     : motion_between(arguments, b, from_b, to_b);
  std::optional<io::PairQueryFiles> queries;
  MotionObserver observer;
  if (!arguments.queries.empty()) {
    queries.emplace(arguments.queries);
    observer = [&](const MovingMesh& moving, const Pairs& pairs) { queries->add(moving, pairs); };
  }
  const Stopwatch watch;
  const rigid::BodyImpact found = is_default ? advance(a, motion_a, b, motion_b, options, observer)
                                             : method->advance(a, motion_a, b, motion_b, options);
  const double query = watch.seconds();
  if (queries) queries->commit();
  const Impact& impact = found.impact;
  if (!arguments.html.empty() || !arguments.record.empty())
    show(arguments.html, arguments.record,
         recording_of(arguments, {a, b}, {motion_a, motion_b}, found));
  if (arguments.json) {
    const bool contact = impact.verdict == Verdict::contact;
    print(Json{{"verdict", name(impact.verdict)},
               {"method", method->name},
               {"toi", json_number(impact.toi)},
               {"toi_hi", json_number(impact.toi_hi)},
               {"normal", json_vector(impact.normal)},
               {"face_a", contact ? Json(found.face_a) : Json()},
               {"face_b", contact ? Json(found.face_b) : Json()},
               {"point_a", json_vector(found.point_a)},
               {"point_b", json_vector(found.point_b)},
               {"distance", json_number(found.distance)},
               {"threshold", json_number(found.threshold)},
               {"iterations", found.iterations},
               {"checks", impact.checks},
               {"triangles", {a.faces().size(), b.faces().size()}},
               {"seconds", {{"load", load}, {"query", query}, {"total", total.seconds()}}}});
  } else {
    print_text(found, options);
    fmt::print("{} and {} triangles, {} iteration{}; load {}, query {}\n",
               report::format_count(a.faces().size()), report::format_count(b.faces().size()),
               found.iterations, found.iterations == 1 ? "" : "s",
               report::format_nanoseconds(1e9 * load), report::format_nanoseconds(1e9 * query));
  }
  return exit_code_of(impact.verdict);
}

int run(const RigidArguments& arguments) {
  if (!arguments.bench) return run_query(arguments);
  if (!arguments.a.empty()) throw UsageError("rigid --bench takes no meshes");
  std::vector<std::string> words = {"--suite", "rigid"};
  if (arguments.count) words.insert(words.end(), {"--count", std::to_string(*arguments.count)});
  if (!arguments.out.empty()) words.insert(words.end(), {"--out", arguments.out});
  if (arguments.json) words.emplace_back("--json");
  start_benchmark(words);
  return 0;
}

}  // namespace

void add_rigid(CLI::App& app, int& exit_code) {
  auto& command = *app.add_subcommand("rigid", "Find the first contact of two moving rigid meshes");
  const auto arguments = std::make_shared<RigidArguments>();
  const auto bench =
      command.add_flag("--bench", arguments->bench,
                       "run the benchmarks of [Zhang 2006], as graze bench --suite rigid does");
  const auto query = [bench](CLI::Option* option) { return option->excludes(bench); };
  command.add_option("A", arguments->a, "first mesh: .obj, .ply, .off or .stl");
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
                           "length: subtracted from the distance of the surfaces [0]"));
  query(
      command.add_option("--t-max", arguments->options.t_max, "test [0, T] only, T in (0, 1] [1]"));
  query(command.add_option("--max-checks", arguments->options.max_checks,
                           "budget of tests, then the verdict is undecided; 0: no limit"))
      ->check(CLI::Range(0u, std::numeric_limits<std::uint32_t>::max()))
      ->capture_default_str();
  command.add_option("--count", arguments->count, "shots for each pair of meshes (--bench) [250]")
      ->needs(bench);
  command.add_option("--out", arguments->out, "folder of the report (--bench)")->needs(bench);
  query(command.add_option("--dump-queries", arguments->queries,
                           "folder: write every step of two triangles as queries on straight "
                           "lines"));
  add_show_options(command, arguments->html, arguments->record);
  add_json(command, arguments->json);
  command.footer(
      "\nA pose is \"x y z\", \"x y z rx ry rz\" (rotation vector: the axis, its length the angle "
      "in\ndegrees) or \"x y z qw qx qy qz\" (quaternion of any length). A pose turns a mesh about "
      "the\norigin of its file, then moves it. Coordinates are at most 1e100 in size.\n"
      "Between two poses a mesh turns the shorter way, by at most half a turn: \"0 0 0 0 0 270\" "
      "is "
      "reached\nby turning -90 degrees, \"0 0 0 0 0 360\" without turning.\n"
      "\nExit codes: 0 free, 1 contact, 2 bad input or usage, 3 undecided (budget spent).\n"
      "\nExamples:\n"
      "  graze rigid ring.obj knot.obj --from \"4 0 0\" --to \"-4 0 0\"\n"
      "  graze rigid ring.obj knot.obj --from \"4 0 0\" --to \"-4 0 0 0 0 90\" --motion screw "
      "--json\n"
      "  graze rigid ring.obj knot.obj --from \"4 0 0\" --to \"-4 0 0\" --method fast\n"
      "  graze rigid --bench");
  command.callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace graze::command
