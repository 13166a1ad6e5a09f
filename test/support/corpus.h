#pragma once

#include <algorithm>
#include <filesystem>
#include <vector>

#include "graze/io/queries/corpus_file.h"

namespace graze::test {

using io::corpus_text;
using io::CorpusEntry;

// Returns all entries of test/corpus, sorted by name. The working directory must be the root of the
// repository.
inline std::vector<CorpusEntry> read_corpus() {
  std::vector<CorpusEntry> corpus;
  for (const auto& file : std::filesystem::directory_iterator("test/corpus"))
    if (file.path().extension() == ".txt") corpus.push_back(io::read_corpus_entry(file.path()));
  std::sort(corpus.begin(), corpus.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return corpus;
}

}  // namespace graze::test
