#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "commands/command.h"
#include "graze/io/mesh_files.h"
#include "graze/io/query_files.h"
#include "terminal/interrupt.h"
#include "terminal/report.h"
#include "terminal/terminal.h"

namespace graze::command {
namespace {

struct ConvertArguments {
  std::string in, out;
  bool json = false;
};

void convert_mesh(const ConvertArguments& arguments) {
  const io::MeshFrame frame = [&] {
    const ProgressBar bar("reading " + arguments.in);
    return io::read_mesh(arguments.in);
  }();
  const ProgressBar bar("writing " + arguments.out);
  const Uninterrupted guard;
  io::write_mesh(arguments.out, frame.mesh, frame.positions);
  if (arguments.json)
    print(nlohmann::ordered_json{{"in", arguments.in},
                                 {"out", arguments.out},
                                 {"vertices", frame.mesh.vertex_count},
                                 {"faces", frame.mesh.faces.size()}});
  else
    fmt::print("wrote {} vertices and {} faces to {}\n",
               report::format_count(frame.mesh.vertex_count),
               report::format_count(frame.mesh.faces.size()), arguments.out);
}

void run(const ConvertArguments& arguments) {
  check_writable(arguments.out);
  if (io::is_mesh_file(arguments.in)) return convert_mesh(arguments);
  const auto queries = [&] {
    const ProgressBar bar("reading " + arguments.in);
    return io::read_queries(arguments.in);
  }();
  {
    const ProgressBar bar("writing " + arguments.out);
    const Uninterrupted guard;
    io::write_queries(arguments.out, queries);
  }
  const bool truth = !queries.truth().empty();
  if (arguments.json) {
    const nlohmann::ordered_json json = {{"in", arguments.in},
                                         {"out", arguments.out},
                                         {"queries", queries.size()},
                                         {"truth", truth}};
    print(json);
  } else {
    fmt::print("wrote {} queries {} truth to {}\n", report::format_count(queries.size()),
               truth ? "with" : "without", arguments.out);
  }
}

}  // namespace

void add_convert(CLI::App& app) {
  auto& command =
      *app.add_subcommand("convert", "Convert query files between CSV and NPY, and mesh files");
  const auto arguments = std::make_shared<ConvertArguments>();
  command.add_option("IN", arguments->in, ".csv or .npy; .ply, .obj, .off or .stl")->required();
  command.add_option("OUT", arguments->out, ".npy or .csv; .ply (binary) or .obj")->required();
  add_json(command, arguments->json);
  command.footer(
      "\nNAME.truth.npy stores the truth of the queries of NAME.npy, one byte each. CSV cannot "
      "store NaN\n"
      "and infinity.\n"
      "\nExamples:\n"
      "  graze convert vertex-face.csv vertex-face.npy\n"
      "  graze convert cloth.obj cloth.ply");
  command.callback([arguments] { run(*arguments); });
}

}  // namespace graze::command
