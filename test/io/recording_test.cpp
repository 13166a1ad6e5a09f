#include "graze/io/recording.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "graze/generate/models.h"
#include "graze/generate/random.h"
#include "graze/io/atomic_file.h"
#include "graze/io/mesh_files.h"
#include "test/support/scratch_folder.h"

namespace graze::io::recording_test {
namespace {

class RecordTest : public test::ScratchFolder {
 protected:
  void SetUp() override {
    if (!has_glb()) GTEST_SKIP() << "this build has no tinygltf";
  }
};

// Returns a net that falls, a rigid tetrahedron that turns, a wall at rest, and two contacts.
Recording sample(double scale = 1, const Vec3& origin = Vec3::Zero()) {
  Recording recording;
  recording.title = "sample \xff \xc3\xa4";
  recording.time_unit = "of the step";
  recording.z_up = true;
  recording.facts = {{"pairs", "12"}};
  RecordedBody net;
  net.name = "net";
  for (const Vec3& x : {Vec3(0, 0, 1), Vec3(1, 0, 1), Vec3(1, 1, 1), Vec3(0, 1, 1), Vec3(3, 3, 3)})
    net.vertices.push_back(origin + scale * x);
  net.faces = {{0, 1, 2}};
  net.edges = {{2, 3}, {0, 3}};
  net.points = {4};
  net.radius = 0.25 * scale;
  const generate::SurfaceModel shape = generate::scaled(generate::tetrahedron(), scale);
  RecordedBody stone{"stone", shape.vertices, shape.faces, {}, {}, {0.5f, 0.25f, 0.125f}, true};
  RecordedBody wall{"wall", {origin, origin + Vec3(0, scale, 0)}, {}, {{0, 1}}, {}, {}, false};
  recording.add_body(net);
  recording.add_body(stone);
  recording.add_body(wall);
  for (int frame = 0; frame < 5; ++frame) {
    recording.begin_frame(0.1 * frame);
    if (frame != 3)
      for (Vec3& x : net.vertices) x[2] -= 0.25 * scale;
    recording.set_positions(0, net.vertices);
    recording.set_pose(
        1, Pose::from_axis_angle({0, 0, 1}, 2.0 * frame, origin + Vec3(scale * frame, 0, 0)));
  }
  recording.add_contact(
      {0.30000000000000004, origin, {0, 0, 2}, "vertex-face", 1, 0, {3}, {0, 1, 2}, 7, 8});
  recording.add_contact(
      {0.1, origin + Vec3(0, scale, 0), {NAN, 0, 0}, "edge-edge", 0, 2, {2, 3}, {0, 1}});
  return recording;
}

void expect_near(const Vec3& a, const Vec3& b, double tol) {
  EXPECT_LE((a - b).cwiseAbs().maxCoeff(), tol) << a.transpose() << " and " << b.transpose();
}

TEST_F(RecordTest, AWrittenRecordingIsReadBack) {
  const Recording written = sample();
  write_glb(folder / "a.glb", written);
  const Recording read = read_glb(folder / "a.glb");
  EXPECT_EQ(read.title, "sample ? \xc3\xa4");
  EXPECT_EQ(read.time_unit, written.time_unit);
  EXPECT_EQ(read.facts, written.facts);
  EXPECT_TRUE(read.z_up);
  ASSERT_EQ(read.bodies().size(), 3u);
  for (std::uint32_t b = 0; b < 3; ++b) {
    const RecordedBody &was = written.bodies()[b], &is = read.bodies()[b];
    EXPECT_EQ(is.name, was.name);
    EXPECT_EQ(is.faces, was.faces);
    EXPECT_EQ(is.edges, was.edges);
    EXPECT_EQ(is.points, was.points);
    EXPECT_EQ(is.color, was.color);
    EXPECT_EQ(is.rigid, was.rigid);
    EXPECT_EQ(is.radius, was.radius);
  }
  ASSERT_EQ(read.frames(), 5u);
  for (std::size_t frame = 0; frame < 5; ++frame) {
    EXPECT_EQ(read.time(frame), written.time(frame));
    for (std::size_t i = 0; i < 5; ++i)
      EXPECT_EQ(read.positions(frame, 0)[i], written.positions(frame, 0)[i]);
    for (const Vec3& x : written.bodies()[1].vertices)
      expect_near(read.pose(frame, 1) * x, written.pose(frame, 1) * x, 1e-6);
    EXPECT_EQ(read.positions(frame, 2), written.positions(frame, 2));
  }
  EXPECT_EQ(&read.positions(2, 0), &read.positions(3, 0)) << "resting frames share positions";
  EXPECT_NE(&read.positions(1, 0), &read.positions(2, 0));
}

TEST_F(RecordTest, Promise2ContactsKeepAllBitsOfTheirTimesAndAreSorted) {
  const Recording read = parse_glb(glb_bytes(sample()), "a.glb");
  ASSERT_EQ(read.contacts().size(), 2u);
  const RecordedContact &first = read.contacts()[0], &second = read.contacts()[1];
  EXPECT_EQ(first.time, 0.1);
  EXPECT_EQ(second.time, 0.30000000000000004);
  EXPECT_EQ(first.kind, "edge-edge");
  EXPECT_EQ(second.kind, "vertex-face");
  EXPECT_EQ(first.normal, Vec3::Zero());
  EXPECT_EQ(second.normal, Vec3(0, 0, 1));
  EXPECT_EQ(second.body_a, 1u);
  EXPECT_EQ(second.body_b, 0u);
  EXPECT_EQ(second.name_a, 7u);
  EXPECT_EQ(second.name_b, 8u);
  EXPECT_EQ(first.name_a, RecordedContact::unnamed);
  EXPECT_EQ(second.vertices_a, (std::vector<std::uint32_t>{3}));
  EXPECT_EQ(second.vertices_b, (std::vector<std::uint32_t>{0, 1, 2}));
}

TEST_F(RecordTest, Promise1PositionAndSizeOfASceneCostNoBits) {
  for (const double scale : {1e-300, 1e-12, 1.0, 1e9, 1e300})
    for (const double offset : {0.0, 1e7}) {
      const Vec3 origin = Vec3::Constant(offset * scale);
      const Recording written = sample(scale, origin), read = parse_glb(glb_bytes(written), "a");
      for (std::size_t frame = 0; frame < 5; ++frame) {
        for (std::size_t i = 0; i < 5; ++i)
          expect_near(read.positions(frame, 0)[i], written.positions(frame, 0)[i], 1e-6 * scale);
        expect_near(read.pose(frame, 1).translation, written.pose(frame, 1).translation,
                    1e-6 * scale);
      }
    }
}

TEST_F(RecordTest, Promise3ABodyThatIsNotFiniteIsNamedAndNoFileIsLeft) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Recording recording;
    recording.add_body({"cloth", {{0, 0, 0}, {1, bad, 0}}, {}, {{0, 1}}, {}, {}, false});
    try {
      write_glb(folder / "a.glb", recording);
      FAIL();
    } catch (const FileError& error) {
      EXPECT_NE(std::string(error.what()).find("'cloth'"), std::string::npos) << error.what();
    }
    EXPECT_EQ(files(), 0u);
  }
}

