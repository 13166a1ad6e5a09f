#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "graze/core/impact.h"
#include "graze/core/query.h"

namespace graze::test {

// One file of test/corpus; the format is in its README.
struct CorpusEntry {
  std::string name;
  std::variant<VertexFace, EdgeEdge> query;
  Verdict verdict;
  double toi, toi_hi;
};

inline double read_double(std::istream& in, const std::string& name) {
  std::string word;
  in >> word;
  char* end = nullptr;
  const double number = std::strtod(word.c_str(), &end);
  if (word.empty() || *end) throw std::runtime_error(name + ": not a number: '" + word + "'");
  return number;
}

template <class Query>
Query read_corners(std::istream& in, const std::string& name) {
  Query query;
  for (auto* side : {&query.start, &query.end})
    for (Vec3& corner : *side)
      for (int k = 0; k < 3; ++k) corner[k] = read_double(in, name);
  return query;
}

inline CorpusEntry read_corpus_entry(const std::filesystem::path& path) {
  CorpusEntry entry{path.stem().string(), {}, Verdict::separated, Impact::inf, Impact::inf};
  std::ifstream file(path);
  std::stringstream text;
  for (std::string line; std::getline(file, line);)
    if (line.empty() || line[0] != '#') text << line << '\n';
  std::string kind, verdict;
  text >> kind >> verdict;
  if (verdict == "contact") {
    entry.verdict = Verdict::contact;
    entry.toi = read_double(text, entry.name);
    entry.toi_hi = read_double(text, entry.name);
  } else if (verdict != "separated") {
    throw std::runtime_error(entry.name + ": neither contact nor separated");
  }
  if (kind == "vertex-face")
    entry.query = read_corners<VertexFace>(text, entry.name);
  else if (kind == "edge-edge")
    entry.query = read_corners<EdgeEdge>(text, entry.name);
  else
    throw std::runtime_error(entry.name + ": neither vertex-face nor edge-edge");
  if (text >> kind) throw std::runtime_error(entry.name + ": more than eight rows");
  return entry;
}

// All entries, sorted by name. Tests run in the project's root.
inline std::vector<CorpusEntry> read_corpus() {
  std::vector<CorpusEntry> corpus;
  for (const auto& file : std::filesystem::directory_iterator("test/corpus"))
    if (file.path().extension() == ".txt") corpus.push_back(read_corpus_entry(file.path()));
  std::sort(corpus.begin(), corpus.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return corpus;
}

// A query in the format of the corpus, ready to become a file of it.
template <class Query>
std::string corpus_text(const Query& query, const Impact& truth) {
  std::ostringstream text;
  text << std::hexfloat << (std::is_same_v<Query, VertexFace> ? "vertex-face " : "edge-edge ")
       << name(truth.verdict);
  if (truth.verdict == Verdict::contact) text << ' ' << truth.toi << ' ' << truth.toi_hi;
  for (const auto& side : {query.start, query.end})
    for (const Vec3& corner : side)
      text << '\n' << corner[0] << ' ' << corner[1] << ' ' << corner[2];
  text << '\n';
  return text.str();
}

}  // namespace graze::test
