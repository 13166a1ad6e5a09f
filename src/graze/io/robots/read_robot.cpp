#include <algorithm>
#include <map>
#include <set>

#include "graze/io/mapped_file.h"
#include "graze/io/mesh_files.h"
#include "graze/io/robot_files.h"

#ifdef GRAZE_ROBOTS
#include <console_bridge/console.h>
#include <tinyxml2.h>
#include <urdf_parser/urdf_parser.h>

#include <mutex>
#endif

namespace graze::io {

#ifndef GRAZE_ROBOTS

bool has_robots() {
  return false;
}

RobotFile read_robot(const std::filesystem::path& urdf, const std::filesystem::path&,
                     std::span<const std::pair<std::string, std::filesystem::path>>) {
  throw FileError(urdf.string(),
                  "this build reads no robots: it was compiled without urdfdom and "
                  "tinyxml2 (GRAZE_ROBOTS)");
}

#else

namespace {

using rigid::RobotDescription;
using rigid::RobotJoint;
using rigid::RobotLink;
using rigid::RobotShape;
using Packages = std::span<const std::pair<std::string, std::filesystem::path>>;

// Receives the messages of urdfdom during the lifetime of the object and stores the first error.
// console_bridge has one handler for the process, so only one thread parses at a time.
class Messages : public console_bridge::OutputHandler {
 public:
  Messages() : lock_(mutex()) { console_bridge::useOutputHandler(this); }
  ~Messages() override { console_bridge::restorePreviousOutputHandler(); }
  void log(const std::string& text, console_bridge::LogLevel level, const char*, int) override {
    if (level < console_bridge::CONSOLE_BRIDGE_LOG_ERROR || !first.empty()) return;
    first = text.substr(0, text.find('\n'));
  }
  std::string first;  // the first error message, or empty

 private:
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
  std::lock_guard<std::mutex> lock_;
};

Vec3 vector_of(const urdf::Vector3& v) {
  return {v.x, v.y, v.z};
}

Pose pose_of(const urdf::Pose& pose) {
  return Pose::from_quaternion(pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z,
                               vector_of(pose.position));
}

class RobotReader {
 public:
  RobotReader(const std::filesystem::path& urdf, Packages packages)
      : urdf_(urdf), packages_(packages) {
    result.files.push_back(urdf);
  }

  void read() {
    const MappedFile file(urdf_);
    const std::string text(file.bytes());
    urdf::ModelInterfaceSharedPtr model;
    {
      Messages messages;
      try {
        model = urdf::parseURDF(text);
      } catch (const std::exception& error) {
        fail(error.what());
      }
      if (!model) fail(messages.first.empty() ? "this is no URDF" : messages.first);
    }
    result.description.name = model->getName();
    std::vector<urdf::LinkSharedPtr> links;
    model->getLinks(links);
    for (const auto& link : links) add_link(*link);
    for (const auto& [name, joint] : model->joints_) add_joint(*joint);
  }

  RobotFile result;

 private:
  [[noreturn]] void fail(const std::string& reason) const {
    throw FileError(urdf_.string(), reason);
  }

  void add_link(const urdf::Link& from) {
    RobotLink link;
    link.name = from.name;
    auto collisions = from.collision_array;
    if (collisions.empty() && from.collision) collisions.push_back(from.collision);
    for (const auto& collision : collisions) {
      if (!collision || !collision->geometry) continue;
      RobotShape shape;
      shape.at = pose_of(collision->origin);
      add_geometry(*collision->geometry, shape, link.name);
      link.shapes.push_back(std::move(shape));
    }
    result.description.links.push_back(std::move(link));
  }

  void add_geometry(const urdf::Geometry& from, RobotShape& shape, const std::string& link) {
    switch (from.type) {
      case urdf::Geometry::BOX:
        shape.kind = RobotShape::Kind::box;
        shape.half_extents = 0.5 * vector_of(static_cast<const urdf::Box&>(from).dim);
        return;
      case urdf::Geometry::SPHERE:
        shape.kind = RobotShape::Kind::sphere;
        shape.radius = static_cast<const urdf::Sphere&>(from).radius;
        return;
      case urdf::Geometry::CYLINDER:
        shape.kind = RobotShape::Kind::cylinder;
        shape.radius = static_cast<const urdf::Cylinder&>(from).radius;
        shape.half_height = 0.5 * static_cast<const urdf::Cylinder&>(from).length;
        return;
      case urdf::Geometry::MESH: {
        const auto& mesh = static_cast<const urdf::Mesh&>(from);
        const std::filesystem::path file = resolve(mesh.filename, link);
        if (std::find(result.files.begin(), result.files.end(), file) == result.files.end())
          result.files.push_back(file);
        MeshFrame frame = read_mesh(file);
        const Vec3 scale = vector_of(mesh.scale);
        for (Vec3& x : frame.positions) x = x.cwiseProduct(scale);
        shape.vertices = std::move(frame.positions);
        shape.faces = std::move(frame.mesh.faces);
        return;
      }
    }
  }

