#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graze/io/file_error.h"
#include "graze/mesh.h"
#include "graze/pose.h"

namespace graze::io {

// A moving body. Indices refer to its own vertices.
struct RecordedBody {
  std::string name;                   // shown by the viewer
  std::vector<Vec3> vertices;         // at the identity pose (rigid), or of the first frame
  std::vector<Face> faces;            // drawn from both sides
  std::vector<Edge> edges;            // rods and cables: edges of no face
  std::vector<std::uint32_t> points;  // free points; all vertices if there are no faces and edges
  std::array<float, 3> color{};       // linear red, green, blue; black: a colour is chosen
  bool rigid = false;                 // frames give poses; otherwise positions of all vertices
  double radius = 0;                  // length: of edges and points; 0: as thin as can be drawn
};

// Returns a deforming body with all faces, rods and points of a mesh.
RecordedBody recorded_body(std::string name, const Mesh& mesh, std::span<const Vec3> positions);

// Two features that touch, each given by its vertices in its body.
struct RecordedContact {
  double time = 0;                                      // in the unit of the recording
  Vec3 point = Vec3::Zero(), normal = Vec3::Zero();     // normal 0 or NaN: not known
  std::string kind;                                     // "vertex-face", ...
  std::uint32_t body_a = 0, body_b = 0;                 // indices of bodies
  std::vector<std::uint32_t> vertices_a, vertices_b;    // 1 to 3 vertices: a vertex, edge or face
  static constexpr std::uint32_t unnamed = 0xffffffff;  // no id
  std::uint32_t name_a = unnamed, name_b = unnamed;     // the ids of the features in other outputs
};

// A recorded motion: bodies first, then frames in order of time, then contacts in any order. A body
// that is not set in a frame keeps its state of the previous frame. Unless `whole` is set, a
// recording of more than `most_frames` frames or `most_numbers` coordinates is thinned: every
// second frame is dropped, and from then on only every second frame is kept. The first frame, the
// last frame and all contacts are always kept. Calls in another order assert.
class Recording {
 public:
  static constexpr std::size_t most_frames = 1500, most_numbers = std::size_t{1} << 25;

  bool whole = false;                                      // keep every frame
  bool z_up = false;                                       // otherwise y is up, as in glTF
  std::string title, time_unit = "s";                      // shown with the recording
  std::vector<std::pair<std::string, std::string>> facts;  // names and values, shown likewise

  std::uint32_t add_body(RecordedBody body);  // before the first frame; returns its index
  void begin_frame(double time);              // finite, >= 0, after the previous frame
  // Sets all vertices of a deforming body in the frame that was begun last.
  void set_positions(std::uint32_t body, std::span<const Vec3> positions);
  void set_pose(std::uint32_t body, const Pose& pose);  // of a rigid body
  void add_contact(RecordedContact contact);            // after the last frame

  const std::vector<RecordedBody>& bodies() const { return bodies_; }
  const std::vector<RecordedContact>& contacts() const { return contacts_; }
  // The number of frames that are kept.
  std::size_t frames() const { return frames_.size(); }
  // The time of a frame.
  double time(std::size_t frame) const { return frames_[frame].time; }
  // The pose of a rigid body in a frame.
  const Pose& pose(std::size_t frame, std::uint32_t body) const {
    return frames_[frame].poses[body];
  }
  // The vertices of a deforming body in a frame.
  const std::vector<Vec3>& positions(std::size_t frame, std::uint32_t body) const {
    return *frames_[frame].positions[body];
  }

 private:
  // Consecutive frames share the positions of a body that does not move.
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
  Frame resting_;  // the state of the bodies before the first frame
  std::size_t stride_ = 1, begun_ = 0, numbers_ = 0;
};

// Returns whether this build reads and writes glTF (GRAZE_GLTF). If not, the four functions below
// throw FileError with that reason.
bool has_glb();

// Returns a recording as binary glTF 2.0. Bodies are nodes below one root. The node of a rigid body
// is animated; a deforming body has one morph target per state and animated weights, so that every
// viewer shows linear interpolation between frames. Contacts, exact times and everything else that
// glTF has no place for are in the extension GRAZE_contacts, which other programs ignore;
// docs/viewer.md has its layout.
//   (1) Coordinates are stored in 32 bits relative to the recording: far from the origin, or for
//       very large or small scenes, the root node translates and scales.
//   (2) Times of contacts and frames keep all bits.
//   (3) NaN or infinity in a body throws FileError, which names the body; no file is left behind.
std::string glb_bytes(const Recording& recording, std::string_view name = "recording");
// Writes glb_bytes() to a file.
void write_glb(const std::filesystem::path& path, const Recording& recording);

// Reads a file of write_glb(). Any other or damaged file throws FileError. Memory is proportional
// to the size of the file. `name` stands for the file in messages.
Recording parse_glb(std::string_view bytes, std::string_view name);
// Reads a file of write_glb(); see parse_glb().
Recording read_glb(const std::filesystem::path& path);

// Writes the frames as meshes, FOLDER/000000.ply and so on, each with all bodies in their order.
// Creates the folder. Throws FileError.
void write_frames(const std::filesystem::path& folder, const Recording& recording);

// Reads mesh files as frames of one mesh, in the order given, `seconds` apart. Throws FileError.
Recording read_frames(std::span<const std::filesystem::path> files, double seconds);

}  // namespace graze::io
