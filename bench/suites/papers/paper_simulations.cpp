#include "bench/suites/papers/paper_simulations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/harness/timing.h"
#include "graze/check_mesh.h"
#include "graze/generate/models.h"
#include "graze/io/mesh_files.h"
#include "graze/sim/elastic/soft_scenes.h"
#include "graze/sim/elastic/torus_scene.h"

namespace graze::bench {
namespace {

using Contacts = decltype(sim::soft::Options::contacts);

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

// A method of a figure, with the published time of the whole simulation.
struct Compared {
  const char* method;
  double distance_tol, published_seconds;
};
// FPRF of the paper is the floating-point root finder; here the one that supports a separation.
constexpr Compared figure_9_methods[] = {{"separation_root", no_number, no_number},
                                         {"tight_inclusion", 1e-1, 24.7},
                                         {"tight_inclusion", 1e-3, 25.2},
                                         {"tight_inclusion", 1e-6, 26.2},
                                         {"sextic_separation", no_number, 32.3}};
constexpr Compared figure_10_methods[] = {{"separation_root", no_number, no_number},
                                          {"tight_inclusion", 1e-3, 63.3},
                                          {"tight_inclusion", 3.1622776601e-5, 67.9},
                                          {"tight_inclusion", 1e-6, 67.0},
                                          {"sextic_separation", no_number, 102}};

SimulationRow simulate(const sim::soft::Model& model, double seconds, std::size_t steps,
                       Contacts contacts, const Compared& compared) {
  SimulationRow row{.method = compared.method,
                    .distance_tol = compared.distance_tol,
                    .steps = steps,
                    .published_seconds = compared.published_seconds};
  sim::soft::Options options;
  options.contacts = std::move(contacts);
  options.seconds = seconds;
  sim::soft::State state = start(model);
  row.vertices = state.positions.size();
  sim::soft::Workspace workspace(model);
  const sim::soft::ContactSurface& surface = workspace.surface();
  double collision = 0, all = 0;  // wall time, of which only the share is used
  for (std::size_t i = 0; i < steps; ++i) {
    const double begin = processor_seconds();
    const sim::soft::Report report = step(model, state, workspace, options, {.threads = 1});
    row.seconds += processor_seconds() - begin;
    collision += report.collision_seconds;
    all += report.collision_seconds + report.check_seconds + report.solver_seconds;
    row.iterations += static_cast<std::size_t>(report.iterations);
    row.crossing_frames +=
        find_intersections(surface.mesh, surface.positions(state.positions), surface.fixed)
            .verdict == Verdict::contact;
  }
  row.collision_share = collision / all;
  return row;
}

Contacts active_set(const Compared& compared) {
  sim::soft::Constraints constraints;
  constraints.collisions.method = find_method(compared.method);
  if (!std::isnan(compared.distance_tol))
    constraints.collisions.query.distance_tol = compared.distance_tol;
  constraints.certified = constraints.collisions.method->guarantee == Guarantee::exact;
  return constraints;
}

Contacts bounded_search(const sim::soft::Model& model, const Compared& compared) {
  sim::LineSearchOptions search = sim::soft::default_search(model);
  const Method* method = find_method(compared.method);
  if (method->guarantee != Guarantee::exact) search.method = method;
  if (!std::isnan(compared.distance_tol)) search.query.distance_tol = compared.distance_tol;
  return sim::soft::Barriers{search};
}

// The cow of the data, z up, or a generated figure.
generate::SurfaceModel falling_figure(const std::filesystem::path& data, bool& has_cow) {
  const std::filesystem::path cow = inside(data, "models/spot.obj");
  has_cow = std::filesystem::exists(cow);
  if (!has_cow) return generate::bumpy_figure(24, 16);
  io::MeshFrame frame = io::read_mesh(cow);
  for (Vec3& x : frame.positions) x = {x.x(), -x.z(), x.y()};
  return {std::move(frame.positions), std::move(frame.mesh.faces)};
}

const SimulationRow& finest(const std::vector<SimulationRow>& rows) {
  return *std::find_if(rows.begin(), rows.end(),
                       [](const SimulationRow& row) { return row.distance_tol == 1e-6; });
}

report::Table simulation_table(const std::vector<SimulationRow>& rows, const std::string& caption) {
  report::Table table{caption,
                      {{"method", false},
                       {"tolerance"},
                       {"steps"},
                       {"frames that intersect"},
                       {"iterations"},
                       {"time"},
                       {"collision detection"},
                       {"over tolerance 1e-6"},
                       {"published as", false},
                       {"publ. time"},
                       {"publ. over 1e-6"}},
                      {}};
  const SimulationRow& base = finest(rows);
  const auto ratio = [](double a, double b) { return fmt::format("{:.2f}", a / b); };
  for (const SimulationRow& row : rows) {
    const Method& method = *find_method(row.method);
    const bool has_tol = !std::isnan(row.distance_tol);
    table.rows.push_back({{row.method},
                          {has_tol ? fmt::format("{:.1e}", row.distance_tol) : "-"},
                          {report::format_count(row.steps)},
                          {report::format_count(row.crossing_frames),
                           row.crossing_frames == 0               ? report::Tone::plain
                           : method.guarantee == Guarantee::exact ? report::Tone::bad
                                                                  : report::Tone::alarm},
                          {report::format_count(row.iterations)},
                          {report::format_nanoseconds(1e9 * row.seconds)},
                          {fmt::format("{:.1f} %", 100 * row.collision_share)},
                          {ratio(row.seconds, base.seconds)}});
    if (std::isnan(row.published_seconds)) continue;
    auto& cells = table.rows.back();
    cells.push_back({has_tol ? "Ours" : "FPRF", report::Tone::faint});
    cells.push_back({report::format_nanoseconds(1e9 * row.published_seconds), report::Tone::faint});
    cells.push_back({ratio(row.published_seconds, base.published_seconds), report::Tone::faint});
  }
  return table;
}

nlohmann::ordered_json simulation_json(const std::vector<SimulationRow>& rows) {
  const auto number = [](double x) {
    return std::isnan(x) ? nlohmann::ordered_json() : nlohmann::ordered_json(x);
  };
  auto json = nlohmann::ordered_json::array();
  for (const SimulationRow& row : rows)
    json.push_back({{"method", row.method},
                    {"distance_tol", number(row.distance_tol)},
                    {"vertices", row.vertices},
                    {"steps", row.steps},
                    {"intersecting_frames", row.crossing_frames},
                    {"iterations", row.iterations},
                    {"seconds", row.seconds},
                    {"collision_share", row.collision_share},
                    {"published_seconds", number(row.published_seconds)}});
  return json;
}

}  // namespace

PaperSimulations measure_paper_simulations(const std::filesystem::path& data, double seconds,
                                           const Progress& progress) {
  PaperSimulations all;
  const double share = std::min(1.0, seconds / 4);
  const auto steps = [&](double whole) {
    return static_cast<std::size_t>(std::max(1.0, std::round(share * whole)));
  };
  const sim::soft::Model ring = sim::soft::torus_scene(share < 1 ? 84 : 456);
  const generate::SurfaceModel figure = falling_figure(data, all.has_cow);
  const sim::soft::Model squashed =
      sim::soft::squash_scene(figure.vertices, figure.faces, share < 1 ? 60 : 300);
  for (const Compared& compared : figure_9_methods) {
    if (progress) progress(fmt::format("Figure 9: {}", compared.method), 0);
    all.figure_9.push_back(simulate(ring, 0.01, steps(100), active_set(compared), compared));
  }
  for (const Compared& compared : figure_10_methods) {
    if (progress) progress(fmt::format("Figure 10: {}", compared.method), 0.5);
    all.figure_10.push_back(simulate(squashed, squashed.step, steps(0.6 / squashed.step),
                                     bounded_search(squashed, compared), compared));
  }
  return all;
}

void add_paper_simulations(const PaperSimulations& measured, Result& result) {
  const report::Table tables[] = {
      simulation_table(measured.figure_9,
                       fmt::format("Figure 9 of [Wang 2021]: a ring of {} vertices falls on a cone",
                                   report::format_count(measured.figure_9[0].vertices))),
      simulation_table(
          measured.figure_10,
          fmt::format("Figure 10 of [Wang 2021]: {} in a grid of {} vertices falls on a plane",
                      measured.has_cow ? "a cow" : "a generated figure",
                      report::format_count(measured.figure_10[0].vertices)))};
  result.report.heading("[Wang 2021] Figures 9 and 10: two simulations");
  result.report.paragraph(
      "Figure 9: active set of constraints, eta = 1 mm, steps of 1/100 s. Figure 10: line search "
      "with barriers. The paper has other meshes (an octocat in Figure 10) and another machine, so "
      "that only the ratios compare. FPRF is the paper's floating-point root finder; "
      "sextic_separation is the one here that supports a separation. separation_root is exact and "
      "has no tolerance; with it the active set certifies every step, with the others it runs as "
      "in the paper. In Figure 10 the method exact certifies the steps of all rows. The time is "
      "processor time of the steps on one thread; intersections are counted outside of it. With a "
      "budget below 4 s the meshes are coarser and the runs shorter.");
  for (const report::Table& table : tables) {
    result.report.table(table);
    result.tables.push_back(table);
  }
  result.measurements["wang_figure_9"] = simulation_json(measured.figure_9);
  result.measurements["wang_figure_10"] = simulation_json(measured.figure_10);
}

}  // namespace graze::bench
