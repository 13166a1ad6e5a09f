#include "edge_scene.h"

#include "scenes/json_reader.h"

namespace graze::command {
namespace {

constexpr auto edge_state_format = "graze-edges-state-1";

void read_particle(const JsonReader& reader, const Json& json, const std::string& where,
                   sim::edges::Model& model) {
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

sim::edges::Spring read_spring(const JsonReader& reader, const Json& json, const std::string& where,
                               const sim::edges::Model& model) {
  sim::edges::Spring spring{{0, 0}, -1, 0};
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

// Reads an end of a cable: the index of a particle, or a point, at which a particle is added.
std::uint32_t read_cable_end(const JsonReader& reader, const Json& json, const std::string& where,
                             double mass, double radius, sim::edges::Model& model) {
  if (!json.is_array()) {
    const std::uint32_t index = reader.index(json, where);
    if (index >= model.positions.size())
      reader.fail(where, "names particle " + std::to_string(index) + " of " +
                             std::to_string(model.positions.size()));
    return index;
  }
  model.positions.push_back(reader.vector(json, where));
  model.velocities.emplace_back(Vec3::Zero());
  model.masses.push_back(mass);
  model.radii.push_back(radius);
  model.forces.emplace_back(Vec3::Zero());
  return static_cast<std::uint32_t>(model.positions.size() - 1);
}

// Reads a cable that is given by its particles, or by two ends and the number of its elements.
void read_cable(const JsonReader& reader, const Json& json, const std::string& where,
                sim::edges::Model& model) {
  const bool by_ends = json.is_object() && json.contains("from");
  reader.require(json, where, {"stretch"});
  if (by_ends)
    reader.require(json, where, {"from", "to", "elements"});
  else
    reader.require(json, where, {"particles"});
  sim::edges::Cable cable;
  double mass = 1, radius = 0;
  std::uint32_t elements = 0;
  const auto only = [&](bool ends, const std::string& at) {
    if (ends != by_ends)
      reader.fail(at, "a cable has either \"particles\" or \"from\", \"to\" and \"elements\"");
  };
  const auto later = [&](auto&, auto& at) { only(true, at); };
  reader.read(json, where,
              {{"particles",
                [&](auto& v, auto& at) {
                  only(false, at);
                  reader.each(v, at, [&](auto& index, auto& inner) {
                    cable.particles.push_back(reader.index(index, inner));
                  });
                }},
               {"from", later},
               {"to", later},
               {"elements",
                [&](auto& v, auto& at) {
                  only(true, at);
                  elements = reader.index(v, at);
                  if (elements < 1 || elements > 1000000)
                    reader.fail(at, "must be a whole number from 1 to 1000000");
                }},
               {"mass",
                [&](auto& v, auto& at) {
                  only(true, at);
                  mass = reader.number(v, at);
                }},
               {"radius",
                [&](auto& v, auto& at) {
                  only(true, at);
                  radius = reader.number(v, at);
                }},
               {"stretch", [&](auto& v, auto& at) { cable.stretch = reader.number(v, at); }},
               {"bend", [&](auto& v, auto& at) { cable.bend = reader.number(v, at); }},
               {"twist", [&](auto& v, auto& at) { cable.twist = reader.number(v, at); }},
               {"turn", [&](auto& v, auto& at) { cable.turn = reader.number(v, at); }},
               {"holds_turn", [&](auto& v, auto& at) { cable.holds_turn = reader.flag(v, at); }}});
  if (by_ends) {
    const double half = mass / (2 * elements);
    const auto end = [&](const char* key) {
      return read_cable_end(reader, json[key], where + "." + key, half, radius, model);
    };
    const std::uint32_t from = end("from"), to = end("to");
    cable.particles = add_cable(model, from, to, elements, mass, radius).particles;
    model.cables.pop_back();
  }
  model.cables.push_back(std::move(cable));
}

}  // namespace

Json to_json(const sim::edges::Model& model) {
  Json particles = Json::array(), springs = Json::array(), cables = Json::array();
  for (std::size_t i = 0; i < model.positions.size(); ++i) {
    Json particle{{"position", to_json(model.positions[i])},
                  {"velocity", to_json(model.velocities[i])},
                  {"mass", number_or("pinned", model.masses[i])},
                  {"radius", model.radii[i]}};
    if (!model.forces.empty()) particle["force"] = to_json(model.forces[i]);
    particles.push_back(std::move(particle));
  }
  for (const sim::edges::Spring& spring : model.springs)
    springs.push_back({{"ends", spring.ends},
                       {"length", spring.length},
                       {"stiffness", number_or("rigid", spring.stiffness)}});
  for (const sim::edges::Cable& cable : model.cables)
    cables.push_back({{"particles", cable.particles},
                      {"stretch", cable.stretch},
                      {"bend", cable.bend},
                      {"twist", cable.twist},
                      {"turn", cable.turn},
                      {"holds_turn", cable.holds_turn}});
  return {{"format", edge_scene_format},
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

sim::edges::Model read_edge_scene(const std::string& file) {
  const JsonReader reader(file, edge_scene_format);
  sim::edges::Model model;
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
       {"cables", nothing},
       {"edges", [&](auto& v, auto& at) { model.edges = reader.index_lists<2>(v, at); }},
       {"faces", [&](auto& v, auto& at) { model.faces = reader.index_lists<3>(v, at); }}});
  // Cables and springs are read after the particles: a cable adds particles to them, the default of
  // a spring's "length" is the distance at the start.
  if (reader.json().contains("cables"))
    reader.each(reader.json()["cables"], "cables",
                [&](auto& json, auto& inner) { read_cable(reader, json, inner, model); });
  if (reader.json().contains("springs"))
    reader.each(reader.json()["springs"], "springs", [&](auto& json, auto& inner) {
      model.springs.push_back(read_spring(reader, json, inner, model));
    });
  if (const std::string wrong = problem(model); !wrong.empty()) reader.fail("", wrong);
  return model;
}

Json to_json(const sim::edges::State& state) {
  Json cables = Json::array();
  for (const auto& cable : state.frames) {
    Json frames = Json::array();
    for (const sim::edges::CableFrame& frame : cable)
      frames.push_back({to_json(frame.along), to_json(frame.across), frame.twist});
    cables.push_back(std::move(frames));
  }
  return {{"format", edge_state_format},
          {"time", state.time},
          {"positions", to_json(state.positions)},
          {"velocities", to_json(state.velocities)},
          {"tensions", state.tensions},
          {"frames", cables}};
}

sim::edges::State read_edge_state(const std::string& file, const sim::edges::State& like) {
  const JsonReader reader(file, edge_state_format);
  sim::edges::State state;
  reader.require(reader.json(), "", {"time", "positions", "velocities", "tensions", "frames"});
  reader.read(
      reader.json(), "",
      {{"format", [](auto&, auto&) {}},
       {"time", [&](auto& v, auto& at) { state.time = reader.number(v, at); }},
       {"positions", [&](auto& v, auto& at) { state.positions = reader.vectors(v, at); }},
       {"velocities", [&](auto& v, auto& at) { state.velocities = reader.vectors(v, at); }},
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
  if (!fits)
    reader.fail(
        "", "is the state of another scene: the numbers of particles, springs or cables differ");
  return state;
}

}  // namespace graze::command
