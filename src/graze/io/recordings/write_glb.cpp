#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <sstream>

#include "graze/io/atomic_file.h"
#include "graze/io/excerpt.h"
#include "graze/io/recording.h"

#ifdef GRAZE_GLTF
#include <tiny_gltf.h>

namespace graze::io {
namespace {

using tinygltf::Value;

// Returns the text with every byte that is not valid UTF-8 replaced by "?". JSON requires UTF-8,
// but file names may have other bytes.
std::string utf8(const std::string& text) {
  std::string clean;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t at) {
      return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u;
    };
    const unsigned lead = byte(i);
    const std::size_t length = lead < 0x80                   ? 1
                               : lead >= 0xc2 && lead < 0xe0 ? 2
                               : lead >= 0xe0 && lead < 0xf0 ? 3
                               : lead >= 0xf0 && lead < 0xf5 ? 4
                                                             : 0;
    bool whole = length > 0;
    for (std::size_t k = 1; k < length; ++k) whole = whole && (byte(i + k) & 0xc0) == 0x80;
    // Excludes overlong forms, surrogates and codes beyond the last character.
    const unsigned second = byte(i + 1);
    whole = whole && !(lead == 0xe0 && second < 0xa0) && !(lead == 0xed && second >= 0xa0) &&
            !(lead == 0xf0 && second < 0x90) && !(lead == 0xf4 && second >= 0x90);
    clean += whole ? text.substr(i, length) : "?";
    i += whole ? length : 1;
  }
  return clean;
}

// The map of stored coordinates: a point x of the world is stored as (x - origin) / scale.
struct Placement {
  Vec3 origin = Vec3::Zero();
  double scale = 1;

  Vec3 inside(const Vec3& x) const { return (x - origin) / scale; }
};

// Chooses the placement from the box of all frames. Throws FileError for coordinates and poses that
// are not finite.
Placement place(const Recording& recording, std::string_view name) {
  Vec3 lo = Vec3::Constant(std::numeric_limits<double>::infinity()), hi = -lo;
  const auto add = [&](const Vec3& x, const RecordedBody& body) {
    if (!x.allFinite())
      throw FileError(name,
                      "body " + excerpt(body.name) + " has a coordinate that is NaN or infinite");
    lo = lo.cwiseMin(x);
    hi = hi.cwiseMax(x);
  };
  for (std::uint32_t b = 0; b < recording.bodies().size(); ++b) {
    const RecordedBody& body = recording.bodies()[b];
    const std::vector<Vec3>* before = nullptr;
    Eigen::AlignedBox3d box;
    for (const Vec3& x : body.vertices) {
      if (!body.rigid || !x.allFinite()) add(x, body);
      box.extend(x);
    }
    for (std::size_t frame = 0; frame < recording.frames(); ++frame) {
      if (body.rigid) {
        const Pose& pose = recording.pose(frame, b);
        if (!pose.is_finite() || pose.rotation.coeffs() == Eigen::Vector4d::Zero())
          throw FileError(name, "body " + excerpt(body.name) +
                                    " has a pose that is not finite or has the quaternion 0");
        for (int corner = 0; corner < 8 && !box.isEmpty(); ++corner)
          add(pose * box.corner(static_cast<Eigen::AlignedBox3d::CornerType>(corner)), body);
      } else if (before != &recording.positions(frame, b)) {
        before = &recording.positions(frame, b);
        for (const Vec3& x : *before) add(x, body);
      }
    }
  }
  Placement placement;
  if (!(lo[0] <= hi[0])) return placement;
  const Vec3 middle = lo / 2 + hi / 2;
  const double size = (hi / 2 - lo / 2).maxCoeff();
  // Up to this ratio the 24 bits of a float are enough for a picture.
  if (middle.cwiseAbs().maxCoeff() > 1000 * size) placement.origin = middle;
  const double reach = std::max(size, (middle - placement.origin).cwiseAbs().maxCoeff());
  if (reach > 0 && (reach < 1e-4 || reach > 1e6))
    placement.scale = std::ldexp(1.0, std::max(-1022, std::ilogb(reach)));
  return placement;
}

using Float3 = std::array<float, 3>;

Float3 to_float(const Vec3& x) {
  return {static_cast<float>(x[0]), static_cast<float>(x[1]), static_cast<float>(x[2])};
}

class Writer {
 public:
  Writer(const Recording& recording, std::string_view name)
      : recording_(recording), placement_(place(recording, name)) {}

