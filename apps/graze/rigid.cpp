#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "graze/io/mesh_files.h"
#include "graze/io/step_files.h"
#include "graze/rigid/advance.h"
#include "graze/sim/rigid/mass_properties.h"
#include "page.h"
#include "pose_argument.h"
#include "step.h"
#include "terminal.h"

namespace graze::command {
namespace {

using Json = nlohmann::ordered_json;

struct Arguments {
  std::string a, b, from, to, from_b, to_b, motion = "linear", out, queries, html, record;
  AdvanceOptions options;
  std::optional<std::size_t> count;
  bool bench = false, json = false;
};

RigidModel read_model(const std::string& file) {
  io::MeshFrame frame = io::read_mesh(file);
  RigidModel model = make_rigid_model(std::move(frame.positions), std::move(frame.mesh.faces));
  if (!model.valid()) throw io::FileError(file, model.problem());
  return model;
}

// About the centre of mass; of what has no volume, about the middle of its box.
Vec3 centre_of(const RigidModel& model) {
  const MassProperties mass = mass_properties(model.vertices, model.faces);
  if (mass.volume > 0 && mass.centre.allFinite()) return mass.centre;
  Vec3 lo = model.vertices[model.faces[0][0]], hi = lo;
  for (const Face& face : model.faces)
    for (const std::uint32_t vertex : face) {
      lo = lo.cwiseMin(model.vertices[vertex]);
      hi = hi.cwiseMax(model.vertices[vertex]);
    }
  return lo / 2 + hi / 2;
}

Motion motion_between(const Arguments& arguments, const RigidModel& model, const Pose& from,
                      const Pose& to) {
  return arguments.motion == "screw" ? screw_motion(from, to)
                                     : linear_motion(from, to, centre_of(model));
}

// Both motions in equal steps, and at the time of contact.
io::Recording recording_of(const Arguments& arguments,
                           const std::array<const RigidModel*, 2> models,
                           const std::array<Motion, 2>& motions, const RigidImpact& found) {
  io::Recording recording;
  recording.title = "graze rigid";
  recording.time_unit = "of the step";
  recording.facts.emplace_back("verdict", name(found.impact.verdict));
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string file = std::filesystem::path(i == 0 ? arguments.a : arguments.b).filename();
    recording.title += " " + file;
    const std::string body = (i == 0 ? "A " : "B ") + file;
    recording.facts.emplace_back(body, io::format_count(models[i]->faces.size()) + " triangles");
    recording.add_body({body, models[i]->vertices, models[i]->faces, {}, {}, {}, true, 0});
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
      const Face& f = models[i]->faces[face];
      return std::vector<std::uint32_t>(f.begin(), f.end());
    };
    recording.add_contact({found.impact.toi, found.point_a, found.impact.normal, "faces", 0, 1,
                           corners(0, found.face_a), corners(1, found.face_b), found.face_a,
                           found.face_b});
  }
  return recording;
}

Json number(double x) {
  return std::isfinite(x) ? Json(x) : Json();
}
Json vector(const Vec3& x) {
  return x.allFinite() ? Json{x[0], x[1], x[2]} : Json();
}

