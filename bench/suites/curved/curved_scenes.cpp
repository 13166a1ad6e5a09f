#include "bench/suites/curved/curved_scenes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <tuple>

#include "bench/harness/real_data.h"
#include "bench/harness/scene.h"
#include "bench/harness/timing.h"
#include "graze/generate/scenes.h"
#include "graze/step.h"

namespace graze::bench {
namespace {

namespace fs = std::filesystem;

using Velocities = std::array<std::vector<Vec3>, 2>;  // at the start and at the end of a step

// Compares the impacts of a curved step with the oracle, for some of the pairs that touch on curves
// or on lines.
void judge(const CurvedMesh& moving, const AllImpacts& curved, const AllImpacts& straight,
           CurvedSceneRow& row) {
  using Key = std::tuple<Kind, std::uint32_t, std::uint32_t>;
  const auto key = [](const StepImpact& x) { return Key(x.kind, x.pair.a, x.pair.b); };
  std::map<Key, Impact> answers;
  for (const StepImpact& x : curved.impacts) answers.emplace(key(x), x.impact);
  const Method& oracle = *find_method("oracle");
  for (const AllImpacts* list : {&curved, &straight}) {
    const std::size_t stride = list->impacts.size() / 50 + 1;
    for (std::size_t i = 0; i < list->impacts.size(); i += stride) {
      const auto& [kind, pair, impact] = list->impacts[i];
      if (kind != Kind::vertex_face && kind != Kind::edge_edge) continue;
      const Impact truth = kind == Kind::vertex_face
                               ? first_contact(moving.vertex_face(pair.a, pair.b), {}, oracle)
                               : first_contact(moving.edge_edge(pair.a, pair.b), {}, oracle);
      const auto found = answers.find(key(list->impacts[i]));
      row.counts.add(found == answers.end() ? Impact::separated() : found->second,
                     truth.verdict == Verdict::contact, truth.toi);
      ++row.judged;
    }
  }
}

CurvedSceneRow measure(const std::string& name, const MovingMesh& straight,
                       const Velocities& velocities, double seconds) {
  const CurvedMesh curved = CurvedMesh::hermite(straight.mesh, straight.start, velocities[0],
                                                straight.end, velocities[1]);
  CurvedSceneRow row{name, straight.mesh.faces.size()};
  AllImpacts on_lines, on_curves;
  const std::vector<std::function<void()>> passes{
      [&] { on_lines = all_impacts(straight, {}, {.threads = 1}); },
      [&] { on_curves = all_impacts(curved, {}, {.threads = 1}); }};
  const std::vector<double> times = time_in_turns(passes, seconds);
  row.straight_seconds = times[0];
  row.curved_seconds = times[1];
  row.straight_pairs = on_lines.work.pairs;
  row.curved_pairs = on_curves.work.pairs;
  row.straight_contacts = on_lines.impacts.size();
  row.curved_contacts = on_curves.impacts.size();
  judge(curved, on_curves, on_lines, row);
  return row;
}

// Returns the velocities of a generated scene in its frames 1 and 2.
Velocities velocities_of(const generate::FrameSequence& scene) {
  if (!scene.velocities.empty()) return {scene.velocities[1], scene.velocities[2]};
  Velocities velocities;
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t v = 0; v < scene.mesh.vertex_count; ++v)
      velocities[i].push_back((scene.frames[i + 2][v] - scene.frames[i][v]) / 2);
  return velocities;
}

// Returns velocities of an even acceleration: a vertex begins with the mean displacement m of its
// neighbours. With the displacement d of the vertex it ends with 2 d - m.
Velocities accelerated(const MovingMesh& moving) {
  const std::size_t count = moving.mesh.vertex_count;
  std::vector<Vec3> sums(count, Vec3::Zero());
  std::vector<double> neighbours(count, 0);
  for (const Edge& edge : moving.mesh.edges)
    for (const auto& [v, w] : {std::pair(edge[0], edge[1]), std::pair(edge[1], edge[0])}) {
      sums[v] += moving.end[w] - moving.start[w];
      ++neighbours[v];
    }
  Velocities velocities;
  for (std::size_t v = 0; v < count; ++v) {
    const Vec3 way = moving.end[v] - moving.start[v];
    const Vec3 mean = neighbours[v] > 0 ? Vec3(sums[v] / neighbours[v]) : way;
    velocities[0].push_back(mean);
    velocities[1].push_back(2 * way - mean);
  }
  return velocities;
}

}  // namespace

std::vector<CurvedSceneRow> measure_curved_scenes(const Request& request,
                                                  std::vector<std::string>& missing) {
  std::vector<CurvedSceneRow> rows;
  const double seconds = 10 * request.seconds;
  const std::size_t triangles =
      std::clamp<std::size_t>(2 * request.count.value_or(2000), 500, 4000);
  for (const generate::SceneRecipe& recipe : generate::scene_recipes()) {
    const generate::FrameSequence scene = recipe.make(triangles, 4);
    rows.push_back(measure(std::string(recipe.name), scene.step(1), velocities_of(scene), seconds));
  }
  const fs::path data = real_data(request.paths);
  for (const char* name : {"cloth-ball", "cloth-funnel", "armadillo-rollers"}) {
    const fs::path folder = inside(data, fs::path("scenes") / name);
    if (!fs::is_directory(folder)) {
      missing.push_back(fmt::format("scene {}", name));
      continue;
    }
    const Scene scene = read_scene(folder);
    const MovingMesh moving = scene.motion.moving();
    rows.push_back(measure(name, moving, accelerated(moving), seconds));
  }
  return rows;
}

}  // namespace graze::bench
