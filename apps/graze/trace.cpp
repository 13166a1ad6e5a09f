#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <numbers>

#include "graze/io/mesh_files.h"
#include "graze/polyhedron/move.h"
#include "pose_argument.h"
#include "step.h"
#include "terminal.h"

namespace graze::command {
namespace {

using namespace polyhedron;
using Json = nlohmann::ordered_json;

struct Arguments {
  std::string world, mover, from = "0 0 0", to, rotate;
  double planar_tol = ModelOptions().planar_tol;
  bool merge = false, json = false;
};

BrushModel read_model(const std::string& file, const Arguments& arguments) {
  const io::MeshFrame frame = io::read_mesh(file);
  require_finite(file, frame.positions);
  ModelOptions options;
  options.planar_tol = arguments.planar_tol;
  options.merge_coplanar = arguments.merge;
  options.accept_soup = true;
  BrushModel model = model_of_mesh(frame.mesh, frame.positions, options);
  if (!model.ok()) throw io::FileError(file, describe(model));
  return model;
}

// First straight from the one pose to the other, then the turn, as [van Waveren 2005] 2 has it.
std::vector<Path> path_of(const Arguments& arguments) {
  const Pose from = parse_pose("--from", arguments.from);
  std::vector<Path> pieces;
  Pose there = from;
  if (!arguments.to.empty()) {
    const Pose to = parse_pose("--to", arguments.to);
    pieces.push_back(translating(from, to.translation - from.translation));
    there.translation = to.translation;
    const Eigen::AngleAxisd turn(to.rotation.normalized() * from.rotation.normalized().conjugate());
    if (turn.angle() != 0)
      for (const Path& piece : turning(there, there.translation, turn.axis(), turn.angle()))
        pieces.push_back(piece);
  }
  if (!arguments.rotate.empty()) {
    const std::vector<double> numbers = parse_numbers("--rotate", arguments.rotate);
    const Vec3 axis = numbers.size() == 4 ? Vec3(numbers[0], numbers[1], numbers[2]) : Vec3::Zero();
    if (axis == Vec3::Zero())
      throw UsageError(
          fmt::format("--rotate: '{}' is not \"x y z degrees\" with an axis other "
                      "than 0",
                      arguments.rotate));
    if (!pieces.empty()) there = pose_at(pieces.back(), 1);
    for (const Path& piece :
         turning(there, there.translation, axis, numbers[3] / 180 * std::numbers::pi))
      pieces.push_back(piece);
  }
  if (pieces.empty()) throw UsageError("trace needs --to POSE or --rotate \"x y z degrees\"");
  return pieces;
}

Json vector(const Vec3& x) {
  return {x[0], x[1], x[2]};
}

Json json_of(const MoveResult& result, std::size_t pieces, double load, double query) {
  const Contact& contact = result.contact;
  const Eigen::Quaterniond q = result.end.rotation.normalized();
  const bool touches = result.verdict == Verdict::contact;
  return {{"verdict", name(result.verdict)},
          {"fraction", result.fraction},
          {"fraction_hi", result.fraction_hi},
          {"piece", result.piece},
          {"pieces", pieces},
          {"end",
           {{"translation", vector(result.end.translation)},
            {"rotation", {q.w(), q.x(), q.y(), q.z()}}}},
          {"contact", touches ? Json{{"kind", name(contact.meeting)},
                                     {"mover_feature", contact.mover_feature},
                                     {"world_feature", contact.world_feature},
                                     {"point", vector(contact.point)},
                                     {"normal", vector(contact.normal)}}
                              : Json(nullptr)},
          {"pairs", result.examined},
          {"exact", result.exact},
          {"seconds", {{"load", load}, {"query", query}}}};
}

int run(const Arguments& arguments) {
  const std::vector<Path> path = path_of(arguments);
  const Stopwatch total;
  const Obstacle world = make_obstacle(read_model(arguments.world, arguments));
  const BrushModel mover = read_model(arguments.mover, arguments);
  const double load = total.seconds();
  Scratch scratch;
  const Stopwatch watch;
  const MoveResult result = polyhedron::move({&world, 1}, mover, path, scratch);
  const double query = watch.seconds();
  if (result.verdict == Verdict::invalid) throw UsageError("the path leaves the range of numbers");
  const bool touches = result.verdict == Verdict::contact;
  if (arguments.json) {
    print(json_of(result, path.size(), load, query));
    return touches;
  }
  const Vec3& end = result.end.translation;
  if (!touches) {
    fmt::print("free; ends at {} {} {}\n", end[0], end[1], end[2]);
    return 0;
  }
  const Contact& contact = result.contact;
  fmt::print("contact at {} of piece {} of {}; ends at {} {} {}\n", result.fraction,
             result.piece + 1, path.size(), end[0], end[1], end[2]);
  fmt::print(
      "{}: feature {} of the mover, {} of the world, at {:.6g} {:.6g} {:.6g}, normal {:.6g} "
      "{:.6g} {:.6g}\n",
      name(contact.meeting), contact.mover_feature, contact.world_feature, contact.point[0],
      contact.point[1], contact.point[2], contact.normal[0], contact.normal[1], contact.normal[2]);
  fmt::print("{} pairs examined, {} by integers; load {}, query {}\n",
             io::format_count(result.examined), result.exact, io::format_nanoseconds(1e9 * load),
             io::format_nanoseconds(1e9 * query));
  return 1;
}

}  // namespace

void add_trace(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("trace",
                                         "how far does a polyhedron get through a world, exactly: "
                                         "first straight from one pose to the\n"
                                         "other, then turning");
  const auto arguments = std::make_shared<Arguments>();
  command->add_option("WORLD", arguments->world, "mesh that stands still")->required();
  command->add_option("MOVER", arguments->mover, "mesh that moves")->required();
  command->add_option("--from", arguments->from, pose_format)
      ->type_name("POSE")
      ->capture_default_str();
  command->add_option("--to", arguments->to, "where it goes, as --from")->type_name("POSE");
  command
      ->add_option("--rotate", arguments->rotate,
                   "\"x y z degrees\": then a turn about this axis through its origin")
      ->type_name("TURN");
  command->add_flag("--merge", arguments->merge, "coplanar triangles become convex polygons");
  command
      ->add_option("--planar-tol", arguments->planar_tol,
                   "how far from planar a polygon may be, as a share of the model's size")
      ->capture_default_str();
  add_json(*command, arguments->json);
  command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace graze::command
