#include "graze/io/meshes/tet_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "test/support/scratch_folder.h"

namespace graze::io::tet_files_test {
namespace {

using TetFiles = test::ScratchFolder;

const std::string format_4_1 = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n";
const std::string nodes_4_1 =
    "$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n";
const std::string tet_4_1 = "$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 4\n$EndElements\n";
const std::vector<Vec3> corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

// Returns a box of 2 x 3 x 1 cells, each of six tetrahedra: one for each order of the axes on the
// way from the lowest to the highest corner of the cell.
TetMesh box_tets(const Vec3& lo, const Vec3& cell) {
  TetMesh mesh;
  const auto vertex = [](int i, int j, int k) { return std::uint32_t(i + 3 * (j + 4 * k)); };
  for (int k = 0; k < 2; ++k)
    for (int j = 0; j < 4; ++j)
      for (int i = 0; i < 3; ++i) mesh.positions.push_back(lo + cell.cwiseProduct(Vec3(i, j, k)));
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 2; ++i) {
      std::array<int, 3> axes{0, 1, 2};
      do {
        std::array<int, 3> at{i, j, 0};
        Tetrahedron tet{vertex(i, j, 0)};
        for (std::size_t step = 0; step < 3; ++step) {
          ++at[std::size_t(axes[step])];
          tet[step + 1] = vertex(at[0], at[1], at[2]);
        }
        const bool odd = (axes[0] > axes[1]) ^ (axes[0] > axes[2]) ^ (axes[1] > axes[2]);
        if (odd) std::swap(tet[2], tet[3]);
        mesh.tets.push_back(tet);
      } while (std::next_permutation(axes.begin(), axes.end()));
    }
  return mesh;
}

std::string error_of(const std::string& text) {
  try {
    parse_msh(text, "file");
  } catch (const FileError& error) {
    return error.what();
  }
  return "no error";
}

// A file as Gmsh writes it: several blocks, parameters, tags with gaps, elements of all dimensions.
TEST_F(TetFiles, ReadsVersion41AndSkipsOtherElements1) {
  const TetMesh mesh = parse_msh(
      format_4_1 +
          "$PhysicalNames\n1\n3 1 \"my $Nodes body\"\n$EndPhysicalNames\n"
          "$Entities\n1 0 0 1\n1 0 0 0 0\n1 0 0 0 1 1 1 1 1 0\n$EndEntities\n"
          "$Nodes\n3 6 1 90\n0 1 0 1\n1\n7 7 7\n2 5 1 2\n10\n20\n0 0 0 0.5 0.5\r\n1 0 0 0.1 0.2\n"
          "3 1 0 3\n90\n30\n40\n0.1 1 0\n0 0 -1\n0 0 +1\n$EndNodes\n"
          "$Elements\n4 5 1 5\n0 1 15 1\n1 1\n2 5 2 1\n2 10 20 90\n3 1 4 2\n3 10 20 90 40\n"
          "4 10 20 90 30\n1 2 1 1\n5 10 20\n$EndElements\n$NodeData\n1\n\"x\"\n$EndNodeData\n",
      "file");
  EXPECT_EQ(mesh.positions,
            (std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0.1, 1, 0}, {0, 0, -1}, {0, 0, 1}}));
  // The second tetrahedron, 10 20 90 30, is left-handed: its last corners are exchanged.
  EXPECT_EQ(mesh.tets, (std::vector<Tetrahedron>{{0, 1, 2, 4}, {0, 1, 3, 2}}));
}

TEST_F(TetFiles, ReadsVersion40) {
  for (const std::string version : {"4", "4.0"}) {
    const TetMesh mesh = parse_msh(
        "$MeshFormat\n" + version +
            " 0 8\n$EndMeshFormat\n$Nodes\n2 4\n5 1 1 1\n7 0 0 0 0.25\n1 3 0 3\n3 1 0 0\n"
            "4 0 1 0\n9 0 0 1\n$EndNodes\n$Elements\n2 2\n1 2 2 1\n1 7 3 4\n1 3 4 1\n2 7 3 4 9\n"
            "$EndElements",
        "file");
    EXPECT_EQ(mesh.positions, corners);
    EXPECT_EQ(mesh.tets, (std::vector<Tetrahedron>{{0, 1, 2, 3}}));
  }
}

TEST_F(TetFiles, AreReadBackBitForBit) {
  std::vector<TetMesh> meshes = {box_tets({-1, 0, 2}, {0.7, 0.1, 0.7}),
                                 box_tets(Vec3::Zero(), Vec3::Constant(1e-300)),
                                 box_tets({1e99, 0, -1e99}, Vec3::Constant(1e100 / 3))};
  meshes.push_back(
      {{{5e-324, 0, -0.0}, {1.7e308, 0, 1e-5}, {0.1, 1, 0}, {0, 1.0 / 3, 1}}, {{0, 1, 2, 3}}});
  for (const TetMesh& mesh : meshes) {
    write_tets(folder / "solid.msh", mesh);
    const TetMesh again = read_tets(folder / "solid.msh");
    ASSERT_EQ(again.positions.size(), mesh.positions.size());
    EXPECT_EQ(again.tets, mesh.tets);
    EXPECT_EQ(std::memcmp(again.positions.data(), mesh.positions.data(),
                          mesh.positions.size() * sizeof(Vec3)),
              0);
  }
  EXPECT_EQ(files(), 1u);
}

