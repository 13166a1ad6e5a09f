#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "graze/io/file_error.h"
#include "step.h"

namespace graze::command {

void add_step_options(CLI::App& command, StepArguments& arguments) {
  command.add_option("--method", arguments.method,
                     "see graze methods; exact, or separation_root with --min-separation");
  command
      .add_option("--broad", arguments.strategy,
                  "how pairs that may touch are found; moving_tree asks fewest")
      ->capture_default_str();
  command.add_flag("--skip-start-contacts", arguments.skip_start,
                   "what touches at the start counts only after it has parted");
  command.add_flag("--shared-vertices", arguments.shared_vertices,
                   "rods may also fold onto their neighbours");
  add_threads(command, arguments.threads);
  add_solver_options(command, arguments.query);
}

const Method& StepArguments::chosen_method() const {
  if (!method.empty()) return require_method(method);
  return require_method(query.min_separation > 0 ? "separation_root" : "exact");
}

StepOptions StepArguments::options() const {
  StepOptions options;
  options.method = &chosen_method();
  check_options(query, *options.method);
  options.query = query;
  options.strategy = find_pair_strategy(strategy);
  if (!options.strategy && strategy != StepArguments().strategy) {
    std::vector<std::string_view> known = {StepArguments().strategy};
    for (const PairStrategy& row : pair_strategies()) known.push_back(row.name);
    throw UsageError(fmt::format("no broad strategy is called '{}'; there are {}", strategy,
                                 fmt::join(known, ", ")));
  }
  options.pairs.threads = threads;
  options.pairs.shared_vertices = shared_vertices;
  options.at_start = skip_start ? StartContacts::skip : StartContacts::report;
  return options;
}

void check_primitives(const StepArguments& arguments, const Mesh& mesh) {
  const Method& method = arguments.chosen_method();
  if (!mesh.edges.empty()) check_primitive(method, bench::Kind::edge_edge);
  if (!mesh.faces.empty() || !mesh.points.empty() || arguments.shared_vertices)
    check_primitive(method, bench::Kind::vertex_face);
}

void require_finite(const std::string& file, std::span<const Vec3> positions) {
  const auto bad = std::find_if(positions.begin(), positions.end(),
                                [](const Vec3& position) { return !position.allFinite(); });
  if (bad != positions.end())
    throw io::FileError(file, fmt::format("vertex {} is NaN or infinite", bad - positions.begin()));
}

std::size_t count_contacts(const AllImpacts& all) {
  return static_cast<std::size_t>(std::count_if(
      all.impacts.begin(), all.impacts.end(),
      [](const StepImpact& found) { return found.impact.verdict == Verdict::contact; }));
}

std::string describe(const StepImpact& first, const MovingMesh& moving, double t_max) {
  if (first.impact.verdict == Verdict::separated)
    return t_max < 1 ? fmt::format("free: no contact up to {}", t_max) : "free: no contact";
  const auto ids = feature_ids(moving.mesh, first.kind, first.pair);
  const auto names = std::string(name(first.kind));
  const auto dash = names.find('-');
  std::string text =
      fmt::format("{} at {}: {} {} and {} {}", name(first.impact.verdict), first.impact.toi,
                  names.substr(0, dash), ids[0], names.substr(dash + 1), ids[1]);
  const Vec3 point = contact_position(moving, first);
  if (point.allFinite())
    text += fmt::format(" at ({:.6g}, {:.6g}, {:.6g})", point[0], point[1], point[2]);
  return text;
}

}  // namespace graze::command
