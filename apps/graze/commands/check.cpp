#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands/command.h"
#include "commands/step.h"
#include "graze/check_mesh.h"
#include "graze/io/mesh_files.h"
#include "graze/io/recording.h"
#include "terminal/interrupt.h"
#include "terminal/json_values.h"
#include "terminal/page.h"
#include "terminal/report.h"
#include "terminal/terminal.h"

namespace graze::command {
namespace {

struct CheckArguments {
  std::vector<std::string> files;
  std::string html, record;
  bool closed = false, json = false;
  int threads = 0;
};

// One or two meshes with the answer. For two meshes only the intersections are searched for.
struct Checked {
  std::vector<std::string> files;
  std::vector<io::MeshFrame> meshes;
  MeshCheck check;

  const io::MeshFrame& last() const { return meshes.back(); }
};

int code_of(const Checked& checked, bool closed) {
  const MeshCheck& check = checked.check;
  if (check.intersections.verdict == Verdict::undecided) return 3;
  return check.is_clean() && (!closed || check.is_closed()) ? 0 : 1;
}

Json json_of(const Checked& checked) {
  const MeshCheck& check = checked.check;
  Json answer = {{"files", checked.files}};
  if (checked.meshes.size() == 1) {
    const Mesh& mesh = checked.meshes[0].mesh;
    answer["vertices"] = mesh.vertex_count;
    answer["edges"] = mesh.edges.size();
    answer["faces"] = mesh.faces.size();
    answer["clean"] = check.is_clean();
    answer["manifold"] = check.is_manifold();
    answer["closed"] = check.is_closed();
    answer["oriented"] = check.is_oriented();
    const auto edges = [&](const std::vector<std::uint32_t>& indices) {
      Json list = Json::array();
      for (const std::uint32_t i : indices) list.push_back(mesh.edges[i]);
      return list;
    };
    answer["border_edges"] = edges(check.border_edges);
    answer["branched_edges"] = edges(check.branched_edges);
    answer["turned_edges"] = edges(check.turned_edges);
    answer["pinched_vertices"] = check.pinched_vertices;
    answer["flat_faces"] = check.flat_faces;
    answer["repeated_positions"] = check.repeated_positions;
  }
  Json pairs = Json::array();
  for (const FaceIntersection& pair : check.intersections.faces)
    pairs.push_back({{"a", pair.a},
                     {"b", pair.b},
                     {"contact", name(pair.contact)},
                     {"point", {pair.point[0], pair.point[1], pair.point[2]}}});
  answer["intersections"] = pairs;
  return answer;
}

// Prints the number of faults of one kind and the first few of them.
void print_faults(std::string_view what, std::size_t count, const auto& nth) {
  if (count == 0) return;
  constexpr std::size_t shown = 5;
  fmt::print("{}: {} (", what, report::format_count(count));
  for (std::size_t i = 0; i < std::min(count, shown); ++i)
    fmt::print("{}{}", i == 0 ? "" : ", ", nth(i));
  fmt::print("{})\n", count > shown ? ", …" : "");
}

void print_surface(const Checked& checked, bool closed) {
  const Mesh& mesh = checked.meshes[0].mesh;
  const MeshCheck& check = checked.check;
  const auto index = [](const std::vector<std::uint32_t>& list) {
    return [&list](std::size_t i) { return std::to_string(list[i]); };
  };
  const auto edge = [&](const std::vector<std::uint32_t>& list) {
    return [&](std::size_t i) {
      return fmt::format("{}-{}", mesh.edges[list[i]][0], mesh.edges[list[i]][1]);
    };
  };
  const bool open = closed && !check.is_closed();
  fmt::print("{}: {}; {} vertices, {} edges, {} faces\n", checked.files[0],
             !check.is_clean() || open ? "has faults" : "clean",
             report::format_count(mesh.vertex_count), report::format_count(mesh.edges.size()),
             report::format_count(mesh.faces.size()));
  fmt::print("manifold: {}; closed: {}; oriented: {}; intersects itself: {}\n",
             check.is_manifold() ? "yes" : "no", check.is_closed() ? "yes" : "no",
             check.is_oriented() ? "yes" : "no",
             check.intersections.verdict == Verdict::separated ? "no" : "yes");
  print_faults("edges of one face", check.border_edges.size(), edge(check.border_edges));
  print_faults("edges of three or more faces", check.branched_edges.size(),
               edge(check.branched_edges));
  print_faults("edges that two faces pass in the same direction", check.turned_edges.size(),
               edge(check.turned_edges));
  print_faults("vertices with more than one fan of faces", check.pinched_vertices.size(),
               index(check.pinched_vertices));
  print_faults("faces without area", check.flat_faces.size(), index(check.flat_faces));
  print_faults("vertices at the position of another one", check.repeated_positions.size(),
               index(check.repeated_positions));
}

void print_intersections(const Checked& checked) {
  const auto& faces = checked.check.intersections.faces;
  if (checked.meshes.size() == 2)
    fmt::print("{} and {}: {}\n", checked.files[0], checked.files[1],
               faces.empty() ? "no intersection" : "intersect");
  print_faults("pairs of faces that intersect", faces.size(), [&](std::size_t i) {
    return fmt::format("{} and {} ({})", faces[i].a, faces[i].b, name(faces[i].contact));
  });
}

io::Recording recording_of(const Checked& checked) {
  const MeshCheck& check = checked.check;
  io::Recording recording;
  recording.title = "graze check";
  for (const std::string& file : checked.files)
    recording.title += " " + std::filesystem::path(file).filename().string();
  if (checked.meshes.size() == 1)
    recording.facts = {{"manifold", check.is_manifold() ? "yes" : "no"},
                       {"closed", check.is_closed() ? "yes" : "no"},
                       {"oriented", check.is_oriented() ? "yes" : "no"},
                       {"faces without area", report::format_count(check.flat_faces.size())}};
  recording.facts.emplace_back("pairs of faces that intersect",
                               report::format_count(check.intersections.faces.size()));
  for (std::size_t i = 0; i < checked.meshes.size(); ++i)
    recording.add_body(
        io::recorded_body(checked.files[i], checked.meshes[i].mesh, checked.meshes[i].positions));
  recording.begin_frame(0);
  const auto vertices = [](const Face& face) {
    return std::vector<std::uint32_t>(face.begin(), face.end());
  };
  const auto last = static_cast<std::uint32_t>(checked.meshes.size() - 1);
  for (const FaceIntersection& pair : check.intersections.faces)
    recording.add_contact({.time = 0,
                           .point = pair.point,
                           .normal = Vec3::Zero(),
                           .kind = fmt::format("{} faces", name(pair.contact)),
                           .body_a = 0,
                           .body_b = last,
                           .vertices_a = vertices(checked.meshes[0].mesh.faces[pair.a]),
                           .vertices_b = vertices(checked.last().mesh.faces[pair.b]),
                           .name_a = pair.a,
                           .name_b = pair.b});
  return recording;
}

int run(const CheckArguments& arguments) {
  check_page(arguments.html);
  if (arguments.closed && arguments.files.size() > 1)
    throw UsageError("--closed needs a single mesh; two meshes are only tested for intersections");
  Checked checked{arguments.files, {}, {}};
  {
    const ProgressBar bar("reading");
    for (const std::string& file : arguments.files) {
      checked.meshes.push_back(io::read_mesh(file));
      check_positions(file, checked.last().positions);
    }
  }
  {
    const ProgressBar bar("checking");
    const Run run{.threads = arguments.threads};
    const io::MeshFrame& first = checked.meshes[0];
    if (checked.meshes.size() == 1)
      checked.check = check_mesh(first.mesh, first.positions, run);
    else
      checked.check.intersections = find_intersections(
          first.mesh, first.positions, checked.last().mesh, checked.last().positions, run);
  }
  if (!arguments.html.empty() || !arguments.record.empty()) {
    const ProgressBar bar("writing");
    show(arguments.html, arguments.record, recording_of(checked));
  }
  if (arguments.json) {
    print(json_of(checked));
  } else {
    if (checked.meshes.size() == 1) print_surface(checked, arguments.closed);
    print_intersections(checked);
  }
  return code_of(checked, arguments.closed);
}

}  // namespace

void add_check(CLI::App& app, int& exit_code) {
  auto& command = *app.add_subcommand(
      "check", "Find faults of a surface: intersecting faces, holes, faces without area");
  const auto arguments = std::make_shared<CheckArguments>();
  command
      .add_option("MESH", arguments->files,
                  "a mesh: .ply, .obj, .off or .stl; with a second one, the intersections of both")
      ->required()
      ->expected(1, 2);
  command.add_flag("--closed", arguments->closed, "report an open surface as a fault");
  add_show_options(command, arguments->html, arguments->record);
  add_threads(command, arguments->threads);
  add_json(command, arguments->json);
  command.footer(
      "Exact for the positions in the file. Vertices and faces count from 0. Faces with common\n"
      "vertices intersect if they have other points in common.\n"
      "\nExit codes: 0 clean, 1 fault found, 2 bad input or bad usage, 130 interrupted.\n"
      "\nExamples:\n"
      "  graze check bunny.obj\n"
      "  graze check part.stl --closed --json\n"
      "  graze check body.ply cloth.ply --html check.html");
  command.callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace graze::command
