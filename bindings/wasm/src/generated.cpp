// Generated queries, scenes and models, for the playground and the tests of the package.
#include <string>
#include <string_view>

#include "graze/generate/families.h"
#include "graze/generate/models.h"
#include "graze/generate/scenes.h"
#include "results.h"

using namespace graze;
using graze::wasm::results;

// Text: the names of the families, scenes and models, as JSON.
GRAZE_EXPORT(generated_names) void generated_names() {
  std::string& json = results().text;
  const auto list = [&](std::string_view name, const auto& rows, bool described) {
    wasm::append_text(json, name);
    json += ":[";
    for (const auto& row : rows) {
      if (&row != &rows.front()) json += ',';
      json += "{\"name\":";
      wasm::append_text(json, row.name);
      json += ",\"description\":";
      wasm::append_text(json, row.description);
      json += '}';
    }
    json += described ? "]," : "]";
  };
  json = "{";
  list("families", generate::families(), true);
  list("scenes", generate::scene_recipes(), true);
  list("models", generate::model_recipes(), false);
  json += "}";
}

// Numbers: `count` queries of the family with this index, vertex-face (kind 0) or edge-edge (kind
// 1).
GRAZE_EXPORT(generate_queries)
void generate_queries(std::size_t family, int kind, std::size_t count, double seed) {
  const auto add = [](const auto& queries) {
    for (const auto& query : queries) {
      for (const Vec3& corner : query.start) wasm::add(results().numbers, corner);
      for (const Vec3& corner : query.end) wasm::add(results().numbers, corner);
    }
  };
  const generate::Family& row = generate::families()[family];
  const auto first = static_cast<std::uint64_t>(seed);
  if (kind == 0)
    add(generate::generate_vertex_face(row, count, first));
  else
    add(generate::generate_edge_edge(row, count, first));
}

// Numbers: the frames, one after the other. Indices: the vertex count, then the faces.
GRAZE_EXPORT(generate_scene)
void generate_scene(std::size_t scene, std::size_t triangles, std::size_t frames) {
  const generate::FrameSequence made = generate::scene_recipes()[scene].make(triangles, frames);
  results().indices = {static_cast<std::uint32_t>(made.mesh.vertex_count)};
  for (const Face& face : made.mesh.faces)
    results().indices.insert(results().indices.end(), face.begin(), face.end());
  for (const std::vector<Vec3>& frame : made.frames)
    for (const Vec3& position : frame) wasm::add(results().numbers, position);
}

// Numbers: the vertices. Indices: the faces.
GRAZE_EXPORT(generate_model) void generate_model(std::size_t model) {
  const generate::SurfaceModel made = generate::model_recipes()[model].make();
  for (const Vec3& vertex : made.vertices) wasm::add(results().numbers, vertex);
  for (const Face& face : made.faces)
    results().indices.insert(results().indices.end(), face.begin(), face.end());
}
