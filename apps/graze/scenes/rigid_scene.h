#pragma once

#include <array>
#include <string>
#include <vector>

#include "graze/rigid/path.h"

namespace graze::command {

// The bodies of a scene file of graze rigid (format graze-rigid-1, docs/formats/rigid-scene.md).
struct RigidScene {
  std::vector<std::string> names;  // each once
  std::vector<rigid::MovingBody> bodies;
  std::vector<std::array<std::uint32_t, 2>> ignored;  // pairs of bodies that may touch
};

// Reads a scene file and its meshes, whose paths are relative to the file. Throws io::FileError
// with the place of a defect.
RigidScene read_rigid_scene(const std::string& file);

// Reads a mesh file as a body. Throws io::FileError for a mesh that is no body.
rigid::Body read_body(const std::string& file);

// Returns what makes a pose unusable for certified motions, "" if nothing does.
std::string pose_problem(const Pose& pose);

// Returns the motion from one pose to another: a screw, or with the centre of mass of the body on a
// straight line.
rigid::Motion motion_between(const rigid::Body& body, const Pose& from, const Pose& to, bool screw);

}  // namespace graze::command
