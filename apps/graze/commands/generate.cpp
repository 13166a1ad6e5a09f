#include <fmt/format.h>

#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands/command.h"
#include "graze/generate/families.h"
#include "graze/generate/models.h"
#include "graze/generate/scenes.h"
#include "graze/io/mesh_files.h"
#include "graze/io/query_files.h"
#include "terminal/interrupt.h"
#include "terminal/terminal.h"

namespace graze::command {
namespace {

struct GenerateArguments {
  std::string family, out;
  std::optional<Kind> kind;
  std::optional<std::size_t> count, frames;
  std::optional<std::uint64_t> seed;
  bool json = false;
};

void list_families(bool json) {
  if (json) {
    auto array = nlohmann::ordered_json::array();
    for (const generate::Family& family : generate::families())
      array.push_back({{"name", family.name},
                       {"degenerate", family.degenerate},
                       {"description", family.description},
                       {"scene", false},
                       {"model", false}});
    for (const generate::SceneRecipe& recipe : generate::scene_recipes())
      array.push_back({{"name", recipe.name},
                       {"degenerate", false},
                       {"description", recipe.description},
                       {"scene", true},
                       {"model", false}});
    for (const generate::ModelRecipe& recipe : generate::model_recipes())
      array.push_back({{"name", recipe.name},
                       {"degenerate", false},
                       {"description", recipe.description},
                       {"scene", false},
                       {"model", true}});
    print(array);
    return;
  }
  report::Table table;
  for (const char* title : {"family", "position", "queries"})
    table.columns.push_back({title, false});
  for (const generate::Family& family : generate::families())
    table.rows.push_back({{std::string(family.name)},
                          {family.degenerate ? "degenerate" : "generic"},
                          {std::string(family.description)}});
  for (const generate::SceneRecipe& recipe : generate::scene_recipes())
    table.rows.push_back(
        {{std::string(recipe.name)}, {"scene"}, {std::string(recipe.description)}});
  for (const generate::ModelRecipe& recipe : generate::model_recipes())
    table.rows.push_back(
        {{std::string(recipe.name)}, {"model"}, {std::string(recipe.description)}});
  print(table);
}

// Writes 0.ply, 1.ply, ... into the folder.
void make_scene(const generate::SceneRecipe& recipe, const GenerateArguments& arguments,
                const CLI::App& command) {
  refuse_options(command, {"--kind", "--seed"}, "a scene");
  if (arguments.out.empty()) throw UsageError("a scene needs --out FOLDER");
  const std::size_t count = arguments.count.value_or(1000), frames = arguments.frames.value_or(3);
  if (count > 100'000'000)
    throw UsageError("--count must be in 1 .. 100,000,000 triangles for a scene");
  const std::filesystem::path folder = arguments.out;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw io::FileError(arguments.out, error.message());
  generate::FrameSequence scene;
  {
    ProgressBar bar("generating");
    scene = recipe.make(count, frames);
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
               report::format_count(scene.mesh.faces.size()), arguments.out);
}

void make_model(const generate::ModelRecipe& recipe, const GenerateArguments& arguments,
                const CLI::App& command) {
  refuse_options(command, {"--kind", "--seed", "--count", "--frames"}, "a model");
  if (arguments.out.empty()) throw UsageError("a model needs --out FILE.obj or --out FILE.ply");
  check_writable(arguments.out);
  generate::SurfaceModel model = recipe.make();
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
    fmt::print("wrote {} with {} triangles to {}\n", recipe.name, report::format_count(triangles),
               arguments.out);
}

void run(const GenerateArguments& arguments, const CLI::App& command) {
  if (arguments.family == "list") {
    refuse_options(command, {"--kind", "--seed", "--count", "--frames", "--out"}, "the list");
    return list_families(arguments.json);
  }
  if (const generate::SceneRecipe* recipe = generate::find_scene_recipe(arguments.family))
    return make_scene(*recipe, arguments, command);
  if (const generate::ModelRecipe* recipe = generate::find_model_recipe(arguments.family))
    return make_model(*recipe, arguments, command);
  const generate::Family* family = generate::find_family(arguments.family);
  if (!family)
    throw UsageError(
        fmt::format("no family has the name '{}'; see graze generate list", arguments.family));
  if (arguments.kind != Kind::vertex_face && arguments.kind != Kind::edge_edge)
    throw UsageError("a family needs --kind vertex-face or --kind edge-edge");
  refuse_options(command, {"--frames"}, "a family of queries");
  if (arguments.out.empty()) throw UsageError("a family needs --out FILE.csv or --out FILE.npy");
  const std::size_t count = arguments.count.value_or(1000);
  const std::uint64_t seed = arguments.seed.value_or(1);
  check_writable(arguments.out);
  const auto make = [&](auto generate) {
    const auto queries = [&] {
      const ProgressBar bar("generating");
      return generate(*family, count, seed);
    }();
    const ProgressBar bar("writing " + arguments.out);
    const Uninterrupted guard;
    io::write_queries(arguments.out, std::span(queries));
  };
  if (*arguments.kind == Kind::vertex_face)
    make(generate::generate_vertex_face);
  else
    make(generate::generate_edge_edge);

  if (arguments.json) {
    const nlohmann::ordered_json json = {{"family", family->name},
                                         {"kind", name(*arguments.kind)},
                                         {"count", count},
                                         {"seed", seed},
                                         {"out", arguments.out}};
    print(json);
  } else {
    fmt::print("wrote {} {} queries of {} to {}\n", report::format_count(count),
               name(*arguments.kind), family->name, arguments.out);
  }
}

}  // namespace

void add_generate(CLI::App& app) {
  auto& command = *app.add_subcommand("generate", "Generate query files, scenes and models");
  const auto arguments = std::make_shared<GenerateArguments>();
  command
      .add_option("FAMILY", arguments->family,
                  "a family of queries, a scene or a model; list shows all")
      ->required();
  add_kind(command, arguments->kind);
  add_whole_number(command, "--count", arguments->count, 1, 1'000'000'000,
                   "number of queries, or approximate number of triangles of a scene [1000]");
  add_whole_number(command, "--seed", arguments->seed, 0, std::numeric_limits<std::uint64_t>::max(),
                   "seed of the queries [1]");
  add_whole_number(command, "--frames", arguments->frames, 2, 10'000,
                   "number of frames of a scene [3]");
  command.add_option("--out", arguments->out,
                     "queries: FILE.csv or FILE.npy; scene: a folder; model: FILE.obj or FILE.ply");
  add_json(command, arguments->json);
  command.footer(
      "\nExamples:\n"
      "  graze generate list\n"
      "  graze generate random --kind vertex-face --count 100000 --seed 7 --out random.npy\n"
      "  graze generate cloth_on_cone --count 100000 --out cloth\n"
      "  graze generate knot_2880 --out knot.obj");
  command.callback([arguments, &command] { run(*arguments, command); });
}

}  // namespace graze::command