TEST_F(TetFiles, AreNotWrittenIfNotFinite) {
  TetMesh mesh{corners, {{0, 1, 2, 3}}};
  mesh.positions[2][1] = std::numeric_limits<double>::infinity();
  EXPECT_THROW(write_tets(folder / "solid.msh", mesh), FileError);
  EXPECT_EQ(files(), 0u);
  EXPECT_THROW(read_tets(folder / "none.msh"), FileError);
}

TEST_F(TetFiles, ErrorsNameTheLineAndTheReason3) {
  const auto nodes = [](const std::string& text) { return format_4_1 + "$Nodes\n" + text; };
  const auto elements = [](const std::string& text) {
    return format_4_1 + nodes_4_1 + "$Elements\n" + text;  // line 16 is $Elements
  };
  const std::vector<std::pair<std::string, std::string>> files = {
      {"", ":1: is not a Gmsh file"},
      {"$Nodes\n", ":1: is not a Gmsh file"},
      {"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n",
       ":2: version '2.2'; 4.0 and 4.1 are read (gmsh -format msh41)"},
      {"$MeshFormat\n4.1 1 8\n\1\n", ":2: is binary; only ASCII is read (gmsh -bin 0)"},
      {"$MeshFormat\n4.1 0 8\n", ":2: the file ends within a section"},
      {"$MeshFormat\n4.1 0 8\n$End\n", ":3: $EndMeshFormat is missing"},
      {format_4_1, ":3: holds no tetrahedron"},
      {format_4_1 + "what\n", ":4: 'what' is no section"},
      {format_4_1 + "$EndNodes\n", ":4: '$EndNodes' is no section"},
      {format_4_1 + "$Comments\n$Nodes\n", ":5: the file ends within a section"},
      {format_4_1 + nodes_4_1 + nodes_4_1, ":16: a second section of nodes"},
      {format_4_1 + nodes_4_1 + tet_4_1 + tet_4_1, ":21: a second section of elements"},
      {nodes(""), ":4: the file ends within a section"},
      {nodes("1 999999999999 1 4\n"), ":5: claims 999999999999 nodes, more than the file can hold"},
      {nodes("1 4 1\n"), ":5: the line ends where the largest tag should be"},
      {nodes("1 1 1 1\n4 1 0 1\n1\n0 0 0\n"), ":6: an entity of 4 dimensions"},
      {nodes("1 1 1 1\n3 1 0 2\n1\n0 0 0\n"),
       ":6: a block of 2 where 1 are left of what the section claims"},
      {nodes("1 1 1 1\n3 1 0 1\n-1\n0 0 0\n"), ":7: the tag of a node is '-1'"},
      {nodes("1 1 1 1\n3 1 0 1\n1\n0 0 nan\n"), ":8: a coordinate is not finite"},
      {nodes("1 1 1 1\n3 1 0 1\n1\n0 0 1e999\n"), ":8: a coordinate '1e999' is out of range"},
      {nodes("1 1 1 1\n3 1 0 1\n1\n0 0\n"), ":8: the line ends where a coordinate should be"},
      {nodes("1 1 1 1\n3 1 0 1\n1\n0 0 0 0\n"), ":8: the line goes on with '0'"},
      {nodes("1 2 1 1\n3 1 0 2\n1\n1\n0 0 0\n0 0 0\n"), ":8: node 1 is defined twice"},
      {nodes("1 2 1 2\n3 1 0 1\n1\n0 0 0\n$EndNodes\n"), ":8: 1 nodes where the section claims 2"},
      {elements("1 99 1 99\n"), ":17: claims 99 elements, more than the file can hold"},
      {elements("1 1 1 1\n3 1 5 1\n1 1 2 3 4 1 2 3 4\n"),
       ":18: volumes of type 5, where tetrahedra of four nodes (type 4) are read"},
      {elements("1 1 1 1\n3 1 4 1\n1 1 2 3 5\n"), ":19: node 5 is not defined"},
      {elements("1 1 1 1\n3 1 4 1\n1 1 2 3\n"), ":19: the line ends where a node should be"},
      {elements("1 1 1 1\n3 1 4 1\n1 1 2 3 4 4\n"), ":19: the line goes on with '4'"},
      {elements("1 1 1 1\n3 1 4 1\n1 1 2 3 4\n"), ":19: the file ends within a section"},
      {elements("18446744073709551615 1 1 1\n3 1 4 0\n$EndElements\n"),
       ":19: the dimension or tag of an entity is '$EndElements'"},
      {elements("1 2 1 1\n3 1 4 1\n1 1 2 3 4\n$EndElements\n"),
       ":19: 1 elements where the section claims 2"},
      {elements("0 0 0 0\n$EndElements\n"), ":18: holds no tetrahedron"},
      {format_4_1 + tet_4_1, ":7: node 1 is not defined"},
  };
  for (const auto& [text, message] : files) EXPECT_EQ(error_of(text), "file" + message) << text;
}

// Only the last line end may be missing.
TEST_F(TetFiles, TruncatedFilesAreErrors3) {
  const std::string whole = format_4_1 + nodes_4_1 + tet_4_1;
  for (std::size_t size = 0; size + 1 < whole.size(); ++size)
    EXPECT_NE(error_of(whole.substr(0, size)), "no error") << size;
  EXPECT_EQ(error_of(whole), "no error");
}

}  // namespace
}  // namespace graze::io::tet_files_test
