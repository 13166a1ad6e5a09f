#include "bench/suites/papers/simulated_sets.h"

#include <algorithm>

#include "graze/sim/elastic/soft_scenes.h"
#include "graze/sim/elastic/torus_scene.h"

namespace graze::bench {
namespace {

// The queries of a run, in their order.
struct Asked {
  std::vector<VertexFace> vertex_face;
  std::vector<EdgeEdge> edge_edge;

  MotionObserver observer() {
    return [this](const MovingMesh& moving, const Pairs& pairs) {
      for (const Pair& pair : pairs.vertex_face)
        vertex_face.push_back(moving.vertex_face(pair.a, pair.b));
      for (const Pair& pair : pairs.edge_edge)
        edge_edge.push_back(moving.edge_edge(pair.a, pair.b));
    };
  }
};

// The ring falls for 0.42 s, then presses on the cone.
Asked run_torus() {
  Asked asked;
  sim::soft::Options options;
  options.contacts = sim::soft::Constraints{};
  options.seconds = 0.01;
  options.threads = 1;
  options.observer = asked.observer();
  const sim::soft::Model model = sim::soft::torus_scene(84);
  sim::soft::State state = start(model);
  sim::soft::Workspace workspace(model);
  for (int i = 0; i < 70; ++i) step(model, state, workspace, options);
  return asked;
}

// The ball flies for 30 ms, then hits the wall.
Asked run_golf() {
  Asked asked;
  const auto scenes = sim::soft::soft_scenes();
  const auto golf =
      std::find_if(scenes.begin(), scenes.end(),
                   [](const sim::soft::SoftScene& scene) { return scene.name == "golf"; });
  const sim::soft::Model model = golf->make(40);
  sim::soft::Options options;
  options.seconds = 1e-3;
  options.threads = 1;
  options.observer = asked.observer();
  sim::soft::State state = start(model);
  sim::soft::Workspace workspace(model);
  for (int i = 0; i < 45; ++i) step(model, state, workspace, options);
  return asked;
}

template <class Query>
io::QuerySet spread(const std::vector<Query>& queries, std::size_t count) {
  count = std::min(count, queries.size());
  std::vector<double> numbers;
  numbers.reserve(24 * count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto* first = reinterpret_cast<const double*>(&queries[i * queries.size() / count]);
    numbers.insert(numbers.end(), first, first + 24);
  }
  return {std::move(numbers), {}};
}

}  // namespace

std::vector<queries::NamedSet> simulated_sets(std::size_t count, std::optional<Kind> kind) {
  static const Asked torus = run_torus(), golf = run_golf();
  std::vector<queries::NamedSet> sets;
  for (const auto& [scene, asked] : {std::pair("torus", &torus), std::pair("golf", &golf)})
    for (const Kind each : {Kind::vertex_face, Kind::edge_edge})
      if (!kind || *kind == each)
        sets.push_back({scene,
                        "simulated",
                        each,
                        each == Kind::vertex_face ? spread(asked->vertex_face, count)
                                                  : spread(asked->edge_edge, count),
                        {}});
  return sets;
}

}  // namespace graze::bench
