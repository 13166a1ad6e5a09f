#include "bench/simulated_sets.h"

#include <algorithm>

#include "graze/sim/elastic/active_set_solver.h"
#include "graze/sim/elastic/barrier_solver.h"
#include "graze/sim/elastic/soft_scenes.h"
#include "graze/sim/elastic/torus_scene.h"

namespace graze::bench {
namespace {

// What a run asked, in its order.
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

// Falls for 0.42 s, then presses on the cone.
Asked run_torus() {
  Asked asked;
  ActiveSetOptions options;
  options.observer = asked.observer();
  ActiveSetSolver solver(torus_scene(84), options);
  for (int step = 0; step < 70; ++step) solver.step(0.01);
  return asked;
}

// Flies for 30 ms, then meets the wall.
Asked run_golf() {
  Asked asked;
  const auto scenes = soft_scenes();
  const auto golf = std::find_if(scenes.begin(), scenes.end(),
                                 [](const SoftScene& scene) { return scene.name == "golf"; });
  SoftModel model = golf->make(40);
  LineSearchOptions search = BarrierSolver::usual_search(model);
  search.observer = asked.observer();
  BarrierSolver solver(std::move(model), search);
  for (int step = 0; step < 45; ++step) solver.step(1e-3);
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

std::vector<NamedSet> simulated_sets(std::size_t count, std::optional<Kind> kind) {
  static const Asked torus = run_torus(), golf = run_golf();
  std::vector<NamedSet> sets;
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
