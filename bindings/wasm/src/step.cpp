#include "graze/step.h"

#include <algorithm>
#include <span>

#include "results.h"

using namespace graze;
using graze::wasm::CallOptions;
using graze::wasm::results;

namespace {

MovingMesh moving(const Mesh* mesh, const double* start, const double* end) {
  return {*mesh,
          {reinterpret_cast<const Vec3*>(start), mesh->vertex_count},
          {reinterpret_cast<const Vec3*>(end), mesh->vertex_count}};
}

void add(const StepImpact& impact) {
  results().impacts.push_back(impact.impact);
  results().indices.insert(results().indices.end(),
                           {static_cast<std::uint32_t>(impact.kind), impact.pair.a, impact.pair.b});
}

void add(const StepWork& work) {
  std::vector<double>& out = results().numbers;
  out.insert(out.end(), {static_cast<double>(work.pairs), static_cast<double>(work.start_contacts),
                         static_cast<double>(work.slabs), work.broad_seconds, work.narrow_seconds});
}

}  // namespace

// Returns a mesh, to be released by mesh_free(), or null if a face or a rod names a vertex that
// does not exist or there are too many vertices.
GRAZE_EXPORT(mesh_new)
Mesh* mesh_new(std::size_t vertex_count, const Face* faces, std::size_t face_count,
               const Edge* rods, std::size_t rod_count) {
  const auto exists = [&](std::uint32_t vertex) { return vertex < vertex_count; };
  const auto fits = [&](const auto& feature) {
    return std::all_of(feature.begin(), feature.end(), exists);
  };
  if (vertex_count > Mesh::max_vertices || !std::all_of(faces, faces + face_count, fits) ||
      !std::all_of(rods, rods + rod_count, fits))
    return nullptr;
  return new Mesh(make_mesh(vertex_count, {faces, faces + face_count}, {rods, rods + rod_count}));
}
GRAZE_EXPORT(mesh_free) void mesh_free(Mesh* mesh) {
  delete mesh;
}

// Indices: the vertices of the edges.
GRAZE_EXPORT(mesh_edges) void mesh_edges(const Mesh* mesh) {
  for (const Edge& edge : mesh->edges)
    results().indices.insert(results().indices.end(), edge.begin(), edge.end());
}

// Impacts: the first one. Indices: its kind and pair. Numbers: the work, then the point of contact.
GRAZE_EXPORT(earliest_impact)
void earliest_impact_of(const Mesh* mesh, const double* start, const double* end,
                        const CallOptions* options) {
  const MovingMesh motion = moving(mesh, start, end);
  const FirstImpact first = earliest_impact(motion, options->step());
  add(first);
  add(first.work);
  const bool hit = first.impact.verdict == Verdict::contact;
  wasm::add(results().numbers,
            hit ? contact_position(motion, first) : Vec3(Vec3::Constant(Impact::nan)));
}

// Impacts: all. Indices: kind and pair of each. Numbers: verdict, toi, whether the list is
// complete, the work, then the points of contact.
GRAZE_EXPORT(all_impacts)
void all_impacts_of(const Mesh* mesh, const double* start, const double* end,
                    const CallOptions* options) {
  const MovingMesh motion = moving(mesh, start, end);
  const AllImpacts all = all_impacts(motion, options->step());
  results().numbers = {static_cast<double>(all.verdict), all.toi, all.complete ? 1.0 : 0.0};
  add(all.work);
  for (const StepImpact& impact : all.impacts) {
    add(impact);
    wasm::add(results().numbers, contact_position(motion, impact));
  }
}

// Returns the largest proven step that keeps a distance.
GRAZE_EXPORT(collision_free_step)
double collision_free_step_of(const Mesh* mesh, const double* start, const double* end,
                              double keep_distance, const CallOptions* options) {
  return collision_free_step(moving(mesh, start, end), keep_distance, options->step());
}

// Indices: four counts, then the pairs of each kind. Returns the PairStatus.
GRAZE_EXPORT(find_pairs)
int find_pairs_of(const Mesh* mesh, const double* start, const double* end,
                  const CallOptions* options) {
  const PairStrategy* strategy = options->pair_strategy();
  Pairs pairs = collect_pairs(moving(mesh, start, end), options->pairs(), {},
                              strategy ? *strategy : default_pair_strategy());
  std::vector<std::uint32_t>& out = results().indices;
  for (std::size_t kind = 0; kind < kind_count; ++kind)
    out.push_back(static_cast<std::uint32_t>(pairs.of(static_cast<Kind>(kind)).size()));
  for (std::size_t kind = 0; kind < kind_count; ++kind)
    for (const Pair& pair : pairs.of(static_cast<Kind>(kind)))
      out.insert(out.end(), {pair.a, pair.b});
  return static_cast<int>(pairs.status);
}
