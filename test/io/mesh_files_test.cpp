#include "graze/io/mesh_files.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <random>
#include <string>

#include "graze/io/atomic_file.h"
#include "graze/io/mesh_formats.h"
#include "test/support/data.h"
#include "test/support/scratch_folder.h"

namespace graze::io {
namespace {

using Limits = std::numeric_limits<double>;

class MeshFiles : public test::ScratchFolder {};

template <class Function>
std::string error_of(Function&& function) {
  try {
    function();
  } catch (const FileError& error) {
    return error.what();
  }
  return "no error";
}

bool same_bits(const MeshFrame& frame, const Mesh& mesh, const std::vector<Vec3>& positions) {
  return frame.mesh == mesh && frame.positions.size() == positions.size() &&
         std::memcmp(frame.positions.data(), positions.data(), positions.size() * sizeof(Vec3)) ==
             0;
}

// Triangles, rods and a point; coordinates of any bits, finite or not.
MeshFrame any_frame(bool finite) {
  std::mt19937_64 random(3);
  MeshFrame frame{make_mesh(200, {}), {}};
  std::vector<Face> faces;
  for (std::uint32_t v = 0; v + 3 < 150; ++v) faces.push_back({v, v + 2, v + 1});
  frame.mesh = make_mesh(200, faces, std::vector{Edge{150, 3}, Edge{198, 151}});
  while (frame.positions.size() < 200) {
    Vec3 point;
    for (double& x : point) do
        x = std::bit_cast<double>(std::uint64_t{random()});
      while (finite && !std::isfinite(x));
    frame.positions.push_back(point);
  }
  frame.positions[7] = {0.0, -0.0, Limits::denorm_min()};
  return frame;
}

TEST_F(MeshFiles, AreReadBackBitForBit1) {
  const MeshFrame frame = any_frame(false);
  write_mesh(folder / "a.ply", frame.mesh, frame.positions);
  EXPECT_TRUE(same_bits(read_mesh(folder / "a.ply"), frame.mesh, frame.positions));
  EXPECT_EQ(files(), 1u);
}

const std::string square =
    "element vertex 4\nproperty float x\nproperty double y\nproperty uchar red\nproperty short z\n"
    "element face 1\nproperty list uchar int vertex_indices\n";

TEST(MeshPly, ReadsAllTypesOfNumbersAndSkipsTheRest1) {
  const MeshFrame frame = parse_ply(
      "ply\r\nformat ascii 1.0\ncomment made by hand\nobj_info none\n" + square +
          "element other 2\nproperty list uint8 float w\nproperty int8 c\nend_header\n"
          "0.1 0.1 7 -3\n\n1 0 0 0\r\n1 +1e-3 0 0\n0 1 255 0\n4 0 1 2 3\n2 0.5 nan -128\n0 127\n",
      "a.ply");
  EXPECT_EQ(frame.mesh, make_mesh(4, {{0, 1, 2}, {0, 2, 3}}));
  EXPECT_EQ(frame.positions[0], Vec3(double(0.1f), 0.1, -3));
  EXPECT_EQ(frame.positions[2], Vec3(1, 1e-3, 0));
}

// The same file in three encodings.
TEST(MeshPly, ReadsBothByteOrders1) {
  const std::string header = square + "end_header\n";
  std::string little, big;
  const auto put = [&]<class T>(T value) {
    std::string bytes(sizeof(T), '\0');
    std::memcpy(bytes.data(), &value, sizeof(T));
    little += bytes;
    big += std::string(bytes.rbegin(), bytes.rend());
  };
  for (int v = 0; v < 4; ++v) {
    put(0.1f * float(v));
    put(0.1 * v);
    put(std::uint8_t{1});
    put(static_cast<std::int16_t>(-v));
  }
  put(std::uint8_t{4});
  for (std::int32_t v = 0; v < 4; ++v) put(v);
  for (const auto& [order, body] : {std::pair("little", little), std::pair("big", big)}) {
    const auto frame = parse_ply(
        "ply\nformat binary_" + std::string(order) + "_endian 1.0\n" + header + body, "a.ply");
    EXPECT_EQ(frame.mesh, make_mesh(4, {{0, 1, 2}, {0, 2, 3}})) << order;
    EXPECT_EQ(frame.positions[3], Vec3(double(0.1f * 3), 0.1 * 3, -3)) << order;
  }
}

TEST_F(MeshFiles, FramesMustAgree) {
  const std::vector<Vec3> points(4, Vec3::Ones());
  const Mesh mesh = make_mesh(4, {{0, 1, 2}}, std::vector{Edge{0, 3}});
  const auto a = folder / "a.ply", b = folder / "b.ply";
  write_mesh(a, mesh, points);
  const auto error_with = [&](const Mesh& other, std::size_t vertices) {
    write_mesh(b, other, std::vector<Vec3>(vertices, Vec3::Zero()));
    const std::string text = error_of([&] { read_motion(a, b); });
    const std::string before = b.string() + ": ", after = " (" + a.string() + ")";
    if (!text.starts_with(before) || !text.ends_with(after)) return text;
    return text.substr(before.size(), text.size() - before.size() - after.size());
  };
  EXPECT_EQ(error_with(mesh, 4), "no error");
  EXPECT_EQ(read_motion(a, b).end[3], Vec3(0, 0, 0));
  EXPECT_EQ(error_with(make_mesh(5, {{0, 1, 2}}), 5), "5 vertices where the first frame has 4");
  EXPECT_EQ(error_with(make_mesh(4, {}), 4), "0 faces where the first frame has 1");
  EXPECT_EQ(error_with(make_mesh(4, {{1, 0, 2}}, std::vector{Edge{0, 3}}), 4),
            "face 0 joins other vertices than in the first frame");
  EXPECT_EQ(error_with(make_mesh(4, {{0, 1, 2}}), 4), "3 edges where the first frame has 4");
  EXPECT_EQ(error_with(make_mesh(4, {{0, 1, 2}}, std::vector{Edge{1, 3}}), 4),
            "edge 3 joins other vertices than in the first frame");
}

TEST_F(MeshFiles, OtherExtensionsAreAnError) {
  EXPECT_EQ(error_of([&] { read_mesh("a.txt"); }), "a.txt: mesh files end in .ply");
  EXPECT_NE(error_of([&] { read_mesh(folder / "none.PLY"); }).find("No such file"),
            std::string::npos);
}

TEST(MeshPly, SaysWhereAndWhatIsWrong3) {
  const std::string start = "ply\nformat ascii 1.0\n";
  const std::string xyz =
      "element vertex 2\nproperty float x\nproperty float y\nproperty float z\n";
  const std::string triangle = xyz + "element face 1\nproperty list uchar int vertex_indices\n";
  const std::string points = "end_header\n0 0 0\n1 1 1\n";
  const std::pair<std::string, std::string> cases[] = {
      {"", "1: is not a PLY file"},
      {"PLY", "1: is not a PLY file"},
      {"ply\nelement vertex 1", "2: the header has no end"},
      {"ply\nend_header\n", "2: the header names no format"},
      {"ply\nformat xml 1.0\n",
       "2: the format is 'xml', not ascii, binary_little_endian or binary_big_endian"},
      {"ply\nformat ascii 2.0\n", "2: PLY version '2.0'; 1.0 is read"},
      {start + "property float x", "3: the header has 'property'"},
      {start + "element vertex -1", "3: the number of elements is '-1'"},
      {start + "element vertex 1e9", "3: the number of elements is '1e9'"},
      {start + "element vertex 18446744073709551616",
       "3: the number of elements '18446744073709551616' is out of range"},
      {start + "element vertex 1 2", "3: the line goes on after 'element'"},
      {start + "element vertex 1\nelement vertex 1", "4: a second element 'vertex'"},
      {start + "element vertex 1\nproperty quad x", "4: a property has the unknown type 'quad'"},
      {start + "element vertex 1\nproperty list float int x",
       "4: the length of a list must be an integer"},
      {start + "element vertex 1\nproperty int x\nproperty int x", "5: a second property 'x'"},
      {start + "element vertex 1\nproperty int", "4: a property has no name"},
      {start + "end_header\n", "3: the header has no element 'vertex'"},
      {start + "element vertex 1\nend_header\n", "4: element 'vertex' has no number 'x'"},
      {start + "element vertex 4000000000\nend_header\n",
       "4: 4000000000 vertices; at most 1073741824 are read"},
      {start + "element vertex 1000000000\nproperty int x\nproperty int y\nproperty int z\n"
               "end_header\n0 0 0\n",
       "7: the header claims 1000000000 of element 'vertex', more than the file can hold"},
      {start + "element vertex 0\nproperty int x\nproperty int y\nproperty int z\n"
               "element stuff 99999999999999\nproperty list int int x\nend_header\n",
       "9: the header claims 99999999999999 of element 'stuff', more than the file can hold"},
      {start + xyz + "end_header\n0 0 0\n\n\n\n\n\n", "13: the file ends before its last element"},
      {start + xyz + "end_header\n0 0\n0 0 0 0\n", "8: the line ends where a value should be"},
      {start + xyz + "end_header\n0 0 0 0\n1 1 1\n",
       "8: the line has more values than the element"},
      {start + xyz + points + "1", "10: the file goes on after its last element"},
      {start + xyz + "end_header\n0 0 zero\n1 1 1\n", "8: a value is 'zero'"},
      {start + xyz + "end_header\n0 0 1e39\n1 1 1\n", "8: a value '1e39' is out of range"},
      {start + triangle + points + "3 0 1 2\n", "12: vertex 2 is named, but there are 2"},
      {start + triangle + points + "3 0 1 -1\n", "12: vertex -1 is named, but there are 2"},
      {start + triangle + points + "2 0 1\n", "12: a face has 2 corners"},
      {start + triangle + points + "256 0 1\n", "12: a value '256' is out of range"},
      {start + triangle + points + "4 0 1 1\n", "12: the line ends where a value should be"},
      {start + xyz + "element face 1\nproperty int vertex_indices\n" + points + "3\n",
       "11: element 'face' has no list of integers 'vertex_indices'"},
      {start + xyz + "element edge 1\nproperty float vertex1\nproperty int vertex2\n" + points +
           "0 1\n",
       "12: an edge must name integers"},
  };
  for (const auto& [text, message] : cases)
    EXPECT_EQ(error_of([&] { parse_ply(text, "a.ply"); }), "a.ply:" + message) << text;
}

TEST(MeshPly, SaysWhereABinaryFileIsWrong3) {
  const std::vector<Vec3> points(3, Vec3::Ones());
  const std::string good = format_ply(make_mesh(3, {{0, 1, 2}}), points);
  const std::size_t body = good.find("end_header\n") + 11;
  const auto error = [](std::string bytes) { return error_of([&] { parse_ply(bytes, "a.ply"); }); };
  const auto at = [](std::size_t offset) {
    return "a.ply: offset " + std::to_string(offset) + ": ";
  };
  ASSERT_EQ(error(good), "no error");
  EXPECT_EQ(error(good + "\n"), at(good.size()) + "the file goes on after its last element");
  EXPECT_EQ(error(good.substr(0, good.size() - 1)),
            at(good.size() - 4) + "the file ends before its last element");
  EXPECT_EQ(error(good.substr(0, body + 71)),
            at(body) + "the header claims 3 of element 'vertex', more than the file can hold");
  std::string bad = good;
  bad[body + 73] = '\3';
  EXPECT_EQ(error(bad), at(body + 73) + "vertex 3 is named, but there are 3");
  bad = good;
  bad[body + 72] = '\2';
  EXPECT_EQ(error(bad), at(body + 77) + "a face has 2 corners");
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_NE(error(good.substr(0, size)), "no error") << size;
}

TEST(MeshPly, ReadsTheFramesOfTheScenes) {
  GRAZE_SKIP_WITHOUT_DATA();
  const auto frames = test::data_folder() / "scenes" / "cloth-ball" / "frames";
  const MeshMotion motion = read_motion(frames / "cloth_ball92.ply", frames / "cloth_ball93.ply");
  EXPECT_EQ(motion.mesh.vertex_count, 46598u);
  EXPECT_EQ(motion.mesh.edges.size(), 138825u);
  EXPECT_EQ(motion.mesh.faces.size(), 92230u);
}

}  // namespace
}  // namespace graze::io