int run_query(const Arguments& arguments) {
  if (arguments.a.empty() || arguments.b.empty())
    throw UsageError("rigid needs two meshes A and B; see graze rigid --help");
  if (arguments.from.empty() || arguments.to.empty())
    throw UsageError("rigid needs --from POSE and --to POSE");
  if (arguments.motion != "linear" && arguments.motion != "screw")
    throw UsageError(fmt::format("--motion: '{}' is neither linear nor screw", arguments.motion));
  const AdvanceOptions& options = arguments.options;
  if (!(options.t_max > 0 && options.t_max <= 1)) throw UsageError("--t-max must be in (0, 1]");
  for (const double length : {options.threshold, options.margin})
    if (!(length >= 0 && std::isfinite(length)))
      throw UsageError("--threshold and --margin must be at least 0 and finite");
  if (options.max_checks == 0) throw UsageError("--max-checks must be above 0");
  const Pose from = parse_pose("--from", arguments.from), to = parse_pose("--to", arguments.to);
  const Pose from_b = parse_pose("--b-from", arguments.from_b.empty() ? "0 0 0" : arguments.from_b);
  const Pose to_b = arguments.to_b.empty() ? from_b : parse_pose("--b-to", arguments.to_b);

  check_page(arguments.html);
  const Stopwatch total;
  const RigidModel a = read_model(arguments.a), b = read_model(arguments.b);
  const double load = total.seconds();
  const Motion motion_a = motion_between(arguments, a, from, to),
               motion_b = arguments.to_b.empty() ? resting(from_b)
                                                 : motion_between(arguments, b, from_b, to_b);
  std::optional<io::PairQueryFiles> queries;
  MotionObserver observer;
  if (!arguments.queries.empty()) {
    queries.emplace(arguments.queries);
    observer = [&](const MovingMesh& moving, const Pairs& pairs) { queries->add(moving, pairs); };
  }
  const Stopwatch watch;
  const RigidImpact found = advance(a, motion_a, b, motion_b, options, observer);
  const double query = watch.seconds();
  if (queries) queries->commit();
  const Impact& impact = found.impact;
  if (!arguments.html.empty() || !arguments.record.empty())
    show(arguments.html, arguments.record,
         recording_of(arguments, {&a, &b}, {motion_a, motion_b}, found));
  if (arguments.json) {
    const bool contact = impact.verdict == Verdict::contact;
    print(Json{{"verdict", name(impact.verdict)},
               {"toi", number(impact.toi)},
               {"toi_hi", number(impact.toi_hi)},
               {"normal", vector(impact.normal)},
               {"face_a", contact ? Json(found.face_a) : Json()},
               {"face_b", contact ? Json(found.face_b) : Json()},
               {"point_a", vector(found.point_a)},
               {"point_b", vector(found.point_b)},
               {"distance", number(found.distance)},
               {"iterations", found.iterations},
               {"checks", impact.checks},
               {"triangles", {a.faces.size(), b.faces.size()}},
               {"seconds", {{"load", load}, {"query", query}, {"total", total.seconds()}}}});
  } else {
    if (impact.verdict == Verdict::separated)
      fmt::print("free: no contact{}\n",
                 options.t_max < 1 ? fmt::format(" up to {}", options.t_max) : "");
    else
      fmt::print("{} at {}", name(impact.verdict), impact.toi);
    if (impact.verdict == Verdict::contact)
      fmt::print(": face {} of A and face {} of B, {:.3g} apart at ({:.6g}, {:.6g}, {:.6g})\n",
                 found.face_a, found.face_b, found.distance, found.point_a[0], found.point_a[1],
                 found.point_a[2]);
    else if (impact.verdict != Verdict::separated)
      fmt::print(": no contact before\n");
    fmt::print("{} and {} triangles, {} iterations; load {}, query {}\n",
               io::format_count(a.faces.size()), io::format_count(b.faces.size()), found.iterations,
               io::format_nanoseconds(1e9 * load), io::format_nanoseconds(1e9 * query));
  }
  return impact.verdict == Verdict::separated ? 0 : 1;
}

int run(const Arguments& arguments) {
  if (!arguments.bench) return run_query(arguments);
  if (!arguments.a.empty()) throw UsageError("rigid --bench takes no meshes");
  run_suite("rigid", arguments.count, arguments.out, arguments.json);
  return 0;
}

}  // namespace

void add_rigid(CLI::App& app, int& exit_code) {
  auto& command =
      *app.add_subcommand("rigid", "Find the first contact of two rigid meshes that move");
  const auto arguments = std::make_shared<Arguments>();
  command.add_option("A", arguments->a, "the mesh that moves: .obj, .ply, .off or .stl");
  command.add_option("B", arguments->b, "the other mesh");
  command.add_option("--from", arguments->from, "pose of A at the start");
  command.add_option("--to", arguments->to, "pose of A at the end");
  command.add_option("--b-from", arguments->from_b, "pose of B at the start [0 0 0]");
  command.add_option("--b-to", arguments->to_b, "pose of B at the end [as at the start]");
  command
      .add_option("--motion", arguments->motion,
                  "linear: the centre of mass moves straight; screw: about one axis")
      ->capture_default_str();
  command.add_option("--threshold", arguments->options.threshold,
                     "length: this near is contact [a thousandth of the larger mesh]");
  command.add_flag("--exact-time", arguments->options.exact_time,
                   "refine the time as far as doubles tell, whatever the threshold");
  command.add_option("--margin", arguments->options.margin,
                     "length: how far the surfaces shall keep apart [0]");
  command.add_option("--t-max", arguments->options.t_max, "only contacts in [0, T] count [1]");
  command.add_option("--max-checks", arguments->options.max_checks, "budget; then undecided")
      ->capture_default_str();
  command.add_flag("--bench", arguments->bench,
                   "the benchmarks of [Zhang 2006]: as graze bench --suite rigid");
  command.add_option("--count", arguments->count, "shots for each pair (--bench) [250]");
  command.add_option("--out", arguments->out, "folder of the report (--bench)");
  command.add_option(
      "--dump-queries", arguments->queries,
      "folder: the steps of triangles that were asked, as queries on straight lines");
  add_show_options(command, arguments->html, arguments->record);
  add_json(command, arguments->json);
  command.footer(
      "\nA pose is \"x y z\", \"x y z rx ry rz\" (rotation vector: the axis, its length the angle "
      "in\ndegrees) or \"x y z qw qx qy qz\" (quaternion of any length). A pose turns a mesh about "
      "the\norigin of its file, then moves it.\n"
      "\nExit code 0: the way is free; 1: it is not.\n"
      "\nExamples:\n"
      "  graze rigid ring.obj knot.obj --from \"4 0 0\" --to \"-4 0 0\"\n"
      "  graze rigid ring.obj knot.obj --from \"4 0 0\" --to \"-4 0 0 0 0 90\" --motion screw "
      "--json\n"
      "  graze rigid --bench");
  command.callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace graze::command