  std::string bytes() {
    model_.asset.version = "2.0";
    model_.asset.generator = "graze";
    model_.buffers.emplace_back();
    tinygltf::Node root;
    root.name = "recording";
    if (placement_.origin != Vec3::Zero())
      root.translation.assign(placement_.origin.begin(), placement_.origin.end());
    if (placement_.scale != 1) root.scale.assign(3, placement_.scale);
    if (recording_.z_up) turn_up(root);
    model_.nodes.push_back(std::move(root));
    tinygltf::Scene scene;
    scene.nodes.push_back(0);
    model_.scenes.push_back(std::move(scene));
    model_.defaultScene = 0;
    for (std::uint32_t body = 0; body < recording_.bodies().size(); ++body) add_body(body);
    if (!animation_.channels.empty()) model_.animations.push_back(std::move(animation_));
    add_extension();
    if (model_.buffers[0].data.empty()) model_.buffers.clear();
    std::ostringstream out;
    tinygltf::TinyGLTF().WriteGltfSceneToStream(&model_, out, false, true);
    return std::move(out).str();
  }

 private:
  // Turns z up into the y up of glTF.
  static void turn_up(tinygltf::Node& root) {
    const double half = std::sqrt(0.5);
    root.rotation = {-half, 0, 0, half};
    if (auto& t = root.translation; !t.empty()) t = {t[0], t[2], -t[1]};
  }

  // Appends a view. Views start at multiples of 8, so that doubles are aligned.
  template <class T>
  int add_view(std::span<const T> values, int target = 0) {
    auto& data = model_.buffers[0].data;
    data.resize((data.size() + 7) / 8 * 8);
    tinygltf::BufferView view;
    view.buffer = 0;
    view.byteOffset = data.size();
    view.byteLength = values.size_bytes();
    view.target = target;
    data.resize(data.size() + values.size_bytes());
    if (!values.empty())
      std::memcpy(data.data() + view.byteOffset, values.data(), values.size_bytes());
    model_.bufferViews.push_back(std::move(view));
    return static_cast<int>(model_.bufferViews.size() - 1);
  }

  int add_accessor(int view, int component, int type, std::size_t count) {
    tinygltf::Accessor accessor;
    accessor.bufferView = view;
    accessor.componentType = component;
    accessor.type = type;
    accessor.count = count;
    model_.accessors.push_back(std::move(accessor));
    return static_cast<int>(model_.accessors.size() - 1);
  }

  int add_positions(const std::vector<Float3>& values) {
    const int accessor =
        add_accessor(add_view(std::span(values), TINYGLTF_TARGET_ARRAY_BUFFER),
                     TINYGLTF_COMPONENT_TYPE_FLOAT, TINYGLTF_TYPE_VEC3, values.size());
    Float3 lo = values[0], hi = lo;
    for (const Float3& x : values)
      for (std::size_t k = 0; k < 3; ++k) {
        lo[k] = std::min(lo[k], x[k]);
        hi[k] = std::max(hi[k], x[k]);
      }
    auto& stored = model_.accessors.back();
    stored.minValues.assign(lo.begin(), lo.end());
    stored.maxValues.assign(hi.begin(), hi.end());
    return accessor;
  }

  template <class Index>
  int add_indices_as(std::span<const std::uint32_t> indices, int component) {
    const std::vector<Index> narrow(indices.begin(), indices.end());
    return add_accessor(
        add_view(std::span<const Index>(narrow), TINYGLTF_TARGET_ELEMENT_ARRAY_BUFFER), component,
        TINYGLTF_TYPE_SCALAR, indices.size());
  }
  // The largest number of a type restarts strips in glTF and cannot be an index.
  int add_indices(std::span<const std::uint32_t> indices, std::size_t vertices) {
    return vertices < 0x10000
               ? add_indices_as<std::uint16_t>(indices, TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT)
               : add_indices_as<std::uint32_t>(indices, TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT);
  }

  // Returns the accessor of the frames' times. glTF requires that they increase as 32-bit floats.
  int times() {
    if (times_ >= 0) return times_;
    std::vector<float> values;
    for (std::size_t frame = 0; frame < recording_.frames(); ++frame) {
      const auto time = static_cast<float>(recording_.time(frame));
      constexpr float most = std::numeric_limits<float>::max();
      values.push_back(frame == 0 ? time : std::max(time, std::nextafter(values.back(), most)));
    }
    times_ = add_accessor(add_view(std::span<const float>(values)), TINYGLTF_COMPONENT_TYPE_FLOAT,
                          TINYGLTF_TYPE_SCALAR, values.size());
    model_.accessors.back().minValues = {values.front()};
    model_.accessors.back().maxValues = {values.back()};
    return times_;
  }

  void animate(int node, const char* path, int output) {
    tinygltf::AnimationSampler sampler;
    sampler.input = times();
    sampler.output = output;
    tinygltf::AnimationChannel channel;
    channel.sampler = static_cast<int>(animation_.samplers.size());
    channel.target_node = node;
    channel.target_path = path;
    animation_.samplers.push_back(std::move(sampler));
    animation_.channels.push_back(std::move(channel));
  }

