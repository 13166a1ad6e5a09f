#include "bench/harness/scene_pairs.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "graze/generate/random.h"

namespace graze::bench {
namespace {

std::vector<std::uint8_t> truth_of(const std::vector<Pair>& pairs, const ListedPairs& listed,
                                   bool ordered, const std::string& scene) {
  std::vector<std::uint8_t> truth(pairs.size());
  for (std::size_t i = 0; i < listed.pairs.size(); ++i) {
    Pair pair = listed.pairs[i];
    if (ordered && pair.a > pair.b) std::swap(pair.a, pair.b);
    const auto place = std::lower_bound(pairs.begin(), pairs.end(), pair);
    if (place == pairs.end() || *place != pair)
      throw io::FileError(scene, "a listed pair has boxes that do not overlap");
    truth[static_cast<std::size_t>(place - pairs.begin())] = listed.contact.at(i);
  }
  return truth;
}

}  // namespace

ScenePairs read_scene_pairs(const std::filesystem::path& folder, int threads) {
  ScenePairs result{read_scene(folder), {}, {}, {}};
  const Scene& scene = result.scene;
  result.pairs = collect_pairs(scene.motion.moving(), {}, {.threads = threads});
  result.vertex_face_truth =
      truth_of(result.pairs.vertex_face, scene.vertex_face, false, folder.string());
  result.edge_edge_truth = truth_of(result.pairs.edge_edge, scene.edge_edge, true, folder.string());
  return result;
}

void fill_queries(const MovingMesh& moving, std::span<const Pair> pairs,
                  std::span<VertexFace> queries) {
  assert(pairs.size() == queries.size());
  std::transform(pairs.begin(), pairs.end(), queries.begin(),
                 [&](const Pair& pair) { return moving.vertex_face(pair.a, pair.b); });
}

void fill_queries(const MovingMesh& moving, std::span<const Pair> pairs,
                  std::span<EdgeEdge> queries) {
  assert(pairs.size() == queries.size());
  std::transform(pairs.begin(), pairs.end(), queries.begin(),
                 [&](const Pair& pair) { return moving.edge_edge(pair.a, pair.b); });
}

std::vector<std::size_t> sample(std::size_t size, std::size_t count, std::uint64_t seed) {
  count = std::min(size, count);
  std::vector<std::size_t> chosen(count);
  for (std::size_t k = 0; k < count; ++k) {
    const auto part = [&](std::size_t i) {
      return static_cast<std::size_t>(static_cast<double>(size) / static_cast<double>(count) *
                                      static_cast<double>(i));
    };
    const std::size_t begin = part(k), end = k + 1 == count ? size : part(k + 1);
    chosen[k] = begin + generate::Random("sample", 0, seed, k).below(end - begin);
  }
  return chosen;
}

}  // namespace graze::bench
