#include "graze/io/queries/corpus_file.h"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "graze/io/file_error.h"

namespace graze::io {
namespace {

double read_double(std::istream& in, const std::string& file) {
  std::string word;
  in >> word;
  char* end = nullptr;
  const double number = std::strtod(word.c_str(), &end);
  if (word.empty() || *end) throw FileError(file, "not a number: '" + word + "'");
  return number;
}

template <class Query>
Query read_corners(std::istream& in, const std::string& file) {
  Query query;
  for (auto* side : {&query.start, &query.end})
    for (Vec3& corner : *side)
      for (int k = 0; k < 3; ++k) corner[k] = read_double(in, file);
  return query;
}

// Writes a number. Multiples of 1/64 below a million are exact with six digits before the point and
// six after it.
void write(std::ostream& out, double x) {
  if (std::abs(x) < 1e6 && x * 64 == std::trunc(x * 64) && !(x == 0 && std::signbit(x))) {
    out.precision(12);
    out << std::defaultfloat << x;
  } else {
    out << std::hexfloat << x;
  }
}

template <class Query>
std::string write(const char* kind, const Query& query, const Impact& truth) {
  std::ostringstream text;
  text << kind << ' ' << name(truth.verdict);
  if (truth.verdict == Verdict::contact)
    for (const double time : {truth.toi, truth.toi_hi}) write(text << ' ', time);
  for (const auto& side : {query.start, query.end})
    for (const Vec3& corner : side)
      for (int k = 0; k < 3; ++k) write(text << (k == 0 ? '\n' : ' '), corner[k]);
  text << '\n';
  return text.str();
}

}  // namespace

CorpusEntry read_corpus_entry(const std::filesystem::path& path) {
  const std::string file = path.string();
  std::ifstream stream(path);
  if (!stream) throw FileError(file, "cannot be read");
  std::stringstream text;
  for (std::string line; std::getline(stream, line);)
    if (line.empty() || line[0] != '#') text << line << '\n';
  std::string kind, verdict;
  text >> kind >> verdict;
  CorpusEntry entry{.name = path.stem().string(), .query = {}};
  if (verdict == "contact") {
    entry.verdict = Verdict::contact;
    entry.toi = read_double(text, file);
    entry.toi_hi = read_double(text, file);
  } else if (verdict != "separated") {
    throw FileError(file, "the verdict is neither contact nor separated");
  }
  if (kind == "vertex-face")
    entry.query = read_corners<VertexFace>(text, file);
  else if (kind == "edge-edge")
    entry.query = read_corners<EdgeEdge>(text, file);
  else
    throw FileError(file, "the kind is neither vertex-face nor edge-edge");
  if (text >> kind) throw FileError(file, "has more than eight rows");
  return entry;
}

std::string corpus_text(const VertexFace& query, const Impact& truth) {
  return write("vertex-face", query, truth);
}
std::string corpus_text(const EdgeEdge& query, const Impact& truth) {
  return write("edge-edge", query, truth);
}

}  // namespace graze::io
