#include "edge_scene.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <map>

#include "graze/io/file_error.h"

namespace graze::command {
namespace {

using Json = nlohmann::ordered_json;

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr auto scene_format = "graze-edges-1", state_format = "graze-edges-state-1";

Json to_json(const Vec3& v) {
  return {v.x(), v.y(), v.z()};
}

Json to_json(const std::vector<Vec3>& points) {
  Json json = Json::array();
  for (const Vec3& point : points) json.push_back(to_json(point));
  return json;
}

// A number, or where it is infinite the word that says so.
Json number_or(const char* word, double value) {
  return std::isfinite(value) ? Json(value) : Json(word);
}

// Reads values and says where in the file one is wrong.
class Reader {
 public:
  Reader(const std::string& file, const std::string& format) : file_(file) {
    std::ifstream stream(file);
    if (!stream) throw io::FileError(file, "cannot be opened");
    try {
      json_ = Json::parse(stream);
    } catch (const Json::parse_error& error) {
      throw io::FileError(file, fmt::format("is no JSON: {}", error.what()));
    }
    if (!json_.is_object() || json_.value("format", Json()) != format)
      fail("", fmt::format("\"format\" must be \"{}\"", format));
  }

  const Json& json() const { return json_; }

  [[noreturn]] void fail(const std::string& where, const std::string& reason) const {
    throw io::FileError(file_, where.empty() ? reason : where + ": " + reason);
  }

  // Calls the function of each key that the object has; keys without a function are errors.
  using Fields = std::map<std::string, std::function<void(const Json&, const std::string&)>>;
  void read(const Json& object, const std::string& where, const Fields& fields) const {
    if (!object.is_object()) fail(where, "must be an object");
    for (const auto& [key, value] : object.items()) {
      const auto field = fields.find(key);
      if (field == fields.end()) fail(where, fmt::format("unknown key \"{}\"", key));
      field->second(value, where.empty() ? key : where + "." + key);
    }
  }
  void require(const Json& object, const std::string& where,
               std::initializer_list<const char*> keys) const {
    for (const char* key : keys)
      if (!object.contains(key)) fail(where, fmt::format("key \"{}\" is missing", key));
  }

  // Calls function(entry, where) for the entries of an array.
  template <class Function>
  void each(const Json& array, const std::string& where, Function&& function) const {
    if (!array.is_array()) fail(where, "must be an array");
    for (std::size_t i = 0; i < array.size(); ++i) {
      const std::string inner = fmt::format("{}[{}]", where, i);
      function(array[i], inner);
    }
  }

  double number(const Json& value, const std::string& where, const char* word = nullptr) const {
    if (word && value == word) return infinite;
    if (!value.is_number())
      fail(where, word ? fmt::format("must be a number or \"{}\"", word) : "must be a number");
    return value.get<double>();
  }
  std::uint32_t index(const Json& value, const std::string& where) const {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() >= Mesh::max_vertices)
      fail(where, "must be the index of a particle");
    return value.get<std::uint32_t>();
  }
  bool flag(const Json& value, const std::string& where) const {
    if (!value.is_boolean()) fail(where, "must be true or false");
    return value.get<bool>();
  }
  Vec3 vector(const Json& value, const std::string& where) const {
    if (!value.is_array() || value.size() != 3) fail(where, "must be three numbers");
    Vec3 v;
    for (std::size_t k = 0; k < 3; ++k)
      v[static_cast<Eigen::Index>(k)] = number(value[k], fmt::format("{}[{}]", where, k));
    return v;
  }
  template <std::size_t N>
  std::array<std::uint32_t, N> indices(const Json& value, const std::string& where) const {
    if (!value.is_array() || value.size() != N)
      fail(where, fmt::format("must be {} indices of particles", N));
    std::array<std::uint32_t, N> result;
    for (std::size_t k = 0; k < N; ++k) result[k] = index(value[k], where);
    return result;
  }

