#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "graze/find_pairs.h"
#include "graze/io/mesh_files.h"

namespace graze::bench {

// Pairs whose truth a symbolic solver has found, in the order of their file.
struct ListedPairs {
  std::vector<Pair> pairs;
  std::vector<std::uint8_t> contact;
};

// A step of a simulation from data/scenes.
struct Scene {
  std::string name;
  io::OwnedMotion motion;
  ListedPairs vertex_face, edge_edge;
  std::array<std::filesystem::path, 2> files;  // of the two frames

  // Returns the queries of every `stride`-th listed pair.
  std::vector<VertexFace> listed_vertex_faces(std::size_t stride = 1) const {
    std::vector<VertexFace> queries;
    for (std::size_t i = 0; i < vertex_face.pairs.size(); i += stride)
      queries.push_back(
          motion.moving().vertex_face(vertex_face.pairs[i].a, vertex_face.pairs[i].b));
    return queries;
  }
  std::vector<EdgeEdge> listed_edge_edges(std::size_t stride = 1) const {
    std::vector<EdgeEdge> queries;
    for (std::size_t i = 0; i < edge_edge.pairs.size(); i += stride)
      queries.push_back(motion.moving().edge_edge(edge_edge.pairs[i].a, edge_edge.pairs[i].b));
    return queries;
  }
};

// Reads frames/NAME<step>.ply and the one after it, boxes/<step>{vf,ee}.json and the truth in
// mma_bool/. Throws io::FileError.
inline Scene read_scene(const std::filesystem::path& folder) {
  const auto number = [](const std::filesystem::path& path) {
    const std::string stem = path.stem().string();
    const auto digit = [](unsigned char c) { return std::isdigit(c) != 0; };
    return std::string(std::find_if_not(stem.rbegin(), stem.rend(), digit).base(), stem.end());
  };
  std::vector<std::filesystem::path> frames;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "frames"))
    if (entry.path().extension() == ".ply" && !number(entry.path()).empty())
      frames.push_back(entry.path());
  if (frames.size() != 2)
    throw io::FileError((folder / "frames").string(), "does not contain two numbered .ply files");
  if (std::stoul(number(frames[0])) > std::stoul(number(frames[1])))
    std::swap(frames[0], frames[1]);
  Scene scene{folder.filename().string(),
              io::read_motion(frames[0], frames[1]),
              {},
              {},
              {frames[0], frames[1]}};

  const auto json = [&](const std::string& file) {
    std::ifstream stream(folder / file);
    try {
      return nlohmann::json::parse(stream);
    } catch (const nlohmann::json::exception& error) {
      throw io::FileError((folder / file).string(), error.what());
    }
  };
  const Mesh& mesh = scene.motion.mesh;
  const auto read_listed = [&](const std::string& kind, std::size_t first_a, std::size_t first_b) {
    ListedPairs listed;
    const std::string step = number(frames[0]) + kind;
    for (const auto& pair : json("boxes/" + step + ".json"))
      listed.pairs.push_back({static_cast<std::uint32_t>(pair[0].get<std::size_t>() - first_a),
                              static_cast<std::uint32_t>(pair[1].get<std::size_t>() - first_b)});
    for (const auto& contact : json("mma_bool/" + step + "_mma_bool.json"))
      listed.contact.push_back(contact.get<bool>());
    return listed;
  };
  scene.vertex_face = read_listed("vf", 0, mesh.face_id(0));
  scene.edge_edge = read_listed("ee", mesh.edge_id(0), mesh.edge_id(0));
  return scene;
}

}  // namespace graze::bench
