#pragma once

#include <filesystem>
#include <string>
#include <variant>

#include "graze/impact.h"
#include "graze/query.h"

namespace graze::io {

// One query with its truth. A file of test/corpus holds one entry:
//   # The reason why it is kept.
//   vertex-face contact 0x1.5555555555555p-2 0x1.5555555555556p-2
//   <8 rows of 3 doubles: the four corners at t = 0, then at t = 1>
// The first word is the kind, followed by `separated`, or by `contact` and the tightest doubles
// around the first contact. Numbers have the format of strtod.
struct CorpusEntry {
  std::string name;  // of the file, without extension
  std::variant<VertexFace, EdgeEdge> query;
  Verdict verdict = Verdict::separated;
  double toi = Impact::inf, toi_hi = Impact::inf;
};

// Reads one file. Throws FileError.
CorpusEntry read_corpus_entry(const std::filesystem::path& path);

// Returns the entry without its comment, bit for bit: short numbers in decimal, all others in
// hexadecimal.
std::string corpus_text(const VertexFace& query, const Impact& truth);
std::string corpus_text(const EdgeEdge& query, const Impact& truth);

}  // namespace graze::io
