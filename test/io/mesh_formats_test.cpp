#include "graze/io/meshes/mesh_formats.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>

#include "test/support/data.h"

namespace graze::io::mesh_formats_test {
namespace {

using Parse = MeshParts (*)(std::string_view, std::string_view);
using BadFiles = std::vector<std::pair<std::string, std::string>>;  // text, message

std::string error_of(Parse parse, const std::string& text) {
  try {
    parse(text, "file");
  } catch (const FileError& error) {
    return error.what();
  }
  return "no error";
}

void expect_errors(Parse parse, const BadFiles& files) {
  for (const auto& [text, message] : files)
    EXPECT_EQ(error_of(parse, text), "file" + message) << text;
}

const std::string square =
    "element vertex 4\nproperty float x\nproperty double y\nproperty uchar red\nproperty short z\n"
    "element face 1\nproperty list uchar int vertex_indices\n";

TEST(MeshPly, ReadsAllTypesOfNumbersAndSkipsTheRest1) {
  const MeshFrame frame =
      parse_ply("ply\r\nformat ascii 1.0\ncomment made by hand\nobj_info none\n" + square +
                    "element other 2\nproperty list uint8 float w\nproperty int8 c\nend_header\n"
                    "0.1 0.1 7 -3\n\n1 0 0 0\r\n1 +1e-3 0 0\n0 1 255 0\n4 0 1 2 3\n2 0.5 nan "
                    "-128\n0 127\n",
                "file")
          .frame();
  EXPECT_EQ(frame.mesh, make_mesh(4, {{0, 1, 2}, {0, 2, 3}}));
  EXPECT_EQ(frame.positions[0], Vec3(double(0.1f), 0.1, -3));
  EXPECT_EQ(frame.positions[2], Vec3(1, 1e-3, 0));
}

// Elements and properties may come in any order.
TEST(MeshPly, ReadsElementsAndPropertiesByTheirNames1) {
  const MeshFrame frame =
      parse_ply(
          "ply\nformat ascii 1.0\nelement edge 1\nproperty int vertex2\nproperty uchar "
          "red\nproperty "
          "int vertex1\nelement face 1\nproperty list uchar float texcoord\nproperty list uint8 "
          "uint "
          "vertex_index\nproperty list int int flags\nelement vertex 5\nproperty list uchar int "
          "ids\n"
          "property double z\nproperty float quality\nproperty double x\nproperty double y\n"
          "end_header\n3 9 0\n2 0.5 0.5 3 0 1 2 0\n0 3 0 1 2\n2 7 8 0 1 0 0\n0 -1e-400 0 0 1e-330\n"
          "0 1 0 1 1\n1 5 0 0 0 0",
          "file")
          .frame();
  EXPECT_EQ(frame.mesh, make_mesh(5, {{0, 1, 2}}, {{0, 3}}));
  EXPECT_EQ(frame.mesh.points, (std::vector<std::uint32_t>{4}));
  EXPECT_EQ(frame.positions[0], Vec3(1, 2, 3));
  EXPECT_TRUE(std::signbit(frame.positions[2][2]) && frame.positions[2][2] == 0);  // the nearest
  EXPECT_EQ(frame.positions[2][1], 0);
}

// The text of a number that is too small becomes zero, whatever its exponent.
TEST(MeshNumbers, TooSmallIsZeroAndTooLargeIsAnError1) {
  const std::string zeros(6000, '0');
  for (const std::string number : {"1e-400", "1e-5000", "+123.456e-99999999999999999999",
                                   "0.00012e-5000", "10000e-4999", "1E-5000"}) {
    const MeshFrame frame =
        parse_obj("v 1 -" + number.substr(number[0] == '+') + " " + number, "file").frame();
    EXPECT_EQ(frame.positions[0], Vec3(1, 0, 0)) << number;
    EXPECT_TRUE(std::signbit(frame.positions[0][1])) << number;
  }
  EXPECT_EQ(parse_obj("v 0 0 0." + zeros + "1", "file").positions[0], Vec3(0, 0, 0));
  EXPECT_EQ(parse_obj("v 0 0 0." + zeros + "1e6001", "file").positions[0], Vec3(0, 0, 1));
  for (const std::string number : {"1e5000", "0.001e5000", "-1e99999999999999999999"})
    EXPECT_EQ(error_of(parse_obj, "v 0 0 " + number),
              "file:1: a coordinate '" + number + "' is out of range");
  EXPECT_NE(error_of(parse_obj, "v 0 0 1" + zeros), "no error");
}

// -1 begins a new strip; triangles that name a vertex twice only connect parts of a strip.
TEST(MeshPly, ReadsTriangleStrips2) {
  const std::string head =
      "ply\nformat ascii 1.0\nelement vertex 6\nproperty float x\nproperty float y\nproperty float "
      "z\nelement tristrips 2\nproperty list int int vertex_indices\nend_header\n"
      "0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 2 0\n1 2 0\n";
  EXPECT_EQ(parse_ply(head + "9 0 1 2 3 -1 2 3 4 5\n6 0 1 2 2 3 5\n", "file").frame().mesh.faces,
            (std::vector<Face>{{0, 1, 2}, {2, 1, 3}, {2, 3, 4}, {4, 3, 5}, {0, 1, 2}, {3, 2, 5}}));
  EXPECT_EQ(error_of(parse_ply, head + "3 0 1 6\n0\n"),
            "file:16: index 6 names no vertex: there are 6, counted from 0");
  EXPECT_EQ(error_of(parse_ply, head + "3 0 1 -2\n0\n"),
            "file:16: index -2 names no vertex: there are 6, counted from 0");
}

// A polygon that is not convex becomes a fan around its first corner too.
TEST(MeshPolygons, AreFansAroundTheirFirstCorner2) {
  const char* const dart = "OFF\n4 1 0\n0 0 0\n2 1 0\n0 0.5 0\n-2 1 0\n4 1 2 3 0";
  EXPECT_EQ(parse_off(dart, "file").frame().mesh.faces, (std::vector<Face>{{1, 2, 3}, {1, 3, 0}}));
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
    const auto frame =
        parse_ply("ply\nformat binary_" + std::string(order) + "_endian 1.0\n" + header + body,
                  "file")
            .frame();
    EXPECT_EQ(frame.mesh, make_mesh(4, {{0, 1, 2}, {0, 2, 3}})) << order;
    EXPECT_EQ(frame.positions[3], Vec3(double(0.1f * 3), 0.1 * 3, -3)) << order;
  }
}

TEST(MeshPly, ErrorsNameTheLineAndTheReason3) {
  const std::string start = "ply\nformat ascii 1.0\n";
  const std::string xyz =
      "element vertex 2\nproperty float x\nproperty float y\nproperty float z\n";
  const std::string triangle = xyz + "element face 1\nproperty list uchar int vertex_indices\n";
  const std::string points = "end_header\n0 0 0\n1 1 1\n";
  expect_errors(
      parse_ply,
      {
          {"", ":1: is not a PLY file"},
          {"PLY", ":1: is not a PLY file"},
          {"ply\nelement vertex 1", ":2: the header has no end"},
          {"ply\nend_header\n", ":2: the header names no format"},
          {"ply\nformat xml 1.0\n",
           ":2: the format is 'xml', not ascii, binary_little_endian or binary_big_endian"},
          {"ply\nformat ascii 2.0\n", ":2: PLY version '2.0'; 1.0 is read"},
          {start + "property float x", ":3: the header has 'property'"},
          {start + "element vertex -1", ":3: the number of elements is '-1'"},
          {start + "element vertex 1e9", ":3: the number of elements is '1e9'"},
          {start + "element vertex 18446744073709551616",
           ":3: the number of elements '18446744073709551616' is out of range"},
          {start + "element vertex 1 2", ":3: the line goes on after 'element'"},
          {start + "element vertex 1\nelement vertex 1", ":4: a second element 'vertex'"},
          {start + "element vertex 1\nproperty quad x",
           ":4: a property has the unknown type 'quad'"},
          {start + "element vertex 1\nproperty list float int x",
           ":4: the length of a list must be an integer"},
          {start + "element vertex 1\nproperty int x\nproperty int x", ":5: a second property 'x'"},
          {start + "element vertex 1\nproperty int", ":4: a property has no name"},
          {start + "end_header\n", ":3: the header has no element 'vertex'"},
          {start + "element vertex 1\nend_header\n", ":4: element 'vertex' has no number 'x'"},
          {start + "element vertex 4000000000\nend_header\n",
           ":4: 4000000000 vertices; at most 1073741824 are read"},
          {start + "element vertex 1000000000\nproperty int x\nproperty int y\nproperty int z\n"
                   "end_header\n0 0 0\n",
           ":7: the header claims 1000000000 of element 'vertex', more than the file can hold"},
          {start + "element vertex 0\nproperty int x\nproperty int y\nproperty int z\n"
                   "element stuff 99999999999999\nproperty list int int x\nend_header\n",
           ":9: the header claims 99999999999999 of element 'stuff', more than the file can hold"},
          {start + xyz + "end_header\n0 0 0\n\n\n\n\n\n",
           ":13: the file ends before its last element"},
          {start + xyz + "end_header\n0 0\n0 0 0 0\n", ":8: the line ends where a value should be"},
          {start + xyz + "end_header\n0 0 0 0\n1 1 1\n",
           ":8: the line has more values than the element"},
          {start + xyz + points + "1", ":10: the file goes on after its last element"},
          {start + xyz + "end_header\n0 0 zero\n1 1 1\n", ":8: a value is 'zero'"},
          {start + xyz + "end_header\n0 0 1e39\n1 1 1\n", ":8: a value '1e39' is out of range"},
          {start + triangle + points + "3 0 1 2\n",
           ":12: index 2 names no vertex: there are 2, counted from 0"},
          {start + triangle + points + "3 0 1 -1\n",
           ":12: index -1 names no vertex: there are 2, counted from 0"},
          {start + triangle + points + "2 0 1\n", ":12: a face has 2 corners"},
          {start + triangle + points + "256 0 1\n", ":12: a value '256' is out of range"},
          {start + triangle + points + "4 0 1 1\n", ":12: the line ends where a value should be"},
          {start + xyz + "element face 1\nproperty int vertex_indices\n" + points + "3\n",
           ":11: element 'face' has no list of integers 'vertex_indices'"},
          {start + xyz + "element edge 1\nproperty float vertex1\nproperty int vertex2\n" + points +
               "0 1\n",
           ":12: an edge must name integers"},
      });
}

TEST(MeshPly, ReadsTrianglesAndOtherPolygonsInOneBinaryFile2) {
  const std::string head =
      "ply\nformat binary_little_endian 1.0\nelement vertex 5\nproperty float x\nproperty uchar "
      "red\nproperty float y\nproperty float z\nelement face 4\nproperty list char int "
      "vertex_indices\nend_header\n";
  std::string body;
  const auto add = [&](auto value) {
    body.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  for (int v = 0; v < 5; ++v) {
    add(float(v));
    add(std::uint8_t(255));
    add(0.1f);
    add(-float(v));
  }
  const std::size_t faces = body.size();
  for (const std::vector<int>& face : {std::vector{0, 1, 2}, {0, 1, 2, 3}, {4, 2, 1}, {1, 0, 3}}) {
    add(std::uint8_t(face.size()));
    for (const int v : face) add(v);
  }
  const MeshFrame frame = parse_ply(head + body, "file").frame();
  EXPECT_EQ(frame.mesh.faces,
            (std::vector<Face>{{0, 1, 2}, {0, 1, 2}, {0, 2, 3}, {4, 2, 1}, {1, 0, 3}}));
  EXPECT_EQ(frame.positions[3], Vec3(3, double(0.1f), -3));
  for (const std::size_t corner : {1u, 5u, 9u}) {  // of the first triangle
    std::string bad = body;
    bad[faces + corner] = 5;
    EXPECT_EQ(error_of(parse_ply, head + bad),
              "file: offset " + std::to_string(head.size() + faces + corner) +
                  ": index 5 names no vertex: there are 5, counted from 0");
    bad[faces + corner + 3] = '\x80';  // negative
    EXPECT_NE(error_of(parse_ply, head + bad), "no error");
  }
  EXPECT_EQ(error_of(parse_ply, head + body.substr(0, body.size() - 1)),
            "file: offset " + std::to_string(head.size() + body.size() - 4) +
                ": the file ends before its last element");
}

TEST(MeshPly, ErrorsInBinaryFilesNameTheOffset3) {
  const std::vector<Vec3> points(3, Vec3::Ones());
  const std::string good = format_ply(make_mesh(3, {{0, 1, 2}}), points);
  const std::size_t body = good.find("end_header\n") + 11;
  const auto error = [](std::string bytes) { return error_of(parse_ply, bytes); };
  const auto at = [](std::size_t offset) {
    return "file: offset " + std::to_string(offset) + ": ";
  };
  ASSERT_EQ(error(good), "no error");
  EXPECT_EQ(error(good + "\n"), at(good.size()) + "the file goes on after its last element");
  EXPECT_EQ(error(good.substr(0, good.size() - 1)),
            at(good.size() - 4) + "the file ends before its last element");
  EXPECT_EQ(error(good.substr(0, body + 71)),
            at(body) + "the header claims 3 of element 'vertex', more than the file can hold");
  std::string bad = good;
  bad[body + 73] = '\3';
  EXPECT_EQ(error(bad), at(body + 73) + "index 3 names no vertex: there are 3, counted from 0");
  bad = good;
  bad[body + 72] = '\2';
  EXPECT_EQ(error(bad), at(body + 77) + "a face has 2 corners");
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_NE(error(good.substr(0, size)), "no error") << size;
}

// The first element claims 2^64 - (size of the header) - 24 bytes: sums of sizes are near 2^64.
TEST(MeshPly, APartOfAFileWhoseSizesOverflowIsRefused3) {
  std::string header;
  for (std::uint64_t pads = 0, round = 0; round < 4; ++round) {
    header = "ply\nformat binary_little_endian 1.0\nelement pad " + std::to_string(pads) +
             "\nproperty uchar a\nelement vertex 1\nproperty double x\nproperty double y\n"
             "property double z\nend_header\n";
    pads = 0 - std::uint64_t{header.size()} - 24;
  }
  const auto part = [](std::string_view bytes, std::string_view name) {
    parse_ply_part(bytes, name, 0, 1);
    return MeshParts();
  };
  const std::string error = error_of(part, header + std::string(48, '\0'));
  EXPECT_NE(error.find("the file has 48 bytes of vertices and faces, not the 1844"),
            std::string::npos)
      << error;
}

// Messages about files that cannot be read in parts contain the command that converts them.
TEST(MeshPly, FilesThatCannotBeReadInPartsAreRefusedWithTheirConversion) {
  const std::string vertices =
      "element vertex 4\nproperty float x\nproperty float y\nproperty float z\n";
  const std::string faces = "element face 1\nproperty list uchar int vertex_indices\n";
  const std::string binary = "ply\nformat binary_little_endian 1.0\n";
  const std::string quad = std::string("\4\0\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0", 17);
  const std::string strips = "element tristrips 1\nproperty list uchar int vertex_indices\n";
  for (const auto& [bytes, reason] : std::initializer_list<std::pair<std::string, std::string>>{
           {"ply\nformat ascii 1.0\n" + vertices + "end_header\n0 0 0\n0 0 1\n0 1 0\n0 1 1\n",
            "is an ASCII file"},
           {binary + vertices + faces + "end_header\n" + std::string(48, '\0') + quad,
            "a face is not a triangle"},
           {binary + vertices + strips + "end_header\n" + std::string(48, '\0') + quad,
            "has no fixed size"}}) {
    std::string error = "no error";
    try {
      parse_ply_part(bytes, "folder/a.ply", 0, 2);
    } catch (const FileError& found) {
      error = found.what();
    }
    EXPECT_NE(error.find(reason), std::string::npos) << error;
    EXPECT_NE(error.find("graze convert folder/a.ply a.b.ply"), std::string::npos) << error;
  }
}

TEST(MeshPly, ReadsTheFramesOfTheScenes) {
  GRAZE_SKIP_WITHOUT_DATA();
  const auto frames = test::data_folder() / "scenes" / "cloth-ball" / "frames";
  const OwnedMotion motion = read_motion(frames / "cloth_ball92.ply", frames / "cloth_ball93.ply");
  EXPECT_EQ(motion.mesh.vertex_count, 46598u);
  EXPECT_EQ(motion.mesh.edges.size(), 138825u);
  EXPECT_EQ(motion.mesh.faces.size(), 92230u);
}

TEST(MeshObj, ReadsFacesLinesAndIndicesOfAllKinds) {
  const MeshFrame frame =
      parse_obj(
          "# a comment\r\nmtllib a.mtl\no thing\nv 0 0 0\nv 1 0 0 1.0\nv 1 1 0 0.5 0.5 0.5\n"
          "vt 0 0\nvn 0 0 1\nf 1/1/1 2/1/1 3//1 4/1 # forward\nv 0 1 0\nusemtl red\nf -1 -2 -3\n"
          "l 1 2 \\\n  5\nv +5 -.5 5e-1\np 5\n",
          "file")
          .frame();
  EXPECT_EQ(frame.mesh, make_mesh(5, {{0, 1, 2}, {0, 2, 3}, {3, 2, 1}}, {{0, 1}, {1, 4}}));
  EXPECT_EQ(frame.positions[4], Vec3(5, -0.5, 0.5));
}

TEST(MeshObj, SkipsALineOfCountsAtTheStart) {
  const MeshFrame frame =
      parse_obj("# counts\n3 1\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "file").frame();
  EXPECT_EQ(frame.mesh, make_mesh(3, {{0, 1, 2}}));
  EXPECT_EQ(frame.positions[1], Vec3(1, 0, 0));
}

TEST(MeshObj, ErrorsNameTheLineAndTheReason3) {
  expect_errors(
      parse_obj,
      {
          {"v 0 0", ":1: the line ends where a coordinate should be"},
          {"v 0 0 x", ":1: a coordinate is 'x'"},
          {"v 0 0 0x1p3", ":1: a coordinate is '0x1p3'"},
          {"v 0 0 +-1", ":1: a coordinate is '+-1'"},
          {"v 0 0 1e400", ":1: a coordinate '1e400' is out of range"},
          {"v 0 0 1e-400x", ":1: a coordinate '1e-400x' is out of range"},
          {"v 0 0 1e99999", ":1: a coordinate '1e99999' is out of range"},
          {"v 0 0 0\nf 1 1 0\n", ":2: index 0 names no vertex: there are 1, counted from 1"},
          {"v 0 0 0\nf 1 1 -2\n", ":2: index -2 names no vertex: there are 1, counted from 1"},
          {"v 0 0 0\n\nf 1 1 2\nf 1 1 1\n",
           ":3: index 2 names no vertex: there are 1, counted from 1"},
          {"f 1 2 9999999999\n", ":1: a vertex '9999999999' is out of range"},
          {"f 1 2 99999999999999999999\n", ":1: a vertex '99999999999999999999' is out of range"},
          {"f 1 2 -9223372036854775808\n",
           ":1: index -9223372036854775808 names no vertex: there are 0, counted from 1"},
          {"f 1 2 /3\n", ":1: the line ends where a vertex should be"},
          {"f 1 2 3.5\n", ":1: a vertex is '3.5'"},
          {"v 0 0 0\nf 1 1\n", ":2: a face has 2 corners"},
          {"v 0 0 0\nl 1\n", ":2: a line has 1 points"},
          {"solid\n\x7f"
           "ELF",
           ":2: '?ELF' is no OBJ statement"},
          {"3 x\nv 0 0 0\n", ":1: 'x' is no count"},
          {"v 0 0 0\n3 1\n", ":2: '3' is no OBJ statement"},
      });
}

TEST(MeshOff, ReadsPolygonsCommentsAndColours) {
  const Mesh expected = make_mesh(4, {{0, 1, 2}, {0, 2, 3}, {3, 2, 1}});
  for (const char* text : {"OFF\n4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0.1\n4 0 1 2 3\n3 3 2 1",
                           "# made by hand\nOFF 4 2\n\n0 0 0 # first\n1 0 0\n1 1 0\n0 1 0.1\n4 0 1 "
                           "2 3 255 0 0\n3 3 2 1",
                           "STCNOFF\r\n4 2 5\r\n0 0 0 1 2 3 4\r\n1 0 0 7\r\n1 1 0\r\n0 1 0.1\r\n4 "
                           "0 1 2 3\r\n3 3 2 1\r\n"}) {
    const MeshFrame frame = parse_off(text, "file").frame();
    EXPECT_EQ(frame.mesh, expected) << text;
    EXPECT_EQ(frame.positions[3], Vec3(0, 1, 0.1)) << text;
  }
}

TEST(MeshOff, ErrorsNameTheLineAndTheReason3) {
  expect_errors(
      parse_off,
      {
          {"", ":1: is not an OFF file"},
          {"4OFF\n", ":1: is not an OFF file"},
          {"OFF BINARY\n", ":1: the number of vertices is 'BINARY'"},
          {"OFF\n", ":1: the file ends before its last element"},
          {"OFF\n1\n", ":2: the line ends where the number of faces should be"},
          {"OFF\n1 0 0 0\n", ":2: the line goes on after the numbers"},
          {"OFF\n-1 0 0\n", ":2: the number of vertices is '-1'"},
          {"OFF\n1000000 0 0\n0 0 0",
           ":2: the header claims 1000000 vertices, more than the file can hold"},
          {"OFF\n0 9000000000000000000 0\n",
           ":2: the header claims 9000000000000000000 faces, more than the file can hold"},
          {"OFF\n1 0 0\n0 0\n     ", ":3: the line ends where a coordinate should be"},
          {"OFF\n1 0 0\n0 0 0 0", ":3: a vertex has more than three coordinates"},
          {"OFF\n2 0 0\n0 0 0      ", ":3: the file ends before its last element"},
          {"OFF\n1 1 0\n0 0 0\n3 0 0 1",
           ":4: index 1 names no vertex: there are 1, counted from 0"},
          {"OFF\n1 1 0\n0 0 0\n3 0 0 -1",
           ":4: index -1 names no vertex: there are 1, counted from 0"},
          {"OFF\n1 1 0\n0 0 0\n2 0 0  ", ":4: a face has 2 corners"},
          {"OFF\n1 1 0\n0 0 0\n4 0 0 0", ":4: the line ends where a vertex should be"},
          {"OFF\n1 1 0\n0 0 0\n3 0 0 0\n0", ":5: the file goes on after its last face"},
      });
}

const std::string facet =
    "facet normal 0 0 1\n outer loop\n  vertex 0 0 0\n  vertex 1 0 0\n"
    "  vertex 0 1 -0\n endloop\nendfacet\n";
const std::string other =
    "FACET NORMAL 0 0 1\nOUTER LOOP\nVERTEX 1 0 0\nVERTEX 0.1 1 0\n"
    "VERTEX 0 1 0\nENDLOOP\nENDFACET\n";

TEST(MeshStl, WeldsCornersAtTheSamePlace) {
  const MeshFrame frame =
      parse_stl("solid a b c\n" + facet + other + "endsolid\n\nsolid\nendsolid\n", "file").frame();
  EXPECT_EQ(frame.mesh, make_mesh(4, {{0, 1, 2}, {1, 3, 2}}));
  EXPECT_TRUE(std::signbit(frame.positions[2][2]));  // the first of -0 and 0
  EXPECT_EQ(frame.positions[3], Vec3(0.1, 1, 0));
}

std::string binary_stl(const std::vector<std::array<float, 9>>& facets, std::string head) {
  head.resize(80);
  const auto count = static_cast<std::uint32_t>(facets.size());
  head.append(reinterpret_cast<const char*>(&count), 4);
  for (const auto& corners : facets)
    head.append(12, '\0').append(reinterpret_cast<const char*>(&corners), 36).append(2, '\0');
  return head;
}

TEST(MeshStl, ReadsBinaryFilesEvenIfTheyBeginWithSolid) {
  for (const char* head : {"", "solid "}) {
    const MeshFrame frame =
        parse_stl(binary_stl({{0, 0, 0, 1, 0, 0, 0, 1, 0}, {1, 0, 0, 0.1f, 1, 0, 0, 1, 0}}, head),
                  "file")
            .frame();
    EXPECT_EQ(frame.mesh, make_mesh(4, {{0, 1, 2}, {1, 3, 2}}));
    EXPECT_EQ(frame.positions[3], Vec3(double(0.1f), 1, 0));
  }
}

TEST(MeshStl, ErrorsNameTheLineAndTheReason3) {
  const std::string binary = binary_stl({{0, 0, 0, 1, 0, 0, 0, 1, 0}}, "head");
  expect_errors(
      parse_stl,
      {
          {"", ": is not an STL file"},
          {"head", ": is not an STL file"},
          {binary.substr(0, 133), ": offset 80: 1 facets take 134 bytes, the file has 133"},
          {binary + " ", ": offset 80: 1 facets take 134 bytes, the file has 135"},
          {binary.substr(0, 80) + "\xff\xff\xff\xff",
           ": offset 80: 4294967295 facets take 214748364834 bytes, the file has 84"},
          {"solid\n", ":1: the file ends within a solid"},
          {"solid\nfacet\n", ":2: '' where 'normal' should be"},
          {"solid\n" + facet, ":8: the file ends within a solid"},
          {"solid\nendsolid\nsold\n", ":3: 'sold' where 'solid' should be"},
          {"solid\nfacet normal\nouter loop\nvertex 0 0\n",
           ":4: the line ends where a coordinate should be"},
          {"solid\nfacet normal\nouter loop\nvertex 0 0 0 0\n",
           ":4: a vertex has more than three coordinates"},
          {"solid\nfacet normal\nouter loop\nvertex 0 0 0\nvertex 0 0 0\nendloop\n",
           ":6: 'endloop' where 'vertex' should be"},
      });
}

TEST(MeshObj, ReadsTheModels) {
  GRAZE_SKIP_WITHOUT_DATA();
  const auto models = test::data_folder() / "models";
  EXPECT_EQ(read_mesh(models / "stanford-bunny.obj").mesh.faces.size(), 69451u);
  EXPECT_EQ(read_mesh(models / "suzanne.obj").mesh.vertex_count, 507u);
}

}  // namespace
}  // namespace graze::io::mesh_formats_test
