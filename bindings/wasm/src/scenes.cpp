// The simulation of edges, for the scenes of the playground.
#include <algorithm>
#include <string_view>
#include <utility>

#include "graze/sim/edges.h"
#include "graze/sim/edges/edge_scenes.h"
#include "results.h"

using namespace graze;
using graze::wasm::results;

namespace {

struct EdgeRun {
  sim::edges::Model model;
  sim::edges::State state;
  sim::edges::Workspace workspace;

  explicit EdgeRun(sim::edges::Model made)
      : model(std::move(made)), state(sim::edges::start(model)), workspace(model) {}
};

}  // namespace

// Returns a run of the scene with this name and about `edges` edges, to be released by
// edges_free(); null if there is no such scene. Numbers: the positions, then the radii. Indices:
// the edges.
GRAZE_EXPORT(edges_new)
EdgeRun* edges_new(const char* name, std::size_t length, std::size_t edges) {
  for (const sim::edges::EdgeScene& scene : sim::edges::edge_scenes()) {
    if (scene.name != std::string_view(name, length)) continue;
    auto* run =
        new EdgeRun(scene.make(edges > 0 ? std::min(edges, scene.most_edges) : scene.usual_edges));
    for (const Vec3& position : run->state.positions) wasm::add(results().numbers, position);
    for (const double radius : run->model.radii) results().numbers.push_back(radius);
    for (const Edge& edge : run->workspace.mesh().edges)
      results().indices.insert(results().indices.end(), edge.begin(), edge.end());
    return run;
  }
  return nullptr;
}
GRAZE_EXPORT(edges_free) void edges_free(EdgeRun* run) {
  delete run;
}

// Advances by `seconds` and certifies the step. Numbers: the time, 1 if the step as stored
// touches, the number of contacts, then the positions.
GRAZE_EXPORT(edges_step) void edges_step(EdgeRun* run, double seconds) {
  bool crossed = false;
  sim::edges::Options options;
  options.seconds = seconds;
  options.monitor = [&](const sim::edges::State& before, const sim::edges::State& after) {
    crossed = find_crossing(run->workspace.mesh(), before, after).verdict != Verdict::separated;
  };
  const sim::edges::Report report = step(run->model, run->state, run->workspace, options);
  results().numbers = {run->state.time, crossed ? 1.0 : 0.0,
                       static_cast<double>(report.contacts.size())};
  for (const Vec3& position : run->state.positions) wasm::add(results().numbers, position);
}
