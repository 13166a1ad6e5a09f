#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/measure.h"
#include "bench/query_sets.h"

namespace graze::bench {

// Where some of the queries of a set come from.
struct PaperPart {
  std::string set, source;
  Kind kind;
  std::size_t used = 0, of = 0;  // sampled where these differ
};

// The query sets of the suite `paper`. Every set is shuffled with the seed, so that its first
// queries, as many as a slow method answers in its time, are a random sample of it.
struct PaperSets {
  std::vector<NamedSet> wang;  // handcrafted and simulation, vertex-face and edge-edge
  std::vector<NamedSet> huh;   // the vertex-face pairs of four scenes, and random ones
  std::vector<PaperPart> parts;
  std::vector<std::string> missing;  // what the papers have and this run does not
};

inline constexpr std::size_t paper_scene_sample = 100'000;  // pairs of a scene and kind, at most

// `data`: the folder of real data; what is not there is listed in `missing`, and generated queries
// take the place of scenes. `count`: queries of each degenerate family. Throws io::FileError.
PaperSets read_paper_sets(const std::filesystem::path& data, std::size_t count, std::uint64_t seed,
                          int threads, const Progress& progress);

// The first `size` queries of a set (or all), under the same name.
NamedSet first_of(const NamedSet& set, std::size_t size);

}  // namespace graze::bench