TEST_F(RecordTest, EmptyAndTinyRecordingsAreValid) {
  EXPECT_EQ(parse_glb(glb_bytes({}), "a").bodies().size(), 0u);
  Recording one;
  one.add_body({"dust", {{1, 2, 3}}, {}, {}, {}, {}, false});
  one.add_body({"void", {}, {}, {}, {}, {}, true});
  const Recording still = parse_glb(glb_bytes(one), "a");
  EXPECT_EQ(still.frames(), 0u);
  EXPECT_EQ(still.bodies()[0].points, (std::vector<std::uint32_t>{0}));
  one.begin_frame(0);
  EXPECT_EQ(parse_glb(glb_bytes(one), "a").frames(), 1u);
}

TEST_F(RecordTest, LongRecordingsAreThinnedAndKeepTheFirstAndTheLastFrame) {
  Recording recording;
  recording.add_body({"dust", {{0, 0, 0}}, {}, {}, {}, {}, false});
  for (int frame = 0; frame < 5000; ++frame) {
    recording.begin_frame(frame);
    recording.set_positions(0, std::vector{Vec3(frame, 0, 0)});
    ASSERT_EQ(recording.time(recording.frames() - 1), frame);
    ASSERT_LE(recording.frames(), Recording::most_frames);
  }
  EXPECT_GT(recording.frames(), Recording::most_frames / 2);
  EXPECT_EQ(recording.time(0), 0);
  for (std::size_t frame = 0; frame < recording.frames(); ++frame)
    EXPECT_EQ(recording.positions(frame, 0)[0][0], recording.time(frame));
}

