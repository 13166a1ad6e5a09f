#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <numbers>
#include <optional>

#include "arguments/pose_argument.h"
#include "commands/step.h"
#include "graze/io/mesh_files.h"
#include "graze/polyhedron/contacts.h"
#include "graze/polyhedron/slide.h"
#include "terminal/json_values.h"
#include "terminal/page.h"
#include "terminal/terminal.h"

namespace graze::command {
namespace {

using namespace polyhedron;
struct TraceArguments {
  std::string world, mover, from = "0 0 0", to, rotate, html, record;
  double planar_tol = ModelOptions().planar_tol;
  double thickness = 0, step_height = 0;
  bool merge = false, drop = false, json = false, expel = false, slide = false, contacts = false;
};

// Returns the defect of a model made of a mesh, and the remedy if there is one.
std::string reason_of(const Model& model, const Mesh& mesh) {
  const bool flat = model.status == Status::zero_area || model.status == Status::bad_corner;
  if (model.status == Status::empty && model.dropped > 0)
    return fmt::format("all {} faces have no area", model.dropped);
  if (!flat || model.culprit >= mesh.faces.size()) return polyhedron::describe(model);
  const Face& face = mesh.faces[model.culprit];
  return fmt::format(
      "face {} (vertices {}, {}, {}; all counted from 0) has no area: its corners lie on a line; "
      "--drop-degenerate leaves out such faces",
      model.culprit, face[0], face[1], face[2]);
}

Model read_model(const std::string& file, const TraceArguments& arguments) {
  const io::MeshFrame frame = io::read_mesh(file);
  require_finite(file, frame.positions);
  ModelOptions options;
  options.planar_tol = arguments.planar_tol;
  options.merge_coplanar = arguments.merge;
  options.accept_soup = true;
  options.drop_degenerate = arguments.drop;
  Model model = model_of_mesh(frame.mesh, frame.positions, options);
  if (!model.ok()) throw io::FileError(file, reason_of(model, frame.mesh));
  return model;
}

// Returns the translation from one pose to the other, then the rotation ([van Waveren 2005] 2).
std::vector<Path> path_of(const TraceArguments& arguments) {
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

Json json_of(const Pose& pose) {
  const Eigen::Quaterniond q = pose.rotation.normalized();
  return {{"translation", json_vector(pose.translation)},
          {"rotation", {q.w(), q.x(), q.y(), q.z()}}};
}

Json json_of(const Contact& contact) {
  return {{"kind", name(contact.meeting)},
          {"mover_feature", contact.mover_feature},
          {"world_feature", contact.world_feature},
          {"point", json_vector(contact.point)},
          {"normal", json_vector(contact.normal)}};
}

Json dropped_of(const Model& world, const Model& mover) {
  return {{"world", world.dropped}, {"mover", mover.dropped}};
}

void print_dropped(const Model& world, const Model& mover) {
  if (world.dropped + mover.dropped > 0)
    fmt::print("left out faces without area: {} of the world, {} of the mover\n", world.dropped,
               mover.dropped);
}

Json json_of(const MoveResult& result, std::size_t pieces, double load, double query) {
  const bool touches = result.verdict == Verdict::contact;
  return {{"verdict", name(result.verdict)},
          {"fraction", touches ? result.toi : 1},
          {"fraction_hi", touches ? result.toi_hi : 1},
          {"piece", result.piece},
          {"pieces", pieces},
          {"end", json_of(result.end)},
          {"contact", touches ? json_of(result.contact) : Json(nullptr)},
          {"pairs", result.examined},
          {"exact", result.exact},
          {"seconds", {{"load", load}, {"query", query}}}};
}

void print_contact(const Contact& contact) {
  fmt::print(
      "{}: feature {} of the mover, {} of the world, at {:.6g} {:.6g} {:.6g}, normal {:.6g} "
      "{:.6g} {:.6g}\n",
      name(contact.meeting), contact.mover_feature, contact.world_feature, contact.point[0],
      contact.point[1], contact.point[2], contact.normal[0], contact.normal[1], contact.normal[2]);
}

// The contacts at the end of a trace: within `distance` of each other
// (graze/polyhedron/contacts.h).
struct EndContacts {
  double distance;
  std::vector<ContactPoint> points;
};

EndContacts end_contacts(const Obstacle& world, const Model& mover, const Pose& end,
                         double thickness) {
  Scratch scratch;
  return {2 * thickness, contacts({&world, 1}, mover, end, 2 * thickness, scratch)};
}

Json json_of(const EndContacts& found) {
  Json all = Json::array();
  for (const ContactPoint& contact : found.points) {
    all.push_back(json_of(static_cast<const Contact&>(contact)));
    all.back()["gap"] = contact.gap;
  }
  return {{"distance", found.distance}, {"points", all}};
}

void print_contacts(const EndContacts& found) {
  fmt::print("contacts at the end, within {:.3g}: {}\n", found.distance, found.points.size());
  for (const ContactPoint& contact : found.points) {
    fmt::print("  gap {:.3g}, ", contact.gap);
    print_contact(contact);
  }
}

// With --contacts, prints the contacts at the end of the move.
void print_contacts(const TraceArguments& arguments, const Obstacle& world, const Model& mover,
                    const Pose& end, double thickness) {
  if (arguments.contacts) print_contacts(end_contacts(world, mover, end, thickness));
}

// The pose at a time of the recording, which counts pieces of the path.
struct TimedPose {
  double time;
  Pose pose;
};
struct TimedContact {
  double time;
  Contact contact;
};

io::RecordedBody body_of(const std::string& name, const Model& model) {
  io::RecordedBody body{name, model.vertices, {}, {}, {}, {}, true, 0};
  for (const Facet& facet : model.facets) {
    const auto corners = model.corners_of(facet);
    for (std::size_t k = 2; k < corners.size(); ++k)
      body.faces.push_back({corners[0], corners[k - 1], corners[k]});
  }
  return body;
}

io::Recording recording_of(const TraceArguments& arguments, const Model& world, const Model& mover,
                           bool one_piece, Verdict verdict, const std::vector<TimedPose>& frames,
                           const std::vector<TimedContact>& found) {
  const auto name_of = [](const std::string& file) {
    return std::filesystem::path(file).filename().string();
  };
  io::Recording recording;
  recording.title =
      fmt::format("graze trace {} {}", name_of(arguments.world), name_of(arguments.mover));
  recording.time_unit = one_piece ? "of the way" : "pieces of the way";
  recording.facts = {{"verdict", name(verdict)}};
  recording.add_body(body_of(name_of(arguments.world), world));
  recording.add_body(body_of(name_of(arguments.mover), mover));
  for (const TimedPose& frame : frames) {
    recording.begin_frame(frame.time);
    recording.set_pose(1, frame.pose);
  }
  const auto corners = [](const Model& model, std::uint32_t facet) {
    const auto span = model.corners_of(model.facets[facet]);
    return std::vector<std::uint32_t>(span.begin(), span.end());
  };
  const auto ends = [](const ModelEdge& edge) { return std::vector{edge.a, edge.b}; };
  for (const auto& [time, contact] : found) {
    std::vector<std::uint32_t> of_mover, of_world;
    switch (contact.meeting) {
      case Meeting::start:
        of_mover = corners(mover, contact.mover_feature);
        of_world = corners(world, contact.world_feature);
        break;
      case Meeting::vertex_facet:
        of_mover = {contact.mover_feature};
        of_world = corners(world, contact.world_feature);
        break;
      case Meeting::facet_vertex:
        of_mover = corners(mover, contact.mover_feature);
        of_world = {contact.world_feature};
        break;
      case Meeting::edge_edge:
        of_mover = ends(mover.edges[contact.mover_feature]);
        of_world = ends(world.edges[contact.world_feature]);
        break;
    }
    recording.add_contact({time, contact.point, contact.normal, name(contact.meeting), 1, 0,
                           of_mover, of_world, contact.mover_feature, contact.world_feature});
  }
  return recording;
}

// Returns poses along the path, one unit of time for each piece, and the pose at `stop`.
std::vector<TimedPose> frames_of(const std::vector<Path>& path, std::optional<double> stop) {
  constexpr int steps = 100;  // of each piece
  std::vector<TimedPose> frames;
  const auto add = [&](double time) {
    const std::size_t piece = std::min(static_cast<std::size_t>(time), path.size() - 1);
    frames.push_back({time, pose_at(path[piece], time - static_cast<double>(piece))});
  };
  for (std::size_t k = 0; k <= steps * path.size(); ++k) {
    const double time = static_cast<double>(k) / steps, before = static_cast<double>(k - 1) / steps;
    if (stop && k > 0 && *stop > before && *stop < time) add(*stop);
    add(time);
  }
  return frames;
}

bool wants_recording(const TraceArguments& arguments) {
  return !arguments.html.empty() || !arguments.record.empty();
}

// Writes the page and the recording that the arguments ask for; `end` is the pose at the end and
// `thickness` the distance of its contacts.
void show_trace(const TraceArguments& arguments, const Obstacle& world, const Model& mover,
                bool one_piece, Verdict verdict, const std::vector<TimedPose>& frames,
                std::vector<TimedContact> found, const TimedPose& end, double thickness) {
  if (arguments.contacts)
    for (const ContactPoint& contact : end_contacts(world, mover, end.pose, thickness).points)
      found.push_back({end.time, contact});
  show(arguments.html, arguments.record,
       recording_of(arguments, world.model, mover, one_piece, verdict, frames, found));
}

int expel(const TraceArguments& arguments, const Obstacle& world, const Model& mover,
          const std::vector<Path>& path) {
  Scratch scratch;
  const ExpelResult result = expel_move({&world, 1}, mover, path, scratch, {arguments.thickness});
  if (result.verdict == Verdict::invalid)
    throw UsageError("--from, --to or --rotate: the path exceeds the range of doubles");
  const bool stops = result.verdict == Verdict::contact;
  const Vec3& end = result.end.translation;
  const TimedPose last{static_cast<double>(result.piece) + result.fraction, result.end};
  if (wants_recording(arguments)) {
    std::vector<TimedPose> frames = frames_of(path, last.time);
    std::erase_if(frames, [&](const TimedPose& frame) { return frame.time >= last.time; });
    frames.push_back(last);
    std::vector<TimedContact> found;
    if (stops) found.push_back({last.time, result.contact});
    show_trace(arguments, world, mover, path.size() == 1, result.verdict, frames, found, last,
               result.thickness);
  }
  if (arguments.json) {
    Json json = {{"verdict", name(result.verdict)},
                 {"fraction", result.fraction},
                 {"piece", result.piece},
                 {"pieces", path.size()},
                 {"end", json_of(result.end)},
                 {"contact", stops ? json_of(result.contact) : Json(nullptr)},
                 {"thickness", result.thickness},
                 {"expelled", result.expelled},
                 {"dropped", dropped_of(world.model, mover)}};
    if (arguments.contacts)
      json["end_contacts"] = json_of(end_contacts(world, mover, result.end, result.thickness));
    print(json);
    return stops;
  }
  if (stops)
    fmt::print("stops at {} of piece {} of {}; ends at {} {} {}\n", result.fraction,
               result.piece + 1, path.size(), end[0], end[1], end[2]);
  else
    fmt::print("free; ends at {} {} {}\n", end[0], end[1], end[2]);
  if (stops) print_contact(result.contact);
  fmt::print("thickness {:.3g}{}\n", result.thickness,
             result.expelled ? "; the mover touched at the start and was pushed out" : "");
  print_contacts(arguments, world, mover, result.end, result.thickness);
  print_dropped(world.model, mover);
  return stops;
}

int slide(const TraceArguments& arguments, const Obstacle& world, const Model& mover,
          const std::vector<Path>& path) {
  if (path.size() != 1 || path[0].turns) throw UsageError("--slide needs --to without a rotation");
  SlideOptions options;
  options.step_height = arguments.step_height;
  options.thickness = arguments.thickness;
  Scratch scratch;
  const SlideResult result =
      slide_move({&world, 1}, mover, path[0].start, path[0].way, scratch, options);
  if (result.verdict == Verdict::invalid)
    throw UsageError("--from, --to or --step-height: the path exceeds the range of doubles");
  const bool stops = result.verdict == Verdict::contact;
  const Vec3& end = result.end.translation;
  const Vec3 done = end - path[0].start.translation;
  const double thickness =
      std::max(arguments.thickness, expel_thickness({&world, 1}, mover, path[0]));
  if (wants_recording(arguments)) {
    const double parts = static_cast<double>(std::max<std::size_t>(result.track.size(), 2) - 1);
    std::vector<TimedPose> frames;
    for (const Pose& pose : result.track)
      frames.push_back({static_cast<double>(frames.size()) / parts, pose});
    if (frames.size() == 1) frames.push_back({1, result.end});
    std::vector<TimedContact> found;
    for (const Contact& contact : result.contacts)
      found.push_back({std::min(1., static_cast<double>(found.size() + 1) / parts), contact});
    show_trace(arguments, world, mover, true, result.verdict, frames, found, frames.back(),
               thickness);
  }
  if (arguments.json) {
    Json all = Json::array();
    for (const Contact& contact : result.contacts) all.push_back(json_of(contact));
    const double length_sq = path[0].way.squaredNorm();
    Json json = {{"verdict", name(result.verdict)},
                 {"fraction", length_sq > 0 ? done.dot(path[0].way) / length_sq : 1},
                 {"end", json_of(result.end)},
                 {"contact", all.empty() ? Json(nullptr) : all.front()},
                 {"contacts", all},
                 {"way", json_vector(result.way)},
                 {"stepped", result.stepped},
                 {"ground", result.on_ground ? json_of(result.ground) : Json(nullptr)},
                 {"dropped", dropped_of(world.model, mover)}};
    if (arguments.contacts)
      json["end_contacts"] = json_of(end_contacts(world, mover, result.end, thickness));
    print(json);
    return stops;
  }
  fmt::print("{}; ends at {} {} {}, {}{}\n",
             stops ? fmt::format("contacts: {}", result.contacts.size()) : "free", end[0], end[1],
             end[2], result.on_ground ? "on ground" : "in the air",
             result.stepped ? ", after a step" : "");
  for (const Contact& contact : result.contacts) print_contact(contact);
  print_contacts(arguments, world, mover, result.end, thickness);
  print_dropped(world.model, mover);
  return stops;
}

int run(const TraceArguments& arguments) {
  const std::vector<Path> path = path_of(arguments);
  if (arguments.expel && arguments.slide)
    throw UsageError("--expel and --slide exclude each other");
  if (!arguments.expel && !arguments.slide && (arguments.thickness > 0))
    throw UsageError("--thickness needs --expel or --slide");
  if (!arguments.slide && arguments.step_height > 0)
    throw UsageError("--step-height needs --slide");
  check_page(arguments.html);
  const Stopwatch total;
  const Obstacle world = make_obstacle(read_model(arguments.world, arguments));
  const Model mover = read_model(arguments.mover, arguments);
  if (arguments.slide) return slide(arguments, world, mover, path);
  if (arguments.expel) return expel(arguments, world, mover, path);
  const double load = total.seconds();
  Scratch scratch;
  const Stopwatch watch;
  const MoveResult result = polyhedron::move({&world, 1}, mover, path, scratch);
  const double query = watch.seconds();
  if (result.verdict == Verdict::invalid)
    throw UsageError("--from, --to or --rotate: the path exceeds the range of doubles");
  const bool touches = result.verdict == Verdict::contact;
  const double thickness = expel_thickness({&world, 1}, mover, path[result.piece]);
  const double stop = static_cast<double>(result.piece) + (touches ? result.toi : 1);
  if (wants_recording(arguments)) {
    std::vector<TimedContact> found;
    if (touches) found.push_back({stop, result.contact});
    show_trace(arguments, world, mover, path.size() == 1, result.verdict,
               frames_of(path, touches ? std::optional(stop) : std::nullopt), found,
               {stop, result.end}, thickness);
  }
  if (arguments.json) {
    Json json = json_of(result, path.size(), load, query);
    json["dropped"] = dropped_of(world.model, mover);
    if (arguments.contacts)
      json["end_contacts"] = json_of(end_contacts(world, mover, result.end, thickness));
    print(json);
    return touches;
  }
  const Vec3& end = result.end.translation;
  if (!touches) {
    fmt::print("free; ends at {} {} {}\n", end[0], end[1], end[2]);
    print_contacts(arguments, world, mover, result.end, thickness);
    print_dropped(world.model, mover);
    return 0;
  }
  fmt::print("contact at {} of piece {} of {}; ends at {} {} {}\n", result.toi, result.piece + 1,
             path.size(), end[0], end[1], end[2]);
  if (result.contact.meeting == Meeting::start)
    fmt::print(
        "the mover touches the world at the start, so it does not move: facet {} of the mover, {} "
        "of the world; --expel pushes the mover out and then moves it\n",
        result.contact.mover_feature, result.contact.world_feature);
  else
    print_contact(result.contact);
  print_contacts(arguments, world, mover, result.end, thickness);
  fmt::print("{} pairs examined, {} by integers; load {}, query {}\n",
             report::format_count(result.examined), result.exact,
             report::format_nanoseconds(1e9 * load), report::format_nanoseconds(1e9 * query));
  print_dropped(world.model, mover);
  return 1;
}

}  // namespace

void add_trace(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("trace",
                         "Move a polyhedron through a world up to the first contact, "
                         "exactly: a translation\n"
                         "from one pose to another, then a rotation");
  const auto arguments = std::make_shared<TraceArguments>();
  command->add_option("WORLD", arguments->world, "static mesh")->required();
  command->add_option("MOVER", arguments->mover, "moving mesh")->required();
  command->add_option("--from", arguments->from, pose_format)
      ->type_name("POSE")
      ->capture_default_str();
  command->add_option("--to", arguments->to, "end pose, as --from")->type_name("POSE");
  command
      ->add_option(
          "--rotate", arguments->rotate,
          "\"x y z degrees\": then rotate about this axis through the mover's origin, by any "
          "angle")
      ->type_name("TURN");
  command->add_flag("--drop-degenerate", arguments->drop,
                    "leave out faces without area, whose corners lie on a line");
  command->add_flag("--merge", arguments->merge, "merge coplanar triangles into convex polygons");
  command
      ->add_option("--planar-tol", arguments->planar_tol,
                   "largest distance of a corner from its polygon's plane, as a fraction of the "
                   "model's size")
      ->capture_default_str();
  command->add_flag(
      "--expel", arguments->expel,
      "stop before the contact, at a stored pose that does not touch; touching bodies "
      "may slide and part");
  command->add_flag("--slide", arguments->slide,
                    "move like the player of a game: slide along obstacles");
  command
      ->add_option("--step-height", arguments->step_height,
                   "with --slide: length, the highest step to climb")
      ->check(CLI::NonNegativeNumber.description(""));
  command
      ->add_option(
          "--thickness", arguments->thickness,
          "with --expel or --slide: length, thickness of the zone [the least that rounding "
          "needs]")
      ->check(CLI::NonNegativeNumber.description(""));
  command->add_flag("--contacts", arguments->contacts,
                    "list all contacts at the end: features within twice the zone's thickness");
  add_show_options(*command, arguments->html, arguments->record);
  add_json(*command, arguments->json);
  command->footer(
      "\nA pose is \"x y z\", \"x y z rx ry rz\" (rotation vector in degrees) or "
      "\"x y z qw qx qy qz\".\n"
      "\nExit codes: 0 free, 1 contact, 2 bad input or bad usage.\n"
      "\nExamples:\n"
      "  graze trace hall.obj crate.obj --from \"0 0 5\" --to \"0 0 -3\"\n"
      "  graze trace hall.obj crate.obj --to \"4 0 0\" --rotate \"0 0 1 90\" --json\n"
      "  graze trace hall.obj crate.obj --from \"0 0 1\" --to \"3 0 1\" --expel --contacts\n"
      "  graze trace hall.obj crate.obj --from \"0 0 1\" --to \"3 2 1\" --slide --html "
      "slide.html");
  command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace graze::command
