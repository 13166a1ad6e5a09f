#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "graze/exact/judge/curved_oracle.h"
#include "graze/first_contact.h"
#include "test/support/curved.h"

namespace graze::curved_corpus_test {
namespace {

struct CurvedEntry {
  std::string kind, verdict;
  Curve curve = Curve::line;
  double toi = Impact::inf, toi_hi = Impact::inf;
  std::array<std::array<Vec3, 4>, 4> points{};
};

double read_number(std::istream& in) {
  std::string word;
  in >> word;
  char* end = nullptr;
  const double x = std::strtod(word.c_str(), &end);
  EXPECT_TRUE(!word.empty() && *end == '\0') << word;
  return x;
}

CurvedEntry read_entry(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  for (std::string line; std::getline(file, line);)
    if (!line.starts_with("#")) text << line << '\n';
  CurvedEntry entry;
  std::string curve;
  text >> entry.kind >> curve >> entry.verdict;
  const std::string names[] = {"line", "quadratic", "cubic", "hermite"};
  const auto found = std::find(std::begin(names), std::end(names), curve);
  EXPECT_NE(found, std::end(names)) << curve;
  entry.curve = static_cast<Curve>(found - std::begin(names));
  if (entry.verdict == "contact") {
    entry.toi = read_number(text);
    entry.toi_hi = read_number(text);
  }
  for (std::size_t i = 0; i < point_count(entry.curve); ++i)
    for (Vec3& corner : entry.points[i])
      for (int k = 0; k < 3; ++k) corner[k] = read_number(text);
  return entry;
}

template <class Query>
void expect_truth(const CurvedEntry& entry) {
  const Curved<Query> query{entry.curve, entry.points};
  for (const Impact& given : {exact::curved_oracle(query), first_contact(query)}) {
    EXPECT_EQ(name(given.verdict), entry.verdict);
    EXPECT_EQ(given.toi, entry.toi);
    EXPECT_EQ(given.toi_hi, entry.toi_hi);
  }
}

TEST(CurvedCorpus, HasTheRecordedTruth) {
  int entries = 0;
  for (const auto& file : std::filesystem::directory_iterator("test/corpus/curved")) {
    if (file.path().extension() != ".txt") continue;
    SCOPED_TRACE(file.path().string());
    const CurvedEntry entry = read_entry(file.path());
    ASSERT_TRUE(entry.kind == "vertex-face" || entry.kind == "edge-edge") << entry.kind;
    entry.kind == "vertex-face" ? expect_truth<VertexFace>(entry) : expect_truth<EdgeEdge>(entry);
    ++entries;
  }
  EXPECT_GE(entries, 8);
}

}  // namespace
}  // namespace graze::curved_corpus_test
