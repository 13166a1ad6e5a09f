#pragma once

#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "graze/rigid/robot.h"

namespace graze::command {

// The bodies of a scene file of graze rigid (format graze-rigid-1, docs/formats/rigid-scene.md).
struct RigidScene {
  std::vector<std::string> names;  // each once
  std::vector<rigid::MovingBody> bodies;
  std::vector<std::array<std::uint32_t, 2>> ignored;  // pairs of bodies that may touch

  // A body that a robot carries: it is not in `bodies`.
  struct Attached {
    std::string name, link;
    rigid::RobotShape shape;  // in the coordinates of the link
  };
  // The following are filled for a robot alone.
  std::vector<Attached> attached;
  std::vector<std::array<std::string, 2>> may_touch;  // instead of `ignored`: bodies and links
  std::vector<std::filesystem::path> files;           // meshes that were read
};

// Reads a scene file and its meshes, whose paths are relative to the file. Throws io::FileError
// with the place of a defect.
RigidScene read_rigid_scene(const std::string& file);

// Reads a scene as the world of a robot with these links: one body is enough, bodies may be
// attached to links, and links may be named in "may_touch".
RigidScene read_robot_scene(const std::string& file, std::span<const std::string> links);

// Reads a mesh file as a body. Throws io::FileError for a mesh that is no body.
rigid::Body read_body(const std::string& file);

// Returns the motion from one pose to another: a screw, or with the centre of mass of the body on a
// straight line.
rigid::Motion motion_between(const rigid::Body& body, const Pose& from, const Pose& to, bool screw);

}  // namespace graze::command