 private:
  std::string file_;
  Json json_;
};

void read_particle(const Reader& reader, const Json& json, const std::string& where,
                   EdgeModel& model) {
  Vec3 position = Vec3::Zero(), velocity = Vec3::Zero(), force = Vec3::Zero();
  double mass = 1, radius = 0;
  reader.require(json, where, {"position"});
  reader.read(json, where,
              {{"position", [&](auto& v, auto& at) { position = reader.vector(v, at); }},
               {"velocity", [&](auto& v, auto& at) { velocity = reader.vector(v, at); }},
               {"force", [&](auto& v, auto& at) { force = reader.vector(v, at); }},
               {"mass", [&](auto& v, auto& at) { mass = reader.number(v, at, "pinned"); }},
               {"radius", [&](auto& v, auto& at) { radius = reader.number(v, at); }}});
  model.positions.push_back(position);
  model.velocities.push_back(velocity);
  model.forces.push_back(force);
  model.masses.push_back(mass);
  model.radii.push_back(radius);
}

Spring read_spring(const Reader& reader, const Json& json, const std::string& where,
                   const EdgeModel& model) {
  Spring spring{{0, 0}, -1, 0};
  reader.require(json, where, {"ends", "stiffness"});
  reader.read(json, where,
              {{"ends", [&](auto& v, auto& at) { spring.ends = reader.indices<2>(v, at); }},
               {"length", [&](auto& v, auto& at) { spring.length = reader.number(v, at); }},
               {"stiffness",
                [&](auto& v, auto& at) { spring.stiffness = reader.number(v, at, "rigid"); }}});
  const auto& [a, b] = spring.ends;
  if (!json.contains("length") && std::max(a, b) < model.positions.size())
    spring.length = (model.positions[a] - model.positions[b]).norm();
  return spring;
}

CableModel read_cable(const Reader& reader, const Json& json, const std::string& where) {
  CableModel cable;
  reader.require(json, where, {"particles", "stretch"});
  reader.read(json, where,
              {{"particles",
                [&](auto& v, auto& at) {
                  reader.each(v, at, [&](auto& index, auto& inner) {
                    cable.particles.push_back(reader.index(index, inner));
                  });
                }},
               {"stretch", [&](auto& v, auto& at) { cable.stretch = reader.number(v, at); }},
               {"bend", [&](auto& v, auto& at) { cable.bend = reader.number(v, at); }},
               {"twist", [&](auto& v, auto& at) { cable.twist = reader.number(v, at); }},
               {"turn", [&](auto& v, auto& at) { cable.turn = reader.number(v, at); }},
               {"holds_turn", [&](auto& v, auto& at) { cable.holds_turn = reader.flag(v, at); }}});
  return cable;
}

}  // namespace

Json to_json(const EdgeModel& model) {
  Json particles = Json::array(), springs = Json::array(), cables = Json::array();
  for (std::size_t i = 0; i < model.positions.size(); ++i) {
    Json particle{{"position", to_json(model.positions[i])},
                  {"velocity", to_json(model.velocities[i])},
                  {"mass", number_or("pinned", model.masses[i])},
                  {"radius", model.radii[i]}};
    if (!model.forces.empty()) particle["force"] = to_json(model.forces[i]);
    particles.push_back(std::move(particle));
  }
  for (const Spring& spring : model.springs)
    springs.push_back({{"ends", spring.ends},
                       {"length", spring.length},
                       {"stiffness", number_or("rigid", spring.stiffness)}});
  for (const CableModel& cable : model.cables)
    cables.push_back({{"particles", cable.particles},
                      {"stretch", cable.stretch},
                      {"bend", cable.bend},
                      {"twist", cable.twist},
                      {"turn", cable.turn},
                      {"holds_turn", cable.holds_turn}});
  return {{"format", scene_format},
          {"gravity", to_json(model.gravity)},
          {"drag", model.drag},
          {"restitution", model.law.restitution},
          {"friction", model.law.friction},
          {"margin", model.margin},
          {"particles", particles},
          {"springs", springs},
          {"cables", cables},
          {"edges", model.edges},
          {"faces", model.faces}};
}

