#include "graze/io/mesh_files.h"

#include <gtest/gtest.h>
#include <immintrin.h>

#include <bit>
#include <cstring>
#include <random>
#include <string>

#include "graze/io/atomic_file.h"
#include "test/support/scratch_folder.h"

namespace graze::io::mesh_files_test {
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

// Returns triangles, rods and a point, with coordinates of any bits, finite only if requested.
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
  for (const char* file : {"a.ply", "a.obj", "a.PLY"}) {
    const MeshFrame frame = any_frame(file == std::string("a.obj"));
    write_mesh(folder / file, frame.mesh, frame.positions);
    EXPECT_TRUE(same_bits(read_mesh(folder / file), frame.mesh, frame.positions)) << file;
  }
  EXPECT_EQ(files(), 3u);
}

TEST_F(MeshFiles, WithoutAVertexAreAnErrorThatNamesTheFile3) {
  for (const char* text : {"", "# nothing\n"}) {
    write_file(folder / "a.obj", text);
    EXPECT_EQ(error_of([&] { read_mesh(folder / "a.obj"); }),
              (folder / "a.obj").string() + ": holds no vertex");
  }
  write_file(folder / "a.off", "OFF\n0 0 0\n");
  EXPECT_EQ(error_of([&] { read_motion(folder / "a.off", folder / "a.off"); }),
            (folder / "a.off").string() + ": holds no vertex");
  EXPECT_EQ(error_of([&] { write_mesh(folder / "b.ply", Mesh(), {}); }),
            (folder / "b.ply").string() + ": the mesh to write has no vertex");
  EXPECT_EQ(files(), 2u);
}

TEST_F(MeshFiles, AreNotWrittenInFormatsThatCannotStoreThem) {
  const Mesh point = make_mesh(1, {});
  const std::vector<Vec3> bad = {{0, Limits::quiet_NaN(), 0}}, good = {Vec3::Zero()};
  const auto obj = folder / "a.obj", stl = folder / "a.stl";
  EXPECT_EQ(error_of([&] { write_mesh(obj, point, bad); }),
            obj.string() + ": vertex 0 (counted from 0) has NaN or infinity; write .ply");
  EXPECT_EQ(error_of([&] { write_mesh(stl, point, good); }),
            stl.string() + ": meshes are written as .ply or .obj");
  EXPECT_EQ(files(), 0u);
}

// Floats below the normal range, and text that lies between two numbers.
TEST_F(MeshFiles, AreReadTheSameInEveryFloatingPointMode1) {
  std::string float_ply =
      "ply\nformat binary_little_endian 1.0\nelement vertex 1\n"
      "property float x\nproperty float y\nproperty float z\nend_header\n";
  for (const float x : {1e-40f, -1e-45f, 0.1f})
    float_ply.append(reinterpret_cast<const char*>(&x), sizeof x);
  write_file(folder / "a.ply", float_ply);
  write_file(folder / "a.obj", "v 0.1 -0.3 4.9e-324\nv 1e22 1.7976931348623157e308 3e-310");
  const auto ply = read_mesh(folder / "a.ply"), obj = read_mesh(folder / "a.obj");
  EXPECT_EQ(ply.positions[0][0], double(1e-40f));
  EXPECT_EQ(obj.positions[0], Vec3(0.1, -0.3, 4.9e-324));
  for (const unsigned mode : {0x8040u, 0x2000u, 0x4000u, 0xe040u}) {  // FTZ+DAZ, down, up, all
    const unsigned saved = _mm_getcsr();
    _mm_setcsr(saved | mode);
    const auto ply_again = read_mesh(folder / "a.ply"), obj_again = read_mesh(folder / "a.obj");
    _mm_setcsr(saved);
    EXPECT_TRUE(same_bits(ply_again, ply.mesh, ply.positions)) << mode;
    EXPECT_TRUE(same_bits(obj_again, obj.mesh, obj.positions)) << mode;
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
            "face 0 (counted from 0) has other vertices than in the first frame");
  EXPECT_EQ(error_with(make_mesh(4, {{0, 1, 2}}), 4), "3 edges where the first frame has 4");
  EXPECT_EQ(error_with(make_mesh(4, {{0, 1, 2}}, std::vector{Edge{1, 3}}), 4),
            "edge 3 (counted from 0) has other vertices than in the first frame");
}

TEST_F(MeshFiles, OtherExtensionsAreAnError) {
  EXPECT_EQ(error_of([&] { read_mesh("a.txt"); }),
            "a.txt: mesh files end in .ply, .obj, .off or .stl");
  EXPECT_NE(error_of([&] { read_mesh(folder / "none.PLY"); }).find("No such file"),
            std::string::npos);
}

}  // namespace
}  // namespace graze::io::mesh_files_test
