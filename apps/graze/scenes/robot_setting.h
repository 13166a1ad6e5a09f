#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "graze/rigid/robot.h"
#include "scenes/proof_file.h"

namespace graze::command {

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

}  // namespace graze::command
