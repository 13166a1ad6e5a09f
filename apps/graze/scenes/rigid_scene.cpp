#include "scenes/rigid_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "graze/io/mesh_files.h"
#include "graze/sim/rigid.h"
#include "scenes/json_reader.h"

namespace graze::command {
namespace {

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
  std::string name;
  rigid::MovingBody moving;
};

ReadBody read_scene_body(const JsonReader& reader, const std::filesystem::path& folder,
                         const Json& json, const std::string& where) {
  ReadBody result;
  std::string mesh, motion = "linear";
  std::optional<Pose> from, to;
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
  reader.require(json, where, {"name", "mesh"});
  reader.read(json, where,
              {{"name", text_into(result.name)},
               {"mesh", text_into(mesh)},
               {"from", pose_into(from)},
               {"to", pose_into(to)},
               {"motion", text_into(motion)}});
  if (result.name.empty()) reader.fail(where, "\"name\" is empty");
  if (motion != "linear" && motion != "screw")
    reader.fail(where, "\"motion\" must be \"linear\" or \"screw\"");
  result.moving.body = read_body((folder / mesh).string());
  const Pose start = from.value_or(Pose{});
  result.moving.motion = to ? motion_between(result.moving.body, start, *to, motion == "screw")
                            : rigid::resting(start);
  return result;
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
  const JsonReader reader(file, "graze-rigid-1");
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  RigidScene scene;
  const auto index_of = [&](const Json& value, const std::string& where) {
    const std::string name = reader.text(value, where);
    const auto found = std::find(scene.names.begin(), scene.names.end(), name);
    if (found == scene.names.end())
      reader.fail(where, fmt::format("no body has the name \"{}\"", name));
    return static_cast<std::uint32_t>(found - scene.names.begin());
  };
  reader.require(reader.json(), "", {"bodies"});
  reader.each(reader.json()["bodies"], "bodies", [&](const Json& json, const std::string& where) {
    ReadBody read = read_scene_body(reader, folder, json, where);
    if (std::find(scene.names.begin(), scene.names.end(), read.name) != scene.names.end())
      reader.fail(where, fmt::format("the name \"{}\" is used twice", read.name));
    scene.names.push_back(std::move(read.name));
    scene.bodies.push_back(std::move(read.moving));
  });
  if (scene.bodies.size() < 2) reader.fail("bodies", "a scene needs at least two bodies");
  const auto nothing = [](const Json&, const std::string&) {};
  reader.read(reader.json(), "",
              {{"format", nothing},
               {"bodies", nothing},
               {"may_touch", [&](const Json& list, const std::string& where) {
                  reader.each(list, where, [&](const Json& pair, const std::string& at) {
                    std::vector<std::uint32_t> two;
                    reader.each(pair, at, [&](const Json& body, const std::string& inner) {
                      two.push_back(index_of(body, inner));
                    });
                    if (two.size() != 2 || two[0] == two[1])
                      reader.fail(at, "must be the names of two bodies");
                    scene.ignored.push_back({two[0], two[1]});
                  });
                }}});
  return scene;
}

}  // namespace graze::command
