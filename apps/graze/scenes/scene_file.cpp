#include "scenes/scene_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "scenes/json_reader.h"

namespace graze::command {
namespace {

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

SceneFile::Entry read_entry(const JsonReader& reader, const std::filesystem::path& folder,
                            const Json& json, const std::string& where) {
  using Kind = rigid::RobotShape::Kind;
  SceneFile::Entry result;
  result.where = where;
  std::string motion = "linear";
  int shapes = 0;
  const auto pose_into = [&](auto& pose) {
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
                  result.mesh = folder / reader.text(value, at);
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
               {"from", pose_into(result.from)},
               {"to", pose_into(result.to)},
               {"motion", text_into(motion)}});
  if (result.name.empty()) reader.fail(where, "\"name\" is empty");
  if (shapes != 1)
    reader.fail(where, "needs one of \"mesh\", \"box\", \"sphere\", \"cylinder\", \"capsule\"");
  if (motion != "linear" && motion != "screw")
    reader.fail(where, "\"motion\" must be \"linear\" or \"screw\"");
  if (!result.link.empty() && result.to) reader.fail(where, "a body with a \"link\" has no \"to\"");
  result.screw = motion == "screw";
  result.shape.at = result.from;
  return result;
}

}  // namespace

SceneFile read_scene_file(const std::string& file) {
  const JsonReader reader(file, "graze-rigid-1");
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  SceneFile scene;
  reader.require(reader.json(), "", {"bodies"});
  reader.read(
      reader.json(), "",
      {{"format", [](const Json&, const std::string&) {}},
       {"bodies",
        [&](const Json& list, const std::string& where) {
          reader.each(list, where, [&](const Json& json, const std::string& at) {
            scene.bodies.push_back(read_entry(reader, folder, json, at));
            const std::string& name = scene.bodies.back().name;
            if (std::any_of(scene.bodies.begin(), scene.bodies.end() - 1,
                            [&](const SceneFile::Entry& other) { return other.name == name; }))
              reader.fail(at, fmt::format("the name \"{}\" is used twice", name));
          });
        }},
       {"may_touch", [&](const Json& list, const std::string& where) {
          reader.each(list, where, [&](const Json& pair, const std::string& at) {
            SceneFile::MayTouch two;
            std::size_t count = 0;
            reader.each(pair, at, [&](const Json& body, const std::string& inner) {
              const std::string name = reader.text(body, inner);
              if (count < 2) {
                two.names[count] = name;
                two.where[count] = inner;
              }
              ++count;
            });
            if (count != 2 || two.names[0] == two.names[1])
              reader.fail(at, "must be the names of two bodies");
            scene.may_touch.push_back(std::move(two));
          });
        }}});
  return scene;
}

std::string pose_problem(const Pose& pose) {
  constexpr double largest = 1e100;
  if (!pose.is_finite()) return "the rotation is too large";
  for (const double x : pose.translation)
    if (std::abs(x) > largest)
      return fmt::format("the coordinate {} is beyond {}, the largest that rigid accepts", x,
                         largest);
  return "";
}

}  // namespace graze::command
