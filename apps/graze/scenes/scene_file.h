#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "graze/pose.h"
#include "graze/rigid/robot.h"

namespace graze::command {

// The contents of a scene file of graze rigid and graze path (format graze-rigid-1,
// docs/formats/rigid-scene.md), without its meshes.
struct SceneFile {
  // A body as the file describes it.
  struct Entry {
    std::string name;            // not empty, each once
    std::string link;            // the link that carries it, or empty
    rigid::RobotShape shape;     // of a primitive, at the pose `from`
    std::filesystem::path mesh;  // of a mesh: its file; else empty
    Pose from;
    std::optional<Pose> to;  // none: the body rests, or a link carries it
    bool screw = false;      // the motion between the poses
    std::string where;       // the place in the file, for messages
  };
  std::vector<Entry> bodies;
  // Two names that differ, with their places in the file.
  struct MayTouch {
    std::array<std::string, 2> names, where;
  };
  std::vector<MayTouch> may_touch;
};

// Reads a scene file. Throws io::FileError with the place of a defect.
SceneFile read_scene_file(const std::string& file);

// Returns the reason why a pose is unusable for certified motions, or "".
std::string pose_problem(const Pose& pose);

}  // namespace graze::command