EdgeModel read_edge_scene(const std::string& file) {
  const Reader reader(file, scene_format);
  EdgeModel model;
  reader.require(reader.json(), "", {"particles", "margin"});
  const auto nothing = [](auto&, auto&) {};
  reader.read(
      reader.json(), "",
      {{"format", nothing},
       {"gravity", [&](auto& v, auto& at) { model.gravity = reader.vector(v, at); }},
       {"drag", [&](auto& v, auto& at) { model.drag = reader.number(v, at); }},
       {"restitution", [&](auto& v, auto& at) { model.law.restitution = reader.number(v, at); }},
       {"friction", [&](auto& v, auto& at) { model.law.friction = reader.number(v, at); }},
       {"margin", [&](auto& v, auto& at) { model.margin = reader.number(v, at); }},
       {"particles",
        [&](auto& v, auto& at) {
          reader.each(v, at,
                      [&](auto& json, auto& inner) { read_particle(reader, json, inner, model); });
        }},
       {"springs", nothing},
       {"cables",
        [&](auto& v, auto& at) {
          reader.each(v, at, [&](auto& json, auto& inner) {
            model.cables.push_back(read_cable(reader, json, inner));
          });
        }},
       {"edges",
        [&](auto& v, auto& at) {
          reader.each(v, at, [&](auto& json, auto& inner) {
            model.edges.push_back(reader.indices<2>(json, inner));
          });
        }},
       {"faces", [&](auto& v, auto& at) {
          reader.each(v, at, [&](auto& json, auto& inner) {
            model.faces.push_back(reader.indices<3>(json, inner));
          });
        }}});
  // Springs without a length have that of the start: particles first.
  if (reader.json().contains("springs"))
    reader.each(reader.json()["springs"], "springs", [&](auto& json, auto& inner) {
      model.springs.push_back(read_spring(reader, json, inner, model));
    });
  if (const std::string wrong = problem(model); !wrong.empty()) reader.fail("", wrong);
  return model;
}

Json to_json(const EdgeSystem::State& state) {
  Json cables = Json::array();
  for (const auto& cable : state.frames) {
    Json frames = Json::array();
    for (const CableElasticity::Frame& frame : cable)
      frames.push_back({to_json(frame.along), to_json(frame.across), frame.twist});
    cables.push_back(std::move(frames));
  }
  return {{"format", state_format},
          {"time", state.time},
          {"positions", to_json(state.positions)},
          {"velocities", to_json(state.velocities)},
          {"tensions", state.tensions},
          {"frames", cables}};
}

EdgeSystem::State read_edge_state(const std::string& file, const EdgeSystem::State& like) {
  const Reader reader(file, state_format);
  EdgeSystem::State state;
  reader.require(reader.json(), "", {"time", "positions", "velocities", "tensions", "frames"});
  const auto vectors = [&](std::vector<Vec3>& into) {
    return [&reader, &into](const Json& v, const std::string& at) {
      reader.each(v, at,
                  [&](auto& json, auto& inner) { into.push_back(reader.vector(json, inner)); });
    };
  };
  reader.read(
      reader.json(), "",
      {{"format", [](auto&, auto&) {}},
       {"time", [&](auto& v, auto& at) { state.time = reader.number(v, at); }},
       {"positions", vectors(state.positions)},
       {"velocities", vectors(state.velocities)},
       {"tensions",
        [&](auto& v, auto& at) {
          reader.each(v, at, [&](auto& json, auto& inner) {
            state.tensions.push_back(reader.number(json, inner));
          });
        }},
       {"frames", [&](auto& v, auto& at) {
          reader.each(v, at, [&](auto& cable, auto& of_cable) {
            auto& frames = state.frames.emplace_back();
            reader.each(cable, of_cable, [&](auto& frame, auto& inner) {
              if (!frame.is_array() || frame.size() != 3)
                reader.fail(inner, "must be two vectors and a number");
              frames.push_back({reader.vector(frame[0], inner), reader.vector(frame[1], inner),
                                reader.number(frame[2], inner)});
            });
          });
        }}});
  bool fits = state.positions.size() == like.positions.size() &&
              state.velocities.size() == like.velocities.size() &&
              state.tensions.size() == like.tensions.size() &&
              state.frames.size() == like.frames.size();
  for (std::size_t i = 0; fits && i < like.frames.size(); ++i)
    fits = state.frames[i].size() == like.frames[i].size();
  if (!fits) reader.fail("", "is the state of another scene");
  return state;
}

}  // namespace graze::command
