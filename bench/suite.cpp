#include "bench/suite.h"

#include <array>

#include "bench/area_inclusion_suite.h"
#include "bench/edge_suite.h"
#include "bench/exact_suite.h"
#include "bench/narrow_suite.h"
#include "bench/paper_suite.h"
#include "bench/polyhedron_suite.h"
#include "bench/rigid_suite.h"
#include "bench/separation_suite.h"
#include "bench/step_suite.h"

namespace graze::bench {
namespace {

constexpr auto table = std::to_array<Suite>({
    {"narrow", "time and correctness of every method on every query set", run_narrow},
    {"area-inclusion", "hits and time of area_inclusion by tolerance: Table 1 of [Huh 2014]",
     run_area_inclusion},
    {"exact", "speed of exact on scenes, random and handcrafted queries, against its bars",
     run_exact, true},
    {"paper", "the tables and figures of [Wang 2021] and [Huh 2014], beside the published numbers",
     run_paper, false, 4},
    {"step", "whole steps: pairs, contacts and times of real scenes, a cloth of growing size",
     run_step},
    {"rigid", "rigid meshes that meet: the benchmarks of [Zhang 2006], against its bars",
     run_rigid},
    {"polyhedron", "polyhedra and points that move straight through worlds of polygons",
     run_polyhedron},
    {"edges", "scenes of edges and cables: frame times by size, energy and momentum", run_edges,
     false, 3},
    {"separation", "methods that keep a distance, in both norms: Figure 8 of [Wang 2021]",
     run_separation},
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

}  // namespace graze::bench
