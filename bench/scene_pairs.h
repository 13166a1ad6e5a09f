#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "bench/scene.h"
#include "graze/broad/find_pairs.h"
#include "graze/core/query.h"

namespace graze::bench {

// A scene with all pairs whose swept boxes overlap: what a broad phase hands to the narrow one.
struct ScenePairs {
  Scene scene;
  Pairs pairs;                                                   // sorted
  std::vector<std::uint8_t> vertex_face_truth, edge_edge_truth;  // of each pair: 1 for contact
};

// Throws io::FileError.
ScenePairs read_scene_pairs(const std::filesystem::path& folder, int threads = 1);

// Writes the queries of the pairs, which may be a block of many.
void fill_queries(const MovingMesh& moving, std::span<const Pair> pairs,
                  std::span<VertexFace> queries);
void fill_queries(const MovingMesh& moving, std::span<const Pair> pairs,
                  std::span<EdgeEdge> queries);

// `count` (or all, if there are fewer) different numbers below `size`, ascending: one at random
// from each of `count` equal parts. Depends on the arguments alone.
std::vector<std::size_t> sample(std::size_t size, std::size_t count, std::uint64_t seed);

}  // namespace graze::bench
