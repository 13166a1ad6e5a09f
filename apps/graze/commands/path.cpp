#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <numbers>

#include "commands/step.h"
#include "graze/io/file_error.h"
#include "scenes/robot_setting.h"
#include "terminal/page.h"
#include "terminal/terminal.h"

namespace graze::command {
namespace {

struct PathArguments {
  RobotInputs inputs;
  std::vector<std::string> packages, joints, margins;
  rigid::RobotOptions options;
  bool ignore_limits = false, json = false;
  std::string certificate, html, record;
};

// Splits NAME=VALUE.
std::pair<std::string, std::string> split(const char* flag, const std::string& text) {
  const auto sign = text.find('=');
  if (sign == std::string::npos || sign == 0 || sign + 1 == text.size())
    throw UsageError(fmt::format("{}: '{}' is not of the form NAME=VALUE", flag, text));
  return {text.substr(0, sign), text.substr(sign + 1)};
}

double number_of(const char* flag, const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || at != end || !std::isfinite(value))
    throw UsageError(fmt::format("{}: '{}' is no finite number", flag, text));
  return value;
}

void read_pairs(PathArguments& arguments) {
  for (const std::string& text : arguments.packages) {
    const auto [name, folder] = split("--package", text);
    arguments.inputs.packages.emplace_back(name, folder);
  }
  for (const std::string& text : arguments.joints) {
    const auto [name, value] = split("--joint", text);
    arguments.inputs.joints.emplace_back(name, number_of("--joint", value));
  }
  for (const std::string& text : arguments.margins) {
    const auto [pair, value] = split("--pair-margin", text);
    const auto comma = pair.find(',');
    if (comma == std::string::npos)
      throw UsageError(fmt::format("--pair-margin: '{}' is not of the form A,B=LENGTH", text));
    arguments.inputs.margins.push_back(
        {pair.substr(0, comma), pair.substr(comma + 1), number_of("--pair-margin", value)});
  }
}

// Returns a mesh to show a body: that of the body, or of the ball or capsule that it is.
io::RecordedBody shown(const std::string& name, const rigid::Body& body) {
  io::RecordedBody result;
  result.name = name;
  result.rigid = true;
  if (body.radius() == 0 || body.vertices().size() > 2) {
    result.vertices.assign(body.vertices().begin(), body.vertices().end());
    result.faces.assign(body.faces().begin(), body.faces().end());
    return result;
  }
  const Vec3 from = body.vertices().front(), to = body.vertices().back();
  const Vec3 axis = to == from ? Vec3(Vec3::UnitZ()) : Vec3((to - from).normalized());
  const Vec3 x = axis.unitOrthogonal(), y = axis.cross(x);
  constexpr std::uint32_t around = 24, bands = 16;
  for (std::uint32_t i = 0; i <= bands; ++i) {
    const double latitude = std::numbers::pi * (double(i) / bands - 0.5);
    for (std::uint32_t k = 0; k < around; ++k) {
      const double angle = 2 * std::numbers::pi * k / around;
      result.vertices.push_back(
          (i < bands / 2 ? from : to) +
          body.radius() * (std::sin(latitude) * axis +
                           std::cos(latitude) * (std::cos(angle) * x + std::sin(angle) * y)));
      if (i == 0) continue;
      const std::uint32_t next = (k + 1) % around, low = (i - 1) * around, high = i * around;
      result.faces.push_back({low + k, low + next, high + k});
      result.faces.push_back({low + next, high + next, high + k});
    }
  }
  return result;
}

std::vector<double> configuration(const rigid::Trajectory& path, std::size_t piece, double s) {
  std::vector<double> q;
  for (std::size_t j = 0; j < path.joints; ++j) {
    double value = 0;
    const auto c = path.polynomial(piece, j);
    for (std::size_t k = c.size(); k-- > 0;) value = value * s + c[k];
    q.push_back(value);
  }
  return q;
}

// Returns frames at equal steps of each piece and at the end of the free part.
io::Recording recording_of(const RobotSetting& setting, const rigid::RobotCheck& check,
                           const std::string& title) {
  io::Recording recording;
  recording.title = title;
  recording.z_up = true;
  recording.facts.emplace_back("verdict", name(check.verdict));
  const rigid::Robot& robot = setting.robot;
  std::vector<std::size_t> links;  // by body of the recording
  std::vector<std::vector<std::uint32_t>> bodies(robot.links().size());
  for (std::size_t i = 0; i < robot.links().size(); ++i)
    for (const rigid::Body& body : robot.bodies(i)) {
      bodies[i].push_back(recording.add_body(shown(robot.links()[i], body)));
      links.push_back(i);
    }
  for (std::size_t i = 0; i < setting.world.bodies.size(); ++i)
    recording.add_body(shown(setting.world.names[i], setting.world.bodies[i].body));
  const rigid::Trajectory& path = setting.path;
  const double begin = path.times.front(), whole = path.times.back() - begin;
  const auto steps = static_cast<int>(std::clamp<std::size_t>(400 / path.pieces(), 4, 200));
  std::vector<std::pair<std::size_t, double>> moments = {{0, 0.0}};
  for (std::size_t piece = 0; piece < path.pieces(); ++piece)
    for (int k = 1; k <= steps; ++k) moments.emplace_back(piece, double(k) / steps);
  if (std::isfinite(check.s)) moments.emplace_back(check.piece, check.s);
  std::sort(moments.begin(), moments.end());
  double last = -1;
  for (const auto& [piece, s] : moments) {
    const double t0 = path.times[piece], time = t0 + s * (path.times[piece + 1] - t0) - begin;
    if (!(time > last)) continue;
    last = time;
    recording.begin_frame(time);
    const std::vector<double> q = configuration(path, piece, s);
    for (std::uint32_t i = 0; i < links.size(); ++i) {
      const rigid::Placement at = robot.placement(links[i], q);
      recording.set_pose(i, Pose::from_matrix(at.rotation, at.offset));
    }
    for (std::uint32_t i = 0; i < setting.world.bodies.size(); ++i)
      recording.set_pose(static_cast<std::uint32_t>(links.size()) + i,
                         pose_at(setting.world.bodies[i].motion, std::min(time / whole, 1.0)));
  }
  if (check.verdict == Verdict::contact) {
    const auto number = [&](const std::string& item, std::uint32_t shape) {
      for (std::size_t i = 0; i < robot.links().size(); ++i)
        if (robot.links()[i] == item) return bodies[i][shape];
      const auto found = std::find(setting.world.names.begin(), setting.world.names.end(), item);
      return static_cast<std::uint32_t>(links.size() +
                                        std::size_t(found - setting.world.names.begin()));
    };
    const std::uint32_t a = number(check.a, check.shape_a), b = number(check.b, check.shape_b);
    recording.add_contact({check.time - begin,
                           check.point_a,
                           Vec3((check.point_a - check.point_b).stableNormalized()),
                           "face-face",
                           a,
                           b,
                           {},
                           {},
                           check.face_a,
                           check.face_b});
  }
  return recording;
}

void print_text(const RobotSetting& setting, const rigid::RobotCheck& check,
                const PathArguments& arguments, double seconds) {
  switch (check.verdict) {
    case Verdict::separated:
      fmt::print("free: the whole path is proven free of contact\n");
      break;
    case Verdict::contact:
      fmt::print(
          "contact at time {} (piece {}, s = {}): {} and {} at ({:.6g}, {:.6g}, {:.6g}), "
          "distance {:.3g} (threshold {:.3g}{})\n",
          check.time, check.piece, check.s, check.a, check.b, check.point_a[0], check.point_a[1],
          check.point_a[2], check.distance, arguments.options.threshold,
          arguments.inputs.margin > 0 ? fmt::format(", margin {:.3g}", arguments.inputs.margin)
                                      : "");
      break;
    default:
      fmt::print(
          "undecided at time {} (piece {}, s = {}) after {} checks: no contact before, "
          "unknown after; {} and {}; raise --max-checks or --threshold\n",
          check.time, check.piece, check.s, check.checks, check.a, check.b);
  }
  const auto without = setting.robot.links_without_shapes();
  const auto counted = [](std::uint64_t count, const char* one, const char* many) {
    return fmt::format("{} {}", report::format_count(count), count == 1 ? one : many);
  };
  fmt::print("{}, {} ({} without collision geometry{}{}), {}, {}; {}, {}\n",
             counted(setting.robot.joints().size(), "joint", "joints"),
             counted(setting.robot.links().size(), "link", "links"), without.size(),
             without.empty() ? "" : ": ", fmt::join(without, ", "),
             counted(setting.world.bodies.size(), "body", "bodies"),
             counted(setting.path.pieces(), "piece", "pieces"),
             counted(check.checks, "check", "checks"), report::format_nanoseconds(1e9 * seconds));
}

Json json_of(const RobotSetting& setting, const rigid::RobotCheck& check,
             const PathArguments& arguments) {
  const bool ends = check.verdict != Verdict::separated,
             contact = check.verdict == Verdict::contact;
  return {{"verdict", name(check.verdict)},
          {"time", json_number(check.time)},
          {"piece", ends ? Json(check.piece) : Json()},
          {"s", json_number(check.s)},
          {"a", ends ? Json(check.a) : Json()},
          {"b", ends ? Json(check.b) : Json()},
          {"face_a", contact ? Json(check.face_a) : Json()},
          {"face_b", contact ? Json(check.face_b) : Json()},
          {"point_a", json_vector(check.point_a)},
          {"point_b", json_vector(check.point_b)},
          {"distance", json_number(check.distance)},
          {"margin", arguments.inputs.margin},
          {"threshold", arguments.options.threshold},
          {"checks", check.checks},
          {"joints",
           std::vector<std::string>(setting.robot.joints().begin(), setting.robot.joints().end())},
          {"links_without_collision", setting.robot.links_without_shapes()},
          {"pieces", setting.path.pieces()}};
}

int run(PathArguments& arguments) {
  read_pairs(arguments);
  if (!(arguments.inputs.margin >= 0 && std::isfinite(arguments.inputs.margin)))
    throw UsageError("--margin must be at least 0 and finite");
  if (!(arguments.options.threshold > 0 && std::isfinite(arguments.options.threshold)))
    throw UsageError("--threshold must be positive and finite");
  check_page(arguments.html);
  if (!arguments.certificate.empty()) check_writable(arguments.certificate);
  const Stopwatch total;
  const RobotSetting setting = read_setting(arguments.inputs);
  const double load = total.seconds();
  rigid::RobotOptions& options = arguments.options;
  options.margin = arguments.inputs.margin;
  options.margins = arguments.inputs.margins;
  options.joint_limits = !arguments.ignore_limits;
  options.proof = !arguments.certificate.empty();
  const Stopwatch watch;
  const rigid::RobotCheck check =
      rigid::check_path(setting.robot, setting.path, setting.world, options);
  const double query = watch.seconds();
  if (check.verdict == Verdict::invalid) throw io::FileError(arguments.inputs.path, check.problem);
  if (options.proof && check.verdict == Verdict::separated)
    write_path_proof(arguments.certificate, arguments.inputs, setting, check.proof);
  if (!arguments.html.empty() || !arguments.record.empty())
    show(arguments.html, arguments.record,
         recording_of(
             setting, check,
             fmt::format("graze path {} {}",
                         std::filesystem::path(arguments.inputs.urdf).filename().string(),
                         std::filesystem::path(arguments.inputs.path).filename().string())));
  if (arguments.json) {
    Json json = json_of(setting, check, arguments);
    json["seconds"] = {{"load", load}, {"query", query}, {"total", total.seconds()}};
    print(json);
  } else {
    print_text(setting, check, arguments, query);
    if (options.proof)
      fmt::print("{}\n", check.verdict == Verdict::separated
                             ? fmt::format("wrote {} ({} intervals); graze verify checks it",
                                           arguments.certificate,
                                           report::format_count(check.proof.intervals.size()))
                             : fmt::format("{} was not written: the path is not proven free",
                                           arguments.certificate));
  }
  return exit_code_of(check.verdict);
}

}  // namespace

