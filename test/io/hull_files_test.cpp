#include "graze/io/hull_files.h"

#include <gtest/gtest.h>

#include <cstring>

#include "graze/generate/models.h"
#include "graze/io/atomic_file.h"
#include "test/support/scratch_folder.h"

namespace graze::io {
namespace {

class HullFiles : public test::ScratchFolder {};

RigidModel made(const SurfaceModel& model) {
  return make_rigid_model(model.vertices, model.faces);
}

std::string problem_of(const std::string& bytes) {
  try {
    parse_hull(bytes, "model.grazehull");
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}

TEST_F(HullFiles, Promise1ReadsBackWhatWasWrittenBitForBit) {
  SurfaceModel odd = soup(30, 0.3, 5);
  odd.faces.push_back({1, 1, 2});
  for (const SurfaceModel& surface :
       {torus_knot(30, 6), odd, box({1, 2, 3}), scaled(tetrahedron(), 1e300),
        scaled(torus_knot(12, 4), 0x1p-1070),
        SurfaceModel{{{0, 0, 0}, {1, 0, -0.0}, {0, 1, 0}}, {{0, 1, 2}}}}) {
    const RigidModel model = made(surface);
    write_hull(folder / "a.grazehull", model);
    const RigidModel again = read_hull(folder / "a.grazehull");
    EXPECT_EQ(format_hull(again), format_hull(model));
    EXPECT_EQ(again.tree.depth, model.tree.depth);
    EXPECT_EQ(again.problem(), model.problem());
    EXPECT_EQ(again.decomposition.pieces, model.decomposition.pieces);
    EXPECT_EQ(files(), 1u);
  }
}

TEST_F(HullFiles, Promise2EveryByteAndEveryCutIsNoticed) {
  const std::string bytes = format_hull(made(tetrahedron()));
  EXPECT_EQ(problem_of(bytes), "");
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    ASSERT_EQ(problem_of(damaged).rfind("model.grazehull: offset ", 0), 0u) << i;
    ASSERT_EQ(problem_of(bytes.substr(0, i)).rfind("model.grazehull: offset ", 0), 0u) << i;
  }
  EXPECT_NE(problem_of(bytes + "x"), "");
}

TEST_F(HullFiles, Promise2NamesWhatIsWrong) {
  const RigidModel model = made(torus_knot(12, 4));
  const std::string bytes = format_hull(model);
  EXPECT_EQ(problem_of("GRAZEHUL"), "model.grazehull: offset 8: ends within the header");
  EXPECT_EQ(problem_of("solid"), "model.grazehull: offset 0: is not a .grazehull file");
  std::string other = bytes;
  other[8] = 2;
  EXPECT_EQ(problem_of(other), "model.grazehull: offset 8: version 2; version 1 is read");
  other = bytes;
  other[100] = static_cast<char>(other[100] ^ 1);
  EXPECT_NE(problem_of(other).find("the checksum does not match"), std::string::npos);
  other = bytes;
  std::memset(other.data() + 16, 0xff, 8);
  EXPECT_EQ(problem_of(other), "model.grazehull: offset 16: claims more than the file holds");
}

TEST_F(HullFiles, Promise2ATreeThatIsNoneIsRefusedAlsoWithTheRightChecksum) {
  const RigidModel model = made(torus_knot(12, 4));
  const std::pair<const char*, void (*)(RigidModel&)> wrongs[] = {
      {"has no such children", [](RigidModel& m) { m.tree.nodes[0].child = 0xfffffff0; }},
      {"has no such children", [](RigidModel& m) { m.tree.nodes[1].child = 1; }},
      {"has no such polytope", [](RigidModel& m) { m.tree.nodes[3].first = 0xfffffff0; }},
      {"has no such polytope", [](RigidModel& m) { m.tree.nodes[3].vertices = 0; }},
      {"has bounds that are no numbers", [](RigidModel& m) { m.tree.nodes[2].radius = -1; }},
      {"does not contain face", [](RigidModel& m) { m.tree.nodes[1].radius /= 2; }},
      {"beyond the reach", [](RigidModel& m) { m.tree.coordinates[7] = 1e9; }},
      {"names a vertex that is not there", [](RigidModel& m) { m.faces[2][1] = 1u << 20; }},
      {"is not finite", [](RigidModel& m) { m.vertices[2][1] = 0.0 / 0.0; }},
      {"in a piece that is not there", [](RigidModel& m) { m.decomposition.piece[4] = 1u << 20; }},
      {"the header does not fit", [](RigidModel& m) { m.size *= 2; }},
      {"the corners of its triangle",
       [](RigidModel& m) { std::swap(m.faces[0][0], m.faces[0][1]); }},
  };
  for (const auto& [reason, change] : wrongs) {
    RigidModel wrong = model;
    change(wrong);
    EXPECT_NE(problem_of(format_hull(wrong)).find(reason), std::string::npos)
        << reason << " / " << problem_of(format_hull(wrong));
  }
}

TEST_F(HullFiles, NamesTheFileThatIsNotThere) {
  EXPECT_THROW(read_hull(folder / "none.grazehull"), FileError);
}

}  // namespace
}  // namespace graze::io
