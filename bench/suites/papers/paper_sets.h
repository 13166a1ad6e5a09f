#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/harness/measure.h"
#include "queries/query_sets.h"

namespace graze::bench {

// The origin of some queries of a set.
struct PaperPart {
  std::string set, source;
  Kind kind;
  std::size_t used = 0, of = 0;  // a sample where these differ
};

// The query sets of the suite `paper`. Every set is shuffled with the seed. A slow method answers
// the first queries, as many as fit in its budget: a sample that ends by time.
struct PaperSets {
  std::vector<NamedSet> wang;  // handcrafted and simulation, vertex-face and edge-edge
  std::vector<NamedSet> huh;   // the vertex-face pairs of four scenes, and random ones
  std::vector<PaperPart> parts;
  std::vector<std::string> missing;  // data of the papers that was not found
};

inline constexpr std::size_t paper_scene_sample = 100'000;  // pairs of a scene and kind, at most

// `data`: the folder of real data, or an empty path. Data that is not found is listed in `missing`;
// generated queries replace its scenes. `count`: queries of each degenerate family. Throws
// io::FileError.
PaperSets read_paper_sets(const std::filesystem::path& data, std::size_t count, std::uint64_t seed,
                          int threads, const Progress& progress);

// Returns the first `size` queries of a set, or all, with the same name.
NamedSet first_of(const NamedSet& set, std::size_t size);

}  // namespace graze::bench
