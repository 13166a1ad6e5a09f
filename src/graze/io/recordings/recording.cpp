#include "graze/io/recording.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "graze/io/mesh_files.h"

namespace graze::io {
namespace {

// Colours, linear red, green and blue, that also differ in brightness.
constexpr std::array<std::array<float, 3>, 6> palette = {{{0.19f, 0.37f, 0.60f},
                                                          {0.80f, 0.46f, 0.17f},
                                                          {0.22f, 0.48f, 0.30f},
                                                          {0.56f, 0.25f, 0.38f},
                                                          {0.70f, 0.62f, 0.36f},
                                                          {0.36f, 0.34f, 0.60f}}};

std::string frame_name(std::size_t frame) {
  const std::string digits = std::to_string(frame);
  return std::string(digits.size() < 6 ? 6 - digits.size() : 0, '0') + digits + ".ply";
}

}  // namespace

RecordedBody recorded_body(std::string name, const Mesh& mesh, std::span<const Vec3> positions) {
  RecordedBody body;
  body.name = std::move(name);
  body.vertices.assign(positions.begin(), positions.end());
  body.faces = mesh.faces;
  for (const std::uint32_t rod : mesh.rods) body.edges.push_back(mesh.edges[rod]);
  body.points = mesh.points;
  return body;
}

std::uint32_t Recording::add_body(RecordedBody body) {
  assert(frames_.empty());
  if (body.faces.empty() && body.edges.empty() && body.points.empty()) {
    body.points.resize(body.vertices.size());
    std::iota(body.points.begin(), body.points.end(), 0u);
  }
  if (body.color == std::array<float, 3>{}) body.color = palette[bodies_.size() % palette.size()];
  resting_.poses.emplace_back();
  resting_.positions.push_back(std::make_shared<const std::vector<Vec3>>(body.vertices));
  bodies_.push_back(std::move(body));
  return static_cast<std::uint32_t>(bodies_.size() - 1);
}

void Recording::begin_frame(double time) {
  assert(time >= 0 && std::isfinite(time) && (frames_.empty() || time > frames_.back().time));
  Frame next = frames_.empty() ? resting_ : frames_.back();
  next.time = time;
  // The newest frame is always kept until the next frame begins.
  if (begun_ > 0 && (begun_ - 1) % stride_ != 0) frames_.pop_back();
  if (!whole && (frames_.size() >= most_frames || numbers_ > most_numbers)) thin();
  frames_.push_back(std::move(next));
  ++begun_;
}

void Recording::thin() {
  for (std::size_t frame = 2; frame < frames_.size(); frame += 2)
    frames_[frame / 2] = std::move(frames_[frame]);
  frames_.resize((frames_.size() + 1) / 2);
  stride_ *= 2;
  numbers_ /= 2;
}

void Recording::set_positions(std::uint32_t body, std::span<const Vec3> positions) {
  assert(!frames_.empty() && positions.size() == bodies_[body].vertices.size());
  const Shared& before = frames_.back().positions[body];
  if (std::equal(before->begin(), before->end(), positions.begin())) return;
  frames_.back().positions[body] =
      std::make_shared<const std::vector<Vec3>>(positions.begin(), positions.end());
  if ((begun_ - 1) % stride_ == 0) numbers_ += 3 * positions.size();
}

void Recording::set_pose(std::uint32_t body, const Pose& pose) {
  assert(!frames_.empty() && bodies_[body].rigid);
  frames_.back().poses[body] = pose;
}

void Recording::add_contact(RecordedContact contact) {
  assert(contact.body_a < bodies_.size() && contact.body_b < bodies_.size());
  contacts_.push_back(std::move(contact));
}

void write_frames(const std::filesystem::path& folder, const Recording& recording) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw FileError(folder.string(), error.message());
  std::vector<Face> faces;
  std::vector<Edge> rods;
  std::uint32_t first = 0;
  for (const RecordedBody& body : recording.bodies()) {
    for (const Face& face : body.faces)
      faces.push_back({first + face[0], first + face[1], first + face[2]});
    for (const Edge& edge : body.edges) rods.push_back({first + edge[0], first + edge[1]});
    first += static_cast<std::uint32_t>(body.vertices.size());
  }
  const Mesh mesh = make_mesh(first, std::move(faces), rods);
  std::vector<Vec3> all;
  for (std::size_t frame = 0; frame < recording.frames(); ++frame) {
    all.clear();
    for (std::uint32_t body = 0; body < recording.bodies().size(); ++body) {
      const std::vector<Vec3>& here = recording.positions(frame, body);
      if (recording.bodies()[body].rigid)
        for (const Vec3& vertex : here) all.push_back(recording.pose(frame, body) * vertex);
      else
        all.insert(all.end(), here.begin(), here.end());
    }
    write_mesh(folder / frame_name(frame), mesh, all);
  }
}

Recording read_frames(std::span<const std::filesystem::path> files, double seconds) {
  Recording recording;
  Mesh mesh;
  for (std::size_t frame = 0; frame < files.size(); ++frame) {
    MeshFrame read = read_mesh(files[frame]);
    if (frame == 0) {
      mesh = std::move(read.mesh);
      recording.add_body(recorded_body(files[0].stem().string(), mesh, read.positions));
    } else {
      require_same_mesh(files[0], mesh, files[frame], read.mesh);
    }
    recording.begin_frame(seconds * static_cast<double>(frame));
    recording.set_positions(0, read.positions);
  }
  return recording;
}

}  // namespace graze::io
