#include "graze/generate/families.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "command.h"
#include "graze/generate/models.h"
#include "graze/generate/scenes.h"
#include "graze/io/mesh_files.h"
#include "graze/io/query_files.h"
#include "interrupt.h"
#include "terminal.h"

namespace graze::command {
namespace {

struct Arguments {
  std::string family, out;
  std::optional<bench::Kind> kind;
  std::size_t count = 1000, frames = 3;
  std::uint64_t seed = 1;
  bool json = false;
};

void list_families(bool json) {
  if (json) {
    auto array = nlohmann::ordered_json::array();
    for (const Family& family : families())
      array.push_back({{"name", family.name},
                       {"degenerate", family.degenerate},
                       {"description", family.description},
                       {"scene", false},
                       {"model", false}});
    for (const SceneRecipe& recipe : scene_recipes())
      array.push_back({{"name", recipe.name},
                       {"degenerate", false},
                       {"description", recipe.description},
                       {"scene", true},
                       {"model", false}});
    for (const ModelRecipe& recipe : model_recipes())
      array.push_back({{"name", recipe.name},
                       {"degenerate", false},
                       {"description", recipe.description},
                       {"scene", false},
                       {"model", true}});
    print(array);
    return;
  }
  io::Table table;
  for (const char* title : {"family", "position", "queries"})
    table.columns.push_back({title, false});
  for (const Family& family : families())
    table.rows.push_back({{std::string(family.name)},
                          {family.degenerate ? "degenerate" : "generic"},
                          {std::string(family.description)}});
  for (const SceneRecipe& recipe : scene_recipes())
    table.rows.push_back(
        {{std::string(recipe.name)}, {"scene"}, {std::string(recipe.description)}});
  for (const ModelRecipe& recipe : model_recipes())
    table.rows.push_back(
        {{std::string(recipe.name)}, {"model"}, {std::string(recipe.description)}});
  print(table);
}

// 0.ply, 1.ply, ... in a folder.
void make_scene(const SceneRecipe& recipe, const Arguments& arguments) {
  if (arguments.kind) throw UsageError("a scene has no --kind");
  if (arguments.out.empty()) throw UsageError("generate needs --out FOLDER for a scene");
  if (arguments.count < 1 || arguments.count > 100'000'000)
    throw UsageError("--count must be in 1 .. 100,000,000 triangles");
  if (arguments.frames < 2 || arguments.frames > 10'000)
    throw UsageError("--frames must be in 2 .. 10,000");
  const std::filesystem::path folder = arguments.out;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw io::FileError(arguments.out, error.message());
  FrameSequence scene;
  {
    ProgressBar bar("generating");
    scene = recipe.make(arguments.count, arguments.frames);
    for (std::size_t i = 0; i < scene.frames.size(); ++i) {
      bar("writing", double(i) / double(scene.frames.size()));
      const Uninterrupted guard;
      io::write_mesh(folder / fmt::format("{}.ply", i), scene.mesh, scene.frames[i]);
    }
  }
  if (arguments.json)
    print(nlohmann::ordered_json{{"scene", recipe.name},
                                 {"triangles", scene.mesh.faces.size()},
                                 {"frames", scene.frames.size()},
                                 {"out", arguments.out}});
  else
    fmt::print("wrote {} frames of {} with {} triangles to {}\n", scene.frames.size(), recipe.name,
               io::format_count(scene.mesh.faces.size()), arguments.out);
}

void make_model(const ModelRecipe& recipe, const Arguments& arguments) {
  if (arguments.kind) throw UsageError("a model has no --kind");
  if (arguments.out.empty()) throw UsageError("generate needs --out FILE.obj or --out FILE.ply");
  check_writable(arguments.out);
  SurfaceModel model = recipe.make();
  const std::size_t triangles = model.faces.size();
  {
    const Uninterrupted guard;
    io::write_mesh(arguments.out, make_mesh(model.vertices.size(), std::move(model.faces)),
                   model.vertices);
  }
  if (arguments.json)
    print(nlohmann::ordered_json{
        {"model", recipe.name}, {"triangles", triangles}, {"out", arguments.out}});
  else
    fmt::print("wrote {} with {} triangles to {}\n", recipe.name, io::format_count(triangles),
               arguments.out);
}

void run(const Arguments& arguments) {
  if (arguments.family == "list") return list_families(arguments.json);
  if (const SceneRecipe* recipe = find_scene_recipe(arguments.family))
    return make_scene(*recipe, arguments);
  if (const ModelRecipe* recipe = find_model_recipe(arguments.family))
    return make_model(*recipe, arguments);
  const Family* family = find_family(arguments.family);
  if (!family)
    throw UsageError(
        fmt::format("no family is called '{}'; see graze generate list", arguments.family));
  if (!arguments.kind) throw UsageError("generate needs --kind vertex-face or --kind edge-edge");
  if (arguments.out.empty()) throw UsageError("generate needs --out FILE.csv or --out FILE.npy");
  check_writable(arguments.out);
  const auto make = [&](auto generate) {
    const auto queries = [&] {
      const ProgressBar bar("generating");
      return generate(*family, arguments.count, arguments.seed);
    }();
    const ProgressBar bar("writing " + arguments.out);
    const Uninterrupted guard;
    io::write_queries(arguments.out, std::span(queries));
  };
  if (*arguments.kind == bench::Kind::vertex_face)
    make(generate_vertex_face);
  else
    make(generate_edge_edge);

  if (arguments.json) {
    const nlohmann::ordered_json json = {{"family", family->name},
                                         {"kind", name(*arguments.kind)},
                                         {"count", arguments.count},
                                         {"seed", arguments.seed},
                                         {"out", arguments.out}};
    print(json);
  } else {
    fmt::print("wrote {} {} queries of {} to {}\n", io::format_count(arguments.count),
               name(*arguments.kind), family->name, arguments.out);
  }
}

}  // namespace

void add_generate(CLI::App& app) {
  auto& command = *app.add_subcommand("generate", "Make query files, scenes and models");
  const auto arguments = std::make_shared<Arguments>();
  command.add_option("FAMILY", arguments->family, "a family of queries, a scene, a model, or list")
      ->required();
  add_kind(command, arguments->kind);
  command.add_option("--count", arguments->count, "number of queries, or about that of triangles")
      ->capture_default_str();
  command.add_option("--seed", arguments->seed, "other seeds give other queries")
      ->capture_default_str();
  command.add_option("--frames", arguments->frames, "of a scene")->capture_default_str();
  command.add_option("--out", arguments->out,
                     "FILE.csv or FILE.npy; the folder of a scene; FILE.obj of a model");
  add_json(command, arguments->json);
  command.footer(
      "\nExamples:\n"
      "  graze generate list\n"
      "  graze generate random --kind vertex-face --count 100000 --seed 7 --out random.npy\n"
      "  graze generate cloth_on_cone --count 100000 --out cloth\n"
      "  graze generate knot_2880 --out knot.obj");
  command.callback([arguments] { run(*arguments); });
}

}  // namespace graze::command
