#include "bench/harness/suite.h"

#include <array>

#include "bench/suites/area_inclusion/area_inclusion_suite.h"
#include "bench/suites/casts/cast_suite.h"
#include "bench/suites/curved/curved_suite.h"
#include "bench/suites/edges/edge_suite.h"
#include "bench/suites/exact/exact_suite.h"
#include "bench/suites/narrow/narrow_suite.h"
#include "bench/suites/papers/paper_suite.h"
#include "bench/suites/polyhedron/polyhedron_suite.h"
#include "bench/suites/rigid/rigid_suite.h"
#include "bench/suites/robot/robot_suite.h"
#include "bench/suites/separation/separation_suite.h"
#include "bench/suites/step/step_suite.h"

namespace graze::bench {
namespace {

using enum Input;

constexpr auto table = std::to_array<Suite>({
    {"narrow", "time and errors of every method on every set of queries", run_narrow,
     queries | kind | methods | count | seed | budget | threads | store | tolerances | t_max |
         min_separation | device},
    {"area-inclusion", "hits and time of area_inclusion by tolerance: Table 1 of [Huh 2014]",
     run_area_inclusion, count | seed},
    {"exact", "speed of exact on scenes, random and handcrafted queries, against its bars",
     run_exact, data | methods | count | seed | budget | threads | explain | tolerances | targets},
    {"papers", "the tables and figures of the five papers, beside the published numbers",
     run_papers, data | methods | count | seed | budget | threads | store, 4},
    {"step", "whole steps: pairs, contacts and times of real scenes and of a cloth by size",
     run_step, data | count | seed | budget | device | targets},
    {"rigid", "first contact of rigid meshes: the benchmarks of [Zhang 2006], against its bars",
     run_rigid, data | count | seed},
    {"robot", "edges of a robot in joint space, beside sampling and advancement, against its bars",
     run_robot, data | count | seed},
    {"casts", "spheres and capsules cast straight at meshes, beside Bullet and FCL", run_casts,
     data | count | seed | budget},
    {"polyhedron", "straight moves of polyhedra and points through worlds of polygons",
     run_polyhedron, data | count | seed | budget},
    {"edges", "scenes of edges and cables: frame times by size, energy and momentum", run_edges,
     count | budget, 3},
    {"separation", "methods that keep a distance, in both norms: Figure 8 of [Wang 2021]",
     run_separation, kind | methods | count | seed | budget | threads | tolerances | t_max},
    {"curved",
     "exact_curved on families of curved queries and scenes, beside exact on straight ones",
     run_curved, data | kind | count | seed | budget, 0.05},
});

}  // namespace

std::span<const Suite> suites() {
  return table;
}

const Suite* find_suite(std::string_view name) {
  for (const Suite& suite : table)
    if (suite.name == name) return &suite;
  return nullptr;
}

nlohmann::ordered_json json_of(const Result& result) {
  nlohmann::ordered_json json = {{"suite", result.suite}};
  json.update(result.measurements);
  if (!result.bars.empty()) json["bars"] = json_of(result.bars);
  json["missing"] = result.missing;
  json["failures"] = json_of(result.failures);
  json["recalled_rows"] = result.recalled;
  json["machine"] = json_of(result.machine);
  return json;
}

}  // namespace graze::bench
