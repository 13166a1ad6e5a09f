#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "graze/certificate.h"
#include "graze/query.h"
#include "graze/rigid/robot.h"
#include "scenes/json_reader.h"

// Proof files: docs/formats/path-proof.md. Readers throw io::FileError with the place of a defect;
// they do not check proofs.
namespace graze::command {

inline constexpr const char* path_proof_format = "graze-path-proof-1";
inline constexpr const char* query_proof_format = "graze-query-proof-1";

// The files and values that define a path query of a robot.
struct RobotInputs {
  std::string urdf, srdf, path, world;                                  // srdf, world: may be empty
  std::vector<std::pair<std::string, std::filesystem::path>> packages;  // name and folder
  std::vector<std::pair<std::string, double>> joints;  // values of joints without a column
  double margin = 0;
  std::vector<rigid::PairMargin> margins;
};

// A proof that a path is free.
struct PathProof {
  RobotInputs inputs;
  std::vector<std::pair<std::filesystem::path, std::string>> hashes;  // of the files
  rigid::RobotProof proof;
};
PathProof read_path_proof(const JsonReader& reader, const std::filesystem::path& file);

// A proof that a query is separated.
struct QueryProof {
  std::uint32_t index = 0;  // of the query in its files
  Kind kind = Kind::vertex_face;
  std::array<Vec3, 8> corners;  // four at t = 0, then four at t = 1
  Certificate proof;
};
std::vector<QueryProof> read_query_proofs(const JsonReader& reader);

}  // namespace graze::command