  std::filesystem::path resolve(std::string name, const std::string& link) const {
    const std::filesystem::path folder = urdf_.parent_path();
    const auto found = [&](const std::filesystem::path& file) {
      if (!std::filesystem::exists(file))
        fail("link \"" + link + "\": the mesh \"" + name + "\" does not exist (" + file.string() +
             ")");
      return file;
    };
    if (name.starts_with("file://")) return found(name.substr(7));
    if (!name.starts_with("package://")) return found(folder / name);
    const std::string inside = name.substr(10);
    const auto slash = inside.find('/');
    if (slash == std::string::npos) fail("link \"" + link + "\": \"" + name + "\" names no file");
    const std::string package = inside.substr(0, slash), rest = inside.substr(slash + 1);
    for (const auto& [known, place] : packages_)
      if (known == package) return found(place / rest);
    if (std::filesystem::exists(folder / rest)) return folder / rest;
    if (std::filesystem::exists(folder / package / rest)) return folder / package / rest;
    fail("link \"" + link + "\": the mesh \"" + name +
         "\" does not exist beside the URDF; --package " + package + "=DIR names its folder");
  }

  void add_joint(const urdf::Joint& from) {
    using Kind = RobotJoint::Kind;
    RobotJoint joint;
    joint.name = from.name;
    joint.parent = from.parent_link_name;
    joint.child = from.child_link_name;
    joint.origin = pose_of(from.parent_to_joint_origin_transform);
    joint.axis = vector_of(from.axis);
    switch (from.type) {
      case urdf::Joint::REVOLUTE:
        joint.kind = Kind::revolute;
        break;
      case urdf::Joint::CONTINUOUS:
        joint.kind = Kind::continuous;
        break;
      case urdf::Joint::PRISMATIC:
        joint.kind = Kind::prismatic;
        break;
      case urdf::Joint::FLOATING:
        joint.kind = Kind::floating;
        break;
      case urdf::Joint::PLANAR:
        joint.kind = Kind::planar;
        break;
      case urdf::Joint::FIXED:
        joint.kind = Kind::fixed;
        joint.axis = Vec3::UnitX();
        break;
      default:
        fail("joint \"" + from.name + "\": unknown type");
    }
    if (joint.kind == Kind::floating) joint.axis = Vec3::UnitX();
    if (from.limits && (joint.kind == Kind::revolute || joint.kind == Kind::prismatic)) {
      joint.lower = from.limits->lower;
      joint.upper = from.limits->upper;
    }
    if (from.mimic) {
      joint.mimic = from.mimic->joint_name;
      joint.multiplier = from.mimic->multiplier;
      joint.shift = from.mimic->offset;
    }
    result.description.joints.push_back(std::move(joint));
  }

  const std::filesystem::path urdf_;
  Packages packages_;
};

// Reads which links may touch: <disable_collisions>, and <disable_default_collisions> of a link
// with <enable_collisions> as exceptions.
void read_srdf(const std::filesystem::path& file, RobotDescription& robot) {
  const MappedFile mapped(file);
  const std::string text(mapped.bytes());
  tinyxml2::XMLDocument document;
  if (document.Parse(text.c_str(), text.size()) != tinyxml2::XML_SUCCESS)
    throw FileError(file.string(), static_cast<std::size_t>(std::max(document.ErrorLineNum(), 1)),
                    "malformed XML");
  const tinyxml2::XMLElement* root = document.FirstChildElement("robot");
  if (!root) throw FileError(file.string(), "has no element <robot>");
  const auto link = [&](const tinyxml2::XMLElement& element, const char* attribute) {
    const auto fail = [&](const std::string& reason) {
      throw FileError(file.string(), static_cast<std::size_t>(element.GetLineNum()),
                      "<" + std::string(element.Name()) + ">: " + reason);
    };
    const char* name = element.Attribute(attribute);
    if (!name) fail("has no attribute " + std::string(attribute));
    if (std::none_of(robot.links.begin(), robot.links.end(),
                     [&](const RobotLink& known) { return known.name == name; }))
      fail("the robot has no link \"" + std::string(name) + "\"");
    return std::string(name);
  };
  const auto pairs = [&](const char* tag) {
    std::vector<std::array<std::string, 2>> list;
    for (auto* e = root->FirstChildElement(tag); e; e = e->NextSiblingElement(tag))
      list.push_back({link(*e, "link1"), link(*e, "link2")});
    return list;
  };
  robot.may_touch = pairs("disable_collisions");
  const auto enabled = pairs("enable_collisions");
  const char* tag = "disable_default_collisions";
  for (auto* e = root->FirstChildElement(tag); e; e = e->NextSiblingElement(tag)) {
    const std::string one = link(*e, "link");
    for (const RobotLink& other : robot.links) {
      const bool back = std::any_of(enabled.begin(), enabled.end(), [&](const auto& pair) {
        return (pair[0] == one && pair[1] == other.name) ||
               (pair[1] == one && pair[0] == other.name);
      });
      if (!back && other.name != one) robot.may_touch.push_back({one, other.name});
    }
  }
  robot.neighbours_may_touch = false;
}

}  // namespace

bool has_robots() {
  return true;
}

RobotFile read_robot(const std::filesystem::path& urdf, const std::filesystem::path& srdf,
                     Packages packages) {
  RobotReader reader(urdf, packages);
  reader.read();
  RobotFile result = std::move(reader.result);
  if (!srdf.empty()) {
    read_srdf(srdf, result.description);
    result.files.insert(result.files.begin() + 1, srdf);
  }
  return result;
}

#endif

}  // namespace graze::io
