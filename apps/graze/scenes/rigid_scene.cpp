#include "scenes/rigid_scene.h"

#include <fmt/format.h>

#include <algorithm>

#include "graze/io/file_error.h"
#include "graze/io/mesh_files.h"
#include "scenes/scene_file.h"

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

// Returns the body of an entry; reads its mesh into the shape.
rigid::Body make_scene_body(const std::string& file, SceneFile::Entry& entry) {
  if (!entry.mesh.empty()) {
    io::MeshFrame frame = io::read_mesh(entry.mesh);
    entry.shape.vertices = std::move(frame.positions);
    entry.shape.faces = std::move(frame.mesh.faces);
  }
  rigid::Body body = body_of(entry.shape);
  if (body.status() == rigid::Status::ok) return body;
  if (!entry.mesh.empty()) throw io::FileError(entry.mesh.string(), body.problem());
  throw io::FileError(file, entry.where + ": " + body.problem());
}

// Reads a scene. `links`: those of a robot, null for a scene without one.
RigidScene read_scene(const std::string& file, const std::span<const std::string>* links) {
  SceneFile read = read_scene_file(file);
  const auto fail = [&](const std::string& where, const std::string& reason) {
    throw io::FileError(file, where + ": " + reason);
  };
  const auto is_link = [&](const std::string& name) {
    return links && std::find(links->begin(), links->end(), name) != links->end();
  };
  RigidScene scene;
  std::vector<std::string> known;  // bodies, attached ones too
  for (SceneFile::Entry& entry : read.bodies) {
    if (is_link(entry.name))
      fail(entry.where, fmt::format("the name \"{}\" is used twice", entry.name));
    if (!entry.link.empty() && !links) fail(entry.where, "\"link\" is for the world of a robot");
    if (!entry.link.empty() && !is_link(entry.link))
      fail(entry.where, fmt::format("the robot has no link \"{}\"", entry.link));
    known.push_back(entry.name);
    const rigid::Body body = make_scene_body(file, entry);
    if (!entry.mesh.empty()) scene.files.push_back(entry.mesh);
    if (!entry.link.empty()) {
      scene.attached.push_back({entry.name, entry.link, std::move(entry.shape)});
      continue;
    }
    scene.names.push_back(entry.name);
    scene.bodies.push_back({body, entry.to
                                      ? motion_between(body, entry.from, *entry.to, entry.screw)
                                      : rigid::resting(entry.from)});
  }
  if (!links && scene.bodies.size() < 2) fail("bodies", "a scene needs at least two bodies");
  for (const auto& [names, where] : read.may_touch) {
    for (std::size_t k = 0; k < 2; ++k)
      if (std::find(known.begin(), known.end(), names[k]) == known.end() && !is_link(names[k]))
        fail(where[k],
             fmt::format("no body{} has the name \"{}\"", links ? " or link" : "", names[k]));
    if (links) {
      scene.may_touch.push_back(names);
      continue;
    }
    const auto index = [&](const std::string& name) {
      return static_cast<std::uint32_t>(std::find(scene.names.begin(), scene.names.end(), name) -
                                        scene.names.begin());
    };
    scene.ignored.push_back({index(names[0]), index(names[1])});
  }
  return scene;
}

}  // namespace

rigid::Body read_body(const std::string& file) {
  const io::MeshFrame frame = io::read_mesh(file);
  rigid::Body body = rigid::make_body(frame.positions, frame.mesh.faces);
  if (body.status() != rigid::Status::ok) throw io::FileError(file, body.problem());
  return body;
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
