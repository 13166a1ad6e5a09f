#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graze/core/mesh.h"
#include "graze/core/pose.h"
#include "graze/io/file_error.h"

namespace graze::io {

// What moves. Indices are those of its own vertices.
struct RecordedBody {
  std::string name;
  std::vector<Vec3> vertices;  // at rest (rigid) or of the first frame
  std::vector<Face> faces;
  std::vector<Edge> edges;            // rods and cables: what no face draws
  std::vector<std::uint32_t> points;  // free points; all vertices where nothing else is given
  std::array<float, 3> color{};       // linear red, green, blue; black: one is chosen
  bool rigid = false;                 // frames give poses; else positions of all vertices
  double radius = 0;                  // of edges and points; 0: as thin as can be seen
};

// A body of all that a mesh has, deforming.
RecordedBody recorded_body(std::string name, const Mesh& mesh, std::span<const Vec3> positions);

// Two features that meet, each told by its vertices in its body.
struct RecordedContact {
  double time = 0;
  Vec3 point = Vec3::Zero(), normal = Vec3::Zero();  // normal 0 or NaN: not known
  std::string kind;                                  // "vertex-face", ...
  std::uint32_t body_a = 0, body_b = 0;
  std::vector<std::uint32_t> vertices_a, vertices_b;
  static constexpr std::uint32_t unnamed = 0xffffffff;
  std::uint32_t name_a = unnamed, name_b = unnamed;  // the numbers by which a user knows them
};

// Anything that moves: bodies, then frames in the order of time, then contacts in any order. A body
// that is not set in a frame stays as it was in the frame before. Too many frames for one file
// (more than `most_frames`, or coordinates than `most_numbers`) are thinned: every second one is
// dropped and from then on only every second one kept; the first and the last always stay, and so
// does every contact.
class Recording {
 public:
  static constexpr std::size_t most_frames = 1500, most_numbers = std::size_t{1} << 25;

  bool whole = false;
  bool z_up = false;                                       // else y is up, as in glTF
  std::string title, time_unit = "s";                      // shown with the recording
  std::vector<std::pair<std::string, std::string>> facts;  // name and value, shown too

  std::uint32_t add_body(RecordedBody body);  // before the first frame
  void begin_frame(double time);              // at least 0, finite, after the last
  void set_positions(std::uint32_t body, std::span<const Vec3> positions);
  void set_pose(std::uint32_t body, const Pose& pose);
  void add_contact(RecordedContact contact);

  const std::vector<RecordedBody>& bodies() const { return bodies_; }
  const std::vector<RecordedContact>& contacts() const { return contacts_; }
  std::size_t frames() const { return frames_.size(); }
  double time(std::size_t frame) const { return frames_[frame].time; }
  const Pose& pose(std::size_t frame, std::uint32_t body) const {
    return frames_[frame].poses[body];
  }
  const std::vector<Vec3>& positions(std::size_t frame, std::uint32_t body) const {
    return *frames_[frame].positions[body];
  }

 private:
  // Positions are shared by the frames in which a body rests.
  using Shared = std::shared_ptr<const std::vector<Vec3>>;
  struct Frame {
    double time = 0;
    std::vector<Pose> poses;
    std::vector<Shared> positions;
  };
  void thin();

  std::vector<RecordedBody> bodies_;
  std::vector<RecordedContact> contacts_;
  std::vector<Frame> frames_;
  Frame resting_;  // where bodies are before the first frame
  std::size_t stride_ = 1, begun_ = 0, numbers_ = 0;
};

// Is this a build that knows glTF (GRAZE_GLTF)? Without it the three functions below throw
// FileError that says so.
bool has_glb();

// glTF 2.0 binary. Bodies are nodes below one root; a rigid body's node is animated, a deforming
// body has one morph target for each of its states and animated weights, so that linear
// interpolation between frames is what any viewer shows. Contacts, exact times and all that glTF
// has no place for are in the extension GRAZE_contacts, which others ignore; docs/viewer.md has its
// layout.
//   (1) Coordinates are 32 bits of the place in the recording: where that is far from the origin or
//       very large or small, the root moves and scales, and the bits are those of the picture.
//   (2) Times of contacts and frames keep all bits.
//   (3) NaN and infinity in a body throw FileError that names it; no file is left behind.
std::string glb_bytes(const Recording& recording, std::string_view name = "recording");
void write_glb(const std::filesystem::path& path, const Recording& recording);

// Reads what write_glb wrote. Anything else, whole or damaged, throws FileError; memory stays in
// proportion to the size of the file.
Recording parse_glb(std::string_view bytes, std::string_view name);
Recording read_glb(const std::filesystem::path& path);

// Frames as meshes, FOLDER/000000.ply and on: all bodies in one mesh, in their order. Makes the
// folder where there is none.
void write_frames(const std::filesystem::path& folder, const Recording& recording);

// The frames of one mesh, in the order given, `seconds` apart.
Recording read_frames(std::span<const std::filesystem::path> files, double seconds);

}  // namespace graze::io