  void add_body(std::uint32_t b) {
    const RecordedBody& body = recording_.bodies()[b];
    tinygltf::Node node;
    node.name = utf8(body.name);
    Value::Object extras{{"graze_rigid", Value(body.rigid)}};
    if (body.radius > 0) extras["graze_radius"] = Value(body.radius / placement_.scale);
    node.extras = Value(extras);
    const int index = static_cast<int>(model_.nodes.size());
    model_.nodes[0].children.push_back(index);
    if (!body.vertices.empty()) {
      node.mesh = static_cast<int>(model_.meshes.size());
      add_mesh(b, index);
    }
    if (body.rigid) add_poses(b, index, node);
    model_.nodes.push_back(std::move(node));
  }

  void add_mesh(std::uint32_t b, int node) {
    const RecordedBody& body = recording_.bodies()[b];
    tinygltf::Material material;
    material.name = utf8(body.name);
    material.doubleSided = true;
    material.pbrMetallicRoughness.baseColorFactor = {body.color[0], body.color[1], body.color[2],
                                                     1};
    material.pbrMetallicRoughness.metallicFactor = 0;
    material.pbrMetallicRoughness.roughnessFactor = 0.8;
    tinygltf::Primitive primitive;
    primitive.material = static_cast<int>(model_.materials.size());
    model_.materials.push_back(std::move(material));

    const std::vector<Vec3>& first =
        !body.rigid && recording_.frames() > 0 ? recording_.positions(0, b) : body.vertices;
    const Placement own{body.rigid ? Vec3(Vec3::Zero()) : placement_.origin, placement_.scale};
    std::vector<Float3> base;
    for (const Vec3& x : first) base.push_back(to_float(own.inside(x)));
    primitive.attributes["POSITION"] = add_positions(base);
    if (!body.rigid) add_targets(b, node, base, primitive);

    tinygltf::Mesh mesh;
    mesh.name = utf8(body.name);
    const auto add_part = [&](std::span<const std::uint32_t> indices, int mode) {
      if (indices.empty()) return;
      primitive.indices = add_indices(indices, base.size());
      primitive.mode = mode;
      mesh.primitives.push_back(primitive);
    };
    const auto flat = [](const auto& tuples) {
      return std::span(tuples.empty() ? nullptr : tuples[0].data(),
                       tuples.size() * std::tuple_size_v<std::decay_t<decltype(tuples[0])>>);
    };
    add_part(flat(body.faces), TINYGLTF_MODE_TRIANGLES);
    add_part(flat(body.edges), TINYGLTF_MODE_LINE);
    add_part(body.points, TINYGLTF_MODE_POINTS);
    model_.meshes.push_back(std::move(mesh));
  }

  // Row f of the weights selects the state of frame f. The first state is the mesh itself.
  void add_targets(std::uint32_t b, int node, const std::vector<Float3>& base,
                   tinygltf::Primitive& primitive) {
    std::vector<std::size_t> states;
    const std::vector<Vec3>* before = nullptr;
    std::vector<Float3> offsets(base.size());
    for (std::size_t frame = 0; frame < recording_.frames(); ++frame) {
      const std::vector<Vec3>* now = &recording_.positions(frame, b);
      if (frame > 0 && now != before) {
        for (std::size_t i = 0; i < base.size(); ++i) {
          const Float3 x = to_float(placement_.inside((*now)[i]));
          for (std::size_t k = 0; k < 3; ++k) offsets[i][k] = x[k] - base[i][k];
        }
        primitive.targets.push_back({{"POSITION", add_positions(offsets)}});
      }
      states.push_back(primitive.targets.size());
      before = now;
    }
    const std::size_t targets = primitive.targets.size();
    if (targets == 0) return;
    std::vector<std::uint8_t> weights(states.size() * targets);
    for (std::size_t frame = 0; frame < states.size(); ++frame)
      if (states[frame] > 0) weights[frame * targets + states[frame] - 1] = 255;
    const int output =
        add_accessor(add_view(std::span<const std::uint8_t>(weights)),
                     TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE, TINYGLTF_TYPE_SCALAR, weights.size());
    model_.accessors.back().normalized = true;
    animate(node, "weights", output);
  }

