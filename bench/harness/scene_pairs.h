#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "bench/harness/scene.h"
#include "graze/find_pairs.h"
#include "graze/query.h"

namespace graze::bench {

// A scene with all pairs whose swept boxes overlap: the output of a broad phase.
struct ScenePairs {
  Scene scene;
  Pairs pairs;                                                   // sorted
  std::vector<std::uint8_t> vertex_face_truth, edge_edge_truth;  // of each pair: 1 for contact
};

// Throws io::FileError.
ScenePairs read_scene_pairs(const std::filesystem::path& folder, int threads = 1);

// Writes the queries of the pairs.
void fill_queries(const MovingMesh& moving, std::span<const Pair> pairs,
                  std::span<VertexFace> queries);
void fill_queries(const MovingMesh& moving, std::span<const Pair> pairs,
                  std::span<EdgeEdge> queries);

// Returns `count` different numbers below `size` in ascending order, or all where there are fewer:
// a random one from each of `count` equal parts. Depends on the arguments alone.
std::vector<std::size_t> sample(std::size_t size, std::size_t count, std::uint64_t seed);

}  // namespace graze::bench
