#include "scenes/rigid_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "graze/io/mesh_files.h"
#include "scenes/json_reader.h"

namespace graze::command {
namespace {

// Returns the centre of mass; the middle of the bounding box if the mesh has no volume.
Vec3 centre_of(const rigid::Body& body) {
  const auto vertices = body.vertices();
  const rigid::MassProperties mass = rigid::mass_properties(vertices, body.faces());
  if (mass.volume > 0 && mass.centre.allFinite()) return mass.centre;
  Vec3 lo = vertices[body.faces()[0][0]], hi = lo;
  for (const Face& face : body.faces())
    for (const std::uint32_t vertex : face) {
      lo = lo.cwiseMin(vertices[vertex]);
      hi = hi.cwiseMax(vertices[vertex]);
    }
  return lo / 2 + hi / 2;
}

// Reads a pose: {"position": [x, y, z], "rotation": [x, y, z]}, the rotation an axis times degrees,
// or "quaternion": [w, x, y, z]. All are optional.
Pose read_pose(const JsonReader& reader, const Json& json, const std::string& where) {
  Pose pose;
  bool is_turned = false;
  const auto turn = [&] {
    if (is_turned) reader.fail(where, "has both \"rotation\" and \"quaternion\"");
    is_turned = true;
  };
  reader.read(
      json, where,
      {{"position", [&](const Json& value,
                        const std::string& at) { pose.translation = reader.vector(value, at); }},
       {"rotation",
        [&](const Json& value, const std::string& at) {
          turn();
          const Vec3 axis = reader.vector(value, at);
          pose.rotation =
              Pose::from_axis_angle(axis, axis.stableNorm() * std::numbers::pi / 180).rotation;
        }},
       {"quaternion", [&](const Json& value, const std::string& at) {
          turn();
          std::vector<double> q;
          reader.each(value, at, [&](const Json& number, const std::string& inner) {
            q.push_back(reader.number(number, inner));
          });
          if (q.size() != 4 || q == std::vector<double>(4, 0))
            reader.fail(at, "must be four numbers, w x y z, not all 0");
          pose.rotation = Eigen::Quaterniond(q[0], q[1], q[2], q[3]);
        }}});
  if (const std::string wrong = pose_problem(pose); !wrong.empty()) reader.fail(where, wrong);
  return pose;
}

struct ReadBody {
  std::string name, link;
  rigid::RobotShape shape;  // at the pose of its start
  rigid::MovingBody moving;
  std::filesystem::path file;  // empty: a primitive
};

// Reads {"radius": r, "length": l}; the length is that along z, without caps.
rigid::RobotShape read_round(const JsonReader& reader, const Json& json, const std::string& where,
                             rigid::RobotShape::Kind kind) {
  rigid::RobotShape shape;
  shape.kind = kind;
  const auto positive = [&](double& to, double factor) {
    return [&, factor](const Json& value, const std::string& at) {
      to = factor * reader.number(value, at);
      if (!(to > 0)) reader.fail(at, "must be positive");
    };
  };
  reader.require(json, where, {"radius"});
  JsonReader::Fields fields = {{"radius", positive(shape.radius, 1)}};
  if (kind != rigid::RobotShape::Kind::sphere) {
    reader.require(json, where, {"length"});
    fields["length"] = positive(shape.half_height, 0.5);
  }
  reader.read(json, where, fields);
  return shape;
}

rigid::Body body_of(const rigid::RobotShape& shape) {
  using Kind = rigid::RobotShape::Kind;
  switch (shape.kind) {
    case Kind::mesh:
      return rigid::make_body(shape.vertices, shape.faces);
    case Kind::box:
      return rigid::make_box(shape.half_extents);
    case Kind::sphere:
      return rigid::make_sphere(shape.radius);
    case Kind::capsule:
      return rigid::make_capsule(-shape.half_height * Vec3::UnitZ(),
                                 shape.half_height * Vec3::UnitZ(), shape.radius);
    case Kind::cylinder:
      return rigid::enclosing_prism(shape.radius, shape.half_height,
                                    std::min(1e-4, 0.01 * shape.radius));
  }
  return {};
}

ReadBody read_scene_body(const JsonReader& reader, const std::filesystem::path& folder,
                         const Json& json, const std::string& where) {
  using Kind = rigid::RobotShape::Kind;
  ReadBody result;
  std::string motion = "linear";
  std::optional<Pose> from, to;
  int shapes = 0;
  const auto pose_into = [&](std::optional<Pose>& pose) {
    return [&reader, &pose](const Json& value, const std::string& at) {
      pose = read_pose(reader, value, at);
    };
  };
  const auto text_into = [&](std::string& text) {
    return [&reader, &text](const Json& value, const std::string& at) {
      text = reader.text(value, at);
    };
  };
  const auto round_of = [&](Kind kind) {
    return [&, kind](const Json& value, const std::string& at) {
      result.shape = read_round(reader, value, at, kind);
      ++shapes;
    };
  };
  reader.require(json, where, {"name"});
  reader.read(json, where,
              {{"name", text_into(result.name)},
               {"link", text_into(result.link)},
               {"mesh",
                [&](const Json& value, const std::string& at) {
                  result.file = folder / reader.text(value, at);
                  ++shapes;
                }},
               {"box",
                [&](const Json& value, const std::string& at) {
                  result.shape.kind = Kind::box;
                  result.shape.half_extents = 0.5 * reader.vector(value, at);
                  if (!(result.shape.half_extents.minCoeff() >= 0))
                    reader.fail(at, "must be three lengths");
                  ++shapes;
                }},
               {"sphere", round_of(Kind::sphere)},
               {"cylinder", round_of(Kind::cylinder)},
               {"capsule", round_of(Kind::capsule)},
               {"from", pose_into(from)},
               {"to", pose_into(to)},
               {"motion", text_into(motion)}});
  if (result.name.empty()) reader.fail(where, "\"name\" is empty");
  if (shapes != 1)
    reader.fail(where, "needs one of \"mesh\", \"box\", \"sphere\", \"cylinder\", \"capsule\"");
  if (motion != "linear" && motion != "screw")
    reader.fail(where, "\"motion\" must be \"linear\" or \"screw\"");
  if (!result.link.empty() && to) reader.fail(where, "a body with a \"link\" has no \"to\"");
  if (!result.file.empty()) {
    const io::MeshFrame frame = io::read_mesh(result.file);
    result.shape.vertices = frame.positions;
    result.shape.faces = frame.mesh.faces;
  }
  result.moving.body = body_of(result.shape);
  if (result.moving.body.status() != rigid::Status::ok) {
    if (!result.file.empty())
      throw io::FileError(result.file.string(), result.moving.body.problem());
    reader.fail(where, result.moving.body.problem());
  }
  const Pose start = from.value_or(Pose{});
  result.shape.at = start;
  result.moving.motion = to ? motion_between(result.moving.body, start, *to, motion == "screw")
                            : rigid::resting(start);
  return result;
}

// Reads a scene. `links`: those of a robot, null for a scene without one.
RigidScene read_scene(const std::string& file, const std::span<const std::string>* links) {
  const JsonReader reader(file, "graze-rigid-1");
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  RigidScene scene;
  std::vector<std::string> known;  // bodies, attached ones too
  const auto is_link = [&](const std::string& name) {
    return links && std::find(links->begin(), links->end(), name) != links->end();
  };
  reader.require(reader.json(), "", {"bodies"});
  reader.each(reader.json()["bodies"], "bodies", [&](const Json& json, const std::string& where) {
    ReadBody read = read_scene_body(reader, folder, json, where);
    if (std::find(known.begin(), known.end(), read.name) != known.end() || is_link(read.name))
      reader.fail(where, fmt::format("the name \"{}\" is used twice", read.name));
    known.push_back(read.name);
    if (!read.file.empty()) scene.files.push_back(read.file);
    if (!read.link.empty()) {
      if (!links) reader.fail(where, "\"link\" is for the world of a robot");
      if (!is_link(read.link))
        reader.fail(where, fmt::format("the robot has no link \"{}\"", read.link));
      scene.attached.push_back({read.name, read.link, std::move(read.shape)});
      return;
    }
    scene.names.push_back(std::move(read.name));
    scene.bodies.push_back(std::move(read.moving));
  });
  if (!links && scene.bodies.size() < 2) reader.fail("bodies", "a scene needs at least two bodies");
  const auto nothing = [](const Json&, const std::string&) {};
  reader.read(
      reader.json(), "",
      {{"format", nothing},
       {"bodies", nothing},
       {"may_touch", [&](const Json& list, const std::string& where) {
          reader.each(list, where, [&](const Json& pair, const std::string& at) {
            std::vector<std::string> two;
            reader.each(pair, at, [&](const Json& body, const std::string& inner) {
              const std::string name = reader.text(body, inner);
              if (std::find(known.begin(), known.end(), name) == known.end() && !is_link(name))
                reader.fail(inner, fmt::format("no body{} has the name \"{}\"",
                                               links ? " or link" : "", name));
              two.push_back(name);
            });
            if (two.size() != 2 || two[0] == two[1])
              reader.fail(at, "must be the names of two bodies");
            if (links) {
              scene.may_touch.push_back({two[0], two[1]});
              return;
            }
            const auto index = [&](const std::string& name) {
              return static_cast<std::uint32_t>(
                  std::find(scene.names.begin(), scene.names.end(), name) - scene.names.begin());
            };
            scene.ignored.push_back({index(two[0]), index(two[1])});
          });
        }}});
  return scene;
}

}  // namespace

rigid::Body read_body(const std::string& file) {
  const io::MeshFrame frame = io::read_mesh(file);
  rigid::Body body = rigid::make_body(frame.positions, frame.mesh.faces);
  if (body.status() != rigid::Status::ok) throw io::FileError(file, body.problem());
  return body;
}

std::string pose_problem(const Pose& pose) {
  constexpr double largest = 1e100;
  for (const double x : pose.translation)
    if (std::abs(x) > largest)
      return fmt::format("the coordinate {} is beyond {}, the largest that rigid accepts", x,
                         largest);
  return "";
}

rigid::Motion motion_between(const rigid::Body& body, const Pose& from, const Pose& to,
                             bool screw) {
  return screw ? rigid::screw_motion(from, to) : rigid::linear_motion(from, to, centre_of(body));
}

RigidScene read_rigid_scene(const std::string& file) {
  return read_scene(file, nullptr);
}

RigidScene read_robot_scene(const std::string& file, std::span<const std::string> links) {
  return read_scene(file, &links);
}

}  // namespace graze::command
