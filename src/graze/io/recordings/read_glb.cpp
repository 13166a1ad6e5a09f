#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "graze/io/excerpt.h"
#include "graze/io/mapped_file.h"
#include "graze/io/recording.h"

#ifdef GRAZE_GLTF
#include <tiny_gltf.h>
#endif

namespace graze::io {

#ifdef GRAZE_GLTF
namespace {

using tinygltf::Value;

// A recording refers to no other file; these callbacks refuse every access to one.
bool refuse_image(tinygltf::Image*, int, std::string*, std::string*, int, int, const unsigned char*,
                  int, void*) {
  return false;
}

// Returns all callbacks that this version of tinygltf has. It accepts all of them or none.
template <class Callbacks>
Callbacks refuse_files() {
  Callbacks files{};
  files.FileExists = [](const std::string&, void*) { return false; };
  files.ExpandFilePath = [](const std::string&, void*) { return std::string(); };
  files.ReadWholeFile = [](std::vector<unsigned char>*, std::string*, const std::string&, void*) {
    return false;
  };
  files.WriteWholeFile = [](std::string*, const std::string&, const std::vector<unsigned char>&,
                            void*) { return false; };
  if constexpr (requires { files.GetFileSizeInBytes; })
    files.GetFileSizeInBytes = [](std::size_t*, std::string*, const std::string&, void*) {
      return false;
    };
  return files;
}

// Returns a member of a JSON value; null if the value is no object or array, or has no such member.
Value get(const Value& value, const char* key) {
  return value.IsObject() ? value.Get(key) : Value();
}
Value get(const Value& value, std::size_t index) {
  return value.IsArray() && index < value.ArrayLen() ? value.Get(static_cast<int>(index)) : Value();
}

class Reader {
 public:
  Reader(std::string_view bytes, std::string_view name) : name_(name) {
    if (bytes.size() > std::numeric_limits<std::uint32_t>::max()) fail("is larger than 4 GiB");
    tinygltf::TinyGLTF loader;
    loader.SetImageLoader(refuse_image, nullptr);
    loader.SetFsCallbacks(refuse_files<tinygltf::FsCallbacks>());
    std::string error, warning;
    bool whole = false;
    try {
      whole = loader.LoadBinaryFromMemory(
          &model_, &error, &warning, reinterpret_cast<const unsigned char*>(bytes.data()),
          static_cast<unsigned>(bytes.size()), "", tinygltf::REQUIRE_VERSION);
    } catch (const std::exception& thrown) {
      error = thrown.what();
    }
    if (!whole) fail("is not a binary glTF file: " + excerpt(error));
    const auto found = model_.extensions.find("GRAZE_contacts");
    if (found == model_.extensions.end()) fail("is not a recording: no extension GRAZE_contacts");
    root_ = found->second;
  }

