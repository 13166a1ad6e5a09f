#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "graze/core/query.h"

namespace graze::test {

// A step of a simulation from shared/data/scenes: positions at t = 0 and t = 1, and the pairs whose
// truth is known.
class Scene {
 public:
  Scene(const std::filesystem::path& folder, const std::string& step, const std::string& frame0,
        const std::string& frame1)
      : folder_(folder), step_(step) {
    read_ply(folder / "frames" / frame0, start_);
    read_ply(folder / "frames" / frame1, end_);
    for (const auto& face : faces_)
      for (std::size_t k = 0; k < 3; ++k) {
        const auto [low, high] = std::minmax(face[k], face[(k + 1) % 3]);
        edges_.push_back({high, low});
      }
    std::sort(edges_.begin(), edges_.end());
    edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
  }

  std::size_t vertices() const { return start_.size(); }
  std::size_t edges() const { return edges_.size(); }
  std::size_t faces() const { return faces_.size(); }

  std::vector<VertexFace> vertex_faces() const {
    std::vector<VertexFace> queries;
    for (const auto& [vertex, id] : pairs("vf")) {
      const auto& face = faces_.at(id - vertices() - edges());
      queries.push_back(query<VertexFace>({vertex, face[0], face[1], face[2]}));
    }
    return queries;
  }
  std::vector<EdgeEdge> edge_edges() const {
    std::vector<EdgeEdge> queries;
    for (const auto& [id_a, id_b] : pairs("ee")) {
      const auto &a = edges_.at(id_a - vertices()), &b = edges_.at(id_b - vertices());
      queries.push_back(query<EdgeEdge>({a[1], a[0], b[1], b[0]}));
    }
    return queries;
  }

  // kind: "vf" or "ee".
  std::vector<bool> truth(const std::string& kind) const {
    return json("mma_bool/" + step_ + kind + "_mma_bool.json").get<std::vector<bool>>();
  }

 private:
  nlohmann::json json(const std::string& file) const {
    std::ifstream stream(folder_ / file);
    return nlohmann::json::parse(stream);
  }
  std::vector<std::array<std::size_t, 2>> pairs(const std::string& kind) const {
    return json("boxes/" + step_ + kind + ".json").get<std::vector<std::array<std::size_t, 2>>>();
  }

  template <class Query>
  Query query(const std::array<std::size_t, 4>& corners) const {
    Query result;
    for (std::size_t i = 0; i < 4; ++i) {
      result.start[i] = start_.at(corners[i]);
      result.end[i] = end_.at(corners[i]);
    }
    return result;
  }

  // Binary PLY with x, y, z as float or double and triangles as uint8-counted int32 lists.
  void read_ply(const std::filesystem::path& path, std::vector<Vec3>& points) {
    std::ifstream file(path, std::ios::binary);
    bool big_endian = false, wide = false;
    std::size_t vertex_count = 0, face_count = 0;
    for (std::string line; std::getline(file, line) && line != "end_header";) {
      std::istringstream words(line);
      std::string first, second;
      words >> first >> second;
      if (first == "format") big_endian = second == "binary_big_endian";
      if (first == "element") words >> (second == "vertex" ? vertex_count : face_count);
      if (first == "property" && second != "list") wide = second == "double";
    }
    const auto read = [&]<class T>(T value) {
      char bytes[sizeof(T)];
      file.read(bytes, sizeof(T));
      if (big_endian) std::reverse(bytes, bytes + sizeof(T));
      std::memcpy(&value, bytes, sizeof(T));
      return value;
    };
    points.resize(vertex_count);
    for (Vec3& point : points)
      for (double& x : point) x = wide ? read(double{}) : static_cast<double>(read(float{}));
    faces_.resize(face_count);
    for (auto& face : faces_) {
      if (read(std::uint8_t{}) != 3) throw std::runtime_error(path.string() + ": not a triangle");
      for (std::size_t& corner : face) corner = static_cast<std::size_t>(read(std::int32_t{}));
    }
    if (!file) throw std::runtime_error(path.string() + ": cannot be read");
  }

  std::filesystem::path folder_;
  std::string step_;
  std::vector<Vec3> start_, end_;
  std::vector<std::array<std::size_t, 3>> faces_;
  std::vector<std::array<std::size_t, 2>> edges_;  // higher vertex, lower vertex; ascending
};

}  // namespace graze::test
