#include "soft_scene.h"

#include <filesystem>
#include <map>

#include "graze/io/mesh_files.h"
#include "scenes/json_reader.h"

namespace graze::command {
namespace {

constexpr auto soft_state_format = "graze-soft-state-1";

using At = const std::string&;

Json hold_json(const sim::soft::Hold& hold) {
  return {{"vertices", hold.vertices},
          {"velocity", to_json(hold.drive.velocity)},
          {"spin", to_json(hold.drive.spin)},
          {"center", to_json(hold.drive.center)},
          {"until", number_or("always", hold.drive.until)}};
}

Json skin_json(const sim::soft::Skin& skin) {
  Json vertices = Json::array();
  for (const auto& [tet, w] : skin.vertices) vertices.push_back({tet, w[0], w[1], w[2], w[3]});
  return {{"vertices", vertices}, {"faces", skin.faces}};
}

Json body_json(const sim::soft::Body& body) {
  Json json{{"name", body.name}, {"vertices", to_json(body.rest)}};
  if (!body.positions.empty()) json["positions"] = to_json(body.positions);
  if (!body.velocities.empty()) json["velocities"] = to_json(body.velocities);
  if (!body.tets.empty()) {
    json["tets"] = body.tets;
    json["solid"] = {{"density", body.solid.density},
                     {"young", body.solid.young},
                     {"poisson", body.solid.poisson}};
  }
  if (!body.sheet.empty()) {
    json["sheet"] = body.sheet;
    json["cloth"] = {{"density", body.cloth.density},
                     {"young", body.cloth.young},
                     {"poisson", body.cloth.poisson},
                     {"thickness", body.cloth.thickness}};
  }
  if (!body.skin.faces.empty()) json["skin"] = skin_json(body.skin);
  if (!body.holds.empty()) {
    json["holds"] = Json::array();
    for (const sim::soft::Hold& hold : body.holds) json["holds"].push_back(hold_json(hold));
  }
  return json;
}

sim::soft::Hold read_hold(const JsonReader& reader, const Json& json, At where) {
  sim::soft::Hold hold;
  reader.require(json, where, {"vertices"});
  reader.read(
      json, where,
      {{"vertices",
        [&](auto& v, At at) {
          reader.each(v, at, [&](auto& vertex, At inner) {
            hold.vertices.push_back(reader.index(vertex, inner));
          });
        }},
       {"velocity", [&](auto& v, At at) { hold.drive.velocity = reader.vector(v, at); }},
       {"spin", [&](auto& v, At at) { hold.drive.spin = reader.vector(v, at); }},
       {"center", [&](auto& v, At at) { hold.drive.center = reader.vector(v, at); }},
       {"until", [&](auto& v, At at) { hold.drive.until = reader.number(v, at, "always"); }}});
  return hold;
}

sim::soft::Skin read_skin(const JsonReader& reader, const Json& json, At where) {
  sim::soft::Skin skin;
  reader.require(json, where, {"vertices", "faces"});
  reader.read(json, where,
              {{"vertices",
                [&](auto& v, At at) {
                  reader.each(v, at, [&](auto& vertex, At inner) {
                    if (!vertex.is_array() || vertex.size() != 5)
                      reader.fail(inner, "must be a tetrahedron and four weights");
                    auto& [tet, weights] = skin.vertices.emplace_back();
                    tet = reader.index(vertex[0], inner);
                    for (std::size_t k = 0; k < 4; ++k)
                      weights[k] = reader.number(vertex[k + 1], inner);
                  });
                }},
               {"faces", [&](auto& v, At at) { skin.faces = reader.index_lists<3>(v, at); }}});
  return skin;
}

sim::soft::Body read_body(const JsonReader& reader, const Json& json, At where,
                          const std::filesystem::path& folder) {
  sim::soft::Body body;
  if (json.is_object() && !json.contains("mesh")) reader.require(json, where, {"vertices"});
  Vec3 shift = Vec3::Zero(), velocity = Vec3::Zero();
  const auto numbers = [&](std::map<std::string, double*> fields) {
    return [&reader, fields = std::move(fields)](const Json& v, At at) {
      JsonReader::Fields each;
      for (const auto& [key, into] : fields)
        each[key] = [&reader, into = into](const Json& value, At inner) {
          *into = reader.number(value, inner);
        };
      reader.read(v, at, each);
    };
  };
  reader.read(json, where,
              {{"name", [&](auto& v, At at) { body.name = reader.text(v, at); }},
               {"mesh",
                [&](auto& v, At at) {
                  if (json.contains("vertices") || json.contains("tets"))
                    reader.fail(where, "\"mesh\" excludes \"vertices\" and \"tets\"");
                  TetMesh mesh = io::read_tets(folder / reader.text(v, at));
                  body.rest = std::move(mesh.positions);
                  body.tets = std::move(mesh.tets);
                }},
               {"vertices", [&](auto& v, At at) { body.rest = reader.vectors(v, at); }},
               {"shift", [&](auto& v, At at) { shift = reader.vector(v, at); }},
               {"positions", [&](auto& v, At at) { body.positions = reader.vectors(v, at); }},
               {"velocity", [&](auto& v, At at) { velocity = reader.vector(v, at); }},
               {"velocities", [&](auto& v, At at) { body.velocities = reader.vectors(v, at); }},
               {"tets", [&](auto& v, At at) { body.tets = reader.index_lists<4>(v, at); }},
               {"sheet", [&](auto& v, At at) { body.sheet = reader.index_lists<3>(v, at); }},
               {"solid", numbers({{"density", &body.solid.density},
                                  {"young", &body.solid.young},
                                  {"poisson", &body.solid.poisson}})},
               {"cloth", numbers({{"density", &body.cloth.density},
                                  {"young", &body.cloth.young},
                                  {"poisson", &body.cloth.poisson},
                                  {"thickness", &body.cloth.thickness}})},
               {"skin", [&](auto& v, At at) { body.skin = read_skin(reader, v, at); }},
               {"holds", [&](auto& v, At at) {
                  reader.each(v, at, [&](auto& hold, At inner) {
                    body.holds.push_back(read_hold(reader, hold, inner));
                  });
                }}});
  for (Vec3& x : body.rest) x += shift;
  if (!velocity.isZero(0)) body.velocities.assign(body.rest.size(), velocity);
  return body;
}

sim::soft::Obstacle read_obstacle(const JsonReader& reader, const Json& json, At where,
                                  const std::filesystem::path& folder) {
  sim::soft::Obstacle obstacle;
  if (json.is_object() && !json.contains("mesh"))
    reader.require(json, where, {"vertices", "faces"});
  reader.read(json, where,
              {{"name", [&](auto& v, At at) { obstacle.name = reader.text(v, at); }},
               {"mesh",
                [&](auto& v, At at) {
                  io::MeshFrame frame = io::read_mesh(folder / reader.text(v, at));
                  obstacle.positions = std::move(frame.positions);
                  obstacle.faces = std::move(frame.mesh.faces);
                }},
               {"vertices", [&](auto& v, At at) { obstacle.positions = reader.vectors(v, at); }},
               {"faces", [&](auto& v, At at) { obstacle.faces = reader.index_lists<3>(v, at); }}});
  return obstacle;
}

}  // namespace

Json to_json(const sim::soft::Model& model) {
  Json bodies = Json::array(), obstacles = Json::array();
  for (const sim::soft::Body& body : model.bodies) bodies.push_back(body_json(body));
  for (const sim::soft::Obstacle& obstacle : model.obstacles)
    obstacles.push_back({{"name", obstacle.name},
                         {"vertices", to_json(obstacle.positions)},
                         {"faces", obstacle.faces}});
  return {{"format", soft_scene_format}, {"gravity", to_json(model.gravity)}, {"step", model.step},
          {"reach", model.reach},        {"repulsion", model.repulsion},      {"bodies", bodies},
          {"obstacles", obstacles}};
}

sim::soft::Model read_soft_scene(const std::string& file) {
  const JsonReader reader(file, soft_scene_format);
  const auto folder = std::filesystem::path(file).parent_path();
  sim::soft::Model model;
  reader.require(reader.json(), "", {"bodies"});
  reader.read(reader.json(), "",
              {{"format", [](auto&, At) {}},
               {"gravity", [&](auto& v, At at) { model.gravity = reader.vector(v, at); }},
               {"step", [&](auto& v, At at) { model.step = reader.number(v, at); }},
               {"reach", [&](auto& v, At at) { model.reach = reader.number(v, at); }},
               {"repulsion", [&](auto& v, At at) { model.repulsion = reader.number(v, at); }},
               {"bodies",
                [&](auto& v, At at) {
                  reader.each(v, at, [&](auto& json, At inner) {
                    model.bodies.push_back(read_body(reader, json, inner, folder));
                  });
                }},
               {"obstacles", [&](auto& v, At at) {
                  reader.each(v, at, [&](auto& json, At inner) {
                    model.obstacles.push_back(read_obstacle(reader, json, inner, folder));
                  });
                }}});
  if (const std::string wrong = problem(model); !wrong.empty()) reader.fail("", wrong);
  return model;
}

Json to_json(const sim::soft::State& state) {
  return {{"format", soft_state_format},
          {"time", state.time},
          {"positions", to_json(state.positions)},
          {"velocities", to_json(state.velocities)}};
}

sim::soft::State read_soft_state(const std::string& file, const sim::soft::State& like) {
  const JsonReader reader(file, soft_state_format);
  sim::soft::State state;
  reader.require(reader.json(), "", {"time", "positions", "velocities"});
  reader.read(reader.json(), "",
              {{"format", [](auto&, At) {}},
               {"time", [&](auto& v, At at) { state.time = reader.number(v, at); }},
               {"positions", [&](auto& v, At at) { state.positions = reader.vectors(v, at); }},
               {"velocities", [&](auto& v, At at) { state.velocities = reader.vectors(v, at); }}});
  if (state.positions.size() != like.positions.size() ||
      state.velocities.size() != like.velocities.size())
    reader.fail("", "is the state of another scene: the number of vertices differs");
  return state;
}

}  // namespace graze::command