  Recording read() {
    Recording recording;
    recording.title = text(get(root_, "title"));
    recording.time_unit = text(get(root_, "timeUnit"));
    const Value z_up = get(root_, "zUp");
    recording.z_up = z_up.IsBool() && z_up.Get<bool>();
    const Value facts = get(root_, "facts");
    for (std::size_t i = 0; i < facts.ArrayLen(); ++i)
      recording.facts.emplace_back(text(get(get(facts, i), std::size_t{0})),
                                   text(get(get(facts, i), std::size_t{1})));
    for (int k = 0; k < 3; ++k)
      origin_[k] = get(get(root_, "origin"), std::size_t(k)).GetNumberAsDouble();
    scale_ = get(root_, "scale").GetNumberAsDouble();
    if (!origin_.allFinite() || !(scale_ > 0 && std::isfinite(scale_)))
      fail("has no origin and scale");
    if (get(root_, "frames").IsNumber()) times_ = view<double>(named_view("frames"));
    for (std::size_t i = 0; i < times_.size(); ++i)
      if (!(times_[i] >= (i == 0 ? 0 : std::nextafter(times_[i - 1], 1e308)) &&
            std::isfinite(times_[i])))
        fail("times of frames do not increase");
    if (model_.nodes.empty()) fail("has no root");
    const std::vector<int>& children = model_.nodes[0].children;
    for (const int child : children) recording.add_body(body(node(child)));
    for (std::size_t frame = 0; frame < times_.size(); ++frame) {
      recording.begin_frame(times_[frame]);
      for (std::uint32_t b = 0; b < children.size(); ++b) set(recording, frame, b);
    }
    read_contacts(recording);
    return recording;
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const { throw FileError(name_, reason); }

  static std::string text(const Value& value) {
    return value.IsString() ? value.Get<std::string>() : std::string();
  }

  template <class T>
  static const T& at(const std::vector<T>& values, int index, const Reader& reader,
                     const char* what) {
    if (index < 0 || std::size_t(index) >= values.size())
      reader.fail(std::string("names ") + what + " " + std::to_string(index) +
                  ", which is not there");
    return values[std::size_t(index)];
  }
  const tinygltf::Node& node(int index) const { return at(model_.nodes, index, *this, "node"); }

  // Returns `length` bytes of a view, starting at `offset`.
  const unsigned char* bytes(int index, std::size_t offset, std::size_t length) const {
    const auto& view = at(model_.bufferViews, index, *this, "buffer view");
    const auto& data = at(model_.buffers, view.buffer, *this, "buffer").data;
    if (view.byteOffset > data.size() || view.byteLength > data.size() - view.byteOffset ||
        offset > view.byteLength || length > view.byteLength - offset)
      fail("buffer view " + std::to_string(index) + " leaves its buffer");
    return data.data() + view.byteOffset + offset;
  }

  int named_view(const char* key) const {
    const double index = get(root_, key).GetNumberAsDouble();
    return index >= 0 && index < static_cast<double>(model_.bufferViews.size())
               ? static_cast<int>(index)
               : -1;
  }

  template <class T>
  std::vector<T> view(int index) const {
    const std::size_t length = at(model_.bufferViews, index, *this, "buffer view").byteLength;
    std::vector<T> values(length / sizeof(T));
    if (!values.empty())
      std::memcpy(values.data(), bytes(index, 0, length), values.size() * sizeof(T));
    return values;
  }

  // Returns the data of an accessor of exactly this type, tightly packed.
  template <class T>
  std::vector<T> accessor(int index, int component, int type) const {
    const auto& accessor = at(model_.accessors, index, *this, "accessor");
    if (accessor.componentType != component || accessor.type != type || accessor.sparse.isSparse)
      fail("accessor " + std::to_string(index) + " has a type that recordings do not use");
    const auto& view = at(model_.bufferViews, accessor.bufferView, *this, "buffer view");
    if (view.byteStride != 0 && view.byteStride != sizeof(T))
      fail("accessor " + std::to_string(index) + " is not tightly packed");
    if (accessor.count > view.byteLength / sizeof(T))
      fail("accessor " + std::to_string(index) + " leaves its view");
    const unsigned char* data =
        bytes(accessor.bufferView, accessor.byteOffset, accessor.count * sizeof(T));
    std::vector<T> values(accessor.count);
    if (!values.empty()) std::memcpy(values.data(), data, values.size() * sizeof(T));
    return values;
  }

  using Float3 = std::array<float, 3>;
  std::vector<Float3> vectors(int index) const {
    return accessor<Float3>(index, TINYGLTF_COMPONENT_TYPE_FLOAT, TINYGLTF_TYPE_VEC3);
  }

  std::vector<std::uint32_t> indices(int index, std::size_t vertices) const {
    std::vector<std::uint32_t> values;
    if (at(model_.accessors, index, *this, "accessor").componentType ==
        TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT) {
      const auto narrow = accessor<std::uint16_t>(index, TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT,
                                                  TINYGLTF_TYPE_SCALAR);
      values.assign(narrow.begin(), narrow.end());
    } else {
      values = accessor<std::uint32_t>(index, TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT,
                                       TINYGLTF_TYPE_SCALAR);
    }
    for (const std::uint32_t vertex : values)
      if (vertex >= vertices)
        fail("an index names vertex " + std::to_string(vertex) + ", which does not exist");
    return values;
  }

  Vec3 outside(const Float3& x, bool rigid) const {
    const Vec3 place = scale_ * Vec3(x[0], x[1], x[2]);
    return rigid ? place : Vec3(place + origin_);
  }

  // A body and the data of its frames.
  struct Track {
    std::vector<std::vector<Float3>> states;  // of a deforming body; the first is the mesh
    std::vector<std::uint8_t> weights;
    std::vector<Float3> translations;
    std::vector<std::array<float, 4>> rotations;
  };

  template <std::size_t N>
  static std::vector<std::array<std::uint32_t, N>> tuples(const std::vector<std::uint32_t>& flat) {
    std::vector<std::array<std::uint32_t, N>> result(flat.size() / N);
    for (std::size_t i = 0; i < result.size() * N; ++i) result[i / N][i % N] = flat[i];
    return result;
  }

  RecordedBody body(const tinygltf::Node& node) {
    RecordedBody body;
    Track track;
    body.name = node.name;
    const Value rigid = get(node.extras, "graze_rigid");
    body.rigid = rigid.IsBool() && rigid.Get<bool>();
    body.radius = scale_ * get(node.extras, "graze_radius").GetNumberAsDouble();
    if (node.mesh >= 0) {
      const auto& primitives = at(model_.meshes, node.mesh, *this, "mesh").primitives;
      for (const auto& primitive : primitives) {
        if (track.states.empty()) read_states(primitive, track);
        const auto flat = indices(primitive.indices, track.states[0].size());
        if (primitive.mode == TINYGLTF_MODE_TRIANGLES) body.faces = tuples<3>(flat);
        if (primitive.mode == TINYGLTF_MODE_LINE) body.edges = tuples<2>(flat);
        if (primitive.mode == TINYGLTF_MODE_POINTS) body.points = flat;
        if (primitive.material >= 0) {
          const auto& color = at(model_.materials, primitive.material, *this, "material")
                                  .pbrMetallicRoughness.baseColorFactor;
          for (std::size_t k = 0; k < std::min<std::size_t>(3, color.size()); ++k)
            body.color[k] = static_cast<float>(color[k]);
        }
      }
      if (!track.states.empty())
        for (const Float3& x : track.states[0]) body.vertices.push_back(outside(x, body.rigid));
    }
    if (body.rigid) {
      if (node.translation.size() != 3 || node.rotation.size() != 4)
        fail("a rigid body has no pose");
      const auto number = [](double x) { return static_cast<float>(x); };
      const auto &t = node.translation, &q = node.rotation;
      track.translations = {{number(t[0]), number(t[1]), number(t[2])}};
      track.rotations = {{number(q[0]), number(q[1]), number(q[2]), number(q[3])}};
    }
    const int index = static_cast<int>(&node - model_.nodes.data());
    for (const auto& animation : model_.animations)
      for (const auto& channel : animation.channels)
        if (channel.target_node == index)
          read_channel(channel.target_path,
                       at(animation.samplers, channel.sampler, *this, "sampler").output, track);
    tracks_.push_back(std::move(track));
    return body;
  }

  void read_states(const tinygltf::Primitive& primitive, Track& track) {
    const auto position = [&](const std::map<std::string, int>& attributes) {
      const auto found = attributes.find("POSITION");
      return vectors(found == attributes.end() ? -1 : found->second);
    };
    track.states.push_back(position(primitive.attributes));
    for (const auto& target : primitive.targets) {
      track.states.push_back(position(target));
      if (track.states.back().size() != track.states[0].size())
        fail("a morph target has another number of vertices");
    }
  }

  void read_channel(const std::string& path, int output, Track& track) {
    std::size_t rows = 0;
    if (path == "weights") {
      track.weights = accessor<std::uint8_t>(output, TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE,
                                             TINYGLTF_TYPE_SCALAR);
      rows = track.states.size() < 2 ? 0 : track.weights.size() / (track.states.size() - 1);
    } else if (path == "translation") {
      track.translations = vectors(output);
      rows = track.translations.size();
    } else if (path == "rotation") {
      track.rotations =
          accessor<std::array<float, 4>>(output, TINYGLTF_COMPONENT_TYPE_FLOAT, TINYGLTF_TYPE_VEC4);
      rows = track.rotations.size();
    }
    if (rows != times_.size()) fail("an animation has another number of frames");
  }

  void set(Recording& recording, std::size_t frame, std::uint32_t b) const {
    const Track& track = tracks_[b];
    if (recording.bodies()[b].rigid) {
      const auto& t = track.translations[std::min(frame, track.translations.size() - 1)];
      const auto& q = track.rotations[std::min(frame, track.rotations.size() - 1)];
      recording.set_pose(b, Pose::from_quaternion(q[3], q[0], q[1], q[2], outside(t, false)));
      return;
    }
    if (track.weights.empty()) return;
    const std::size_t targets = track.states.size() - 1;
    const auto row = track.weights.begin() + std::ptrdiff_t(frame * targets);
    const auto chosen = std::find(row, row + std::ptrdiff_t(targets), std::uint8_t{255});
    std::vector<Vec3> positions;
    for (std::size_t i = 0; i < track.states[0].size(); ++i) {
      Float3 x = track.states[0][i];
      if (chosen != row + std::ptrdiff_t(targets))
        for (std::size_t k = 0; k < 3; ++k)
          x[k] += track.states[std::size_t(chosen - row) + 1][i][k];
      positions.push_back(outside(x, false));
    }
    recording.set_positions(b, positions);
  }

  void read_contacts(Recording& recording) const {
    if (!get(root_, "times").IsNumber()) return;
    const auto times = view<double>(named_view("times"));
    const auto points = view<Float3>(named_view("points"));
    const auto normals = view<Float3>(named_view("normals"));
    const auto features = view<std::uint32_t>(named_view("features"));
    if (points.size() != times.size() || normals.size() != times.size())
      fail("contacts lack points or normals");
    std::size_t next = 0;
    const auto take = [&] {
      if (next >= features.size()) fail("the list of contact features ends early");
      return features[next++];
    };
    for (std::size_t i = 0; i < times.size(); ++i) {
      RecordedContact contact;
      contact.time = times[i];
      contact.point = outside(points[i], false);
      contact.normal = Vec3(normals[i][0], normals[i][1], normals[i][2]);
      contact.kind = text(get(get(root_, "kinds"), take()));
      contact.body_a = take();
      contact.body_b = take();
      contact.name_a = take();
      contact.name_b = take();
      const std::array counts = {take(), take()};
      if (std::max(contact.body_a, contact.body_b) >= recording.bodies().size())
        fail("a contact names a body that does not exist");
      for (const bool second : {false, true}) {
        const auto vertices =
            recording.bodies()[second ? contact.body_b : contact.body_a].vertices.size();
        for (std::uint32_t k = 0; k < counts[second]; ++k) {
          const std::uint32_t vertex = take();
          if (vertex >= vertices) fail("a contact names a vertex that does not exist");
          (second ? contact.vertices_b : contact.vertices_a).push_back(vertex);
        }
      }
      recording.add_contact(std::move(contact));
    }
  }

  const std::string_view name_;
  tinygltf::Model model_;
  Value root_;
  Vec3 origin_ = Vec3::Zero();
  double scale_ = 1;
  std::vector<double> times_;
  std::vector<Track> tracks_;
};

}  // namespace

Recording parse_glb(std::string_view bytes, std::string_view name) {
  return Reader(bytes, name).read();
}

#else

Recording parse_glb(std::string_view, std::string_view name) {
  throw FileError(name, "recordings need a build with libtinygltf-dev (GRAZE_GLTF)");
}

#endif

Recording read_glb(const std::filesystem::path& path) {
  const MappedFile file(path);
  return parse_glb(file.bytes(), path.string());
}

}  // namespace graze::io
