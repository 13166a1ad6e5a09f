#include "graze/io/queries/corpus_file.h"

#include <fstream>

#include "graze/exact/judge/oracle.h"
#include "graze/io/file_error.h"
#include "test/support/generated.h"
#include "test/support/scratch_folder.h"

namespace graze::io::corpus_file_test {
namespace {

class CorpusFile : public test::ScratchFolder {
 protected:
  CorpusEntry read(const std::string& text) {
    std::ofstream(folder / "entry.txt") << text;
    return read_corpus_entry(folder / "entry.txt");
  }
};

TEST_F(CorpusFile, IsReadBackBitForBit) {
  for (const char* family : {"random", "lattice4", "huge_1e300", "denormal", "mixed_magnitudes"})
    test::both_each(family, 5, [&]<class Query>(const Query& query) {
      const Impact truth = exact::oracle(query);
      const auto entry = read("# why\n" + corpus_text(query, truth));
      EXPECT_EQ(entry.name, "entry");
      EXPECT_EQ(entry.verdict, truth.verdict);
      EXPECT_EQ(entry.toi, truth.toi);
      EXPECT_EQ(entry.toi_hi, truth.toi_hi);
      ASSERT_TRUE(std::holds_alternative<Query>(entry.query));
      EXPECT_EQ(std::get<Query>(entry.query).start, query.start);
      EXPECT_EQ(std::get<Query>(entry.query).end, query.end);
    });
}

TEST_F(CorpusFile, WritesShortNumbersInDecimal) {
  VertexFace query;
  for (auto* side : {&query.start, &query.end}) side->fill(Vec3(1, -0.25, 0.1));
  query.start[0] = {999999.984375, -0.0, 1e6};
  EXPECT_EQ(corpus_text(query, Impact::contact(0.5, 0.5)),
            "vertex-face contact 0.5 0.5\n999999.984375 -0x0p+0 0x1.e848p+19\n"
            "1 -0.25 0x1.999999999999ap-4\n1 -0.25 0x1.999999999999ap-4\n"
            "1 -0.25 0x1.999999999999ap-4\n1 -0.25 0x1.999999999999ap-4\n"
            "1 -0.25 0x1.999999999999ap-4\n1 -0.25 0x1.999999999999ap-4\n"
            "1 -0.25 0x1.999999999999ap-4\n");
}

TEST_F(CorpusFile, RefusesFilesThatAreNoEntry) {
  const std::string rows = "0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n";
  EXPECT_NO_THROW(read("vertex-face separated\n" + rows));
  EXPECT_THROW(read(""), FileError);
  for (const char* bad :
       {"vertex-face\n", "vertex-face maybe\n", "face separated\n", "edge-edge contact 0\n"})
    EXPECT_THROW(read(bad + rows), FileError) << bad;
  EXPECT_THROW(read("vertex-face separated\n" + rows + "1\n"), FileError);
  EXPECT_THROW(read("vertex-face separated\n0 0 x\n"), FileError);
  EXPECT_THROW(read_corpus_entry(folder / "absent.txt"), FileError);
}

}  // namespace
}  // namespace graze::io::corpus_file_test