  void add_poses(std::uint32_t b, int index, tinygltf::Node& node) {
    std::vector<Float3> translations;
    std::vector<std::array<float, 4>> rotations;
    Eigen::Vector4d before = Eigen::Vector4d::Zero();
    const std::size_t frames = std::max<std::size_t>(1, recording_.frames());
    for (std::size_t frame = 0; frame < frames; ++frame) {
      const Pose pose = recording_.frames() > 0 ? recording_.pose(frame, b) : Pose();
      translations.push_back(to_float(placement_.inside(pose.translation)));
      // A quaternion and its negative are the same rotation; choose the sign that makes viewers
      // interpolate the shorter way.
      Eigen::Vector4d q = pose.rotation.coeffs().stableNormalized();
      if (q.dot(before) < 0) q = -q;
      before = q;
      rotations.push_back({static_cast<float>(q[0]), static_cast<float>(q[1]),
                           static_cast<float>(q[2]), static_cast<float>(q[3])});
    }
    node.translation.assign(translations[0].begin(), translations[0].end());
    node.rotation.assign(rotations[0].begin(), rotations[0].end());
    const auto rests = [](const auto& values) {
      return std::equal(values.begin() + 1, values.end(), values.begin());
    };
    if (!rests(translations))
      animate(index, "translation",
              add_accessor(add_view(std::span<const Float3>(translations)),
                           TINYGLTF_COMPONENT_TYPE_FLOAT, TINYGLTF_TYPE_VEC3, frames));
    if (!rests(rotations))
      animate(index, "rotation",
              add_accessor(add_view(std::span<const std::array<float, 4>>(rotations)),
                           TINYGLTF_COMPONENT_TYPE_FLOAT, TINYGLTF_TYPE_VEC4, frames));
  }

  void add_extension() {
    std::map<std::string, std::uint32_t> kinds;
    std::vector<double> frames, contact_times;
    std::vector<Float3> points, normals;
    std::vector<std::uint32_t> features;
    std::vector<const RecordedContact*> sorted;
    for (const RecordedContact& contact : recording_.contacts()) sorted.push_back(&contact);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto* a, const auto* b) { return a->time < b->time; });
    for (std::size_t frame = 0; frame < recording_.frames(); ++frame)
      frames.push_back(recording_.time(frame));
    for (const RecordedContact* contact : sorted) {
      const auto kind = kinds.emplace(contact->kind, kinds.size()).first->second;
      contact_times.push_back(contact->time);
      points.push_back(to_float(placement_.inside(contact->point)));
      const double length = contact->normal.stableNorm();
      normals.push_back(to_float(length > 0 && std::isfinite(length)
                                     ? Vec3(contact->normal / length)
                                     : Vec3(Vec3::Zero())));
      const auto& [a, c] = std::tie(contact->vertices_a, contact->vertices_b);
      features.insert(features.end(),
                      {kind, contact->body_a, contact->body_b, contact->name_a, contact->name_b,
                       static_cast<std::uint32_t>(a.size()), static_cast<std::uint32_t>(c.size())});
      features.insert(features.end(), a.begin(), a.end());
      features.insert(features.end(), c.begin(), c.end());
    }
    Value::Array kind_names(kinds.size()), facts;
    for (const auto& [kind, number] : kinds) kind_names[number] = Value(utf8(kind));
    for (const auto& [fact, value] : recording_.facts)
      facts.push_back(Value(Value::Array{Value(utf8(fact)), Value(utf8(value))}));
    Value::Object root{
        {"title", Value(utf8(recording_.title))},
        {"timeUnit", Value(utf8(recording_.time_unit))},
        {"facts", Value(facts)},
        {"zUp", Value(recording_.z_up)},
        {"count", Value(static_cast<int>(sorted.size()))},
        {"kinds", Value(kind_names)},
        {"origin", Value(Value::Array{Value(placement_.origin[0]), Value(placement_.origin[1]),
                                      Value(placement_.origin[2])})},
        {"scale", Value(placement_.scale)}};
    if (!frames.empty()) root["frames"] = Value(add_view(std::span<const double>(frames)));
    if (!sorted.empty()) {
      root["times"] = Value(add_view(std::span<const double>(contact_times)));
      root["points"] = Value(add_view(std::span<const Float3>(points)));
      root["normals"] = Value(add_view(std::span<const Float3>(normals)));
      root["features"] = Value(add_view(std::span<const std::uint32_t>(features)));
    }
    model_.extensions["GRAZE_contacts"] = Value(root);
    model_.extensionsUsed.emplace_back("GRAZE_contacts");
  }

  const Recording& recording_;
  const Placement placement_;
  tinygltf::Model model_;
  tinygltf::Animation animation_;
  int times_ = -1;
};

}  // namespace

bool has_glb() {
  return true;
}

std::string glb_bytes(const Recording& recording, std::string_view name) {
  return Writer(recording, name).bytes();
}

void write_glb(const std::filesystem::path& path, const Recording& recording) {
  write_file(path, glb_bytes(recording, path.string()));
}

}  // namespace graze::io

#else

namespace graze::io {

bool has_glb() {
  return false;
}

std::string glb_bytes(const Recording&, std::string_view name) {
  throw FileError(name, "recordings need a build with libtinygltf-dev (GRAZE_GLTF)");
}

void write_glb(const std::filesystem::path& path, const Recording& recording) {
  glb_bytes(recording, path.string());
}

}  // namespace graze::io

#endif
