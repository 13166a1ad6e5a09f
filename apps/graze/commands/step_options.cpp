#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "commands/step.h"
#include "graze/io/file_error.h"

namespace graze::command {

void add_step_options(CLI::App& command, StepArguments& arguments) {
  add_method(command, arguments.method);
  command
      .add_option(
          "--broad", arguments.strategy,
          "how pairs that may touch are found: default (moving_tree for exact methods, box_tree "
          "for others) or the name of a strategy")
      ->capture_default_str();
  command.add_flag("--skip-start-contacts", arguments.skip_start,
                   "report pairs that touch at the start only after they have parted");
  command
      .add_option(
          "--start-check", arguments.start_check,
          "on: edges that pierce faces at the start are contact at 0 (edge-face); off: they "
          "are not searched for, for a start that is known to be free of intersections")
      ->transform(CLI::CheckedTransformer(
                      std::map<std::string, std::string>{{"on", "true"}, {"off", "false"}})
                      .description(""))
      ->default_str("on")
      ->type_name("on|off");
  command.add_flag("--shared-vertices", arguments.shared_vertices,
                   "also test edges of rods that share a vertex against each other");
  add_threads(command, arguments.threads);
  add_solver_options(command, arguments.query);
}

StepOptions StepArguments::options() const {
  StepOptions options;
  options.method = &method_row();
  check_options(query, *options.method);
  options.query = query;
  options.strategy = find_pair_strategy(strategy);
  if (!options.strategy && strategy != StepArguments().strategy) {
    std::string known = StepArguments().strategy;
    for (const PairStrategy& row : pair_strategies()) known += fmt::format(", {}", row.name);
    throw UsageError(fmt::format("--broad: no strategy has the name '{}'; the strategies are {}",
                                 strategy, known));
  }
  options.pairs.shared_vertices = shared_vertices;
  options.start_check = start_check;
  options.at_start = skip_start ? StartContacts::skip : StartContacts::report;
  return options;
}

StepOptions StepArguments::curved_options(const std::string& option) const {
  if (query.min_separation > 0) throw UsageError(option + " cannot be used with --min-separation");
  if (skip_start) throw UsageError(option + " cannot be used with --skip-start-contacts");
  StepOptions result = options();
  if (method.empty()) result.method = &default_curved_method();
  if (!result.method->has_curved(Kind::vertex_face))
    throw UsageError(fmt::format("{}: the method {} does not answer queries on curves; use {}",
                                 option, result.method->name, default_curved_method().name));
  return result;
}

void check_primitives(const StepArguments& arguments, const Mesh& mesh) {
  const Method& method = arguments.method_row();
  if (!mesh.edges.empty()) check_primitive(method, Kind::edge_edge);
  if (!mesh.faces.empty() || !mesh.points.empty() || arguments.shared_vertices)
    check_primitive(method, Kind::vertex_face);
}

void check_positions(const std::string& file, std::span<const Vec3> positions) {
  if (positions.empty()) throw io::FileError(file, "contains no vertices");
  require_finite(file, positions);
}

void require_finite(const std::string& file, std::span<const Vec3> positions) {
  for (std::size_t i = 0; i < positions.size(); ++i)
    for (int axis = 0; axis < 3; ++axis)
      if (const double x = positions[i][axis]; !std::isfinite(x))
        throw io::FileError(file, fmt::format("vertex {} (counted from 0): {} is {}", i,
                                              "xyz"[axis], std::isnan(x) ? "NaN" : "infinite"));
}

void check_valid(Verdict verdict) {
  if (verdict == Verdict::invalid)
    throw UsageError("the step is invalid: the method cannot use these options on this mesh");
}

std::size_t count_contacts(const AllImpacts& all) {
  return static_cast<std::size_t>(std::count_if(
      all.impacts.begin(), all.impacts.end(),
      [](const StepImpact& found) { return found.impact.verdict == Verdict::contact; }));
}

ShownImpact::ShownImpact(const StepImpact& impact, const CurvedMesh& curved)
    : found(impact), ids(feature_ids(curved.mesh, impact.kind, impact.pair)) {
  const std::vector<Vec3> at = positions_at(curved, impact.impact.toi);
  point = contact_position({curved.mesh, at, at}, impact);
}

std::string describe(Verdict verdict, const ShownImpact& shown, double t_max) {
  const StepImpact& first = shown.found;
  if (verdict == Verdict::separated)
    return t_max < 1 ? fmt::format("free: no contact up to t = {}", t_max) : "free: no contact";
  if (first.impact.verdict == Verdict::separated)  // the search ended before the first impact
    return fmt::format("{}", name(verdict));
  const auto names = std::string(name(first.kind));
  const auto dash = names.find('-');
  std::string text = fmt::format("{} at t = {}: {} {} {} {} {}", name(first.impact.verdict),
                                 first.impact.toi, names.substr(0, dash), shown.ids[0],
                                 first.kind == Kind::edge_face ? "pierces" : "and",
                                 names.substr(dash + 1), shown.ids[1]);
  if (const Vec3& point = shown.point; point.allFinite())
    text += fmt::format(" at ({:.6g}, {:.6g}, {:.6g})", point[0], point[1], point[2]);
  return text;
}

}  // namespace graze::command