TEST_F(RecordTest, EveryTruncatedOrDamagedFileIsReadOrRefusedCleanly) {
  const std::string bytes = glb_bytes(sample());
  generate::Random random("record", 0, 7, 0);
  std::size_t refused = 0;
  const auto attempt = [&](const std::string& text) {
    try {
      parse_glb(text, "a.glb");
    } catch (const FileError& error) {
      EXPECT_EQ(std::string(error.what()).rfind("a.glb: ", 0), 0u) << error.what();
      ++refused;
    }
  };
  for (std::size_t cut = 0; cut < bytes.size(); cut += 1 + cut / 50) attempt(bytes.substr(0, cut));
  EXPECT_GT(refused, 100u);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(i % 2 == 0 ? random.below(256) : '9');
    attempt(damaged);
  }
  attempt("");
  attempt("glTF");
}

TEST_F(RecordTest, AFileThatRefersToAnotherFileIsRefused) {
  const std::string other = (folder / "other.bin").string();
  write_file(other, "1234");
  std::string json =
      R"({"asset":{"version":"2.0"},"buffers":[{"byteLength":4,"uri":")" + other + "\"}]}";
  json.resize((json.size() + 3) / 4 * 4, ' ');
  std::string bytes = "glTF";
  const auto add = [&](std::size_t number) {
    for (int byte = 0; byte < 4; ++byte) bytes += static_cast<char>(number >> 8 * byte & 255);
  };
  add(2);
  add(20 + json.size());
  add(json.size());
  bytes += "JSON" + json;
  try {
    parse_glb(bytes, "a.glb");
    ADD_FAILURE() << "was read";
  } catch (const FileError& error) {
    EXPECT_NE(std::string(error.what()).find("is not a binary glTF file"), std::string::npos)
        << error.what();
  }
}

TEST_F(RecordTest, AGltfFileOfAnotherProgramIsRefused) {
  std::string bytes = glb_bytes(sample());
  for (std::size_t at = bytes.find("GRAZE_contacts"); at != std::string::npos;
       at = bytes.find("GRAZE_contacts"))
    bytes[at] = 'X';
  try {
    parse_glb(bytes, "a.glb");
    FAIL();
  } catch (const FileError& error) {
    EXPECT_STREQ(error.what(), "a.glb: is not a recording: no extension GRAZE_contacts");
  }
}

TEST_F(RecordTest, FramesAreWrittenAsMeshesAndReadBack) {
  const Recording recording = sample();
  write_frames(folder / "frames", recording);
  std::vector<std::filesystem::path> names;
  for (int frame = 0; frame < 5; ++frame)
    names.push_back(folder / "frames" / ("00000" + std::to_string(frame) + ".ply"));
  const Recording read = read_frames(names, 0.5);
  ASSERT_EQ(read.frames(), 5u);
  EXPECT_EQ(read.time(4), 2);
  const RecordedBody& all = read.bodies()[0];
  EXPECT_EQ(all.faces.size(), 1 + recording.bodies()[1].faces.size());
  EXPECT_EQ(all.edges.size(), 3u);
  EXPECT_EQ(all.points.size(), 1u);
  const std::vector<Vec3>& last = read.positions(4, 0);
  EXPECT_EQ(last[4], recording.positions(4, 0)[4]);
  EXPECT_EQ(last[5], recording.pose(4, 1) * recording.bodies()[1].vertices[0]);
}

}  // namespace
}  // namespace graze::io::recording_test
