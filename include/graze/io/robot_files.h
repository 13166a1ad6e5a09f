#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "graze/io/file_error.h"
#include "graze/rigid/robot.h"

// Files of robots (URDF, SRDF) and of paths in joint space. Lengths are in metres, angles in
// radians.
namespace graze::io {

// Returns whether this build reads robots (GRAZE_ROBOTS). If not, read_robot() throws FileError
// with that reason.
bool has_robots();

// The contents of a URDF file, for rigid::make_robot(), and all files that were read for it: the
// URDF, the SRDF if one was given, then meshes, each once.
struct RobotFile {
  rigid::RobotDescription description;
  std::vector<std::filesystem::path> files;
};

// Reads a robot.
//   (1) Shapes are those of the elements <collision>: meshes (in the formats of read_mesh(),
//       scaled), boxes, spheres and cylinders. Visual geometry is not read.
//   (2) package://NAME/REST is DIR/REST for an entry (NAME, DIR) of `packages`, else REST or
//       NAME/REST beside the URDF. Other names are relative to the URDF.
//   (3) With an SRDF, two links may touch if the SRDF disables their collision. Without an SRDF,
//       two links may touch if one movable joint connects them.
//   (4) Throws FileError that names the file and the element: malformed XML, a robot that urdfdom
//       rejects (its messages are part of the reason, not printed), a mesh that is missing or
//       defective, an SRDF that names unknown links.
RobotFile read_robot(const std::filesystem::path& urdf, const std::filesystem::path& srdf = {},
                     std::span<const std::pair<std::string, std::filesystem::path>> packages = {});

// A path file: rows of numbers below a header, separated by commas. The header is `time`, which may
// be absent, and for each joint NAME, and for all or no joints NAME:velocity, and then
// NAME:acceleration, in any order. docs/formats/path.md has the grammar.
struct JointPath {
  std::vector<double> times;                      // empty if the file has no column `time`
  std::vector<double> configurations;             // row by row, in the order of `joints`
  std::vector<double> velocities, accelerations;  // as many, or empty
};

// Reads a path of these joints. `fixed` gives joints without a column their value. Throws
// FileError, "file:line: reason": a joint that is unknown or has no value, a name that occurs
// twice, a row of another length, a number that is malformed or not finite, times that do not
// increase, velocities without times, no row.
JointPath read_path(const std::filesystem::path& csv, std::span<const std::string> joints,
                    std::span<const std::pair<std::string, double>> fixed = {});

}  // namespace graze::io