void add_path(CLI::App& app, int& exit_code) {
  auto& command =
      *app.add_subcommand("path", "Prove a path of a robot free, or find its first contact");
  const auto arguments = std::make_shared<PathArguments>();
  command.add_option("ROBOT", arguments->inputs.urdf, "robot: .urdf")->required();
  command.add_option("PATH", arguments->inputs.path, "path in joint space: .csv")->required();
  command.add_option("--srdf", arguments->inputs.srdf, "links that may touch: .srdf");
  command.add_option("--world", arguments->inputs.world,
                     "obstacles and attached objects: a scene of graze rigid, .json");
  command.add_option("--package", arguments->packages, "NAME=DIR: where package://NAME/ is");
  command.add_option("--joint", arguments->joints, "NAME=VALUE: a joint without a column");
  command.add_option("--margin", arguments->inputs.margin,
                     "length: a distance up to this is contact [0]");
  command.add_option("--pair-margin", arguments->margins,
                     "A,B=LENGTH: margin of two links, or a link and a body");
  command.add_option("--threshold", arguments->options.threshold,
                     "length: how close to contact the search stops [1e-7]");
  command
      .add_option("--max-checks", arguments->options.max_checks,
                  "budget of tests, beyond which the verdict is undecided; 0: no limit")
      ->capture_default_str();
  command.add_flag("--ignore-limits", arguments->ignore_limits, "accept paths beyond joint limits");
  command.add_option("--certificate", arguments->certificate,
                     "write the proof of a free path: .json; graze verify checks it");
  add_show_options(command, arguments->html, arguments->record);
  add_json(command, arguments->json);
  command.footer(
      "\nThe path file has a header, time,JOINT,..., and one row per configuration, in radians and "
      "metres.\nThe column time may be absent. With columns JOINT:velocity the path is a cubic "
      "spline, and with\nJOINT:acceleration too a quintic one; without, it is straight in joint "
      "space.\n"
      "\nExit codes: 0 proven free, 1 contact, 3 undecided (budget spent), 2 bad input or bad "
      "usage,\n130 interrupted.\n"
      "\nExamples:\n"
      "  graze path robot.urdf path.csv --srdf robot.srdf --world scene.json --margin 0.005\n"
      "  graze path robot.urdf path.csv --certificate proof.json && graze verify proof.json\n"
      "  graze path robot.urdf path.csv --html path.html");
  command.callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace graze::command
