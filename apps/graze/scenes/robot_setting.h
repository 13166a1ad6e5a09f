#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "graze/rigid/robot.h"
#include "scenes/json_reader.h"

namespace graze::command {

// The files and values that define a path query of a robot.
struct RobotInputs {
  std::string urdf, srdf, path, world;                                  // srdf, world: may be empty
  std::vector<std::pair<std::string, std::filesystem::path>> packages;  // name and folder
  std::vector<std::pair<std::string, double>> joints;  // values of joints without a column
  double margin = 0;
  std::vector<rigid::PairMargin> margins;
};

// The robot, the world and the options that the arguments of the command define.
struct RobotSetting {
  rigid::Robot robot;
  rigid::Trajectory path;
  rigid::RobotWorld world;
  std::vector<std::filesystem::path> files;  // all that were read
};

// Reads everything. Throws io::FileError with the place of a defect.
RobotSetting read_setting(const RobotInputs& inputs);

// Writes a proof of a free path: docs/formats/path-proof.md. Names of files are stored relative to
// the folder of the proof, with their SHA-256.
void write_path_proof(const std::string& file, const RobotInputs& inputs,
                      const RobotSetting& setting, const rigid::RobotProof& proof);

// A proof file.
struct PathProof {
  RobotInputs inputs;
  std::vector<std::pair<std::filesystem::path, std::string>> hashes;  // of the files
  rigid::RobotProof proof;
};
PathProof read_path_proof(const JsonReader& reader, const std::filesystem::path& file);

inline constexpr const char* path_proof_format = "graze-path-proof-1";

}  // namespace graze::command
