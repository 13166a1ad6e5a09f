#include "bench/suites/rigid/preparation.h"

#include <fmt/format.h>

#include <algorithm>

#include "bench/harness/timing.h"
#include "bench/peers/rigid_peer.h"
#include "graze/rigid/body.h"
#include "graze/rigid/model/model.h"

namespace graze::bench {
namespace {

template <class Prepare>
double median_of_five(const Prepare& prepare) {
  std::vector<double> times;
  for (int pass = 0; pass < 5; ++pass) {
    const double before = processor_seconds();
    const auto kept = prepare();  // its destruction does not count
    times.push_back(processor_seconds() - before);
  }
  return median(std::move(times));
}

PreparationRow measure(std::string name, const generate::SurfaceModel& model,
                       std::optional<double> most) {
  PreparationRow row{std::move(name), model.faces.size(), 0, 0, {}, most};
  row.ready = median_of_five([&] { return rigid::make_body(model.vertices, model.faces); });
  const rigid::Model made = rigid::make_model(model.vertices, model.faces);
  const double before = processor_seconds();
  for (std::uint32_t i = 0; i < made.tree.size(); ++i) made.tree.node(i);
  row.all_nodes = processor_seconds() - before;
  const generate::SurfaceModel small = generate::tetrahedron();
  for (const RigidPeer& peer : rigid_peers())
    row.peers.push_back(median_of_five([&] { return peer.prepare(model, small); }));
  return row;
}

}  // namespace

std::vector<PreparationRow> measure_preparation(const std::vector<RigidScenario>& scenarios) {
  std::vector<PreparationRow> rows;
  for (const RigidScenario& scenario : scenarios)
    if (scenario.name == "bunnies") rows.push_back(measure("bunny", scenario.a, 0.1));
  rows.push_back(measure("sphere", generate::sphere(200, 399), 0.3));
  rows.push_back(measure("torus knot", generate::torus_knot(875, 40), {}));
  rows.push_back(measure("bumpy figure", generate::bumpy_figure(200, 399), {}));
  return rows;
}

report::Table preparation_table(const std::vector<PreparationRow>& rows) {
  report::Table table{"Preparation of a model; a query bounds the nodes that it visits first",
                      {{"model", false}, {"triangles"}, {"ready"}, {"all nodes bounded"}},
                      {}};
  for (const RigidPeer& peer : rigid_peers()) {
    table.columns.push_back({fmt::format("{}, tree", peer.name)});
    table.columns.push_back({fmt::format("ready over {}", peer.name)});
  }
  for (const PreparationRow& row : rows) {
    auto& cells = table.rows.emplace_back();
    cells = {{row.model},
             {report::format_count(row.triangles)},
             {report::format_nanoseconds(1e9 * row.ready)},
             {report::format_nanoseconds(1e9 * row.all_nodes)}};
    for (const double seconds : row.peers) {
      cells.push_back({report::format_nanoseconds(1e9 * seconds)});
      cells.push_back({fmt::format("{:.2f}", row.ready / seconds)});
    }
  }
  return table;
}

std::vector<Bar> preparation_bars(const std::vector<PreparationRow>& rows) {
  std::vector<Bar> bars;
  for (const PreparationRow& row : rows) {
    if (!row.most) continue;
    bars.push_back({row.model + ": ready", "ns", 1e9 * *row.most, false, 1e9 * row.ready, ""});
    Bar beside{row.model + ": ready, over the fastest tree of a peer", "x", 2, false, {}, ""};
    if (!row.peers.empty())
      beside.measured = row.ready / *std::min_element(row.peers.begin(), row.peers.end());
    bars.push_back(std::move(beside));
  }
  return bars;
}

}  // namespace graze::bench
