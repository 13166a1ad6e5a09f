#include "bench/suites/papers/simulated_sets.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "graze/generate/decimate.h"
#include "graze/io/mesh_files.h"
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

sim::soft::Model scene(std::string_view name, std::size_t vertices) {
  const auto scenes = sim::soft::soft_scenes();
  return std::find_if(scenes.begin(), scenes.end(),
                      [&](const sim::soft::SoftScene& row) { return row.name == name; })
      ->make(vertices);
}

// Runs a scene with one of the two solvers.
Asked run(const sim::soft::Model& model, double seconds, int steps,
          decltype(sim::soft::Options::contacts) contacts) {
  Asked asked;
  sim::soft::Options options;
  options.contacts = std::move(contacts);
  options.seconds = seconds;
  options.observer = asked.observer();
  sim::soft::State state = start(model);
  sim::soft::Workspace workspace(model);
  for (int i = 0; i < steps; ++i) step(model, state, workspace, options, {.threads = 1});
  return asked;
}

// Two cows in coarse grids: one falls on the other, which stands above the floor.
sim::soft::Model two_cows(const std::filesystem::path& file) {
  io::MeshFrame frame = io::read_mesh(file);
  for (Vec3& x : frame.positions) x = {x.x(), -x.z(), x.y()};
  const generate::SurfaceModel cow =
      generate::decimated({std::move(frame.positions), std::move(frame.mesh.faces)}, 1000);
  sim::soft::Model model = sim::soft::squash_scene(cow.vertices, cow.faces, 60);
  sim::soft::Body above = model.bodies[0];
  above.name = "falling figure";
  above.positions = above.rest;
  for (Vec3& x : above.positions) x += Vec3(0.05, 0.1, 0.55);
  above.velocities.assign(above.rest.size(), Vec3(0, 0, -4));
  model.bodies.push_back(std::move(above));
  return model;
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

std::vector<queries::NamedSet> simulated_sets(std::size_t count, std::optional<Kind> kind,
                                              const std::filesystem::path& cow) {
  using sim::soft::Barriers, sim::soft::Constraints;
  // The ring falls for 0.42 s, then presses on the cone; the ball flies for 30 ms, then hits the
  // wall; two rings of a chain swing down.
  static const Asked torus = run(sim::soft::torus_scene(84), 0.01, 70, Constraints{}),
                     golf = run(scene("golf", 40), 1e-3, 45, Barriers{}),
                     chain = run(scene("chain", 224), 0.01, 30, Constraints{});
  std::vector<std::pair<const char*, const Asked*>> runs = {
      {"torus", &torus}, {"golf", &golf}, {"chain", &chain}};
  Asked cows;
  if (!cow.empty()) {
    cows = run(two_cows(cow), 0.005, 40, Barriers{});
    runs.emplace_back("cows", &cows);
  }
  std::vector<queries::NamedSet> sets;
  for (const auto& [name, asked] : runs)
    for (const Kind each : {Kind::vertex_face, Kind::edge_edge})
      if (!kind || *kind == each)
        sets.push_back({name,
                        "simulated",
                        each,
                        each == Kind::vertex_face ? spread(asked->vertex_face, count)
                                                  : spread(asked->edge_edge, count),
                        {}});
  return sets;
}

}  // namespace graze::bench
